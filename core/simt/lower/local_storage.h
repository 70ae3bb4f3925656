// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where local variables and arrays are: in registers, at a fixed place of the lane's memory, or on its stack.
#pragma once

#include <utility>
#include <vector>

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/ended_scopes.h"
#include "core/simt/lower/function_context.h"

namespace lanescope::simt {

/// Places a function's allocas. On the stack are those of functions that call themselves, whose frames begin with
/// them, and those of a size known at run time.
class LocalStorage {
public:
    explicit LocalStorage(FunctionContext& context)
        : m_builder(context.builder), m_analysis(context.analysis), m_code(context.code),
          m_registers(context.registers), m_operations(context.operations), m_values(context.values),
          m_endedScopes(context.analysis.function())
    {
    }

    /// To be called for all of the function before any code is written.
    void place(const llvm::AllocaInst& alloca);
    /// At the function's beginning: makes its frame, if it has one.
    void enterFrame();
    /// Before the function returns.
    void leaveFrame(const llvm::Instruction& where);
    /// At the function's beginning, and before it returns: its local objects come and go where a pointer is returned,
    /// which may be one to them.
    void beginObjects();
    void forgetObjects(const llvm::ReturnInst& where);
    /// Before \p next, where blocks may end or begin.
    void passScopes(const llvm::Instruction& next);

    /// Where an alloca is reached whose size is known at run time; nothing for others.
    void reach(const llvm::AllocaInst& alloca);
    /// Gives each lane \p bytes (64-bit register) of its stack; returns the register of their address.
    uint32_t allocate(uint32_t bytes, const llvm::Instruction* where);

private:
    bool hasFrame() const { return m_analysis.isRecursive() || m_hasDynamic; }
    void placeObject(const llvm::AllocaInst& alloca, uint64_t bytes);
    [[nodiscard]] bool forgetsObjects() const;
    void emitOnObjects(Handler handler, std::vector<uint64_t> slotsOfObjects, const llvm::Instruction* where);
    [[nodiscard]] std::vector<uint64_t> slotsOf(const EndedScopes::Variables& variables) const;
    [[nodiscard]] std::vector<uint64_t> slotsOfAll() const;

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
    const EndedScopes m_endedScopes;
    bool m_hasDynamic = false;
    uint32_t m_frame = 0;  ///< register of the frame's address
    uint64_t m_frameBytes = 0;
    std::vector<std::pair<const llvm::AllocaInst*, uint64_t>> m_inFrame;  ///< with their offsets
};

}  // namespace lanescope::simt
