// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/warp_lowering.h"

#include <llvm/IR/Constants.h>

#include "core/simt/ir/legalise.h"
#include "core/simt/lower/flow_descriptions.h"
#include "core/simt/machine/warp_functions.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

/// The registers that \p instr's parts are computed into; scalars get theirs from finishVectors.
std::vector<uint32_t> WarpLowering::vectorResults(const llvm::Instruction& instr)
{
    std::vector<uint32_t> registers;
    if (instr.getType()->isVoidTy())
        return registers;
    std::vector<Leaf> types = leavesOf(m_builder.layout(), instr.getType(), &instr);
    Parts out = m_values.destinations(instr);
    for (size_t i = 0; i < out.size(); ++i)
        registers.push_back(out[i].form == Form::Vector ? out[i].reg : m_registers.temporary(types[i].lane));
    return registers;
}

void WarpLowering::finishVectors(const llvm::Instruction& instr, const std::vector<uint32_t>& registers)
{
    if (instr.getType()->isVoidTy())
        return;
    std::vector<Leaf> types = leavesOf(m_builder.layout(), instr.getType(), &instr);
    const Parts& out = *m_values.find(instr);
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i].form == Form::Vector)
            continue;
        m_operations.firstLane(out[i], registers[i], types[i].lane, &instr);
        if (gathersLanes(instr))
            m_operations.describeCopy(out[i], {registers[i], Form::Vector}, types[i].lane);
    }
}

/// A call whose member mask is argument \p members; the others are its inputs in order. \p isShuffle: and imm its mode.
void WarpLowering::emitWarpCall(llvm::CallInst& instr, WarpFunction function, uint64_t imm, unsigned members,
                                const char* name, bool isShuffle)
{
    WarpCall call;
    call.function = function;
    call.imm = imm;
    call.name = name;
    unsigned count = 0;
    for (unsigned i = 0; i < instr.arg_size(); ++i) {
        std::vector<Leaf> types = leavesOf(m_builder.layout(), instr.getArgOperand(i)->getType(), &instr);
        Parts values = m_values.parts(instr.getArgOperand(i));
        for (size_t part = 0; part < values.size(); ++part) {
            if (i == members) {
                call.members = m_operations.asVector(values[part], LaneType::I32);
                continue;
            }
            if (count == WarpCall::kMaxOperands)
                throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
            call.in[count] = m_operations.asVector(values[part], types[part].lane);
            call.wideIn[count++] = isWide(types[part].lane);
        }
    }
    if (members >= instr.arg_size())
        call.members = m_operations.asVector(m_registers.constant(~uint32_t{0}), LaneType::I32);
    std::vector<uint32_t> results = vectorResults(instr);
    if (!results.empty()) {
        std::vector<Leaf> types = leavesOf(m_builder.layout(), instr.getType(), &instr);
        for (size_t i = 0; i < results.size(); ++i) {
            call.out[i] = results[i];
            call.wideOut[i] = isWide(types[i].lane);
        }
    }
    call.staticSite = m_sites.addStatic(trace::SiteKind::Call, instr, name);
    m_matrices.noteProduct(instr, call.staticSite);
    m_builder.program().warpCalls.push_back(call);
    const auto* const named =
        members < instr.arg_size() ? dyn_cast<llvm::ConstantInt>(instr.getArgOperand(members)) : nullptr;
    // Unoptimised code has them in a variable of the function that calls the instruction.
    const bool mayBeOfAll = !named || named->isMinusOne();
    const bool isOneInstruction = isShuffle && mayBeOfAll;
    Instr& emitted = m_code.emit(
        isOneInstruction ? m_builder.handlers().shuffle(static_cast<ShuffleMode>(imm), !named) : runWarpCall, &instr);
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().warpCalls.back());
    if (isOneInstruction) {
        emitted.dst = call.out[0];
        emitted.a = call.in[0];
        emitted.b = call.in[1];
        emitted.c = call.in[2];
    }
    finishVectors(instr, results);
}

