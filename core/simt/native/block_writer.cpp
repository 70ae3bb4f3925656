// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/block_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

#include "core/simt/state/warp.h"

namespace lanescope::simt::native {
namespace {

constexpr char kMayRun[] = "lanescope_may_run";
constexpr char kLists[][24] = {"lanescope_plain", "lanescope_accesses", "lanescope_terminators"};

llvm::Error missing(const llvm::Twine& what)
{
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "the handlers' bitcode lacks " + what);
}

}  // namespace

BlockWriter::BlockWriter(llvm::Module& bitcode, const NativeJob& job, const ListedHandlers& handlers)
    : m_module(bitcode), m_job(job), m_handlers(handlers), m_pointer(llvm::PointerType::get(bitcode.getContext(), 0)),
      m_handlerType(llvm::FunctionType::get(m_pointer, {m_pointer, m_pointer}, false))
{
}

llvm::Constant* BlockWriter::listEntry(const char* list, size_t index) const
{
    const llvm::GlobalVariable* entries = m_module.getNamedGlobal(list);
    if (!entries || !entries->hasInitializer())
        return nullptr;
    const llvm::APInt offset(64, index * sizeof(Handler));
    return llvm::ConstantFoldLoadFromConst(const_cast<llvm::Constant*>(entries->getInitializer()), m_pointer, offset,
                                           m_module.getDataLayout());
}

llvm::Function* BlockWriter::listed(const ListedHandler& handler) const
{
    return llvm::dyn_cast_or_null<llvm::Function>(listEntry(kLists[static_cast<size_t>(handler.kind)], handler.index));
}

llvm::Constant* BlockWriter::address(const void* at) const
{
    llvm::Type* const word = llvm::Type::getInt64Ty(m_module.getContext());
    return llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(word, reinterpret_cast<uintptr_t>(at)), m_pointer);
}

/// What the instruction's imm points to, as a constant; null: it is none of these.
llvm::Constant* BlockWriter::tableOf(size_t index)
{
    const Instr& instr = m_job.code[index];
    const std::optional<ListedHandler> handler = m_handlers.find(instr.run);
    const bool isAccess = handler && handler->kind == ListedHandler::Kind::Access;
    const bool isBranch = handler && handler->kind == ListedHandler::Kind::Terminator &&
                          instr.run != m_job.handlers->jump(false) && instr.imm;
    if (!isAccess && !isBranch)
        return nullptr;
    const auto* at = reinterpret_cast<const char*>(instr.imm);
    Table& known = m_tables[at];
    if (!known.bytes) {
        known.index = index;
        llvm::Constant* const bytes = llvm::ConstantDataArray::getString(
            m_module.getContext(), {at, isAccess ? sizeof(MemoryInfo) : sizeof(BranchInfo)}, false);
        auto* const table =
            new llvm::GlobalVariable(m_module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes);
        table->setAlignment(llvm::Align(alignof(MemoryInfo)));
        known.bytes = table;
    }
    return llvm::cast<llvm::Constant>(known.bytes);
}

llvm::Constant* BlockWriter::instructionTable()
{
    if (m_code)
        return llvm::cast<llvm::Constant>(m_code);
    llvm::LLVMContext& context = m_module.getContext();
    llvm::Type* const word = llvm::Type::getInt32Ty(context);
    llvm::Type* const wide = llvm::Type::getInt64Ty(context);
    llvm::StructType* const type = llvm::StructType::get(context, {m_pointer, word, word, word, word, wide});
    static_assert(sizeof(Instr) == 32 && offsetof(Instr, dst) == 8 && offsetof(Instr, imm) == 24);
    std::vector<llvm::Constant*> values;
    for (size_t i = 0; i < m_job.count; ++i) {
        const Instr& instr = m_job.code[i];
        llvm::Constant* const table = tableOf(i);
        llvm::Constant* const imm =
            table ? llvm::ConstantExpr::getPtrToInt(table, wide) : llvm::ConstantInt::get(wide, instr.imm);
        values.push_back(llvm::ConstantStruct::get(
            type, {llvm::ConstantPointerNull::get(m_pointer), llvm::ConstantInt::get(word, instr.dst),
                   llvm::ConstantInt::get(word, instr.a), llvm::ConstantInt::get(word, instr.b),
                   llvm::ConstantInt::get(word, instr.c), imm}));
    }
    m_codeType = llvm::ArrayType::get(type, values.size());
    auto* const table = new llvm::GlobalVariable(m_module, m_codeType, true, llvm::GlobalValue::PrivateLinkage,
                                                 llvm::ConstantArray::get(m_codeType, values));
    m_code = table;
    return table;
}

