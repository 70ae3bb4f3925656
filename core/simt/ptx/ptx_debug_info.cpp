// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_debug_info.h"

#include <cstring>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/LEB128.h>
#include <llvm/Support/MemoryBuffer.h>

#include "core/simt/ptx/ptx_types.h"

namespace lanescope::simt {
namespace {

using llvm::DWARFDie;

// Code has no addresses: functions get ranges of their own here, with an address for each statement.
constexpr uint64_t kFirstFunction = 0x10000;
constexpr uint64_t kFirstVariable = uint64_t{1} << 40;
constexpr int kDeepest = 64;  ///< scopes in scopes

uint32_t number(const DWARFDie& die, llvm::dwarf::Attribute attribute)
{
    return static_cast<uint32_t>(llvm::dwarf::toUnsigned(die.find(attribute), 0));
}

std::string text(const DWARFDie& die, llvm::dwarf::Attribute attribute)
{
    return llvm::dwarf::toString(die.find(attribute), "");
}

/// What a DIE of an inlined function's variable or call is of.
DWARFDie originOf(const DWARFDie& die)
{
    const DWARFDie origin = die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_abstract_origin);
    return origin.isValid() && !origin.isNULL() ? origin : die;
}

/// Compilers for PTX write a register's name into its number, the first letter on top.
std::string registerName(uint64_t number)
{
    std::string name;
    for (; number != 0; number >>= 8)
        name.insert(name.begin(), static_cast<char>(number & 0xff));
    return name;
}

}  // namespace

PtxDebugInfo::PtxDebugInfo(const PtxModule& module)
{
    if (!module.sections.contains(".debug_info"))
        return;
    placeNames(module);
    assemble(module);
    for (const auto& unit : m_context->compile_units()) {
        m_producer = text(unit->getUnitDIE(false), llvm::dwarf::DW_AT_producer);
        for (const DWARFDie& die : childrenOf(unit->getUnitDIE(false)))
            if (die.getTag() == llvm::dwarf::DW_TAG_subprogram && !die.find(llvm::dwarf::DW_AT_inline)) {
                const DWARFDie origin = originOf(die);
                const std::string linkage = text(origin, llvm::dwarf::DW_AT_MIPS_linkage_name);
                const std::string other = text(origin, llvm::dwarf::DW_AT_linkage_name);
                readFunction(die, !linkage.empty() ? linkage
                                  : !other.empty() ? other
                                                   : text(origin, llvm::dwarf::DW_AT_name));
            }
    }
}

const PtxSourceFunction* PtxDebugInfo::find(const std::string& name) const
{
    const auto found = m_functions.find(name);
    return found == m_functions.end() ? nullptr : &found->second;
}

void PtxDebugInfo::placeNames(const PtxModule& module)
{
    uint64_t next = kFirstFunction, variable = kFirstVariable;
    const auto place = [&](const PtxVariable& each) {
        m_addresses.emplace(each.name, variable);
        m_namesByAddress.emplace(variable, each.name);
        variable += uint64_t{1} << 24;
    };
    for (const PtxVariable& each : module.variables)
        place(each);
    for (const PtxFunction& function : module.functions) {
        if (function.hasBody)
            m_begins.emplace(function.name, next);
        m_addresses.emplace(function.name, next);
        for (const PtxVariable& each : function.parameters)
            place(each);
        for (const PtxVariable& each : function.body.variables)
            place(each);
        const std::vector<PtxStatement>& statements = function.body.statements;
        for (size_t i = 0; i < statements.size(); ++i)
            if (!statements[i].label.empty())
                m_addresses.emplace(statements[i].label, next + i);
        next += statements.size() + 1;
    }
}

void PtxDebugInfo::assemble(const PtxModule& module)
{
    for (const auto& [name, section] : module.sections) {
        m_addresses.emplace(name, 0);
        for (const auto& [label, offset] : section.labels)
            m_addresses.emplace(label, offset);
    }
    for (const auto& [name, section] : module.sections) {
        std::string bytes = section.bytes;
        const auto addressOf = [&](const std::string& of) {
            const auto found = m_addresses.find(of);
            return found == m_addresses.end() ? uint64_t{0} : found->second;
        };
        for (const PtxSection::Reference& each : section.references) {
            uint64_t value = addressOf(each.name) + static_cast<uint64_t>(each.addend);
            value -= each.less.empty() ? 0 : addressOf(each.less);
            std::memcpy(&bytes[each.offset], &value, std::min<size_t>(each.bytes, sizeof value));
        }
        m_buffers[llvm::StringRef(name).ltrim('.')] = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
    }
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    m_context = llvm::DWARFContext::create(m_buffers, 8, true, ignore, ignore);
}

