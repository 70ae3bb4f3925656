// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function as a whole: which variables live in registers, where lanes rejoin, block after block.
#include "core/simt/lower/function_lowering.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "core/simt/code/operations.h"
#include "core/simt/ir/legalise.h"
#include "core/simt/lower/fusion.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

// ---- FunctionLowering: preparation ----

FunctionLowering::FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                                   std::vector<Parts> parameters, Parts result)
    : m_builder(builder), m_function(function), m_isKernel(isKernel), m_isRecursive(builder.isRecursive(function)),
      m_parameters(std::move(parameters)), m_result(std::move(result)), m_postDominators(function)
{
    if (!m_isRecursive)
        return;
    m_spills = &m_builder.program().spills.emplace_back();
    for (size_t i = 0; i < m_parameters.size(); ++i) {
        std::vector<Leaf> all =
            leavesOf(m_builder.layout(), function.getArg(static_cast<unsigned>(i))->getType(), nullptr);
        for (size_t part = 0; part < m_parameters[i].size(); ++part)
            m_spills->registers.emplace_back(m_parameters[i][part].reg, isWide(all[part].lane));
    }
}

bool FunctionLowering::isPromotable(const llvm::AllocaInst& alloca) const
{
    llvm::Type* type = alloca.getAllocatedType();
    if (alloca.isArrayAllocation() || !((type->isIntegerTy() && type->getIntegerBitWidth() <= 64) ||
                                        type->isFloatTy() || type->isDoubleTy() || type->isPointerTy()))
        return false;
    return std::all_of(alloca.user_begin(), alloca.user_end(), [&](const llvm::User* user) {
        if (const auto* load = dyn_cast<llvm::LoadInst>(user))
            return load->getType() == type && !load->isVolatile();
        if (const auto* store = dyn_cast<llvm::StoreInst>(user))
            return store->getPointerOperand() == &alloca && store->getValueOperand()->getType() == type &&
                   !store->isVolatile();
        const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(user);
        return intrinsic && intrinsic->isLifetimeStartOrEnd();
    });
}

void FunctionLowering::findVariables()
{
    for (llvm::BasicBlock& block : m_function)
        for (llvm::Instruction& instr : block)
            if (auto* alloca = dyn_cast<llvm::AllocaInst>(&instr); alloca && isPromotable(*alloca))
                m_promoted.insert(alloca);
    m_uniformity = std::make_unique<Uniformity>(m_function, m_promoted, m_postDominators, m_isKernel, m_isRecursive);
    for (const llvm::AllocaInst* alloca : m_promoted) {
        Variable variable;
        variable.uniform = isUniform(*alloca);
        variable.parts.push_back({});
        m_variables.try_emplace(alloca, std::move(variable));
    }
    for (llvm::BasicBlock& block : m_function)
        for (llvm::Instruction& instr : block)
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                if (record.isDbgDeclare())
                    if (auto* alloca = dyn_cast_or_null<llvm::AllocaInst>(record.getAddress()))
                        if (auto variable = m_variables.find(alloca); variable != m_variables.end()) {
                            variable->second.debug = record.getVariable();
                            variable->second.declared = record.getDebugLoc().get();
                        }
}

/// An address or index computation that its users fold into theirs instead of having it in a register.
bool FunctionLowering::isFoldedAddress(const llvm::Instruction& instr) const
{
    bool isIndex = isa<llvm::SExtInst>(instr) && instr.getOperand(0)->getType()->isIntegerTy(32) &&
                   instr.getType()->isIntegerTy(64);
    if (!isIndex && !isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(instr))
        return false;
    if (instr.getType()->isVectorTy() || instr.use_empty())
        return false;
    return std::all_of(instr.user_begin(), instr.user_end(), [&](const llvm::User* user) {
        const auto* other = dyn_cast<llvm::Instruction>(user);
        if (!other || other->getParent() != instr.getParent())
            return false;
        if (const auto* gep = dyn_cast<llvm::GetElementPtrInst>(other))
            return instr.hasOneUse() && isFoldedAddress(*gep);
        if (isIndex)
            return false;
        if (const auto* load = dyn_cast<llvm::LoadInst>(other))
            return !load->getType()->isAggregateType() && instr.hasOneUse();
        const auto* store = dyn_cast<llvm::StoreInst>(other);
        return store && store->getPointerOperand() == &instr && instr.hasOneUse();
    });
}

