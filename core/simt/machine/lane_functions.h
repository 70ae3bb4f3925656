// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one lane's values, for runLaneCall: intrinsics too rare for vectorised handlers, integers wider than
// 64 bits, half precision, rounding modes.
#pragma once

#include <optional>
#include <string_view>

#include "core/simt/code/instruction.h"
#include "core/simt/code/operations.h"

namespace lanescope::simt {

struct NamedLaneFunction {
    std::string_view name;
    LaneFunction function;
    uint64_t imm = 0;
};

/// An intrinsic ("llvm.nvvm.prmt") or a function that our headers declare ("__ls_math_ldexp"); null if unknown.
const NamedLaneFunction* laneFunction(std::string_view name);

enum class NarrowFloat : uint64_t { Half, BFloat };
enum class RoundMode : uint64_t { Nearest, Zero, Down, Up };

/// Bits of half or bfloat16 to bits of float, and back.
uint64_t widened(uint64_t bits, NarrowFloat kind);
uint64_t narrowed(double value, NarrowFloat kind, RoundMode mode);
void widenToFloat(const uint64_t* in, uint64_t* out, uint64_t kind);
void widenToDouble(const uint64_t* in, uint64_t* out, uint64_t kind);
void narrowFromFloat(const uint64_t* in, uint64_t* out, uint64_t kindAndMode);  ///< kind | mode << 8
/// The operation that does the same as \p function with \p imm, on 32 bits; none: there is none.
std::optional<UnaryOp> operationOf(LaneFunction function, uint64_t imm);
void narrowFromDouble(const uint64_t* in, uint64_t* out, uint64_t kindAndMode);
void fuseNarrow(const uint64_t* in, uint64_t* out, uint64_t kind);  ///< fma, rounded once

// Integers of 65 to 128 bits, as two 64-bit halves, low first. imm: operation | bits << 8 [| result bits << 16].
enum class WideOp : uint64_t {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    UGt,
    UGe,
    ULt,
    ULe,
    SGt,
    SGe,
    SLt,
    SLe,
    UMin,
    UMax,
    SMin,
    SMax
};
void wideBinary(const uint64_t* in, uint64_t* out, uint64_t imm);
void wideCompare(const uint64_t* in, uint64_t* out, uint64_t imm);
/// To 65 to 128 bits; imm: source bits, | 256 sign-extended, | 512 the source is wide too; result bits << 16.
void wideExtend(const uint64_t* in, uint64_t* out, uint64_t imm);
/// imm: 1 signed, | 2 to float.
void wideToFloat(const uint64_t* in, uint64_t* out, uint64_t imm);
void wideFromDouble(const uint64_t* in, uint64_t* out, uint64_t imm);

/// {result, overflowed}; imm: 0 add, 1 sub, 2 mul, | 4 signed, bits << 8.
void withOverflow(const uint64_t* in, uint64_t* out, uint64_t imm);
/// imm: 0 add, 1 sub, 3 shift left, | 4 signed, bits << 8.
void saturating(const uint64_t* in, uint64_t* out, uint64_t imm);
/// Bit operations of any width; imm: operation | bits << 8.
enum class BitOp : uint64_t { PopCount, LeadingZeros, TrailingZeros, ByteSwap, Reverse, Abs, FunnelLeft, FunnelRight };
void bitOperation(const uint64_t* in, uint64_t* out, uint64_t imm);

}  // namespace lanescope::simt
