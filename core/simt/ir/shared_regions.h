// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program makes of its dynamic shared memory, which itself is so many bytes: the struct or arrays that its
// pointers into it say lie there.
#pragma once

#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

#include "core/simt/code/program.h"

namespace lanescope::simt {

/// Ascending, apart. \p names: the variables that all are that memory (extern __shared__). Local variables of
/// \p functions count which point to a fixed place in it and are set once. Empty: there are none, or they say no more
/// than \p element, which the memory is declared to be made of.
std::vector<MemoryRegion> dynamicRegions(llvm::ArrayRef<const llvm::GlobalVariable*> names,
                                         llvm::ArrayRef<llvm::Function*> functions, const trace::ValueType& element);

}  // namespace lanescope::simt
