// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "core/base/device_image.h"
#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/cccl.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/diagnostics.h"
#include "instrumented/compiler/header_images.h"
#include "instrumented/compiler/host_side.h"
#include "instrumented/compiler/process.h"
#include "instrumented/compiler/repairs.h"
#include "instrumented/compiler/toolkit_headers.h"

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

constexpr char kDependencies[] = "/dependencies.txt";  ///< of the product's folder: one file a line

/// The file of the product in its folder of the cache.
std::string productName(const CompileRequest& request)
{
    switch (request.product) {
    case Product::Object:
        return "object.o";
    case Product::Image:
        return "module";
    case Product::Program:
        break;
    }
    return "program";
}

/// What instrumented code calls.
std::string deviceLibraries(const Installation& installation)
{
    std::string all;
    for (const char* part : {"logger", "counter", "races"})
        all += textOf(fmt::format("{}/lanescope_{}.bc", installation.library, part));
    return all;
}

/// Whether the program's libraries are to be optimised, and can be.
bool optimisesLibraries(const CompileRequest& request, const Installation& installation)
{
    return access(installation.instrument.c_str(), X_OK) == 0 && !libraryFolders(request).empty();
}

/// Everything that decides the result except the content of included files.
std::string requestKey(const CompileRequest& request, const Installation& installation, const Clang& clang,
                       const std::string& cccl, const std::string& sourceText)
{
    std::string key = fmt::format("lanescope 7\n{}\n{}\n{}\n{}\n{}\n{}\n", request.source, workingPlace(request),
                                  clang.identity, installation.library, request.asCompiled, cccl);
    for (const std::string& flag : sharedFlags(request, installation))
        key += flag + '\n';
    for (const std::string& flag : request.hostFlags)
        key += flag + '\n';
    key += fmt::format("{} {} {} {}\n", productName(request), request.standard, request.fusesMultiplyAdds,
                       request.flushesSubnormals);
    if (optimisesLibraries(request, installation))
        key += fmt::format("libraries\n{}\n{}\n", identityOf(installation.instrument),
                           fmt::join(steppedInto(request), "\n"));
    if (request.device == Device::Gpu)
        key += "gpu\n" + identityOf(installation.instrument) + installation.deviceMath + '\n' +
               deviceLibraries(installation);
    key += textOf(installation.library + "/lanescope_start.o");
    return contentHash(key + '\0' + sourceText);
}

/// As CUDA's headers have it: by a macro, which nvcc's --default-stream per-thread defines, too.
bool hasPerThreadStream(const CompileRequest& request)
{
    const std::string macro = "CUDA_API_PER_THREAD_DEFAULT_STREAM";
    const auto defines = [&](const std::string& prefix) {
        return [prefix, &macro](const std::string& word) { return word.starts_with(prefix + macro); };
    };
    return std::ranges::any_of(request.definitions, defines("")) ||
           std::ranges::any_of(request.preprocessing, defines("-D"));
}

/// The folders of libraries that the program includes something of, whose code is therefore optimised.
std::vector<std::string> optimisedFolders(const CompileRequest& request, const Installation& installation,
                                          const std::set<std::string>& dependencies)
{
    std::vector<std::string> found;
    if (!optimisesLibraries(request, installation))
        return found;
    std::ranges::copy_if(libraryFolders(request), std::back_inserter(found), [&](const std::string& folder) {
        return std::ranges::any_of(dependencies, [&](const std::string& file) {
            return fs::absolute(file).lexically_normal().string().starts_with(folder + '/');
        });
    });
    return found;
}

/// What the runtime wants to know about the program it runs in: lines "key value".
std::string programInfo(const CompileRequest& request, const Installation& installation,
                        const std::vector<std::string>& discardedCalls, const std::set<std::string>& dependencies)
{
    std::string info =
        fmt::format("mode {}\nheaders {}\n", request.asCompiled ? "as-compiled" : "-O0", installation.include);
    if (hasPerThreadStream(request))
        info += "stream per-thread\n";
    if (request.product == Product::Program)
        info += fmt::format("program {}\ndevice {}\n", request.source,
                            request.device == Device::Gpu ? "cuda" : "simulator");
    if (const std::string libraries = ccclIn(dependencies, installation.include); !libraries.empty())
        info += "libraries " + libraries + '\n';
    for (const std::string& folder : optimisedFolders(request, installation, dependencies))
        info += fmt::format("libraries code of {0} is optimised (--step-into {0} to step into it)\n", folder);
    // Debug information names files below the working directory from there.
    const std::string here = std::filesystem::current_path().string() + '/';
    for (const std::string& place : discardedCalls) {
        info += "discarded " + place + '\n';
        if (place.starts_with(here))
            info += "discarded " + place.substr(here.size()) + '\n';
    }
    return info;
}

