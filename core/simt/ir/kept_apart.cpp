// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/kept_apart.h"

#include <algorithm>
#include <map>
#include <optional>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {
namespace {

using llvm::dyn_cast;
using llvm::isa;

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
        m_result.m_limits = m_reader.loopLimits();
        m_result.m_rounds = m_reader.loopRounds();
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

/// Puts a launch's numbers in.
class KeptApart::Placing {
public:
    Placing(const KeptApart& kept, const LaunchNumbers& launch)
        : m_kept(kept), m_launch(launch), m_last(lastCoordinates(launch)), m_bounds(kept.m_bounds.size())
    {
        for (const LoopLimit& limit : kept.m_limits)
            if (const std::optional<int64_t> last = limit.lastIn(launch))
                m_rounds.emplace(limit.rounds, *last);
        for (size_t i = 0; i < kept.m_bounds.size(); ++i)
            for (const AffineBound& bound : kept.m_bounds[i])
                add(bound, m_bounds[i]);
    }

    [[nodiscard]] const LastCoordinates& last() const { return m_last; }
    /// None: it is not known where that is.
    [[nodiscard]] std::optional<PlacedAccess> place(const Access& access) const
    {
        const Bounds& bounds = m_bounds[access.bounds];
        std::optional<PlacedAffine> offset = placedHere(access.at.offset, bounds.rounds);
        const auto base = static_cast<int64_t>(access.baseIn(m_launch) & UINT32_MAX);
        if (!offset || !fit(access.at.provided, bounds.rounds) ||
            __builtin_add_overflow(offset->constant, base, &offset->constant))
            return std::nullopt;
        return PlacedAccess{*std::move(offset), access.bytes, access.isWrite, bounds.sums};
    }

private:
    using Rounds = std::map<Coordinate, int64_t>;  ///< of loops: the last one
    struct Bounds {
        std::vector<PlacedBound> sums;
        Rounds rounds;
    };

    /// \p rounds: of loops of which more is known there.
    [[nodiscard]] std::optional<PlacedAffine> placedHere(const Affine& affine, const Rounds& rounds) const
    {
        std::optional<PlacedAffine> result = placed(affine, m_launch);
        if (!result)
            return std::nullopt;
        for (PlacedOther& other : result->others)
            for (const Rounds* const known : {&m_rounds, &rounds})
                if (const auto found = known->find(other.coordinate); found != known->end())
                    other.last = std::min(other.last.value_or(found->second), found->second);
        return result;
    }

    [[nodiscard]] bool fit(const std::vector<Fits>& all, const Rounds& rounds) const
    {
        return std::ranges::all_of(all, [&](const Fits& one) {
            const std::optional<PlacedAffine> value = placedHere(one.value, rounds);
            const std::optional<ValueRange> range = value ? rangeOf(*value, m_last) : std::nullopt;
            return range && one.holdsFor(*range);
        });
    }

    void add(const AffineBound& bound, Bounds& bounds) const
    {
        const std::optional<PlacedAffine> value = placed(bound.value, m_launch);
        const std::optional<int64_t> limit = bound.most.valueIn(m_launch);
        if (!value || !limit || !fit(bound.provided, {}))
            return;
        int64_t most = 0;
        if (__builtin_sub_overflow(*limit, value->constant, &most))
            return;
        if (!value->others.empty())
            return addRounds(*value, most, bound.unsignedBits != 0, bounds.rounds);
        if (bound.unsignedBits != 0) {
            // Below 0 it would be a large number, and above what has no sign a small one.
            const std::optional<ValueRange> range = rangeOf(*value, m_last);
            constexpr unsigned kWidest = 62;
            const int64_t round = int64_t{1} << std::min(bound.unsignedBits, kWidest);
            if (!range || *limit < 0 || *limit >= round || range->lowest <= *limit - round || range->highest >= round)
                return;
        }
        bounds.sums.push_back({value->times, most});
    }

    /// The rounds of a loop are bounded by what it asks at its beginning.
    void addRounds(const PlacedAffine& value, int64_t most, bool isUnsigned, Rounds& rounds) const
    {
        const PlacedOther& other = value.others.front();
        const PlacedAffine rest{value.times, {}, 0};
        const std::optional<ValueRange> range = rangeOf(rest, m_last);
        int64_t left = 0;
        if (value.others.size() != 1 || !m_kept.m_rounds.contains(other.coordinate) || other.times <= 0 || isUnsigned ||
            !range || __builtin_sub_overflow(most, range->lowest, &left))
            return;
        const int64_t last = std::max<int64_t>(left, 0) / other.times;
        const auto [known, isNew] = rounds.try_emplace(other.coordinate, last);
        known->second = std::min(known->second, last);
    }

    const KeptApart& m_kept;
    const LaunchNumbers& m_launch;
    const LastCoordinates m_last;
    Rounds m_rounds;
    std::vector<Bounds> m_bounds;
};

std::set<uint64_t> KeptApart::slots(LaunchNumbers launch) const
{
    launch.computed = &m_computed;
    // Of those that are only read nothing is asked.
    std::set<uint64_t> written, apart = touchedSlots(launch);
    for (const Access& access : m_accesses)
        if (access.isWrite)
            written.insert(access.slotIn(launch));
    std::erase_if(apart, [&](uint64_t slot) { return written.contains(slot); });
    if (written.empty())
        return apart;
    const Placing placing(*this, launch);
    std::map<uint64_t, std::vector<PlacedAccess>> bySlot;
    std::set<uint64_t> unknown;
    for (const Access& access : m_accesses) {
        const uint64_t slot = access.slotIn(launch);
        if (!written.contains(slot) || unknown.contains(slot))
            continue;
        if (std::optional<PlacedAccess> place = placing.place(access))
            bySlot[slot].push_back(*std::move(place));
        else
            unknown.insert(slot);
    }
    for (const auto& [slot, accesses] : bySlot)
        if (!unknown.contains(slot) && areApart(accesses, placing.last()))
            apart.insert(slot);
    return apart;
}

}  // namespace lanescope::simt
