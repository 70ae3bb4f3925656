// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/triton_values.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <llvm/BinaryFormat/Dwarf.h>

namespace lanescope::simt {
namespace {

struct Element {
    const char *triton, *name;  ///< in Triton's IR, and as torch and numpy call it
    unsigned bits;
    unsigned encoding;
};

/// Triton's integers have no sign.
constexpr Element kElements[] = {
    {"f64", "float64", 64, llvm::dwarf::DW_ATE_float}, {"f32", "float32", 32, llvm::dwarf::DW_ATE_float},
    {"f16", "float16", 16, llvm::dwarf::DW_ATE_float}, {"bf16", "bfloat16", 16, llvm::dwarf::DW_ATE_float},
    {"i64", "int64", 64, llvm::dwarf::DW_ATE_signed},  {"i32", "int32", 32, llvm::dwarf::DW_ATE_signed},
    {"i16", "int16", 16, llvm::dwarf::DW_ATE_signed},  {"i8", "int8", 8, llvm::dwarf::DW_ATE_signed_char},
    {"i1", "bool", 8, llvm::dwarf::DW_ATE_boolean},
};

/// Whether a register that debug information calls a number of this kind and size holds such an element. Its "vector"
/// is another view of a number.
bool isOf(const Element& element, const llvm::DWARFDie& type)
{
    using namespace llvm::dwarf;
    if (!type.isValid() || type.getTag() != DW_TAG_base_type ||
        std::string_view(toString(type.find(DW_AT_name), "")) == "vector")
        return false;
    const bool isFloat = toUnsigned(type.find(DW_AT_encoding), 0) == DW_ATE_float;
    return isFloat == (element.encoding == DW_ATE_float) &&
           toUnsigned(type.find(DW_AT_byte_size), 0) * 8 == element.bits;
}

}  // namespace

TritonValues::TritonValues(std::string_view section)
{
    std::istringstream lines{std::string(section)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        Value value;
        if (!(words >> name >> value.element))
            continue;
        for (uint64_t extent = 0; words >> extent;)
            value.extents += "[" + std::to_string(extent) + "]";
        m_values.emplace(std::move(name), std::move(value));
    }
}

llvm::DIType* TritonValues::typeOf(llvm::DIBuilder& build, const PtxSourceVariable& variable) const
{
    const auto [first, last] = m_values.equal_range(variable.name);
    for (auto at = first; at != last; ++at) {
        const auto* element = std::ranges::find(kElements, at->second.element, &Element::triton);
        if (element != std::end(kElements) && isOf(*element, variable.type))
            return build.createBasicType(element->name + at->second.extents, element->bits, element->encoding);
    }
    return nullptr;
}

}  // namespace lanescope::simt
