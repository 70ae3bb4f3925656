// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a module, before any kernel is lowered, into what lowering knows: inline PTX becomes IR, half-precision
// arithmetic becomes float arithmetic that is rounded once, calls through pointers become switches over the
// functions that the pointer can hold, vector elements chosen at run time become selects.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace lanescope::simt {

/// Functions whose address is taken, with the number that stands for the address.
using FunctionAddresses = llvm::MapVector<const llvm::Function*, uint64_t>;

/// Metadata of a trap that stands for a call through a pointer that holds no function.
inline constexpr llvm::StringLiteral kBadCall = "lanescope.bad.call";

/// Keeps what it cannot rewrite: lowering then names it with its source line.
FunctionAddresses legalise(llvm::Module& module);

}  // namespace lanescope::simt
