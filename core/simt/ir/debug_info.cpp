// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/debug_info.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>

namespace lanescope::simt {
namespace {

using trace::ScalarKind;
using trace::ValueType;

const llvm::DIType* stripped(const llvm::DIType* type)
{
    using namespace llvm::dwarf;
    while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        unsigned tag = derived->getTag();
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_restrict_type)
            break;
        type = derived->getBaseType();
    }
    return type;
}

ScalarKind kindOf(const llvm::DIBasicType& type)
{
    using namespace llvm::dwarf;
    switch (type.getEncoding()) {
    case DW_ATE_boolean:
        return ScalarKind::Bool;
    case DW_ATE_float:
        return ScalarKind::Float;
    case DW_ATE_signed:
        return ScalarKind::Signed;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
        return type.getName() == "char"                   ? ScalarKind::Char
               : type.getEncoding() == DW_ATE_signed_char ? ScalarKind::Signed
                                                          : ScalarKind::Unsigned;
    default:
        return ScalarKind::Unsigned;
    }
}

/// float4 and friends: a struct whose members are all the same scalar.
ValueType uniformStruct(const llvm::DICompositeType& type)
{
    ValueType result;
    result.name = type.getName().str();
    result.bytes = static_cast<uint32_t>(type.getSizeInBits() / 8);
    uint32_t count = 0;
    ValueType first;
    for (const llvm::DINode* node : type.getElements()) {
        const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(node);
        if (!member || member->getTag() != llvm::dwarf::DW_TAG_member || member->isStaticMember())
            continue;
        ValueType each = valueTypeOf(member->getBaseType());
        if (count++ == 0)
            first = each;
        if (each.kind != first.kind || each.bytes != first.bytes || each.components != 1)
            return result;
    }
    if (count == 0 || count > 4 || first.kind == ScalarKind::Bytes || first.bytes * count != result.bytes)
        return result;
    // CUDA's headers keep 16 bits in them.
    if (result.name == "__half" || result.name == "__nv_bfloat16")
        first.kind = ScalarKind::Float;
    first.components = count;
    first.name = result.name;
    return first;
}

bool isArray(const llvm::DIType* type)
{
    return type && type->getTag() == llvm::dwarf::DW_TAG_array_type;
}

const llvm::DIType* arrayElement(const llvm::DIType* array)
{
    return llvm::cast<llvm::DICompositeType>(array)->getBaseType();
}

/// "[3][4]"
std::string extentsText(const llvm::DIType* array)
{
    std::string text;
    for (const uint64_t extent : shapeOf(array).dims)
        text += "[" + std::to_string(extent) + "]";
    return text;
}

}  // namespace

std::string typeName(const llvm::DIType* type)
{
    using namespace llvm::dwarf;
    if (!type)
        return "void";
    const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
    if (!derived)
        return isArray(type) ? typeName(arrayElement(type)) + extentsText(type) : type->getName().str();
    switch (derived->getTag()) {
    case DW_TAG_pointer_type:
        if (const llvm::DIType* pointee = derived->getBaseType(); isArray(pointee))
            return typeName(arrayElement(pointee)) + " (*)" + extentsText(pointee);
        return typeName(derived->getBaseType()) + "*";
    case DW_TAG_reference_type:
        return typeName(derived->getBaseType()) + "&";
    case DW_TAG_const_type: {
        std::string base = typeName(derived->getBaseType());
        return base.ends_with('*') ? base + " const" : "const " + base;
    }
    case DW_TAG_volatile_type:
        return "volatile " + typeName(derived->getBaseType());
    case DW_TAG_restrict_type:
        return typeName(derived->getBaseType());
    default:
        return type->getName().str();
    }
}

