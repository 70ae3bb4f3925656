// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/affine_reader.h"

#include <algorithm>
#include <array>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace lanescope::simt {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

constexpr unsigned kMostBits = 64;
constexpr size_t kMostProvided = 24;
constexpr unsigned kDeepest = 64;
constexpr unsigned kMostReadings = 200'000;  ///< of a kernel: loops that feed each other are read again and again

unsigned bitsOf(const llvm::Value& value)
{
    return value.getType()->getIntegerBitWidth();
}

bool isReadable(const llvm::Value& value)
{
    return value.getType()->isIntegerTy() && bitsOf(value) > 1 && bitsOf(value) <= kMostBits;
}

void append(std::vector<Fits>& to, const std::vector<Fits>& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

/// Whether nobody writes to a struct that is handed to the kernel by value.
bool isOnlyRead(const llvm::Value& pointer)
{
    return std::ranges::all_of(pointer.users(), [&](const llvm::User* user) {
        if (isa<llvm::GetElementPtrInst>(user) || isa<llvm::AddrSpaceCastInst>(user))
            return isOnlyRead(*user);
        const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(user);
        return isa<llvm::LoadInst>(user) || (copy && copy->getRawDest() != &pointer);
    });
}

/// \p value is what \p which makes of these.
std::optional<std::array<const llvm::Value*, 2>> argumentsOf(llvm::Intrinsic::ID which, const llvm::Value& value)
{
    const auto* call = dyn_cast<llvm::IntrinsicInst>(&value);
    if (!call || call->getIntrinsicID() != which)
        return std::nullopt;
    return std::array<const llvm::Value*, 2>{call->getArgOperand(0), call->getArgOperand(1)};
}

}  // namespace

llvm::Function* copyWithValues(llvm::Function& kernel, llvm::ValueToValueMapTy& values)
{
    llvm::Function* const copy = llvm::CloneFunction(&kernel, values);
    llvm::DominatorTree dominators(*copy);
    std::vector<llvm::AllocaInst*> variables;
    for (llvm::Instruction& instr : llvm::instructions(*copy))
        if (auto* variable = dyn_cast<llvm::AllocaInst>(&instr); variable && llvm::isAllocaPromotable(variable))
            variables.push_back(variable);
    llvm::PromoteMemToReg(variables, dominators);
    return copy;
}

AffineReader::AffineReader(llvm::Function& kernel, Promises promises)
    : m_layout(kernel.getDataLayout()), m_promises(promises), m_dominators(kernel)
{
}

/// Whether the operation gives, of operands read with a sign or without, the number that it stands for.
bool AffineReader::isExact(const llvm::Instruction& instr, bool isSigned) const
{
    if (const auto* either = dyn_cast<llvm::PossiblyDisjointInst>(&instr))
        return either->isDisjoint();
    const auto& operation = cast<llvm::OverflowingBinaryOperator>(instr);
    return m_promises == Promises::Trusted && (isSigned ? operation.hasNoSignedWrap() : operation.hasNoUnsignedWrap());
}

AffineReading AffineReader::anything(const llvm::Value& value, bool isSigned)
{
    const auto [known, isNew] = m_anything.try_emplace({&value, isSigned}, m_nextCoordinate);
    m_nextCoordinate += isNew ? 1 : 0;
    return {Affine::of(known->second), {}};
}

AffineReading AffineReader::read(const llvm::Value& value, bool isSigned)
{
    if (const auto known = m_readings.find({&value, isSigned}); known != m_readings.end())
        return known->second;
    ++m_depth;
    AffineReading result = isReadable(value) && m_depth < kDeepest && ++m_count < kMostReadings
                               ? compute(value, isSigned)
                               : anything(value, isSigned);
    --m_depth;
    if (result.provided.size() > kMostProvided)
        result = anything(value, isSigned);
    m_readings[{&value, isSigned}] = result;
    return result;
}

