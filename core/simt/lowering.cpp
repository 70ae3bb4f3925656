// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lowering.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

std::string describe(const llvm::Instruction& instr)
{
    std::string text;
    llvm::raw_string_ostream stream(text);
    instr.print(stream);
    size_t begin = text.find_first_not_of(' ');
    size_t end = text.find(", !dbg");
    return text.substr(begin == std::string::npos ? 0 : begin, end == std::string::npos ? end : end - begin);
}

LaneType laneTypeOf(llvm::Type* type, const llvm::Instruction* where)
{
    if (type->isFloatTy())
        return LaneType::F32;
    if (type->isDoubleTy())
        return LaneType::F64;
    if (type->isPointerTy())
        return LaneType::I64;
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 32)
        return LaneType::I32;
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64)
        return LaneType::I64;
    if (type->isHalfTy() || type->isBFloatTy())
        return LaneType::I32;  // moved as bits; arithmetic on them is refused where it occurs
    std::string name;
    llvm::raw_string_ostream stream(name);
    type->print(stream);
    throw Unsupported{"type " + name, where};
}

// ---- ProgramBuilder ----

ProgramBuilder::ProgramBuilder(llvm::Module& module, SourceTable& sources,
                               const std::map<const llvm::GlobalVariable*, DeviceAddress>& globals,
                               const LoweringOptions& options)
    : m_module(module), m_sources(sources), m_globals(globals), m_options(options), m_handlers(bestHandlers()),
      m_program(std::make_shared<Program>())
{
    m_program->firstSite = SiteId{options.firstSite};
    m_program->scalars.resize(kFirstFreeScalar);
}

uint32_t ProgramBuilder::newVector(LaneType lane)
{
    uint32_t reg = m_program->registerBytes;
    m_program->registerBytes += isWide(lane) ? 256 : 128;
    return reg;
}

uint32_t ProgramBuilder::newScalar()
{
    m_program->scalars.push_back(0);
    return static_cast<uint32_t>(m_program->scalars.size() - 1);
}

Operand ProgramBuilder::constant(uint64_t bits)
{
    auto [entry, isNew] = m_constants.try_emplace(bits, 0);
    if (isNew) {
        entry->second = newScalar();
        m_program->scalars[entry->second] = bits;
    }
    return {entry->second, Form::Scalar};
}

void ProgramBuilder::placeShared(const llvm::GlobalVariable& global)
{
    MemoryObject object;
    object.name = llvm::demangle(global.getName().str());
    object.slot = kSharedSlot + m_program->shared.size();
    DeclaredShape shape = shapeOf(global.getValueType(), layout());
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
    global.getDebugInfo(debug);
    if (!debug.empty()) {
        const llvm::DIGlobalVariable* variable = debug.front()->getVariable();
        object.name = variable->getName().str();
        shape = shapeOf(variable->getType());
        object.declaredAt = fmt::format("{}:{}", variable->getFilename().str(), variable->getLine());
    } else if (size_t colons = object.name.rfind("::"); colons != std::string::npos) {
        object.name = object.name.substr(colons + 2);
    }
    object.element = shape.element;
    object.dims = shape.dims;
    object.bytes = layout().getTypeAllocSize(global.getValueType());
    object.dynamic = global.isDeclaration() || object.bytes == 0;
    if (!object.dynamic) {
        uint64_t alignment = std::max<uint64_t>(global.getAlign().valueOrOne().value(), 1);
        object.offset = (m_program->staticSharedBytes + alignment - 1) / alignment * alignment;
        m_program->staticSharedBytes = object.offset + object.bytes;
    }
    m_shared.emplace(&global, slotAddress(object.slot));
    m_program->shared.push_back(std::move(object));
}

uint64_t ProgramBuilder::addressOf(const llvm::GlobalVariable& global)
{
    if (global.getAddressSpace() == 3) {
        if (!m_shared.contains(&global))
            placeShared(global);
        return m_shared.at(&global);
    }
    auto found = m_globals.find(&global);
    if (found == m_globals.end())
        throw Unsupported{
            "the variable " + llvm::demangle(global.getName().str()) + ", which is declared but not defined", nullptr};
    return found->second;
}