/// Headers and runtime are where they should be.
Result<void> checkInstallation(const Installation& installation)
{
    for (const std::string& file :
         {installation.include + "/cuda_runtime.h", installation.library + "/liblanescope_runtime.so",
          installation.library + "/liblanescope_math.so", installation.library + "/liblanescope_mpi.so",
          installation.library + "/lanescope_start.o"})
        if (access(file.c_str(), R_OK) != 0)
            return Error{Error::Code::NotFound, "not found; this installation of lanescope is not complete", file};
    return {};
}

/// The files that the last compilation of both sides in \p folder has read.
std::set<std::string> filesRead(const std::string& folder)
{
    std::set<std::string> read;
    readDependencies(folder + "/device.bc.d", read);
    readDependencies(folder + "/host.o.d", read);
    read.erase(folder + "/placeholder");
    return read;
}

/// Which library of NVIDIA's the program includes that we have not, in one line that begins with where; empty for none.
/// What comes from a toolkit that the request names, or from \p firstHeaders, is not missing.
std::string neededLibrary(const CompileRequest& request, const Installation& installation,
                          const std::string& firstHeaders, const std::string& messages, const std::string& folder)
{
    if (std::string missing = missingLibrary(messages);
        !missing.empty() || (!request.toolkit.empty() && !firstHeaders.empty()))
        return missing;
    std::set<std::string> read = filesRead(folder);
    if (!firstHeaders.empty())
        std::erase_if(read, [&](const std::string& file) { return file.starts_with(firstHeaders + '/'); });
    return includedLibrary(request.source, textOf(request.source), read, installation.include);
}

/// A library of NVIDIA's that does not compile.
struct Library {
    std::string missing;   ///< of neededLibrary; empty: none
    std::string messages;  ///< what clang says of it where it is there; empty: it is not
};

/// What is missing of CUDA's comes first, in one line, else there are only \p messages.
Error compileError(const Library& library, const std::string& messages)
{
    std::string missing = library.missing.empty() ? missingFeature(messages) : library.missing;
    if (!missing.empty() && !library.messages.empty())
        missing += "\n" + library.messages;
    if (!missing.empty())
        return Error{Error::Code::Unsupported, std::move(missing), ""};
    return Error{Error::Code::BadInput, messages.empty() ? "clang failed without a message" : messages, ""};
}

/// When a header was not found: the folders of -I that are none, since clang passes over them in silence. Lines before
/// what clang says.
std::string missingFolders(const CompileRequest& request, const std::string& messages)
{
    std::string lines;
    if (messages.find("' file not found") == std::string::npos)
        return lines;
    std::error_code ignored;
    for (const std::string& folder : request.includeDirectories)
        if (!fs::is_directory(folder, ignored))
            lines += fmt::format("-I {}: no such folder\n", folder);
    return lines;
}

struct Attempt {
    bool succeeded = false;
    std::string messages;
    Library library;  ///< it has been left out, and that was not enough
};

/// Both sides at once.
Result<Attempt> tryBothSides(const Cache& cache, const Clang& clang, const CompileRequest& request,
                             const Installation& installation, const Variant& variant, const std::string& folder)
{
    const std::string placeholder = folder + "/placeholder";
    if (Result<void> written = writeFile(placeholder, "LANESCOPE-DEVICE"); !written)
        return written.error();
    ProcessRequest device;
    device.command = deviceCommand(clang, request, installation, variant, folder + "/device.bc");
    device.outputFile = folder + "/device.txt";
    const HostSide hostSide(cache, clang, request, installation, variant, folder);
    ProcessRequest host;
    host.command = hostSide.command();
    host.outputFile = folder + "/host.txt";
    Result<pid_t> deviceProcess = startProcess(device);
    if (!deviceProcess)
        return deviceProcess.error();
    bool hasHost = hostSide.take();
    if (!hasHost) {
        Result<pid_t> hostProcess = startProcess(host);
        if (!hostProcess) {
            waitForProcess(deviceProcess.value());
            return hostProcess.error();
        }
        hasHost = waitForProcess(hostProcess.value()).code == 0;
        if (hasHost)
            hostSide.keep();
    }
    const ProcessEnd deviceEnd = waitForProcess(deviceProcess.value());
    return Attempt{
        deviceEnd.code == 0 && hasHost, mergeDiagnostics(textOf(device.outputFile), textOf(host.outputFile)), {}};
}

