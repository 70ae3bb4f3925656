// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX instructions that compute on registers.
#include <llvm/IR/Intrinsics.h>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

namespace {

/// rn is what plain arithmetic does; "" for it.
const char* roundingOf(const PtxStatement& s)
{
    for (const char* mode : {"rz", "rm", "rp"})
        if (s.has(mode))
            return mode;
    return "";
}

}  // namespace

void PtxTranslator::move(const PtxStatement& s)
{
    if (s.opcode.back() == "pred")
        return set(s, 0,
                   s.operands.at(1).kind == PtxOperand::Kind::Register ? predicate(s.operands.at(1))
                                                                       : get(s, 1, bits(1)));
    set(s, 0, get(s, 1, lastType(s)));
}

Value* PtxTranslator::roundedBinary(const PtxStatement& s, const char* name, Value* a, Value* b)
{
    Type* type = a->getType();
    return intrinsic(std::string("llvm.nvvm.") + name + "." + roundingOf(s) + (type->isDoubleTy() ? ".d" : ".f"), type,
                     {a, b});
}

Value* PtxTranslator::saturated(const PtxStatement& s, Value* value)
{
    if (!s.has("sat") || !value->getType()->isFPOrFPVectorTy())
        return value;
    Value* low = m_build.CreateMaxNum(value, llvm::ConstantFP::get(value->getType(), 0.0));
    return m_build.CreateMinNum(low, llvm::ConstantFP::get(value->getType(), 1.0));
}

/// What is negative is zero; NaN stays.
Value* PtxTranslator::positivePart(Value* value)
{
    Value* zero = llvm::Constant::getNullValue(value->getType());
    return m_build.CreateSelect(m_build.CreateFCmpOLT(value, zero), zero, value);
}

/// The carry flag of the thread, which lives on from statement to statement.
Value* PtxTranslator::carry()
{
    return m_names ? read(kCarryName) : m_carry ? m_carry : intrinsic("__ls_carry", bits(1), {});
}

void PtxTranslator::setCarry(Value* value)
{
    if (m_names)
        write(kCarryName, value);
    else
        m_carry = value;
}

void PtxTranslator::storeCarry()
{
    if (m_carry)
        intrinsic("__ls_set_carry", m_build.getVoidTy(), {m_carry});
    m_carry = nullptr;
}

/// add.cc, addc, sub.cc, subc: through twice the width. A subtraction adds the complement and one, as hardware does:
/// its carry is one when nothing is borrowed, which shows where addc follows sub.cc.
Value* PtxTranslator::addWithCarry(const PtxStatement& s, Value* a, Value* b, bool subtract)
{
    if (!a->getType()->isIntegerTy())
        unknown(s);
    const unsigned width = widthOf(a->getType());
    Type* wide = bits(width + 8);
    Value* sum =
        m_build.CreateAdd(m_build.CreateZExt(a, wide), m_build.CreateZExt(subtract ? m_build.CreateNot(b) : b, wide));
    if (s.opcode[0].ends_with("c"))
        sum = m_build.CreateAdd(sum, m_build.CreateZExt(carry(), wide));
    else if (subtract)
        sum = m_build.CreateAdd(sum, llvm::ConstantInt::get(wide, 1));
    if (s.has("cc"))
        setCarry(m_build.CreateTrunc(m_build.CreateLShr(sum, width), bits(1)));
    return m_build.CreateTrunc(sum, a->getType());
}

void PtxTranslator::add(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    bool subtract = s.opcode[0].starts_with("sub");
    if (type->isFPOrFPVectorTy()) {
        Value* sum = nullptr;
        if (*roundingOf(s))
            sum = roundedBinary(s, "add", a, subtract ? m_build.CreateFNeg(b) : b);
        else
            sum = subtract ? m_build.CreateFSub(a, b) : m_build.CreateFAdd(a, b);
        return set(s, 0, saturated(s, sum));
    }
    if (s.has("sat")) {
        auto id = subtract ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat;
        return set(s, 0, m_build.CreateBinaryIntrinsic(id, a, b));
    }
    if (s.has("cc") || s.opcode[0].ends_with("c"))
        return set(s, 0, addWithCarry(s, a, b, subtract));
    set(s, 0, subtract ? m_build.CreateSub(a, b) : m_build.CreateAdd(a, b));
}

