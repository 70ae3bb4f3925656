// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of warpgroups, which the simulator takes apart into those of warps (core/simt/machine/ops_warpgroup.cpp), as
// mma.sync: it adds up by the same rule, to the last bit, for all types but 8-bit floats (docs/decisions/040).
#include <array>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "instrumented/instrument/device_code.h"

namespace lanescope::instrument {

using llvm::Value;

namespace {

constexpr llvm::StringRef kWarpgroupProducts = "__ls_wgmma.";
constexpr unsigned kWords = 4;    ///< of a lane's 16 bytes
constexpr unsigned kColumns = 8;  ///< of one mma.sync

/// What the name of a call says: n16k16.f32.f16.f16[.satfinite][.na][.nb][.ta][.tb][.regs]
struct Product {
    unsigned columns = 0, depth = 0;
    llvm::SmallVector<llvm::StringRef> types;  ///< of D, A, B
    bool saturates = false, aInRegisters = false;
    std::array<bool, 2> negates{}, turns{};

    [[nodiscard]] bool isWord() const { return types[1] == "tf32"; }
};

bool takeFlag(Product& product, llvm::StringRef part)
{
    bool* const flag = part == "satfinite" ? &product.saturates
                       : part == "regs"    ? &product.aInRegisters
                       : part == "na"      ? &product.negates[0]
                       : part == "nb"      ? &product.negates[1]
                       : part == "ta"      ? &product.turns[0]
                       : part == "tb"      ? &product.turns[1]
                                           : nullptr;
    if (flag)
        *flag = true;
    return flag != nullptr;
}

Product productOf(const llvm::CallInst& call)
{
    llvm::StringRef name = call.getCalledFunction()->getName();
    name.consume_front(kWarpgroupProducts);
    Product product;
    llvm::SmallVector<llvm::StringRef> parts;
    name.split(parts, '.');
    llvm::StringRef shape = parts.front();
    bool isKnown = shape.consume_front("n") && !shape.consumeInteger(10, product.columns) && shape.consume_front("k") &&
                   !shape.consumeInteger(10, product.depth);
    for (const llvm::StringRef part : llvm::ArrayRef(parts).drop_front())
        if (!takeFlag(product, part))
            product.types.push_back(part);
    isKnown = isKnown && product.types.size() == 3 && !product.types[1].starts_with("e") &&
              !product.types[2].starts_with("e");
    if (!isKnown)
        throw Refused{{Error::Code::Unsupported,
                       fmt::format("a product of a warpgroup of the kind '{}' is not supported on a GPU", name.str()),
                       placeOf(call)}};
    return product;
}

/// Makes the mma.sync of one call.
class WarpgroupProductWriter {
public:
    WarpgroupProductWriter(llvm::CallInst& call, llvm::IRBuilder<>& build)
        : m_call(call), m_build(build), m_product(productOf(call))
    {
        build.SetInsertPoint(&call);
        m_lane = build.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
        m_group = build.CreateLShr(m_lane, 2);
        m_inGroup = build.CreateAnd(m_lane, 3);
    }

    void write()
    {
        const std::array<Value*, kWords> a = factorA();
        const unsigned perTile = m_product.types[0] == "f16" ? 2 : 4;
        Value* all = llvm::PoisonValue::get(m_call.getType());
        for (unsigned tile = 0; tile < m_product.columns / kColumns; ++tile) {
            llvm::SmallVector<Value*> arguments(a.begin(), a.end());
            for (unsigned r = 0; r < 2; ++r)
                arguments.push_back(negated(factorB(tile, r), m_product.negates[1]));
            for (unsigned r = 0; r < perTile; ++r)
                arguments.push_back(m_call.getArgOperand(2 * kWords + tile * perTile + r));
            Value* sums = multiply(arguments, perTile);
            for (unsigned r = 0; r < perTile; ++r)
                all = m_build.CreateInsertValue(all, m_build.CreateExtractValue(sums, r), tile * perTile + r);
        }
        m_call.replaceAllUsesWith(all);
        m_call.eraseFromParent();
    }

private:
    std::array<Value*, kWords> wordsFrom(unsigned first) const
    {
        std::array<Value*, kWords> words{};
        for (unsigned i = 0; i < kWords; ++i)
            words[i] = m_call.getArgOperand(first + i);
        return words;
    }

    std::array<Value*, kWords> factorA()
    {
        std::array<Value*, kWords> a = wordsFrom(0);
        if (!m_product.aInRegisters)
            for (unsigned r = 0; r < kWords; ++r)
                a[r] = piece(0, m_build.CreateAdd(m_group, m_build.getInt32(r % 2 * 8)), r % 2, r / 2);
        for (Value*& word : a)
            word = negated(word, m_product.negates[0]);
        return a;
    }

