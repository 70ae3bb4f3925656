// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for the instructions and memory objects of a legalised module. Whoever reads the same bitcode counts the
// same, so that instrumented code and the table of its sites, made in different processes, mean the same places.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "core/device/place_numbers.h"

namespace lanescope::simt {

class CodeNumbers {
public:
    /// Counts all of \p module, which must not change before the numbers are asked for.
    explicit CodeNumbers(const llvm::Module& module);

    [[nodiscard]] uint32_t of(const llvm::Instruction& instr) const { return m_instructions.lookup(&instr); }
    /// A shared array, a local one, a struct passed by value.
    [[nodiscard]] device::ObjectKey of(const llvm::GlobalVariable& shared) const
    {
        return {device::ObjectKey::kShared | m_globals.lookup(&shared)};
    }
    [[nodiscard]] device::ObjectKey of(const llvm::AllocaInst& local) const { return {m_instructions.lookup(&local)}; }
    [[nodiscard]] device::ObjectKey of(const llvm::Argument& byValue) const
    {
        return {device::ObjectKey::kArgument | m_arguments.lookup(&byValue)};
    }
    /// Of everything counted: two modules that differ in it are not the same code.
    [[nodiscard]] uint32_t total() const { return m_total; }

private:
    llvm::DenseMap<const llvm::Instruction*, uint32_t> m_instructions;
    llvm::DenseMap<const llvm::GlobalVariable*, uint32_t> m_globals;
    llvm::DenseMap<const llvm::Argument*, uint32_t> m_arguments;
    uint32_t m_total = 0;
};

}  // namespace lanescope::simt
