// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_arrays.h"

#include <cstdlib>
#include <sstream>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ptx/element_types.h"
#include "core/simt/ptx/mojo_types.h"

namespace lanescope::simt {
namespace {

/// Null: nobody uses it.
const llvm::Function* userOf(const llvm::Value& value)
{
    for (const llvm::User* user : value.users()) {
        if (const auto* instr = llvm::dyn_cast<llvm::Instruction>(user))
            return instr->getFunction();
        if (const llvm::Function* found = llvm::isa<llvm::GlobalVariable>(user) ? nullptr : userOf(*user))
            return found;
    }
    return nullptr;
}

/// The array tile[16][9] of "tile$1$16x9", as our Python modules have Numba name its arrays; none: it is another name.
std::optional<ArrayName> numbasArray(const std::string& symbol)
{
    const size_t first = symbol.find('$'), last = symbol.rfind('$');
    if (first == std::string::npos || last == first ||
        symbol.find_first_not_of("0123456789$x", first) != std::string::npos)
        return std::nullopt;
    ArrayName array{symbol.substr(0, first), {}};
    std::istringstream extents(symbol.substr(last + 1));
    for (std::string extent; std::getline(extents, extent, 'x');)
        array.extents.push_back(std::strtoull(extent.c_str(), nullptr, 10));
    return array;
}

/// Without the function's name and scopes before it.
ArrayName arrayName(const std::string& symbol, const std::string& function)
{
    if (std::optional<ArrayName> array = numbasArray(symbol))
        return *std::move(array);
    std::string name = llvm::demangle(symbol);
    if (const size_t colons = name.rfind("::"); colons != std::string::npos)
        name = name.substr(colons + 2);
    return {name.starts_with(function + "_") ? name.substr(function.size() + 1) : name, {}};
}

}  // namespace

/// Arrays in shared memory belong to who uses them first.
void PtxArrays::describe(const std::vector<const PtxFunction*>& functions)
{
    for (const PtxFunction* function : functions)
        match(*function);
    for (llvm::GlobalVariable& global : m_module.globals()) {
        const llvm::Function* user = userOf(global);
        llvm::DISubprogram* subprogram = user ? user->getSubprogram() : nullptr;
        if (!subprogram)
            continue;
        const PtxSourceVariable* known = sourceVariableOf(global, user->getName().str());
        llvm::DIType* type = known ? m_types.typeOf(known->type) : nullptr;
        if (type)
            global.addDebugInfo(m_lines.builder().createGlobalVariableExpression(
                subprogram, known->name, global.getName(), m_lines.fileOf(known->file), known->line, type, true));
        else
            describeByAccesses(global, *user);
    }
}

/// Mojo says which variables of a kernel are structs, but of those that stand for shared arrays not where they are: as
/// many of one size as there are arrays of that size are these, in order. Of a struct that does not say its size, as
/// many as there are arrays of any size.
void PtxArrays::match(const PtxFunction& function)
{
    const PtxSourceFunction* known = m_lines.debugInfo().find(function.name);
    std::map<uint64_t, std::vector<const PtxSourceVariable*>> structs;
    std::map<uint64_t, std::vector<std::string>> arrays;
    for (const PtxVariable& variable : function.body.variables)
        if (variable.space == "shared" && variable.name.starts_with(function.name))
            for (const uint64_t bytes : {kAnySize, bytesOfPtxType(variable.type) * variable.count})
                arrays[bytes].push_back(variable.name);
    for (size_t i = 0; known && i < known->variables.size(); ++i)
        if (const std::optional<uint64_t> bytes = sharedBytesOf(known->variables[i]))
            structs[*bytes].push_back(&known->variables[i]);
    for (const auto& [bytes, variables] : structs)
        if (const auto& same = arrays[bytes]; same.size() == variables.size())
            for (size_t i = 0; i < same.size(); ++i)
                m_arrays[same[i]] = variables[i];
}

/// Of the shared array that a variable stands for, as far as its type tells; kAnySize: it does not. None: it is no
/// struct, or in a register.
std::optional<uint64_t> PtxArrays::sharedBytesOf(const PtxSourceVariable& variable)
{
    if (!variable.places.empty() || variable.isParameter || !variable.type.isValid() ||
        variable.type.getTag() != llvm::dwarf::DW_TAG_structure_type)
        return std::nullopt;
    const auto tensor = mojoTensor(llvm::dwarf::toString(variable.type.find(llvm::dwarf::DW_AT_name), ""));
    if (!tensor)
        return kAnySize;
    const llvm::DIType* type = tensor->extents.empty() ? nullptr : typeOfMojoTensor(m_lines.builder(), *tensor);
    if (!tensor->isShared)
        return std::nullopt;
    return type ? type->getSizeInBits() / 8 : kAnySize;
}

void PtxArrays::describeByAccesses(llvm::GlobalVariable& global, const llvm::Function& user)
{
    llvm::DISubprogram* subprogram = user.getSubprogram();
    ArrayName array = arrayName(global.getName().str(), user.getName().str());
    const auto known = m_arrays.find(global.getName().str());
    const bool isKnown = known != m_arrays.end();
    llvm::DIFile* file = isKnown ? m_lines.fileOf(known->second->file) : subprogram->getFile();
    const unsigned line = isKnown ? known->second->line : subprogram->getLine();
    if (isKnown)
        array.name = known->second->name;
    const auto tensor = isKnown
                            ? mojoTensor(llvm::dwarf::toString(known->second->type.find(llvm::dwarf::DW_AT_name), ""))
                            : std::nullopt;
    llvm::DIType* type = tensor ? typeOfMojoTensor(m_lines.builder(), *tensor) : nullptr;
    const uint64_t bytes = global.getDataLayout().getTypeAllocSize(global.getValueType());
    if (type && type->getSizeInBits() == bytes * 8)
        global.addDebugInfo(m_lines.builder().createGlobalVariableExpression(subprogram, array.name, global.getName(),
                                                                             file, line, type, true));
    else
        describeArray(m_lines.builder(), subprogram, array, file, line, global);
}

const PtxSourceVariable* PtxArrays::sourceVariableOf(const llvm::GlobalVariable& global,
                                                     const std::string& function) const
{
    const PtxSourceFunction* known = m_lines.debugInfo().find(function);
    for (size_t i = 0; known && i < known->variables.size(); ++i)
        for (const PtxSourceVariable::Place& place : known->variables[i].places)
            if (place.name == global.getName())
                return &known->variables[i];
    return nullptr;
}

}  // namespace lanescope::simt
