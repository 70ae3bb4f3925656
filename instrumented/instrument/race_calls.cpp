// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the race check (instrumented/device/races.cpp), beside those of the counter.
#include <map>

#include <llvm/IR/InstIterator.h>

#include "core/cuda/device_races.h"
#include "instrumented/instrument/count_calls.h"
#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using cuda::CountSpace;
using device::PlaceNumber;
using llvm::dyn_cast;
using llvm::Value;

namespace {

llvm::StringRef calleeOf(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::CallInst>(&instr);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee ? callee->getName() : "";
}

/// Of some of the block's threads, of a cluster's, or an mbarrier: whom it orders is not followed.
bool isPartialBarrier(llvm::StringRef name)
{
    return name == "llvm.nvvm.barrier.sync.cnt" || name == "llvm.nvvm.barrier" || name == "llvm.nvvm.barrier.n" ||
           name == "llvm.nvvm.barrier.sync" || name == "llvm.nvvm.bar.sync" || name.contains("barrier.arrive") ||
           name.starts_with("llvm.nvvm.barrier.cluster") || name == "__ls_phase_barrier";
}

const llvm::Type* accessedType(const llvm::Instruction& instr)
{
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instr))
        return store->getValueOperand()->getType();
    if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr))
        return exchange->getNewValOperand()->getType();
    return instr.getType();
}

class RaceCalls final : public CountCalls {
public:
    RaceCalls(DeviceCode& code, llvm::IRBuilder<>& build) : CountCalls(code, build)
    {
        llvm::Type *word = build.getInt32Ty(), *wide = build.getInt64Ty();
        m_race = declare(code, "__lanescope_race_access", {wide, word, wide, wide, word, word, word, word});
        m_raceCopy = declare(code, "__lanescope_race_copy", {wide, wide, wide, word, word, word, word});
        m_barrier = declare(code, "__lanescope_race_barrier", {});
        m_warpSync = declare(code, "__lanescope_race_warp_sync", {word});
        m_begin = declare(code, "__lanescope_race_begin", {});
        m_end = declare(code, "__lanescope_race_end", {});
        m_object = declare(code, "__lanescope_race_object", {word, word, wide});
        for (const auto& [kernel, program] : code.programs)
            m_blocksOrdered |= program->hasFences || program->syncsGrid;
        for (llvm::Function& function : *code.module)
            for (llvm::Instruction& instr : llvm::instructions(function))
                look(instr);
        code.raceShift = m_shift;
        code.raceLimits = (m_checks ? 0 : cuda::kRaceNotAtAll) | (m_blocksOrdered ? cuda::kRaceNotOfBlocks : 0);
    }

    void access(uint32_t number, llvm::Instruction& instr, Value* pointer, Value* value) override
    {
        const auto entry = static_cast<uint32_t>(m_code.countEntries.size());
        CountCalls::access(number, instr, pointer, value);
        if (spaceOf(pointer) == CountSpace::Other || !m_checks)
            return;
        const bool atomic = llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instr);
        const uint32_t info = infoOf(entry) | (atomic ? kTouchAtomic : 0) | (instr.isVolatile() ? kTouchVolatile : 0);
        for (const Piece& piece : piecesOf(m_build, m_code.module->getDataLayout(), value))
            call(m_race,
                 {addressOf(m_build, pointer, piece.offset), m_build.getInt32(info), piece.low, piece.high,
                  m_build.getInt32(piece.bytes), m_build.getInt32(m_shift),
                  m_build.getInt32(atomic || llvm::isa<llvm::StoreInst>(instr)), m_build.getInt32(m_blocksOrdered)});
    }
    void mark(uint32_t number, llvm::Instruction& instr) override
    {
        // Ours first: between the warp's meeting that the counter adds and the barrier there must be nothing in which
        // lanes can part again.
        if (m_checks && !llvm::isa<llvm::ReturnInst>(instr))
            call(m_barrier, {});
        else if (m_checks && m_code.programs.contains(instr.getFunction()))
            call(m_end, {});
        CountCalls::mark(number, instr);
    }
    void object(uint32_t key, Value* pointer) override
    {
        if (m_checks && (key & device::ObjectKey::kShared))
            call(m_object,
                 {m_build.getInt32(m_code.raceObjects++), m_build.getInt32(key), addressOf(m_build, pointer)});
    }
    void kernelEntry() override
    {
        if (m_checks)
            call(m_begin, {});
    }
    void copy(PlaceNumber place, Value* to, Value* from, Value* length) override
    {
        const auto entry = static_cast<uint32_t>(m_code.countEntries.size());
        if (m_checks)
            call(m_raceCopy, {addressOf(m_build, to), addressOf(m_build, from), length, m_build.getInt32(infoOf(entry)),
                              m_build.getInt32(infoOf(entry + kEntriesOfPieces)), m_build.getInt32(m_shift),
                              m_build.getInt32(m_blocksOrdered)});
        CountCalls::copy(place, to, from, length);
    }
    void finish() override
    {
        for (llvm::CallInst* meeting : m_meetings) {
            m_build.SetInsertPoint(meeting);
            if (m_checks)
                call(m_warpSync, {meeting->getArgOperand(0)});
        }
    }

private:
    static constexpr uint32_t kEntriesOfPieces = 15;

    void look(llvm::Instruction& instr)
    {
        const llvm::StringRef callee = calleeOf(instr);
        m_checks &= !isPartialBarrier(callee);
        if (callee == "llvm.nvvm.bar.warp.sync")
            m_meetings.push_back(llvm::cast<llvm::CallInst>(&instr));
        const Value* pointer = llvm::getPointerOperand(&instr);
        if (!pointer || llvm::isa<llvm::GetElementPtrInst>(instr) ||
            spaceOf(const_cast<Value*>(pointer)) == CountSpace::Other)
            return;
        const llvm::Type* type = accessedType(instr);
        if (type->isSized() && m_code.module->getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type)) % 4 != 0)
            m_shift = 0;
    }

    /// Of a program with more entries than fit the last one stands for the others.
    static uint32_t infoOf(uint32_t entry) { return std::min(entry, kTouchMaxSite) << kTouchSiteShift; }

    llvm::FunctionCallee m_race, m_raceCopy, m_barrier, m_warpSync, m_begin, m_end, m_object;
    std::vector<llvm::CallInst*> m_meetings;
    uint32_t m_shift = 2;
    bool m_blocksOrdered = false;
    bool m_checks = true;
};

}  // namespace

void addRaceCalls(DeviceCode& code)
{
    llvm::IRBuilder<> build(code.context);
    RaceCalls calls(code, build);
    addCalls(code, calls, build);
}

}  // namespace lanescope::instrument
