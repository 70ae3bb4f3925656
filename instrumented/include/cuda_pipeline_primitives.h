// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __pipeline_memcpy_async and its kin, as the instructions that they are.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
// clang-format off
/// \p bytes: 4, 8 or 16; the last \p zeros of them are not copied but set to zero.
LS_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0)
{
    const unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
    const unsigned int source = (unsigned int)(bytes - zeros);
    if (bytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(source) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(source) : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(source) : "memory");
}
LS_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
LS_DEVICE void __pipeline_wait_prior(size_t) { asm volatile("cp.async.wait_all;" ::: "memory"); }
// clang-format on
#endif