int ProgramBuilder::addLocal(MemoryObject object, uint64_t alignment)
{
    alignment = std::max<uint64_t>(alignment, 16);
    object.offset = (m_program->localBytesPerLane + alignment - 1) / alignment * alignment;
    object.slot = kLocalSlot + m_program->locals.size();
    if (object.slot >= kEndSlot)
        throw Unsupported{"more than " + std::to_string(kEndSlot - kLocalSlot) + " local arrays in one kernel",
                          nullptr};
    m_program->localBytesPerLane = object.offset + std::max<uint64_t>(object.bytes, 1);
    m_program->locals.push_back(std::move(object));
    return static_cast<int>(m_program->locals.size() - 1);
}

SiteId ProgramBuilder::addSite(trace::Site site)
{
    site.id = SiteId{m_program->firstSite.value + static_cast<uint32_t>(m_program->sites.size())};
    m_program->sites.push_back(std::move(site));
    return m_program->sites.back().id;
}

VariableId ProgramBuilder::variableFor(const llvm::DILocalVariable& variable, const llvm::DILocation* where)
{
    auto found = m_variables.find(&variable);
    if (found != m_variables.end())
        return found->second;
    trace::Variable entry;
    entry.id = VariableId{m_options.firstVariable + static_cast<uint32_t>(m_program->variables.size())};
    entry.name = variable.getName().str();
    entry.type = valueTypeOf(variable.getType());
    entry.function = variable.getScope()->getSubprogram()->getName().str();
    entry.declared = {m_sources.idOf(variable.getFile()), variable.getLine(), where ? where->getColumn() : 0};
    entry.isParameter = variable.isParameter();
    m_program->variables.push_back(entry);
    m_variables.emplace(&variable, entry.id);
    return entry.id;
}

void ProgramBuilder::addLeaves(llvm::Type* type, uint64_t offset, const llvm::Instruction* where,
                               std::vector<Leaf>& out)
{
    if (auto* structure = dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* shape = layout().getStructLayout(structure);
        for (unsigned i = 0; i < structure->getNumElements(); ++i)
            addLeaves(structure->getElementType(i), offset + shape->getElementOffset(i), where, out);
    } else if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
        uint64_t stride = layout().getTypeAllocSize(array->getElementType());
        for (uint64_t i = 0; i < array->getNumElements(); ++i)
            addLeaves(array->getElementType(), offset + i * stride, where, out);
    } else if (auto* vector = dyn_cast<llvm::FixedVectorType>(type)) {
        uint64_t stride = layout().getTypeStoreSize(vector->getElementType());
        for (unsigned i = 0; i < vector->getNumElements(); ++i)
            addLeaves(vector->getElementType(), offset + i * stride, where, out);
    } else {
        LaneType lane = laneTypeOf(type, where);
        auto bits = static_cast<unsigned>(layout().getTypeSizeInBits(type));
        out.push_back({lane, bits, offset, static_cast<unsigned>(layout().getTypeStoreSize(type))});
    }
}

std::vector<Leaf> ProgramBuilder::leaves(llvm::Type* type, const llvm::Instruction* where)
{
    std::vector<Leaf> out;
    if (!type->isVoidTy())
        addLeaves(type, 0, where, out);
    return out;
}

const LoweredFunction& ProgramBuilder::function(llvm::Function& function, const llvm::Instruction* caller)
{
    auto found = m_functions.find(&function);
    if (found != m_functions.end())
        return found->second;
    if (std::find(m_active.begin(), m_active.end(), &function) != m_active.end())
        throw Unsupported{"recursion through " + llvm::demangle(function.getName().str()), caller};
    LoweredFunction lowered;
    for (llvm::Argument& argument : function.args()) {
        Parts parts;
        int object = -1;
        for (const Leaf& leaf : leaves(argument.getType(), caller))
            parts.push_back({newVector(leaf.lane), Form::Vector});
        if (argument.hasByValAttr()) {
            MemoryObject local;
            local.name = argument.getName().str();
            local.bytes = layout().getTypeAllocSize(argument.getParamByValType());
            local.element = {trace::ScalarKind::Bytes, static_cast<uint32_t>(local.bytes), 1, "struct"};
            object = addLocal(local, 16);
            parts = {constant(slotAddress(m_program->locals[static_cast<size_t>(object)].slot))};
        }
        lowered.parameters.push_back(parts);
        lowered.byValObjects.push_back(object);
    }
    for (const Leaf& leaf : leaves(function.getReturnType(), caller))
        lowered.result.push_back({newVector(leaf.lane), Form::Vector});
    m_active.push_back(&function);
    lowered.entry = FunctionLowering(*this, function, false, lowered.parameters, lowered.result).lower();
    m_active.pop_back();
    return m_functions.emplace(&function, std::move(lowered)).first->second;
}