AffineReading AffineReader::compute(const llvm::Value& value, bool isSigned)
{
    if (const auto* constant = dyn_cast<llvm::ConstantInt>(&value)) {
        const llvm::APInt& bits = constant->getValue();
        if (isSigned || bits.isSignBitClear() || bits.getBitWidth() < kMostBits)
            return {Affine::of(LaunchSum(isSigned ? bits.getSExtValue() : static_cast<int64_t>(bits.getZExtValue()))),
                    {}};
        return anything(value, isSigned);
    }
    std::optional<AffineReading> result = computeParameter(value, isSigned);
    if (!result)
        if (const auto* call = dyn_cast<llvm::CallInst>(&value))
            result = computeCall(*call, isSigned);
    if (const auto* cast = dyn_cast<llvm::CastInst>(&value))
        result = computeCast(*cast, isSigned);
    else if (const auto* phi = dyn_cast<llvm::PHINode>(&value))
        result = computePhi(*phi, isSigned);
    else if (const auto* freeze = dyn_cast<llvm::FreezeInst>(&value))
        result = read(*freeze->getOperand(0), isSigned);
    else if (const auto* binary = dyn_cast<llvm::BinaryOperator>(&value))
        result = computeOperator(*binary, isSigned);
    return result ? *result : anything(value, isSigned);
}

/// A parameter, or a member of a struct that is one.
std::optional<LaunchNumber> AffineReader::numberAt(const llvm::Value& value, bool isSigned) const
{
    const auto bytes = static_cast<uint8_t>(m_layout.getTypeStoreSize(value.getType()).getFixedValue());
    if (const auto* argument = dyn_cast<llvm::Argument>(&value))
        return argument->hasByValAttr() ? std::nullopt
                                        : std::optional(LaunchNumber{LaunchNumber::What::Parameter,
                                                                     argument->getArgNo(), 0, bytes, isSigned});
    const auto* load = dyn_cast<llvm::LoadInst>(&value);
    if (!load)
        return std::nullopt;
    llvm::APInt offset(m_layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    const llvm::Value* const base =
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, /*AllowNonInbounds=*/true);
    const auto* argument = dyn_cast<llvm::Argument>(base);
    if (!argument || !argument->hasByValAttr() || !isOnlyRead(*argument))
        return std::nullopt;
    const uint64_t size = m_layout.getTypeAllocSize(argument->getParamByValType()).getFixedValue();
    if (offset.isNegative() || offset.getZExtValue() + bytes > size)
        return std::nullopt;
    return LaunchNumber{LaunchNumber::What::Parameter, argument->getArgNo(),
                        static_cast<uint32_t>(offset.getZExtValue()), bytes, isSigned};
}

std::optional<AffineReading> AffineReader::computeParameter(const llvm::Value& value, bool isSigned) const
{
    const std::optional<LaunchNumber> number = bitsOf(value) % 8 == 0 ? numberAt(value, isSigned) : std::nullopt;
    return number ? std::optional(AffineReading{Affine::of(LaunchSum(*number)), {}}) : std::nullopt;
}

/// \p isSigned: what the operation takes its operands for, and \p isRead how its result is read.
std::optional<AffineReading> AffineReader::computeNumber(LaunchOperation operation, const llvm::Value& a,
                                                         const llvm::Value& b, bool isSigned, bool isRead)
{
    AffineReading first = read(a, isSigned), second = read(b, isSigned);
    if (!first.value.isOfLaunch() || !second.value.isOfLaunch())
        return std::nullopt;
    AffineReading result{Affine::of(LaunchSum(m_computed.add(operation, first.value.constant, second.value.constant))),
                         std::move(first.provided)};
    append(result.provided, second.provided);
    result.provided.push_back({result.value, bitsOf(a), isRead});
    return result;
}

std::optional<AffineReading> AffineReader::computeCall(const llvm::CallInst& call, bool isSigned)
{
    if (const auto* intrinsic = dyn_cast<llvm::MinMaxIntrinsic>(&call)) {
        const auto which = intrinsic->getIntrinsicID();
        const bool isLeast = which == llvm::Intrinsic::smin || which == llvm::Intrinsic::umin;
        return computeNumber(isLeast ? LaunchOperation::Least : LaunchOperation::Greatest, *intrinsic->getLHS(),
                             *intrinsic->getRHS(), intrinsic->isSigned(), isSigned);
    }
    const llvm::Function* const callee = call.getCalledFunction();
    llvm::StringRef name = callee ? callee->getName() : "";
    if (!name.consume_front("llvm.nvvm.read.ptx.sreg."))
        return std::nullopt;
    const uint32_t axis = name.ends_with(".y") ? 1 : name.ends_with(".z") ? 2 : 0;
    const llvm::StringRef what = name.split('.').first;
    const auto extent = [&](LaunchNumber::What of) {
        return AffineReading{Affine::of(LaunchSum(LaunchNumber{of, axis})), {}};
    };
    if (what == "tid")
        return AffineReading{Affine::of(axis), {}};
    if (what == "ctaid")
        return AffineReading{Affine::of(kFirstBlockCoordinate + axis), {}};
    if (what == "ntid")
        return extent(LaunchNumber::What::BlockExtent);
    if (what == "nctaid")
        return extent(LaunchNumber::What::GridExtent);
    return std::nullopt;
}

