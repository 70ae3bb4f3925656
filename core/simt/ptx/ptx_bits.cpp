// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX instructions on the bits, fields and bytes of words.
#include <llvm/IR/Intrinsics.h>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

void PtxTranslator::logic(const PtxStatement& s)
{
    llvm::IntegerType* type = lastInteger(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    set(s, 0,
        s.opcode[0] == "and"  ? m_build.CreateAnd(a, b)
        : s.opcode[0] == "or" ? m_build.CreateOr(a, b)
                              : m_build.CreateXor(a, b));
}

/// Shifts by the width or more give zero (or the sign); that is what the simulator's do too.
void PtxTranslator::shift(const PtxStatement& s)
{
    llvm::IntegerType* type = lastInteger(s);
    Value* a = get(s, 1, type);
    Value* count = get(s, 2, bits(32));
    unsigned width = type->getBitWidth();
    Value* tooFar = m_build.CreateICmpUGE(count, m_build.getInt32(width));
    Value* by = m_build.CreateZExtOrTrunc(m_build.CreateSelect(tooFar, m_build.getInt32(width - 1), count), type);
    if (s.opcode[0] == "shr" && s.isSigned())
        return set(s, 0, m_build.CreateAShr(a, by));
    Value* shifted = s.opcode[0] == "shl" ? m_build.CreateShl(a, by) : m_build.CreateLShr(a, by);
    if (llvm::isa<llvm::ConstantInt>(tooFar))
        return set(s, 0, tooFar == m_build.getTrue() ? llvm::ConstantInt::get(type, 0) : shifted);
    set(s, 0, m_build.CreateSelect(tooFar, llvm::ConstantInt::get(type, 0), shifted));
}

/// shf.l/r.wrap/clamp d, low, high, count
void PtxTranslator::funnel(const PtxStatement& s)
{
    Type* wide = bits(64);
    Value* both = m_build.CreateOr(m_build.CreateShl(m_build.CreateZExt(get(s, 2, bits(32)), wide), 32),
                                   m_build.CreateZExt(get(s, 1, bits(32)), wide));
    Value* count = get(s, 3, bits(32));
    Value* by = s.has("wrap") ? m_build.CreateAnd(count, 31)
                              : m_build.CreateBinaryIntrinsic(llvm::Intrinsic::umin, count, m_build.getInt32(32));
    by = m_build.CreateZExt(by, wide);
    Value* shifted = s.has("l") ? m_build.CreateLShr(m_build.CreateShl(both, by), 32) : m_build.CreateLShr(both, by);
    set(s, 0, m_build.CreateTrunc(shifted, bits(32)));
}

void PtxTranslator::bitField(const PtxStatement& s)
{
    llvm::IntegerType* type = lastInteger(s);
    unsigned width = type->getBitWidth();
    bool extract = s.opcode[0] == "bfe";
    size_t first = extract ? 2 : 3;
    Type* wide = bits(width * 2);
    auto field = [&](size_t index) {
        Value* value = m_build.CreateAnd(get(s, index, bits(32)), 0xff);
        return m_build.CreateZExt(m_build.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, m_build.getInt32(width)),
                                  wide);
    };
    Value *position = field(first), *length = field(first + 1);
    Value* one = llvm::ConstantInt::get(wide, 1);
    Value* mask = m_build.CreateSub(m_build.CreateShl(one, length), one);
    if (!extract) {
        Value* shifted = m_build.CreateTrunc(m_build.CreateShl(mask, position), type);
        Value* inserted =
            m_build.CreateTrunc(m_build.CreateShl(m_build.CreateZExt(get(s, 1, type), wide), position), type);
        Value* kept = m_build.CreateAnd(get(s, 2, type), m_build.CreateNot(shifted));
        return set(s, 0, m_build.CreateOr(kept, m_build.CreateAnd(inserted, shifted)));
    }
    Value* a = get(s, 1, type);
    Value* from = s.isSigned() ? m_build.CreateSExt(a, wide) : m_build.CreateZExt(a, wide);
    Value* value = m_build.CreateAnd(m_build.CreateLShr(from, position), mask);
    if (s.isSigned()) {
        // The field's highest bit, extended; an empty field is zero.
        Value* isEmpty = m_build.CreateIsNull(length);
        Value* unused = m_build.CreateSub(llvm::ConstantInt::get(wide, 2 * width), length);
        Value* by = m_build.CreateSub(unused, m_build.CreateZExt(isEmpty, wide));
        Value* extended = m_build.CreateAShr(m_build.CreateShl(value, by), by);
        value = m_build.CreateSelect(isEmpty, llvm::ConstantInt::get(wide, 0), extended);
    }
    set(s, 0, m_build.CreateTrunc(value, type));
}

