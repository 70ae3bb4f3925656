// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SIMT simulator: loads device bitcode, runs kernels, hands events to a trace. Read this header first.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/simt/device_memory.h"
#include "core/simt/kernel_resources.h"
#include "core/simt/launch_device.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

struct KernelParameter {
    std::string name;
    std::string typeName;
    uint64_t bytes = 0;
    uint64_t alignment = 1;
    bool isPointer = false;
};

struct KernelInfo {
    std::string name;             ///< mangled, as registered by the host side
    std::string displayName;      ///< demangled, without parameters
    trace::SourceLocation where;  ///< source is an index into Module::sources()
    std::vector<KernelParameter> parameters;
    KernelResources resources;
};

/// A __device__ or __constant__ variable.
struct GlobalVariable {
    std::string name;  ///< mangled, as registered by the host side
    std::string displayName;
    uint64_t bytes = 0;
    bool constant = false;
    bool managed = false;  ///< __managed__
    DeviceAddress address = 0;
};

struct SourceFile {
    std::string path;
    std::string text;
};

enum class Schedule {
    Lockstep,
    Sequential,  ///< block after block, warp after warp up to the next barrier
    Reverse,     ///< the same, last first
    Random,      ///< the same, in an order of the seed's
    Lanes,       ///< the same for the lanes of a warp too; seed 0: first lane first, 1: last first, else shuffled
};

struct LaunchOptions {
    Schedule schedule = Schedule::Lockstep;
    uint64_t seed = 0;
    bool checks = true;  ///< bounds, alignment, lifetime
    bool races = true;   ///< unordered accesses of shared and global memory
    /// Race cells also for buffers that the launch only reads, so that they tell all that it touched.
    bool watchReads = false;
    bool definedness = true;               ///< uninitialised reads
    uint64_t maxSteps = 0;                 ///< warp instructions per launch; 0 = a large default
    unsigned hostThreads = 0;              ///< 0 = one per core
    trace::TraceWriter* writer = nullptr;  ///< null: not recorded
    bool recordVariables = true;
    /// Which blocks are recorded; null = all.
    std::function<bool(Dim3 block)> selects;
    BlockBox selectedBox;  ///< the same, for a device
    /// Device printf and friends; null = stdout.
    std::function<void(std::string_view)> output;
    /// Runs the blocks instead of the simulator; null = the simulator. Findings are then only what it reports.
    LaunchDevice* device = nullptr;
    bool cooperative = false;  ///< all blocks are resident at once
    unsigned depth = 0;        ///< of kernels that launched each other; those at the limit launch nothing
    /// Messages of failed device assertions; null = nowhere.
    std::function<void(std::string_view)> errorOutput;
};

/// A launch that a kernel asked for.
struct ChildLaunch {
    std::string kernel;  ///< mangled
    Dim3 grid;
    Dim3 block;
    uint64_t dynamicSharedBytes = 0;
    bool last = false;                              ///< after all others of its parent
    std::vector<std::vector<std::byte>> arguments;  ///< one per parameter
};

struct LaunchResult {
    uint64_t warpInstructions = 0;
    double seconds = 0;  ///< of running the blocks
    /// Bounds violations and the like, one per (kind, pair of sites).
    std::vector<trace::Finding> findings;
    bool trapped = false;  ///< ended by __trap or a failed assertion; the launch fails, the program goes on
    /// What is to be launched now, one after the other, each with what it launches itself.
    std::vector<ChildLaunch> children;
    /// Set when a limit, an unsupported instruction or a deadlock stopped the launch.
    std::optional<Error> stopped;
};

/// One module of device code (bitcode of the nvptx64 target), lowered lazily, kernel by kernel.
class Module {
public:
    /// \p memory: where its __device__ and __constant__ variables are allocated and initialised.
    static Result<std::unique_ptr<Module>> load(std::span<const std::byte> bitcode, DeviceMemory& memory);
    virtual ~Module() = default;

    [[nodiscard]] virtual const std::vector<KernelInfo>& kernels() const = 0;
    [[nodiscard]] virtual const std::vector<GlobalVariable>& variables() const = 0;

    /// Runs a kernel to its end. \p arguments: one pointer per parameter, to its bytes. With a writer, sites and
    /// variables are declared on first use and the launch is recorded under \p launch.id; name, grid, block,
    /// arguments are filled in here. Errors: Unsupported (names the instruction and its line; nothing has run),
    /// NotFound. Blocks until all blocks have ended.
    virtual Result<LaunchResult> launch(const std::string& kernel, LaunchId id, Dim3 grid, Dim3 block,
                                        uint64_t dynamicSharedBytes, std::span<const void* const> arguments,
                                        const LaunchOptions& options) = 0;
};

}  // namespace lanescope::simt