bool WarpLowering::lowerWarpOperation(llvm::CallInst& instr, StringRef name)
{
    m_builder.program().readsMissingLanes |= name.starts_with("__ls_mma.") || name.starts_with("__ls_wgmma.");
    if (name.starts_with("__ls_mma.")) {
        std::optional<uint64_t> operation = matrixOperation({name.data(), name.size()});
        if (!operation)
            throw Unsupported{"the PTX instruction '" + name.substr(5).str() + "'", &instr};
        emitWarpCall(instr, multiplyMatrices, *operation, instr.arg_size(), "mma.sync");
        return true;
    }
    if (name.starts_with("__ls_wgmma.")) {
        constexpr size_t kPrefix = sizeof "__ls_wgmma." - 1;
        std::optional<uint64_t> operation = warpgroupOperation({name.data() + kPrefix, name.size() - kPrefix});
        if (!operation)
            throw Unsupported{"the PTX instruction 'wgmma.mma_async …" + name.substr(kPrefix).str() + "'", &instr};
        emitWarpCall(instr, multiplyWarpgroup, *operation, instr.arg_size(), "wgmma");
        return true;
    }
    if (!name.consume_front("llvm.nvvm."))
        return false;
    if (name == "activemask") {
        std::vector<uint32_t> results = vectorResults(instr);
        m_code.emit(runActiveMask, &instr).dst = results[0];
        finishVectors(instr, results);
        return true;
    }
    const WarpOperation* operation = warpOperation({name.data(), name.size()});
    if (!operation)
        return false;
    emitWarpCall(instr, operation->function, operation->imm, operation->members, operation->display,
                 operation->isShuffle);
    return true;
}

/// bar.sync and its kin. \p id, \p count: null for barrier 0 of all threads.
void WarpLowering::emitBarrier(llvm::CallInst& instr, Handler handler, const llvm::Value* id, const llvm::Value* count,
                               const char* text)
{
    auto* number = dyn_cast_or_null<llvm::ConstantInt>(id);
    uint32_t idRegister =
        !id || (number && number->isZero()) ? UINT32_MAX : m_operations.asVector(m_values.operand(id), LaneType::I32);
    uint32_t countRegister = count ? m_operations.asVector(m_values.operand(count), LaneType::I32) : UINT32_MAX;
    SiteId where = m_sites.add(trace::SiteKind::Barrier, instr, text);
    m_sites.notePlace(instr, where);
    Instr& emitted = m_code.emit(handler, &instr);
    emitted.dst = idRegister;
    emitted.a = countRegister;
    emitted.b = m_marks.ofBarriersIn(*instr.getParent());
    emitted.c = where.value;
}

void WarpLowering::lowerFence(const llvm::Instruction& where, SyncScope scope)
{
    // Blocks that hand data over take turns, so that what they find does not depend on the host; those of a cluster do.
    m_builder.program().noteHandingOver(scope == SyncScope::Device);
    m_builder.program().hasFences = true;
    m_code.emit(runFence, &where).imm = static_cast<uint64_t>(scope);
}

void WarpLowering::lowerTrap(const llvm::Instruction& instr, const Trap& trap)
{
    const uint32_t where = m_sites.addStatic(trace::SiteKind::Call, instr, {});
    Instr& emitted = m_code.emit(runTrap, &instr);
    emitted.imm = reinterpret_cast<uint64_t>(&trap);
    emitted.c = where;
}

bool WarpLowering::lowerIntrinsic(llvm::CallInst& instr, StringRef name)
{
    return lowerTraps(instr, name) || lowerBarrier(instr, name) || lowerWarpOperation(instr, name) ||
           lowerTensorCopy(instr, name) || lowerClock(instr, name);
}