void PtxTranslator::countBits(const PtxStatement& s)
{
    llvm::IntegerType* type = lastInteger(s);
    Value* a = get(s, 1, type);
    const std::string& name = s.opcode[0];
    if (name == "brev")
        return set(s, 0, m_build.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a));
    if (name == "popc")
        return set(s, 0, m_build.CreateZExtOrTrunc(m_build.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a), bits(32)));
    unsigned width = type->getBitWidth();
    if (name == "bfind" && s.isSigned())
        a = m_build.CreateXor(a, m_build.CreateAShr(a, width - 1));
    Value* zeros = m_build.CreateZExtOrTrunc(
        m_build.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, m_build.getFalse()), bits(32));
    if (name == "clz")
        return set(s, 0, zeros);
    Value* shift = s.has("shiftamt") ? zeros : m_build.CreateSub(m_build.getInt32(width - 1), zeros);
    set(s, 0, m_build.CreateSelect(m_build.CreateIsNull(a), m_build.getInt32(0xffffffffu), shift));
}

/// fns.b32 d, mask, base, offset: the place of the set bit that is the offset-th from the base on, upwards or
/// downwards, or that of the base itself with 0; all ones when there is none.
void PtxTranslator::findSet(const PtxStatement& s)
{
    Type* word = bits(32);
    Value *mask = get(s, 1, word), *base = get(s, 2, word), *offset = get(s, 3, word);
    Value* none = m_build.getInt32(~0u);
    const auto isSet = [&](Value* place) { return m_build.CreateTrunc(m_build.CreateLShr(mask, place), bits(1)); };
    Value* result = m_build.CreateSelect(isSet(m_build.CreateAnd(base, 31)), base, none);
    result = m_build.CreateSelect(m_build.CreateIsNull(offset), result, none);
    for (const bool up : {true, false}) {
        Value* left = up ? offset : m_build.CreateNeg(offset);
        for (unsigned i = 0; i < 32; ++i) {
            Value* place = m_build.getInt32(up ? i : 31 - i);
            Value* isBehind = up ? m_build.CreateICmpUGE(place, base) : m_build.CreateICmpULE(place, base);
            Value* counts = m_build.CreateAnd(isBehind, isSet(place));
            Value* isIt = m_build.CreateAnd(counts, m_build.CreateICmpEQ(left, m_build.getInt32(1)));
            result = m_build.CreateSelect(isIt, place, result);
            left = m_build.CreateSub(left, m_build.CreateZExt(counts, word));
        }
    }
    set(s, 0, result);
}

/// lop3.b32 d, a, b, c, table: a sum of the products that the table has.
void PtxTranslator::lookup3(const PtxStatement& s)
{
    Type* type = bits(32);
    Value* in[3] = {get(s, 1, type), get(s, 2, type), get(s, 3, type)};
    uint64_t table = 0;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(get(s, 4, type)))
        table = constant->getZExtValue();
    else
        unknown(s);
    Value* result = m_build.getInt32(0);
    for (unsigned row = 0; row < 8; ++row) {
        if (!(table >> row & 1))
            continue;
        Value* term = m_build.getInt32(0xffffffffu);
        for (unsigned i = 0; i < 3; ++i)
            term = m_build.CreateAnd(term, row >> (2 - i) & 1 ? in[i] : m_build.CreateNot(in[i]));
        result = m_build.CreateOr(result, term);
    }
    if (s.operands.size() < 6)
        return set(s, 0, result);
    // lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q
    const PtxOperand& to = s.operands.at(0);
    Value *any = m_build.CreateIsNotNull(result), *with = predicate(s.operands.at(5));
    if (to.kind != PtxOperand::Kind::Pair)
        unknown(s);
    set(to.elements.at(0), result);
    set(to.elements.at(1), s.has("or") ? m_build.CreateOr(any, with) : m_build.CreateAnd(any, with));
}

