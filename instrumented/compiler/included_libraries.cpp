// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/included_libraries.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "instrumented/compiler/cache.h"

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

constexpr const char* kThrust[] = {"adjacent_difference.h",
                                   "binary_search.h",
                                   "complex.h",
                                   "copy.h",
                                   "count.h",
                                   "device_free.h",
                                   "device_malloc.h",
                                   "device_malloc_allocator.h",
                                   "device_ptr.h",
                                   "device_vector.h",
                                   "distance.h",
                                   "equal.h",
                                   "execution_policy.h",
                                   "extrema.h",
                                   "fill.h",
                                   "find.h",
                                   "for_each.h",
                                   "functional.h",
                                   "gather.h",
                                   "generate.h",
                                   "host_vector.h",
                                   "inner_product.h",
                                   "iterator/constant_iterator.h",
                                   "iterator/counting_iterator.h",
                                   "iterator/discard_iterator.h",
                                   "iterator/permutation_iterator.h",
                                   "iterator/reverse_iterator.h",
                                   "iterator/transform_iterator.h",
                                   "iterator/transform_output_iterator.h",
                                   "iterator/zip_iterator.h",
                                   "logical.h",
                                   "memory.h",
                                   "merge.h",
                                   "mismatch.h",
                                   "pair.h",
                                   "partition.h",
                                   "random.h",
                                   "reduce.h",
                                   "remove.h",
                                   "replace.h",
                                   "reverse.h",
                                   "scan.h",
                                   "scatter.h",
                                   "sequence.h",
                                   "set_operations.h",
                                   "sort.h",
                                   "swap.h",
                                   "system/cuda/execution_policy.h",
                                   "tabulate.h",
                                   "transform.h",
                                   "transform_reduce.h",
                                   "transform_scan.h",
                                   "tuple.h",
                                   "uninitialized_copy.h",
                                   "uninitialized_fill.h",
                                   "unique.h",
                                   "universal_vector.h",
                                   "version.h"};

class Scan {
public:
    explicit Scan(const std::vector<std::string>& folders) : m_folders(folders) {}

    void read(const fs::path& named)
    {
        std::error_code ignored;
        const fs::path file = fs::weakly_canonical(named, ignored);
        if (!m_seen.insert(file.string()).second)
            return;
        std::istringstream lines(textOf(file.string()));
        for (std::string line; std::getline(lines, line);)
            readLine(line, file);
    }

    [[nodiscard]] const IncludedLibraries& found() const { return m_found; }

private:
    void readLine(const std::string& line, const fs::path& file)
    {
        const size_t hash = line.find_first_not_of(" \t");
        const size_t word = hash == std::string::npos || line[hash] != '#' ? std::string::npos
                                                                           : line.find_first_not_of(" \t", hash + 1);
        if (word == std::string::npos)
            return;
        if (line.compare(word, 6, "define") == 0)
            define(line, word + 6);
        else if (line.compare(word, 7, "include") == 0)
            include(line, file);
    }

    void define(const std::string& line, size_t at)
    {
        const auto belongs = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
        const auto begin = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), belongs);
        m_macros.emplace(begin, std::find_if_not(begin, line.end(), belongs));
    }

    void include(const std::string& line, const fs::path& file)
    {
        const size_t begin = line.find_first_of("<\"");
        const size_t end = begin == std::string::npos ? begin : line.find_first_of(">\"", begin + 1);
        if (end == std::string::npos)
            return;
        const std::string header = line.substr(begin + 1, end - begin - 1);
        const bool isThrust = header.starts_with("thrust/");
        if (isThrust || header.starts_with("cub/")) {
            m_found.image = isThrust ? LibraryImage::Thrust : std::max(m_found.image, LibraryImage::Cub);
            m_found.macrosBefore = m_macros;
            return;
        }
        std::error_code ignored;
        if (line[begin] == '"' && fs::exists(file.parent_path() / header, ignored))
            return read(file.parent_path() / header);
        for (const std::string& folder : m_folders)
            if (fs::exists(fs::path(folder) / header, ignored))
                return read(fs::path(folder) / header);
    }

    const std::vector<std::string>& m_folders;
    std::set<std::string> m_seen;
    std::set<std::string> m_macros;
    IncludedLibraries m_found;
};

}  // namespace

IncludedLibraries includedLibraries(const std::string& source, const std::vector<std::string>& folders)
{
    Scan scan(folders);
    scan.read(source);
    return scan.found();
}

std::string imageText(LibraryImage image, const std::string& runtimeHeader)
{
    std::string text = "#include \"" + runtimeHeader + "\"\n";
    const auto include = [&](const std::string& header) {
        text += "#if __has_include(<" + header + ">)\n#include <" + header + ">\n#endif\n";
    };
    if (image == LibraryImage::Thrust)
        for (const char* header : kThrust)
            include(std::string("thrust/") + header);
    include("cub/cub.cuh");
    return text;
}

}  // namespace lanescope::compiler