namespace {

/// A by-value struct that the kernel only reads can be shared by all threads.
bool isOnlyRead(const llvm::Value* pointer)
{
    return std::all_of(pointer->user_begin(), pointer->user_end(), [&](const llvm::User* user) {
        if (isa<llvm::LoadInst>(user))
            return true;
        if (isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user))
            return isOnlyRead(user);
        const auto* copy = dyn_cast<llvm::MemTransferInst>(user);
        return copy && copy->getRawSource() == pointer && copy->getRawDest() != pointer;
    });
}

}  // namespace

void ProgramBuilder::placeParameters(llvm::Function& kernel, std::vector<Parts>& parameters)
{
    for (llvm::Argument& argument : kernel.args()) {
        ParameterPlace place;
        Parts parts;
        if (argument.hasByValAttr()) {
            place.bytes = layout().getTypeAllocSize(argument.getParamByValType());
            if (isOnlyRead(&argument)) {
                place.parameterSlot = kParameterSlot + argument.getArgNo();
                parts.push_back(constant(slotAddress(place.parameterSlot)));
            } else {
                MemoryObject local;
                local.name = argument.getName().empty() ? fmt::format("parameter {}", argument.getArgNo())
                                                        : argument.getName().str();
                local.bytes = place.bytes;
                local.element = {trace::ScalarKind::Bytes, static_cast<uint32_t>(local.bytes), 1, "struct"};
                place.localObject = addLocal(local, 16);
                parts.push_back(constant(slotAddress(m_program->locals[static_cast<size_t>(place.localObject)].slot)));
            }
        } else {
            place.bytes = layout().getTypeStoreSize(argument.getType());
            for (const Leaf& leaf : leaves(argument.getType(), nullptr)) {
                uint32_t reg = newScalar();
                parts.push_back({reg, Form::Scalar});
                place.scalars.emplace_back(reg, static_cast<uint32_t>(leaf.byteOffset));
                place.widths.push_back(static_cast<uint8_t>(leaf.bytes));
            }
        }
        parameters.push_back(std::move(parts));
        m_program->parameters.push_back(std::move(place));
    }
}

Result<std::shared_ptr<const Program>> ProgramBuilder::build(llvm::Function& kernel)
{
    try {
        std::vector<Parts> parameters;
        placeParameters(kernel, parameters);
        m_active.push_back(&kernel);
        m_program->entry = FunctionLowering(*this, kernel, true, parameters, {}).lower();
        m_active.pop_back();
    } catch (const Unsupported& unsupported) {
        std::string where;
        if (unsupported.instr && unsupported.instr->getDebugLoc()) {
            const llvm::DILocation* location = unsupported.instr->getDebugLoc().get();
            where = fmt::format("{}:{}:{}", location->getFilename().str(), location->getLine(), location->getColumn());
        } else {
            where = llvm::demangle(kernel.getName().str());
        }
        return Error{Error::Code::Unsupported, "the simulator does not support " + unsupported.what, where};
    }
    for (const auto& code : m_program->code)
        m_program->instructionCount += code.size();
    return std::shared_ptr<const Program>(m_program);
}

// ---- FunctionLowering: preparation ----

FunctionLowering::FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                                   std::vector<Parts> parameters, Parts result)
    : m_builder(builder), m_function(function), m_isKernel(isKernel), m_parameters(std::move(parameters)),
      m_result(std::move(result)), m_postDominators(function)
{
}