namespace {

enum class Half { Low, High, Wide };

Half halfOf(const PtxStatement& s)
{
    return s.has("hi") ? Half::High : s.has("wide") ? Half::Wide : Half::Low;
}

/// An integer product: its lower half, its upper half, or all of it.
Value* product(llvm::IRBuilder<>& build, Value* a, Value* b, Half half, bool isSigned)
{
    if (half == Half::Low)
        return build.CreateMul(a, b);
    unsigned width = a->getType()->getIntegerBitWidth();
    Type* wide = build.getIntNTy(2 * width);
    Value* whole = isSigned ? build.CreateMul(build.CreateSExt(a, wide), build.CreateSExt(b, wide))
                            : build.CreateMul(build.CreateZExt(a, wide), build.CreateZExt(b, wide));
    return half == Half::Wide ? whole : build.CreateTrunc(build.CreateLShr(whole, width), a->getType());
}

Value* low24(llvm::IRBuilder<>& build, Value* value, bool isSigned)
{
    Value* up = build.CreateShl(value, 8);
    return isSigned ? build.CreateAShr(up, 8) : build.CreateLShr(up, 8);
}

}  // namespace

void PtxTranslator::multiply(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    if (type->isFPOrFPVectorTy())
        return set(s, 0, saturated(s, *roundingOf(s) ? roundedBinary(s, "mul", a, b) : m_build.CreateFMul(a, b)));
    bool isSigned = s.isSigned();
    if (s.opcode[0] == "mul24")
        return set(s, 0, m_build.CreateMul(low24(m_build, a, isSigned), low24(m_build, b, isSigned)));
    if (halfOf(s) != Half::Low && !type->isIntegerTy())
        unknown(s);
    set(s, 0, product(m_build, a, b, halfOf(s), isSigned));
}

void PtxTranslator::multiplyAdd(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    if (type->isFPOrFPVectorTy()) {
        Value* c = get(s, 3, type);
        Value* sum = *roundingOf(s)
                         ? intrinsic(std::string("llvm.nvvm.fma.") + roundingOf(s) + (type->isDoubleTy() ? ".d" : ".f"),
                                     type, {a, b, c})
                         : m_build.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
        if (s.has("relu"))
            sum = positivePart(sum);
        return set(s, 0, saturated(s, sum));
    }
    bool isSigned = s.isSigned();
    if (s.opcode[0] == "mad24") {
        a = low24(m_build, a, isSigned);
        b = low24(m_build, b, isSigned);
    }
    if (!type->isIntegerTy())
        unknown(s);
    Value* whole = product(m_build, a, b, s.opcode[0] == "mad24" ? Half::Low : halfOf(s), isSigned);
    Value* c = get(s, 3, whole->getType());
    if (s.has("cc") || s.opcode[0] == "madc")
        return set(s, 0, addWithCarry(s, whole, c, false));
    set(s, 0, m_build.CreateAdd(whole, c));
}

void PtxTranslator::divide(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    if (type->isFPOrFPVectorTy())
        return set(s, 0, *roundingOf(s) ? roundedBinary(s, "div", a, b) : m_build.CreateFDiv(a, b));
    if (s.opcode[0] == "div")
        return set(s, 0, s.isSigned() ? m_build.CreateSDiv(a, b) : m_build.CreateUDiv(a, b));
    set(s, 0, s.isSigned() ? m_build.CreateSRem(a, b) : m_build.CreateURem(a, b));
}

