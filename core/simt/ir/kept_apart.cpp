// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/kept_apart.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// What no distance in a buffer comes near.
constexpr int64_t kFar = int64_t{1} << 40;

/// Bounds that hold at all accesses. Coordinates that are 0 anyhow are left out of them.
std::vector<PlacedBound> commonBounds(const std::vector<PlacedAccess>& accesses)
{
    std::vector<PlacedBound> common;
    for (const PlacedBound& bound : accesses.front().bounds) {
        int64_t most = bound.most;
        const bool holds = std::ranges::all_of(accesses, [&](const PlacedAccess& access) {
            std::optional<int64_t> here;
            for (const PlacedBound& other : access.bounds)
                if (other.times == bound.times)
                    here = here ? std::min(*here, other.most) : other.most;
            most = here ? std::max(most, *here) : most;
            return here.has_value();
        });
        if (holds)
            common.push_back({bound.times, most});
    }
    return common;
}

/// How often \p bound's sum goes into that of \p coordinates; 0: it is of others, or not a multiple.
int64_t multipleOf(const PlacedBound& bound, const std::array<int64_t, kOthers>& coordinates)
{
    int64_t multiple = 0;
    for (Coordinate i = 0; i < kOthers; ++i) {
        const int64_t own = coordinates[i], asked = bound.times[i];
        if (own == 0 && asked == 0)
            continue;
        if (own <= 0 || asked <= 0 || own % asked != 0 || (multiple != 0 && multiple != own / asked))
            return 0;
        multiple = own / asked;
    }
    return multiple;
}

/// From the first byte to behind the last that accesses touch which are at one place but for constants; rounds of
/// \p period are as good as one.
std::optional<int64_t> spanOf(const std::vector<PlacedAccess>& accesses, int64_t period)
{
    int64_t low = 0, high = 0;
    for (const PlacedAccess& access : accesses) {
        int64_t from = 0;
        if (__builtin_sub_overflow(access.offset.constant, accesses.front().offset.constant, &from))
            return std::nullopt;
        if (period != 0) {
            from %= period;
            if (from > period / 2)
                from -= period;
            else if (from < -(period / 2))
                from += period;
        }
        if (std::abs(from) > kFar)
            return std::nullopt;
        low = std::min(low, from);
        high = std::max(high, from + int64_t{access.bytes});
    }
    return high - low;
}

/// What a call touches but by its own registers, as far as that is known: globals, or anything.
void addCall(const llvm::CallBase& call, WrittenMemory& unclear)
{
    llvm::Function* const callee = call.getCalledFunction();
    const bool hasPointers = std::ranges::any_of(
        call.args(), [](const llvm::Use& argument) { return argument->getType()->isPtrOrPtrVectorTy(); });
    if (call.doesNotAccessMemory() || (callee && callee->isIntrinsic() && !hasPointers) ||
        isa<llvm::DbgInfoIntrinsic, llvm::AnyMemIntrinsic>(call) || call.isLifetimeStartOrEnd())
        return;
    if (!callee || callee->isDeclaration()) {
        unclear.anything = true;
        return;
    }
    for (const WrittenMemory& touched : {readMemory(*callee), writtenMemory(*callee)}) {
        unclear.anything |= touched.anything || !touched.parameters.empty();
        unclear.globals.insert(touched.globals.begin(), touched.globals.end());
    }
}

}  // namespace