/// Writes the stand-ins of repaired files into \p folder.
Result<void> writeStandIns(const RepairedFiles& repaired, Variant& variant, const std::string& folder)
{
    std::error_code ignored;
    fs::create_directory(folder + "/repaired", ignored);
    variant.standIns.clear();
    for (const auto& [file, text] : repaired) {
        const std::string standIn = fmt::format("{}/repaired/{}", folder, variant.standIns.size());
        if (Result<void> written = writeFile(standIn, text); !written)
            return written.error();
        variant.standIns.emplace_back(file, standIn);
    }
    return {};
}

/// Compiles, again as long as repairs help. Programs include libraries of which they use nothing: what we have not is
/// left out, and only if that fails is it missing.
Result<Attempt> compileRepairing(const Cache& cache, const Clang& clang, const CompileRequest& request,
                                 const Installation& installation, const std::string& firstHeaders,
                                 const std::string& standard, const std::string& folder)
{
    // One round mends one place of each asm statement.
    constexpr int kRounds = 10;
    Variant variant;
    variant.standard = standard;
    variant.firstHeaders = firstHeaders;
    variant.isBeforePasses = optimisesLibraries(request, installation);
    variant.images = libraryImages(cache, clang, request, installation, variant);
    bool hasLibraryImages = !variant.images.device.empty() || !variant.images.host.empty();
    if (!hasLibraryImages)
        variant.images = headerImages(cache, clang, request, installation, variant);
    RepairedFiles repaired;
    Library left;
    for (int round = 1;; ++round) {
        Result<Attempt> attempt = tryBothSides(cache, clang, request, installation, variant, folder);
        if (attempt && !attempt.value().succeeded && hasLibraryImages) {  // more is in them than the program includes
            hasLibraryImages = false;
            variant.images = headerImages(cache, clang, request, installation, variant);
            attempt = tryBothSides(cache, clang, request, installation, variant, folder);
        }
        if (attempt && !attempt.value().succeeded && complainsAboutImage(attempt.value().messages)) {
            variant.images = {};
            attempt = tryBothSides(cache, clang, request, installation, variant, folder);
        }
        if (!attempt || attempt.value().succeeded)
            return attempt;
        const std::string& messages = attempt.value().messages;
        const std::string library = neededLibrary(request, installation, firstHeaders, messages, folder);
        if (left.missing.empty())
            left = {library, missingLibrary(messages).empty() ? messages : std::string()};
        attempt.value().library = left;
        if (round == kRounds || !(library.empty() ? repair(messages, repaired) : leaveOut(library, repaired)))
            return attempt;
        if (Result<void> written = writeStandIns(repaired, variant, folder); !written)
            return written.error();
    }
}

size_t errorsIn(const std::string& messages)
{
    size_t count = 0;
    for (size_t at = messages.find("error: "); at != std::string::npos; at = messages.find("error: ", at + 1))
        ++count;
    return count;
}

/// The line of clang's first error, as a note of ours; empty when there is none.
std::string firstErrorIn(const std::string& messages)
{
    const size_t error = messages.find("error: ");
    if (error == std::string::npos)
        return "";
    const size_t begin = messages.rfind('\n', error) + 1;  // 0 in the first line
    return "lanescope: note: clang says there: " + messages.substr(begin, messages.find('\n', error) - begin) + '\n';
}

/// C++17 is what nvcc takes unless it is told otherwise, on a command line that we may not have seen: what C++17
/// rejects may be a program in C++20.
Result<Attempt> compileInSomeStandard(const Cache& cache, const Clang& clang, const CompileRequest& request,
                                      const Installation& installation, const std::string& firstHeaders,
                                      const std::string& folder)
{
    Result<Attempt> first =
        compileRepairing(cache, clang, request, installation, firstHeaders, request.standard, folder);
    // A header that is not there is in no standard, and who waits for a message should have it soon.
    const auto lacksHeader = [](const Attempt& attempt) {
        return attempt.messages.find("' file not found") != std::string::npos;
    };
    if (!request.standard.empty() || !first || first.value().succeeded || !first.value().library.missing.empty() ||
        lacksHeader(first.value()))
        return first;
    Result<Attempt> second = compileRepairing(cache, clang, request, installation, firstHeaders, "gnu++20", folder);
    const bool better =
        !second || second.value().succeeded || errorsIn(second.value().messages) < errorsIn(first.value().messages);
    return better ? std::move(second) : std::move(first);
}

