// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_types.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFUnit.h>

namespace lanescope::simt {
namespace {

using llvm::DWARFDie;

constexpr int kDeepest = 32;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;

uint64_t number(const DWARFDie& die, llvm::dwarf::Attribute attribute, uint64_t otherwise = 0)
{
    return llvm::dwarf::toUnsigned(die.find(attribute), otherwise);
}

std::string nameOf(const DWARFDie& die)
{
    return llvm::dwarf::toString(die.find(llvm::dwarf::DW_AT_name), "");
}

uint64_t bitsOf(const DWARFDie& die)
{
    return std::min(number(die, llvm::dwarf::DW_AT_byte_size), kMostBytes) * 8;
}

/// Of what is behind names and qualifiers, which have no size of their own.
uint64_t bitsOf(const llvm::DIType* type)
{
    using namespace llvm::dwarf;
    while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        if (derived->getTag() == DW_TAG_pointer_type || derived->getTag() == DW_TAG_member)
            break;
        type = derived->getBaseType();
    }
    return type ? type->getSizeInBits() : 0;
}

}  // namespace

std::vector<DWARFDie> childrenOf(const DWARFDie& die)
{
    std::vector<DWARFDie> children;
    if (!die.isValid() || !die.hasChildren())
        return children;
    for (DWARFDie child = die.getFirstChild(); child.isValid() && !child.isNULL(); child = child.getSibling())
        children.push_back(child);
    return children;
}

llvm::DIType* PtxTypes::typeOf(const DWARFDie& die, int depth)
{
    if (!die.isValid() || die.isNULL() || depth > kDeepest)
        return nullptr;
    const auto [known, isNew] = m_types.try_emplace(die.getOffset(), nullptr);
    if (!isNew)
        return known->second;
    llvm::DIType* type = made(die, depth + 1);
    m_types[die.getOffset()] = type;
    return type;
}

llvm::DIType* PtxTypes::made(const DWARFDie& die, int depth)
{
    using namespace llvm::dwarf;
    const DWARFDie base = die.getAttributeValueAsReferencedDie(DW_AT_type);
    switch (die.getTag()) {
    case DW_TAG_base_type:
        if (bitsOf(die) == 0)  // as Triton has what it cannot tell
            return nullptr;
        return m_build.createBasicType(nameOf(die), bitsOf(die), static_cast<unsigned>(number(die, DW_AT_encoding)));
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type: {
        llvm::DIType* of = typeOf(base, depth);
        const bool isTold = of || !base.isValid() || base.getTag() != DW_TAG_base_type;
        return isTold ? m_build.createPointerType(of, 64) : nullptr;
    }
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type: {
        llvm::DIType* of = typeOf(base, depth);
        return of ? m_build.createQualifiedType(die.getTag(), of) : nullptr;
    }
    case DW_TAG_typedef: {
        llvm::DIType* of = typeOf(base, depth);
        return of ? m_build.createTypedef(of, nameOf(die), m_file, 0, m_file) : nullptr;
    }
    case DW_TAG_enumeration_type:
        return m_build.createEnumerationType(m_file, nameOf(die), m_file, 0, bitsOf(die), 0,
                                             m_build.getOrCreateArray({}), nullptr);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return structure(die, depth);
    case DW_TAG_array_type:
        return array(die, depth);
    default:
        return nullptr;
    }
}

llvm::DIType* PtxTypes::structure(const DWARFDie& die, int depth)
{
    using namespace llvm::dwarf;
    std::vector<llvm::Metadata*> members;
    for (const DWARFDie& child : childrenOf(die)) {
        if (child.getTag() != DW_TAG_member)
            continue;
        llvm::DIType* type = typeOf(child.getAttributeValueAsReferencedDie(DW_AT_type), depth);
        if (!type)
            continue;
        // Older DWARF has the offset as an expression of one number.
        uint64_t offset = number(child, DW_AT_data_member_location);
        if (const auto where = child.find(DW_AT_data_member_location))
            if (const auto block = where->getAsBlock(); block && block->size() > 1)
                offset = (*block)[1] & 0x7f;
        members.push_back(m_build.createMemberType(m_file, nameOf(child), m_file, 0, bitsOf(type), 0,
                                                   std::min(offset, kMostBytes) * 8, llvm::DINode::FlagZero, type));
    }
    return m_build.createStructType(m_file, nameOf(die), m_file, 0, bitsOf(die), 0, llvm::DINode::FlagZero, nullptr,
                                    m_build.getOrCreateArray(members));
}

/// A vector of one element, as Mojo has its numbers, is that element.
llvm::DIType* PtxTypes::array(const DWARFDie& die, int depth)
{
    using namespace llvm::dwarf;
    llvm::DIType* element = typeOf(die.getAttributeValueAsReferencedDie(DW_AT_type), depth);
    uint64_t bits = bitsOf(element);
    if (bits == 0)
        return nullptr;
    std::vector<llvm::Metadata*> ranges;
    for (const DWARFDie& child : childrenOf(die)) {
        if (child.getTag() != DW_TAG_subrange_type)
            continue;
        const uint64_t count = number(child, DW_AT_count, number(child, DW_AT_upper_bound, ~uint64_t{0}) + 1);
        if (count > kMostBytes / std::max<uint64_t>(bits / 8, 1))
            return nullptr;
        bits *= count;
        ranges.push_back(m_build.getOrCreateSubrange(0, static_cast<int64_t>(count)));
    }
    if (die.find(DW_AT_GNU_vector) && bits == bitsOf(element))
        return element;
    return m_build.createArrayType(bits, 0, element, m_build.getOrCreateArray(ranges));
}

}  // namespace lanescope::simt
