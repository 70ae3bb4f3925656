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

#include "core/simt/code/program.h"
#include "core/simt/native/job_symbols.h"
#include "core/simt/native/warp_files.h"

namespace lanescope::simt::native {
namespace {

constexpr char kMayRun[] = "lanescope_may_run";
constexpr char kMayRunPart[] = "lanescope_may_run_part";
constexpr char kMayRunRecorded[] = "lanescope_may_run_recorded";
constexpr char kMayRunRecordedPart[] = "lanescope_may_run_recorded_part";
constexpr char kIsForeseen[] = "lanescope_is_foreseen";
constexpr char kLists[][24] = {"lanescope_plain", "lanescope_accesses", "lanescope_checks", "lanescope_terminators",
                               "lanescope_passed"};

llvm::Error missing(const llvm::Twine& what)
{
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "the handlers' bitcode lacks " + what);
}

}  // namespace

BlockWriter::BlockWriter(llvm::Module& bitcode, const NativeJob& job, const ListedHandlers& handlers)
    : m_module(bitcode), m_job(job), m_handlers(handlers), m_pointer(llvm::PointerType::get(bitcode.getContext(), 0)),
      m_handlerType(llvm::FunctionType::get(m_pointer, {m_pointer, m_pointer}, false))
{
    findStrides();
}

void BlockWriter::findStrides()
{
    const Handler notes[] = {m_job.handlers->notePattern(false), m_job.handlers->notePattern(true)};
    for (size_t i = 0; i < m_job.count; ++i) {
        if (std::ranges::find(notes, m_job.own[i]) == std::end(notes))
            continue;
        const Instr& note = m_job.code[i];
        const std::optional<int32_t> stride =
            note.c ? std::optional(rowStepOf(note.c) * static_cast<int32_t>(note.b)) : std::nullopt;
        if (const auto [known, isNew] = m_strides.try_emplace(note.imm, stride); !isNew && known->second != stride)
            known->second.reset();
    }
}

/// Whether a warp's lanes may lie side by side there, for all that is known.
bool BlockWriter::mayBeRow(const MemoryInfo& info) const
{
    if (!m_job.wholeRows || info.pattern == kUniformPattern)
        return false;
    const auto known = m_strides.find(info.pattern);
    return known == m_strides.end() || known->second.value_or(info.bytes) == info.bytes;
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

/// What is tried in the place of an access, and stays where it is when it does not do; null: nothing.
llvm::Function* BlockWriter::triedFirst(size_t index) const
{
    const ListedHandler handler = *m_handlers.find(m_job.own[index]);
    if (handler.kind != ListedHandler::Kind::Access)
        return nullptr;
    const bool rows = mayBeRow(*reinterpret_cast<const MemoryInfo*>(m_job.code[index].imm));
    return llvm::dyn_cast_or_null<llvm::Function>(listEntry(m_lacksLanes ? "lanescope_tried_first_parts"
                                                            : rows       ? "lanescope_tried_first_rows"
                                                                         : "lanescope_tried_first",
                                                            handler.index));
}

llvm::Constant* BlockWriter::variable(const std::string& symbol)
{
    // Of a size that is not known here.
    return m_module.getOrInsertGlobal(symbol, llvm::ArrayType::get(llvm::Type::getInt8Ty(m_module.getContext()), 0));
}

llvm::Function* BlockWriter::handler(const std::string& symbol)
{
    return llvm::cast<llvm::Function>(m_module.getOrInsertFunction(symbol, m_handlerType).getCallee());
}

llvm::Constant* BlockWriter::ownHandler(size_t index)
{
    return handler(symbolOf(JobSymbol::Own, index));
}

/// What was made of others may stand there.
llvm::Constant* BlockWriter::handlerBefore(size_t index)
{
    return handler(symbolOf(JobSymbol::Before, index));
}

/// Where \p instr stands, not what is in it; null stays null.
llvm::Constant* BlockWriter::placeOf(const Instr* instr)
{
    if (!instr)
        return llvm::ConstantPointerNull::get(m_pointer);
    llvm::LLVMContext& context = m_module.getContext();
    const auto offset = reinterpret_cast<intptr_t>(instr) - reinterpret_cast<intptr_t>(m_job.code);
    return llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(context), variable(symbolOf(JobSymbol::Code)),
                                                llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context), offset));
}