/// NaN counts as missing, unless the opcode says .NaN; .xorsign gives the result the product's sign.
void PtxTranslator::extremeOfFloats(const PtxStatement& s, Value* a, Value* b)
{
    Type* type = a->getType();
    Type* pattern = bits(static_cast<unsigned>(type->getPrimitiveSizeInBits()));
    Value* signs = s.has("xorsign") ? m_build.CreateXor(fit(a, pattern), fit(b, pattern)) : nullptr;
    if (s.has("abs")) {
        a = m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
        b = m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b);
    }
    const auto id = s.opcode[0] == "max" ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum;
    Value* result = m_build.CreateBinaryIntrinsic(id, a, b);
    if (s.has("NaN"))
        result = m_build.CreateSelect(m_build.CreateFCmpUNO(a, b), llvm::ConstantFP::getNaN(type), result);
    if (signs)
        result = m_build.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, fit(signs, type));
    set(s, 0, result);
}

void PtxTranslator::extreme(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    if (s.operands.size() > 3)
        unknown(s);
    if (type->isFPOrFPVectorTy())
        return extremeOfFloats(s, a, b);
    const bool larger = s.opcode[0] == "max";
    const auto order = s.isSigned() ? (larger ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_SLT)
                                    : (larger ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_ULT);
    Value* result = m_build.CreateSelect(m_build.CreateICmp(order, a, b), a, b);
    Value* zero = llvm::Constant::getNullValue(type);
    if (s.has("relu"))
        result = m_build.CreateSelect(m_build.CreateICmpSLT(result, zero), zero, result);
    set(s, 0, result);
}

void PtxTranslator::unary(const PtxStatement& s)
{
    const std::string& name = s.opcode[0];
    if (s.opcode.back() == "pred")
        return set(s, 0, m_build.CreateNot(get(s, 1, bits(1))));
    Type* type = lastType(s);
    Value* a = get(s, 1, type);
    bool isFloat = type->isFPOrFPVectorTy();
    if (name.ends_with("not") && !type->isIntegerTy())
        unknown(s);
    if (name == "not")
        set(s, 0, m_build.CreateNot(a));
    else if (name == "cnot")
        set(s, 0, m_build.CreateZExt(m_build.CreateIsNull(a), type));
    else if (name == "neg")
        set(s, 0, isFloat ? m_build.CreateFNeg(a) : m_build.CreateNeg(a));
    else
        set(s, 0,
            isFloat ? m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a)
                    : m_build.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, m_build.getFalse()));
}

/// testp.op.type p, a
void PtxTranslator::testProperty(const PtxStatement& s)
{
    Type* type = lastType(s);
    if (!type->isFloatTy() && !type->isDoubleTy())
        unknown(s);
    Value* a = get(s, 1, type);
    Value* size = m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    const auto& semantics = type->getFltSemantics();
    Value* infinity = llvm::ConstantFP::getInfinity(type);
    Value* least = llvm::ConstantFP::get(type, llvm::APFloat::getSmallestNormalized(semantics));
    const std::string& property = s.opcode.at(1);
    Value* finite = m_build.CreateFCmpOLT(size, infinity);
    if (property == "finite")
        return set(s, 0, finite);
    if (property == "infinite")
        return set(s, 0, m_build.CreateFCmpOEQ(size, infinity));
    if (property == "number")
        return set(s, 0, m_build.CreateFCmpORD(a, a));
    if (property == "notanumber")
        return set(s, 0, m_build.CreateFCmpUNO(a, a));
    if (property == "normal")
        return set(s, 0, m_build.CreateAnd(finite, m_build.CreateFCmpOGE(size, least)));
    if (property != "subnormal")
        unknown(s);
    Value* some = m_build.CreateFCmpONE(size, llvm::ConstantFP::get(type, 0.0));
    set(s, 0, m_build.CreateAnd(some, m_build.CreateFCmpOLT(size, least)));
}

