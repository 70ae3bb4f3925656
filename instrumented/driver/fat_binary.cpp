// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/driver/fat_binary.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace lanescope::driver {

namespace {

struct Header {
    uint32_t magic;
    uint16_t version;
    uint16_t headerBytes;
    uint64_t bytes;  ///< of all entries
};

struct EntryHeader {
    uint16_t kind;
    uint16_t version;
    uint32_t headerBytes;
    uint64_t bytes;  ///< of the payload, with padding
    uint32_t compressedBytes;
    uint32_t reserved;
    uint16_t isaMinor;
    uint16_t isaMajor;
    uint32_t architecture;
    uint32_t nameOffset;
    uint32_t nameBytes;
    uint64_t flags;
    uint64_t zero;
    uint64_t uncompressedBytes;
};

constexpr uint64_t kLz4Flag = 0x2000;
constexpr uint64_t kZstdFlag = 0x8000;
/// No PTX is longer; a header that says so is damaged.
constexpr uint64_t kMostBytes = uint64_t{1} << 31;

Error damaged(const char* what)
{
    return {Error::Code::BadInput, std::string("damaged: ") + what, "fat binary"};
}

FatBinaryEntry entryOf(const EntryHeader& header, const std::byte* payload)
{
    FatBinaryEntry entry;
    entry.kind = header.kind == 1   ? FatBinaryEntry::Kind::Ptx
                 : header.kind == 2 ? FatBinaryEntry::Kind::MachineCode
                                    : FatBinaryEntry::Kind::Other;
    entry.architecture = header.architecture;
    entry.compressed = (header.flags & (kLz4Flag | kZstdFlag)) != 0;
    entry.payload = payload;
    const uint64_t stored = header.compressedBytes ? header.compressedBytes : header.bytes;
    entry.payloadBytes = std::min(stored, header.bytes);
    entry.uncompressedBytes = entry.compressed ? header.uncompressedBytes : 0;
    return entry;
}

Result<std::string> decompressZstd(const std::byte* from, size_t fromBytes, size_t bytes)
{
    // Before memory is taken for it: a header may be damaged.
    if (ZSTD_getFrameContentSize(from, fromBytes) != bytes)
        return damaged("an entry's size");
    std::string text(bytes, '\0');
    const size_t made = ZSTD_decompress(text.data(), text.size(), from, fromBytes);
    if (ZSTD_isError(made) || made != bytes)
        return damaged("an entry does not decompress");
    return text;
}

/// A length of LZ4: four bits, and further bytes while they are 255. False at the end of the input.
bool readLength(const uint8_t*& from, const uint8_t* end, size_t& length)
{
    if (length != 15)
        return true;
    uint8_t more = 255;
    while (more == 255) {
        if (from == end)
            return false;
        more = *from++;
        length += more;
    }
    return true;
}

}  // namespace

Result<std::string> decompressLz4(const std::byte* from, size_t fromBytes, size_t bytes)
{
    constexpr size_t kShortestMatch = 4;
    constexpr size_t kMostGrowth = 255;  // a byte of the input makes no more
    const auto* next = reinterpret_cast<const uint8_t*>(from);
    const uint8_t* const end = next + fromBytes;
    std::string text;
    const Error broken = damaged("an entry does not decompress");
    if (bytes > (fromBytes + 1) * kMostGrowth)
        return broken;
    text.reserve(bytes);
    while (next != end) {
        const uint8_t token = *next++;
        size_t literals = token >> 4;
        if (!readLength(next, end, literals) || literals > size_t(end - next) || literals > bytes - text.size())
            return broken;
        text.append(reinterpret_cast<const char*>(next), literals);
        next += literals;
        if (next == end)
            break;
        if (end - next < 2)
            return broken;
        const size_t distance = next[0] | size_t{next[1]} << 8;
        next += 2;
        size_t match = token & 15;
        if (!readLength(next, end, match) || distance == 0 || distance > text.size() ||
            match + kShortestMatch > bytes - text.size())
            return broken;
        // Byte by byte: a match may reach into what it makes.
        for (size_t i = 0; i < match + kShortestMatch; ++i)
            text.push_back(text[text.size() - distance]);
    }
    if (text.size() != bytes)
        return broken;
    return text;
}

Result<std::vector<FatBinaryEntry>> fatBinaryEntries(const void* image)
{
    Header header;
    std::memcpy(&header, image, sizeof(header));
    if (header.magic != kFatBinaryMagic || header.headerBytes < sizeof(header) || header.bytes > kMostBytes)
        return damaged("its header");
    const std::byte* next = static_cast<const std::byte*>(image) + header.headerBytes;
    uint64_t left = header.bytes;
    std::vector<FatBinaryEntry> entries;
    while (left >= sizeof(EntryHeader)) {
        EntryHeader entry;
        std::memcpy(&entry, next, sizeof(entry));
        if (entry.headerBytes < sizeof(entry) || entry.headerBytes > left || entry.bytes > left - entry.headerBytes ||
            entry.uncompressedBytes > kMostBytes)
            return damaged("an entry's header");
        entries.push_back(entryOf(entry, next + entry.headerBytes));
        next += entry.headerBytes + entry.bytes;
        left -= entry.headerBytes + entry.bytes;
    }
    return entries;
}

Result<std::string> ptxOf(const FatBinaryEntry& entry)
{
    constexpr uint32_t kZstdMagic = 0xFD2FB528;
    std::string text;
    if (!entry.compressed) {
        text.assign(reinterpret_cast<const char*>(entry.payload), entry.payloadBytes);
    } else {
        uint32_t magic = 0;
        std::memcpy(&magic, entry.payload, std::min(sizeof(magic), entry.payloadBytes));
        Result<std::string> made = magic == kZstdMagic
                                       ? decompressZstd(entry.payload, entry.payloadBytes, entry.uncompressedBytes)
                                       : decompressLz4(entry.payload, entry.payloadBytes, entry.uncompressedBytes);
        if (!made)
            return made;
        text = std::move(made).value();
    }
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

}  // namespace lanescope::driver
