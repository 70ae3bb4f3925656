// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadIdx, blockIdx, blockDim, gridDim, warpSize: each read is one call of a special-register intrinsic.
#pragma once

#include "vector_types.h"

#define LS_BUILTIN_FIELD(field, intrinsic)                                                                             \
    __declspec(property(get = __lsGet_##field)) unsigned int field;                                                    \
    static __inline__ __attribute__((device, always_inline, nodebug)) unsigned int __lsGet_##field()                   \
    {                                                                                                                  \
        return intrinsic();                                                                                            \
    }

#define LS_BUILTIN_VARIABLE(variable, sreg)                                                                            \
    struct __ls_##variable##_t {                                                                                       \
        LS_BUILTIN_FIELD(x, __nvvm_read_ptx_sreg_##sreg##_x)                                                           \
        LS_BUILTIN_FIELD(y, __nvvm_read_ptx_sreg_##sreg##_y)                                                           \
        LS_BUILTIN_FIELD(z, __nvvm_read_ptx_sreg_##sreg##_z)                                                           \
        __attribute__((device, always_inline, nodebug)) operator uint3() const                                         \
        {                                                                                                              \
            return uint3{x, y, z};                                                                                     \
        }                                                                                                              \
        __attribute__((device, always_inline, nodebug)) operator dim3() const                                          \
        {                                                                                                              \
            return dim3(x, y, z);                                                                                      \
        }                                                                                                              \
                                                                                                                       \
    private:                                                                                                           \
        __device__ __ls_##variable##_t() = delete;                                                                     \
        __device__ __ls_##variable##_t(const __ls_##variable##_t&) = delete;                                           \
        __device__ void operator=(const __ls_##variable##_t&) const = delete;                                          \
    };                                                                                                                 \
    extern const __attribute__((device, weak, nodebug)) __ls_##variable##_t variable;

LS_BUILTIN_VARIABLE(threadIdx, tid)
LS_BUILTIN_VARIABLE(blockIdx, ctaid)
LS_BUILTIN_VARIABLE(blockDim, ntid)
LS_BUILTIN_VARIABLE(gridDim, nctaid)

static constexpr int warpSize = 32;

#undef LS_BUILTIN_VARIABLE
#undef LS_BUILTIN_FIELD