std::optional<AffineReading> AffineReader::computeCast(const llvm::CastInst& cast, bool isSigned)
{
    const llvm::Value& from = *cast.getOperand(0);
    if (!isReadable(from))
        return std::nullopt;
    if (const auto* widened = dyn_cast<llvm::ZExtInst>(&cast))
        return read(from, widened->hasNonNeg() && m_promises == Promises::Trusted);
    if (!isa<llvm::SExtInst>(cast) && !isa<llvm::TruncInst>(cast))
        return std::nullopt;
    AffineReading result = read(from, true);
    if (isa<llvm::TruncInst>(cast) || !isSigned)
        result.provided.push_back({result.value, bitsOf(cast), isSigned});
    return result;
}

std::optional<AffineReading> AffineReader::computeOperator(const llvm::Instruction& instr, bool isSigned)
{
    const unsigned opcode = instr.getOpcode();
    switch (opcode) {
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
        return computeNumber(LaunchOperation::Quotient, *instr.getOperand(0), *instr.getOperand(1),
                             opcode == llvm::Instruction::SDiv, isSigned);
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
        return computeNumber(LaunchOperation::Remainder, *instr.getOperand(0), *instr.getOperand(1),
                             opcode == llvm::Instruction::SRem, isSigned);
    case llvm::Instruction::AShr:
    case llvm::Instruction::LShr:
        return computeNumber(LaunchOperation::ShiftRight, *instr.getOperand(0), *instr.getOperand(1),
                             opcode == llvm::Instruction::AShr, isSigned);
    case llvm::Instruction::And:
        return computeNumber(LaunchOperation::And, *instr.getOperand(0), *instr.getOperand(1), isSigned, isSigned);
    default:
        break;
    }
    const auto* shift = opcode == llvm::Instruction::Shl ? dyn_cast<llvm::ConstantInt>(instr.getOperand(1)) : nullptr;
    const bool isSum = opcode == llvm::Instruction::Add || opcode == llvm::Instruction::Sub ||
                       (opcode == llvm::Instruction::Or && isExact(instr, isSigned));
    constexpr uint64_t kMostShift = 31;
    if (!isSum && opcode != llvm::Instruction::Mul && (!shift || shift->getZExtValue() > kMostShift))
        return std::nullopt;
    // Where it may wrap around, all that counts of operands are their bits.
    const bool isExactly = isExact(instr, isSigned), operandsSigned = isExactly ? isSigned : true;
    AffineReading a = read(*instr.getOperand(0), operandsSigned);
    AffineReading b = shift ? AffineReading{Affine::of(LaunchSum(int64_t{1} << shift->getZExtValue())), {}}
                            : read(*instr.getOperand(1), operandsSigned);
    const std::optional<Affine> value =
        isSum ? a.value.plus(b.value, opcode == llvm::Instruction::Sub ? -1 : 1) : a.value.multiplied(b.value);
    if (!value)
        return std::nullopt;
    AffineReading result{*value, std::move(a.provided)};
    append(result.provided, b.provided);
    if (!isExactly)
        result.provided.push_back({*value, bitsOf(instr), isSigned});
    return result;
}

/// What is the same whichever way one comes.
std::optional<AffineReading> AffineReader::computeMerged(const llvm::PHINode& phi, bool isSigned)
{
    std::optional<AffineReading> result;
    for (const llvm::Use& incoming : phi.incoming_values()) {
        AffineReading reading = read(*incoming, isSigned);
        if (!result) {
            result = std::move(reading);
            continue;
        }
        if (reading.value != result->value)
            return std::nullopt;
        append(result->provided, reading.provided);
    }
    return result;
}

