// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How LLVM's types lie in lanes: a scalar fits one, everything else is taken apart into leaves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Type.h>

#include "core/simt/code/instruction.h"

namespace lanescope::simt {

/// Thrown inside lowering only; ProgramBuilder::build turns it into an Error.
struct Unsupported {
    std::string what;
    const llvm::Instruction* instr = nullptr;
};

/// A lane type for each scalar inside an LLVM type, in memory order.
struct Leaf {
    LaneType lane = LaneType::I32;
    unsigned bits = 32;       ///< of an integer; else the float's
    uint64_t byteOffset = 0;  ///< in memory
    unsigned bytes = 4;       ///< in memory
};

/// Where the bits of an SSA value are: one operand per leaf.
using Parts = llvm::SmallVector<Operand, 4>;

/// Of a type of any depth; none of void. Throws Unsupported, which names \p where, for a type that fits no lane.
std::vector<Leaf> leavesOf(const llvm::DataLayout& layout, llvm::Type* type, const llvm::Instruction* where);
/// Of a scalar.
LaneType laneTypeOf(llvm::Type* type, const llvm::Instruction* where);
constexpr bool isWide(LaneType lane)
{
    return lane == LaneType::I64 || lane == LaneType::F64;
}

/// Of a scalar, or of a vector's element; pointers have 64.
unsigned bitsOf(llvm::Type* type);
bool isHalf(llvm::Type* type);
/// Printed form of an instruction, for messages.
std::string describe(const llvm::Instruction& instr);

}  // namespace lanescope::simt
