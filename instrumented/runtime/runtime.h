// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's state: device memory, the program's modules, its kernels and variables, CUDA's error state, the
// trace. Read this header first. One instance, made on first use (CUDA's registration runs in module constructors,
// before any static object of ours) and never destroyed (the program's static destructors may still call us).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/cuda/cuda_device.h"
#include "core/device/device_memory.h"
#include "core/simt/checks/race_memory.h"
#include "core/simt/simulator.h"
#include "instrumented/runtime/callbacks.h"
#include "instrumented/runtime/device_code.h"
#include "instrumented/runtime/devices.h"
#include "instrumented/runtime/grid_too_small.h"
#include "instrumented/runtime/options.h"
#include "instrumented/runtime/output_log.h"
#include "instrumented/runtime/run_log.h"
#include "instrumented/runtime/runtime_access.h"
#include "instrumented/runtime/trace_output.h"

// After the standard headers: it defines CUDA's macros.
#include "instrumented/include/cuda_runtime_api.h"

namespace lanescope::runtime {

void goOnWithWork();  // under_way.h

/// What cudaFuncSetAttribute was told of a kernel.
struct KernelSettings {
    uint64_t maxDynamicSharedBytes = 48 * 1024;
    bool optedIn = false;  ///< to more shared memory than every device has
    int carveout = -1;
    bool nonPortableClusters = false;
};

/// A kernel as the program registered it.
struct Kernel {
    std::string name;  ///< mangled
    DeviceCode* code = nullptr;
    std::array<KernelSettings, kMostDevices> onDevice{};

    /// On the thread's current device: each has its own.
    [[nodiscard]] KernelSettings& settings() { return onDevice[currentDevice()]; }
    [[nodiscard]] const KernelSettings& settings() const { return onDevice[currentDevice()]; }
};

/// A __device__ or __constant__ variable as the program registered it.
struct Symbol {
    std::string name;  ///< mangled
    uint64_t bytes = 0;
    void* hostVariable = nullptr;  ///< what the host calls by that name
    DeviceCode* code = nullptr;
};

/// How a buffer is called in the program: after the first kernel parameter it was passed as.
struct BufferName {
    std::string name;
    uint64_t elementBytes = 0;  ///< 0: not known
};

/// A launch that got a buffer.
struct BufferUse {
    std::string kernel;
    LaunchSize size;
};

class Runtime {
public:
    static Runtime& instance();

    /// Held by every API function that touches what is below.
    std::recursive_mutex& mutex() { return m_mutex; }

    /// What the start object hands over, before anything else runs.
    void setProgram(std::vector<std::byte> deviceCode, std::string ptx, const std::string& info,
                    bool hasManagedVariables);
    /// Of a process that Lanescope did not compile the program of: reads the options, once. setProgram does so, too.
    void start() { start({}); }
    /// Whether setProgram was called.
    [[nodiscard]] bool isCompiledWhole() const { return !m_program.bytes.empty(); }
    /// An object that Lanescope compiled is part of the process. \p info: as of readOptions().
    void noteObject(const std::string& info);
    /// Whether there was one: what the host does is then in view, whoever started the process.
    [[nodiscard]] bool hasObjects() const { return m_hasObjects; }
    /// The code that setProgram got.
    [[nodiscard]] DeviceCode& program() { return m_program; }
    /// Further code, to be loaded on first use. Stays where it is until removeCode.
    DeviceCode& addCode(DeviceCode::Kind kind, std::vector<std::byte> bytes);
    /// The code whose parts are the relocatable ones of the executable or library at \p binary.
    DeviceCode& relocatableCode(const void* binary);
    /// Forgets the kernels and variables of \p code and frees its memory.
    void removeCode(DeviceCode& code);
    /// \p hostFunction: what launches call it.
    void registerKernel(const void* hostFunction, const std::string& deviceName, DeviceCode& code);
    void registerSymbol(void* hostVariable, const std::string& deviceName, uint64_t bytes, DeviceCode& code);

    [[nodiscard]] const Options& options() const { return m_options; }
    /// What is allocated there is of the thread's current device.
    device::DeviceMemory& memory();
    /// What the race check keeps of memory().
    simt::RaceMemory& races();
    TraceOutput& trace() { return m_trace; }
    [[nodiscard]] RunLog& runLog() { return m_runLog; }
    OutputLog& outputs() { return *m_outputs; }

    /// Null when the program registered no such kernel (variable).
    Kernel* kernel(const void* hostFunction);
    const Symbol* symbol(const void* hostVariable);
    /// Loads \p code for the current device, or the one that it belongs to, on first use; null when it cannot be
    /// loaded. Then stopped() is set for the program's own code, and firstStop() for other.
    device::Module* module(DeviceCode& code);
    /// The GPU that runs the kernels; null when the simulator does, or (stopped() is set) when there is none.
    device::LaunchDevice* device();
    /// Null when the module has no such kernel. Stays where it is.
    const device::KernelInfo* kernelInfo(DeviceCode& code, const std::string& name);
    const device::KernelInfo* kernelInfo(const Kernel& kernel) { return kernelInfo(*kernel.code, kernel.name); }
    /// What findings of launches that are not recorded call a source by, whichever module it is of.
    SourceId kernelSourceId(const std::string& path);
    /// The path of a source that findings of launches name, recorded or not.
    [[nodiscard]] std::string kernelSource(SourceId id);
    /// Device address of a registered variable; 0 when the module has none of that name.
    uint64_t symbolAddress(const Symbol& symbol);

