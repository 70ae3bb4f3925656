// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/mojo_types.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include <llvm/BinaryFormat/Dwarf.h>

namespace lanescope::simt {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

/// What is inside a pair of brackets, and what comes behind it.
struct Bracketed {
    std::string_view inside, behind;
};

/// Whether the character at \p at is a bracket, and no part of an arrow.
bool isBracket(std::string_view text, size_t at)
{
    const bool isArrow = text[at] == '>' && at > 0 && text[at - 1] == '-';
    return !isArrow && std::string_view("()[]<>{}").find(text[at]) != kNowhere;
}

/// Calls \p visit(position, depth) for each character outside of quotation marks, until it says true; depth is that
/// behind the character. The position, or npos.
template <typename Visit>
size_t scan(std::string_view text, Visit visit)
{
    int depth = 0;
    bool isQuoted = false;
    for (size_t at = 0; at < text.size(); ++at) {
        isQuoted ^= text[at] == '"';
        if (isQuoted)
            continue;
        if (isBracket(text, at))
            depth += std::string_view("([<{").find(text[at]) != kNowhere ? 1 : -1;
        if (visit(at, depth))
            return at;
    }
    return kNowhere;
}

/// \p text begins with a bracket; none: it does not, or the bracket is not closed.
std::optional<Bracketed> bracketed(std::string_view text)
{
    if (text.empty() || std::string_view("([<{").find(text.front()) == kNowhere)
        return std::nullopt;
    const size_t end = scan(text, [](size_t, int depth) { return depth == 0; });
    if (end == kNowhere)
        return std::nullopt;
    return Bracketed{text.substr(1, end - 1), text.substr(end + 1)};
}

/// What commas separate, those in brackets aside.
std::vector<std::string_view> itemsOf(std::string_view text)
{
    std::vector<std::string_view> items;
    size_t first = 0;
    scan(text, [&](size_t at, int depth) {
        if (depth == 0 && text[at] == ',') {
            items.push_back(text.substr(first, at - first));
            first = at + 1;
        }
        return false;
    });
    if (first < text.size())
        items.push_back(text.substr(first));
    return items;
}

/// The word behind the last \p before in \p text: of "… {:dtype f32}" behind "{:dtype " it is f32.
std::string_view lastWordBehind(std::string_view text, std::string_view before)
{
    const size_t at = text.rfind(before);
    if (at == kNowhere)
        return {};
    text.remove_prefix(at + before.size());
    return text.substr(0, text.find_first_of("},> "));
}

/// The numbers of a list whose items are all of a \p kind; empty: one of them is something else, a list in the list.
std::vector<uint64_t> numbersOf(std::string_view list, std::string_view kind)
{
    std::vector<uint64_t> numbers;
    for (const std::string_view item : itemsOf(list)) {
        const std::string_view word = lastWordBehind(item, "{:scalar<index> ");
        uint64_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (item.substr(0, item.find('<')).find(kind) == kNowhere || error != std::errc() ||
            end != word.data() + word.size())
            return {};
        numbers.push_back(number);
    }
    return numbers;
}

/// What is inside the first list in \p text that \p before stands before; moves \p text behind it.
std::string_view takeList(std::string_view& text, std::string_view before)
{
    const size_t at = text.find(before);
    const auto list = at == kNowhere ? std::nullopt : bracketed(text.substr(at + before.size() - 1));
    text = list ? list->behind : std::string_view();
    return list ? list->inside : std::string_view();
}

/// Extents as they lie in memory, the one with the largest stride first: column after column, the other way round.
/// Empty: there is room between the elements, or they lie in one place.
std::vector<uint64_t> extentsInMemory(const std::vector<uint64_t>& extents, const std::vector<uint64_t>& strides)
{
    if (strides.size() != extents.size())
        return {};
    std::vector<size_t> order(extents.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return strides[i]; });
    std::vector<uint64_t> sorted;
    for (const size_t i : order)
        sorted.push_back(extents[i]);
    uint64_t row = 1;
    for (size_t i = order.size(); i-- > 0; row *= sorted[i])
        if (strides[order[i]] != row)
            return {};
    return sorted;
}