llvm::Constant* BlockWriter::instruction(size_t index)
{
    llvm::Constant* const code = instructionTable();
    llvm::Type* const wide = llvm::Type::getInt64Ty(m_module.getContext());
    return llvm::ConstantExpr::getInBoundsGetElementPtr(
        m_codeType, code,
        llvm::ArrayRef<llvm::Constant*>{llvm::ConstantInt::get(wide, 0), llvm::ConstantInt::get(wide, index)});
}

llvm::Expected<llvm::Function*> BlockWriter::write(const Stretch& stretch, const std::string& name)
{
    llvm::Function* const mayRun = m_module.getFunction(kMayRun);
    if (!mayRun)
        return missing(kMayRun);
    // The guard is a function of its own: what goes for all that it lets in does not go for itself.
    llvm::Function* const guard = newFunction(name, llvm::GlobalValue::ExternalLinkage);
    llvm::Function* const body = newFunction(name + "_whole", llvm::GlobalValue::InternalLinkage);
    writeGuard(*guard, *mayRun, *body, m_job.code[stretch.begin].run);
    if (llvm::Error error = writeBody(*body, stretch))
        return error;
    return body;
}

llvm::Function* BlockWriter::newFunction(const std::string& name, llvm::GlobalValue::LinkageTypes linkage)
{
    llvm::Function* const function = llvm::Function::Create(m_handlerType, linkage, name, m_module);
    // Of the processor, which handlers can only be inlined for when it is the same.
    for (const llvm::Attribute& attribute : m_module.getFunction(kMayRun)->getAttributes().getFnAttrs())
        if (attribute.isStringAttribute())
            function->addFnAttr(attribute);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    m_written.push_back(function);
    return function;
}

llvm::CallInst* BlockWriter::inlined(llvm::IRBuilder<>& builder, llvm::Function& callee,
                                     llvm::ArrayRef<llvm::Value*> arguments) const
{
    llvm::CallInst* const call = builder.CreateCall(&callee, arguments);
    call->setCallingConv(callee.getCallingConv());
    call->addFnAttr(llvm::Attribute::AlwaysInline);
    return call;
}

llvm::MDNode* BlockWriter::mostly() const
{
    return llvm::MDBuilder(m_module.getContext()).createBranchWeights(1000, 1);
}

void BlockWriter::writeGuard(llvm::Function& guard, llvm::Function& mayRun, llvm::Function& body, Handler own)
{
    llvm::LLVMContext& context = m_module.getContext();
    llvm::Value* const arguments[] = {guard.getArg(0), guard.getArg(1)};
    auto* const entry = llvm::BasicBlock::Create(context, "", &guard);
    auto* const whole = llvm::BasicBlock::Create(context, "whole", &guard);
    auto* const other = llvm::BasicBlock::Create(context, "other", &guard);
    llvm::IRBuilder<> builder(entry);
    builder.CreateCondBr(inlined(builder, mayRun, {arguments[1]}), whole, other, mostly());
    const auto goTo = [&](llvm::BasicBlock* block, llvm::Value* function) {
        builder.SetInsertPoint(block);
        llvm::CallInst* const call = builder.CreateCall(m_handlerType, function, arguments);
        call->setTailCallKind(llvm::CallInst::TCK_MustTail);
        builder.CreateRet(call);
    };
    goTo(whole, &body);
    goTo(other, address(reinterpret_cast<const void*>(own)));
}

llvm::Error BlockWriter::writeBody(llvm::Function& body, const Stretch& stretch)
{
    llvm::LLVMContext& context = m_module.getContext();
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", &body));
    for (size_t i = stretch.begin; i < stretch.end; ++i) {
        llvm::Function* const handler = listed(*m_handlers.find(m_job.code[i].run));
        if (!handler)
            return missing("a handler");
        llvm::Value* const next = inlined(builder, *handler, {instruction(i), body.getArg(1)});
        const auto leave = [&](llvm::IRBuilder<>& at) {
            at.CreateCall(exitMark(), {at.getInt32(static_cast<uint32_t>(i))});
            at.CreateRet(next);
        };
        if (i + 1 == stretch.end) {
            leave(builder);
            break;
        }
        auto* const on = llvm::BasicBlock::Create(context, "", &body);
        auto* const away = llvm::BasicBlock::Create(context, "away", &body);
        builder.CreateCondBr(builder.CreateICmpEQ(next, instruction(i + 1)), on, away, mostly());
        llvm::IRBuilder<> elsewhere(away);
        leave(elsewhere);
        builder.SetInsertPoint(on);
    }
    return llvm::Error::success();
}

