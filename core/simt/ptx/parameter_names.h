// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the parameters of an entry are called in the source.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>

#include "core/simt/ptx/ptx_debug_info.h"
#include "core/simt/ptx/ptx_module.h"

namespace lanescope::simt {

/// What debug information says of each parameter; null: nothing of that one. Empty: nothing at all.
std::vector<const PtxSourceVariable*> parametersOf(const PtxFunction& entry, const PtxDebugInfo& info);

/// Where debug information has no parameters: from the definition at the function's line, `def name(a, b: T, …)` of
/// Python and Mojo or `name(T a, U* b)` of C++, as far as the source can be read and its parameters are \p count; else
/// empty. What is a constant of compilation is none; two more than the source has may follow (Triton's own), and Numba
/// passes an array in parts (its mangled name says which are arrays).
std::vector<std::string> namesInSource(const llvm::DISubprogram& function, size_t count);
/// The names in the text of a definition, from "def", "fn" or a C++ function's name on; empty: it is none.
std::vector<std::string> namesInDefinition(const std::string& text);
/// \p names with one for each part of an array: "a.meminfo", …, "a" for its data, "a.shape[0]", …, "a.strides[0]", ….
/// \p demangled: the function with the types of its parameters, as Numba names it, "f(Array<float, 2, C>, int)". Empty:
/// they do not fit.
std::vector<std::string> namesOfParts(const std::vector<std::string>& names, const std::string& demangled);

}  // namespace lanescope::simt
