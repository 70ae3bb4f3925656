// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels tell the graph that they are nodes of. Part of cuda_runtime.h.
#pragma once

#include "../driver_types.h"
#include "device_atomics.h"

/// Any thread may set it: the last one to do so decides.
LS_DEVICE void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    atomicExch((unsigned int*)handle, value);
}