bool FunctionLowering::isPromotable(const llvm::AllocaInst& alloca) const
{
    llvm::Type* type = alloca.getAllocatedType();
    if (alloca.isArrayAllocation() ||
        !(type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy()))
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
    m_uniformity = std::make_unique<Uniformity>(m_function, m_promoted, m_postDominators, m_isKernel);
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
                local &= other->getParent() == &block && !isa<llvm::PHINode>(other);
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
        variable->second.parts[0] = {uniform ? m_builder.newScalar() : m_builder.newVector(lane),
                                     uniform ? Form::Scalar : Form::Vector};
        return;
    }
    const auto* count = dyn_cast<llvm::ConstantInt>(alloca.getArraySize());
    if (!count)
        throw Unsupported{"an alloca whose size is known only at run time", &alloca};
    MemoryObject object;
    object.name = alloca.getName().str();
    DeclaredShape shape = shapeOf(alloca.getAllocatedType(), m_builder.layout());
    for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&alloca))) {
        object.name = record->getVariable()->getName().str();
        shape = shapeOf(record->getVariable()->getType());
        object.declaredAt =
            fmt::format("{}:{}", record->getVariable()->getFilename().str(), record->getVariable()->getLine());
    }
    object.element = shape.element;
    object.dims = shape.dims;
    object.bytes = m_builder.layout().getTypeAllocSize(alloca.getAllocatedType()) * count->getZExtValue();
    int index = m_builder.addLocal(object, alloca.getAlign().value());
    m_localAddresses[&alloca] = slotAddress(m_builder.program().locals[static_cast<size_t>(index)].slot);
}

// ---- FunctionLowering: emission ----

