// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/kept_code.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "core/trace/content_hash.h"

namespace lanescope::simt::native {
namespace {

namespace fs = std::filesystem;

/// Before the object. Who reads it has made it, or another run of the same build: the file's name says so.
struct Header {
    std::array<char, 8> magic{'L', 'S', 'N', 'A', 'T', 'V', '0', '1'};
    uint64_t bytes = 0;
    uint64_t checksum = 0;  ///< XXH3, of the object
    uint64_t foresees = 0;
};

uint64_t checksumOf(std::string_view object)
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

KeptCode readKept(const std::string& file)
{
    if (file.empty())
        return {};
    auto read = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
    Header header;
    if (!read || (*read)->getBufferSize() < sizeof header)
        return {};
    std::memcpy(&header, (*read)->getBufferStart(), sizeof header);
    const llvm::StringRef object = (*read)->getBuffer().drop_front(sizeof header);
    if (header.magic != Header().magic || header.bytes != object.size() || header.checksum != checksumOf(object))
        return {};
    std::error_code trouble;
    fs::last_write_time(file, fs::file_time_type::clock::now(), trouble);
    return {llvm::MemoryBuffer::getMemBufferCopy(object), header.foresees != 0};
}

void keep(const std::string& file, std::span<const char> object, bool foresees)
{
    const fs::path path = file;
    std::error_code trouble;
    fs::create_directories(path.parent_path(), trouble);
    const std::string draft = file + "." + std::to_string(getpid());
    Header header;
    header.bytes = object.size();
    header.checksum = checksumOf({object.data(), object.size()});
    header.foresees = foresees ? 1 : 0;
    std::ofstream out(draft, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(object.data(), static_cast<std::streamsize>(object.size()));
    out.close();
    if (out)
        fs::rename(draft, path, trouble);
    if (!out || trouble)
        fs::remove(draft, trouble);
    constexpr unsigned kSeldom = 16;
    static unsigned count = 0;  // code is made one after the other
    if (count++ % kSeldom == 0)
        makeRoom(path.parent_path());
}

}  // namespace lanescope::simt::native
