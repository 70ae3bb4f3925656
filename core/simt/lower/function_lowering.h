// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns one function into code: goes through its blocks, and hands each instruction to the family that it is of.
#pragma once

#include <vector>

#include "core/simt/lower/access_descriptions.h"
#include "core/simt/lower/arithmetic_lowering.h"
#include "core/simt/lower/atomic_lowering.h"
#include "core/simt/lower/call_lowering.h"
#include "core/simt/lower/control_lowering.h"
#include "core/simt/lower/flow_descriptions.h"
#include "core/simt/lower/function_context.h"
#include "core/simt/lower/lane_lowering.h"
#include "core/simt/lower/local_storage.h"
#include "core/simt/lower/matrix_registers.h"
#include "core/simt/lower/memory_lowering.h"
#include "core/simt/lower/passed_marks.h"
#include "core/simt/lower/pattern_writer.h"
#include "core/simt/lower/shape_checks.h"
#include "core/simt/lower/variable_recorder.h"
#include "core/simt/lower/warp_lowering.h"

namespace lanescope::simt {

/// To be used once.
class FunctionLowering {
public:
    /// \p parameters, \p result: the registers that callers pass values in.
    FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                     const std::vector<Parts>& parameters, Parts result);

    /// Emits the whole function; returns its entry.
    const Instr* lower();

private:
    void beginFunction();
    void countRuns(const llvm::BasicBlock& block);
    void lowerBlock(llvm::BasicBlock& block);
    void lowerInstruction(llvm::Instruction& instr);

    FunctionContext m_context;
    PassedMarks m_marks;
    PatternWriter m_patterns;
    FlowDescriptions m_flows;
    MatrixRegisters m_matrices;
    VariableRecorder m_recorder;
    LocalStorage m_storage;
    ShapeChecks m_shapes;
    AccessDescriptions m_accesses;
    LaneLowering m_lanes;
    ArithmeticLowering m_arithmetic;
    MemoryLowering m_memory;
    AtomicLowering m_atomics;
    WarpLowering m_warp;
    ControlLowering m_control;
    CallLowering m_calls;
};

}  // namespace lanescope::simt