/// What goes up by as much in every round of a loop.
std::optional<AffineReading> AffineReader::computePhi(const llvm::PHINode& phi, bool isSigned)
{
    if (std::ranges::none_of(phi.blocks(), [&](const llvm::BasicBlock* block) {
            return m_dominators.dominates(phi.getParent(), block);
        }))
        return computeMerged(phi, isSigned);
    if (phi.getNumIncomingValues() != 2)
        return std::nullopt;
    const auto comesBack = [&](unsigned i) { return m_dominators.dominates(phi.getParent(), phi.getIncomingBlock(i)); };
    if (comesBack(0) == comesBack(1))
        return std::nullopt;
    const unsigned next = comesBack(0) ? 0 : 1, start = 1 - next;
    // In the loop it is itself, whatever that is.
    Readings outside;
    outside.swap(m_readings);
    const AffineReading self = anything(phi, isSigned);
    m_readings[{&phi, true}] = m_readings[{&phi, false}] = self;
    const AffineReading later = read(*phi.getIncomingValue(next), isSigned);
    const auto step = later.value.plus(self.value, -1);
    if (!step || !step->isOfLaunch()) {
        m_readings.swap(outside);
        return std::nullopt;
    }
    const bool mayWrap = std::ranges::any_of(later.provided, [&](const Fits& one) { return one.value == later.value; });
    const std::optional<LaunchSum> most = mayWrap ? mostInLoop(phi, start, next, isSigned) : std::nullopt;
    m_readings.swap(outside);
    AffineReading result = read(*phi.getIncomingValue(start), isSigned);
    for (const Fits& one : later.provided) {
        if (one.value != later.value) {
            if (!one.value.isOfLaunch())
                return std::nullopt;
            result.provided.push_back(one);
            continue;
        }
        // It does, if it goes up, and what is added to the most that it is before does.
        constexpr unsigned kStepBits = 32;  // a number of 64 bits takes too long to wrap around by that
        result.provided.push_back({*step, std::min(one.bits, kStepBits), false});
        if (one.bits == kMostBits)
            continue;
        const auto last = most ? most->plus(step->constant) : std::nullopt;
        if (!last)
            return std::nullopt;
        result.provided.push_back({Affine::of(*last), one.bits, isSigned});
    }
    const auto [rounds, isNew] = m_rounds.try_emplace(phi.getParent(), m_nextCoordinate);
    m_nextCoordinate += isNew ? 1 : 0;
    const auto gone = Affine::of(rounds->second).multiplied(*step);
    const auto value = gone ? result.value.plus(*gone) : std::nullopt;
    if (!value)
        return std::nullopt;
    result.value = *value;
    return result;
}

std::optional<LaunchSum> AffineReader::mostInLoop(const llvm::PHINode& phi, unsigned start, unsigned next,
                                                  bool isSigned)
{
    const llvm::BasicBlock& last = *phi.getIncomingBlock(next);
    // The loop asks at its beginning,
    for (const AffineBound& bound : boundsAt(last))
        if (bound.value == anything(phi, isSigned).value && (bound.unsignedBits != 0) != isSigned &&
            bound.provided.empty())
            return bound.most;
    // or before it and at its end.
    const auto* branch = dyn_cast<llvm::BranchInst>(last.getTerminator());
    const auto* stays = branch && branch->isConditional() ? dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (!stays || stays->getOperand(0) != phi.getIncomingValue(next))
        return std::nullopt;
    const auto relation =
        branch->getSuccessor(0) == phi.getParent() ? stays->getPredicate() : stays->getInversePredicate();
    if (relation != (isSigned ? llvm::ICmpInst::ICMP_SLT : llvm::ICmpInst::ICMP_ULT))
        return std::nullopt;
    const bool isAskedBefore = std::ranges::any_of(conditionsAt(*phi.getParent()), [&](const Condition& condition) {
        const auto* compare = dyn_cast<llvm::ICmpInst>(condition.value);
        return compare && compare->getOperand(0) == phi.getIncomingValue(start) &&
               compare->getOperand(1) == stays->getOperand(1) &&
               (condition.holds ? compare->getPredicate() : compare->getInversePredicate()) == relation;
    });
    const AffineReading limit = read(*stays->getOperand(1), isSigned);
    if (!isAskedBefore || !limit.value.isOfLaunch() || !limit.provided.empty())
        return std::nullopt;
    return limit.value.constant.plus(LaunchSum(-1));
}

std::optional<int64_t> LoopLimit::lastIn(const LaunchNumbers& launch) const
{
    const std::optional<int64_t> each = step.valueIn(launch);
    const std::optional<PlacedAffine> whole = placed(distance, launch);
    const std::optional<ValueRange> range = whole ? rangeOf(*whole, lastCoordinates(launch)) : std::nullopt;
    if (!each || *each <= 0 || !range || (isUntilEqual && (*each != 1 || range->lowest < 0)) ||
        !std::ranges::all_of(provided, [&](const Fits& one) { return one.holdsIn(launch); }))
        return std::nullopt;
    return std::max<int64_t>(range->highest, 0) / *each;
}

