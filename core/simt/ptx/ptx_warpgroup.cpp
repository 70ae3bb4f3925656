// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: products of a warpgroup. Each warp reads its rows of A and all of B where the instruction stands, as ordinary
// loads of 16 bytes a lane, and multiplies 16 columns at a time (ops_warpgroup.cpp).
#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

namespace {

constexpr unsigned kColumns = 16;  ///< of one call
constexpr unsigned kWords = 4;     ///< of a lane's 16 bytes

/// "m64n16k8"; false: not so.
bool readShape(const std::string& text, unsigned& columns, unsigned& depth)
{
    if (!text.starts_with("m64n"))
        return false;
    const char* const end = text.data() + text.size();
    const auto [afterColumns, wrong] = std::from_chars(text.data() + 4, end, columns);
    if (wrong != std::errc() || afterColumns == end || *afterColumns != 'k')
        return false;
    const auto [last, error] = std::from_chars(afterColumns + 1, end, depth);
    return error == std::errc() && last == end && columns % 8 == 0 && columns >= 8 && columns <= 256;
}

}  // namespace

struct PtxTranslator::WarpgroupProduct {
    unsigned columns = 0, depth = 0;
    std::string suffix;  ///< ".d.a.b" and flags, of a call
    bool aInRegisters = false;
    bool turns[2] = {};  ///< A, B: lies across k
};

/// wgmma.mma_async.sync.aligned.m64nNkK.d.a.b {d…}, a, b, scale-d[, scale-a, scale-b[, turn-a], turn-b]
PtxTranslator::WarpgroupProduct PtxTranslator::productOf(const PtxStatement& s)
{
    WarpgroupProduct product;
    if (s.opcode.size() < 8 || s.operands.size() < 4 || !readShape(s.opcode[4], product.columns, product.depth))
        unknown(s);
    product.aInRegisters = s.operands[1].kind == PtxOperand::Kind::Vector;
    for (size_t i = 5; i < s.opcode.size(); ++i)
        product.suffix += "." + s.opcode[i];
    size_t next = 4;
    // What stands there; of instructions that have not so many, \p usual.
    const auto immediate = [&](int64_t usual) {
        if (s.operands.size() <= next)
            return usual;
        const auto* number = llvm::dyn_cast<llvm::ConstantInt>(get(s, next++, bits(32)));
        if (!number)
            unknown(s);
        return number->getSExtValue();
    };
    for (const char* flag : {".na", ".nb"})
        if (const int64_t scale = immediate(1); scale == -1)
            product.suffix += flag;
        else if (scale != 1)
            unknown(s);
    for (unsigned side = product.aInRegisters ? 1 : 0; side < 2; ++side) {
        product.turns[side] = immediate(0) != 0;
        if (product.turns[side])
            product.suffix += side == 0 ? ".ta" : ".tb";
    }
    if (product.aInRegisters)
        product.suffix += ".regs";
    if (s.operands.size() > next)
        unknown(s);
    return product;
}

/// The lane's 16 bytes of a matrix, of which the first row (column, of B) is \p first, as four words.
std::vector<Value*> PtxTranslator::matrixWords(Value* descriptor, Value* first, unsigned columns, bool turned)
{
    Type* word = bits(32);
    Value* lane = intrinsic("llvm.nvvm.read.ptx.sreg.laneid", word, {});
    Value *inner = m_build.CreateAnd(lane, 15), *outer = m_build.CreateLShr(lane, 4);
    if (columns == 8) {  // the others read the same once more
        if (turned)
            outer = m_build.getInt32(0);
        else
            inner = m_build.CreateAnd(lane, 7);
    }
    Value* address =
        turned ? intrinsic("__ls_matrix_row.mn", bits(64),
                           {descriptor, m_build.CreateAdd(m_build.CreateLShr(first, 3), outer), inner})
               : intrinsic("__ls_matrix_row.k", bits(64), {descriptor, m_build.CreateAdd(first, inner), outer});
    llvm::cast<llvm::CallInst>(address)->setDoesNotAccessMemory();
    Value* piece = m_build.CreateAlignedLoad(llvm::FixedVectorType::get(word, kWords),
                                             m_build.CreateIntToPtr(address, m_build.getPtrTy()), llvm::Align(16));
    noteRead(AsyncStream::Products, m_build.CreateIntToPtr(address, m_build.getPtrTy()), m_build.getInt32(16));
    std::vector<Value*> words;
    for (unsigned i = 0; i < kWords; ++i)
        words.push_back(m_build.CreateExtractElement(piece, i));
    return words;
}

