// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs a launch's blocks in place of the simulator: a real GPU, which has the same code in instrumented form.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/simt/bytecode.h"
#include "core/simt/device_memory.h"
#include "core/simt/place_numbers.h"
#include "core/simt/race_cells.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

/// A shared or local array or a struct passed by value, and the launch's buffer that stands for it.
struct DeviceObject {
    ObjectKey key;
    BufferId buffer;
    uint64_t bytes = 0;
};

/// Blocks of a grid, half-open in each direction.
struct BlockBox {
    Dim3 first{0, 0, 0};
    Dim3 last{UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

/// One launch, as a device needs to know it. Valid while DeviceLaunch is handed to run().
struct DeviceLaunch {
    std::string kernel;  ///< mangled
    LaunchId id;
    Dim3 grid;
    Dim3 block;
    uint64_t dynamicSharedBytes = 0;
    bool cooperative = false;
    std::span<const std::span<const std::byte>> arguments;
    std::span<const SitePlace> places;
    std::span<const trace::Site> sites;  ///< sites[i].id == sites[0].id + i
    std::span<const DeviceObject> objects;
    std::span<const DeviceAddress> globals;  ///< of the module's variables, in its order
    uint32_t codeTotal = 0;                  ///< CodeNumbers::total of the module
    std::function<bool(uint64_t address)> mayBeWritten;
    trace::TraceWriter* writer = nullptr;  ///< null: nothing is recorded
    BlockBox recorded;                     ///< the blocks that are
};

/// Two accesses that nothing orders, as a device that looks for races found them.
struct DeviceRace {
    SiteId sites[2];
    std::optional<ObjectKey> object;  ///< shared memory: which array; the report's address is an offset in it
    RaceReport report;                ///< without sites
};

struct DeviceOutcome {
    double seconds = 0;  ///< of the kernel
    uint64_t warpEvents = 0;
    uint64_t blocksRecorded = 0;
    uint64_t blocksDropped = 0;
    uint64_t eventsDropped = 0;
    std::vector<trace::SiteCounts> counts;         ///< where the device counts; by site and space
    std::vector<trace::Measurement> measurements;  ///< by hardware
    std::vector<DeviceRace> races;
    std::vector<AccessFault> faults;  ///< recorded accesses where no memory is; by block
    std::string note;                 ///< for the user: what was left out, and why
    std::optional<Error> stopped;     ///< the kernel failed: no further launch will work
};

class LaunchDevice {
public:
    virtual ~LaunchDevice() = default;
    /// Copies what the host has in \p memory to the device, runs the kernel to its end, records, and copies back.
    /// Errors: what cannot be run at all; nothing has run then.
    virtual Result<DeviceOutcome> run(const DeviceLaunch& launch, DeviceMemory& memory) = 0;
};

}  // namespace lanescope::simt
