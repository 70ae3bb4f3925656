// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program hands to cuModuleLoadData: PTX text, bitcode of ours, a fat binary with one of them in it.
#pragma once

#include "core/base/result.h"
#include "instrumented/runtime/device_code.h"

namespace lanescope::driver {

struct ModuleImage {
    runtime::DeviceCode::Kind kind = runtime::DeviceCode::Kind::Ptx;
    std::vector<std::byte> bytes;
};

/// Finds the code in \p image, which says itself how long it is. Of a fat binary: the PTX of the newest architecture
/// that the model GPU has. Errors: Unsupported (machine code only; says how to build what there is for), BadInput.
Result<ModuleImage> readImage(const void* image);

}  // namespace lanescope::driver
