// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffers a kernel may write. A load from memory that no store of the launch can reach needs no recorded
// value: replay has it from the launch's initial contents.
#pragma once

#include <set>
#include <string>

#include <llvm/IR/Function.h>

namespace lanescope::simt {

struct WrittenMemory {
    std::set<unsigned> parameters;  ///< indexes of kernel parameters
    std::set<std::string> globals;  ///< mangled names
    bool anything = false;          ///< a store whose target could not be told
};

WrittenMemory writtenMemory(llvm::Function& kernel);
/// The same for memory that it loads from, and for memory that it changes by atomics.
WrittenMemory readMemory(llvm::Function& kernel);
WrittenMemory atomicMemory(llvm::Function& kernel);
/// The same for memory that it reads or writes less than 4 bytes of at a time.
WrittenMemory narrowMemory(llvm::Function& kernel);

/// Adds to \p memory what \p pointer, a value of \p kernel, may point to.
void addRoots(const llvm::Value& pointer, const llvm::Function& kernel, WrittenMemory& memory);

}  // namespace lanescope::simt