ValueType valueTypeOf(const llvm::DIType* type)
{
    std::string name = typeName(type);
    type = stripped(type);
    if (!type)
        return {ScalarKind::Bytes, 1, 1, name};
    auto bytes = static_cast<uint32_t>(type->getSizeInBits() / 8);
    if (const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(type))
        return {kindOf(*basic), bytes, 1, name};
    if (llvm::isa<llvm::DIDerivedType>(type))
        return {ScalarKind::Pointer, bytes ? bytes : 8, 1, name};
    if (const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(type)) {
        if (composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type)
            return {ScalarKind::Signed, bytes, 1, name};
        if (composite->getTag() == llvm::dwarf::DW_TAG_structure_type ||
            composite->getTag() == llvm::dwarf::DW_TAG_class_type) {
            ValueType value = uniformStruct(*composite);
            if (value.name.empty())  // typedef struct { … } Name;
                value.name = name;
            return value;
        }
    }
    return {ScalarKind::Bytes, bytes ? bytes : 1, 1, name};
}

DeclaredShape shapeOf(const llvm::DIType* type)
{
    DeclaredShape shape;
    const auto* array = llvm::dyn_cast_or_null<llvm::DICompositeType>(stripped(type));
    if (!isArray(array)) {
        shape.element = valueTypeOf(type);
        return shape;
    }
    for (const llvm::DINode* node : array->getElements()) {
        const auto* range = llvm::dyn_cast<llvm::DISubrange>(node);
        int64_t count = 0;
        if (range)
            if (auto* constant = llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount()))
                count = constant->getSExtValue();
        shape.dims.push_back(count > 0 ? static_cast<uint64_t>(count) : 0);
    }
    shape.element = valueTypeOf(array->getBaseType());
    return shape;
}

namespace {

/// Those of one element, and its type.
const llvm::DIType* elementOf(const llvm::DIType* type)
{
    const auto* array = llvm::dyn_cast_or_null<llvm::DICompositeType>(stripped(type));
    return array && array->getTag() == llvm::dwarf::DW_TAG_array_type ? stripped(array->getBaseType()) : stripped(type);
}

std::vector<const llvm::DIDerivedType*> membersOf(const llvm::DIType* type)
{
    std::vector<const llvm::DIDerivedType*> members;
    if (const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type))
        for (const llvm::DINode* node : composite->getElements())
            if (const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(node);
                member && member->getTag() == llvm::dwarf::DW_TAG_member && !member->isStaticMember())
                members.push_back(member);
    return members;
}

struct Leaf {
    uint64_t offset;
    std::string name;
    const llvm::DIType* type;
};

/// What a value is made of that has no parts itself.
void addParts(const llvm::DIType* type, uint64_t offset, const std::string& name, std::vector<Leaf>& parts)
{
    constexpr size_t kMostParts = 256;
    constexpr uint64_t kMostElements = 32;
    if (parts.size() >= kMostParts)
        return;
    const DeclaredShape shape = shapeOf(type);
    uint64_t count = 1;
    for (const uint64_t extent : shape.dims)
        count *= extent;
    if (!shape.dims.empty() && count <= kMostElements) {
        for (uint64_t i = 0; i < count; ++i) {
            std::string subscripts;
            for (uint64_t rest = i, d = shape.dims.size(); d-- > 0; rest /= shape.dims[d])
                subscripts.insert(0, "[" + std::to_string(rest % shape.dims[d]) + "]");
            addParts(elementOf(type), offset + i * shape.element.totalBytes(), name + subscripts, parts);
        }
        return;
    }
    const std::vector<const llvm::DIDerivedType*> members = membersOf(stripped(type));
    for (const llvm::DIDerivedType* member : members) {
        std::string whole = name;
        if (members.size() > 1 && !name.empty())
            whole += '.';
        if (members.size() > 1 || name.empty())
            whole += member->getName().str();
        addParts(member->getBaseType(), offset + member->getOffsetInBits() / 8, whole, parts);
    }
    if (members.empty() && !name.empty())
        parts.push_back({offset, name, stripped(type)});
}

}  // namespace

std::vector<ObjectPart> partsOf(const llvm::DIType* type)
{
    std::vector<Leaf> leaves;
    const llvm::DIType* const element = elementOf(type);
    if (membersOf(element).size() > 1)
        addParts(element, 0, "", leaves);
    std::vector<ObjectPart> parts;
    for (Leaf& leaf : leaves)
        parts.push_back({leaf.offset, std::move(leaf.name)});
    return parts;
}

