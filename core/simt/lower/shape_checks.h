// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which subscripts of an access have declared extents to be held against: s[1][5] of int[3][3] is inside the array and
// outside its row. Only for code as it was written: optimisers merge subscripts, and then they mean nothing.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "core/simt/code/program.h"
#include "core/simt/lower/code_writer.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

/// Writes the checks of one function. Who lowers an address says which registers its subscripts are in; a check looks
/// at the address that was lowered last.
class ShapeChecks {
public:
    ShapeChecks(const llvm::Function& function, Program& program, CodeWriter& code, const HandlerSet& handlers)
        : m_function(function), m_program(program), m_code(code), m_handlers(handlers)
    {
    }

    /// Another address is lowered from here on.
    void beginAddress() { m_subscripts.clear(); }
    /// Where \p index, a subscript of the address, is.
    void noteSubscript(const llvm::Value& index, const AddressTerm& term) { m_subscripts[&index] = term; }

    /// Checks the address of \p access, where there is something to check.
    void checkAccess(const llvm::Instruction& access, const llvm::Value& pointer, uint32_t staticSite, bool isWrite);
    /// For an address that is computed once and used several times; the access that comes first gives it its name.
    void checkKept(const llvm::GetElementPtrInst& address);
    /// Says that \p staticSite accesses \p pointer: checks of addresses that it is made of, and that nobody accessed
    /// yet, are for it.
    void nameKept(const llvm::Value& pointer, uint32_t staticSite, bool isWrite);

private:
    ShapeDim subscriptOf(const llvm::Value* index, uint64_t extent) const;
    void addSubscripts(const llvm::GEPOperator& gep, ShapeCheck& shape) const;
    ShapeCheck subscriptsOf(const llvm::Value* pointer) const;
    /// Null when there is nothing to check.
    ShapeCheck* emit(const llvm::Value* pointer, const llvm::Instruction& where);

    const llvm::Function& m_function;
    Program& m_program;
    CodeWriter& m_code;
    const HandlerSet& m_handlers;
    llvm::DenseMap<const llvm::Value*, AddressTerm> m_subscripts;
    llvm::DenseMap<const llvm::Value*, ShapeCheck*> m_kept;  ///< whose access is still to come
};

}  // namespace lanescope::simt