/// An address of nothing but constants and one value, for loads and stores elsewhere. Made where it is used it costs
/// nothing, and the accesses of an unrolled loop go by that one value's pattern; in registers, each would have one to
/// be written, and its pattern noted, by every warp.
bool FunctionLowering::isSharedAddress(const llvm::Instruction& instr) const
{
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&instr);
    if (!gep || gep->getType()->isVectorTy() || isa<llvm::AllocaInst>(gep->getPointerOperand()))
        return false;
    bool varies = !isa<llvm::Constant>(gep->getPointerOperand()) && !isUniform(*gep->getPointerOperand());
    for (const llvm::Use& index : gep->indices()) {
        if (isa<llvm::Constant>(index))
            continue;
        if (varies || isUniform(*index))
            return false;
        varies = true;
    }
    bool elsewhere = false;
    for (const llvm::User* user : gep->users()) {
        const auto* load = dyn_cast<llvm::LoadInst>(user);
        const auto* store = dyn_cast<llvm::StoreInst>(user);
        if (!(load && !load->getType()->isAggregateType()) && !(store && store->getValueOperand() != gep))
            return false;
        elsewhere |= cast<llvm::Instruction>(user)->getParent() != gep->getParent();
    }
    return elsewhere;
}

bool FunctionLowering::isFolded(const llvm::Instruction& instr) const
{
    return isFoldedAddress(instr) || isSharedAddress(instr);
}

void FunctionLowering::findUses()
{
    for (llvm::BasicBlock& block : m_function) {
        unsigned order = 0;
        for (llvm::Instruction& instr : block)
            m_order[&instr] = order++;
        for (llvm::Instruction& instr : llvm::reverse(block)) {
            const llvm::Instruction* last = &instr;
            bool local = true;
            for (const llvm::User* user : instr.users()) {
                const auto* other = cast<llvm::Instruction>(user);
                local &= other->getParent() == &block && !isa<llvm::PHINode>(other) && !isSharedAddress(*other);
                if (!local)
                    break;
                // A folded user works where its own user stands.
                const llvm::Instruction* at =
                    isFoldedAddress(*other) && m_lastUse.count(other) ? m_lastUse[other] : other;
                if (m_order[at] > m_order[last])
                    last = at;
            }
            if (local)
                m_lastUse[&instr] = last;
        }
    }
}

void FunctionLowering::findJoins()
{
    for (llvm::BasicBlock& block : m_function) {
        const llvm::Instruction* terminator = block.getTerminator();
        if (!m_uniformity->mayDiverge(terminator))
            continue;
        const auto* node = m_postDominators.getNode(&block);
        if (node && node->getIDom() && node->getIDom()->getBlock())
            m_joins.insert(node->getIDom()->getBlock());
    }
}