const Instr* FunctionLowering::lower()
{
    findVariables();
    findUses();
    findJoins();
    for (llvm::BasicBlock& block : m_function)
        for (llvm::Instruction& instr : block)
            if (auto* alloca = dyn_cast<llvm::AllocaInst>(&instr))
                placeAlloca(*alloca);
    for (llvm::BasicBlock& block : m_function) {
        m_blockLabels[&block] = newLabel();
        for (llvm::PHINode& phi : block.phis()) {
            Parts value;
            for (const Leaf& leaf : m_builder.leaves(phi.getType(), &phi))
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
    m_code.clear();
    resolveLabels();
    return m_builder.program().code.back().data() + m_labels[m_blockLabels[&m_function.getEntryBlock()]];
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

void FunctionLowering::lowerBlock(llvm::BasicBlock& block)
{
    place(m_blockLabels[&block]);
    if (m_joins.contains(&block))
        emit(runJoinPoint, nullptr);
    m_blockInstructions = 0;
    m_blockFlops = 0;
    for (llvm::Instruction& instr : block) {
        ++m_blockInstructions;
        m_blockFlops += flopsOf(instr);
        if (isa<llvm::PHINode>(instr))
            continue;
        recordDebugValues(instr);
        if (!isFoldedAddress(instr))
            lowerInstruction(instr);
        release(instr);
    }
    m_aliases.clear();
}

void FunctionLowering::lowerInstruction(llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::Alloca:
    case llvm::Instruction::Fence:
        return;
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
        static const char* kText = "the kernel reached code that the compiler declared unreachable";
        emit(runTrap, &instr).imm = reinterpret_cast<uint64_t>(kText);
        return;
    }
    default:
        break;
    }
    if (auto* binary = dyn_cast<llvm::BinaryOperator>(&instr))
        return lowerBinary(*binary);
    if (auto* conversion = dyn_cast<llvm::CastInst>(&instr))
        return lowerCast(*conversion);
    throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
}

Instr& FunctionLowering::emit(Handler handler, const llvm::Instruction* where)
{
    if (!handler)
        throw Unsupported{where ? "the instruction '" + describe(*where) + "'" : "an instruction", where};
    m_code.push_back({});
    m_code.back().run = handler;
    return m_code.back();
}

// ---- FunctionLowering: values ----

Operand FunctionLowering::newOperand(LaneType lane, bool uniform, bool blockLocal)
{
    if (uniform)
        return {m_builder.newScalar(), Form::Scalar};
    auto& free = isWide(lane) ? m_freeWide : m_freeNarrow;
    if (blockLocal && !free.empty()) {
        uint32_t reg = free.back();
        free.pop_back();
        return {reg, Form::Vector};
    }
    return {m_builder.newVector(lane), Form::Vector};
}

uint32_t FunctionLowering::temporary(LaneType lane)
{
    uint32_t reg = newOperand(lane, false, true).reg;
    m_temporaries.emplace_back(reg, isWide(lane));
    return reg;
}

void FunctionLowering::release(const llvm::Instruction& position)
{
    for (auto [reg, wide] : m_temporaries)
        (wide ? m_freeWide : m_freeNarrow).push_back(reg);
    m_temporaries.clear();
    std::erase_if(m_owned, [&](const auto& owned) {
        if (m_lastUse[owned.first] != &position)
            return false;
        llvm::Type* type = owned.first->getType();
        bool wide = owned.second.form == Form::Vector && m_builder.leaves(type, nullptr).size() == 1 &&
                    isWide(laneTypeOf(type, nullptr));
        (wide ? m_freeWide : m_freeNarrow).push_back(owned.second.reg);
        return true;
    });
}

Parts FunctionLowering::destinations(const llvm::Instruction& instr)
{
    Parts value;
    if (const llvm::AllocaInst* variable = directTarget(instr)) {
        detachAliases(variable, instr);
        value = m_variables[variable].parts;
    } else {
        std::vector<Leaf> all = m_builder.leaves(instr.getType(), &instr);
        bool local = m_lastUse.count(&instr) && all.size() == 1;
        for (const Leaf& leaf : all) {
            value.push_back(newOperand(leaf.lane, isUniform(instr), local));
            if (local && value.back().form == Form::Vector)
                m_owned.emplace_back(&instr, value.back());
        }
    }
    m_values[&instr] = value;
    return value;
}

Operand FunctionLowering::destination(const llvm::Instruction& instr, unsigned index)
{
    return destinations(instr)[index];
}

/// The variable that \p instr's value may be computed into directly: its only use is a store to that variable
/// further down the block, and nobody reads or writes the variable in between.
const llvm::AllocaInst* FunctionLowering::directTarget(const llvm::Instruction& instr)
{
    if (!instr.hasOneUse() || isa<llvm::LoadInst>(instr))
        return nullptr;
    const auto* store = dyn_cast<llvm::StoreInst>(*instr.user_begin());
    if (!store || store->getValueOperand() != &instr || store->getParent() != instr.getParent())
        return nullptr;
    const auto* alloca = dyn_cast<llvm::AllocaInst>(store->getPointerOperand());
    auto variable = alloca ? m_variables.find(alloca) : m_variables.end();
    if (variable == m_variables.end() || variable->second.uniform != isUniform(instr))
        return nullptr;
    for (const llvm::Instruction* between = instr.getNextNode(); between != store; between = between->getNextNode())
        if (std::any_of(between->op_begin(), between->op_end(),
                        [&](const llvm::Use& use) { return use.get() == alloca; }))
            return nullptr;
    return alloca;
}

/// Loads of a variable name its register; before the register changes, those still needed get a copy.
void FunctionLowering::detachAliases(const llvm::AllocaInst* variable, const llvm::Instruction& position)
{
    std::vector<const llvm::Value*> stale;
    for (const auto& [value, alias] : m_aliases)
        if (alias == variable)
            stale.push_back(value);
    std::sort(stale.begin(), stale.end(), [&](const llvm::Value* a, const llvm::Value* b) {
        return m_order[cast<llvm::Instruction>(a)] < m_order[cast<llvm::Instruction>(b)];
    });
    for (const llvm::Value* value : stale) {
        const auto* load = cast<llvm::Instruction>(value);
        m_aliases.erase(value);
        if (m_order[m_lastUse[load]] <= m_order[&position])
            continue;
        LaneType lane = laneTypeOf(load->getType(), load);
        Operand from = m_values[value].front();
        Operand copy = newOperand(lane, from.form == Form::Scalar, true);
        if (copy.form == Form::Vector)
            m_owned.emplace_back(load, copy);
        copyTo(copy, from, lane);
        m_values[value] = {copy};
    }
}

void FunctionLowering::define(const llvm::Instruction& instr, Parts value)
{
    // Another name for registers that live elsewhere; copied when the value outlives the place it comes from.
    std::vector<Leaf> all = m_builder.leaves(instr.getType(), &instr);
    Parts out;
    bool uniform = isUniform(instr);
    for (size_t i = 0; i < all.size(); ++i) {
        Operand copy = newOperand(all[i].lane, uniform && value[i].form == Form::Scalar, false);
        copyTo(copy, value[i], all[i].lane);
        out.push_back(copy);
    }
    m_values[&instr] = out;
}

Parts FunctionLowering::parts(const llvm::Value* value)
{
    if (const auto* constant = dyn_cast<llvm::Constant>(value))
        return constantParts(*constant);
    if (const auto* argument = dyn_cast<llvm::Argument>(value))
        return m_parameters[argument->getArgNo()];
    if (const auto* alloca = dyn_cast<llvm::AllocaInst>(value))
        return {m_builder.constant(m_localAddresses.at(alloca))};
    auto found = m_values.find(value);
    if (found != m_values.end())
        return found->second;
    const auto* instr = dyn_cast<llvm::Instruction>(value);
    if (!instr || !isFoldedAddress(*instr))
        throw Unsupported{
            "a value used before it is computed" + (instr ? ": '" + describe(*instr) + "'" : std::string()), instr};
    // A folded computation asked for after all (rare): compute it here.
    lowerInstruction(*const_cast<llvm::Instruction*>(instr));
    return m_values.find(value)->second;
}

uint64_t FunctionLowering::constantAddress(const llvm::Constant& constant)
{
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(&constant))
        return m_builder.addressOf(*global);
    if (const auto* number = dyn_cast<llvm::ConstantInt>(&constant))
        return number->getZExtValue();
    if (constant.isNullValue() || isa<llvm::UndefValue>(constant))
        return 0;
    if (const auto* expression = dyn_cast<llvm::ConstantExpr>(&constant)) {
        if (const auto* gep = dyn_cast<llvm::GEPOperator>(expression)) {
            llvm::APInt offset(64, 0);
            if (gep->accumulateConstantOffset(m_builder.layout(), offset))
                return constantAddress(*cast<llvm::Constant>(gep->getPointerOperand())) + offset.getZExtValue();
        }
        if (expression->isCast())
            return constantAddress(*expression->getOperand(0));
        if (expression->getOpcode() == llvm::Instruction::Add || expression->getOpcode() == llvm::Instruction::Sub) {
            uint64_t a = constantAddress(*expression->getOperand(0)), b = constantAddress(*expression->getOperand(1));
            return expression->getOpcode() == llvm::Instruction::Add ? a + b : a - b;
        }
    }
    if (isa<llvm::Function>(constant))
        throw Unsupported{"a pointer to the function " + llvm::demangle(constant.getName().str()), nullptr};
    std::string text;
    llvm::raw_string_ostream stream(text);
    constant.print(stream);
    throw Unsupported{"the constant " + text, nullptr};
}

