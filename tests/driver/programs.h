// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of the driver API in one executable: main's first argument names one. They are linked to NVIDIA's name of
// the driver's library, as any program is, and print what they see.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <string>

/// Says which call failed and ends the program, with status 9.
void check(const char* text, CUresult result);
#define CHECK(call) check(#call, call)

/// "CUDA_SUCCESS", "CUDA_ERROR_…".
std::string nameOf(CUresult result);

/// out[i] = factor * in[i] + i; the last parameter is how many. No check of i unless \p checked.
std::string scalePtx(const char* kernel, int factor, bool checked = true);

int vectorAdd(int count);
int compile();
int executable();
int managed();
int modules();
int mistakes();
int launches();
int memory();
int virtualMemory();
int graphs();
int fatBinaries();
int refusals();
int names();
int devices();