void FunctionLowering::placeAlloca(llvm::AllocaInst& alloca)
{
    if (auto variable = m_variables.find(&alloca); variable != m_variables.end()) {
        LaneType lane = laneTypeOf(alloca.getAllocatedType(), &alloca);
        bool uniform = variable->second.uniform;
        variable->second.parts[0] = {uniform ? m_builder.registers().newScalar() : newVector(lane),
                                     uniform ? Form::Scalar : Form::Vector};
        return;
    }
    const auto* count = dyn_cast<llvm::ConstantInt>(alloca.getArraySize());
    if (!count || !alloca.isStaticAlloca()) {
        m_hasDynamicAlloca = true;
        return;
    }
    if (m_isRecursive) {
        uint64_t alignment = std::max<uint64_t>(alloca.getAlign().value(), 16);
        uint64_t offset = (m_frameBytes + alignment - 1) / alignment * alignment;
        m_frameAllocas.emplace_back(&alloca, offset);
        m_frameBytes = offset + m_builder.layout().getTypeAllocSize(alloca.getAllocatedType()) * count->getZExtValue();
        m_values[&alloca] = {{newVector(LaneType::I64), Form::Vector}};
        return;
    }
    MemoryObject object;
    object.name = alloca.getName().str();
    object.key = m_builder.keyOf(alloca);
    DeclaredShape shape = shapeOf(alloca.getAllocatedType(), m_builder.layout());
    for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&alloca))) {
        object.name = record->getVariable()->getName().str();
        shape = shapeOf(record->getVariable()->getType());
        object.declaredAt =
            fmt::format("{}:{}", pathOf(record->getVariable()->getFile()), record->getVariable()->getLine());
    }
    object.element = shape.element;
    object.dims = shape.dims;
    object.bytes = m_builder.layout().getTypeAllocSize(alloca.getAllocatedType()) * count->getZExtValue();
    int index = m_builder.addLocal(object, alloca.getAlign().value());
    m_localAddresses[&alloca] = slotAddress(m_builder.program().locals[static_cast<size_t>(index)].slot);
}

// ---- FunctionLowering: the stack ----

uint32_t FunctionLowering::newVector(LaneType lane)
{
    uint32_t reg = m_builder.registers().newVector(lane);
    if (m_spills)
        m_spills->registers.emplace_back(reg, isWide(lane));
    return reg;
}

/// Gives each lane \p bytes (64-bit register) of its stack; returns the register of their address.
uint32_t FunctionLowering::allocateStack(uint32_t bytes, const llvm::Instruction* where)
{
    m_builder.needStack();
    uint32_t address = newVector(LaneType::I64);
    Instr& emitted = emit(runEnterFrame, where);
    emitted.dst = address;
    emitted.a = bytes;
    return address;
}

void FunctionLowering::enterFrame()
{
    if (!m_isRecursive && !m_hasDynamicAlloca)
        return;
    m_frame = allocateStack(asVector(m_builder.registers().constant(m_frameBytes), LaneType::I64), nullptr);
    for (auto [alloca, offset] : m_frameAllocas)
        emitBinary(BinaryOp::Add, LaneType::I64, m_values[alloca].front(), {m_frame, Form::Vector},
                   m_builder.registers().constant(offset), nullptr);
}

void FunctionLowering::leaveFrame(const llvm::Instruction* where)
{
    if (m_isRecursive || m_hasDynamicAlloca)
        emitUnary(UnaryOp::Copy, LaneType::I64, {kStackReg, Form::Vector}, {m_frame, Form::Vector}, where);
}

void FunctionLowering::lowerDynamicAlloca(llvm::AllocaInst& alloca)
{
    if (alloca.isStaticAlloca())
        return;
    Operand count = operand(alloca.getArraySize());
    LaneType lane = laneTypeOf(alloca.getArraySize()->getType(), &alloca);
    Operand wide{temporary(LaneType::I64), Form::Vector}, bytes{temporary(LaneType::I64), Form::Vector};
    if (isWide(lane))
        copyTo(wide, count, lane);
    else
        emitCast(CastOp::Zext32To64, lane, LaneType::I64, 32, 64, wide, count, &alloca);
    emitBinary(BinaryOp::Mul, LaneType::I64, bytes, wide,
               m_builder.registers().constant(m_builder.layout().getTypeAllocSize(alloca.getAllocatedType())), &alloca);
    m_values[&alloca] = {{allocateStack(bytes.reg, &alloca), Form::Vector}};
}

// ---- FunctionLowering: emission ----

