// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX does not say of memory and the accesses tell: the type of its elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

namespace lanescope::simt {

/// Of what \p pointer points to: the one type of all accesses through it; of vectors, their elements'. Null: there are
/// several, or none.
llvm::Type* elementTypeOf(const llvm::Value& pointer);
/// Values that are only moved (a tile that is filled from a buffer) get the type of the floats that they are where they
/// go or come from; constants that are stored there, too.
void typeMovedValues(llvm::Function& function);
/// As a compiler's debug information has a number of that type; null: there is no name for it.
llvm::DIType* debugTypeOf(llvm::DIBuilder& build, llvm::Type* type);
/// How an array is called, and its elements, outermost first; no extents: as many as fit.
struct ArrayName {
    std::string name;
    std::vector<uint64_t> extents;
};
/// Says of an array what its elements are, as the accesses tell, and what it is called. Extents that do not fit what is
/// accessed say nothing.
void describeArray(llvm::DIBuilder& build, llvm::DIScope* scope, const ArrayName& name, llvm::DIFile* file,
                   unsigned line, llvm::GlobalVariable& array);

}  // namespace lanescope::simt
