// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libraries begin with whose functions are kernels in headers. `lanescope nvcc` looks for this message.
#pragma once

#if !defined(__CUDA__)
#error                                                                                                                 \
    "lanescope: this library's functions are kernels: the file must be compiled as CUDA (lanescope nvcc does so itself; CMake: LANGUAGE CUDA)"
#endif