bool WarpLowering::lowerTraps(llvm::CallInst& instr, StringRef name)
{
    if (name != "llvm.trap" && name != "llvm.debugtrap" && name != "llvm.ubsantrap")
        return false;
    static const Trap kCalled{FindingKind::AssertFailed, "the kernel called __trap"};
    static const Trap kNoFunction{FindingKind::OutOfBounds, "call through a pointer that is no function's"};
    lowerTrap(instr, instr.getMetadata(kBadCall) ? kNoFunction : kCalled);
    return true;
}

/// \p name, without LLVM's prefix, is __syncthreads_count or the like.
bool WarpLowering::lowerBarrierVote(llvm::CallInst& instr, StringRef name)
{
    constexpr StringRef kVotes[] = {"barrier0.popc", "barrier0.and", "barrier0.or"};
    for (uint64_t mode = 0; mode < 3; ++mode) {
        if (name != kVotes[mode])
            continue;
        uint32_t predicate = m_operations.asVector(m_values.operand(instr.getArgOperand(0)), LaneType::I32);
        std::vector<uint32_t> results = vectorResults(instr);
        Instr& vote = m_code.emit(runBarrierVote, &instr);
        vote.dst = UINT32_MAX;
        vote.b = predicate;
        emitBarrier(instr, runBarrier, nullptr, nullptr, "__syncthreads()");
        Instr& result = m_code.emit(runBarrierResult, &instr);
        result.dst = UINT32_MAX;
        result.b = results[0];
        result.imm = mode;
        finishVectors(instr, results);
        return true;
    }
    return false;
}

bool WarpLowering::lowerBarrier(llvm::CallInst& instr, StringRef name)
{
    auto argument = [&](unsigned index) { return instr.getArgOperand(index); };
    if (name == "__ls_grid_sync") {
        m_builder.program().syncsGrid = true;
        SiteId where = m_sites.add(trace::SiteKind::Barrier, instr, "grid.sync()", {});
        m_sites.notePlace(instr, where);
        m_code.emit(runGridBarrier, &instr).c = where.value;
        return true;
    }
    if (!name.consume_front("llvm.nvvm."))
        return false;
    if (name.starts_with("barrier.cluster.arrive")) {
        m_code.emit(runClusterArrive, &instr).imm = !name.contains("relaxed");
        return true;
    }
    if (name.starts_with("barrier.cluster.wait")) {
        const SiteId where = m_sites.add(trace::SiteKind::Barrier, instr, "barrier.cluster.wait", {});
        m_sites.notePlace(instr, where);
        m_code.emit(runClusterWait, &instr).c = where.value;
        return true;
    }
    if (name == "barrier0" || name == "barrier.cta.sync.aligned.all") {
        emitBarrier(instr, runBarrier, nullptr, nullptr, "__syncthreads()");
        return true;
    }
    if (name == "barrier.sync" || name == "bar.sync" || name == "barrier.n") {
        emitBarrier(instr, runBarrier, argument(0), nullptr, "bar.sync");
        return true;
    }
    if (name == "barrier.sync.cnt" || name == "barrier") {
        emitBarrier(instr, runBarrier, argument(0), argument(1), "bar.sync");
        return true;
    }
    if (name == "barrier.arrive.cnt") {
        emitBarrier(instr, runBarrierArrive, argument(0), argument(1), "bar.arrive");
        return true;
    }
    return lowerBarrierVote(instr, name);
}

bool WarpLowering::lowerClock(llvm::CallInst& instr, StringRef name)
{
    bool isTime = name == "llvm.nvvm.read.ptx.sreg.globaltimer" || name == "llvm.readsteadycounter";
    bool isClock = name == "llvm.nvvm.read.ptx.sreg.clock" || name == "llvm.nvvm.read.ptx.sreg.clock64" ||
                   name == "llvm.readcyclecounter";
    if (isTime || isClock) {
        std::vector<uint32_t> results = vectorResults(instr);
        Instr& emitted = m_code.emit(runClock, &instr);
        emitted.dst = results[0];
        emitted.b = instr.getType()->isIntegerTy(64);
        emitted.imm = isTime;
        finishVectors(instr, results);
        return true;
    }
    if (name != "llvm.nvvm.nanosleep")
        return false;
    uint32_t nanoseconds = m_operations.asVector(m_values.operand(instr.getArgOperand(0)), LaneType::I32);
    m_code.emit(runNanosleep, &instr).a = nanoseconds;
    return true;
}

