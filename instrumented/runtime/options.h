// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the `lanescope` command tells the runtime, through the environment:
//   LANESCOPE_TRACE    where to write the trace, %r is the process's rank; unset: nothing is recorded
//   LANESCOPE_OPTIONS  one JSON object, keys below; all may be left out
//   LANESCOPE_DEVICE   "simulator" or "cuda", for a program that was built for both
//   LANESCOPE_DEVICES  how many devices there are, 1 to kMostDevices
//   LANESCOPE_STATUS   where to write how the run ended (exit_report.h)
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/base/ids.h"
#include "core/simt/simulator.h"

namespace lanescope::runtime {

inline constexpr uint32_t kMostDevices = 16;

/// Half-open in each direction.
struct BlockRange {
    Dim3 first{0, 0, 0};
    Dim3 last{UINT32_MAX, UINT32_MAX, UINT32_MAX};

    [[nodiscard]] bool contains(Dim3 block) const
    {
        return block.x >= first.x && block.x < last.x && block.y >= first.y && block.y < last.y && block.z >= first.z &&
               block.z < last.z;
    }
};

struct Options {
    std::string tracePath;
    std::string statusPath;
    std::string program;                                     ///< "program": path of the .cu
    std::string commandLine;                                 ///< "commandLine"
    std::string mode = "-O0";                                ///< "-O0" or "as-compiled"
    device::Schedule schedule = device::Schedule::Lockstep;  ///< "schedule": "lockstep", …, "random:7", "lanes:1"
    std::string scheduleText = "lockstep";
    uint64_t seed = 0;
    std::optional<uint32_t> launch;    ///< "launch": record only this one
    std::optional<BlockRange> blocks;  ///< "blocks": [[x0,x1],[y0,y1],[z0,z1]]
    /// "part": [number, of]: of launch `launch` only this part of the blocks; then the program ends. of 0: no part
    device::LaunchPart part;
    std::string touchedPath;   ///< "touched": file for what that part touched (touched_memory.h)
    uint64_t maxBytes = 0;     ///< "maxBytes"
    uint64_t maxSteps = 0;     ///< "maxSteps"
    unsigned hostThreads = 0;  ///< "hostThreads"
    bool variables = true;     ///< "variables"
    uint32_t devices = 1;      ///< "devices"; else LANESCOPE_DEVICES
    bool useGpu = false;       ///< "device": "cuda"; else LANESCOPE_DEVICE, else as the program was built
    std::string sandbox;       ///< "sandbox": the one folder to write to; empty: no sandbox
    std::string outputsPath;   ///< "outputs": file for what launches leave in memory (output_log.h)
    /// "outputsPage": [launch, device address], a page whose bytes are wanted in that file
    std::optional<std::pair<uint32_t, uint64_t>> outputsPage;
    bool checks = true;            ///< "checks"
    bool reportFindings = true;    ///< "reportFindings": summary on stderr at exit; false: they are wanted in the trace
    bool perThreadStream = false;  ///< the default stream is each host thread's own
    std::string headers;           ///< folder of our own headers
    /// Whose Thrust, CUB and libcu++ the program's files were compiled with, each once
    std::set<std::string> libraries;
    std::set<std::string> discardedCalls;  ///< "file:line" of host calls whose result goes nowhere
    bool count = false;                    ///< "count": sums by site instead of every access; on a GPU only
    bool races = false;                    ///< "races": with "count", also accesses that nothing orders
    bool counters = false;                 ///< "counters": also what hardware counts; on a GPU only
    double maxSeconds = 0;                 ///< "maxSeconds": that a kernel may run on a GPU; 0: no limit
    /// "command": the process of the `lanescope` command, of whose child's children this may be one. Each that launches
    /// kernels writes a trace of its own. 0: the program is the command's one child, compiled by it.
    int command = 0;
    int progressFd = -1;         ///< "progressFd": JSON lines about launches
    bool tellsProgress = false;  ///< "tellsProgress": of long launches, on stderr
};

/// Reads the environment; what cannot be understood keeps its default (the command checks before).
/// \p programInfo: the lines "key value" that the compiler left in the program.
Options readOptions(const std::string& programInfo);

/// Adds what the compiler left in the program, or in one object of it.
void readObjectInfo(const std::string& info, Options& options);

}  // namespace lanescope::runtime
