// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tensor maps among a kernel's arguments say of the memory that they are of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/tensor_map.h"
#include "core/trace/model.h"

namespace lanescope::simt {

/// A tensor map within an argument.
struct TensorArgument {
    uint64_t offset = 0;  ///< bytes
    device::TensorMap map;
};

/// Those in the bytes of one argument, ascending: it is one, or a struct with some in it.
std::vector<TensorArgument> tensorsIn(std::span<const std::byte> argument);

/// What the elements are in CUDA C++.
trace::ValueType elementOf(const device::TensorMap& map);

/// Extents, outermost first, of a buffer of \p bytes that begins where the tensor does, as they lie in memory: gaps
/// between rows count to the rows. Empty: the tensor is not all of it, or its strides are no such extents.
std::vector<uint64_t> extentsInMemory(const device::TensorMap& map, uint64_t bytes);

/// "tensor map of a, float[64][64], boxes of [16][16]".
std::string textOf(const device::TensorMap& map, const std::string& buffer);

}  // namespace lanescope::simt
