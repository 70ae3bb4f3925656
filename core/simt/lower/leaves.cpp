// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/leaves.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/Support/raw_ostream.h>

namespace lanescope::simt {

using llvm::dyn_cast;

std::string describe(const llvm::Instruction& instr)
{
    std::string text;
    llvm::raw_string_ostream stream(text);
    instr.print(stream);
    size_t begin = text.find_first_not_of(' ');
    size_t end = text.find(", !dbg");
    return text.substr(begin == std::string::npos ? 0 : begin, end == std::string::npos ? end : end - begin);
}

LaneType laneTypeOf(llvm::Type* type, const llvm::Instruction* where)
{
    if (type->isFloatTy())
        return LaneType::F32;
    if (type->isDoubleTy())
        return LaneType::F64;
    if (type->isPointerTy())
        return LaneType::I64;
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 32)
        return LaneType::I32;
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64)
        return LaneType::I64;
    if (type->isHalfTy() || type->isBFloatTy())
        return LaneType::I32;  // moved as bits; arithmetic on them is refused where it occurs
    std::string name;
    llvm::raw_string_ostream stream(name);
    type->print(stream);
    throw Unsupported{"type " + name, where};
}

unsigned bitsOf(llvm::Type* type)
{
    if (type->isPointerTy())
        return 64;
    return type->getScalarSizeInBits();
}

bool isHalf(llvm::Type* type)
{
    return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

namespace {

void addLeaves(const llvm::DataLayout& layout, llvm::Type* type, uint64_t offset, const llvm::Instruction* where,
               std::vector<Leaf>& out)
{
    if (auto* structure = dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* shape = layout.getStructLayout(structure);
        for (unsigned i = 0; i < structure->getNumElements(); ++i)
            addLeaves(layout, structure->getElementType(i), offset + shape->getElementOffset(i), where, out);
    } else if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
        uint64_t stride = layout.getTypeAllocSize(array->getElementType());
        for (uint64_t i = 0; i < array->getNumElements(); ++i)
            addLeaves(layout, array->getElementType(), offset + i * stride, where, out);
    } else if (auto* vector = dyn_cast<llvm::FixedVectorType>(type)) {
        uint64_t stride = layout.getTypeStoreSize(vector->getElementType());
        for (unsigned i = 0; i < vector->getNumElements(); ++i)
            addLeaves(layout, vector->getElementType(), offset + i * stride, where, out);
    } else if (type->isIntegerTy() && type->getIntegerBitWidth() > 64 && type->getIntegerBitWidth() <= 128) {
        out.push_back({LaneType::I64, 64, offset, 8});
        out.push_back({LaneType::I64, 64, offset + 8, 8});
    } else {
        LaneType lane = laneTypeOf(type, where);
        auto bits = static_cast<unsigned>(layout.getTypeSizeInBits(type));
        out.push_back({lane, bits, offset, static_cast<unsigned>(layout.getTypeStoreSize(type))});
    }
}

}  // namespace

std::vector<Leaf> leavesOf(const llvm::DataLayout& layout, llvm::Type* type, const llvm::Instruction* where)
{
    std::vector<Leaf> out;
    if (!type->isVoidTy())
        addLeaves(layout, type, 0, where, out);
    return out;
}

}  // namespace lanescope::simt
