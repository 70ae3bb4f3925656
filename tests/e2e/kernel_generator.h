// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random CUDA programs that know their own answer: what each kernel computes, the program computes once more on the
// host, thread by thread.
#pragma once

#include <cstdint>
#include <string>

namespace lanescope::test {

/// A program of \p kernels kernels of a few phases each. A phase runs a random function (`__host__ __device__`:
/// integers of all widths and signs, floats and doubles, branches that part warps, loops, switches, local arrays,
/// calls, structs) over every thread; between phases the threads of a block exchange values through shared memory,
/// shuffles, votes or atomics. The host does the same in order, from the same functions as clang compiles them. Prints
/// "kernel N: HASH" for each that agrees, "kernel N: thread T: HAVE instead of WANT" for one that does not. No
/// undefined behaviour, and no floating-point expression that may be contracted. Equal seeds give equal programs.
std::string generateProgram(uint64_t seed, int kernels);

}  // namespace lanescope::test
