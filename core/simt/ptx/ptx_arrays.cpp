// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_arrays.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ptx/element_types.h"

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

/// Mojo says which variables of a kernel are structs, but of those that stand for shared arrays not where they are:
/// as many of them as there are arrays are these, in order.
void PtxArrays::match(const PtxFunction& function)
{
    const PtxSourceFunction* known = m_lines.debugInfo().find(function.name);
    std::vector<const PtxSourceVariable*> structs;
    for (size_t i = 0; known && i < known->variables.size(); ++i)
        if (const PtxSourceVariable& variable = known->variables[i];
            variable.places.empty() && !variable.isParameter && variable.type.isValid() &&
            variable.type.getTag() == llvm::dwarf::DW_TAG_structure_type)
            structs.push_back(&variable);
    std::vector<std::string> arrays;
    for (const PtxVariable& variable : function.body.variables)
        if (variable.space == "shared" && variable.name.starts_with(function.name))
            arrays.push_back(variable.name);
    for (size_t i = 0; structs.size() == arrays.size() && i < arrays.size(); ++i)
        m_arrays[arrays[i]] = structs[i];
}

void PtxArrays::describeByAccesses(llvm::GlobalVariable& global, const llvm::Function& user)
{
    llvm::DISubprogram* subprogram = user.getSubprogram();
    std::string name = llvm::demangle(global.getName().str());
    if (const size_t colons = name.rfind("::"); colons != std::string::npos)
        name = name.substr(colons + 2);
    if (name.starts_with(user.getName().str() + "_"))
        name = name.substr(user.getName().size() + 1);
    const auto known = m_arrays.find(global.getName().str());
    const bool isKnown = known != m_arrays.end();
    describeArray(m_lines.builder(), subprogram, isKnown ? known->second->name : name,
                  isKnown ? m_lines.fileOf(known->second->file) : subprogram->getFile(),
                  isKnown ? known->second->line : subprogram->getLine(), global);
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
