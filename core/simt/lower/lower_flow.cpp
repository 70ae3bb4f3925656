// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction does to definedness (flow.h), and which variables some path reads before it writes them.

#include <algorithm>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/lower/function_lowering.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

FlowKind binaryFlow(const llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::And:
        return FlowKind::And;
    case llvm::Instruction::Or:
        return FlowKind::Or;
    case llvm::Instruction::Xor:
        return FlowKind::Xor;
    case llvm::Instruction::Shl:
        // Of a signed value that must not overflow it is a product: who puts bytes together has no such promise.
        return instr.hasNoSignedWrap() && !instr.hasNoUnsignedWrap() ? FlowKind::Combine : FlowKind::ShiftLeft;
    case llvm::Instruction::LShr:
        return FlowKind::ShiftRight;
    case llvm::Instruction::AShr:
        return FlowKind::ShiftRightSigned;
    default:
        return FlowKind::Combine;
    }
}

FlowKind flowOf(const llvm::Instruction& instr)
{
    if (isa<llvm::BinaryOperator>(instr))
        return binaryFlow(instr);
    if (isa<llvm::SelectInst>(instr))
        return FlowKind::Select;
    if (isa<llvm::SExtInst>(instr))
        return FlowKind::SignWiden;
    if (isa<llvm::ZExtInst, llvm::TruncInst>(instr))
        return FlowKind::Move;
    if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instr))
        return FlowKind::Atomic;
    if (gathersLanes(instr))
        return FlowKind::Gather;
    if (const auto* call = dyn_cast<llvm::CallInst>(&instr))
        return call->isConvergent() || !call->getCalledFunction() || !call->getCalledFunction()->isIntrinsic()
                   ? FlowKind::Define
                   : FlowKind::Combine;
    return FlowKind::Combine;
}

uint8_t flowBits(LaneType lane, unsigned bits)
{
    return static_cast<uint8_t>(isWide(lane) ? 64 : lane == LaneType::F32 ? 32 : bits);
}

}  // namespace

bool gathersLanes(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::IntrinsicInst>(&instr);
    if (!call)
        return false;
    constexpr llvm::StringRef kOperations[] = {"shfl.sync", "vote.", "match.", "redux.sync"};
    llvm::StringRef name = call->getCalledFunction()->getName();
    return name.consume_front("llvm.nvvm.") &&
           std::ranges::any_of(kOperations, [&](llvm::StringRef each) { return name.starts_with(each); });
}

namespace {

/// __syncthreads_count and the like: what their predicate decides, it decides for the whole block.
bool isBarrierVote(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::IntrinsicInst>(&instr);
    return call && call->arg_size() == 1 && call->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier0.");
}

}  // namespace

/// The registers of an operand, one per leaf; empty for what is always defined.
std::vector<FlowOperand> FunctionLowering::flowOperands(const llvm::Value* value)
{
    std::vector<FlowOperand> out;
    const Parts* held = m_values.find(*value);
    if (!held)
        return out;
    std::vector<Leaf> all = leavesOf(m_builder.layout(), value->getType(), nullptr);
    for (size_t i = 0; i < std::min(all.size(), held->size()); ++i)
        out.push_back({(*held)[i], flowBits(all[i].lane, all[i].bits)});
    return out;
}

/// A load or store: the code's last instruction.
void FunctionLowering::describeMemory(FlowKind kind, const llvm::Instruction& instr)
{
    Flow flow;
    flow.where = m_builder.sources().locationOf(instr.getDebugLoc().get());
    flow.assigns.push_back({kind, {}, false, {}});
    m_code.describeLast(std::move(flow));
}

