// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_cudaExtent and its family.
#pragma once

#include "driver_types.h"

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t xsize, size_t ysize)
{
    struct cudaPitchedPtr made = {pointer, pitch, xsize, ysize};
    return made;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos made = {x, y, z};
    return made;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    struct cudaExtent made = {width, height, depth};
    return made;
}
