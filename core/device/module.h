// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code as the host sees it: kernels, variables, sources; loaded once, launched often.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/device/device_memory.h"
#include "core/device/launch.h"
#include "core/trace/model.h"

namespace lanescope::device {

/// What a kernel asks of a multiprocessor, as far as its code says.
struct KernelResources {
    uint64_t staticSharedBytes = 0;
    uint64_t constantBytes = 0;  ///< of __constant__ variables that it uses
    uint32_t maxThreads = 1024;  ///< per block, from __launch_bounds__
    uint32_t minBlocks = 0;      ///< per multiprocessor, from __launch_bounds__; 0: not stated
    Dim3 cluster{0, 0, 0};       ///< blocks of one, from __cluster_dims__; empty: not stated
};

/// A pointer that a kernel is given: a parameter, or a part of a struct that is one.
struct GivenPointer {
    uint64_t offset = 0;  ///< bytes from the parameter's first
    std::string name;
    std::string typeName;
};

struct KernelParameter {
    std::string name;
    std::string typeName;
    uint64_t bytes = 0;
    uint64_t alignment = 1;
    std::vector<GivenPointer> pointers = {};
};

struct KernelInfo {
    std::string name;                 ///< mangled, as registered by the host side
    std::string displayName;          ///< demangled, without parameters
    std::string blockWord = "block";  ///< what its language calls a thread block
    trace::SourceLocation where;      ///< source is an index into Module::sources()
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
    /// 0: the module's code does not use it, and nobody has asked for it (Module::variable).
    DeviceAddress address = 0;
};

struct SourceFile {
    std::string path;
    std::string text;
};

/// What becomes of a launch whose threads can do nothing but poll global memory that none of them changes.
enum class Patience : uint8_t {
    Pause,       ///< it is left where it is until somebody else has changed the memory
    LetLanesGo,  ///< likewise, once lanes that wait to reconverge with polling ones have been let go
    Stop         ///< that is a livelock, which stops it
};

/// A launch that has begun. Its module outlives it, and so do the bytes of its arguments.
class BegunLaunch {
public:
    virtual ~BegunLaunch() = default;
    /// Runs blocks until all have ended or, as \p patience says, it is paused. True: it has ended. Errors: as of
    /// Module::launch.
    virtual Result<bool> goOn(Patience patience) = 0;
    /// Of one that is paused: whether memory that its threads poll has been changed.
    [[nodiscard]] virtual bool canGoOn() const = 0;
    /// What came of it. Once, when it has ended.
    virtual LaunchResult finish() = 0;
};

/// One module of device code whose variables lie in a DeviceMemory.
class Module {
public:
    virtual ~Module() = default;

    [[nodiscard]] virtual const std::vector<KernelInfo>& kernels() const = 0;
    [[nodiscard]] virtual const std::vector<GlobalVariable>& variables() const = 0;
    /// A variable for the host, which has its memory from now on. Errors: NotFound, as of DeviceMemory::allocate.
    virtual Result<GlobalVariable> variable(const std::string& name) = 0;
    /// Path of a source as the findings of its launches name it; empty for an id that they do not.
    [[nodiscard]] virtual std::string sourcePath(SourceId id) const = 0;

    /// Begins the launch of a kernel; none of its blocks runs yet. \p arguments: one pointer per parameter, to its
    /// bytes. With a writer, sites and variables are declared on first use and the launch is recorded under \p
    /// launch.id; name, grid, block, arguments are filled in here. Errors: Unsupported (names the instruction and its
    /// line), NotFound.
    virtual Result<std::unique_ptr<BegunLaunch>> begin(const std::string& kernel, LaunchId id, Dim3 grid, Dim3 block,
                                                       uint64_t dynamicSharedBytes,
                                                       std::span<const void* const> arguments,
                                                       const LaunchOptions& options) = 0;
    /// Runs a kernel from its beginning to its end.
    Result<LaunchResult> launch(const std::string& kernel, LaunchId id, Dim3 grid, Dim3 block,
                                uint64_t dynamicSharedBytes, std::span<const void* const> arguments,
                                const LaunchOptions& options)
    {
        auto begun = begin(kernel, id, grid, block, dynamicSharedBytes, arguments, options);
        if (!begun)
            return begun.error();
        if (auto ended = begun.value()->goOn(Patience::Stop); !ended)
            return ended.error();
        return begun.value()->finish();
    }
};

}  // namespace lanescope::device
