// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs launches on a real GPU: the program's instrumented PTX, through the driver, with the log drained while a kernel
// runs. Read this header first.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/device/launch_device.h"

namespace lanescope::cuda {

struct CudaOptions {
    bool count = false;     ///< sums by site instead of everything that happens
    bool races = false;     ///< besides, accesses that nothing orders; with `count` only
    bool hardware = false;  ///< besides, what hardware counts, in runs of their own
    double maxSeconds = 0;  ///< that a kernel may run; 0: as long as it likes
    /// Asked while a kernel runs: whether to give it up.
    std::function<bool()> interrupted = [] { return false; };
};

class CudaDevice : public device::LaunchDevice {
public:
    /// \p images: as made by lanescope-instrument. Errors: no driver, no GPU, code that the driver refuses.
    static Result<std::unique_ptr<CudaDevice>> create(const std::string& images, const CudaOptions& options);

    /// "NVIDIA H200".
    [[nodiscard]] virtual std::string name() const = 0;
    /// What the driver says of it; zero where it says nothing.
    [[nodiscard]] virtual trace::DeviceProperties properties() const = 0;
};

}  // namespace lanescope::cuda
