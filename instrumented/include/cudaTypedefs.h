// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the driver's functions, for programs that get them by cudaGetDriverEntryPoint.
#pragma once

#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include <cuda.h>

#define LS_FUNCTION_TYPE(name, version)                                                                                \
    typedef __typeof__(&name) PFN_##name##_v##version;                                                                 \
    typedef __typeof__(&name) PFN_##name;

LS_FUNCTION_TYPE(cuTensorMapEncodeTiled, 12000)
LS_FUNCTION_TYPE(cuTensorMapEncodeIm2col, 12000)
LS_FUNCTION_TYPE(cuTensorMapReplaceAddress, 12000)

#undef LS_FUNCTION_TYPE

#endif  // CUDATYPEDEFS_H
