// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_lines.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>

namespace lanescope::simt {
namespace {

/// A function's name without parameters and the type of its result, and without the tags that a compiler gives it
/// (Numba's are long).
std::string plainName(const std::string& mangled)
{
    llvm::ItaniumPartialDemangler parts;
    const bool isKnown = !parts.partialDemangle(mangled.c_str()) && parts.isFunction();
    const std::unique_ptr<char, decltype(&std::free)> name(isKnown ? parts.getFunctionName(nullptr, nullptr) : nullptr,
                                                           &std::free);
    std::string whole = name ? name.get() : mangled;
    for (size_t tag = whole.find("[abi:"); tag != std::string::npos; tag = whole.find("[abi:", tag))
        whole.erase(tag, whole.find(']', tag) - tag + 1);
    return whole;
}

/// Where a function's code begins in the source; null: nowhere that is known.
const PtxPlace* firstPlace(const PtxText& body)
{
    const auto found = std::ranges::find_if(body.places, [](const PtxPlace& place) { return place.line != 0; });
    return found == body.places.end() ? nullptr : &*found;
}

}  // namespace

PtxLines::PtxLines(const PtxModule& source, std::string_view text, const std::string& name, llvm::Module& module)
    : m_source(source), m_module(module), m_debugInfo(source), m_build(module)
{
    m_text = m_build.createFile(name, "", std::nullopt, llvm::StringRef(text.data(), text.size()));
    const PtxPlace* first = nullptr;
    for (const PtxFunction& function : source.functions)
        if (!first && function.isEntry)
            first = firstPlace(function.body);
    llvm::DIFile* main = first ? fileOf(first->function.empty() ? first->file : first->callerFile) : m_text;
    m_unit = m_build.createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, main, m_debugInfo.producer(), false, "", 0);
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    for (const auto& [section, content] : source.sections)
        for (const auto& [label, offset] : content.labels)
            m_labels.emplace(label, std::pair{&content, offset});
}

llvm::DIFile* PtxLines::fileAt(const std::string& path)
{
    llvm::DIFile*& file = m_files[path];
    if (!file) {
        const std::filesystem::path whole(path);
        file = m_build.createFile(whole.filename().string(), whole.parent_path().string());
    }
    return file;
}

llvm::DIFile* PtxLines::fileOf(uint32_t number)
{
    const auto found = m_source.files.find(number);
    return found == m_source.files.end() || found->second.empty() ? m_text : fileAt(found->second);
}

llvm::DISubprogram* PtxLines::subprogram(const std::string& name, const std::string& linkageName, llvm::DIFile* file,
                                         uint32_t line)
{
    auto* type = m_build.createSubroutineType(m_build.getOrCreateTypeArray({}));
    return m_build.createFunction(file, name, linkageName, file, line, type, line, llvm::DINode::FlagZero,
                                  llvm::DISubprogram::SPFlagDefinition);
}

void PtxLines::begin(llvm::Function& function, const PtxFunction& source)
{
    m_function = &source;
    const PtxPlace* first = firstPlace(source.body);
    const bool isInlined = first && !first->function.empty();
    llvm::DIFile* file = !first ? m_text : fileOf(isInlined ? first->callerFile : first->file);
    const uint32_t line = !first ? source.line : isInlined ? first->callerLine : first->line;
    m_known = m_debugInfo.find(source.name);
    if (m_known && m_known->line != 0)
        m_subprogram = subprogram(m_known->name, source.name, fileOf(m_known->file), m_known->line);
    else
        m_subprogram = subprogram(plainName(source.name), source.name, file, line);
    function.setSubprogram(m_subprogram);
    readPlaces();
}

llvm::DebugLoc PtxLines::placeInFunction(const PtxStatement& statement)
{
    const llvm::DILocation* at = locationOf(statement);
    while (at && at->getInlinedAt())
        at = at->getInlinedAt();
    return llvm::DILocation::get(m_module.getContext(), at ? at->getLine() : m_subprogram->getLine(), 0, m_subprogram);
}

std::string blockWordOf(const llvm::Function& function)
{
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    const llvm::DICompileUnit* unit = subprogram ? subprogram->getUnit() : nullptr;
    return unit && unit->getProducer() == "triton" ? "program" : "block";
}

