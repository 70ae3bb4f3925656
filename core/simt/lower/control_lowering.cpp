// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/control_lowering.h"

#include <algorithm>

#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

ControlLowering::ControlLowering(FunctionContext& context, LocalStorage& storage, const PassedMarks& marks,
                                 Parts result)
    : m_builder(context.builder), m_analysis(context.analysis), m_code(context.code), m_registers(context.registers),
      m_operations(context.operations), m_values(context.values), m_sites(context.sites), m_storage(storage),
      m_marks(marks), m_recording(context.analysis, context.builder.options()), m_result(std::move(result))
{
}

void ControlLowering::placeBlocks()
{
    for (const llvm::BasicBlock& block : m_analysis.function()) {
        m_labels.try_emplace(&block, m_code.newLabel());
        for (const llvm::PHINode& phi : block.phis()) {
            const Form form = m_analysis.isUniform(phi) ? Form::Scalar : Form::Vector;
            Parts value;
            for (const Leaf& leaf : leavesOf(m_builder.layout(), phi.getType(), &phi))
                value.push_back(m_registers.newOperand(leaf.lane, form));
            m_values.set(phi, value);
        }
    }
}

void ControlLowering::beginBlock(const llvm::BasicBlock& block)
{
    m_code.place(labelOf(block));
    if (m_analysis.isJoin(block))
        m_code.emit(runJoinPoint, nullptr);
    if (const uint32_t mark = m_marks.at(block))
        m_code.emit(runPassedMark, nullptr).c = mark;
    m_code.beginBlock();
}

const Instr* ControlLowering::finish()
{
    for (const Edge& edge : m_edges) {
        m_code.place(edge.label);
        emitPhiMoves(*edge.from, *edge.to);
        m_code.emitJump(m_builder.handlers().jump(false), labelOf(*edge.to), nullptr);
    }
    return m_code.finish(labelOf(m_analysis.function().getEntryBlock()));
}

ControlLowering::Label ControlLowering::edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to)
{
    if (to.phis().empty())
        return labelOf(to);
    m_edges.push_back({m_code.newLabel(), &from, &to});
    return m_edges.back().label;
}

/// Where lanes that leave \p block by different ways meet again; none: at the function's end.
std::optional<ControlLowering::Label> ControlLowering::joinLabel(const llvm::BasicBlock& block) const
{
    const llvm::BasicBlock* join = m_analysis.joinBehind(block);
    return join ? std::optional(labelOf(*join)) : std::nullopt;
}

void ControlLowering::emitPhiMoves(const llvm::BasicBlock& from, const llvm::BasicBlock& to)
{
    struct Move {
        Operand to, from;
        LaneType lane;
    };
    std::vector<Move> moves;
    for (const llvm::PHINode& phi : to.phis()) {
        Parts source = m_values.parts(phi.getIncomingValueForBlock(&from));
        std::vector<Leaf> all = leavesOf(m_builder.layout(), phi.getType(), &phi);
        for (size_t i = 0; i < all.size(); ++i)
            moves.push_back({m_values.parts(&phi)[i], source[i], all[i].lane});
    }
    auto overlaps = [&](const Move& move) {
        return std::any_of(moves.begin(), moves.end(), [&](const Move& other) {
            return &other != &move && other.to.form == move.from.form && other.to.reg == move.from.reg;
        });
    };
    // All phis change at once: what another move overwrites is read first.
    for (Move& move : moves) {
        if (!overlaps(move))
            continue;
        Operand kept = move.from.form == Form::Scalar ? Operand{m_registers.newScalar(), Form::Scalar}
                                                      : Operand{m_registers.newVector(move.lane), Form::Vector};
        m_operations.copy(kept, move.from, move.lane);
        move.from = kept;
    }
    for (const Move& move : moves)
        m_operations.copy(move.to, move.from, move.lane);
}