namespace {

/// "load.tile.2" of "__ls_tensor.load.tile.2".
TensorCopy tensorCopyNamed(StringRef name)
{
    using Reduction = TensorCopy::Reduction;
    constexpr std::pair<StringRef, Reduction> kReductions[] = {
        {"add", Reduction::Add}, {"min", Reduction::Min}, {"max", Reduction::Max}, {"inc", Reduction::Inc},
        {"dec", Reduction::Dec}, {"and", Reduction::And}, {"or", Reduction::Or},   {"xor", Reduction::Xor}};
    TensorCopy copy;
    const auto [what, rest] = name.split('.');
    copy.way = what == "load"       ? TensorCopy::Way::Load
               : what == "store"    ? TensorCopy::Way::Store
               : what == "prefetch" ? TensorCopy::Way::Prefetch
                                    : TensorCopy::Way::Reduce;
    for (const auto& [text, reduction] : kReductions)
        if (what == text)
            copy.reduction = reduction;
    copy.isIm2col = rest.starts_with("im2col");
    copy.rank = static_cast<uint8_t>(rest.back() - '0');
    return copy;
}

}  // namespace

/// __ls_tensor.*(map, box in shared memory, coordinates, offsets): the bytes that a barrier counts.
bool WarpLowering::lowerTensorCopy(llvm::CallInst& instr, StringRef name)
{
    if (!name.consume_front("__ls_tensor."))
        return false;
    TensorCopy copy = tensorCopyNamed(name);
    llvm::Value *map = instr.getArgOperand(0), *tile = instr.getArgOperand(1);
    const bool loads = copy.way == TensorCopy::Way::Load, reduces = copy.way == TensorCopy::Way::Reduce;
    const auto describe = [&](MemoryInfo& info, const llvm::Value* pointer, trace::SiteKind kind, trace::Space space) {
        m_accesses.describe(info, instr, pointer, kind, llvm::Type::getInt8Ty(instr.getContext()));
        m_sites.last().space = space;
    };
    using Kind = trace::SiteKind;
    describe(copy.map, map, Kind::Load, trace::Space::Constant);
    copy.map.bytes = 128;
    copy.map.alignment = 64;
    // What is read before what is written, as of other copies.
    if (loads)
        describe(copy.global, map, Kind::Load, trace::Space::Global);
    describe(copy.shared, tile, loads ? Kind::Store : Kind::Load, trace::Space::Shared);
    if (!loads)
        describe(copy.global, map, reduces ? Kind::Atomic : Kind::Store, trace::Space::Global);
    copy.global.isAtomic = reduces;
    copy.global.isPlain = !reduces;
    m_builder.program().needsOneHostThread |= reduces;
    m_builder.program().hasNarrowGlobal = true;
    copy.mapAddress = m_operations.asVector(m_values.operand(map), LaneType::I64);
    copy.sharedAddress = m_operations.asVector(m_values.operand(tile), LaneType::I64);
    const auto word = [&](unsigned index) {
        return m_operations.asVector(m_values.operand(instr.getArgOperand(index)), LaneType::I32);
    };
    for (unsigned i = 0; i < copy.rank; ++i)
        copy.coordinates[i] = word(2 + i);
    for (unsigned i = 0; i < std::size(copy.offsets); ++i)
        copy.offsets[i] = 2 + copy.rank + i < instr.arg_size() ? word(2 + copy.rank + i) : UINT32_MAX;
    const std::vector<uint32_t> results = vectorResults(instr);
    copy.bytes = results[0];
    copy.span = results[1];
    m_builder.program().tensorCopies.push_back(copy);
    m_code.emit(runTensorCopy, &instr).imm = reinterpret_cast<uint64_t>(&m_builder.program().tensorCopies.back());
    finishVectors(instr, results);
    return true;
}