Value* PtxTranslator::compared(const PtxStatement& s, Value* a, Value* b, Type* type, bool isSigned)
{
    using P = llvm::CmpInst;
    struct Named {
        const char* name;
        P::Predicate ordered, unordered, isSigned, isUnsigned;
    };
    constexpr P::Predicate kNone = P::BAD_ICMP_PREDICATE;
    constexpr Named kNamed[] = {
        {"eq", P::FCMP_OEQ, P::FCMP_UEQ, P::ICMP_EQ, P::ICMP_EQ},
        {"ne", P::FCMP_ONE, P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE},
        {"lt", P::FCMP_OLT, P::FCMP_ULT, P::ICMP_SLT, P::ICMP_ULT},
        {"le", P::FCMP_OLE, P::FCMP_ULE, P::ICMP_SLE, P::ICMP_ULE},
        {"gt", P::FCMP_OGT, P::FCMP_UGT, P::ICMP_SGT, P::ICMP_UGT},
        {"ge", P::FCMP_OGE, P::FCMP_UGE, P::ICMP_SGE, P::ICMP_UGE},
        {"lo", kNone, kNone, P::ICMP_ULT, P::ICMP_ULT},
        {"ls", kNone, kNone, P::ICMP_ULE, P::ICMP_ULE},
        {"hi", kNone, kNone, P::ICMP_UGT, P::ICMP_UGT},
        {"hs", kNone, kNone, P::ICMP_UGE, P::ICMP_UGE},
        {"num", P::FCMP_ORD, P::FCMP_ORD, kNone, kNone},
        {"nan", P::FCMP_UNO, P::FCMP_UNO, kNone, kNone},
    };
    const std::string& wanted = s.opcode.at(1);
    for (const Named& named : kNamed) {
        if (type->isFPOrFPVectorTy()) {
            if (named.ordered == kNone)
                continue;
            if (wanted == named.name)
                return m_build.CreateFCmp(named.ordered, a, b);
            if (wanted == std::string(named.name) + "u")
                return m_build.CreateFCmp(named.unordered, a, b);
        } else if (wanted == named.name && named.isSigned != kNone) {
            return m_build.CreateICmp(isSigned ? named.isSigned : named.isUnsigned, a, b);
        }
    }
    unknown(s);
}

/// setp.op[.bool].type p[|q], a, b[, c] and set.op[.bool].dtype.stype d, a, b[, c]; of a pair, p and q are its halves'
void PtxTranslator::compare(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value* result = compared(s, get(s, 1, type), get(s, 2, type), type, s.isSigned());
    auto joined = [&](Value* value) {
        if (s.operands.size() <= 3)
            return value;
        Value* c = predicate(s.operands.at(3));
        return s.has("and")  ? m_build.CreateAnd(value, c)
               : s.has("or") ? m_build.CreateOr(value, c)
                             : m_build.CreateXor(value, c);
    };
    auto* pair = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (s.opcode[0] == "set") {
        if (pair && s.operands.size() > 3)
            unknown(s);
        Type* to = typeOf(s.opcode.at(s.opcode.size() - 2), s);
        if (to->isVectorTy() != (pair != nullptr && to->isFPOrFPVectorTy()))
            unknown(s);
        if (to->isFPOrFPVectorTy())
            return set(s, 0, m_build.CreateUIToFP(joined(result), to));
        if (pair) {
            Type* halves = llvm::FixedVectorType::get(m_build.getInt16Ty(), 2);
            return set(s, 0, m_build.CreateBitCast(m_build.CreateSExt(result, halves), bits(32)));
        }
        return set(s, 0, m_build.CreateSExt(joined(result), to));
    }
    Value* first = pair ? m_build.CreateExtractElement(result, uint64_t{0}) : result;
    if (s.operands.at(0).kind != PtxOperand::Kind::Pair) {
        if (pair)
            unknown(s);
        return set(s, 0, joined(first));
    }
    set(s.operands.at(0).elements.at(0), joined(first));
    set(s.operands.at(0).elements.at(1),
        joined(pair ? m_build.CreateExtractElement(result, uint64_t{1}) : m_build.CreateNot(result)));
}