/// Headers of others that are read before ours.
struct GivenHeaders {
    std::string folder;  ///< of links to them; empty: there are none
    std::string name;    ///< to be told
};

Result<GivenHeaders> givenHeaders(const Cache& cache, const CompileRequest& request, const std::string& cccl)
{
    if (request.toolkit.empty() && cccl.empty())
        return GivenHeaders{};
    const Result<std::string> folder = cccl.empty() ? toolkitHeaders(cache, request.toolkit) : ccclHeaders(cache, cccl);
    if (!folder)
        return folder.error();
    return GivenHeaders{folder.value(), cccl.empty() ? request.toolkit : cccl};
}

/// The compilation in \p folder has read some of the headers that \p given links to.
bool hasRead(const GivenHeaders& given, const std::string& folder)
{
    const std::set<std::string> files = filesRead(folder);
    const auto first = files.lower_bound(given.folder + '/');
    return first != files.end() && first->starts_with(given.folder + '/');
}

/// The messages, or an Error with them. Libraries of a toolkit that the request names come first, or those of the CCCL
/// that is there; where clang cannot read them, ours do.
Result<std::string> compileBothSides(const Cache& cache, const Clang& clang, const CompileRequest& request,
                                     const Installation& installation, const std::string& cccl,
                                     const std::string& folder)
{
    const Result<GivenHeaders> given = givenHeaders(cache, request, cccl);
    if (!given)
        return given.error();
    Result<Attempt> attempt = compileInSomeStandard(cache, clang, request, installation, given.value().folder, folder);
    if (attempt && !attempt.value().succeeded && !given.value().folder.empty() && hasRead(given.value(), folder)) {
        Result<Attempt> ours = compileInSomeStandard(cache, clang, request, installation, "", folder);
        if (!ours)
            return ours.error();
        if (ours.value().succeeded) {
            ours.value().messages.insert(0, "lanescope: note: with the headers of " + given.value().name +
                                                " the program does not compile; Lanescope's own were read\n" +
                                                firstErrorIn(attempt.value().messages));
            attempt = std::move(ours);
        }
    }
    if (!attempt)
        return attempt.error();
    if (attempt.value().succeeded)
        return std::move(attempt.value().messages);
    (void)takeDiscardedCalls(attempt.value().messages);
    Error error = compileError(attempt.value().library, attempt.value().messages);
    error.message.insert(0, missingFolders(request, attempt.value().messages));
    return error;
}

/// Starts lanescope-instrument with \p arguments; an Error that begins with \p failed when it refuses.
Result<void> runInstrument(const CompileRequest& request, const Installation& installation, const std::string& folder,
                           const std::vector<std::string>& arguments, const std::string& failed)
{
    ProcessRequest process;
    process.command = {installation.instrument};
    process.command.insert(process.command.end(), arguments.begin(), arguments.end());
    process.outputFile = folder + "/instrument.txt";
    const Result<pid_t> started = startProcess(process);
    if (!started)
        return started.error();
    if (waitForProcess(started.value()).code == 0)
        return {};
    std::string message = textOf(process.outputFile);
    while (!message.empty() && message.back() == '\n')
        message.pop_back();
    return Error{Error::Code::Unsupported, failed + ": " + message, request.source};
}

/// device.bc, with the libraries in it optimised where there are any.
Result<void> optimiseLibraries(const CompileRequest& request, const Installation& installation,
                               const std::string& folder)
{
    if (!optimisesLibraries(request, installation))
        return {};
    std::vector<std::string> arguments{"--libraries", folder + "/device.bc", installation.include};
    std::ranges::move(libraryFolders(request), std::back_inserter(arguments));
    if (std::vector<std::string> own = steppedInto(request); !own.empty()) {
        arguments.emplace_back("--own");
        std::ranges::move(own, std::back_inserter(arguments));
    }
    return runInstrument(request, installation, folder, arguments, "the libraries could not be optimised");
}

