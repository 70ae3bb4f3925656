// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __pipeline_memcpy_async and its kin, as the instructions that they are.
#pragma once

#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"

#include "lanescope/hide_macros.h"

#if defined(__CUDA__)
// clang-format off
/// \p bytes: 4, 8 or 16; the last \p zeros of them are not copied but set to zero.
LS_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0)
{
    const unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
    const unsigned int source = (unsigned int)(bytes - zeros);
    if (zeros == 0 && bytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
    else if (zeros == 0 && bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(from) : "memory");
    else if (zeros == 0)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
    else if (bytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(source) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(source) : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(source) : "memory");
}
LS_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits for all but the latest \p groups commits.
LS_DEVICE void __pipeline_wait_prior(size_t groups)
{
    switch (groups) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); return;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); return;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); return;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); return;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); return;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); return;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); return;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); return;
    default: asm volatile("cp.async.wait_group 8;" ::: "memory"); return;
    }
}
// clang-format on
#endif

#include "lanescope/restore_macros.h"

#endif  // _CUDA_PIPELINE_PRIMITIVES_H_
