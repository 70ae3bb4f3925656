// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX video instructions: one operation on the bytes or halves of words, or on a chosen byte or half.

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Value;

namespace {

bool isSigned(std::string_view type)
{
    return type[0] == 's';
}

/// How many lanes a SIMD instruction has: vadd4 → 4. 1 for one that works on words.
unsigned lanesOf(const PtxStatement& s)
{
    const char last = s.opcode[0].back();
    return last == '2' || last == '4' ? static_cast<unsigned>(last - '0') : 1;
}

}  // namespace

PtxTranslator::Part PtxTranslator::videoPlace(const PtxStatement& s, size_t index)
{
    if (index >= s.operands.size())
        unknown(s);
    const std::string& selector = s.operands.at(index).selector;
    if (selector.empty())
        return Part{};
    const unsigned width = selector[0] == 'b' ? 8 : 16;
    if (selector.size() != 2 || (selector[0] != 'b' && selector[0] != 'h'))
        unknown(s);
    const Part part{static_cast<unsigned>(selector[1] - '0') * width, width};
    if (part.shift > 32 - width)
        unknown(s);
    return part;
}

/// Sign- or zero-extended to 64 bits, in which nothing overflows.
Value* PtxTranslator::videoPart(Value* word, unsigned shift, unsigned width, bool withSign)
{
    Value* part = m_build.CreateTrunc(m_build.CreateLShr(word, shift), bits(width));
    return withSign ? m_build.CreateSExt(part, bits(64)) : m_build.CreateZExt(part, bits(64));
}

Value* PtxTranslator::videoOperand(const PtxStatement& s, size_t index, std::string_view type)
{
    const Part at = videoPlace(s, index);
    return videoPart(get(s, index, bits(32)), at.shift, at.width, isSigned(type));
}

Value* PtxTranslator::videoOperation(const PtxStatement& s, Value* a, Value* b)
{
    std::string name = s.opcode[0].substr(1);
    if (lanesOf(s) > 1)
        name.pop_back();
    Value* const zero = llvm::ConstantInt::get(bits(64), 0);
    if (name == "add")
        return m_build.CreateAdd(a, b);
    if (name == "sub")
        return m_build.CreateSub(a, b);
    if (name == "min")
        return m_build.CreateSelect(m_build.CreateICmpSLT(a, b), a, b);
    if (name == "max")
        return m_build.CreateSelect(m_build.CreateICmpSGT(a, b), a, b);
    if (name == "absdiff")
        return m_build.CreateSelect(m_build.CreateICmpSLT(a, b), m_build.CreateSub(b, a), m_build.CreateSub(a, b));
    if (name == "avrg") {
        Value* sum = m_build.CreateAdd(a, b);
        Value* up = m_build.CreateZExt(m_build.CreateICmpSGE(sum, zero), bits(64));
        return m_build.CreateAShr(m_build.CreateAdd(sum, up), 1);
    }
    if (name == "shl" || name == "shr") {
        b = s.has("wrap")
                ? m_build.CreateAnd(b, 31)
                : m_build.CreateSelect(m_build.CreateICmpUGT(b, m_build.getInt64(32)), m_build.getInt64(32), b);
        return name == "shl" ? m_build.CreateShl(a, b) : m_build.CreateAShr(a, b);
    }
    constexpr std::pair<const char*, llvm::CmpInst::Predicate> kOrders[] = {
        {"eq", llvm::CmpInst::ICMP_EQ},  {"ne", llvm::CmpInst::ICMP_NE},  {"lt", llvm::CmpInst::ICMP_SLT},
        {"le", llvm::CmpInst::ICMP_SLE}, {"gt", llvm::CmpInst::ICMP_SGT}, {"ge", llvm::CmpInst::ICMP_SGE}};
    if (name == "set")
        for (const auto& [word, order] : kOrders)
            if (s.has(word))
                return m_build.CreateZExt(m_build.CreateICmp(order, a, b), bits(64));
    unknown(s);
}

Value* PtxTranslator::videoSaturated(const PtxStatement& s, Value* value, unsigned width, bool withSign)
{
    if (!s.has("sat"))
        return value;
    const int64_t high = (int64_t(1) << (withSign ? width - 1 : width)) - 1;
    Value* most = llvm::ConstantInt::get(bits(64), static_cast<uint64_t>(high));
    Value* least = llvm::ConstantInt::get(bits(64), static_cast<uint64_t>(withSign ? -high - 1 : 0), true);
    value = m_build.CreateSelect(m_build.CreateICmpSGT(value, most), most, value);
    return m_build.CreateSelect(m_build.CreateICmpSLT(value, least), least, value);
}

