// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which host compilers nvcc takes: nothing to say about clang.
#pragma once