const Instr* FunctionLowering::lower()
{
    findVariables();
    findUses();
    findPatterns();
    findJoins();
    findPassedMarks();
    for (llvm::BasicBlock& block : m_function)
        for (llvm::Instruction& instr : block)
            if (auto* alloca = dyn_cast<llvm::AllocaInst>(&instr))
                placeAlloca(*alloca);
    for (llvm::BasicBlock& block : m_function) {
        m_blockLabels[&block] = newLabel();
        for (llvm::PHINode& phi : block.phis()) {
            Parts value;
            for (const Leaf& leaf : leavesOf(m_builder.layout(), phi.getType(), &phi))
                value.push_back(newOperand(leaf.lane, isUniform(phi), false));
            m_values[&phi] = value;
        }
    }
    // Definitions come before uses in this order, whatever the order in the file; unreachable blocks drop out.
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&m_function))
        lowerBlock(*block);
    for (size_t i = 0; i < m_edges.size(); ++i) {
        Edge stub = m_edges[i];
        place(stub.label);
        emitPhiMoves(*stub.from, *stub.to);
        Instr& jump = emit(m_builder.handlers().jump(false), nullptr);
        jump.a = 0;
        m_jumpFixups.emplace_back(m_code.size() - 1, m_blockLabels[stub.to]);
    }
    m_builder.program().code.push_back(std::move(m_code));
    m_builder.program().flowSlots.push_back(std::move(m_flowSlots));
    m_code.clear();
    resolveLabels();
    std::vector<Instr>& code = m_builder.program().code.back();
    fuse(code, m_builder.handlers().fused, m_builder.program().productRows);
    return code.data() + m_labels[m_blockLabels[&m_function.getEntryBlock()]];
}

void FunctionLowering::resolveLabels()
{
    std::vector<Instr>& code = m_builder.program().code.back();
    auto at = [&](Label label) { return code.data() + m_labels[label]; };
    for (auto [index, label] : m_jumpFixups)
        code[index].imm = reinterpret_cast<uint64_t>(at(label));
    for (const BranchFixup& fixup : m_branchFixups) {
        fixup.info->ifTrue = at(fixup.ifTrue);
        fixup.info->ifFalse = at(fixup.ifFalse);
        fixup.info->reconverge = fixup.reconverge ? at(*fixup.reconverge) : nullptr;
    }
    for (const SwitchFixup& fixup : m_switchFixups) {
        for (size_t i = 0; i < fixup.cases.size(); ++i)
            fixup.info->cases[i].second = at(fixup.cases[i]);
        fixup.info->fallback = at(fixup.fallback);
        fixup.info->reconverge = fixup.reconverge ? at(*fixup.reconverge) : nullptr;
    }
}

namespace {

/// Floating-point operations of one lane: a fused multiply-add counts two, as profilers do.
uint32_t flopsOf(const llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
        break;
    default: {
        const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instr);
        bool fused = intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::fma ||
                                   intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd);
        return fused ? 2 : 0;
    }
    }
    const auto* vector = dyn_cast<llvm::FixedVectorType>(instr.getType());
    return vector ? vector->getNumElements() : 1;
}

}  // namespace

void FunctionLowering::beginFunction()
{
    beginVariables();
    if (!m_isKernel)
        enterFrame();
    for (const llvm::Argument& argument : m_function.args())
        notePattern(argument);
}

void FunctionLowering::lowerBlock(llvm::BasicBlock& block)
{
    place(m_blockLabels[&block]);
    if (m_joins.contains(&block))
        emit(runJoinPoint, nullptr);
    if (auto mark = m_passedMarks.find(&block); mark != m_passedMarks.end())
        emit(runPassedMark, nullptr).c = mark->second;
    for (const llvm::PHINode& phi : block.phis())
        notePattern(phi);
    if (block.isEntryBlock())
        beginFunction();
    m_recordedValues.clear();
    m_blockInstructions = 0;
    m_blockFlops = 0;
    for (llvm::Instruction& instr : block) {
        ++m_blockInstructions;
        m_blockFlops += flopsOf(instr);
        if (isa<llvm::PHINode>(instr))
            continue;
        recordDebugValues(instr);
        if (!isFolded(instr)) {
            size_t begin = m_code.size();
            lowerInstruction(instr);
            describeFlow(instr, begin);
            notePattern(instr);
        }
        release(instr);
    }
    m_aliases.clear();
}