/// vadd.u32.s32.s32.sat.add d, a.b0, b.h1, c: the last word combines the result with c.
void PtxTranslator::videoScalar(const PtxStatement& s, std::string_view result, std::string_view left,
                                std::string_view right)
{
    const Part to = videoPlace(s, 0);
    Value* value = videoOperation(s, videoOperand(s, 1, left), videoOperand(s, 2, right));
    value = videoSaturated(s, value, to.width, isSigned(result));
    if (s.operands.size() < 4)
        return set(s, 0, m_build.CreateTrunc(value, bits(32)));
    Value* c = get(s, 3, bits(32));
    if (to.width < 32) {
        const uint32_t mask = ((1u << to.width) - 1) << to.shift;
        Value* kept = m_build.CreateAnd(c, ~mask);
        Value* shifted = m_build.CreateShl(m_build.CreateTrunc(value, bits(32)), to.shift);
        return set(s, 0, m_build.CreateOr(kept, m_build.CreateAnd(shifted, mask)));
    }
    Value* wide = videoPart(c, 0, 32, isSigned(result));
    const std::string& second = s.opcode.back();
    if (second == "add")
        value = m_build.CreateAdd(value, wide);
    else if (second == "min")
        value = m_build.CreateSelect(m_build.CreateICmpSLT(value, wide), value, wide);
    else if (second == "max")
        value = m_build.CreateSelect(m_build.CreateICmpSGT(value, wide), value, wide);
    else
        unknown(s);
    set(s, 0, m_build.CreateTrunc(value, bits(32)));
}

/// vmad.s32.u32.u32[.po][.sat][.shr7|.shr15] d, [-]a.h0, [-]b.h1, [-]c: all bits of the sum count, before it is shifted
/// and before it is saturated. Of the signs at most one says that something is subtracted.
void PtxTranslator::videoMultiplyAdd(const PtxStatement& s)
{
    std::vector<std::string_view> types;
    for (size_t i = 1; i < s.opcode.size(); ++i) {
        const std::string& part = s.opcode[i];
        if (part == "u32" || part == "s32")
            types.push_back(part);
        else if (part != "shr7" && part != "shr15" && part != "sat" && part != "po")
            unknown(s);
    }
    if (types.size() != 3 || videoPlace(s, 0).width != 32 || videoPlace(s, 3).width != 32)
        unknown(s);
    const bool minusProduct = s.operands.at(1).isNegated != s.operands.at(2).isNegated,
               minusSum = s.operands.at(3).isNegated;
    if (minusProduct && minusSum)
        unknown(s);
    const bool withSign = isSigned(types[1]) || isSigned(types[2]) || minusProduct || minusSum;
    llvm::IntegerType* wide = bits(128);
    PtxStatement plain = s;
    for (PtxOperand& each : plain.operands)
        each.isNegated = false;
    const auto operand = [&](size_t index, std::string_view type) {
        return m_build.CreateSExt(videoOperand(plain, index, type), wide);  // 64 bits, which hold either kind of 32
    };
    Value* product = m_build.CreateMul(operand(1, types[1]), operand(2, types[2]));
    Value* c = operand(3, withSign ? "s32" : "u32");
    Value* value = minusProduct ? m_build.CreateSub(c, product)
                   : minusSum   ? m_build.CreateSub(product, c)
                                : m_build.CreateAdd(product, c);
    if (s.has("po"))
        value = m_build.CreateAdd(value, llvm::ConstantInt::get(wide, 1));
    if (s.has("shr7") || s.has("shr15"))
        value = m_build.CreateAShr(value, s.has("shr7") ? 7 : 15);
    if (s.has("sat")) {
        const auto limit = [&](const llvm::APInt& of) {
            return llvm::ConstantInt::get(wide, withSign ? of.sext(128) : of.zext(128));
        };
        Value* most = limit(withSign ? llvm::APInt::getSignedMaxValue(32) : llvm::APInt::getMaxValue(32));
        Value* least = limit(withSign ? llvm::APInt::getSignedMinValue(32) : llvm::APInt(32, 0));
        value = m_build.CreateSelect(m_build.CreateICmpSGT(value, most), most, value);
        value = m_build.CreateSelect(m_build.CreateICmpSLT(value, least), least, value);
    }
    set(s, 0, m_build.CreateTrunc(value, bits(32)));
}

void PtxTranslator::video(const PtxStatement& s)
{
    std::vector<std::string_view> types;
    for (const std::string& part : s.opcode)
        if (part == "u32" || part == "s32")
            types.push_back(part);
    if (types.size() == 2)  // vset names those of its operands only
        types.insert(types.begin(), std::string_view("u32"));
    if (types.size() != 3)
        unknown(s);
    const unsigned lanes = lanesOf(s);
    if (lanes == 1)
        return videoScalar(s, types[0], types[1], types[2]);
    for (const PtxOperand& operand : s.operands)
        if (!operand.selector.empty())
            unknown(s);
    const unsigned width = 32 / lanes;
    const bool sums = s.opcode.back() == "add";
    Value *a = get(s, 1, bits(32)), *b = get(s, 2, bits(32));
    Value* all = sums ? get(s, 3, bits(32)) : m_build.getInt32(0);
    for (unsigned shift = 0; shift < 32; shift += width) {
        Value* lane = videoOperation(s, videoPart(a, shift, width, isSigned(types[1])),
                                     videoPart(b, shift, width, isSigned(types[2])));
        lane = m_build.CreateTrunc(videoSaturated(s, lane, width, isSigned(types[0])), bits(sums ? 32 : width));
        all = sums ? m_build.CreateAdd(all, lane)
                   : m_build.CreateOr(all, m_build.CreateShl(m_build.CreateZExt(lane, bits(32)), shift));
    }
    set(s, 0, all);
}

}  // namespace lanescope::simt
