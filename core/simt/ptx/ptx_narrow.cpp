// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 8-bit floats in inline PTX: conversions of pairs to and from e4m3 and e5m2 (the formats of OCP's 8-bit floating point
// specification, revision 1.0).
#include <cmath>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

struct NarrowFormat {
    const char* name;
    unsigned fractionBits;
    int bias;
    double largest;
};

namespace {

constexpr NarrowFormat kFormats[] = {{"e4m3x2", 3, 7, 448}, {"e5m2x2", 2, 15, 57344}};
constexpr uint32_t kNotANumber = 0x7f;
constexpr int kSingleBias = 127;
constexpr unsigned kSingleFraction = 23;

const NarrowFormat* formatOf(const std::string& name)
{
    for (const NarrowFormat& format : kFormats)
        if (name == format.name)
            return &format;
    return nullptr;
}

}  // namespace

/// cvt.rn.satfinite[.relu].e4m3x2.f32 d, a, b (a is the upper one), .e4m3x2.f16x2 d, a, and cvt.rn[.relu].f16x2.e4m3x2
/// d, a; the same with e5m2x2. False: it is none of these.
bool PtxTranslator::convertNarrow(const PtxStatement& s)
{
    const std::string &to = s.opcode.at(s.opcode.size() - 2), &from = s.opcode.back();
    if (const NarrowFormat* format = formatOf(from); format && to == "f16x2") {
        Value* wide = widened(get(s, 1, bits(16)), format->fractionBits == 2);
        set(s, 0, s.has("relu") ? positivePart(wide) : wide);
        return true;
    }
    const NarrowFormat* format = formatOf(to);
    if (!format || !s.has("satfinite") || (from != "f32" && from != "f16x2"))
        return false;
    Type* single = m_build.getFloatTy();
    Value *lower = nullptr, *upper = nullptr;
    if (from == "f32") {
        upper = get(s, 1, single);
        lower = get(s, 2, single);
    } else {
        Value* pair = get(s, 1, typeOf("f16x2", s));
        lower = m_build.CreateFPExt(m_build.CreateExtractElement(pair, uint64_t{0}), single);
        upper = m_build.CreateFPExt(m_build.CreateExtractElement(pair, uint64_t{1}), single);
    }
    const auto code = [&](Value* value) { return narrowed(s.has("relu") ? positivePart(value) : value, *format); };
    set(s, 0, m_build.CreateTrunc(m_build.CreateOr(m_build.CreateShl(code(upper), 8), code(lower)), bits(16)));
    return true;
}

/// The code of a single, in 32 bits. Normal numbers are rounded, ties to even, as integers: a carry out of the fraction
/// is one more in the exponent. Smaller ones are whole multiples of the smallest.
Value* PtxTranslator::narrowed(Value* value, const NarrowFormat& format)
{
    const auto real = [&](double x) { return llvm::ConstantFP::get(m_build.getFloatTy(), x); };
    const unsigned dropped = kSingleFraction - format.fractionBits;
    Value* largest = real(format.largest);
    Value* size = m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    size = m_build.CreateSelect(m_build.CreateFCmpOGT(size, largest), largest, size);
    Value* raw = m_build.CreateBitCast(size, bits(32));
    Value* odd = m_build.CreateAnd(m_build.CreateLShr(raw, dropped), 1);
    Value* normal =
        m_build.CreateAdd(m_build.CreateAdd(raw, odd), m_build.getInt32((uint32_t{1} << (dropped - 1)) - 1));
    const int rebias = (kSingleBias - format.bias) << format.fractionBits;
    normal = m_build.CreateSub(m_build.CreateLShr(normal, dropped), m_build.getInt32(static_cast<uint32_t>(rebias)));
    const double perSmallest = std::ldexp(1.0, static_cast<int>(format.fractionBits) - 1 + format.bias);
    Value* isSmall = m_build.CreateFCmpOLT(size, real(std::ldexp(1.0, 1 - format.bias)));
    // What is not small may be too large for an integer.
    Value* whole = m_build.CreateFMul(m_build.CreateSelect(isSmall, size, real(0)), real(perSmallest));
    whole = m_build.CreateFPToUI(m_build.CreateUnaryIntrinsic(llvm::Intrinsic::rint, whole), bits(32));
    Value* code = m_build.CreateSelect(isSmall, whole, normal);
    Value* sign = m_build.CreateAnd(m_build.CreateLShr(m_build.CreateBitCast(value, bits(32)), 24), 0x80);
    return m_build.CreateSelect(m_build.CreateFCmpUNO(value, value), m_build.getInt32(kNotANumber),
                                m_build.CreateOr(code, sign));
}

/// The halves that two 8-bit floats are: e5m2 is a half's upper byte; e4m3's exponent is smaller by 8. NaN is half's
/// own one, without a sign, as NVIDIA's cuda_fp8.hpp has it for the host.
Value* PtxTranslator::widened(Value* codes, bool isUpperByte)
{
    auto* halves = llvm::FixedVectorType::get(bits(16), 2);
    auto* type = llvm::FixedVectorType::get(m_build.getHalfTy(), 2);
    const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(halves, value); };
    Value* pair = llvm::PoisonValue::get(halves);
    pair = m_build.CreateInsertElement(pair, m_build.CreateShl(codes, 8), uint64_t{0});
    pair = m_build.CreateInsertElement(pair, m_build.CreateAnd(codes, 0xff00), uint64_t{1});
    Value* magnitude = m_build.CreateAnd(pair, number(0x7f00));
    Value *raw = pair, *isNan = m_build.CreateICmpUGT(magnitude, number(0x7c00));
    if (!isUpperByte) {
        Value* size = m_build.CreateBitCast(m_build.CreateLShr(magnitude, 1), type);
        size = m_build.CreateFMul(size, llvm::ConstantFP::get(type, 256));
        raw = m_build.CreateOr(m_build.CreateBitCast(size, halves), m_build.CreateAnd(pair, number(0x8000)));
        isNan = m_build.CreateICmpEQ(magnitude, number(0x7f00));
    }
    return m_build.CreateBitCast(m_build.CreateSelect(isNan, number(0x7fff), raw), type);
}

}  // namespace lanescope::simt