void FunctionLowering::lowerInstruction(llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::Alloca:
        return lowerDynamicAlloca(cast<llvm::AllocaInst>(instr));
    case llvm::Instruction::Fence:
        return emitFence(instr, cast<llvm::FenceInst>(instr).getSyncScopeID() == blockScope(instr.getContext()));
    case llvm::Instruction::GetElementPtr:
        return lowerAddress(cast<llvm::GetElementPtrInst>(instr));
    case llvm::Instruction::Load:
        return lowerLoad(cast<llvm::LoadInst>(instr));
    case llvm::Instruction::Store:
        return lowerStore(cast<llvm::StoreInst>(instr));
    case llvm::Instruction::AtomicRMW:
        return lowerAtomicRmw(cast<llvm::AtomicRMWInst>(instr));
    case llvm::Instruction::AtomicCmpXchg:
        return lowerCompareExchange(cast<llvm::AtomicCmpXchgInst>(instr));
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
        if (lowerWideInteger(instr))
            return;
        return lowerCompare(cast<llvm::CmpInst>(instr));
    case llvm::Instruction::Select:
        return lowerSelect(cast<llvm::SelectInst>(instr));
    case llvm::Instruction::FNeg:
        return lowerUnary(cast<llvm::UnaryOperator>(instr));
    case llvm::Instruction::Freeze:
        return define(instr, parts(instr.getOperand(0)));
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
        return lowerAggregate(instr);
    case llvm::Instruction::Call:
        return lowerCall(cast<llvm::CallInst>(instr));
    case llvm::Instruction::Br:
        return lowerBranch(cast<llvm::BranchInst>(instr));
    case llvm::Instruction::Switch:
        return lowerSwitch(cast<llvm::SwitchInst>(instr));
    case llvm::Instruction::Ret:
        return lowerReturn(cast<llvm::ReturnInst>(instr));
    case llvm::Instruction::Unreachable: {
        static const Trap kUnreachable{
            FindingKind::AssertFailed,
            "the kernel came to where, by the rules of the language, it cannot come: a null pointer that "
            "is used, or the end of a function that returns a value, lead there"};
        lowerTrap(instr, kUnreachable);
        return;
    }
    default:
        break;
    }
    if (lowerWideInteger(instr))
        return;
    if (auto* binary = dyn_cast<llvm::BinaryOperator>(&instr))
        return lowerBinary(*binary);
    if (auto* conversion = dyn_cast<llvm::CastInst>(&instr))
        return lowerCast(*conversion);
    throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
}

/// \p blockOnly: other blocks need not see in order what comes before it.
void FunctionLowering::emitFence(const llvm::Instruction& where, bool blockOnly)
{
    // Blocks that hand data over take turns, so that what they find does not depend on the host.
    m_builder.program().needsOneHostThread |= !blockOnly;
    m_builder.program().hasFences = true;
    emit(runFence, &where).imm = static_cast<uint64_t>(blockOnly ? SyncScope::Block : SyncScope::Device);
}

Instr& FunctionLowering::emit(Handler handler, const llvm::Instruction* where)
{
    if (!handler)
        throw Unsupported{where ? "the instruction '" + describe(*where) + "'" : "an instruction", where};
    m_code.push_back({});
    m_code.back().run = handler;
    m_flowSlots.push_back({});
    return m_code.back();
}

}  // namespace lanescope::simt