void PtxTranslator::select(const PtxStatement& s)
{
    if (s.opcode[0] == "selp") {
        Type* type = lastType(s);
        return set(s, 0, m_build.CreateSelect(predicate(s.operands.at(3)), get(s, 1, type), get(s, 2, type)));
    }
    Type* type = typeOf(s.opcode.at(s.opcode.size() - 2), s);
    Type* by = lastType(s);
    if (by->isVectorTy())
        unknown(s);
    Value* c = get(s, 3, by);
    Value* positive = by->isFloatingPointTy() ? m_build.CreateFCmpOGE(c, llvm::ConstantFP::get(by, 0.0))
                                              : m_build.CreateICmpSGE(c, llvm::ConstantInt::get(by, 0));
    set(s, 0, m_build.CreateSelect(positive, get(s, 1, type), get(s, 2, type)));
}

namespace {

llvm::Intrinsic::ID wholeNumber(const PtxStatement& s)
{
    return s.has("rni") || s.has("rn")   ? llvm::Intrinsic::rint
           : s.has("rmi") || s.has("rm") ? llvm::Intrinsic::floor
           : s.has("rpi") || s.has("rp") ? llvm::Intrinsic::ceil
                                         : llvm::Intrinsic::trunc;
}

}  // namespace

/// cvt[.round][.ftz][.sat].dtype.stype d, a[, b]
/// An integer as the nearest one that \p width bits, no more than it has, have room for.
Value* PtxTranslator::clamped(Value* value, bool isSigned, unsigned width, bool toSigned)
{
    const unsigned wide = value->getType()->getIntegerBitWidth();
    const llvm::APInt high =
        toSigned ? llvm::APInt::getSignedMaxValue(width).zext(wide) : llvm::APInt::getMaxValue(width).zext(wide);
    const llvm::APInt low = toSigned ? llvm::APInt::getSignedMinValue(width).sext(wide) : llvm::APInt(wide, 0);
    if (!isSigned)
        return m_build.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, m_build.getInt(high));
    if (toSigned || width < wide)
        value = m_build.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, m_build.getInt(high));
    return m_build.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, m_build.getInt(low));
}

