// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's launch, on its way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/gpu_model.h"
#include "core/device/module.h"
#include "instrumented/runtime/work.h"

namespace lanescope::runtime {

inline Dim3 toDim3(const dim3& d)
{
    return {d.x, d.y, d.z};
}

/// A kernel that was launched, and behind it what it launches itself, one after the other: one of the orders that may
/// be. Used under the runtime's lock, while the work's device is current.
class KernelRun {
public:
    KernelRun(Runtime& runtime, const KernelWork& work);
    ~KernelRun();
    KernelRun(const KernelRun&) = delete;
    KernelRun& operator=(const KernelRun&) = delete;

    /// Runs from the beginning, or on. False: a launch is paused (device::Patience).
    bool goOn(device::Patience patience);
    /// Of one that is paused: whether memory that it polls has been changed.
    [[nodiscard]] bool canGoOn() const { return m_launch && m_launch->canGoOn(); }
    /// What came of it. What goes wrong in a kernel shows at the next call.
    [[nodiscard]] cudaError_t error() const { return m_error; }

private:
    class Watcher;
    struct Next {
        device::ChildLaunch launch;
        LaunchShape shape;
        unsigned depth = 0;  ///< of kernels that launched each other
    };

    bool begin();
    void end();
    void fail(const Error& error);
    void endStopped(const Error& stopped);

    Runtime& m_runtime;
    DeviceCode* m_code = nullptr;
    std::vector<Next> m_next;  ///< the last is the next
    cudaError_t m_error = cudaSuccess;
    // Of the launch that has begun.
    Next m_now;
    uint32_t m_id = 0;
    uint32_t m_raceTime = 0;
    std::string m_kernel;
    device::LaunchOptions m_options;
    std::vector<uint64_t> m_given;  ///< addresses passed
    std::vector<const void*> m_arguments;
    std::unique_ptr<Watcher> m_watcher;
    std::unique_ptr<device::BegunLaunch> m_launch;
};

}  // namespace lanescope::runtime