/// Keeps its place on the way out: for LLVM it does something that nobody else sees.
llvm::FunctionCallee BlockWriter::exitMark()
{
    llvm::LLVMContext& context = m_module.getContext();
    llvm::FunctionCallee mark =
        m_module.getOrInsertFunction(kExitMark, llvm::Type::getVoidTy(context), llvm::Type::getInt32Ty(context));
    auto* const function = llvm::cast<llvm::Function>(mark.getCallee());
    function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
    return mark;
}

/// The instruction that \p argument points to, or whose side table.
std::optional<size_t> BlockWriter::instructionNamedBy(const llvm::Value& argument) const
{
    if (!argument.getType()->isPointerTy())
        return std::nullopt;
    const llvm::DataLayout& layout = m_module.getDataLayout();
    llvm::APInt offset(64, 0);
    const llvm::Value* const base = argument.stripAndAccumulateConstantOffsets(layout, offset, true);
    if (base == m_code && offset.getZExtValue() / sizeof(Instr) < m_job.count)
        return offset.getZExtValue() / sizeof(Instr);
    for (const auto& [at, table] : m_tables)
        if (base == table.bytes)
            return table.index;
    return std::nullopt;
}

RegisterValues::Touched BlockWriter::touchedBy(const llvm::CallBase& call) const
{
    const unsigned pieces = m_job.registerBytes / kPieceBytes;
    RegisterValues::Touched touched{Pieces(pieces), Pieces(pieces)};
    // Only a warp leads to its registers, but for blocks, whose functions leave them alone.
    const llvm::Value* const warp = call.getFunction()->getArg(1);
    if (std::none_of(call.arg_begin(), call.arg_end(), [&](const llvm::Use& use) { return use.get() == warp; }))
        return touched;
    for (const llvm::Use& argument : call.args()) {
        const std::optional<size_t> index = instructionNamedBy(*argument);
        const std::optional<ListedHandler> handler = index ? m_handlers.find(m_job.code[*index].run) : std::nullopt;
        if (!handler || handler->kind == ListedHandler::Kind::Plain)
            continue;
        if (handler->kind == ListedHandler::Kind::Terminator)
            return touched;
        const auto& info = *reinterpret_cast<const MemoryInfo*>(m_job.code[*index].imm);
        touched.reads = registersOf(m_job, info);
        if (m_job.handlers->store(info) != m_job.code[*index].run)
            touched.writes = valuesOf(m_job, info);
        return touched;
    }
    touched.reads.set();
    touched.writes.set();
    return touched;
}

/// Functions that stay outside are called where the simulator has them.
void BlockWriter::addCallees()
{
    const HandlerLists& lists = m_job.handlers->lists;
    std::vector<std::pair<llvm::Constant*, const void*>> places;  // first: the list changes when what it names does
    for (size_t i = 0; i < lists.calleeBytes / sizeof(void*); ++i)
        if (llvm::Constant* callee = listEntry("lanescope_callees", i))
            places.emplace_back(callee, static_cast<const void* const*>(lists.callees)[i]);
    for (const auto& [callee, at] : places)
        callee->replaceAllUsesWith(address(at));
}