/// The register of the carry flags that inline PTX sets and uses; made when the first does.
Operand WarpLowering::carryFlags()
{
    uint32_t& flags = m_builder.program().carryRegister;
    if (flags == 0)
        flags = m_builder.registers().newVector(LaneType::I32);
    return {flags, Form::Vector};
}

bool WarpLowering::lowerSystemCall(llvm::CallInst& instr, StringRef name)
{
    if (name == "__ls_carry") {
        m_operations.copy(m_values.destination(instr), carryFlags(), LaneType::I32);
        return true;
    }
    if (name == "__ls_set_carry") {
        m_operations.copy(carryFlags(), m_values.operand(instr.getArgOperand(0)), LaneType::I32);
        return true;
    }
    struct System {
        const char* name;
        Handler handler;
        unsigned arguments;
    };
    constexpr System kCalls[] = {{"vprintf", runPrint, 2},
                                 {"malloc", runDeviceMalloc, 1},
                                 {"free", runDeviceFree, 1},
                                 {"__assertfail", runAssertFail, 5},
                                 {"__ls_launch", runLaunch, 4},
                                 {"__ls_wait_for_children", runWaitForChildren, 0},
                                 {"__ls_matrix_descriptor", runMatrixDescriptor, 1},
                                 {"__ls_grid_wait", runGridWait, 0},
                                 {"__ls_async_begin", runAsyncBegin, 2},
                                 {"__ls_async_write", runAsyncWrite, 3},
                                 {"__ls_async_update", runAsyncUpdate, 4},
                                 {"__ls_async_copied", runAsyncCopied, 2},
                                 {"__ls_async_commit", runAsyncCommit, 0},
                                 {"__ls_async_wait", runAsyncWait, 1},
                                 {"__ls_async_bulk", runAsyncBulk, 3},
                                 {"__ls_async_read", runAsyncRead, 3},
                                 {"__ls_async_read_commit", runAsyncReadCommit, 1},
                                 {"__ls_async_read_wait", runAsyncReadWait, 2},
                                 {"__ls_async_proxy_fence", runProxyFence, 0},
                                 {"__ls_products_fence", runProductsFence, 0},
                                 {"__ls_phase_barrier", runPhaseBarrier, 3}};
    for (const System& system : kCalls) {
        if (name != system.name || instr.arg_size() != system.arguments)
            continue;
        m_builder.program().usesHeap |= system.handler == runDeviceMalloc || system.handler == runDeviceFree;
        // Launches are made, and waited for, in the order of blocks that run one after the other.
        m_builder.program().noteHandingOver(system.handler == runLaunch || system.handler == runWaitForChildren);
        m_builder.program().waitsForChildren |= system.handler == runWaitForChildren;
        m_builder.program().hasPhaseBarriers |= system.handler == runPhaseBarrier;
        SystemCall call;
        for (unsigned i = 0; i < instr.arg_size(); ++i) {
            const llvm::Value* value = instr.getArgOperand(i);
            call.in[i] = m_operations.asVector(m_values.operand(value), laneTypeOf(value->getType(), &instr));
        }
        std::vector<uint32_t> results = vectorResults(instr);
        if (!results.empty())
            call.out = results[0];
        call.staticSite = m_sites.addStatic(trace::SiteKind::Call, instr, name.str() + "()");
        m_builder.program().systemCalls.push_back(call);
        m_code.emit(system.handler, &instr).imm = reinterpret_cast<uint64_t>(&m_builder.program().systemCalls.back());
        finishVectors(instr, results);
        return true;
    }
    return false;
}

}  // namespace lanescope::simt