bool areApart(const std::vector<PlacedAccess>& accesses, const LastCoordinates& last)
{
    if (accesses.empty())
        return true;
    const std::array<int64_t, kOthers>& times = accesses.front().offset.times;
    int64_t period = 0;
    for (const PlacedAccess& access : accesses) {
        if (access.offset.times != times)
            return false;
        for (const int64_t other : access.offset.others)
            period = std::gcd(period, other);
    }
    std::vector<PlacedBound> bounds = commonBounds(accesses);
    LastCoordinates highest = last;
    const auto leaveOutZeros = [&] {
        for (PlacedBound& bound : bounds)
            for (Coordinate i = 0; i < kOthers; ++i)
                if (highest[i] == 0)
                    bound.times[i] = 0;
    };
    leaveOutZeros();
    for (const PlacedBound& bound : bounds)
        if (std::ranges::count(bound.times, 0) == kOthers - 1)
            for (Coordinate i = 0; i < kOthers; ++i)
                if (bound.times[i] > 0)
                    highest[i] = std::min(highest[i], std::max<int64_t>(bound.most, 0) / bound.times[i]);
    leaveOutZeros();
    std::vector<Coordinate> digits;
    for (Coordinate i = 0; i < kOthers; ++i)
        if (highest[i] > 0) {
            if (times[i] == 0 || std::abs(times[i]) > kFar)
                return false;
            digits.push_back(i);
        }
    std::ranges::sort(digits, {}, [&](Coordinate i) { return std::abs(times[i]); });
    const std::optional<int64_t> span = spanOf(accesses, period);
    if (!span)
        return false;
    int64_t sum = 0;  // how far apart two threads can be by the digits so far
    std::array<int64_t, kOthers> soFar{};
    for (const Coordinate digit : digits) {
        const int64_t step = std::abs(times[digit]);
        int64_t more = 0;
        if (step < sum + *span || __builtin_mul_overflow(step, highest[digit], &more) ||
            __builtin_add_overflow(sum, more, &sum) || sum > kFar)
            return false;
        soFar[digit] = times[digit];
        for (const PlacedBound& bound : bounds)
            if (const int64_t multiple = multipleOf(bound, soFar); multiple > 0 && bound.most >= 0)
                if (int64_t most = 0; !__builtin_mul_overflow(multiple, bound.most, &most))
                    sum = std::min(sum, most);
    }
    return period == 0 || period >= sum + *span;
}

/// Goes through a kernel's copy whose variables are values.
class KeptApart::Reading {
public:
    Reading(KeptApart& result, llvm::Function& copy) : m_result(result), m_copy(copy), m_reader(copy) {}

    void readAll()
    {
        for (const llvm::Instruction& instr : llvm::instructions(m_copy))
            readOther(instr);
        for (llvm::BasicBlock& block : m_copy) {
            if (m_result.m_unclear.anything)
                return;
            m_bounds.reset();
            for (const llvm::Instruction& instr : block)
                read(instr);
        }
        m_result.m_computed = m_reader.takeComputed();
    }

private:
    void read(const llvm::Instruction& instr)
    {
        if (const auto* load = dyn_cast<llvm::LoadInst>(&instr))
            return readAccess(instr, *load->getPointerOperand(), *load->getType(),
                              load->isSimple() && !load->hasMetadata(llvm::LLVMContext::MD_nontemporal));
        if (const auto* store = dyn_cast<llvm::StoreInst>(&instr))
            return readAccess(instr, *store->getPointerOperand(), *store->getValueOperand()->getType(),
                              store->isSimple());
    }

    /// All but calls, which have been asked about before there was a copy.
    void readOther(const llvm::Instruction& instr)
    {
        if (const auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&instr)) {
            addUnclear(*memory->getRawDest());
            if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(memory))
                addUnclear(*copy->getRawSource());
        } else if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instr)) {
            readAtomic(*rmw->getPointerOperand(), rmw->getSyncScopeID());
        } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr)) {
            readAtomic(*exchange->getPointerOperand(), exchange->getSyncScopeID());
        } else if (instr.mayReadOrWriteMemory() &&
                   !isa<llvm::CallBase, llvm::FenceInst, llvm::LoadInst, llvm::StoreInst>(instr)) {
            m_result.m_unclear.anything = true;
        }
    }

    /// \p isSimple: nobody asks who wrote what is there, or how old it is.
    void readAccess(const llvm::Instruction& instr, const llvm::Value& pointer, const llvm::Type& type, bool isSimple)
    {
        constexpr unsigned kShared = 3, kLocal = 5;
        const unsigned space = pointer.getType()->getPointerAddressSpace();
        if (space == kShared || space == kLocal)
            return;
        // Of pointers that are read it is asked who wrote them (local_pointers.h).
        const bool isPointer = type.isPtrOrPtrVectorTy();
        auto at = isSimple && !isPointer ? m_reader.address(pointer) : std::nullopt;
        if (!at)
            return addUnclear(pointer);
        if (!m_bounds) {
            m_bounds = m_result.m_bounds.size();
            m_result.m_bounds.push_back(m_reader.boundsAt(*instr.getParent()));
        }
        const llvm::TypeSize bytes = instr.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(&type));
        m_result.m_accesses.push_back(
            {*std::move(at), static_cast<uint32_t>(bytes.getFixedValue()), isa<llvm::StoreInst>(instr), *m_bounds});
    }

    void readAtomic(const llvm::Value& pointer, llvm::SyncScope::ID scope)
    {
        addRoots(pointer, m_copy, scope == llvm::SyncScope::System ? m_result.m_atomics : m_result.m_unclear);
    }

    void addUnclear(const llvm::Value& pointer) { addRoots(pointer, m_copy, m_result.m_unclear); }

    KeptApart& m_result;
    llvm::Function& m_copy;
    AffineReader m_reader;
    std::optional<size_t> m_bounds;  ///< of the block that is read
};