/// device.ptx: the device code that logs what it does; empty when only the simulator will run it.
Result<void> instrument(const CompileRequest& request, const Installation& installation, const std::string& folder)
{
    if (request.device == Device::Simulator)
        return writeFile(folder + "/device.ptx", "");
    if (access(installation.instrument.c_str(), X_OK) != 0)
        return Error{Error::Code::NotFound, "not found; this installation of lanescope has no support for GPUs",
                     installation.instrument};
    std::vector<std::string> arguments{folder + "/device.bc", folder + "/device.ptx", installation.library};
    if (!installation.deviceMath.empty())
        arguments.push_back(installation.deviceMath);
    return runInstrument(request, installation, folder, arguments, "no code for a GPU could be made");
}

Result<void> link(const Clang& clang, const CompileRequest& request, const Installation& installation,
                  const std::string& folder)
{
    ProcessRequest linker;
    linker.command = linkCommand(clang, installation);
    linker.directory = folder;
    linker.outputFile = folder + "/link.txt";
    Result<pid_t> process = startProcess(linker);
    if (!process)
        return process.error();
    if (waitForProcess(process.value()).code != 0) {
        const std::string messages = textOf(linker.outputFile);
        return compileError({neededLibrary(request, installation, "", messages, folder), {}}, messages);
    }
    return {};
}

/// The rest of the word that begins with \p prefix in \p bytes; empty when it is not there.
std::string wordWith(const std::string& prefix, const std::string& bytes)
{
    const size_t begin = bytes.find(prefix);
    return begin == std::string::npos ? "" : std::string(bytes.c_str() + begin + prefix.size());
}

/// Runs objcopy from host.o to object.o in \p folder.
Result<void> copyObject(const std::vector<std::string>& changes, const std::string& folder)
{
    ProcessRequest process;
    process.command = {"objcopy"};
    process.command.insert(process.command.end(), changes.begin(), changes.end());
    process.command.insert(process.command.end(), {"host.o", "object.o"});
    process.directory = folder;
    process.outputFile = folder + "/link.txt";
    const Result<pid_t> started = startProcess(process);
    if (!started)
        return started.error();
    if (waitForProcess(started.value()).code != 0)
        return Error{Error::Code::Io, "objcopy failed: " + textOf(process.outputFile), folder};
    return {};
}

/// The host's object with the device code in place of the placeholder. clang registers what is relocatable through a
/// function of the object's own name, which nvcc makes when it links device code; ours is the same for all.
Result<void> makeObject(const CompileRequest& request, const std::string& folder)
{
    constexpr const char* kManaged = "lanescope_managed";
    constexpr size_t kPage = 4096;
    const std::string host = textOf(folder + "/host.o");
    const std::string code = textOf(folder + "/device.bc");
    const std::string info = textOf(folder + "/program.info");
    const bool isManaged = host.find(kManaged) != std::string::npos;
    const uint32_t flags =
        (request.relocatable ? DeviceImage::kRelocatable : 0) | (isManaged ? DeviceImage::kManagedVariables : 0);
    if (Result<void> written = writeFile(folder + "/image", DeviceImage{code, flags, info}.packed()); !written)
        return written.error();
    std::vector<std::string> changes{"--update-section",
                                     (request.relocatable ? "__nv_relfatbin=image" : ".nv_fatbin=image")};
    if (const std::string name = wordWith("__cudaRegisterLinkedBinary", host); !name.empty())
        changes.insert(changes.end(),
                       {"--redefine-sym", "__cudaRegisterLinkedBinary" + name + "=__lanescopeRegisterRelocatable",
                        "--localize-symbol", "__fatbinwrap" + name});
    if (isManaged) {  // the last variable's pages are its own, too
        const std::string section = folder + "/managed";
        if (Result<void> dumped = copyObject({"--dump-section", std::string(kManaged) + "=managed"}, folder); !dumped)
            return dumped.error();
        std::string bytes = textOf(section);
        bytes.resize((bytes.size() + kPage - 1) / kPage * kPage);
        if (Result<void> written = writeFile(section, bytes); !written)
            return written.error();
        changes.insert(changes.end(), {"--update-section", std::string(kManaged) + "=managed"});
    }
    // Without kernels and variables of its own there is nothing to register.
    if (host.find(request.relocatable ? "__nv_relfatbin" : ".nv_fatbin") == std::string::npos)
        changes.clear();
    return copyObject(changes, folder);
}

