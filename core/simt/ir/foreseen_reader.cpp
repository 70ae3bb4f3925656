// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/foreseen_reader.h"

#include <algorithm>
#include <bit>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace lanescope::simt {
namespace {

using llvm::dyn_cast;
using Sign = ForeseenGuard::Sign;

/// Each is looked at for every block.
constexpr size_t kMostAccesses = 48, kMostGuards = 16;
constexpr uint64_t kMostBytes = 8;  ///< of one lane

/// Whether it is the same for all threads that are at the same place: no rounds of loops, nothing that is read.
bool isOfCoordinates(const Affine& value)
{
    return value.times.empty() || value.times.rbegin()->first < kOthers;
}

bool areOfCoordinates(const std::vector<Fits>& provided)
{
    return std::ranges::all_of(provided, [](const Fits& one) { return isOfCoordinates(one.value); });
}

LaunchSum timesOf(const Affine& value, Coordinate coordinate)
{
    const auto found = value.times.find(coordinate);
    return found == value.times.end() ? LaunchSum() : found->second;
}

/// The sign of a - b where the relation holds; none: in few blocks all threads are equal to one number.
std::optional<Sign> signOf(llvm::CmpInst::Predicate relation)
{
    switch (relation) {
    case llvm::CmpInst::ICMP_NE:
        return Sign::NotZero;
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_ULT:
        return Sign::Negative;
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_ULE:
        return Sign::NotPositive;
    case llvm::CmpInst::ICMP_SGT:
    case llvm::CmpInst::ICMP_UGT:
        return Sign::Positive;
    case llvm::CmpInst::ICMP_SGE:
    case llvm::CmpInst::ICMP_UGE:
        return Sign::NotNegative;
    default:
        return std::nullopt;
    }
}

}  // namespace

/// Of a copy whose variables are values.
class ForeseenReader::Reading {
public:
    Reading(ForeseenReader& result, llvm::Function& copy)
        : m_result(result), m_dominators(copy), m_reader(copy, AffineReader::Promises::Asked)
    {
    }

    void readAccess(const llvm::Instruction& original, const llvm::Instruction& instr);
    void readBranch(const llvm::BranchInst& original, const llvm::BranchInst& branch);
    ComputedNumbers takeComputed() { return m_reader.takeComputed(); }

private:
    void readAccess(const llvm::Instruction& original, const llvm::Instruction& instr, const llvm::Value& pointer,
                    const llvm::Type& type);
    [[nodiscard]] size_t accessesBehind(const llvm::BranchInst& branch, unsigned way) const;
    bool addGuards(const llvm::Value& condition, bool holds, std::vector<ForeseenGuard>& guards,
                   std::vector<Fits>& provided);
    bool addComparison(const llvm::ICmpInst& comparison, bool holds, std::vector<ForeseenGuard>& guards,
                       std::vector<Fits>& provided);
    uint32_t groupOf(const Affine& offset);

    ForeseenReader& m_result;
    const llvm::DominatorTree m_dominators;
    AffineReader m_reader;
    std::vector<const llvm::Instruction*> m_accesses;  ///< of the copy
};

ForeseenReader::ForeseenReader(llvm::Function& kernel)
{
    llvm::ValueToValueMapTy values;
    llvm::Function* const copy = copyWithValues(kernel, values);
    {
        Reading reading(*this, *copy);
        const auto copied = [&](const llvm::Instruction& instr) {
            return llvm::dyn_cast_or_null<llvm::Instruction>(values.lookup(&instr));
        };
        for (const llvm::Instruction& instr : llvm::instructions(kernel))
            if (const llvm::Instruction* const access = copied(instr))
                reading.readAccess(instr, *access);
        for (const llvm::BasicBlock& block : kernel)
            if (const auto* branch = dyn_cast<llvm::BranchInst>(block.getTerminator());
                !m_places.empty() && branch && branch->isConditional())
                reading.readBranch(*branch, *llvm::cast<llvm::BranchInst>(copied(*branch)));
        m_found.computed = reading.takeComputed();
    }
    copy->eraseFromParent();
}

void ForeseenReader::Reading::readAccess(const llvm::Instruction& original, const llvm::Instruction& instr)
{
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instr); load && load->isSimple())
        readAccess(original, instr, *load->getPointerOperand(), *load->getType());
    else if (const auto* store = dyn_cast<llvm::StoreInst>(&instr); store && store->isSimple())
        readAccess(original, instr, *store->getPointerOperand(), *store->getValueOperand()->getType());
}