void PtxDebugInfo::readFunction(const DWARFDie& die, const std::string& name)
{
    const auto begin = m_begins.find(name);
    if (begin == m_begins.end() || m_functions.contains(name))
        return;
    m_begin = begin->second;
    PtxSourceFunction& function = m_functions[name];
    const DWARFDie origin = originOf(die);
    function.name = text(origin, llvm::dwarf::DW_AT_name);
    function.file = number(origin, llvm::dwarf::DW_AT_decl_file);
    function.line = number(origin, llvm::dwarf::DW_AT_decl_line);
    for (const DWARFDie& child : childrenOf(die))
        if (child.getTag() == llvm::dwarf::DW_TAG_LLVM_annotation &&
            text(child, llvm::dwarf::DW_AT_name) == "mojo_source_name")
            function.signature = text(child, llvm::dwarf::DW_AT_const_value);
    readScope(die, function, 0, false);
}

void PtxDebugInfo::readScope(const DWARFDie& scope, PtxSourceFunction& function, int depth, bool isInlined)
{
    using namespace llvm::dwarf;
    if (depth > kDeepest)
        return;
    for (const DWARFDie& die : childrenOf(scope)) {
        if (!isInlined && (die.getTag() == DW_TAG_formal_parameter || die.getTag() == DW_TAG_variable))
            readVariable(die, function);
        if (die.getTag() == DW_TAG_inlined_subroutine)
            readCall(die, function);
        if (die.getTag() == DW_TAG_inlined_subroutine || die.getTag() == DW_TAG_lexical_block)
            readScope(die, function, depth + 1, isInlined || die.getTag() == DW_TAG_inlined_subroutine);
    }
}

void PtxDebugInfo::readVariable(const DWARFDie& die, PtxSourceFunction& function)
{
    using namespace llvm::dwarf;
    const DWARFDie origin = originOf(die);
    PtxSourceVariable variable;
    variable.name = text(origin, DW_AT_name);
    variable.type = origin.getAttributeValueAsReferencedDie(DW_AT_type);
    variable.file = number(origin, DW_AT_decl_file);
    variable.line = number(origin, DW_AT_decl_line);
    variable.isParameter = die.getTag() == DW_TAG_formal_parameter;
    if (const auto where = die.find(DW_AT_location)) {
        if (const auto expression = where->getAsBlock())
            variable.places.push_back({0, UINT64_MAX, nameOf(*expression)});
        else if (const auto offset = where->getAsSectionOffset())
            readPlaces(*offset, variable);
    }
    if (!variable.name.empty())
        function.variables.push_back(std::move(variable));
}

/// A list of .debug_loc: from, to, and an expression, until both are zero. Compilers for PTX write addresses as they
/// are, or a base before them.
void PtxDebugInfo::readPlaces(uint64_t offset, PtxSourceVariable& variable) const
{
    const auto section = m_buffers.find("debug_loc");
    if (section == m_buffers.end())
        return;
    llvm::DataExtractor data(section->second->getBuffer(), true, 8);
    llvm::DataExtractor::Cursor at(offset);
    for (uint64_t base = 0; at;) {
        const uint64_t first = data.getU64(at), last = data.getU64(at);
        if (!at || (first == 0 && last == 0))
            break;
        if (first == UINT64_MAX) {
            base = last;
            continue;
        }
        const llvm::StringRef bytes = data.getBytes(at, data.getU16(at));
        variable.places.push_back(
            {first + base - m_begin, last + base - m_begin, nameOf({bytes.bytes_begin(), bytes.bytes_end()})});
    }
    llvm::consumeError(at.takeError());
}

/// The register, or the module's variable, that an expression is; empty: it is something else.
std::string PtxDebugInfo::nameOf(llvm::ArrayRef<uint8_t> expression) const
{
    if (expression.empty())
        return {};
    const uint8_t* begin = expression.data() + 1;
    const uint8_t* end = expression.data() + expression.size();
    if (expression[0] == llvm::dwarf::DW_OP_regx) {
        unsigned length = 0;
        const char* problem = nullptr;
        const uint64_t number = llvm::decodeULEB128(begin, &length, end, &problem);
        return !problem && begin + length == end ? registerName(number) : std::string();
    }
    uint64_t address = 0;
    if (expression[0] != llvm::dwarf::DW_OP_addr || expression.size() != 1 + sizeof address)
        return {};
    std::memcpy(&address, begin, sizeof address);
    const auto found = m_namesByAddress.find(address);
    return found == m_namesByAddress.end() ? std::string() : found->second;
}

void PtxDebugInfo::readCall(const DWARFDie& die, PtxSourceFunction& function)
{
    using namespace llvm::dwarf;
    auto ranges = die.getAddressRanges();
    if (!ranges) {
        llvm::consumeError(ranges.takeError());
        return;
    }
    const DWARFDie origin = originOf(die);
    for (const llvm::DWARFAddressRange& range : *ranges)
        function.calls.push_back({range.LowPC - m_begin, range.HighPC - m_begin, text(origin, DW_AT_name),
                                  text(origin, DW_AT_MIPS_linkage_name), number(origin, DW_AT_decl_file),
                                  number(origin, DW_AT_decl_line), number(die, DW_AT_call_file),
                                  number(die, DW_AT_call_line), number(die, DW_AT_call_column)});
}

}  // namespace lanescope::simt