namespace {

/// False: it cannot be divided so.
bool addRegions(const llvm::DIType* type, uint64_t offset, const std::string& name, std::vector<MemoryRegion>& regions)
{
    constexpr size_t kMostRegions = 32;
    uint64_t last = offset;
    for (const llvm::DIDerivedType* member : membersOf(stripped(type))) {
        const uint64_t at = offset + member->getOffsetInBits() / 8;
        const llvm::DIType* const own = stripped(member->getBaseType());
        if (member->isBitField() || at < last || regions.size() >= kMostRegions)
            return false;
        last = at + own->getSizeInBits() / 8;
        const std::string whole = fmt::format("{}.{}", name, member->getName().str());
        const bool isStruct = !isArray(own) && membersOf(own).size() > 1 &&
                              valueTypeOf(own).kind == ScalarKind::Bytes &&
                              own->getTag() != llvm::dwarf::DW_TAG_union_type;
        if (isStruct && !addRegions(own, at, whole, regions))
            return false;
        if (isStruct || own->getSizeInBits() == 0)
            continue;
        DeclaredShape shape = shapeOf(own);
        if (shape.dims.empty())
            shape.dims = {1};
        regions.push_back({at, own->getSizeInBits() / 8, whole, std::move(shape.element), std::move(shape.dims), {}});
    }
    return true;
}

}  // namespace

std::vector<MemoryRegion> regionsOf(const llvm::DIType* type, const std::string& name)
{
    std::vector<MemoryRegion> regions;
    const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(stripped(type));
    const bool isStruct = composite && (composite->getTag() == llvm::dwarf::DW_TAG_structure_type ||
                                        composite->getTag() == llvm::dwarf::DW_TAG_class_type);
    if (!isStruct || valueTypeOf(composite).kind != ScalarKind::Bytes || !addRegions(composite, 0, name, regions))
        return {};
    return regions;
}

const llvm::DIType* pointeeOf(const llvm::DIType* type)
{
    using namespace llvm::dwarf;
    const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(stripped(type));
    return derived && (derived->getTag() == DW_TAG_pointer_type || derived->getTag() == DW_TAG_reference_type)
               ? derived->getBaseType()
               : nullptr;
}

std::vector<PointerPart> pointersIn(const llvm::DIType* type, const std::string& name)
{
    std::vector<Leaf> leaves;
    addParts(type, 0, name, leaves);
    std::vector<PointerPart> pointers;
    for (Leaf& leaf : leaves)
        if (leaf.type && leaf.type->getTag() == llvm::dwarf::DW_TAG_pointer_type)
            pointers.push_back({leaf.offset, std::move(leaf.name), typeName(leaf.type),
                                llvm::cast<llvm::DIDerivedType>(leaf.type)->getBaseType()});
    return pointers;
}

DeclaredShape shapeOf(const llvm::Type* type, const llvm::DataLayout& layout)
{
    DeclaredShape shape;
    while (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        shape.dims.push_back(array->getNumElements());
        type = array->getElementType();
    }
    auto bytes = static_cast<uint32_t>(layout.getTypeStoreSize(const_cast<llvm::Type*>(type)));
    if (type->isFloatTy() || type->isDoubleTy())
        shape.element = {ScalarKind::Float, bytes, 1, type->isFloatTy() ? "float" : "double"};
    else if (type->isIntegerTy())
        shape.element = {ScalarKind::Signed, bytes, 1, "int" + std::to_string(bytes * 8)};
    else
        shape.element = {ScalarKind::Bytes, bytes ? bytes : 1, 1, "bytes"};
    return shape;
}