void PtxTranslator::convert(const PtxStatement& s)
{
    if (convertNarrow(s))
        return;
    const std::string &toName = s.opcode.at(s.opcode.size() - 2), &fromName = s.opcode.back();
    Type *to = typeOf(toName, s), *from = typeOf(fromName, s);
    const bool makesPair = to->isVectorTy();
    if (from->isVectorTy() || (makesPair && !(to->isFPOrFPVectorTy() && from->isFloatTy())))
        unknown(s);
    if (s.has("satfinite") || s.has("rs") || (toName == "tf32" && !s.has("rna")))
        unknown(s);
    if (toName == "tf32") {
        // Round to 10 bits of fraction, ties away from zero.
        Value* value = m_build.CreateAdd(get(s, 1, bits(32)), m_build.getInt32(0x1000));
        return set(s, 0, m_build.CreateAnd(value, m_build.getInt32(0xffffe000u)));
    }
    if (makesPair) {
        // {b, a}: a is the upper half.
        Type* element = to->getScalarType();
        Value* pair = llvm::PoisonValue::get(to);
        pair = m_build.CreateInsertElement(pair, m_build.CreateFPTrunc(get(s, 2, from), element), uint64_t{0});
        pair = m_build.CreateInsertElement(pair, m_build.CreateFPTrunc(get(s, 1, from), element), uint64_t{1});
        return set(s, 0, s.has("relu") ? positivePart(pair) : pair);
    }
    Value* a = get(s, 1, from);
    bool fromSigned = fromName[0] == 's', toSigned = toName[0] == 's';
    if (from->isIntegerTy() && to->isIntegerTy()) {
        if (s.has("sat") && to->getIntegerBitWidth() <= from->getIntegerBitWidth())
            a = clamped(a, fromSigned, to->getIntegerBitWidth(), toSigned);
        return set(s, 0, fromSigned ? m_build.CreateSExtOrTrunc(a, to) : m_build.CreateZExtOrTrunc(a, to));
    }
    if (from->isIntegerTy())
        return set(s, 0, fromSigned ? m_build.CreateSIToFP(a, to) : m_build.CreateUIToFP(a, to));
    if (to->isIntegerTy()) {
        Value* whole = m_build.CreateUnaryIntrinsic(wholeNumber(s), a);
        // The simulator's conversions to 32 and more bits saturate, as all of PTX's do.
        const unsigned width = to->getIntegerBitWidth();
        llvm::Type* wide = width < 32 ? m_build.getInt32Ty() : to;
        Value* number = toSigned ? m_build.CreateFPToSI(whole, wide) : m_build.CreateFPToUI(whole, wide);
        return set(s, 0, m_build.CreateTrunc(width < 32 ? clamped(number, toSigned, width, toSigned) : number, to));
    }
    if (to == from) {
        const bool isRounded = s.has("rni") || s.has("rzi") || s.has("rmi") || s.has("rpi");
        return set(s, 0, saturated(s, isRounded ? m_build.CreateUnaryIntrinsic(wholeNumber(s), a) : a));
    }
    if (to->getPrimitiveSizeInBits() > from->getPrimitiveSizeInBits())
        return set(s, 0, m_build.CreateFPExt(a, to));
    if (to->getPrimitiveSizeInBits() == from->getPrimitiveSizeInBits()) {
        // Half and bfloat16: a float holds either exactly, so that there is one rounding.
        if (!s.has("rn") && !*roundingOf(s))
            unknown(s);
        a = m_build.CreateFPExt(a, m_build.getFloatTy());
    }
    if (to->isFloatTy() && *roundingOf(s))
        return set(s, 0, intrinsic(std::string("llvm.nvvm.d2f.") + roundingOf(s), to, {a}));
    Value* narrow = *roundingOf(s) ? narrowedTowards(roundingOf(s), a, to) : m_build.CreateFPTrunc(a, to);
    narrow = saturated(s, narrow);
    set(s, 0, s.has("relu") ? positivePart(narrow) : narrow);
}

