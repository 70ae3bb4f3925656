// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs share: print what a call answered. Every program is also compiled by nvcc, and its expected output
// is what a GPU of compute capability 9.0 prints.
#pragma once

#include <cstdio>
#include <cstdlib>

/// Prints "text: error name"; clears the error.
#define SHOW(call) show(#call, call)
inline void show(const char* text, cudaError_t error)
{
    std::printf("%s: %s\n", text, cudaGetErrorName(error));
    cudaGetLastError();
}

/// Ends the program at an error.
#define CHECK(call) check(#call, call, __LINE__)
inline void check(const char* text, cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    std::printf("line %d: %s: %s\n", line, text, cudaGetErrorName(error));
    std::exit(1);
}

template <class T>
void print(const char* name, const T* values, int count)
{
    std::printf("%s:", name);
    for (int i = 0; i < count; ++i)
        std::printf(" %d", int(values[i]));
    std::puts("");
}