Parts FunctionLowering::constantParts(const llvm::Constant& constant)
{
    llvm::Type* type = constant.getType();
    if (type->isAggregateType() || type->isVectorTy()) {
        Parts all;
        uint64_t count = type->isVectorTy()  ? cast<llvm::FixedVectorType>(type)->getNumElements()
                         : type->isArrayTy() ? type->getArrayNumElements()
                                             : type->getStructNumElements();
        for (uint64_t i = 0; i < count; ++i) {
            const llvm::Constant* element = constant.getAggregateElement(static_cast<unsigned>(i));
            Parts inner = element ? constantParts(*element) : Parts{};
            all.append(inner.begin(), inner.end());
        }
        return all;
    }
    if (isa<llvm::UndefValue>(constant))
        return {m_builder.constant(0)};
    if (const auto* real = dyn_cast<llvm::ConstantFP>(&constant))
        return {m_builder.constant(real->getValueAPF().bitcastToAPInt().getZExtValue())};
    laneTypeOf(type, nullptr);
    return {m_builder.constant(constantAddress(constant))};
}

uint32_t FunctionLowering::asVector(Operand operand, LaneType lane)
{
    if (operand.form == Form::Vector)
        return operand.reg;
    uint32_t reg = temporary(lane);
    Instr& instr = emit(m_builder.handlers().broadcast(lane), nullptr);
    instr.dst = reg;
    instr.a = operand.reg;
    return reg;
}

void FunctionLowering::copyTo(Operand to, Operand from, LaneType lane)
{
    if (to.form == from.form && to.reg == from.reg)
        return;
    LS_ASSERT(to.form == Form::Vector || from.form == Form::Scalar);
    Handler handler =
        to.form == Form::Vector && from.form == Form::Scalar
            ? m_builder.handlers().broadcast(lane)
            : m_builder.handlers().unary(UnaryOp::Copy, isWide(lane) ? LaneType::I64 : LaneType::I32, to.form);
    Instr& instr = emit(handler, nullptr);
    instr.dst = to.reg;
    instr.a = from.reg;
}

}  // namespace lanescope::simt