void PtxTranslator::multiplyWarpgroup(const PtxStatement& s)
{
    const WarpgroupProduct product = productOf(s);
    Type* word = bits(32);
    std::vector<Value*> a;
    Value* warp = m_build.CreateAnd(intrinsic("llvm.nvvm.read.ptx.sreg.warpid", word, {}), 3);
    if (product.aInRegisters) {
        for (const PtxOperand& element : s.operands[1].elements)
            a.push_back(fit(get(element, word), word));
        if (a.size() != kWords)
            unknown(s);
    } else {
        intrinsic("__ls_matrix_descriptor", m_build.getVoidTy(), {get(s, 1, bits(64))});
        a = matrixWords(get(s, 1, bits(64)), m_build.CreateShl(warp, 4), kColumns, product.turns[0]);
    }
    Value *b = get(s, 2, bits(64)), *adds = predicate(s.operands[3]);
    intrinsic("__ls_matrix_descriptor", m_build.getVoidTy(), {b});
    const std::vector<PtxOperand>& sums = s.operands[0].elements;
    const unsigned perColumn = s.opcode[5] == "f16" ? 4 : 2;  // columns to a register of a lane
    if (sums.size() != product.columns / perColumn)
        unknown(s);
    std::vector<Value*> results;
    for (unsigned column = 0; column < product.columns; column += kColumns) {
        const unsigned columns = std::min(kColumns, product.columns - column);
        std::vector<Value*> arguments = a;
        const std::vector<Value*> right = matrixWords(b, m_build.getInt32(column), columns, product.turns[1]);
        arguments.insert(arguments.end(), right.begin(), right.end());
        const unsigned registers = columns / perColumn;
        for (unsigned i = 0; i < registers; ++i) {
            const PtxOperand& element = sums[column / perColumn + i];
            Value* before = fit(get(element, registerType(element.name) ? registerType(element.name) : word), word);
            arguments.push_back(m_build.CreateSelect(adds, before, m_build.getInt32(0)));
        }
        const std::string name =
            "__ls_wgmma.n" + std::to_string(columns) + "k" + std::to_string(product.depth) + product.suffix;
        Value* all = intrinsic(name, llvm::StructType::get(m_build.getContext(), std::vector<Type*>(registers, word)),
                               arguments);
        for (unsigned i = 0; i < registers; ++i)
            results.push_back(m_build.CreateExtractValue(all, i));
    }
    for (size_t i = 0; i < results.size(); ++i)
        set(sums[i], results[i]);
}

/// setmaxnreg.inc/dec.sync.aligned.u32 n: registers are as many as are needed here, whatever was asked for.
void PtxTranslator::setRegisters(const PtxStatement& s)
{
    const auto* count = llvm::dyn_cast<llvm::ConstantInt>(get(s, 0, bits(32)));
    const uint64_t registers = count ? count->getZExtValue() : 0;
    if (registers < 24 || registers > 256 || registers % 8 != 0)
        unknown(s);
}

/// wgmma.mma_async; and .fence, .commit_group, .wait_group: what is done at once here, the checks take for done when it
/// is waited for.
void PtxTranslator::warpgroup(const PtxStatement& s)
{
    const std::string& operation = s.opcode.at(1);
    if (operation == "mma_async" && !s.has("sp"))
        return multiplyWarpgroup(s);
    if (operation == "commit_group" || operation == "wait_group")
        return endGroup(s, AsyncStream::Products);
    if (operation != "fence")
        unknown(s);
    intrinsic("__ls_products_fence", m_build.getVoidTy(), {});
}

}  // namespace lanescope::simt
