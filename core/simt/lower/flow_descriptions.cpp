// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/flow_descriptions.h"

#include <algorithm>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/machine/handlers.h"

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

/// mma.sync, of which an element of the result is undefined where its row, its column or its addend is.
bool isWarpProduct(const llvm::CallInst& call)
{
    return call.getCalledFunction() && call.getCalledFunction()->getName().starts_with("__ls_mma.");
}

/// A piece of wgmma.
bool isProduct(const llvm::CallInst& call)
{
    return call.getCalledFunction() && call.getCalledFunction()->getName().starts_with("__ls_wgmma.");
}

bool callsProgram(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::CallInst>(&instr);
    return call && (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration());
}

FlowKind flowOf(const llvm::Instruction& instr)
{
    if (isa<llvm::BinaryOperator>(instr))
        return binaryFlow(instr);
    if (isa<llvm::SelectInst>(instr))
        return FlowKind::Select;
    if (isa<llvm::SExtInst>(instr))
        return FlowKind::SignWiden;
    if (isa<llvm::ZExtInst, llvm::TruncInst, llvm::BitCastInst, llvm::FreezeInst>(instr))
        return FlowKind::Move;
    if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instr))
        return FlowKind::Atomic;
    const auto* const product = dyn_cast<llvm::CallInst>(&instr);
    if (gathersLanes(instr) || (product && isWarpProduct(*product)))
        return FlowKind::Gather;
    if (const auto* call = dyn_cast<llvm::CallInst>(&instr); call && isProduct(*call))
        return FlowKind::Product;
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

uint64_t constantBits(const llvm::Value* value)
{
    const auto* number = dyn_cast<llvm::ConstantInt>(value);
    return number && number->getBitWidth() <= 64 ? number->getZExtValue() : 0;
}

/// Whether some path reads the variable before anything was stored in it.
bool mayBeReadUnset(const llvm::AllocaInst& variable)
{
    std::vector<const llvm::BasicBlock*> work{&variable.getFunction()->getEntryBlock()};
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

}  // namespace

/// The registers of an operand, one per leaf; empty for what is always defined.
std::vector<FlowOperand> FlowDescriptions::operandsOf(const llvm::Value* value) const
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

void FlowDescriptions::describeMemory(FlowKind kind, const llvm::Instruction& instr)
{
    Flow flow;
    flow.where = m_builder.sources().locationOf(instr.getDebugLoc().get());
    flow.assigns.push_back({kind, {}, false, {}});
    m_code.describeLast(std::move(flow));
}

void FlowDescriptions::describe(const llvm::Instruction& instr, size_t begin)
{
    if (m_code.size() == begin || isa<llvm::LoadInst, llvm::StoreInst, llvm::ReturnInst, llvm::PHINode>(instr))
        return;
    // Their moves of parts describe themselves.
    if (isa<llvm::ExtractValueInst, llvm::InsertValueInst, llvm::ExtractElementInst, llvm::InsertElementInst,
            llvm::ShuffleVectorInst>(instr))
        return;
    Flow flow;
    flow.where = m_builder.sources().locationOf(instr.getDebugLoc().get());
    if (instr.isTerminator())
        addBranch(instr, flow);
    else
        addResults(instr, flow);
    if (!flow.assigns.empty())
        m_code.describeFrom(begin, std::move(flow));
}

void FlowDescriptions::addBranch(const llvm::Instruction& terminator, Flow& flow) const
{
    if (const auto* branch = dyn_cast<llvm::BranchInst>(&terminator); branch && branch->isConditional())
        flow.assigns.push_back({FlowKind::Branch, {}, false, operandsOf(branch->getCondition())});
    if (const auto* choice = dyn_cast<llvm::SwitchInst>(&terminator))
        flow.assigns.push_back({FlowKind::Branch, {}, false, operandsOf(choice->getCondition())});
}

void FlowDescriptions::addResults(const llvm::Instruction& instr, Flow& flow)
{
    const FlowKind kind = flowOf(instr);
    const std::vector<FlowOperand> results = operandsOf(&instr);
    std::vector<std::vector<FlowOperand>> operands;
    // What a function of the program is given it gets by copies.
    if (!callsProgram(instr))
        for (const llvm::Use& use : instr.operands())
            if (!isa<llvm::Function>(use.get()))
                operands.push_back(operandsOf(use.get()));
    const bool known = kind == FlowKind::Combine || kind == FlowKind::Atomic || kind == FlowKind::Define ||
                       kind == FlowKind::Gather || kind == FlowKind::Product;
    for (size_t i = 0; i < results.size(); ++i) {
        // What is gathered from other lanes says itself what of it is defined.
        FlowAssign assign{kind, results[i], kind != FlowKind::Gather && kind != FlowKind::Product, {}};
        for (size_t j = 0; j < operands.size(); ++j) {
            const auto& parts = operands[j];
            // A constant has no registers: any that are always defined stand for it in the kinds with places.
            const uint64_t bits = constantBits(instr.getOperand(static_cast<unsigned>(j)));
            const FlowOperand absent{m_builder.registers().constant(bits), results[i].bits};
            if (parts.empty() && !known)
                assign.operands.push_back(absent);
            else if (!parts.empty())
                assign.operands.push_back(parts[parts.size() == results.size() ? i : 0]);
            if (isa<llvm::BitCastInst>(instr) && parts.size() == 1 && results.size() > 1)
                assign.operands.push_back({m_builder.registers().constant(i * results[i].bits), 32});
            else if (isa<llvm::BitCastInst>(instr) && parts.size() > 1 && results.size() == 1)
                assign.operands.insert(assign.operands.end(), parts.begin() + 1, parts.end());
        }
        flow.assigns.push_back(std::move(assign));
    }
    if (isBarrierVote(instr))
        flow.assigns.push_back({FlowKind::Branch, {}, false, operandsOf(instr.getOperand(0))});
    if (results.empty() && kind == FlowKind::Atomic)
        for (const auto& parts : operands)
            flow.assigns.push_back({FlowKind::Atomic, {}, false, parts});
}

void FlowDescriptions::beginVariables()
{
    for (const llvm::Instruction& instr : m_analysis.function().getEntryBlock()) {
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