/// prmt.b32[.mode] d, a, b, selector: a mode names the bytes that the selector's lowest bits would.
void PtxTranslator::permute(const PtxStatement& s)
{
    struct Mode {
        const char* name;
        uint16_t selectors[4];
    };
    constexpr Mode kModes[] = {{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
                               {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
                               {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
    Type* type = bits(32);
    Value* selector = get(s, 3, type);
    for (const Mode& mode : kModes) {
        if (!s.has(mode.name))
            continue;
        Value* row = m_build.CreateAnd(selector, 3);
        Value* chosen = m_build.getInt32(mode.selectors[0]);
        for (uint32_t i = 1; i < 4; ++i)
            chosen = m_build.CreateSelect(m_build.CreateICmpEQ(row, m_build.getInt32(i)),
                                          m_build.getInt32(mode.selectors[i]), chosen);
        selector = chosen;
    }
    set(s, 0, intrinsic("llvm.nvvm.prmt", type, {get(s, 1, type), get(s, 2, type), selector}));
}

/// bmsk.clamp/wrap.b32 d, position, width: ones; szext.clamp/wrap.type d, a, bits: a's lowest bits, extended.
void PtxTranslator::bitMask(const PtxStatement& s)
{
    Type* wide = bits(64);
    const auto count = [&](size_t index) {
        Value* value = get(s, index, bits(32));
        value = s.has("wrap") ? m_build.CreateAnd(value, 31)
                              : m_build.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, m_build.getInt32(32));
        return m_build.CreateZExt(value, wide);
    };
    Value* one = m_build.getInt64(1);
    if (s.opcode[0] == "bmsk") {
        Value* ones = m_build.CreateSub(m_build.CreateShl(one, count(2)), one);
        return set(s, 0, m_build.CreateTrunc(m_build.CreateShl(ones, count(1)), bits(32)));
    }
    // Shifting by 64 less the width leaves it at the top; a width of none is zero either way.
    Value* width = count(2);
    Value* by = m_build.CreateSub(m_build.getInt64(63), width);
    Value* top = m_build.CreateShl(m_build.CreateShl(m_build.CreateZExt(get(s, 1, bits(32)), wide), by), 1);
    Value* down = s.isSigned() ? m_build.CreateAShr(m_build.CreateAShr(top, by), 1)
                               : m_build.CreateLShr(m_build.CreateLShr(top, by), 1);
    set(s, 0, m_build.CreateTrunc(down, bits(32)));
}

void PtxTranslator::difference(const PtxStatement& s)
{
    llvm::IntegerType* type = lastInteger(s);
    Value *a = get(s, 1, type), *b = get(s, 2, type);
    Value* larger = s.isSigned() ? m_build.CreateICmpSGT(a, b) : m_build.CreateICmpUGT(a, b);
    Value* distance = m_build.CreateSelect(larger, m_build.CreateSub(a, b), m_build.CreateSub(b, a));
    set(s, 0, m_build.CreateAdd(distance, get(s, 3, type)));
}

/// dp4a.atype.btype, dp2a.lo/hi.atype.btype
void PtxTranslator::dotProduct(const PtxStatement& s)
{
    Type* type = bits(32);
    bool four = s.opcode[0] == "dp4a";
    bool aSigned = s.opcode.at(s.opcode.size() - 2)[0] == 's', bSigned = s.opcode.back()[0] == 's';
    Value *a = get(s, 1, type), *b = get(s, 2, type), *sum = get(s, 3, type);
    auto part = [&](Value* from, unsigned shift, unsigned width, bool isSigned) {
        Value* cut = m_build.CreateTrunc(m_build.CreateLShr(from, shift), bits(width));
        return isSigned ? m_build.CreateSExt(cut, type) : m_build.CreateZExt(cut, type);
    };
    unsigned base = !four && s.has("hi") ? 16 : 0;
    for (unsigned i = 0; i < (four ? 4u : 2u); ++i)
        sum = m_build.CreateAdd(sum, m_build.CreateMul(part(a, i * (four ? 8 : 16), four ? 8 : 16, aSigned),
                                                       part(b, base + i * 8, 8, bSigned)));
    set(s, 0, sum);
}

}  // namespace lanescope::simt
