// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precompiled headers: most of what clang would read for a small program is cuda_runtime.h and the C++ library behind
// it.
#pragma once

#include <string>

#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/clang.h"

namespace lanescope::compiler {

/// Images for the flags that \p request and \p variant give, from the cache, else made now. Empty ones where none can
/// be used: when the request brings folders, or macros that the headers mention, which may give them another meaning,
/// or when clang fails, which compiling the program will then tell. For C++17 alone: in C++20 clang compares what a
/// header defines with what its image does, and takes overloads for host and device for two definitions of one
/// function.
HeaderImages headerImages(const Cache& cache, const Clang& clang, const CompileRequest& request,
                          const Installation& installation, const Variant& variant);

/// The same with Thrust or CUB in them, of \p variant's first headers, for a program that includes them. Empty ones
/// where it does not, and where it may define macros before that these libraries mention.
HeaderImages libraryImages(const Cache& cache, const Clang& clang, const CompileRequest& request,
                           const Installation& installation, const Variant& variant);

/// \p messages of a failed compilation blame the image.
bool complainsAboutImage(const std::string& messages);

}  // namespace lanescope::compiler
