// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SIMT simulator's way in: device code becomes a module whose kernels it runs. Read this header first; what a
// module and a launch are is in core/device/.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/device/module.h"

namespace lanescope::simt {

class RaceMemory;

/// Loads LLVM bitcode of the nvptx64 target; kernels are lowered when they are first launched. \p memory: where its
/// __device__ and __constant__ variables are allocated and initialised. \p races: of that memory. Both outlive the
/// module. Error BadInput when the bytes are no bitcode.
Result<std::unique_ptr<device::Module>> loadModule(std::span<const std::byte> bitcode, device::DeviceMemory& memory,
                                                   RaceMemory& races);

/// Links \p parts, bitcode of files that refer to each other's functions and variables (nvcc's -rdc=true), and loads
/// the result as loadModule does. Error BadInput when two of them define one name.
Result<std::unique_ptr<device::Module>> loadLinkedModule(std::span<const std::vector<std::byte>> parts,
                                                         device::DeviceMemory& memory, RaceMemory& races);

/// Loads the text of a PTX module, which may end with a zero; as loadModule otherwise. \p name: how the module is
/// called in errors and, where the text does not say which source it comes from, as its own source ("module.ptx").
/// Error BadInput, with the line, when the text is damaged. What is not known of a kernel is named when it is launched.
Result<std::unique_ptr<device::Module>> loadPtxModule(std::string_view ptx, const std::string& name,
                                                      device::DeviceMemory& memory, RaceMemory& races);

}  // namespace lanescope::simt
