// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/instrument/pieces.h"

#include <bit>

#include <llvm/IR/Instructions.h>

namespace lanescope::instrument {

using llvm::dyn_cast;
using llvm::Value;

namespace {

class PieceCutter {
public:
    PieceCutter(llvm::IRBuilder<>& build, const llvm::DataLayout& layout) : m_build(build), m_layout(layout) {}

    /// A scalar's bits.
    Value* bits(Value* value)
    {
        llvm::Type* type = value->getType();
        if (type->isPointerTy())
            return addressOf(m_build, value);
        if (!type->isIntegerTy())
            value = m_build.CreateBitCast(value, m_build.getIntNTy(type->getScalarSizeInBits()));
        return value;
    }

    /// Scalars of a value in memory order, with their offset and bits.
    void leaves(Value* value, uint64_t offset, std::vector<Piece>& out)
    {
        llvm::Type* type = value->getType();
        const llvm::DataLayout& layout = m_layout;
        if (auto* structure = dyn_cast<llvm::StructType>(type)) {
            for (unsigned i = 0; i < structure->getNumElements(); ++i)
                leaves(m_build.CreateExtractValue(value, i),
                       offset + layout.getStructLayout(structure)->getElementOffset(i), out);
        } else if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
            const uint64_t stride = layout.getTypeAllocSize(array->getElementType());
            for (unsigned i = 0; i < array->getNumElements(); ++i)
                leaves(m_build.CreateExtractValue(value, i), offset + i * stride, out);
        } else if (auto* vector = dyn_cast<llvm::FixedVectorType>(type)) {
            const uint64_t stride = layout.getTypeStoreSize(vector->getElementType());
            for (unsigned i = 0; i < vector->getNumElements(); ++i)
                leaves(m_build.CreateExtractElement(value, uint64_t{i}), offset + i * stride, out);
        } else if (type->isIntegerTy(128)) {
            out.push_back({offset, 8, m_build.CreateTrunc(value, m_build.getInt64Ty()), nullptr});
            out.push_back(
                {offset + 8, 8, m_build.CreateTrunc(m_build.CreateLShr(value, 64), m_build.getInt64Ty()), nullptr});
        } else {
            out.push_back({offset, static_cast<unsigned>(layout.getTypeStoreSize(type)),
                           m_build.CreateZExtOrTrunc(bits(value), m_build.getInt64Ty()), nullptr});
        }
    }

    std::vector<Piece> cut(Value* value)
    {
        std::vector<Piece> all, pieces;
        leaves(value, 0, all);
        auto isWide = [](const Piece& leaf) { return leaf.bytes == 8; };
        for (size_t first = 0; first < all.size();) {
            size_t count = 1;
            while (first + count < all.size() && all[first + count].bytes == all[first].bytes &&
                   isWide(all[first + count]) == isWide(all[first]) &&
                   all[first + count].offset == all[first].offset + count * all[first].bytes &&
                   (count + 1) * all[first].bytes <= 16)
                ++count;
            while (count > 1 && !std::has_single_bit(count * all[first].bytes))
                --count;
            pieces.push_back(combine(all.data() + first, count));
            first += count;
        }
        return pieces;
    }

    Piece combine(const Piece* leaf, size_t count)
    {
        Piece piece{leaf->offset, static_cast<unsigned>(count) * leaf->bytes, nullptr, nullptr};
        Value* words[2] = {m_build.getInt64(0), m_build.getInt64(0)};
        for (size_t i = 0; i < count; ++i) {
            const size_t bit = i * leaf->bytes * 8;
            words[bit / 64] = m_build.CreateOr(words[bit / 64], m_build.CreateShl(leaf[i].low, bit % 64));
        }
        piece.low = words[0];
        piece.high = words[1];
        return piece;
    }

private:
    llvm::IRBuilder<>& m_build;
    const llvm::DataLayout& m_layout;
};

}  // namespace

Value* genericPointer(llvm::IRBuilder<>& build, Value* pointer)
{
    return pointer->getType()->getPointerAddressSpace() == 0 ? pointer
                                                             : build.CreateAddrSpaceCast(pointer, build.getPtrTy());
}

Value* addressOf(llvm::IRBuilder<>& build, Value* pointer, uint64_t offset)
{
    Value* number = build.CreatePtrToInt(genericPointer(build, pointer), build.getInt64Ty());
    return offset ? build.CreateAdd(number, build.getInt64(offset)) : number;
}

std::vector<Piece> piecesOf(llvm::IRBuilder<>& build, const llvm::DataLayout& layout, llvm::Value* value)
{
    return PieceCutter(build, layout).cut(value);
}

}  // namespace lanescope::instrument