std::vector<LoopLimit> AffineReader::loopLimits()
{
    std::vector<std::pair<const llvm::BasicBlock*, Coordinate>> loops(m_rounds.begin(), m_rounds.end());
    std::ranges::sort(loops, {}, &std::pair<const llvm::BasicBlock*, Coordinate>::second);
    std::vector<LoopLimit> limits;
    for (const auto& [first, rounds] : loops)
        if (std::optional<LoopLimit> limit = limitOf(*first, rounds))
            limits.push_back(*std::move(limit));
    return limits;
}

std::set<Coordinate> AffineReader::loopRounds() const
{
    std::set<Coordinate> rounds;
    for (const auto& [first, coordinate] : m_rounds)
        rounds.insert(coordinate);
    return rounds;
}

/// Of a loop that asks at its end whether to go round again. One that asks at its beginning is bounded as what branches
/// lead to is (boundsAt).
std::optional<LoopLimit> AffineReader::limitOf(const llvm::BasicBlock& first, Coordinate rounds)
{
    const llvm::BasicBlock* last = nullptr;
    for (const llvm::BasicBlock* from : llvm::predecessors(&first)) {
        if (!m_dominators.dominates(&first, from))
            continue;
        if (last)
            return std::nullopt;
        last = from;
    }
    const auto* branch = last ? dyn_cast<llvm::BranchInst>(last->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        return std::nullopt;
    const auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!compare || !isReadable(*compare->getOperand(0)))
        return std::nullopt;
    const auto goesOn = branch->getSuccessor(0) == &first ? compare->getPredicate() : compare->getInversePredicate();
    const bool isUntilEqual = goesOn == llvm::ICmpInst::ICMP_NE;
    if (goesOn == llvm::ICmpInst::ICMP_EQ)
        return std::nullopt;
    const bool isSigned = !llvm::ICmpInst::isUnsigned(goesOn);
    AffineReading a = read(*compare->getOperand(0), isSigned), b = read(*compare->getOperand(1), isSigned);
    // What goes up, until it is what the other one says.
    const auto timesOf = [&](const AffineReading& reading) {
        const auto found = reading.value.times.find(rounds);
        return found == reading.value.times.end() ? LaunchSum() : found->second;
    };
    const bool isUp =
        isUntilEqual ? !timesOf(a).isZero() : llvm::ICmpInst::isLT(goesOn) || llvm::ICmpInst::isLE(goesOn);
    if (!isUp)
        std::swap(a, b);
    const std::optional<LaunchSum> step = timesOf(a).plus(timesOf(b), -1);
    std::optional<Affine> distance = b.value.plus(a.value, -1);
    if (!step || !distance)
        return std::nullopt;
    // What is compared is of the round before.
    distance->times.erase(rounds);
    distance = distance->plus(Affine::of(*step));
    if (distance && (isUntilEqual || llvm::ICmpInst::isStrictPredicate(goesOn)))
        distance = distance->plus(Affine::of(LaunchSum(-1)));
    if (!distance)
        return std::nullopt;
    LoopLimit limit{rounds, *std::move(distance), *step, isUntilEqual, std::move(a.provided)};
    append(limit.provided, b.provided);
    return limit;
}

std::optional<AffineAddress> AffineReader::address(const llvm::Value& pointer)
{
    const llvm::Value* at = &pointer;
    AffineAddress result;
    for (;;) {
        if (const auto* step = dyn_cast<llvm::GEPOperator>(at)) {
            llvm::MapVector<llvm::Value*, llvm::APInt> terms;
            llvm::APInt rest(kMostBits, 0);
            if (!step->collectOffset(m_layout, kMostBits, terms, rest))
                return std::nullopt;
            std::optional<Affine> offset = result.offset.plus(Affine::of(LaunchSum(rest.getSExtValue())));
            for (const auto& [index, scale] : terms) {
                const AffineReading reading = read(*index, true);
                append(result.provided, reading.provided);
                if (offset)
                    offset = offset->plus(reading.value, scale.getSExtValue());
            }
            if (!offset)
                return std::nullopt;
            result.offset = *offset;
            at = step->getPointerOperand();
        } else if (const auto* cast = dyn_cast<llvm::AddrSpaceCastOperator>(at)) {
            at = cast->getPointerOperand();
        } else {
            break;
        }
    }
    const std::optional<LaunchNumber> base = at->getType()->isPointerTy() ? numberAt(*at, false) : std::nullopt;
    if (!base)
        return std::nullopt;
    result.base = *base;
    return result;
}

