// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of one function while it is written: instructions, where jumps go, what is said about instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/simt/code/program.h"

namespace llvm {
class Instruction;
}

namespace lanescope::simt {

/// Appends instructions. Places that code jumps to are labels; they become addresses when the function is complete,
/// since code moves until then.
class CodeWriter {
public:
    enum class Label : size_t {};

    explicit CodeWriter(Program& program) : m_program(program) {}

    /// Appends an instruction; the reference is good until the next. No handler: throws Unsupported, which names
    /// \p where (may be null).
    Instr& emit(Handler handler, const llvm::Instruction* where);
    /// How many there are; the index of the next.
    [[nodiscard]] size_t size() const { return m_code.size(); }

    Label newLabel();
    /// The label is where the next instruction will be.
    void place(Label label) { m_labels[static_cast<size_t>(label)] = m_code.size(); }
    /// As emit, of a jump to \p target.
    Instr& emitJump(Handler handler, Label target, const llvm::Instruction* where);
    /// Where a branch or switch goes, and where its lanes meet again. The side tables have to stay where they are.
    void connect(BranchInfo& info, Label ifTrue, Label ifFalse, std::optional<Label> reconverge);
    /// \p cases: as many as \p info has.
    void connect(SwitchInfo& info, std::vector<Label> cases, Label fallback, std::optional<Label> reconverge);

    /// Says what the last instruction by itself does to definedness.
    void describeLast(Flow flow);
    /// Says what all instructions from index \p begin on do together.
    void describeFrom(size_t begin, Flow flow);

    // What has been counted since the current basic block began.
    void beginBlock();
    void count(uint32_t flops);
    [[nodiscard]] uint32_t blockInstructions() const { return m_blockInstructions; }
    [[nodiscard]] uint32_t blockFlops() const { return m_blockFlops; }

    /// Hands the code to the program and makes labels addresses in it; it is the last in Program::code. All labels must
    /// have been placed. Returns where \p entry is.
    const Instr* finish(Label entry);

private:
    struct BranchTargets {
        BranchInfo* info;
        Label ifTrue, ifFalse;
        std::optional<Label> reconverge;
    };
    struct SwitchTargets {
        SwitchInfo* info;
        std::vector<Label> cases;
        Label fallback;
        std::optional<Label> reconverge;
    };

    uint32_t addFlow(Flow flow);

    Program& m_program;
    std::vector<Instr> m_code;
    std::vector<FlowSlots> m_flowSlots;  ///< one per instruction of m_code
    std::vector<size_t> m_labels;        ///< index in m_code
    std::vector<std::pair<size_t, Label>> m_jumps;
    std::vector<BranchTargets> m_branches;
    std::vector<SwitchTargets> m_switches;
    uint32_t m_blockInstructions = 0;
    uint32_t m_blockFlops = 0;
};

}  // namespace lanescope::simt
