// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instrumented kernel writes and the host reads: records, and the rings they travel in. Plain C++ without
// the standard library's classes, compiled for the GPU and for the host. Decision 7 says why it is as it is.
#pragma once

#include <stdint.h>

namespace lanescope::cuda {

/// Everything in a ring is a whole number of these.
inline constexpr uint32_t kUnitBytes = 16;
inline constexpr uint32_t kRecordMagic = 0x4c53a7c3;

enum class RecordKind : uint8_t {
    Pad,     ///< nothing: the rest of a page that no record fitted in
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

struct RecordHeader {
    uint32_t tag;   ///< tagOf(position): what is not yet written does not have it
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
inline constexpr uint32_t kHeaderUnits = sizeof(RecordHeader) / kUnitBytes;
/// Of a record: header, 32 addresses, 32 values of 16 bytes.
inline constexpr uint32_t kMaxRecordUnits = kHeaderUnits + 16 + 32;

/// \p position: in units since the ring began.
constexpr uint32_t tagOf(uint64_t position)
{
    return kRecordMagic ^ static_cast<uint32_t>(position) ^ static_cast<uint32_t>(position >> 32) * 0x9e3779b9u;
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

/// A ring of pages. The device's side: atomics are only between the device's own threads.
struct RingDevice {
    uint64_t head;                ///< units given out since the ring began
    uint64_t released;            ///< pages that the host has emptied, as last seen by the device
    uint64_t pageUnitsCommitted;  ///< address of uint32_t[pageCount]: units written in each page
    uint64_t units;               ///< address of the pages, in memory of the host
    uint64_t host;                ///< address of the RingHost
};

/// The side that both see, in memory of the host.
struct RingHost {
    uint64_t released;  ///< pages that the host has emptied; written by the host
    uint64_t full;      ///< address of uint64_t[pageCount]: 1 + the number of the page that lies there, full
};

/// What the kernel reads on every call of the logger. Constant during a launch.
struct LogControl {
    uint32_t enabled;
    uint32_t ringCount;  ///< a block uses ring number (its linear index % ringCount)
    uint32_t pageUnits;
    uint32_t pageCount;      ///< of each ring
    uint64_t rings;          ///< address of RingDevice[ringCount]
    uint32_t firstBlock[3];  ///< of those that are recorded
    uint32_t lastBlock[3];   ///< half-open
    uint64_t gridBarrier;    ///< address of uint32_t[2]: arrived, generation
};

}  // namespace lanescope::cuda