std::vector<AffineReader::Condition> AffineReader::conditionsAt(const llvm::BasicBlock& block) const
{
    std::vector<Condition> conditions;
    constexpr int kMostDominators = 64;
    const auto* node = m_dominators.getNode(&block);
    int left = kMostDominators;
    for (node = node ? node->getIDom() : nullptr; node && left > 0; node = node->getIDom(), --left) {
        const auto* branch = dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
        if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
            continue;
        for (unsigned i = 0; i < 2; ++i)
            if (m_dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(i)), &block))
                conditions.push_back({branch->getCondition(), i == 0});
    }
    // What is made of several ones.
    for (size_t i = 0; i < conditions.size(); ++i) {
        const auto [value, holds] = conditions[i];
        llvm::Value *a = nullptr, *b = nullptr;
        using namespace llvm::PatternMatch;
        if (match(value, m_Not(m_Value(a)))) {
            conditions.push_back({a, !holds});
        } else if (holds ? match(value, m_LogicalAnd(m_Value(a), m_Value(b)))
                         : match(value, m_LogicalOr(m_Value(a), m_Value(b)))) {
            conditions.push_back({a, holds});
            conditions.push_back({b, holds});
        }
    }
    return conditions;
}

std::vector<AffineBound> AffineReader::boundsAt(const llvm::BasicBlock& block)
{
    std::vector<AffineBound> bounds;
    for (const Condition& condition : conditionsAt(block))
        addBounds(condition, bounds);
    return bounds;
}

void AffineReader::addBounds(const Condition& condition, std::vector<AffineBound>& bounds)
{
    const auto* compare = dyn_cast<llvm::ICmpInst>(condition.value);
    if (!compare || !isReadable(*compare->getOperand(0)))
        return;
    const llvm::Value &a = *compare->getOperand(0), &b = *compare->getOperand(1);
    const auto relation = condition.holds ? compare->getPredicate() : compare->getInversePredicate();
    if (relation == llvm::ICmpInst::ICMP_NE)
        return;
    if (relation == llvm::ICmpInst::ICMP_EQ) {
        addBound(a, b, /*isStrict=*/false, /*isSigned=*/true, bounds);
        return addBound(b, a, /*isStrict=*/false, /*isSigned=*/true, bounds);
    }
    const bool isStrict = llvm::ICmpInst::isStrictPredicate(relation), isSigned = llvm::ICmpInst::isSigned(relation);
    if (llvm::ICmpInst::isLT(relation) || llvm::ICmpInst::isLE(relation))
        addBound(a, b, isStrict, isSigned, bounds);
    else
        addBound(b, a, isStrict, isSigned, bounds);
}

void AffineReader::addBound(const llvm::Value& less, const llvm::Value& more, bool isStrict, bool isSigned,
                            std::vector<AffineBound>& bounds)
{
    if (const auto both = argumentsOf(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, less)) {
        for (const llvm::Value* each : *both)
            addBound(*each, more, isStrict, isSigned, bounds);
        return;
    }
    if (const auto both = argumentsOf(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, more)) {
        for (const llvm::Value* each : *both)
            addBound(less, *each, isStrict, isSigned, bounds);
        return;
    }
    const AffineReading a = read(less, true), b = read(more, isSigned);
    // Numbers without a sign are held against one of the launch alone.
    const auto difference = isSigned ? a.value.plus(b.value, -1) : std::optional(a.value);
    if (!difference || (!isSigned && !b.value.isOfLaunch()))
        return;
    AffineBound bound;
    const LaunchSum none;
    const auto limit = isSigned ? none.plus(difference->constant, -1) : b.value.constant.plus(difference->constant, -1);
    const auto most = limit ? limit->plus(LaunchSum(isStrict ? -1 : 0)) : std::nullopt;
    if (!most)
        return;
    bound.value = *difference;
    bound.value.constant = {};
    bound.most = *most;
    bound.provided = a.provided;
    append(bound.provided, b.provided);
    if (!isSigned) {
        bound.value.constant = difference->constant;
        bound.most = *b.value.constant.plus(LaunchSum(isStrict ? -1 : 0));
        bound.unsignedBits = bitsOf(less);
    }
    bounds.push_back(std::move(bound));
}

}  // namespace lanescope::simt