    Value* factorB(unsigned tile, unsigned r)
    {
        return piece(kWords, m_build.CreateAdd(m_group, m_build.getInt32(tile * kColumns)), tile, r);
    }

    /// The word of a fragment that holds row \p row (column, of B), which is in its \p eight rows, and words 4 \p half
    /// + lane % 4 along k.
    Value* piece(unsigned first, Value* row, unsigned eight, unsigned half)
    {
        const std::array<Value*, kWords> words = wordsFrom(first);
        if (!m_product.turns[first == 0 ? 0 : 1])
            return pick(words, m_build.CreateAdd(row, m_build.getInt32(16 * half)), m_inGroup);
        // Lane k has rows 8 eight to 8 eight + 7 of that k, as halves.
        Value* both = m_build.getInt32(0);
        for (unsigned i = 0; i < 2; ++i) {
            Value* k = m_build.CreateAdd(m_build.CreateShl(m_inGroup, 1), m_build.getInt32(half * 8 + i));
            Value* word =
                pick(words, m_build.CreateAdd(k, m_build.getInt32(16 * eight)), m_build.CreateLShr(m_group, 1));
            Value* shift = m_build.CreateShl(m_build.CreateAnd(m_group, 1), 4);
            Value* value = m_build.CreateAnd(m_build.CreateLShr(word, shift), 0xffff);
            both = m_build.CreateOr(both, m_build.CreateShl(value, 16 * i));
        }
        return both;
    }

    /// Word \p index of \p lane's.
    Value* pick(const std::array<Value*, kWords>& words, Value* lane, Value* index)
    {
        std::array<Value*, kWords> there{};
        for (unsigned i = 0; i < kWords; ++i)
            there[i] = m_build.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                                               {m_build.getInt32(UINT32_MAX), words[i], lane, m_build.getInt32(31)});
        Value* isOdd = m_build.CreateIsNotNull(m_build.CreateAnd(index, 1));
        return m_build.CreateSelect(m_build.CreateIsNotNull(m_build.CreateAnd(index, 2)),
                                    m_build.CreateSelect(isOdd, there[3], there[2]),
                                    m_build.CreateSelect(isOdd, there[1], there[0]));
    }

    Value* negated(Value* word, bool isNegated)
    {
        return isNegated ? m_build.CreateXor(word, m_product.isWord() ? 0x80000000 : 0x80008000) : word;
    }

    Value* multiply(llvm::ArrayRef<Value*> arguments, unsigned sums)
    {
        unsigned next = 0;
        const auto list = [&](unsigned count) {
            std::string text = "{";
            for (unsigned i = 0; i < count; ++i)
                text += fmt::format("{}${}", i ? ", " : "", next++);
            return text + "}";
        };
        std::string text = fmt::format("mma.sync.aligned.m16n8k{}.row.col{}.{}.{}.{}.{} ", m_product.depth,
                                       m_product.saturates ? ".satfinite" : "", m_product.types[0].str(),
                                       m_product.types[1].str(), m_product.types[2].str(), m_product.types[0].str());
        std::string constraints;
        text += list(sums);
        for (const unsigned count : {kWords, 2u, sums})
            text += ", " + list(count);
        for (unsigned i = 0; i < sums; ++i)
            constraints += "=r,";
        for (size_t i = 0; i < arguments.size(); ++i)
            constraints += i + 1 < arguments.size() ? "r," : "r";
        llvm::Type* word = m_build.getInt32Ty();
        auto* type =
            llvm::FunctionType::get(llvm::StructType::get(m_build.getContext(), std::vector<llvm::Type*>(sums, word)),
                                    std::vector<llvm::Type*>(arguments.size(), word), false);
        llvm::CallInst* call =
            m_build.CreateCall(type, llvm::InlineAsm::get(type, text + ";", constraints, true), arguments);
        call->setConvergent();
        return call;
    }

    llvm::CallInst& m_call;
    llvm::IRBuilder<>& m_build;
    const Product m_product;
    Value* m_lane = nullptr;
    Value* m_group = nullptr;    ///< lane / 4
    Value* m_inGroup = nullptr;  ///< lane % 4
};

}  // namespace

void restoreWarpgroupProducts(DeviceCode& code)
{
    llvm::IRBuilder<> build(code.context);
    for (llvm::Function& function : *code.module)
        for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = llvm::dyn_cast<llvm::CallInst>(&instr);
            const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (callee && callee->getName().starts_with(kWarpgroupProducts))
                WarpgroupProductWriter(*call, build).write();
        }
}

}  // namespace lanescope::instrument
