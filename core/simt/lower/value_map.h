// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of a function are.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>

#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/operation_writer.h"
#include "core/simt/lower/program_builder.h"
#include "core/simt/lower/register_pool.h"

namespace lanescope::simt {

/// The registers of parameters, constants, results and of variables that live in registers. A load of such a variable
/// is another name for the variable's register while that lasts: before the register changes, values that are still
/// needed move away.
class ValueMap {
public:
    /// \p parameters: the registers of the function's, in order.
    ValueMap(ProgramBuilder& builder, const FunctionAnalysis& analysis, RegisterPool& registers,
             OperationWriter& operations, std::vector<Parts> parameters);

    /// Throws Unsupported for what has no registers, or none yet.
    Parts parts(const llvm::Value* value) const;
    /// Of a value with one leaf; else the first.
    Operand operand(const llvm::Value* value) const { return parts(value).front(); }
    /// The registers of a parameter or result; null when there are none, as of constants.
    [[nodiscard]] const Parts* find(const llvm::Value& value) const;
    /// A promoted variable's register.
    [[nodiscard]] Operand variable(const llvm::AllocaInst& variable) const { return m_variables.at(&variable); }
    /// Of a value or a promoted variable.
    [[nodiscard]] Operand registerOf(const llvm::Value& valueOrVariable) const;

    /// Registers for the result of \p instr: those of the variable that it will be stored in where that does no harm,
    /// else others.
    Parts destinations(const llvm::Instruction& instr);
    Operand destination(const llvm::Instruction& instr) { return destinations(instr).front(); }
    /// The result of \p instr is what \p value names; copied, since it may outlive the place that it comes from.
    void define(const llvm::Instruction& instr, const Parts& value);
    /// The result is what \p held, which never changes, has: another name for it, unless it goes into a variable.
    void name(const llvm::Instruction& instr, Operand held, LaneType lane);
    /// \p value is in \p parts, and stays there.
    void set(const llvm::Value& value, Parts parts) { m_values[&value] = std::move(parts); }

    /// Gives a promoted variable its register.
    void placeVariable(const llvm::AllocaInst& variable, Operand held) { m_variables[&variable] = held; }
    /// The result of \p load, of a promoted variable.
    void loadVariable(const llvm::LoadInst& load, const llvm::AllocaInst& variable);
    /// \p store, to a promoted variable.
    void storeVariable(const llvm::StoreInst& store, const llvm::AllocaInst& variable);
    void endBlock() { m_aliases.clear(); }

    /// The address of a local object of a fixed place.
    void placeObject(const llvm::AllocaInst& object, uint64_t address) { m_objects[&object] = address; }
    [[nodiscard]] const llvm::DenseMap<const llvm::AllocaInst*, uint64_t>& objects() const { return m_objects; }

private:
    const llvm::AllocaInst* directTarget(const llvm::Instruction& instr) const;
    void detachAliases(const llvm::AllocaInst& variable, const llvm::Instruction& position);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    std::vector<Parts> m_parameters;
    llvm::DenseMap<const llvm::Value*, Parts> m_values;
    llvm::DenseMap<const llvm::AllocaInst*, Operand> m_variables;
    llvm::DenseMap<const llvm::AllocaInst*, uint64_t> m_objects;
    llvm::DenseMap<const llvm::LoadInst*, const llvm::AllocaInst*> m_aliases;
};

}  // namespace lanescope::simt
