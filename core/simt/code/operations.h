// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that instructions say by number: arithmetic with vectorised handlers, scopes of fences.
#pragma once

#include <cstdint>

namespace lanescope::simt {

enum class BinaryOp : uint8_t {
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
    SMin,
    SMax,
    UMin,
    UMax,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    FMinNum,
    FMaxNum,
    CopySign,
    Pow,
    Count
};

enum class CompareOp : uint8_t {
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
    FFalse,
    FOeq,
    FOgt,
    FOge,
    FOlt,
    FOle,
    FOne,
    FOrd,
    FUno,
    FUeq,
    FUgt,
    FUge,
    FUlt,
    FUle,
    FUne,
    FTrue,
    Count
};

enum class UnaryOp : uint8_t {
    Copy,
    Not,
    FNeg,
    FAbs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    Rsqrt,  ///< of single precision as the special function unit does it, as those that follow
    Log2Approx,
    RootApprox,
    SinApprox,
    CosApprox,
    RcpApprox,
    Rcp,
    PopCount,
    LeadingZeros,
    TrailingZeros,
    BitReverse,
    ByteSwap,
    Abs,
    HalfToFloat,  ///< of bits, as those that follow (narrow_bits.h)
    BFloatToFloat,
    FloatToHalf,
    FloatToBFloat,
    Count
};

/// Conversions between lane types; imm holds the source's and result's bit widths (source | result << 8).
enum class CastOp : uint8_t {
    Zext32To64,
    Sext,
    Trunc,
    SIToFP,
    UIToFP,
    FPToSI,
    FPToUI,
    F32ToF64,
    F64ToF32,
    Mask,
    Bits32,
    Count
};

enum class TernaryOp : uint8_t { Fma, FunnelLeft, FunnelRight, Count };

/// Whom a fence or an atomic reaches.
enum class SyncScope : uint8_t { Block, Device, Cluster };

}  // namespace lanescope::simt