    /// Names the buffer that \p address is in, unless it has a name.
    void nameBuffer(uint64_t address, const device::GivenPointer& pointer);
    /// A launch of so many threads gets the buffer that \p address is in.
    void noteUse(uint64_t address, const BufferUse& use);
    /// Launches that got the buffer: the first few of different sizes.
    [[nodiscard]] std::span<const BufferUse> uses(BufferId buffer) const;
    /// Null when it was never passed to a kernel.
    const BufferName* bufferName(BufferId buffer);

    /// Remembers \p error as the thread's last error and returns it. Sticky errors come back from every later call.
    cudaError_t fail(cudaError_t error);
    cudaError_t failSticky(cudaError_t error);
    [[nodiscard]] cudaError_t stickyError() const { return m_stickyError; }
    void clearStickyError() { m_stickyError = cudaSuccess; }
    cudaError_t lastError(bool reset);
    /// cudaDeviceReset: frees what the program allocated on the current device and forgets errors.
    void resetDevice();

    /// The simulator, or we, could not go on: a limit or something unsupported. Says so on stderr, once. Nothing runs
    /// from then on.
    void stop(const Error& error);
    [[nodiscard]] const std::optional<Error>& stopped() const { return m_stopped; }
    /// A launch could not go on, for what the kernel does: threads that wait for ever. Said likewise. A GPU would
    /// answer nothing but errors from then on, and so do we; but what follows is run, too, so that it is looked at.
    void noteStop(const Error& error);
    /// The first that stop() or noteStop() was told.
    [[nodiscard]] const std::optional<Error>& firstStop() const { return m_firstStop; }

    /// A launch that was refused; remembered for the exit report.
    cudaError_t refuseLaunch(cudaError_t error)
    {
        m_launchError = error;
        return fail(error);
    }
    [[nodiscard]] cudaError_t launchError() const { return m_launchError; }

    uint32_t takeLaunchId() { return m_launches++; }
    [[nodiscard]] uint32_t launches() const { return m_launches; }
    /// Of the allocation that is being made.
    uint64_t takeMallocNumber();

private:
    Runtime() = default;
    void start(const std::string& info);
    void shareManagedVariables(const DeviceCode& code, const device::Module& module);
    void refuseDevices() const;

    std::recursive_mutex m_mutex;
    Options m_options;
    DeviceCode m_program;
    std::vector<std::unique_ptr<DeviceCode>> m_code;   ///< what was added
    uint32_t m_codeNumber = 0;                         ///< of the last that was added
    std::map<const void*, DeviceCode*> m_relocatable;  ///< of m_code, by where its executable or library begins
    bool m_started = false;
    bool m_hasObjects = false;
    std::string m_ptx;  ///< of the instrumented code; empty: the program was built for the simulator only
    std::unique_ptr<cuda::CudaDevice> m_device;
    std::unique_ptr<device::DeviceMemory> m_memory;
    std::unique_ptr<simt::RaceMemory> m_races;
    std::vector<std::string> m_kernelSources;  ///< of findings of launches that are not recorded
    std::unordered_map<const void*, Kernel> m_kernels;
    std::unordered_map<const void*, Symbol> m_symbols;
    std::unordered_map<BufferId, BufferName> m_bufferNames;
    std::unordered_map<BufferId, std::vector<BufferUse>> m_uses;
    TraceOutput m_trace;
    RunLog m_runLog;
    std::unique_ptr<OutputLog> m_outputs;  ///< there from the reading of the options on
    cudaError_t m_stickyError = cudaSuccess;
    cudaError_t m_launchError = cudaSuccess;
    std::optional<Error> m_stopped;
    std::optional<Error> m_firstStop;
    uint32_t m_launches = 0;
    uint64_t m_mallocs = 0;
};

/// What each API function starts with: the runtime, locked.
class Call {
public:
    Call() : m_runtime(Runtime::instance()), m_lock(afterCallbacks(m_runtime.mutex()))
    {
        // What the host has written since may be what a kernel waits for.
        goOnWithWork();
    }

    Runtime* operator->() { return &m_runtime; }
    Runtime& runtime() { return m_runtime; }
    /// Success, or the sticky error if there is one.
    cudaError_t ok() { return m_runtime.stickyError() == cudaSuccess ? cudaSuccess : fail(m_runtime.stickyError()); }
    cudaError_t fail(cudaError_t error) { return m_runtime.fail(error); }
    /// Nothing can run any more. After a mistake that a GPU would not survive all is still done, for what there is to
    /// find in it, though every call answers the error: see ok().
    [[nodiscard]] bool broken() const { return m_runtime.stopped() && m_runtime.stickyError() != cudaSuccess; }

private:
    /// Stream callbacks come before whatever is called next.
    static std::recursive_mutex& afterCallbacks(std::recursive_mutex& mutex)
    {
        waitForCallbacks();
        return mutex;
    }

    Runtime& m_runtime;
    std::scoped_lock<std::recursive_mutex> m_lock;
    RuntimeAccess m_access;
};

}  // namespace lanescope::runtime

/// A function of the API.
#define LS_API extern "C" __attribute__((visibility("default")))
