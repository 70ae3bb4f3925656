// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __mbarrier_init and its kin, as the instructions that they are.
#pragma once

#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "cuda_runtime.h"

#include "lanescope/hide_macros.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

#if defined(__CUDA__)
#define LS_WAIT(operation, as, state)                                                                                  \
    int over;                                                                                                          \
    asm volatile("{ .reg .pred p; mbarrier." operation ".b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"                     \
                 : "=r"(over)                                                                                          \
                 : "r"((unsigned int)__cvta_generic_to_shared(barrier)), as(state)                                     \
                 : "memory");                                                                                          \
    return over

inline __host__ __device__ unsigned int __mbarrier_maximum_count()
{
    return (1u << 20) - 1;
}
LS_DEVICE void __mbarrier_init(__mbarrier_t* barrier, unsigned int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(count)
                 : "memory");
}
LS_DEVICE void __mbarrier_inval(__mbarrier_t* barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}
LS_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier)
{
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"((unsigned int)__cvta_generic_to_shared(barrier))
                 : "memory");
    return token;
}
LS_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier)
{
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"((unsigned int)__cvta_generic_to_shared(barrier))
                 : "memory");
    return token;
}
LS_DEVICE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token)
{
    LS_WAIT("test_wait.shared", "l", token);
}
LS_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool parity)
{
    LS_WAIT("test_wait.parity.shared", "r", (unsigned int)parity);
}
LS_DEVICE bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, unsigned int)
{
    LS_WAIT("try_wait.shared", "l", token);
}
LS_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool parity, unsigned int)
{
    LS_WAIT("try_wait.parity.shared", "r", (unsigned int)parity);
}
LS_DEVICE unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    unsigned int count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}
#undef LS_WAIT
#endif

#include "lanescope/restore_macros.h"

#endif  // _CUDA_AWBARRIER_PRIMITIVES_H_
