// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs a launch's blocks: the simulator, or a real GPU, which has the same code in instrumented form.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/device_memory.h"
#include "core/device/launch.h"
#include "core/device/place_numbers.h"
#include "core/device/reports.h"
#include "core/trace/writer.h"

namespace lanescope::device {

/// A shared or local array or a struct passed by value, and the launch's buffer that stands for it.
struct DeviceObject {
    ObjectKey key;
    BufferId buffer;
    uint64_t bytes = 0;
    DeviceAddress address = 0;  ///< that reports name it by
    uint64_t sharedOffset = 0;  ///< of a shared array: bytes from where the block's shared memory begins
};

/// One launch, as a device needs to know it. Valid while DeviceLaunch is handed to run().
struct DeviceLaunch {
    std::string kernel;  ///< mangled
    LaunchId id;
    Dim3 grid;
    Dim3 block;
    uint64_t dynamicSharedBytes = 0;
    bool cooperative = false;
    Dim3 cluster{0, 0, 0};  ///< blocks of one; empty: the launch has none
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

/// What came of a launch. Reports name sites by their index in DeviceLaunch::sites.
struct DeviceOutcome {
    double seconds = 0;  ///< of the kernel
    uint64_t warpEvents = 0;
    uint64_t warpInstructions = 0;  ///< where the device counts them
    uint64_t flops = 0;
    uint64_t longestBlock = 0;  ///< instructions of the warp that ran most
    uint64_t blocksRecorded = 0;
    uint64_t blocksDropped = 0;
    uint64_t eventsDropped = 0;
    std::vector<trace::SiteCounts> counts;                             ///< where the device counts; by site and space
    std::vector<trace::Measurement> measurements;                      ///< by hardware
    std::vector<trace::LineOperations> operations;                     ///< of recorded blocks, where the device counts
    std::vector<AccessFault> faults;                                   ///< ascending by block
    std::vector<std::pair<uint64_t, RaceReport>> races;                ///< (block, race), ascending by block
    std::vector<std::pair<uint64_t, BarrierReport>> barriers;          ///< likewise
    std::vector<std::pair<uint64_t, UninitialisedUse>> uninitialised;  ///< likewise
    /// Where undefined values were copied in global memory: (block, (address, copy)), ascending by block.
    std::vector<std::pair<uint64_t, std::pair<uint64_t, UninitialisedUse>>> undefinedCopies;
    std::vector<ProgramFault> programFaults;  ///< ascending by block
    std::string note;                         ///< for the user: what was left out, and why
    bool trapped = false;                     ///< ended by its own doing: the launch fails, the program goes on
    std::optional<Error> stopped;             ///< a limit, a deadlock; a real GPU: no further launch will work
};

class LaunchDevice {
public:
    virtual ~LaunchDevice() = default;
    /// Copies what the host has in \p memory to the device, runs the kernel to its end, records, and copies back.
    /// Errors: what cannot be run at all; nothing has run then.
    virtual Result<DeviceOutcome> run(const DeviceLaunch& launch, DeviceMemory& memory) = 0;
};

}  // namespace lanescope::device