llvm::DIScope* PtxLines::scopeIn(llvm::DISubprogram* subprogram, llvm::DIFile* file)
{
    return subprogram->getFile() == file ? static_cast<llvm::DIScope*>(subprogram)
                                         : m_build.createLexicalBlockFile(subprogram, file);
}

/// The text that a label of a section stands before.
std::string PtxLines::textAt(const std::string& label, int64_t offset) const
{
    const auto found = m_labels.find(label);
    if (found == m_labels.end())
        return {};
    const std::string& bytes = found->second.first->bytes;
    const uint64_t begin = found->second.second + static_cast<uint64_t>(offset);
    return begin < bytes.size() ? std::string(bytes.c_str() + begin) : std::string();
}

llvm::DISubprogram* PtxLines::inlined(const std::string& name, const std::string& linkageName, llvm::DIFile* file,
                                      uint32_t line)
{
    llvm::DISubprogram*& known = m_inlined[{linkageName.empty() ? name : linkageName, file}];
    if (!known)
        known = subprogram(name, linkageName, file, line);
    return known;
}

/// A place of line 0 is where the compiler had none to tell: what came before goes on.
void PtxLines::readPlaces()
{
    m_latest.clear();
    m_locations.clear();
    for (const PtxPlace& place : m_function->body.places) {
        llvm::DILocation* before = m_locations.empty() ? nullptr : m_locations.back();
        m_locations.push_back(place.line == 0 && before ? before : locationOf(place));
        m_latest[{place.file, place.line, place.column}] = m_locations.back();
    }
}

llvm::DILocation* PtxLines::locationOf(const PtxPlace& place)
{
    llvm::LLVMContext& context = m_module.getContext();
    const uint32_t line = place.line ? place.line : m_subprogram->getLine();
    if (place.function.empty())
        return llvm::DILocation::get(context, line, place.column, scopeIn(m_subprogram, fileOf(place.file)));
    const auto caller = m_latest.find({place.callerFile, place.callerLine, place.callerColumn});
    llvm::DILocation* at = caller != m_latest.end()
                               ? caller->second
                               : llvm::DILocation::get(context, place.callerLine, place.callerColumn,
                                                       scopeIn(m_subprogram, fileOf(place.callerFile)));
    const std::string name = textAt(place.function, place.functionOffset);
    llvm::DISubprogram* callee = inlined(plainName(name), name, fileOf(place.file), place.line);
    return llvm::DILocation::get(context, line, place.column, scopeIn(callee, fileOf(place.file)), at);
}

llvm::DebugLoc PtxLines::locationOf(const PtxStatement& statement)
{
    if (m_locations.empty())
        return llvm::DILocation::get(m_module.getContext(), statement.line, 1, m_subprogram);
    const auto index = static_cast<size_t>(std::max(statement.place, 0));
    const PtxPlace& place = m_function->body.places[index];
    const std::vector<const PtxInlinedCall*> calls = callsAround(statement);
    return calls.empty() || !place.function.empty() || place.line == 0 ? m_locations[index] : locationIn(place, calls);
}

/// The outermost first.
std::vector<const PtxInlinedCall*> PtxLines::callsAround(const PtxStatement& statement) const
{
    const std::vector<PtxStatement>& all = m_function->body.statements;
    std::vector<const PtxInlinedCall*> calls;
    if (!m_known || m_known->calls.empty() || all.empty() || &statement < all.data() || &statement > &all.back())
        return calls;
    const auto index = static_cast<uint64_t>(&statement - all.data());
    for (const PtxInlinedCall& call : m_known->calls)
        if (index >= call.first && index < call.last)
            calls.push_back(&call);
    return calls;
}

llvm::DILocation* PtxLines::locationIn(const PtxPlace& place, const std::vector<const PtxInlinedCall*>& calls)
{
    llvm::LLVMContext& context = m_module.getContext();
    llvm::DISubprogram* around = m_subprogram;
    llvm::DILocation* at = nullptr;
    for (const PtxInlinedCall* call : calls) {
        at = llvm::DILocation::get(context, call->callLine, call->callColumn, scopeIn(around, fileOf(call->callFile)),
                                   at);
        around = inlined(call->function, call->linkageName, fileOf(call->file), call->line);
    }
    return llvm::DILocation::get(context, place.line, place.column, scopeIn(around, fileOf(place.file)), at);
}

}  // namespace lanescope::simt
