// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instrumented kernel writes and the host reads: records, and the pages they travel in. Plain C++ without
// the standard library's classes, compiled for the GPU and for the host. Decisions 7 and 14 say why it is as it is.
#pragma once

#include <stdint.h>

namespace lanescope::cuda {

/// Everything in a page is a whole number of these.
inline constexpr uint32_t kUnitBytes = 16;
inline constexpr uint32_t kRecordMagic = 0x4c53a7c3;

enum class RecordKind : uint8_t {
    Access,  ///< address and value of each lane
    Branch,  ///< one unit more, its first word: lanes that took the first successor
    Mark,    ///< a barrier or a return: lanes only
    Object,  ///< a memory object lies at these addresses from now on; `place` is its key
};

/// How the lanes' addresses (or values) follow the header.
enum class Form : uint8_t {
    None,
    Uniform,  ///< one for all lanes; in 16 bytes
    Affine,   ///< base of the lowest active lane, and what each further lane adds; 8 bytes each
    Each,     ///< one for each active lane, ascending, padded to whole units
};

/// Aligned so that a GPU writes it with two instructions.
struct alignas(kUnitBytes) RecordHeader {
    uint32_t tag;   ///< tagOf its place: what is not yet written does not have it
    uint8_t units;  ///< of the whole record
    RecordKind kind;
    uint8_t forms;       ///< of addresses; of values, shifted by 4
    uint8_t valueBytes;  ///< 0, 1, 2, 4, 8, 16; of each lane
    uint32_t place;
    uint32_t mask;   ///< active lanes
    uint64_t clock;  ///< of the multiprocessor
    uint32_t block;  ///< linear index
    uint16_t warp;   ///< of the block
    uint16_t reserved;
};
static_assert(sizeof(RecordHeader) == 32);

/// A header as the words it consists of. To be written in one go: compilers write members one by one.
struct HeaderWords {
    constexpr explicit HeaderWords(const RecordHeader& header)
        : word{header.tag | (uint64_t)header.units << 32 | (uint64_t)header.kind << 40 | (uint64_t)header.forms << 48 |
                   (uint64_t)header.valueBytes << 56,
               header.place | (uint64_t)header.mask << 32, header.clock, header.block | (uint64_t)header.warp << 32}
    {
    }
    uint64_t word[4];
};
inline constexpr uint32_t kHeaderUnits = sizeof(RecordHeader) / kUnitBytes;
/// Of a record: header, 32 addresses, 32 values of 16 bytes.
inline constexpr uint32_t kMaxRecordUnits = kHeaderUnits + 16 + 32;

/// A page in use, as one word: units written in bits 0 to 12, the page's number and 1 in 13 to 31, and in 32 to 63
/// which use of pages this is, of all since the log was made. 0: no page.
struct OpenPage {
    static constexpr uint32_t kUnitsBits = 13;

    static constexpr OpenPage of(uint64_t use, uint64_t number) { return {use << 32 | (number + 1) << kUnitsBits}; }
    constexpr uint32_t units() const { return (uint32_t)word & ((1u << kUnitsBits) - 1); }
    constexpr uint32_t number() const { return ((uint32_t)word >> kUnitsBits) - 1; }
    constexpr uint32_t use() const { return (uint32_t)(word >> 32); }

    uint64_t word = 0;
};

/// Of the record at \p unit of a page in its \p use.
constexpr uint32_t tagOf(uint32_t use, uint32_t unit)
{
    return kRecordMagic ^ (use * 0x9e3779b9u + unit);
}

constexpr uint8_t formsOf(Form addresses, Form values)
{
    return static_cast<uint8_t>(static_cast<uint8_t>(addresses) | static_cast<uint8_t>(values) << 4);
}

/// Bytes rounded up to whole units.
constexpr uint32_t unitsOf(uint32_t bytes)
{
    return (bytes + kUnitBytes - 1) / kUnitBytes;
}

/// Where the pages are, and where they change hands. The host's memory, but for what is said to be the device's.
struct PagePool {
    uint64_t pages;  ///< address of char[pageCount][pageUnits * kUnitBytes]
    uint64_t taken;  ///< address of uint64_t, the device's: uses of pages begun in this launch
    uint64_t freed;  ///< address of uint64_t[freedCount]: OpenPage of use u at u % freedCount; 0: taken by now, or yet
                     ///< to come
    uint64_t written;     ///< address of uint64_t[queueCount][pageCount]: OpenPage; 0: taken by now, or yet to come
    uint64_t writtenEnd;  ///< address of uint64_t[queueCount], the device's: how many were written to each queue
    uint64_t firstUse;    ///< of this launch; its first pageCount uses are of the pages in their order
    uint32_t pageUnits;   ///< of 16 bytes, in each page
    uint32_t pageCount;
    uint32_t freedCount;
    uint32_t queueCount;  ///< a power of two; what a block writes goes to queue (its linear index % queueCount)
};

/// What the kernel reads on every call of the logger. Constant during a launch.
struct LogControl {
    PagePool pool;
    uint64_t openPages;  ///< address of uint64_t[recorded blocks][warpsPerBlock], the device's: each warp's OpenPage
    uint32_t warpsPerBlock;
    uint32_t enabled;
    uint32_t firstBlock[3];  ///< of those that are recorded
    uint32_t lastBlock[3];   ///< half-open
    uint64_t gridBarrier;    ///< address of uint32_t[2]: arrived, generation
};

}  // namespace lanescope::cuda