/// All of the code from \p begin on is what \p instr became.
void FunctionLowering::describeFlow(const llvm::Instruction& instr, size_t begin)
{
    if (m_code.size() == begin || isa<llvm::LoadInst, llvm::StoreInst, llvm::ReturnInst, llvm::PHINode>(instr))
        return;
    // Their moves of parts describe themselves.
    if (isa<llvm::ExtractValueInst, llvm::InsertValueInst, llvm::ExtractElementInst, llvm::InsertElementInst,
            llvm::ShuffleVectorInst>(instr))
        return;
    Flow flow;
    flow.where = m_builder.sources().locationOf(instr.getDebugLoc().get());
    if (instr.isTerminator()) {
        if (const auto* branch = dyn_cast<llvm::BranchInst>(&instr); branch && branch->isConditional())
            flow.assigns.push_back({FlowKind::Branch, {}, false, flowOperands(branch->getCondition())});
        if (const auto* choice = dyn_cast<llvm::SwitchInst>(&instr))
            flow.assigns.push_back({FlowKind::Branch, {}, false, flowOperands(choice->getCondition())});
    } else {
        FlowKind kind = flowOf(instr);
        std::vector<FlowOperand> results = flowOperands(&instr);
        std::vector<std::vector<FlowOperand>> operands;
        for (const llvm::Use& use : instr.operands())
            if (!isa<llvm::Function>(use.get()))
                operands.push_back(flowOperands(use.get()));
        bool known = kind == FlowKind::Combine || kind == FlowKind::Atomic || kind == FlowKind::Define;
        for (size_t i = 0; i < results.size() && kind != FlowKind::Gather; ++i) {
            FlowAssign assign{kind, results[i], true, {}};
            for (size_t j = 0; j < operands.size(); ++j) {
                const auto& parts = operands[j];
                // A constant has no registers: any that are always defined stand for it in the kinds with places.
                FlowOperand absent{m_registers.constant(constantBits(instr.getOperand(static_cast<unsigned>(j)))),
                                   results[i].bits};
                if (parts.empty() && !known)
                    assign.operands.push_back(absent);
                else if (!parts.empty())
                    assign.operands.push_back(parts[parts.size() == results.size() ? i : 0]);
            }
            flow.assigns.push_back(std::move(assign));
        }
        if (isBarrierVote(instr))
            flow.assigns.push_back({FlowKind::Branch, {}, false, flowOperands(instr.getOperand(0))});
        if (results.empty() && kind == FlowKind::Atomic)
            for (const auto& parts : operands)
                flow.assigns.push_back({FlowKind::Atomic, {}, false, parts});
    }
    if (!flow.assigns.empty())
        m_code.describeFrom(begin, std::move(flow));
}

uint64_t FunctionLowering::constantBits(const llvm::Value* value) const
{
    const auto* number = dyn_cast<llvm::ConstantInt>(value);
    return number && number->getBitWidth() <= 64 ? number->getZExtValue() : 0;
}

/// Whether some path reads the variable before anything was stored in it.
bool FunctionLowering::mayBeReadUnset(const llvm::AllocaInst& variable) const
{
    std::vector<const llvm::BasicBlock*> work{&m_function.getEntryBlock()};
    llvm::DenseSet<const llvm::BasicBlock*> seen{work.front()};
    while (!work.empty()) {
        const llvm::BasicBlock* block = work.back();
        work.pop_back();
        bool set = false;
        for (const llvm::Instruction& instr : *block) {
            if (const auto* load = dyn_cast<llvm::LoadInst>(&instr); load && load->getPointerOperand() == &variable)
                return true;
            const auto* store = dyn_cast<llvm::StoreInst>(&instr);
            if (store && store->getPointerOperand() == &variable) {
                set = true;
                break;
            }
        }
        if (set)
            continue;
        for (const llvm::BasicBlock* next : llvm::successors(block))
            if (seen.insert(next).second)
                work.push_back(next);
    }
    return false;
}

/// At the start of the function: variables that begin without a value.
void FunctionLowering::beginVariables()
{
    for (const llvm::Instruction& instr : m_function.getEntryBlock()) {
        const llvm::AllocaInst* alloca = m_analysis.promoted(&instr);
        const auto declaration = alloca ? m_analysis.declarationOf(*alloca) : FunctionAnalysis::Declaration{};
        if (!declaration.variable || !mayBeReadUnset(*alloca))
            continue;
        LaneType lane = laneTypeOf(alloca->getAllocatedType(), alloca);
        auto bits =
            flowBits(lane, static_cast<unsigned>(m_builder.layout().getTypeSizeInBits(alloca->getAllocatedType())));
        Flow flow;
        flow.variable.name = declaration.variable->getName().str();
        flow.where = m_builder.sources().locationOf(declaration.where);
        flow.variable.where = flow.where;
        flow.assigns.push_back({FlowKind::Undefined, {m_values.variable(*alloca), bits}, true, {}});
        m_builder.program().flows.push_back(std::move(flow));
        m_code.emit(runBeginVariable, nullptr).imm = reinterpret_cast<uint64_t>(&m_builder.program().flows.back());
    }
}

}  // namespace lanescope::simt
