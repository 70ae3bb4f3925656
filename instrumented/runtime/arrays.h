// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA arrays: device memory with a format and up to three dimensions. On a GPU their layout is nobody's business;
// here rows follow one another.
#pragma once

#include <cstdint>

#include "instrumented/include/cuda_runtime_api.h"

struct cudaArray {
    void* memory = nullptr;
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< as asked for: zero for dimensions that it does not have
    unsigned flags = 0;
    size_t elementBytes = 0;
};

namespace lanescope::runtime {

/// Zero for what no array can hold: channels of different widths, three channels.
size_t elementBytes(const cudaChannelFormatDesc& format);
unsigned channelCount(const cudaChannelFormatDesc& format);
/// False for what was never an array, or is freed.
bool isArray(cudaArray_const_t array);
/// The array as pitched memory.
cudaPitchedPtr pitchedPointer(const cudaArray& array);

}  // namespace lanescope::runtime
