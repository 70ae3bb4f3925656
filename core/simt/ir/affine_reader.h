// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads affine integers and addresses out of a kernel's IR, and what branches say about them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "core/simt/ir/affine.h"

namespace lanescope::simt {

/// An integer, provided that all of that fits.
struct AffineReading {
    Affine value;
    std::vector<Fits> provided;
};

/// An address: a pointer of the launch and bytes from there.
struct AffineAddress {
    LaunchNumber base;
    Affine offset;
    std::vector<Fits> provided;
};

/// What holds wherever a branch leads to: value <= most.
struct AffineBound {
    Affine value;
    LaunchSum most;
    /// Not 0: it is the value's lowest so many bits that are compared, without a sign.
    unsigned unsignedBits = 0;
    std::vector<Fits> provided;
};

/// How often a loop goes round at most: `rounds`, those before one, are no more than distance / step, or none where
/// that is below 0. The step is above 0 in launches where this says anything.
struct LoopLimit {
    Coordinate rounds = kOthers;
    Affine distance;
    LaunchSum step;
    bool isUntilEqual =
        false;  ///< by 1 each time, until what is counted is equal to where it ends: not if it begins behind
    std::vector<Fits> provided;

    /// The greatest number of rounds before one in a launch; none: that is not said.
    [[nodiscard]] std::optional<int64_t> lastIn(const LaunchNumbers& launch) const;
};

/// A copy of \p kernel in which variables are values, as far as they can be. \p values gets what its instructions are
/// copies of. Whoever asked for it erases it.
llvm::Function* copyWithValues(llvm::Function& kernel, llvm::ValueToValueMapTy& values);

/// Of one kernel, whose variables are values (mem2reg). Whatever is not understood is a coordinate of its own, which
/// may be anything.
class AffineReader {
public:
    /// What the code promises, that an operation does not wrap around or that a number is not below 0: is it taken for
    /// granted, or asked of the launch like all else?
    enum class Promises : uint8_t { Trusted, Asked };
    explicit AffineReader(llvm::Function& kernel, Promises promises = Promises::Trusted);

    /// An integer value of at most 64 bits, read with a sign or without.
    AffineReading read(const llvm::Value& value, bool isSigned);
    /// None: it is not certainly inside what one parameter points to.
    std::optional<AffineAddress> address(const llvm::Value& pointer);
    /// What readings are computed of.
    ComputedNumbers takeComputed() { return std::move(m_computed); }
    /// What dominating branches say at the beginning of \p block.
    std::vector<AffineBound> boundsAt(const llvm::BasicBlock& block);
    /// Of the loops whose rounds are in what was read, as far as that is known.
    std::vector<LoopLimit> loopLimits();
    /// Rounds of a loop before one, of those: never below 0.
    [[nodiscard]] std::set<Coordinate> loopRounds() const;

private:
    using Readings = std::map<std::pair<const llvm::Value*, bool>, AffineReading>;

    AffineReading compute(const llvm::Value& value, bool isSigned);
    std::optional<AffineReading> computeOperator(const llvm::Instruction& instr, bool isSigned);
    std::optional<AffineReading> computeCast(const llvm::CastInst& cast, bool isSigned);
    std::optional<AffineReading> computeCall(const llvm::CallInst& call, bool isSigned);
    std::optional<AffineReading> computeNumber(LaunchOperation operation, const llvm::Value& a, const llvm::Value& b,
                                               bool isSigned, bool isRead);
    std::optional<AffineReading> computeParameter(const llvm::Value& value, bool isSigned) const;
    std::optional<AffineReading> computeMerged(const llvm::PHINode& phi, bool isSigned);
    std::optional<AffineReading> computePhi(const llvm::PHINode& phi, bool isSigned);
    /// What the phi is at most wherever \p next, which is \p step later, comes about; none: that is not said.
    std::optional<LaunchSum> mostInLoop(const llvm::PHINode& phi, unsigned start, unsigned next, bool isSigned);
    std::optional<LoopLimit> limitOf(const llvm::BasicBlock& first, Coordinate rounds);
    std::optional<LaunchNumber> numberAt(const llvm::Value& value, bool isSigned) const;
    AffineReading anything(const llvm::Value& value, bool isSigned);
    Coordinate newCoordinate() { return m_nextCoordinate++; }

    struct Condition {
        llvm::Value* value;
        bool holds;
    };
    std::vector<Condition> conditionsAt(const llvm::BasicBlock& block) const;
    void addBounds(const Condition& condition, std::vector<AffineBound>& bounds);
    void addBound(const llvm::Value& less, const llvm::Value& more, bool isStrict, bool isSigned,
                  std::vector<AffineBound>& bounds);

    [[nodiscard]] bool isExact(const llvm::Instruction& instr, bool isSigned) const;

    const llvm::DataLayout& m_layout;
    Promises m_promises;
    llvm::DominatorTree m_dominators;
    Readings m_readings;
    ComputedNumbers m_computed;
    std::map<std::pair<const llvm::Value*, bool>, Coordinate> m_anything;
    llvm::DenseMap<const llvm::BasicBlock*, Coordinate> m_rounds;  ///< by a loop's first block: rounds before this one
    Coordinate m_nextCoordinate = kOthers;
    unsigned m_depth = 0;
    unsigned m_count = 0;
};

}  // namespace lanescope::simt
