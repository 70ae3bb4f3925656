// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/fusion.h"

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace lanescope::simt {
namespace {

const MemoryInfo& loadAt(const Instr& instr)
{
    return *reinterpret_cast<const MemoryInfo*>(instr.imm);
}

/// Whether [at, at + 3) are two loads and the multiply-add of what they load. None may change what another reads by
/// another name.
bool isMultiplyAddLoaded(const Instr* at, const FusedHandlers& handlers)
{
    if (at[0].run != handlers.load || at[1].run != handlers.load || at[2].run != handlers.multiplyAdd)
        return false;
    const uint32_t x = loadAt(at[0]).values[0].reg, y = loadAt(at[1]).values[0].reg;
    const uint32_t a = at[2].a, b = at[2].b, c = at[2].c;
    return loadAt(at[0]).components == 1 && loadAt(at[1]).components == 1 && x != y && c != x && c != y &&
           ((a == x && b == y) || (a == y && b == x));
}

bool isSame(const AddressTerm& x, const AddressTerm& y)
{
    return x.operand.reg == y.operand.reg && x.operand.form == y.operand.form && x.wide == y.wide && x.scale == y.scale;
}

/// Whether the bytes from \p first to \p next are always as many; \p distance gets them.
bool liesAtConstantDistance(const MemoryInfo& first, const MemoryInfo& next, int32_t& distance)
{
    const int64_t bytes = next.offset - first.offset;
    distance = static_cast<int32_t>(bytes);
    return distance == bytes && next.pattern == first.pattern && next.base.form == first.base.form &&
           next.base.reg == first.base.reg && next.alignment == first.alignment &&
           std::equal(first.scalarTerms, first.scalarTerms + first.scalarTermCount, next.scalarTerms,
                      next.scalarTerms + next.scalarTermCount, isSame);
}

void extend(ProductRow::Operand& operand, const MemoryInfo& load, int32_t offset)
{
    if (operand.loads.empty())
        operand.first = &load;
    operand.lowest = std::min<int64_t>(operand.lowest, offset);
    operand.highest = std::max<int64_t>(operand.highest, offset);
    operand.bits |= static_cast<uint32_t>(offset);
    operand.loads.push_back(&load);
}

/// Adds the three instructions at \p at to the row, if their loads lie as they must. \p sumBefore: the multiply-add
/// before; null for the first.
bool extend(ProductRow& row, const Instr* at, const Instr* sumBefore)
{
    ProductRow::Step step;
    for (int i = 0; i < 2; ++i) {
        const ProductRow::Operand& operand = row.operands[i];
        if (operand.first && !liesAtConstantDistance(*operand.first, loadAt(at[i]), step.offset[i]))
            return false;
        step.loaded[i] = loadAt(at[i]).values[0].reg;
        step.keeps[i] = !at[i].a;
    }
    for (uint8_t i = 0; i < 2; ++i) {
        extend(row.operands[i], loadAt(at[i]), step.offset[i]);
        if (row.steps.empty())
            row.events.firstFrom[i] = static_cast<uint32_t>(row.events.events.size());
        row.events.events.push_back(
            {.site = loadAt(at[i]).site, .place = i, .offset = static_cast<uint32_t>(step.offset[i])});
    }
    const Instr& sum = at[2];
    step.from = sum.c;
    step.to = sum.dst;
    if (sumBefore) {
        const bool goesOn = row.steps.back().to == step.from;
        if (goesOn)
            step.from = ProductRow::kInRegisters;
        if (goesOn && sumBefore->imm)
            row.steps.back().to = ProductRow::kInRegisters;
        else
            row.isOneSum = false;
    }
    row.steps.push_back(step);
    row.length += FusedHandlers::kLength;
    return true;
}

/// Adds what is recorded behind a multiply-add: its sum, which replay computes, and constants.
bool extendByRecord(ProductRow& row, const Instr& at, const Instr& sum, const FusedHandlers& handlers)
{
    using Kind = trace::EventRun::Kind;
    trace::EventRun::Event event{.site = SiteId{at.c}};
    if (at.run == handlers.recordDerived && at.a == sum.dst) {
        event.kind = Kind::DerivedWrite;
        row.asksOthers |= (at.imm & kAsksOthers) != 0;
    } else if (at.run == handlers.recordConstant) {
        event.kind = Kind::ConstantWrite;
        event.valueBytes = static_cast<uint8_t>(at.b);
        event.value = at.imm;
    } else {
        return false;
    }
    row.events.events.push_back(event);
    ++row.length;
    return true;
}

}  // namespace

bool onlyMultiplyAddReads(const llvm::Instruction& instr)
{
    if (!instr.hasOneUse())
        return false;
    const auto* user = llvm::dyn_cast<llvm::IntrinsicInst>(*instr.user_begin());
    return user && user->getParent() == instr.getParent() &&
           (user->getIntrinsicID() == llvm::Intrinsic::fmuladd || user->getIntrinsicID() == llvm::Intrinsic::fma);
}

void fuse(std::vector<Instr>& code, const FusedHandlers& handlers, std::deque<ProductRow>& rows)
{
    constexpr std::ptrdiff_t kLength = FusedHandlers::kLength;
    if (!handlers.loaded)
        return;
    Instr* const end = code.data() + code.size();
    for (Instr* at = code.data(); end - at >= kLength;) {
        Instr* const first = at;
        const Instr* sum = nullptr;
        ProductRow row;
        while (end - at >= kLength && isMultiplyAddLoaded(at, handlers) && extend(row, at, sum)) {
            at->run = handlers.loaded;
            sum = &at[2];
            for (at += kLength; at != end && extendByRecord(row, *at, *sum, handlers);)
                ++at;
        }
        if (row.steps.empty())
            ++at;
        if (row.steps.size() < 2)
            continue;
        rows.push_back(std::move(row));
        reinterpret_cast<MemoryInfo*>(first->imm)->row = &rows.back();
        first->run = handlers.row;
    }
}

void fusePairs(std::vector<Instr>& code, std::span<const FusedPair> pairs)
{
    for (size_t i = 1; i < code.size(); ++i)
        for (const FusedPair& pair : pairs)
            if (code[i].run == pair.second && code[i - 1].run == pair.first)
                code[i - 1].run = pair.both;
}

}  // namespace lanescope::simt
