// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions for our own bugs: on in every build type, never used for bad input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define LS_ASSERT(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) [[unlikely]] {                                                                               \
            std::fprintf(stderr, "lanescope: internal error: %s:%d: %s\n", __FILE__, __LINE__, #condition);            \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (false)
