// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library on the device: printf (clang packs its arguments and calls vprintf), assert, malloc, memcpy.
#pragma once

#include <stddef.h>

#include "../host_defines.h"

extern "C" {
__device__ int printf(const char* format, ...);
__device__ int vprintf(const char* format, const char* arguments);
__device__ void* malloc(size_t bytes);
__device__ void free(void* pointer);
__device__ void* memcpy(void* to, const void* from, size_t bytes);
__device__ void* memmove(void* to, const void* from, size_t bytes);
__device__ void* memset(void* pointer, int value, size_t bytes);
__device__ __attribute__((noreturn)) void __assertfail(const char* message, const char* file, unsigned int line,
                                                       const char* function, size_t charSize);
__device__ static __inline__ __attribute__((always_inline, nodebug, noreturn)) void
__assert_fail(const char* message, const char* file, unsigned int line, const char* function)
{
    __assertfail(message, file, line, function, 1);
}
}

#ifdef __cplusplus
// What libstdc++'s constexpr functions call where a precondition does not hold: from version 14 on the first while
// constants are evaluated, with _GLIBCXX_ASSERTIONS the other. Theirs are the host's.
namespace std {
LS_DEVICE void __glibcxx_assert_fail() {}
LS_DEVICE void __glibcxx_assert_fail(const char* file, int line, const char* function, const char* condition)
{
    __assertfail(condition, file, static_cast<unsigned>(line), function, 1);
}
}  // namespace std
#endif
