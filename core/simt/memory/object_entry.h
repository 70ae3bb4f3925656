// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where one object of a launch lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"

namespace lanescope::simt {

class DeviceHeap;
struct RaceCells;
class RaceArena;

/// Where one object (buffer, shared array, local array, parameter) lies; indexed by address slot.
struct ObjectEntry {
    std::byte* host = nullptr;
    uint64_t bytes = 0;              ///< 0: nothing to be accessed
    uint64_t laneStride = 0;         ///< local memory: host bytes from one lane's copy to the next
    uint8_t* initialised = nullptr;  ///< global memory: bit per byte
    std::byte* defined =
        nullptr;  ///< shared and local memory: laid out as `host`, 1 = a defined bit; null: not tracked
    bool partlyUndefined = false;    ///< global memory: loads must look at `initialised`
    RaceCells* races = nullptr;      ///< null: no race is possible or looked for
    RaceArena* raceArena = nullptr;  ///< of shared memory: owner of `races`, for finer cells on demand
    BufferId buffer = kNoBuffer;
    bool valuesDerivable = true;  ///< nobody else writes it during this launch
    bool unwritten = false;       ///< global memory: nobody at all does
    bool readOnly = false;
    bool freed = false;
    bool otherDevices = false;  ///< which this one has no right to touch; `bytes` is 0
    bool placed = false;        ///< in the table: something is there, or was
    /// Of the kernels' heap, where only what malloc and new gave may be accessed: `bytes` is 0, so that every access is
    /// looked at by itself.
    const DeviceHeap* heap = nullptr;
};

}  // namespace lanescope::simt
