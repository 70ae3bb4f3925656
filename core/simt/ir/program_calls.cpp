// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/program_calls.h"

#include <algorithm>
#include <filesystem>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ir/prepared_module.h"

namespace lanescope::simt {
namespace {

namespace fs = std::filesystem;

bool isBelow(const fs::path& file, const fs::path& folder)
{
    const fs::path inside = file.lexically_relative(folder);
    return !inside.empty() && *inside.begin() != "..";
}

}  // namespace

bool ProgramCalls::isOwn(SourceId source) const
{
    // Sources in the working folder have relative paths.
    const fs::path path = m_sources.files()[source.value].path;
    const llvm::DISubprogram* const kernel = m_kernel.getSubprogram();
    if (path.is_relative() || !kernel || !kernel->getUnit())
        return true;
    const llvm::DIFile* const main = kernel->getUnit()->getFile();
    const fs::path mainPath = fs::path(main->getDirectory().str()) / main->getFilename().str();
    return isBelow(path, mainPath.lexically_normal().parent_path());
}

bool ProgramCalls::addInlined(const llvm::DILocation* location)
{
    for (; location; location = location->getInlinedAt())
        if (const trace::SourceLocation where = m_sources.locationOf(location); isOwn(where.source)) {
            m_found.emplace(where.source.value, where.line, where.column);
            return true;
        }
    return false;
}

void ProgramCalls::findFunctions()
{
    if (!m_functions.empty())
        return;
    std::set<const llvm::Function*> known{&m_kernel};
    m_functions.push_back(&m_kernel);
    for (size_t i = 0; i < m_functions.size(); ++i)
        for (const llvm::Instruction& instr : llvm::instructions(m_functions[i]))
            if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instr))
                if (const llvm::Function* callee = call->getCalledFunction();
                    callee && !callee->isDeclaration() && known.insert(callee).second)
                    m_functions.push_back(callee);
}

void ProgramCalls::addCallers(const llvm::Function& callee)
{
    if (!m_visited.insert(&callee).second)
        return;
    for (const llvm::User* user : callee.users()) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (!call || call->getCalledFunction() != &callee ||
            std::ranges::find(m_functions, call->getFunction()) == m_functions.end())
            continue;
        if (!addInlined(call->getDebugLoc().get()))
            addCallers(*call->getFunction());
    }
}

std::optional<trace::SourceLocation> ProgramCalls::libraryPlaceOf(const trace::SourceLocation& own)
{
    std::set<Place> places;
    findFunctions();
    for (const llvm::Function* function : m_functions)
        for (const llvm::Instruction& instr : llvm::instructions(function)) {
            const auto* const told = llvm::dyn_cast_or_null<llvm::DILocation>(instr.getMetadata(kOwnPlace));
            if (!told || told->getLine() != own.line || told->getColumn() != own.column ||
                m_sources.locationOf(told).source != own.source)
                continue;
            const trace::SourceLocation where = m_sources.locationOf(instr.getDebugLoc().get());
            places.emplace(where.source.value, where.line, where.column);
        }
    if (places.size() != 1)
        return std::nullopt;
    const auto [source, line, column] = *places.begin();
    return trace::SourceLocation{SourceId{source}, line, column};
}

std::vector<trace::SourceLocation> ProgramCalls::leadingTo(const trace::SourceLocation& where)
{
    if (isOwn(where.source))
        return {};
    m_visited.clear();
    m_found.clear();
    findFunctions();
    for (const llvm::Function* function : m_functions)
        for (const llvm::Instruction& instr : llvm::instructions(function)) {
            const llvm::DILocation* const location = instr.getDebugLoc().get();
            if (!location || location->getLine() != where.line || location->getColumn() != where.column ||
                m_sources.locationOf(location).source != where.source)
                continue;
            if (!addInlined(location))
                addCallers(*function);
        }
    std::vector<trace::SourceLocation> result;
    for (const auto& [source, line, column] : m_found)
        result.push_back({SourceId{source}, line, column});
    return result;
}

}  // namespace lanescope::simt
