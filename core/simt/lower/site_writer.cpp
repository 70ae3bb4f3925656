// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/site_writer.h"

#include "core/simt/ir/prepared_module.h"
#include "core/simt/ptx/instruction_names.h"

namespace lanescope::simt {

/// Where \p instr is for who steps: what was inlined of a library is at the program's own line.
const llvm::DILocation* SiteWriter::placeOf(const llvm::Instruction& instr) const
{
    const llvm::MDNode* const own = m_builder.options().record ? instr.getMetadata(kOwnPlace) : nullptr;
    return own ? llvm::cast<llvm::DILocation>(own) : instr.getDebugLoc().get();
}

void SiteWriter::addCall(const llvm::DISubprogram& callee, const llvm::DILocation& place)
{
    trace::Site call;
    call.kind = trace::SiteKind::Call;
    call.where = m_builder.sources().locationOf(&place);
    if (!m_calls.emplace(&callee, call.where.source.value, call.where.line, call.where.column).second)
        return;
    call.expression = callee.getName().str();
    call.function = place.getScope()->getSubprogram()->getName().str();
    m_builder.addSite(std::move(call));
}

/// From the innermost outwards.
void SiteWriter::addInlinedCalls(const llvm::DILocation* place)
{
    for (; place && place->getInlinedAt(); place = place->getInlinedAt())
        addCall(*place->getScope()->getSubprogram(), *place->getInlinedAt());
}

void SiteWriter::addCall(const llvm::Instruction& instr, const llvm::Function& callee)
{
    const llvm::DILocation* const place = placeOf(instr);
    if (!m_builder.options().record || !place || place->getLine() == 0 || !callee.getSubprogram())
        return;
    addInlinedCalls(place);
    addCall(*callee.getSubprogram(), *place);
}

SiteId SiteWriter::add(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression,
                       trace::ValueType type)
{
    trace::Site entry;
    entry.kind = kind;
    const llvm::DILocation* const place = placeOf(instr);
    if (m_builder.options().record)
        addInlinedCalls(place);
    entry.where = m_builder.sources().locationOf(place);
    const llvm::DISubprogram* const subprogram =
        place ? place->getScope()->getSubprogram() : m_function.getSubprogram();
    if (subprogram && entry.where.line == 0)
        entry.where = {m_builder.sources().idOf(subprogram->getFile()), subprogram->getLine(), 0};
    entry.expression = std::move(expression);
    if (subprogram)
        entry.function = subprogram->getName().str();
    entry.type = std::move(type);
    if (const llvm::MDNode* name = instr.getMetadata(kInstructionName))
        entry.instruction = llvm::cast<llvm::MDString>(name->getOperand(0))->getString().str();
    return m_builder.addSite(std::move(entry));
}

std::pair<trace::SourceLocation, std::string> SiteWriter::whereIs(const llvm::Instruction& instr) const
{
    const llvm::DILocation* const place = placeOf(instr);
    if (!place)
        return {};
    return {m_builder.sources().locationOf(place), place->getScope()->getSubprogram()->getName().str()};
}

void SiteWriter::placeLastIn(const llvm::DILocation& scope)
{
    const llvm::DISubprogram& function = *scope.getScope()->getSubprogram();
    last().function = function.getName().str();
    last().where = {m_builder.sources().idOf(function.getFile()), function.getLine(), 0};
}

uint32_t SiteWriter::addStatic(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression)
{
    add(kind, instr, std::move(expression));
    return lastIndex();
}

uint32_t SiteWriter::lastIndex() const
{
    return static_cast<uint32_t>(m_builder.program().sites.size() - 1);
}

void SiteWriter::notePlace(const llvm::Instruction& instr, SiteId site)
{
    const CodeNumbers* numbers = m_builder.options().numbers;
    if (!numbers)
        return;
    const uint32_t number = numbers->of(instr);
    std::vector<device::SitePlace>& places = m_builder.program().places;
    uint32_t piece = 0;
    if (!places.empty() && places.back().place.value >> device::PlaceNumber::kPieceBits == number)
        piece = (places.back().place.value & ((1u << device::PlaceNumber::kPieceBits) - 1)) + 1;
    if (piece >> device::PlaceNumber::kPieceBits)
        throw Unsupported{"so many structs passed by value in one call: '" + describe(instr) + "'", &instr};
    places.push_back({device::PlaceNumber::of(number, piece), site});
}

}  // namespace lanescope::simt