llvm::Constant* BlockWriter::branchTable(const BranchInfo& info)
{
    constexpr size_t kPlaces = 3 * sizeof(const Instr*);
    static_assert(offsetof(BranchInfo, ifTrue) == 0 && offsetof(BranchInfo, ifFalse) == 8 &&
                  offsetof(BranchInfo, reconverge) == 16);
    llvm::Constant* const rest = llvm::ConstantDataArray::getString(
        m_module.getContext(), {reinterpret_cast<const char*>(&info) + kPlaces, sizeof info - kPlaces}, false);
    return llvm::ConstantStruct::getAnon({placeOf(info.ifTrue), placeOf(info.ifFalse), placeOf(info.reconverge), rest},
                                         /*Packed=*/true);
}

/// What the instruction's imm points to, as a constant; null: it is none of these.
llvm::Constant* BlockWriter::tableOf(size_t index)
{
    const Instr& instr = m_job.code[index];
    const std::optional<ListedHandler> handler = m_handlers.find(m_job.own[index]);
    using Kind = ListedHandler::Kind;
    const bool isAccess = handler && handler->kind == Kind::Access, isCheck = handler && handler->kind == Kind::Check;
    const bool isBranch =
        handler && handler->kind == Kind::Terminator && m_job.own[index] != m_job.handlers->jump(false) && instr.imm;
    const bool isShuffle = asksMembers(m_job, m_job.own[index]);
    if (!isAccess && !isCheck && !isBranch && !isShuffle)
        return nullptr;
    const auto* at = reinterpret_cast<const char*>(instr.imm);
    Table& known = m_tables[at];
    if (!known.bytes) {
        known.index = index;
        llvm::Constant* const bytes =
            isBranch ? branchTable(*reinterpret_cast<const BranchInfo*>(at))
                     : llvm::ConstantDataArray::getString(
                           m_module.getContext(),
                           {at, isAccess  ? sizeof(MemoryInfo)
                                : isCheck ? sizeof(SubscriptLimits)  // what a ShapeCheck begins with
                                          : offsetof(WarpCall, members) + sizeof(WarpCall::members)},
                           false);
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
        const std::optional<ListedHandler> handler = m_handlers.find(m_job.own[i]);
        const bool isPlain = handler && handler->kind == ListedHandler::Kind::Plain;
        llvm::Constant* at = tableOf(i);
        if (!at && m_job.own[i] == m_job.handlers->jump(false))
            at = placeOf(reinterpret_cast<const Instr*>(instr.imm));
        else if (!at && !isPlain && instr.imm > UINT32_MAX)
            at = variable(symbolOf(JobSymbol::Table, i));
        llvm::Constant* const imm =
            at ? llvm::ConstantExpr::getPtrToInt(at, wide) : llvm::ConstantInt::get(wide, instr.imm);
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

llvm::Expected<llvm::Function*> BlockWriter::writeForWhole(const Region& region)
{
    m_lacksLanes = false;
    llvm::Function* const body = newBody(symbolOfStretch(region.front().begin) + "_whole");
    if (llvm::Error error = writeBody(*body, region))
        return error;
    for (const Stretch& stretch : region) {
        llvm::Value* const before = handlerBefore(stretch.begin);
        llvm::Value* const part = m_job.isRecorded() ? before : ownHandler(stretch.begin);
        // The region's other stretches are come to from the first, or where lanes have parted.
        llvm::Value* const whole = stretch.begin == region.front().begin ? body : part;
        if (llvm::Error error =
                writeGuard(stretch, {.whole = whole, .part = part, .other = before, .countsParts = true}))
            return error;
    }
    return body;
}

llvm::Expected<llvm::Function*> BlockWriter::writeForPart(const Stretch& stretch)
{
    m_lacksLanes = true;
    llvm::Function* const body = newBody(symbolOfStretch(stretch.begin) + "_part");
    if (llvm::Error error = writeBody(*body, {stretch}))
        return error;
    llvm::Value* const before = handlerBefore(stretch.begin);
    if (llvm::Error error = writeGuard(stretch, {.whole = before, .part = body, .other = before}))
        return error;
    return body;
}

llvm::Function* BlockWriter::newBody(const std::string& name)
{
    llvm::Function* const body = newFunction(name, llvm::GlobalValue::InternalLinkage);
    // Of rows that are put by and lie across two lines of the cache, who reads them next waits long.
    body->addFnAttr(llvm::Attribute::getWithStackAlignment(m_module.getContext(), llvm::Align(64)));
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

llvm::MDNode* BlockWriter::seldom() const
{
    return llvm::MDBuilder(m_module.getContext()).createBranchWeights(1, 1000);
}

/// A function of its own: what goes for all that it lets in does not go for itself.
llvm::Error BlockWriter::writeGuard(const Stretch& stretch, const Ways& ways)
{
    llvm::Function* const mayRun = m_module.getFunction(m_job.isRecorded() ? kMayRunRecorded : kMayRun);
    llvm::Function* const mayRunPart = m_module.getFunction(m_job.isRecorded() ? kMayRunRecordedPart : kMayRunPart);
    if (!mayRun || !mayRunPart)
        return missing(kMayRun);
    llvm::Function& guard = *newFunction(symbolOfStretch(stretch.begin), llvm::GlobalValue::ExternalLinkage);
    auto* const entry = newBlock(guard);
    auto* const whole = newBlock(guard, "whole");
    auto* const mayLack = newBlock(guard);
    auto* const part = newBlock(guard, "part");
    auto* const other = newBlock(guard, "other");
    llvm::IRBuilder<> builder(entry);
    builder.CreateCondBr(inlined(builder, *mayRun, {guard.getArg(1)}), whole, mayLack, mostly());
    builder.SetInsertPoint(mayLack);
    builder.CreateCondBr(inlined(builder, *mayRunPart, {guard.getArg(1)}), part, other, mostly());
    if (ways.countsParts)
        writeCount(*part, stretch.end - stretch.begin);
    writeCall(*whole, ways.whole);
    writeCall(*part, ways.part);
    writeCall(*other, ways.other);
    return llvm::Error::success();
}

/// Other host threads do so too, and what is lost then does not matter.
void BlockWriter::writeCount(llvm::BasicBlock& block, size_t instructions)
{
    llvm::IRBuilder<> builder(&block);
    llvm::Constant* const at = variable(symbolOf(JobSymbol::PartlyExecuted));
    llvm::Type* const word = builder.getInt64Ty();
    llvm::LoadInst* const before = builder.CreateAlignedLoad(word, at, llvm::Align(8));
    before->setAtomic(llvm::AtomicOrdering::Monotonic);
    llvm::StoreInst* const after =
        builder.CreateAlignedStore(builder.CreateAdd(before, builder.getInt64(instructions)), at, llvm::Align(8));
    after->setAtomic(llvm::AtomicOrdering::Monotonic);
}

/// \p block of a function with a Handler's type goes on in another one.
void BlockWriter::writeCall(llvm::BasicBlock& block, llvm::Value* function) const
{
    llvm::IRBuilder<> builder(&block);
    const llvm::Function& caller = *block.getParent();
    llvm::CallInst* const call = builder.CreateCall(m_handlerType, function, {caller.getArg(0), caller.getArg(1)});
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    builder.CreateRet(call);
}

void BlockWriter::giveUp(llvm::Function& body, const Stretch& stretch)
{
    const auto linkage = body.getLinkage();
    body.deleteBody();
    body.setLinkage(linkage);
    writeCall(*newBlock(body), ownHandler(stretch.begin));
}

llvm::BasicBlock* BlockWriter::newBlock(llvm::Function& function, const char* name)
{
    return llvm::BasicBlock::Create(function.getContext(), name, &function);
}

/// Twice: first as it mostly is, all addresses even and inside one object, so that what is known of one access is known
/// of those that follow; and behind each access, from there on, for where that does not hold. And before these for
/// blocks of which that is known beforehand, if there are such.
llvm::Error BlockWriter::writeBody(llvm::Function& body, const Region& region)
{
    llvm::BasicBlock* const entry = newBlock(body);  // one that nobody goes back to
    m_begin = newBlock(body);
    std::vector<Copies> parts;
    for (const Stretch& stretch : region) {
        const size_t count = stretch.end - stretch.begin;
        Copies& part = parts.emplace_back(
            Copies{stretch, std::vector<llvm::BasicBlock*>(count), {}, std::vector<llvm::BasicBlock*>(count)});
        for (size_t i = 0; i < count; ++i)
            part.mostly.push_back(newBlock(body));
    }
    llvm::IRBuilder<> builder(entry);
    m_mask = m_lacksLanes ? loadMask(builder, body, /*isVolatile=*/false) : builder.getInt32(~LaneMask{0});
    builder.CreateBr(m_begin);
    builder.SetInsertPoint(m_begin);
    if (canForesee(region)) {
        llvm::Function* const isForeseen = m_module.getFunction(kIsForeseen);
        if (!isForeseen)
            return missing(kIsForeseen);
        m_hasForeseen = true;
        parts.front().foreseen.front() = newBlock(body, "foreseen");
        builder.CreateCondBr(inlined(builder, *isForeseen, {body.getArg(1)}), parts.front().foreseen.front(),
                             parts.front().mostly.front(), mostly());
    } else {
        builder.CreateBr(parts.front().mostly.front());
    }
    for (Copies& part : parts)
        if (llvm::Error error = writeStretch(parts, part))
            return error;
    return llvm::Error::success();
}

bool BlockWriter::isForeseen(size_t index) const
{
    const std::optional<ListedHandler> handler = m_handlers.find(m_job.own[index]);
    return handler && handler->kind == ListedHandler::Kind::Access &&
           reinterpret_cast<const MemoryInfo*>(m_job.code[index].imm)->foreseen != kNotForeseen;
}

/// Whether \p region is where a kernel begins, and has accesses that are foreseen in some blocks.
bool BlockWriter::canForesee(const Region& region) const
{
    return m_job.foresees && m_job.code + region.front().begin == m_job.entry &&
           std::ranges::any_of(region, [&](const Stretch& stretch) {
               for (size_t i = stretch.begin; i < stretch.end; ++i)
                   if (isForeseen(i))
                       return true;
               return false;
           });
}

/// If instruction \p index is a branch, alone or with the comparison before it, of which it is known where it goes.
std::optional<BlockWriter::ForeseenBranch> BlockWriter::foreseenBranch(size_t index) const
{
    const HandlerSet& handlers = *m_job.handlers;
    const auto pair = std::ranges::find(handlers.pairs, m_job.own[index], &FusedPair::both);
    const bool isPair = pair != handlers.pairs.end();
    const size_t branch = index + (isPair ? 1 : 0);
    const std::array all{handlers.branch(Form::Scalar, false), handlers.branch(Form::Scalar, true),
                         handlers.branch(Form::Vector, false), handlers.branch(Form::Vector, true)};
    if (std::ranges::find(all, m_job.own[branch]) == all.end())
        return std::nullopt;
    const BranchInfo::Way way = reinterpret_cast<const BranchInfo*>(m_job.code[branch].imm)->foreseen;
    const std::optional<ListedHandler> comparison = isPair ? m_handlers.find(pair->first) : std::nullopt;
    if (way == BranchInfo::Way::Unknown || (isPair && !comparison))
        return std::nullopt;
    return ForeseenBranch{branch, way == BranchInfo::Way::True, isPair ? listed(*comparison) : nullptr};
}

llvm::Error BlockWriter::writeStretch(std::vector<Copies>& parts, Copies& part)
{
    for (size_t i = 0; i < part.mostly.size(); ++i) {
        const ListedHandler handler = *m_handlers.find(m_job.own[part.stretch.begin + i]);
        llvm::Function* const own = listed(handler);
        if (!own)
            return missing("a handler");
        if (handler.kind == ListedHandler::Kind::Passed) {
            writePassed(parts, part, i, *own);
            continue;
        }
        // The last, which the others lead to.
        for (const Copy copy : {&Copies::foreseen, &Copies::mostly, &Copies::otherwise})
            if ((part.*copy)[i] && !(copy == &Copies::foreseen && writeForeseen(parts, part, i)))
                writeInstruction(parts, part, i, copy, *own);
    }
    return llvm::Error::success();
}

/// Goes on behind instruction \p i of \p part, in the same copy.
void BlockWriter::goOn(llvm::IRBuilder<>& builder, std::vector<Copies>& parts, Copies& part, size_t i,
                       llvm::Value* next, Copy copy)
{
    if (i + 1 == part.mostly.size())
        return writeEnd(builder, parts, part, next, copy);
    llvm::BasicBlock*& on = (part.*copy)[i + 1];
    if (!on)
        on = newBlock(*part.mostly.front()->getParent(), copy == &Copies::foreseen ? "foreseen" : "otherwise");
    writeStep(builder, part.stretch.begin + i, next, on);
}

/// As writeInstruction, of what is foreseen; false: it is not.
bool BlockWriter::writeForeseen(std::vector<Copies>& parts, Copies& part, size_t i)
{
    const size_t index = part.stretch.begin + i;
    llvm::IRBuilder<> builder(part.foreseen[i]);
    llvm::Value* const warp = part.foreseen[i]->getParent()->getArg(1);
    if (isForeseen(index)) {
        llvm::Constant* const handler = listEntry("lanescope_foreseen", m_handlers.find(m_job.own[index])->index);
        auto* const access = llvm::dyn_cast_or_null<llvm::Function>(handler);
        if (!access)
            return false;
        goOn(builder, parts, part, i, inlined(builder, *access, {instruction(index), warp}), &Copies::foreseen);
        return true;
    }
    const std::optional<ForeseenBranch> branch = foreseenBranch(index);
    llvm::Function* const goes =
        branch ? llvm::dyn_cast_or_null<llvm::Function>(listEntry("lanescope_foreseen_ways", branch->way)) : nullptr;
    if (!goes)
        return false;
    if (branch->comparison)
        inlined(builder, *branch->comparison, {instruction(index), warp});
    llvm::Value* const next = inlined(builder, *goes, {instruction(branch->index), warp});
    writeEnd(builder, parts, part, next, &Copies::foreseen, /*mayPart=*/false);
    return true;
}

/// Instruction \p i of \p part by its \p own handler, or what is tried in its place first.
void BlockWriter::writeInstruction(std::vector<Copies>& parts, Copies& part, size_t i, Copy copy, llvm::Function& own)
{
    const size_t index = part.stretch.begin + i;
    llvm::Function& body = *part.mostly.front()->getParent();
    llvm::Value* const warp = body.getArg(1);
    llvm::IRBuilder<> builder((part.*copy)[i]);
    llvm::Function* const first = triedFirst(index);
    if (first && copy == &Copies::otherwise) {
        llvm::Value* const next = builder.CreateCall(m_handlerType, ownHandler(index), {instruction(index), warp});
        return goOn(builder, parts, part, i, next, copy);
    }
    llvm::Value* const next = inlined(builder, first ? *first : own, {instruction(index), warp});
    if (first) {
        llvm::BasicBlock* const located = newBlock(body);
        if (!part.otherwise[i])
            part.otherwise[i] = newBlock(body, "otherwise");
        builder.CreateCondBr(builder.CreateICmpEQ(next, instruction(index)), part.otherwise[i], located, seldom());
        builder.SetInsertPoint(located);
    }
    goOn(builder, parts, part, i, next, copy);
}

/// Instruction \p i of \p part by what is \p tried in its place, in all copies; where that stays, the simulator's own
/// handler goes on from there.
void BlockWriter::writePassed(std::vector<Copies>& parts, Copies& part, size_t i, llvm::Function& tried)
{
    llvm::Function& body = *part.mostly.front()->getParent();
    const size_t index = part.stretch.begin + i;
    const bool isExit = m_job.own[index] == m_job.common.exit;
    for (const Copy which : {&Copies::foreseen, &Copies::mostly, &Copies::otherwise}) {
        std::vector<llvm::BasicBlock*>& copy = part.*which;
        if (!copy[i])
            continue;
        llvm::IRBuilder<> builder(copy[i]);
        llvm::BasicBlock* const stays = newBlock(body, "stays");
        llvm::BasicBlock* behind = nullptr;
        if (!isExit) {
            behind = i + 1 < copy.size() ? copy[i + 1] : newBlock(body);
            if (!behind)
                behind = copy[i + 1] = newBlock(body, which == &Copies::foreseen ? "foreseen" : "otherwise");
        } else if (m_job.code + parts.front().stretch.begin == m_job.entry) {
            behind = which == &Copies::otherwise ? m_begin : (parts.front().*which).front();
        }
        if (behind) {
            llvm::Value* const next = inlined(builder, tried, {instruction(index), body.getArg(1)});
            builder.CreateCondBr(builder.CreateICmpEQ(next, instruction(index)), stays, behind, seldom());
        } else {
            builder.CreateBr(stays);
        }
        if (!isExit && i + 1 == copy.size()) {
            llvm::IRBuilder<> end(behind);
            writeEnd(end, parts, part, instruction(index + 1), which);
        }
        llvm::IRBuilder<> leaving(stays);
        leaving.CreateCall(exitMark(), {leaving.getInt32(static_cast<uint32_t>(index))});
        llvm::CallInst* const call =
            leaving.CreateCall(m_handlerType, ownHandler(index), {instruction(index), body.getArg(1)});
        call->setTailCallKind(llvm::CallInst::TCK_MustTail);
        leaving.CreateRet(call);
    }
}

/// Goes on behind instruction \p index, or leaves; \p on: where.
void BlockWriter::writeStep(llvm::IRBuilder<>& builder, size_t index, llvm::Value* next, llvm::BasicBlock* on)
{
    llvm::BasicBlock* const away = newBlock(*on->getParent(), "away");
    builder.CreateCondBr(builder.CreateICmpEQ(next, instruction(index + 1)), on, away, mostly());
    llvm::IRBuilder<> elsewhere(away);
    writeLeave(elsewhere, index, next);
}

void BlockWriter::writeLeave(llvm::IRBuilder<>& builder, size_t index, llvm::Value* next)
{
    builder.CreateCall(exitMark(), {builder.getInt32(static_cast<uint32_t>(index))});
    builder.CreateRet(next);
}

llvm::Value* BlockWriter::loadMask(llvm::IRBuilder<>& builder, llvm::Function& body, bool isVolatile) const
{
    return builder.CreateLoad(builder.getInt32Ty(),
                              builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), body.getArg(1), kMaskOffset),
                              isVolatile);
}

/// Goes on behind the end of \p part: in another part of the function, as long as all its lanes go there, or leaves.
/// \p mayPart: lanes may have.
void BlockWriter::writeEnd(llvm::IRBuilder<>& builder, std::vector<Copies>& parts, const Copies& part,
                           llvm::Value* next, Copy copy, bool mayPart)
{
    llvm::Function& body = *part.mostly.front()->getParent();
    const size_t last = part.stretch.end - 1;
    const Successors successors = successorsOf(m_job, m_job.code[last]);
    const auto goOnAt = [&](size_t index, llvm::Constant* at) {
        const auto to = std::ranges::find(parts, index, [](const Copies& copies) { return copies.stretch.begin; });
        if (to == parts.end())
            return;
        // What has gone another way once may go as usual the next time.
        const Copy on = to == parts.begin() && copy == &Copies::otherwise ? &Copies::mostly : copy;
        llvm::BasicBlock*& begin = ((*to).*on).front();
        if (!begin)
            begin = newBlock(body, on == &Copies::foreseen ? "foreseen" : "otherwise");
        llvm::BasicBlock* const goesThere = newBlock(body);
        llvm::BasicBlock* const elsewhere = newBlock(body);
        builder.CreateCondBr(builder.CreateICmpEQ(next, at), goesThere, elsewhere);
        builder.SetInsertPoint(elsewhere);
        if (!mayPart) {
            llvm::IRBuilder<>(goesThere).CreateBr(begin);
            return;
        }
        llvm::BasicBlock* const away = newBlock(body, "away");
        // Lanes may have parted. What is known of the warp's mask is so only where they have not.
        llvm::IRBuilder<> there(goesThere);
        there.CreateCondBr(there.CreateICmpEQ(loadMask(there, body, /*isVolatile=*/true), m_mask), begin, away,
                           mostly());
        llvm::IRBuilder<> parted(away);
        writeLeave(parted, last, next);
    };
    if (successors.falls && part.stretch.end < m_job.count)
        goOnAt(part.stretch.end, instruction(part.stretch.end));
    for (const Instr* target : successors.targets)
        if (target >= m_job.code && target < m_job.code + m_job.count)
            goOnAt(static_cast<size_t>(target - m_job.code), placeOf(target));
    writeLeave(builder, last, next);
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

FileValues::Touched BlockWriter::touchedBy(const llvm::CallBase& call) const
{
    const unsigned pieces = m_job.registerBytes / kPieceBytes;
    FileValues::Touched touched{Pieces(pieces), Pieces(pieces)};
    // Only a warp leads to its registers, but for blocks, whose functions leave them alone.
    if (!isToldOfWarp(call))
        return touched;
    for (const llvm::Use& argument : call.args()) {
        const std::optional<size_t> index = instructionNamedBy(*argument);
        const std::optional<ListedHandler> handler = index ? m_handlers.find(m_job.own[*index]) : std::nullopt;
        if (!handler || handler->kind == ListedHandler::Kind::Plain)
            continue;
        if (handler->kind == ListedHandler::Kind::Terminator || handler->kind == ListedHandler::Kind::Passed)
            return touched;
        if (handler->kind == ListedHandler::Kind::Check) {
            touched.reads = usesOf(m_job, m_handlers, *index);
            return touched;
        }
        const auto& info = *reinterpret_cast<const MemoryInfo*>(m_job.code[*index].imm);
        touched.reads = registersOf(m_job, info);
        if (m_job.handlers->store(info) != m_job.own[*index]) {
            // What was there before is not looked at, not even of missing lanes, who keep it.
            touched.writes = valuesOf(m_job, info);
            touched.reads = addressesOf(m_job, info);
        }
        return touched;
    }
    touched.reads.set();
    touched.writes.set();
    return touched;
}

/// The instruction whose handler \p call is a part of; null: that is not known.
const Instr* BlockWriter::instructionOf(const llvm::CallBase& call) const
{
    for (const llvm::Use& argument : call.args())
        if (const std::optional<size_t> index = instructionNamedBy(*argument))
            if (const std::optional<ListedHandler> handler = m_handlers.find(m_job.own[*index]);
                handler && handler->kind != ListedHandler::Kind::Plain)
                return m_job.code + *index;
    return nullptr;
}

FileValues::Touched BlockWriter::scalarsTouchedBy(const llvm::CallBase& call) const
{
    const auto scalars = static_cast<unsigned>(m_job.scalars.size());
    FileValues::Touched touched{Pieces(scalars), Pieces(scalars)};
    if (!isToldOfWarp(call))
        return touched;
    touched.reads.set();
    const Instr* const instr = instructionOf(call);
    if (!instr) {
        touched.writes.set();
    } else if (m_handlers.find(m_job.handlerOf(*instr))->kind == ListedHandler::Kind::Access) {
        const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
        for (unsigned i = 0; i < info.components; ++i)
            if (info.values[i].form == Form::Scalar)
                touched.writes.set(info.values[i].reg);
    }
    return touched;
}

FileValues::Touched BlockWriter::patternsTouchedBy(const llvm::CallBase& call) const
{
    const unsigned words = m_job.patterns * sizeof(LanePattern) / kPatternPieceBytes;
    FileValues::Touched touched{Pieces(words), Pieces(words)};
    if (isToldOfWarp(call)) {
        touched.reads.set();
        if (!instructionOf(call))
            touched.writes.set();
    }
    return touched;
}

/// Functions that stay outside are called where the simulator has them, whatever else the bitcode says of them.
void BlockWriter::addCallees()
{
    std::vector<std::pair<llvm::Constant*, size_t>> places;  // first: the list changes when what it names does
    for (size_t i = 0; i < m_job.handlers->lists.calleeBytes / sizeof(void*); ++i)
        if (llvm::Constant* callee = listEntry("lanescope_callees", i))
            places.emplace_back(callee, i);
    for (const auto& [callee, i] : places)
        callee->replaceAllUsesWith(variable(symbolOf(JobSymbol::Callee, i)));
}

/// Reads the bodies of functions that what was written needs, and of those that these need; others become declarations.
llvm::Error BlockWriter::readWhatIsCalled()
{
    std::vector<llvm::Function*> wanted(m_written.begin(), m_written.end());
    std::set<const llvm::Constant*> seen(m_written.begin(), m_written.end());
    const auto want = [&](llvm::Constant& root) {
        std::vector<llvm::Constant*> open{&root};
        while (!open.empty()) {
            llvm::Constant* const next = open.back();
            open.pop_back();
            if (llvm::isa<llvm::ConstantData>(next) || !seen.insert(next).second)
                continue;
            if (auto* const function = llvm::dyn_cast<llvm::Function>(next))
                wanted.push_back(function);
            for (llvm::Use& operand : next->operands())
                if (auto* const of = llvm::dyn_cast<llvm::Constant>(operand.get()))
                    open.push_back(of);
        }
    };
    while (!wanted.empty()) {
        llvm::Function& function = *wanted.back();
        wanted.pop_back();
        if (llvm::Error error = function.materialize())
            return error;
        for (llvm::Instruction& instruction : llvm::instructions(function))
            for (llvm::Use& operand : instruction.operands())
                if (auto* const constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
                    want(*constant);
    }
    for (llvm::Function& function : m_module)
        if (function.isMaterializable()) {
            function.deleteBody();
            function.setComdat(nullptr);
        }
    return m_module.materializeAll();  // nothing is left; whoever reads goes
}

llvm::Error BlockWriter::closeModule()
{
    addCallees();
    if (llvm::Error error = readWhatIsCalled())
        return error;
    // The lists are used by nobody but what says that they are, which goes first.
    for (const llvm::StringRef name : {"llvm.used", "llvm.compiler.used"})
        if (llvm::GlobalVariable* variable = m_module.getNamedGlobal(name))
            variable->eraseFromParent();
    for (const llvm::StringRef name :
         {"lanescope_plain", "lanescope_accesses", "lanescope_tried_first", "lanescope_tried_first_rows",
          "lanescope_tried_first_parts", "lanescope_checks", "lanescope_terminators", "lanescope_passed",
          "lanescope_callees", "lanescope_foreseen", "lanescope_foreseen_ways"})
        if (llvm::GlobalVariable* variable = m_module.getNamedGlobal(name))
            variable->setLinkage(llvm::GlobalValue::InternalLinkage);
    for (llvm::Function& function : m_module)
        if (!function.isDeclaration() && std::ranges::find(m_written, &function) == m_written.end())
            function.setLinkage(llvm::GlobalValue::InternalLinkage);
    return llvm::Error::success();
}

void BlockWriter::placeConstants()
{
    const auto place = [&](const llvm::WeakVH& known, const std::string& symbol) {
        auto* const table = llvm::cast_or_null<llvm::GlobalVariable>(known);
        if (!table)
            return;
        table->replaceAllUsesWith(variable(symbol));
        table->eraseFromParent();
    };
    for (const auto& [at, table] : m_tables)
        place(table.bytes, symbolOf(JobSymbol::Table, table.index));
    place(m_code, symbolOf(JobSymbol::Code));
    m_tables.clear();
}

}  // namespace lanescope::simt::native