Result<void> makeProduct(const Clang& clang, const CompileRequest& request, const Installation& installation,
                         const std::string& folder)
{
    if (request.product == Product::Object)
        return makeObject(request, folder);
    if (request.product == Product::Image)
        return writeFile(folder + "/module", DeviceImage{textOf(folder + "/device.bc"), 0, {}}.packed());
    if (Result<void> made = instrument(request, installation, folder); !made)
        return made.error();
    return link(clang, request, installation, folder);
}

/// Compiles in a fresh folder and hands it to the cache; the folder where the program ended up.
Result<std::string> compileInto(const Cache& cache, const std::string& key, const Clang& clang,
                                const CompileRequest& request, const Installation& installation,
                                const std::string& cccl)
{
    const Result<std::string> folder = cache.workFolder();
    if (!folder)
        return folder.error();
    const FolderGuard guard(folder.value());
    Result<std::string> messages = compileBothSides(cache, clang, request, installation, cccl, folder.value());
    if (!messages)
        return messages.error();
    if (Result<void> optimised = optimiseLibraries(request, installation, folder.value()); !optimised)
        return optimised.error();
    const std::vector<std::string> discarded = takeDiscardedCalls(messages.value());
    const std::set<std::string> dependencies = filesRead(folder.value());
    if (Result<void> written =
            writeFile(folder.value() + "/program.info", programInfo(request, installation, discarded, dependencies));
        !written)
        return written.error();
    if (Result<void> made = makeProduct(clang, request, installation, folder.value()); !made)
        return made.error();
    if (Result<void> written = writeFile(folder.value() + "/messages.txt", messages.value()); !written)
        return written.error();

    std::error_code ignored;
    fs::remove_all(folder.value() + "/repaired", ignored);
    for (const char* file : {"placeholder", "device.bc.d", "host.o.d", "device.txt", "host.txt", "link.txt",
                             "instrument.txt", "host.o", "image", "managed"})
        fs::remove(fs::path(folder.value()) / file, ignored);
    std::string list;
    for (const std::string& file : dependencies)
        list += file + '\n';
    if (Result<void> written = writeFile(folder.value() + kDependencies, list); !written)
        return written.error();
    return cache.store(key, {dependencies.begin(), dependencies.end()}, folder.value(), productName(request));
}

Result<std::string> placeAt(const std::string& output, const std::string& program)
{
    if (!canBeReplaced(output)) {
        const Result<std::string> bytes = readFile(program);
        Result<void> written = bytes ? writeFile(output, bytes.value()) : bytes.error();
        return written ? Result<std::string>(output) : written.error();
    }
    const std::string temporary = fmt::format("{}.{}", output, getpid());
    std::error_code error;
    fs::copy_file(program, temporary, fs::copy_options::overwrite_existing, error);
    if (!error)
        fs::rename(temporary, output, error);
    if (error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        return Error{Error::Code::Io, fmt::format("cannot be written: {}", error.message()), output};
    }
    return fs::absolute(output).string();
}

}  // namespace

Result<CompiledProgram> compile(const CompileRequest& request, const Installation& installation)
{
    const Result<std::string> text = readFile(request.source);
    if (!text)
        return text.error();
    const Result<Clang> clang = findClang();
    if (!clang)
        return clang.error();
    if (Result<void> complete = checkInstallation(installation); !complete)
        return complete.error();
    const Result<Cache> cache = Cache::open();
    if (!cache)
        return cache.error();

    const std::string cccl = findCccl(request);
    const std::string key = requestKey(request, installation, clang.value(), cccl, text.value());
    CompiledProgram program;
    std::string folder;
    if (const std::optional<std::string> found = cache.value().find(key, productName(request))) {
        program.fromCache = true;
        folder = *found;
    } else {
        Result<std::string> made = compileInto(cache.value(), key, clang.value(), request, installation, cccl);
        if (!made)
            return made.error();
        folder = made.value();
    }
    program.messages = textOf(folder + "/messages.txt");
    std::istringstream dependencies(textOf(folder + kDependencies));
    for (std::string line; std::getline(dependencies, line);)
        program.dependencies.push_back(line);
    program.path = folder + '/' + productName(request);
    if (!request.output.empty()) {
        const Result<std::string> placed = placeAt(request.output, program.path);
        if (!placed)
            return placed.error();
        program.path = placed.value();
    }
    return program;
}

}  // namespace lanescope::compiler
