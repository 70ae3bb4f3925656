// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs launches on a real GPU: the program's instrumented PTX, through the driver, with the log drained while a kernel
// runs. Read this header first.
#pragma once

#include <memory>
#include <string>

#include "core/simt/launch_device.h"

namespace lanescope::cuda {

/// What is kept of each launch.
enum class Keep : uint8_t {
    Records,  ///< everything that happens
    Counts,   ///< its costs by site
};

class CudaDevice : public simt::LaunchDevice {
public:
    /// \p images: as made by lanescope-instrument. Errors: no driver, no GPU, code that the driver refuses.
    static Result<std::unique_ptr<CudaDevice>> create(const std::string& images, Keep keep);

    /// "NVIDIA H200".
    [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace lanescope::cuda
