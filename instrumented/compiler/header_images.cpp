// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/header_images.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "instrumented/compiler/included_libraries.h"
#include "instrumented/compiler/process.h"

namespace lanescope::compiler {

namespace {

constexpr char kProduct[] = "header.pch";
constexpr char kFiles[] = "files.txt";  ///< all of its files
constexpr char kNames[] = "names.txt";  ///< the identifiers in all of its files, each between two line ends

std::string identifiersIn(const std::set<std::string>& files)
{
    const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::set<std::string> names;
    for (const std::string& file : files) {
        const std::string text = textOf(file);
        for (auto begin = text.begin(); begin != text.end();) {
            begin = std::find_if(begin, text.end(), belongs);
            const auto end = std::find_if_not(begin, text.end(), belongs);
            names.emplace(begin, end);
            begin = end;
        }
    }
    std::string list = "\n";
    for (const std::string& name : names)
        list += name + '\n';
    return list;
}

/// A macro of \p definitions ("NAME", "NAME=VALUE", "NAME(X)=VALUE") could change what the header of \p image says.
template <class Definitions>
bool isMentioned(const Definitions& definitions, const std::string& image)
{
    const std::string names = textOf(std::filesystem::path(image).replace_filename(kNames));
    return names.empty() || std::any_of(definitions.begin(), definitions.end(), [&](const std::string& definition) {
               return names.find('\n' + definition.substr(0, definition.find_first_of("=(")) + '\n') !=
                      std::string::npos;
           });
}

/// Whether one of \p folders, which come first, has a file that may be meant where the image has another: of the same
/// name, alone or with one or two folders.
bool isHidden(const std::string& image, const std::vector<std::string>& folders)
{
    namespace fs = std::filesystem;
    std::istringstream files(folders.empty() ? "" : textOf(fs::path(image).replace_filename(kFiles)));
    for (std::string line; std::getline(files, line);) {
        fs::path name;
        fs::path rest = line;
        for (int parts = 0; parts < 3 && rest.has_relative_path(); ++parts, rest = rest.parent_path()) {
            name = parts == 0 ? rest.filename() : rest.filename() / name;
            std::error_code ignored;
            for (const std::string& folder : folders)
                if (!isToolkitsHeaders(folder) && fs::exists(folder / name, ignored) &&
                    !fs::equivalent(folder / name, line, ignored))
                    return true;
        }
    }
    return false;
}

/// One side's image: found, or being made from construction on.
class Image {
public:
    using CommandFor = std::function<std::vector<std::string>(const std::string& output)>;

    Image(const Cache& cache, const Clang& clang, const CommandFor& commandFor) : m_cache(cache)
    {
        m_key = "header 4\n" + clang.identity + '\n';
        for (const std::string& word : commandFor(""))
            m_key += word + '\n';
        m_key = contentHash(m_key);
        if (const std::optional<std::string> found = cache.find(m_key, kProduct)) {
            take(*found);
            return;
        }
        const Result<std::string> folder = cache.workFolder();
        if (!folder)
            return;
        m_folder.emplace(folder.value());
        ProcessRequest process;
        process.command = commandFor(folder.value() + '/' + kProduct);
        process.outputFile = folder.value() + "/messages.txt";
        if (const Result<pid_t> started = startProcess(process); started.ok())
            m_process = started.value();
    }

    ~Image() { (void)path(); }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    /// Waits until it is made; empty when it could not be.
    const std::string& path()
    {
        if (m_process) {
            const bool made = waitForProcess(*m_process).code == 0;
            m_process.reset();
            if (!made)  // with the headers as they are it never will
                (void)writeFile(m_folder->path() + '/' + kProduct, "");
            store();
        }
        return m_path;
    }

private:
    void store()
    {
        const std::string& work = m_folder->path();
        const std::string list = work + '/' + kProduct + ".d";
        std::set<std::string> dependencies;
        readDependencies(list, dependencies);
        std::error_code ignored;
        std::filesystem::remove(list, ignored);
        std::string files;
        if (dependencies.empty())
            return;
        for (const std::string& file : dependencies)
            files += file + '\n';
        if (!writeFile(work + '/' + kNames, identifiersIn(dependencies)) || !writeFile(work + '/' + kFiles, files))
            return;
        const Result<std::string> stored =
            m_cache.store(m_key, {dependencies.begin(), dependencies.end()}, work, kProduct);
        if (stored.ok())
            take(stored.value());
    }