void BlockWriter::closeModule()
{
    addCallees();
    // The lists are used by nobody but what says that they are, which goes first.
    for (const llvm::StringRef name : {"llvm.used", "llvm.compiler.used"})
        if (llvm::GlobalVariable* variable = m_module.getNamedGlobal(name))
            variable->eraseFromParent();
    for (const llvm::StringRef name :
         {"lanescope_plain", "lanescope_accesses", "lanescope_terminators", "lanescope_callees"})
        if (llvm::GlobalVariable* variable = m_module.getNamedGlobal(name))
            variable->setLinkage(llvm::GlobalValue::InternalLinkage);
    for (llvm::Function& function : m_module)
        if (!function.isDeclaration() && std::ranges::find(m_written, &function) == m_written.end())
            function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

void BlockWriter::placeConstants()
{
    const auto place = [&](const llvm::WeakVH& known, const void* at) {
        auto* const table = llvm::cast_or_null<llvm::GlobalVariable>(known);
        if (!table)
            return;
        table->replaceAllUsesWith(address(at));
        table->eraseFromParent();
    };
    for (const auto& [at, table] : m_tables)
        place(table.bytes, at);
    place(m_code, m_job.code);
    m_tables.clear();
}

namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
/// Members of a warp that no handler of a stretch changes, and what they are then known to be.
struct Member {
    uint64_t offset;
    std::optional<int64_t> value = {};
    bool ownsMemory = false;  ///< what it points to nothing else leads to
};
constexpr Member kMembers[] = {
    {.offset = offsetof(Warp, regs), .ownsMemory = true},
    {.offset = offsetof(Warp, scalars), .ownsMemory = true},
    {.offset = offsetof(Warp, patterns), .ownsMemory = true},
    {.offset = offsetof(Warp, objects)},
    {.offset = offsetof(Warp, block)},
    {.offset = offsetof(Warp, recorder), .value = 0},
    {.offset = offsetof(Warp, mask), .value = -1},
    {.offset = offsetof(Warp, full), .value = 1},
    {.offset = offsetof(Warp, tracked), .value = 0},
};
#pragma GCC diagnostic pop

/// Memory that only one member leads to, as alias scopes.
class OwnMemory {
public:
    explicit OwnMemory(llvm::LLVMContext& context) : m_context(context), m_builder(context)
    {
        llvm::MDNode* const domain = m_builder.createAnonymousAliasScopeDomain();
        for (llvm::Metadata*& scope : m_scopes)
            scope = m_builder.createAnonymousAliasScope(domain);
    }
    void add(llvm::Value* pointer) { m_pointers.push_back(pointer); }

    /// Says of a load or store which it goes to, where that is seen.
    void describe(llvm::Instruction& instr) const
    {
        const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instr);
        if (!pointer)
            return;
        const llvm::Value* const object = llvm::getUnderlyingObject(pointer, 0);
        if (llvm::isa<llvm::PHINode, llvm::SelectInst>(object))
            return;
        const auto owner = static_cast<size_t>(std::ranges::find(m_pointers, object) - m_pointers.begin());
        std::vector<llvm::Metadata*> others;
        for (size_t i = 0; i < m_scopes.size(); ++i)
            if (i != owner)
                others.push_back(m_scopes[i]);
        instr.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(m_context, others));
        if (owner < m_pointers.size())
            instr.setMetadata(llvm::LLVMContext::MD_alias_scope,
                              llvm::MDNode::get(m_context, llvm::ArrayRef(m_scopes[owner])));
    }

private:
    llvm::LLVMContext& m_context;
    llvm::MDBuilder m_builder;
    std::array<llvm::Metadata*, std::ranges::count(kMembers, true, &Member::ownsMemory)> m_scopes{};
    std::vector<const llvm::Value*> m_pointers;
};

}  // namespace

llvm::Value* assumeWholeWarp(llvm::Function& function)
{
    llvm::Value* registers = nullptr;
    const llvm::DataLayout& layout = function.getDataLayout();
    llvm::BasicBlock& entry = function.getEntryBlock();
    llvm::Value* const warp = function.getArg(1);
    llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    OwnMemory own(function.getContext());
    for (const Member& member : kMembers) {
        std::vector<llvm::LoadInst*> loads;
        for (llvm::Instruction& instr : llvm::instructions(function)) {
            auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instr);
            int64_t offset = 0;
            if (load && llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout) == warp &&
                static_cast<uint64_t>(offset) == member.offset)
                loads.push_back(load);
        }
        if (loads.empty())
            continue;
        llvm::Type* const type = loads.front()->getType();
        llvm::Value* value = nullptr;
        if (!member.value)
            value =
                builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), warp, member.offset));
        else if (type->isPointerTy())
            value = llvm::Constant::getNullValue(type);
        else
            value = llvm::ConstantInt::getSigned(type, *member.value);
        for (llvm::LoadInst* load : loads)
            if (load->getType() == type)
                load->replaceAllUsesWith(value);
        if (member.ownsMemory)
            own.add(value);
        if (member.offset == kMembers[0].offset)
            registers = value;
    }
    for (llvm::Instruction& instr : llvm::instructions(function))
        own.describe(instr);
    return registers;
}

}  // namespace lanescope::simt::native
