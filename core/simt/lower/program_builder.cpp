// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel and the functions it calls share: registers, constants, memory objects, sites, parameters.

#include <algorithm>

#include <fmt/format.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>

#include "core/simt/ir/shared_regions.h"
#include "core/simt/lower/function_lowering.h"
#include "core/simt/lower/program_builder.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

ProgramBuilder::ProgramBuilder(llvm::Module& module, SourceTable& sources,
                               const std::map<const llvm::GlobalVariable*, device::DeviceAddress>& globals,
                               const FunctionAddresses& functions, const LoweringOptions& options)
    : m_module(module), m_sources(sources), m_globals(globals), m_functionAddresses(functions), m_options(options),
      m_handlers(bestHandlers()), m_program(std::make_shared<Program>()), m_registers(*m_program)
{
    findRecursion();
    m_program->firstSite = SiteId{options.firstSite};
    m_program->wholeRows = options.wholeRows;
}

void ProgramBuilder::placeShared(const llvm::GlobalVariable& global)
{
    MemoryObject object;
    object.name = llvm::demangle(global.getName().str());
    object.slot = kSharedSlot + m_program->shared.size();
    object.key = keyOf(global);
    DeclaredShape shape = shapeOf(global.getValueType(), layout());
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
    global.getDebugInfo(debug);
    if (!debug.empty()) {
        const llvm::DIGlobalVariable* variable = debug.front()->getVariable();
        object.name = variable->getName().str();
        shape = shapeOf(variable->getType());
        object.parts = partsOf(variable->getType());
        object.regions = regionsOf(variable->getType(), object.name);
        object.declaredAt = fmt::format("{}:{}", pathOf(variable->getFile()), variable->getLine());
    } else if (size_t colons = object.name.rfind("::"); colons != std::string::npos) {
        object.name = object.name.substr(colons + 2);
    }
    object.element = shape.element;
    object.dims = shape.dims;
    object.bytes = layout().getTypeAllocSize(global.getValueType());
    object.dynamic = global.isDeclaration() || object.bytes == 0;
    const uint64_t alignment = std::max<uint64_t>(global.getAlign().valueOrOne().value(), 1);
    if (object.dynamic)
        m_program->dynamicSharedAlignment = std::max(m_program->dynamicSharedAlignment, alignment);
    // All names of dynamic shared memory are of one memory, which has the type and name of the first that is used.
    if (const auto other = std::ranges::find_if(m_program->shared, &MemoryObject::dynamic);
        object.dynamic && other != m_program->shared.end()) {
        m_shared.emplace(&global, slotAddress(other->slot));
        return;
    }
    if (m_program->shared.size() == kMostSharedArrays)
        throw Unsupported{fmt::format("more than {} shared arrays in one kernel", kMostSharedArrays), nullptr};
    if (!object.dynamic) {
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
    if (found == m_globals.end() && global.hasExternalWeakLinkage())
        return 0;  // threadIdx and its like, whose address nobody uses
    if (found == m_globals.end())
        throw Unsupported{
            "the variable " + llvm::demangle(global.getName().str()) + ", which is declared but not defined", nullptr};
    return found->second;
}

uint64_t ProgramBuilder::addressOf(const llvm::Function& function)
{
    auto found = m_functionAddresses.find(&function);
    if (found == m_functionAddresses.end())
        throw Unsupported{"a pointer to the function " + llvm::demangle(function.getName().str()), nullptr};
    return found->second;
}

void ProgramBuilder::findRecursion()
{
    llvm::CallGraph calls(m_module);
    unsigned cycle = 0;
    for (auto component = llvm::scc_begin(&calls); !component.isAtEnd(); ++component, ++cycle)
        if (component.hasCycle())
            for (const llvm::CallGraphNode* node : *component)
                if (const llvm::Function* function = node->getFunction(); function && !function->isDeclaration())
                    m_recursion[function] = cycle;
}

bool ProgramBuilder::callsBack(const llvm::Function& caller, const llvm::Function& callee) const
{
    auto a = m_recursion.find(&caller), b = m_recursion.find(&callee);
    return a != m_recursion.end() && b != m_recursion.end() && a->second == b->second;
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

uint64_t ProgramBuilder::placeLocal(MemoryObject object, uint64_t alignment)
{
    constexpr size_t kOwn = kEndSlot - kLocalSlot - 2;  // the shared one and the stack come behind
    std::vector<MemoryObject>& locals = m_program->locals;
    if (locals.size() < kOwn) {
        const int index = addLocal(std::move(object), alignment);
        return slotAddress(locals[static_cast<size_t>(index)].slot);
    }
    if (locals.size() == kOwn) {
        MemoryObject shared;
        shared.name = "other local variables";
        shared.element = {trace::ScalarKind::Bytes, 1, 1, "char"};
        m_sharedLocal = kLocalSlot + kOwn;
        addLocal(std::move(shared), 64);
    }
    MemoryObject& shared = locals.back();
    const uint64_t within = (shared.bytes + alignment - 1) / alignment * alignment;
    shared.bytes = within + std::max<uint64_t>(object.bytes, 1);
    shared.dims = {shared.bytes};
    m_program->localBytesPerLane = shared.offset + shared.bytes;
    return slotAddress(shared.slot) + within;
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

const LoweredFunction& ProgramBuilder::function(llvm::Function& function, const llvm::Instruction* caller)
{
    auto found = m_functions.find(&function);
    if (found != m_functions.end())
        return found->second;
    LoweredFunction lowered;
    for (llvm::Argument& argument : function.args()) {
        Parts parts;
        int object = -1;
        for (const Leaf& leaf : leavesOf(layout(), argument.getType(), caller))
            parts.push_back({m_registers.newVector(leaf.lane), Form::Vector});
        if (argument.hasByValAttr() && isRecursive(function)) {
            object = LoweredFunction::kOnStack;
        } else if (argument.hasByValAttr()) {
            MemoryObject local;
            local.name = argument.getName().str();
            local.key = keyOf(argument);
            local.bytes = layout().getTypeAllocSize(argument.getParamByValType());
            local.element = {trace::ScalarKind::Bytes, static_cast<uint32_t>(local.bytes), 1, "struct"};
            object = LoweredFunction::kPlaced;
            parts = {m_registers.constant(placeLocal(std::move(local), 16))};
        }
        lowered.parameters.push_back(parts);
        lowered.byValObjects.push_back(object);
    }
    for (const Leaf& leaf : leavesOf(layout(), function.getReturnType(), caller))
        lowered.result.push_back({m_registers.newVector(leaf.lane), Form::Vector});
    lowered.entry = &m_program->entries.emplace_back(nullptr);
    // Known before it is lowered: it may call itself.
    const LoweredFunction& known = m_functions.emplace(&function, std::move(lowered)).first->second;
    *known.entry = FunctionLowering(*this, function, false, known.parameters, known.result).lower();
    return known;
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
        // Tensor maps go to the copies that read them.
        const auto* call = dyn_cast<llvm::CallBase>(user);
        if (call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with("__ls_tensor."))
            return true;
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
            place.key = keyOf(argument);
            if (isOnlyRead(&argument)) {
                place.parameterSlot = kParameterSlot + argument.getArgNo();
                parts.push_back(m_registers.constant(slotAddress(place.parameterSlot)));
            } else {
                MemoryObject local;
                local.name = argument.getName().empty() ? fmt::format("parameter {}", argument.getArgNo())
                                                        : argument.getName().str();
                local.key = keyOf(argument);
                local.bytes = place.bytes;
                local.element = {trace::ScalarKind::Bytes, static_cast<uint32_t>(local.bytes), 1, "struct"};
                place.localObject = addLocal(local, 16);
                parts.push_back(
                    m_registers.constant(slotAddress(m_program->locals[static_cast<size_t>(place.localObject)].slot)));
            }
        } else {
            place.bytes = layout().getTypeStoreSize(argument.getType());
            for (const Leaf& leaf : leavesOf(layout(), argument.getType(), nullptr)) {
                uint32_t reg = m_registers.newScalar();
                parts.push_back({reg, Form::Scalar});
                place.scalars.emplace_back(reg, static_cast<uint32_t>(leaf.byteOffset));
                place.widths.push_back(static_cast<uint8_t>(leaf.bytes));
            }
        }
        parameters.push_back(std::move(parts));
        m_program->parameters.push_back(std::move(place));
    }
}

/// Once all that the kernel calls is lowered.
void ProgramBuilder::divideDynamic(llvm::Function& kernel)
{
    const auto dynamic = std::ranges::find_if(m_program->shared, &MemoryObject::dynamic);
    if (dynamic == m_program->shared.end())
        return;
    std::vector<const llvm::GlobalVariable*> names;
    for (const auto& [global, address] : m_shared)
        if (address == slotAddress(dynamic->slot))
            names.push_back(global);
    std::vector<llvm::Function*> functions{&kernel};
    for (const auto& [function, lowered] : m_functions)
        functions.push_back(const_cast<llvm::Function*>(function));
    dynamic->regions = dynamicRegions(names, functions, dynamic->element);
}

Result<std::shared_ptr<const Program>> ProgramBuilder::build(llvm::Function& kernel)
{
    try {
        std::vector<Parts> parameters;
        placeParameters(kernel, parameters);
        // What is asked of it takes a warp's lanes to be a row.
        if (m_options.wholeRows)
            m_foreseen = std::make_unique<ForeseenReader>(kernel);
        m_program->entry = FunctionLowering(*this, kernel, true, parameters, {}).lower();
        if (m_foreseen)
            if (ForeseenAccesses found = m_foreseen->take(); !found.accesses.empty())
                m_program->foreseen = std::make_shared<const ForeseenAccesses>(std::move(found));
    } catch (const Unsupported& unsupported) {
        m_program->code.clear();
        std::string where;
        if (unsupported.instr && unsupported.instr->getDebugLoc()) {
            const llvm::DILocation* location = unsupported.instr->getDebugLoc().get();
            where = fmt::format("{}:{}:{}", pathOf(location->getFile()), location->getLine(), location->getColumn());
        } else {
            where = llvm::demangle(kernel.getName().str());
        }
        return Error{Error::Code::Unsupported, "the simulator does not support " + unsupported.what, where};
    }
    if (m_needsStack) {
        constexpr uint64_t kStackBytes = 64 * 1024;
        MemoryObject stack;
        stack.name = "stack";
        stack.bytes = kStackBytes;
        stack.element = {trace::ScalarKind::Bytes, 1, 1, "char"};
        stack.dims = {kStackBytes};
        m_program->stackObject = addLocal(stack, 16);
    }
    divideDynamic(kernel);
    for (const auto& code : m_program->code)
        m_program->instructionCount += code.size();
    const auto concerns = [&](Concern concern) {
        return std::ranges::any_of(m_program->code, [concern](const std::vector<Instr>& code) {
            return std::ranges::any_of(code, [concern](const Instr& instr) { return concernOf(instr.run) == concern; });
        });
    };
    const bool mayConcern = concerns(Concern::Any), meets = concerns(Concern::Barrier);
    m_program->warpsAreApart = !mayConcern && !meets;
    m_program->warpsMeetAtBarriers =
        !mayConcern && meets && std::ranges::all_of(m_program->memory, &MemoryInfo::isPlain);
    return std::shared_ptr<const Program>(m_program);
}

}  // namespace lanescope::simt