/// A TileTensor's layout has two lists, of extents and strides; a LayoutTensor's is a call of the function that made
/// it.
std::vector<uint64_t> extentsIn(std::string_view layout)
{
    if (layout.find("tile_layout::") != kNowhere) {
        const std::vector<uint64_t> extents = numbersOf(takeList(layout, "> ["), "ComptimeInt");
        const std::vector<uint64_t> strides = numbersOf(takeList(layout, "> ["), "ComptimeInt");
        return extentsInMemory(extents, strides);
    }
    const bool isByColumns = layout.find("col_major[") != kNowhere;
    if (!isByColumns && layout.find("row_major[") == kNowhere)
        return {};
    std::vector<uint64_t> extents = numbersOf(takeList(layout, "store_to_mem(["), "store_to_mem(");
    if (isByColumns)
        std::ranges::reverse(extents);
    return extents;
}

}  // namespace

std::optional<MojoTensor> mojoTensor(std::string_view type)
{
    const size_t begin = type.find('[');
    if (begin == kNowhere)
        return std::nullopt;
    const std::string_view name = type.substr(0, begin);
    const bool isTensor = name.ends_with("::struct TileTensor") || name.ends_with("::struct LayoutTensor");
    const bool isPointer = name.ends_with("::struct Pointer") || name.ends_with("::struct UnsafePointer");
    const auto kinds = bracketed(type.substr(begin));
    const auto arguments = kinds ? bracketed(kinds->behind) : std::nullopt;
    if (!arguments || (!isTensor && !isPointer))
        return std::nullopt;
    const std::vector<std::string_view> values = itemsOf(arguments->inside);
    constexpr size_t kElement = 2, kLayout = 3;
    if (values.size() <= kLayout)
        return std::nullopt;
    MojoTensor tensor;
    tensor.element = lastWordBehind(values[kElement], "{:dtype ");
    if (isTensor)
        tensor.extents = extentsIn(values[kLayout]);
    tensor.isShared = std::ranges::any_of(values, [](std::string_view value) {
        return value.find("AddressSpace") != kNowhere && value.ends_with("= {3}}`");
    });
    return tensor;
}

std::vector<std::string> mojoParameterTypes(std::string_view function)
{
    const size_t begin = scan(function, [&](size_t at, int depth) { return depth == 1 && function[at] == '('; });
    const auto parameters = begin == kNowhere ? std::nullopt : bracketed(function.substr(begin));
    std::vector<std::string> types;
    for (const std::string_view type : itemsOf(parameters ? parameters->inside : std::string_view()))
        types.emplace_back(type);
    return types;
}

llvm::DIType* typeOfMojoTensor(llvm::DIBuilder& build, const MojoTensor& tensor)
{
    using namespace llvm::dwarf;
    struct Number {
        const char *mojo, *name;
        unsigned bits, encoding;
    };
    static constexpr Number kNumbers[] = {
        {"f64", "double", 64, DW_ATE_float},       {"f32", "float", 32, DW_ATE_float},
        {"f16", "half", 16, DW_ATE_float},         {"bf16", "bfloat16", 16, DW_ATE_float},
        {"si8", "int8", 8, DW_ATE_signed_char},    {"ui8", "uint8", 8, DW_ATE_unsigned_char},
        {"si16", "short", 16, DW_ATE_signed},      {"ui16", "uint16", 16, DW_ATE_unsigned},
        {"si32", "int", 32, DW_ATE_signed},        {"ui32", "uint32", 32, DW_ATE_unsigned},
        {"si64", "long long", 64, DW_ATE_signed},  {"ui64", "uint64", 64, DW_ATE_unsigned},
        {"index", "long long", 64, DW_ATE_signed}, {"uindex", "uint64", 64, DW_ATE_unsigned},
        {"bool", "bool", 8, DW_ATE_boolean}};
    const auto* number = std::ranges::find(kNumbers, tensor.element, &Number::mojo);
    if (number == std::end(kNumbers))
        return nullptr;
    llvm::DIType* type = build.createBasicType(number->name, number->bits, number->encoding);
    uint64_t bits = number->bits;
    std::vector<llvm::Metadata*> ranges;
    for (const uint64_t extent : tensor.extents) {
        constexpr uint64_t kMostBits = uint64_t{1} << 43;
        if (extent == 0 || extent > kMostBits / bits)
            return type;
        bits *= extent;
        ranges.push_back(build.getOrCreateSubrange(0, static_cast<int64_t>(extent)));
    }
    return ranges.empty() ? type : build.createArrayType(bits, 0, type, build.getOrCreateArray(ranges));
}

}  // namespace lanescope::simt