KeptApart::KeptApart(llvm::Function& kernel)
{
    // Most kernels of which nothing can be said show that in what they call.
    for (const llvm::Instruction& instr : llvm::instructions(kernel))
        if (const auto* call = dyn_cast<llvm::CallBase>(&instr))
            addCall(*call, m_unclear);
    if (m_unclear.anything)
        return;
    llvm::ValueToValueMapTy values;
    llvm::Function* const copy = copyWithValues(kernel, values);
    Reading(*this, *copy).readAll();
    copy->eraseFromParent();
}

std::set<uint64_t> KeptApart::touchedSlots(const LaunchNumbers& launch) const
{
    std::set<uint64_t> slots;
    for (const Access& access : m_accesses)
        slots.insert(access.slotIn(launch));
    return slots;
}

std::set<uint64_t> KeptApart::slots(LaunchNumbers launch) const
{
    launch.computed = &m_computed;
    const LastCoordinates last = lastCoordinates(launch);
    const auto fits = [&](const std::vector<Fits>& all) {
        return std::ranges::all_of(all, [&](const Fits& one) { return one.holdsIn(launch); });
    };
    const auto place = [&](const AffineBound& bound) -> std::optional<PlacedBound> {
        const std::optional<PlacedAffine> value = placed(bound.value, launch);
        const std::optional<int64_t> limit = bound.most.valueIn(launch);
        if (!value || !limit || !value->others.empty() || !fits(bound.provided))
            return std::nullopt;
        if (bound.unsignedBits != 0) {
            // Below 0 it would be a large number, and above what has no sign a small one.
            const std::optional<ValueRange> range = rangeOf(*value, last);
            constexpr unsigned kWidest = 62;
            const int64_t round = int64_t{1} << std::min(bound.unsignedBits, kWidest);
            if (!range || *limit < 0 || *limit >= round || range->lowest <= *limit - round || range->highest >= round)
                return std::nullopt;
        }
        int64_t most = 0;
        if (__builtin_sub_overflow(*limit, value->constant, &most))
            return std::nullopt;
        return PlacedBound{value->times, most};
    };
    std::vector<std::vector<PlacedBound>> bounds(m_bounds.size());
    for (size_t i = 0; i < m_bounds.size(); ++i)
        for (const AffineBound& bound : m_bounds[i])
            if (const std::optional<PlacedBound> here = place(bound))
                bounds[i].push_back(*here);
    std::map<uint64_t, std::vector<PlacedAccess>> bySlot;
    std::set<uint64_t> unknown, apart = touchedSlots(launch);  // of those that are only read nothing is asked
    for (const Access& access : m_accesses)
        if (access.isWrite)
            apart.erase(access.slotIn(launch));
    for (const Access& access : m_accesses) {
        const uint64_t base = access.baseIn(launch), slot = access.slotIn(launch);
        std::optional<PlacedAffine> offset = placed(access.at.offset, launch);
        if (!offset || !fits(access.at.provided) ||
            __builtin_add_overflow(offset->constant, static_cast<int64_t>(base & UINT32_MAX), &offset->constant)) {
            unknown.insert(slot);
            continue;
        }
        bySlot[slot].push_back({*std::move(offset), access.bytes, bounds[access.bounds]});
    }
    for (const auto& [slot, accesses] : bySlot)
        if (!unknown.contains(slot) && areApart(accesses, last))
            apart.insert(slot);
    return apart;
}

}  // namespace lanescope::simt