/// The nearest half or bfloat16, and from there one step back where it lies beyond \p value. The steps are those of its
/// bits, of which the sign is one: away from zero is up.
Value* PtxTranslator::narrowedTowards(const std::string& mode, Value* value, Type* type)
{
    Type* pattern = bits(16);
    Value* nearest = m_build.CreateFPTrunc(value, type);
    Value* back = m_build.CreateFPExt(nearest, value->getType());
    Value* code = m_build.CreateBitCast(nearest, pattern);
    Value* isNegative = m_build.CreateICmpSLT(code, llvm::ConstantInt::get(pattern, 0));
    Value* isBeyond = nullptr;
    Value* isInwards = m_build.getTrue();
    if (mode == "rz") {
        isBeyond = m_build.CreateFCmpOGT(m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                         m_build.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
    } else if (mode == "rm") {
        isBeyond = m_build.CreateFCmpOGT(back, value);
        isInwards = m_build.CreateNot(isNegative);
    } else {
        isBeyond = m_build.CreateFCmpOLT(back, value);
        isInwards = isNegative;
    }
    Value* step =
        m_build.CreateSelect(isInwards, llvm::ConstantInt::get(pattern, 0xffff), llvm::ConstantInt::get(pattern, 1));
    step = m_build.CreateSelect(isBeyond, step, llvm::ConstantInt::get(pattern, 0));
    return m_build.CreateBitCast(m_build.CreateAdd(code, step), type);
}

/// Generic addresses are the simulator's own; an address of the shared window fits in 32 bits (see ptx_memory.cpp).
void PtxTranslator::convertAddress(const PtxStatement& s)
{
    Value* a = get(s, 1, bits(64));
    Type* pointer = m_build.getPtrTy();
    if (s.has("shared") || s.has("shared::cta") || s.has("shared::cluster"))
        a = !s.has("to") ? fromSharedAddress(a)
            : m_names    ? windowAddress(m_build.CreateIntToPtr(a, pointer))
                         : toSharedWindow(a);
    else if (m_names)  // which says that it is an address
        a = m_build.CreatePtrToInt(m_build.CreateIntToPtr(a, pointer), bits(64));
    set(s, 0, m_build.CreateZExtOrTrunc(a, lastInteger(s)));
}

/// mapa[.shared::cluster].type d, a, rank; getctarank[.shared::cluster].type d, a
void PtxTranslator::rank(const PtxStatement& s)
{
    Value* address = get(s, 1, bits(64));
    if (s.opcode[0] == "getctarank")
        return set(s, 0, clusterRankOf(m_build, address));
    set(s, 0, m_build.CreateZExtOrTrunc(mapToRank(m_build, address, get(s, 2, bits(32))), lastInteger(s)));
}

void PtxTranslator::function(const PtxStatement& s)
{
    Type* type = lastType(s);
    Value* a = get(s, 1, type);
    const std::string& name = s.opcode[0];
    Value* one = type->isFPOrFPVectorTy() ? llvm::ConstantFP::get(type, 1.0) : nullptr;
    if (!one)
        unknown(s);
    if (name == "copysign")
        return set(s, 0, m_build.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, get(s, 2, type), a));
    if (*roundingOf(s) && (name == "rcp" || name == "sqrt"))
        return set(
            s, 0, intrinsic("llvm.nvvm." + name + "." + roundingOf(s) + (type->isDoubleTy() ? ".d" : ".f"), type, {a}));
    // What the special function unit approximates is an operation of its own.
    constexpr std::pair<const char*, const char*> kApproximations[] = {
        {"rcp", "llvm.nvvm.rcp.approx.ftz.f"}, {"rsqrt", "llvm.nvvm.rsqrt.approx.f"},
        {"sqrt", "llvm.nvvm.sqrt.approx.f"},   {"lg2", "llvm.nvvm.lg2.approx.f"},
        {"sin", "llvm.nvvm.sin.approx.f"},     {"cos", "llvm.nvvm.cos.approx.f"}};
    const auto* approximation = std::ranges::find(kApproximations, name, [](const auto& each) { return each.first; });
    if (s.has("approx") && type->isFloatTy() && approximation != std::end(kApproximations))
        return set(s, 0, intrinsic(approximation->second, type, {a}));
    if (name == "rcp")
        return set(s, 0, m_build.CreateFDiv(one, a));
    if (name == "rsqrt")
        return set(s, 0, m_build.CreateFDiv(one, m_build.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a)));
    if (name == "tanh") {
        Type* single = m_build.getFloatTy();
        if (type->isDoubleTy())
            unknown(s);
        const auto tanh = [&](Value* x) {
            Value* wide = x->getType()->isFloatTy() ? x : m_build.CreateFPExt(x, single);
            Value* result = intrinsic("__ls_math_fast_tanhf", single, {wide});
            return x->getType()->isFloatTy() ? result : m_build.CreateFPTrunc(result, x->getType());
        };
        if (!type->isVectorTy())
            return set(s, 0, tanh(a));
        for (uint64_t i = 0; i < 2; ++i)
            a = m_build.CreateInsertElement(a, tanh(m_build.CreateExtractElement(a, i)), i);
        return set(s, 0, a);
    }
    auto id = name == "sqrt"  ? llvm::Intrinsic::sqrt
              : name == "ex2" ? llvm::Intrinsic::exp2
              : name == "lg2" ? llvm::Intrinsic::log2
              : name == "sin" ? llvm::Intrinsic::sin
                              : llvm::Intrinsic::cos;
    set(s, 0, m_build.CreateUnaryIntrinsic(id, a));
}

}  // namespace lanescope::simt
