// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of DWARF as types of IR's debug information.
#pragma once

#include <map>
#include <vector>

#include <llvm/DebugInfo/DWARF/DWARFDie.h>
#include <llvm/IR/DIBuilder.h>

namespace lanescope::simt {

/// The entries below \p die, as far as damaged debug information has them.
std::vector<llvm::DWARFDie> childrenOf(const llvm::DWARFDie& die);

class PtxTypes {
public:
    /// \p file: where types are said to be declared.
    PtxTypes(llvm::DIBuilder& build, llvm::DIFile* file) : m_build(build), m_file(file) {}

    /// Null: void, or something that no value has.
    llvm::DIType* typeOf(const llvm::DWARFDie& die, int depth = 0);

private:
    llvm::DIType* made(const llvm::DWARFDie& die, int depth);
    llvm::DIType* structure(const llvm::DWARFDie& die, int depth);
    llvm::DIType* array(const llvm::DWARFDie& die, int depth);

    llvm::DIBuilder& m_build;
    llvm::DIFile* m_file;
    std::map<uint64_t, llvm::DIType*> m_types;  ///< by offset; null while a type is being made, too
};

}  // namespace lanescope::simt