void ForeseenReader::Reading::readAccess(const llvm::Instruction& original, const llvm::Instruction& instr,
                                         const llvm::Value& pointer, const llvm::Type& type)
{
    constexpr unsigned kShared = 3, kLocal = 5;
    const unsigned space = pointer.getType()->getPointerAddressSpace();
    // Of pointers that are read it is asked who wrote them (local_pointers.h).
    const uint64_t bits = type.getPrimitiveSizeInBits().getFixedValue(), bytes = bits / 8;
    const bool isNumber = (type.isIntegerTy() || type.isFloatingPointTy()) && bits >= 8 && std::has_single_bit(bits) &&
                          bytes <= kMostBytes;
    if (space == kShared || space == kLocal || !isNumber || m_result.m_found.accesses.size() == kMostAccesses)
        return;
    std::optional<AffineAddress> at = m_reader.address(pointer);
    if (!at || !isOfCoordinates(at->offset) || !areOfCoordinates(at->provided))
        return;
    const LaunchSum step = timesOf(at->offset, 0);
    const bool isRow = step == LaunchSum(static_cast<int64_t>(bytes));
    const bool isStore = llvm::isa<llvm::StoreInst>(instr);
    // Who of those that store to one place is the last is not said here.
    if (!isRow && (!step.isZero() || isStore))
        return;
    const auto index = static_cast<uint32_t>(m_result.m_found.accesses.size());
    const uint32_t group = groupOf(at->offset);
    m_result.m_found.provided.insert(m_result.m_found.provided.end(), at->provided.begin(), at->provided.end());
    m_result.m_found.accesses.push_back({at->base, std::move(at->offset), static_cast<uint32_t>(bytes), isStore});
    m_result.m_places.try_emplace(&original, Place{index, group, isRow});
    m_accesses.push_back(&instr);
}

uint32_t ForeseenReader::Reading::groupOf(const Affine& offset)
{
    const std::array<LaunchSum, 3> times{timesOf(offset, 0), timesOf(offset, 1), timesOf(offset, 2)};
    const auto known = std::ranges::find(m_result.m_found.groups, times);
    if (known == m_result.m_found.groups.end()) {
        m_result.m_found.groups.push_back(times);
        return static_cast<uint32_t>(m_result.m_found.groups.size() - 1);
    }
    return static_cast<uint32_t>(known - m_result.m_found.groups.begin());
}

size_t ForeseenReader::Reading::accessesBehind(const llvm::BranchInst& branch, unsigned way) const
{
    const llvm::BasicBlockEdge edge(branch.getParent(), branch.getSuccessor(way));
    return static_cast<size_t>(std::ranges::count_if(m_accesses, [&](const llvm::Instruction* access) {
        return m_dominators.dominates(edge, access->getParent());
    }));
}

void ForeseenReader::Reading::readBranch(const llvm::BranchInst& original, const llvm::BranchInst& branch)
{
    const size_t ifTrue = accessesBehind(branch, 0), ifFalse = accessesBehind(branch, 1);
    if (ifTrue == ifFalse)
        return;
    const bool way = ifTrue > ifFalse;
    std::vector<ForeseenGuard> guards;
    std::vector<Fits> provided;
    if (!addGuards(*branch.getCondition(), way, guards, provided) || !areOfCoordinates(provided) ||
        m_result.m_found.guards.size() + guards.size() > kMostGuards)
        return;
    m_result.m_found.guards.insert(m_result.m_found.guards.end(), guards.begin(), guards.end());
    m_result.m_found.provided.insert(m_result.m_found.provided.end(), provided.begin(), provided.end());
    m_result.m_ways.try_emplace(&original, way);
}

/// What is asked so that \p condition holds, or does not. False: that cannot be said.
bool ForeseenReader::Reading::addGuards(const llvm::Value& condition, bool holds, std::vector<ForeseenGuard>& guards,
                                        std::vector<Fits>& provided)
{
    using namespace llvm::PatternMatch;
    const llvm::Value *a = nullptr, *b = nullptr;
    if (match(&condition, m_Not(m_Value(a))))
        return addGuards(*a, !holds, guards, provided);
    const bool areBoth = holds ? match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                               : match(&condition, m_LogicalOr(m_Value(a), m_Value(b)));
    if (areBoth)
        return addGuards(*a, holds, guards, provided) && addGuards(*b, holds, guards, provided);
    const auto* comparison = dyn_cast<llvm::ICmpInst>(&condition);
    return comparison && addComparison(*comparison, holds, guards, provided);
}

bool ForeseenReader::Reading::addComparison(const llvm::ICmpInst& comparison, bool holds,
                                            std::vector<ForeseenGuard>& guards, std::vector<Fits>& provided)
{
    if (!comparison.getOperand(0)->getType()->isIntegerTy())
        return false;
    const bool isSigned = !comparison.isUnsigned();
    const AffineReading a = m_reader.read(*comparison.getOperand(0), isSigned);
    const AffineReading b = m_reader.read(*comparison.getOperand(1), isSigned);
    std::optional<Affine> difference = a.value.plus(b.value, -1);
    const std::optional<Sign> sign = signOf(holds ? comparison.getPredicate() : comparison.getInversePredicate());
    if (!difference || !sign || !isOfCoordinates(*difference))
        return false;
    guards.push_back({*std::move(difference), *sign});
    provided.insert(provided.end(), a.provided.begin(), a.provided.end());
    provided.insert(provided.end(), b.provided.begin(), b.provided.end());
    return true;
}

std::optional<ForeseenReader::Place> ForeseenReader::placeOf(const llvm::Instruction& access) const
{
    const auto found = m_places.find(&access);
    return found == m_places.end() ? std::nullopt : std::optional(found->second);
}

std::optional<bool> ForeseenReader::wayOf(const llvm::BranchInst& branch) const
{
    const auto found = m_ways.find(&branch);
    return found == m_ways.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lanescope::simt
