// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/kept_code.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "core/trace/content_hash.h"

namespace lanescope::simt {
namespace {

namespace fs = std::filesystem;

/// Before the object. Who reads it has made it, or another run of the same build: the file's name says so.
struct Header {
    std::array<char, 8> magic{'L', 'S', 'N', 'A', 'T', 'V', '0', '2'};
    uint64_t bytes = 0;     ///< of the object
    uint64_t checksum = 0;  ///< XXH3, of the object
    uint64_t foresees = 0;
};

uint64_t checksumOf(std::span<const std::byte> object)
{
    return trace::checksum({reinterpret_cast<const uint8_t*>(object.data()), object.size()});
}

void makeRoom(const fs::path& folder)
{
    struct File {
        fs::path path;
        uint64_t bytes;
        fs::file_time_type used;
    };
    std::vector<File> files;
    uint64_t bytes = 0;
    std::error_code trouble;  // others may be at it, too
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, trouble)) {
        const uint64_t size = entry.file_size(trouble);
        if (!trouble)
            files.push_back({entry.path(), size, entry.last_write_time(trouble)});
        bytes += trouble ? 0 : size;
    }
    if (bytes <= kMostKept)
        return;
    std::ranges::sort(files, {}, &File::used);
    for (const File& file : files) {
        if (bytes <= kMostKept / 2)
            return;
        fs::remove(file.path, trouble);
        bytes -= file.bytes;
    }
}

}  // namespace

std::optional<MadeCode> readKept(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    Header header;
    if (file.empty() || !in.read(reinterpret_cast<char*>(&header), sizeof header) || header.magic != Header().magic ||
        header.bytes > kMostKept)
        return std::nullopt;
    MadeCode made;
    made.object.resize(header.bytes);
    made.foresees = header.foresees != 0;
    if (!in.read(reinterpret_cast<char*>(made.object.data()), static_cast<std::streamsize>(header.bytes)) ||
        in.peek() != std::ifstream::traits_type::eof() || header.checksum != checksumOf(made.object))
        return std::nullopt;
    std::error_code trouble;
    fs::last_write_time(file, fs::file_time_type::clock::now(), trouble);
    return made;
}

void keep(const std::string& file, const MadeCode& made)
{
    const fs::path path = file;
    std::error_code trouble;
    fs::create_directories(path.parent_path(), trouble);
    const std::string draft = file + "." + std::to_string(getpid());
    Header header;
    header.bytes = made.object.size();
    header.checksum = checksumOf(made.object);
    header.foresees = made.foresees ? 1 : 0;
    std::ofstream out(draft, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(reinterpret_cast<const char*>(made.object.data()), static_cast<std::streamsize>(made.object.size()));
    out.close();
    if (out)
        fs::rename(draft, path, trouble);
    if (!out || trouble)
        fs::remove(draft, trouble);
    constexpr unsigned kSeldom = 16;
    static std::atomic<unsigned> count = 0;
    if (count++ % kSeldom == 0)
        makeRoom(path.parent_path());
}

}  // namespace lanescope::simt