    /// From the cache; an empty one says that there is none.
    void take(const std::string& folder)
    {
        std::error_code error;
        const std::string path = folder + '/' + kProduct;
        if (std::filesystem::file_size(path, error) > 0 && !error)
            m_path = path;
    }

    const Cache& m_cache;
    std::string m_key;
    std::optional<FolderGuard> m_folder;
    std::optional<pid_t> m_process;
    std::string m_path;
};

bool hasImages(const CompileRequest& request, const Variant& variant)
{
    return request.preprocessing.empty() &&
           (variant.standard.empty() || variant.standard == "c++17" || variant.standard == "gnu++17");
}

/// \p header: what is in the images; \p macros: that the program may define before it.
HeaderImages imagesOf(const std::string& header, const std::set<std::string>& macros, const Cache& cache,
                      const Clang& clang, const CompileRequest& request, const Installation& installation,
                      const Variant& variant)
{
    CompileRequest plain = request;
    plain.definitions.clear();
    plain.includeDirectories.clear();
    plain.systemDirectories.clear();
    Image device(cache, clang, [&](const std::string& output) {
        return deviceImageCommand(clang, plain, installation, variant, header, output);
    });
    Image host(cache, clang, [&](const std::string& output) {
        return hostImageCommand(clang, plain, installation, variant, header, output);
    });
    HeaderImages images{device.path(), host.path()};
    for (std::string* image : {&images.device, &images.host})
        if (!image->empty() &&
            ((!request.definitions.empty() && isMentioned(request.definitions, *image)) ||
             (!macros.empty() && isMentioned(macros, *image)) || isHidden(*image, request.includeDirectories) ||
             isHidden(*image, request.systemDirectories)))
            image->clear();
    return images;
}

/// The header that includes all of \p library, a file of the cache; empty when it cannot be written.
std::string imageHeader(const Cache& cache, LibraryImage library, const Installation& installation)
{
    constexpr char kHeader[] = "libraries.h";
    const std::string text = imageText(library, runtimeHeader(installation));
    const std::string key = contentHash("libraries 1\n" + text);
    if (const std::optional<std::string> found = cache.find(key, kHeader))
        return *found + '/' + kHeader;
    const Result<std::string> folder = cache.workFolder();
    if (!folder)
        return {};
    const FolderGuard guard(folder.value());
    if (!writeFile(folder.value() + '/' + kHeader, text))
        return {};
    const Result<std::string> stored = cache.store(key, {}, folder.value(), kHeader);
    return stored ? stored.value() + '/' + kHeader : std::string();
}

}  // namespace

HeaderImages headerImages(const Cache& cache, const Clang& clang, const CompileRequest& request,
                          const Installation& installation, const Variant& variant)
{
    if (!hasImages(request, variant))
        return {};
    Variant plain;
    plain.standard = variant.standard;
    return imagesOf(runtimeHeader(installation), {}, cache, clang, request, installation, plain);
}

HeaderImages libraryImages(const Cache& cache, const Clang& clang, const CompileRequest& request,
                           const Installation& installation, const Variant& variant)
{
    if (!hasImages(request, variant) || variant.firstHeaders.empty())
        return {};
    const IncludedLibraries included = includedLibraries(request.source, request.includeDirectories);
    if (included.image == LibraryImage::None)
        return {};
    const std::string header = imageHeader(cache, included.image, installation);
    if (header.empty())
        return {};
    Variant plain;
    plain.standard = variant.standard;
    plain.firstHeaders = variant.firstHeaders;
    return imagesOf(header, included.macrosBefore, cache, clang, request, installation, plain);
}

bool complainsAboutImage(const std::string& messages)
{
    return messages.find(kProduct) != std::string::npos || messages.find("precompiled header") != std::string::npos ||
           messages.find("PCH file") != std::string::npos || messages.find("in different modules") != std::string::npos;
}

}  // namespace lanescope::compiler