std::string pathOf(const llvm::DIFile* file)
{
    namespace fs = std::filesystem;
    if (!file || file->getFilename().empty())
        return {};
    // The compiler splits a path at the part it shares with the folder it ran in, whatever that is.
    const fs::path whole = (fs::path(file->getDirectory().str()) / file->getFilename().str()).lexically_normal();
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const fs::path inside = error ? fs::path() : whole.lexically_relative(here);
    return inside.empty() || *inside.begin() == ".." ? whole.string() : inside.string();
}

SourceId SourceTable::idOf(const llvm::DIFile* file)
{
    const auto same = m_byFile.find(file);
    if (same != m_byFile.end())
        return same->second;
    const SourceId id = idOf(pathOf(file), file);
    m_byFile[file] = id;
    return id;
}

SourceId SourceTable::idOf(const std::string& name, const llvm::DIFile* file)
{
    auto known = m_ids.find(name);
    if (known != m_ids.end())
        return known->second;
    std::stringstream text;
    std::ifstream stream(name);
    if (stream)
        text << stream.rdbuf();
    else if (auto source = file ? file->getSource() : std::nullopt)
        text << source->str();
    SourceId id{static_cast<uint32_t>(m_files.size())};
    m_files.push_back({name, text.str()});
    std::vector<size_t> starts{0};
    const std::string& content = m_files.back().text;
    for (size_t i = 0; i < content.size(); ++i)
        if (content[i] == '\n')
            starts.push_back(i + 1);
    m_lineStarts.push_back(std::move(starts));
    m_ids.emplace(name, id);
    return id;
}

trace::SourceLocation SourceTable::locationOf(const llvm::DILocation* location)
{
    if (!location)
        return {};
    return {idOf(location->getFile()), location->getLine(), location->getColumn()};
}

namespace {

bool isName(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':';
}

/// End of the bracket that opens at \p at, or npos.
size_t closingBracket(const std::string& text, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < text.size() && text[i] != ';'; ++i) {
        if (text[i] == '[' || text[i] == '(')
            ++depth;
        if ((text[i] == ']' || text[i] == ')') && --depth == 0)
            return i;
    }
    return std::string::npos;
}

size_t skipSpace(const std::string& text, size_t at)
{
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
    return at;
}

/// End of name { [..] | (..) | .name | ->name } from \p at.
size_t endOfPostfix(const std::string& text, size_t at)
{
    while (at < text.size() && (text[at] == '*' || text[at] == '&' || text[at] == '('))
        at = text[at] == '(' ? closingBracket(text, at) + 1 : at + 1;
    while (at < text.size() && isName(text[at]))
        ++at;
    for (;;) {
        size_t next = skipSpace(text, at);
        if (next >= text.size())
            return at;
        if (text[next] == '[' || text[next] == '(') {
            size_t close = closingBracket(text, next);
            if (close == std::string::npos)
                return at;
            at = close + 1;
        } else if (text[next] == '.' || text.compare(next, 2, "->") == 0) {
            at = skipSpace(text, next + (text[next] == '.' ? 1 : 2));
            while (at < text.size() && isName(text[at]))
                ++at;
        } else {
            return at;
        }
    }
}

std::string onOneLine(std::string text)
{
    std::string result;
    for (char c : text) {
        bool space = std::isspace(static_cast<unsigned char>(c));
        if (!space)
            result += c;
        else if (!result.empty() && result.back() != ' ')
            result += ' ';
    }
    return result;
}

}  // namespace

std::string SourceTable::expressionAt(const trace::SourceLocation& where) const
{
    if (where.line == 0 || where.column == 0 || where.source.value >= m_files.size())
        return {};
    const auto& starts = m_lineStarts[where.source.value];
    const std::string& text = m_files[where.source.value].text;
    if (where.line > starts.size())
        return {};
    size_t begin = starts[where.line - 1] + where.column - 1;
    if (begin >= text.size() || !(isName(text[begin]) || text[begin] == '*' || text[begin] == '('))
        return {};
    size_t end = endOfPostfix(text, begin);
    constexpr size_t kLongest = 200;
    return end > begin && end - begin < kLongest ? onOneLine(text.substr(begin, end - begin)) : std::string();
}

}  // namespace lanescope::simt