void ControlLowering::lowerBranch(llvm::BranchInst& instr)
{
    const llvm::BasicBlock& block = *instr.getParent();
    if (instr.isUnconditional()) {
        emitPhiMoves(block, *instr.getSuccessor(0));
        Instr& emitted = m_code.emitJump(m_builder.handlers().jump(false), labelOf(*instr.getSuccessor(0)), &instr);
        emitted.a = m_code.blockInstructions();
        emitted.b = m_code.blockFlops();
        return;
    }
    Operand condition = m_values.operand(instr.getCondition());
    bool diverges = m_analysis.mayDiverge(instr);
    m_builder.program().branches.emplace_back();
    BranchInfo& info = m_builder.program().branches.back();
    info.instructions = m_code.blockInstructions();
    info.flops = m_code.blockFlops();
    const ForeseenReader* const reader = m_builder.foreseen();
    if (const auto way = reader ? reader->wayOf(instr) : std::nullopt)
        info.foreseen = *way ? BranchInfo::Way::True : BranchInfo::Way::False;
    bool record = m_recording.records(instr);
    if (record)
        m_sites.notePlace(instr, info.site = m_sites.add(trace::SiteKind::Branch, instr));
    const Label ifTrue = edge(block, *instr.getSuccessor(0)), ifFalse = edge(block, *instr.getSuccessor(1));
    m_code.connect(info, ifTrue, ifFalse, diverges ? joinLabel(block) : std::nullopt);
    Instr& emitted = m_code.emit(m_builder.handlers().branch(condition.form, record), &instr);
    emitted.a = condition.reg;
    emitted.imm = reinterpret_cast<uint64_t>(&info);
}

void ControlLowering::lowerSwitch(llvm::SwitchInst& instr)
{
    const llvm::BasicBlock& block = *instr.getParent();
    Operand value = m_values.operand(instr.getCondition());
    m_builder.program().switches.emplace_back();
    SwitchInfo& info = m_builder.program().switches.back();
    info.instructions = m_code.blockInstructions();
    info.flops = m_code.blockFlops();
    info.wide = isWide(laneTypeOf(instr.getCondition()->getType(), &instr));
    info.site = m_sites.add(trace::SiteKind::Branch, instr);
    const Label fallback = edge(block, *instr.getDefaultDest());
    std::vector<Label> cases;
    for (const auto& each : instr.cases()) {
        info.cases.emplace_back(each.getCaseValue()->getZExtValue(), nullptr);
        cases.push_back(edge(block, *each.getCaseSuccessor()));
    }
    const llvm::BasicBlock* join = m_analysis.joinBehind(block);
    m_code.connect(info, std::move(cases), fallback,
                   join && m_analysis.isJoin(*join) ? joinLabel(block) : std::nullopt);
    Instr& emitted =
        m_code.emit(value.form == Form::Scalar ? runSwitchScalar : m_builder.handlers().switchLanes, &instr);
    emitted.a = value.reg;
    emitted.imm = reinterpret_cast<uint64_t>(&info);
}

void ControlLowering::lowerExit(llvm::ReturnInst& instr)
{
    Instr& emitted = m_code.emit(runExit, &instr);
    emitted.a = m_code.blockInstructions();
    emitted.imm = m_code.blockFlops();
    emitted.b = m_builder.options().record;
    if (m_builder.options().record) {
        const SiteId where = m_sites.add(trace::SiteKind::Exit, instr);
        m_sites.notePlace(instr, where);
        emitted.c = where.value;
    }
}

void ControlLowering::lowerReturn(llvm::ReturnInst& instr)
{
    if (m_analysis.isKernel())
        return lowerExit(instr);
    if (llvm::Value* value = instr.getReturnValue()) {
        Parts source = m_values.parts(value);
        std::vector<Leaf> all = leavesOf(m_builder.layout(), value->getType(), &instr);
        for (size_t i = 0; i < all.size(); ++i)
            m_operations.copy(m_result[i], source[i], all[i].lane);
    }
    m_storage.forgetObjects(instr);
    m_storage.leaveFrame(instr);
    m_code.emit(runReturn, &instr);
}

}  // namespace lanescope::simt
