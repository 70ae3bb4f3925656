// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of one function of a PTX module, as IR.
#pragma once

#include <map>
#include <string>

#include <llvm/IR/Function.h>

#include "core/simt/ptx/ptx_lines.h"
#include "core/simt/ptx/ptx_module.h"
#include "core/simt/ptx/ptx_translator.h"
#include "core/simt/ptx/ptx_types.h"
#include "core/simt/ptx/triton_values.h"

namespace lanescope::simt {

inline constexpr unsigned kPtxSharedSpace = 3;  ///< LLVM's number of it

/// What functions of a module know of each other.
struct PtxModuleNames {
    std::string name;  ///< of the text
    std::map<std::string, llvm::GlobalVariable*> variables;
    std::map<std::string, llvm::Function*> functions;
    TritonValues values;
};

/// What a function is in IR: scalars are numbers, whatever their type; what is an array is passed by value, and comes
/// back as an array of words. Of an entry, floats are floats.
llvm::FunctionType* ptxFunctionType(llvm::LLVMContext& context, const std::vector<PtxVariable>& results,
                                    const std::vector<PtxVariable>& parameters, bool isEntry);
/// The type of a variable's memory.
llvm::Type* ptxVariableType(llvm::LLVMContext& context, const PtxVariable& variable);
uint64_t alignmentOfPtx(const PtxVariable& variable);
/// A variable of the module's shared memory.
llvm::GlobalVariable* addSharedVariable(llvm::Module& module, const PtxVariable& variable, const std::string& name);

class PtxFunctionBuilder final : private PtxNames {
public:
    PtxFunctionBuilder(const PtxFunction& source, llvm::Function& function, PtxModuleNames& module, PtxLines& lines,
                       PtxTypes& types)
        : m_source(source), m_function(function), m_module(module), m_lines(lines), m_types(types)
    {
    }

    /// Fills the function in. What is not known of it as a whole is all that it then says.
    void build();

private:
    Place place(const std::string& name) override;
    Parameter parameter(const std::string& name) override;
    llvm::Function* function(const std::string& name) override;
    const PtxPrototype* prototype(const std::string& name) override;
    llvm::FunctionType* typeOf(const PtxPrototype& prototype) override;
    llvm::DebugLoc locationOf(const PtxStatement& statement) override { return m_lines.locationOf(statement); }
    std::string problemOf(const PtxStatement& statement, const std::string& what) override;
    void passed(const PtxStatement& statement, PtxTranslator& translator) override;
    llvm::Value* result(llvm::IRBuilder<>& build) override;

    llvm::Constant* gridWorkspace();
    void declareParameters(llvm::IRBuilder<>& build);
    void declareVariables(llvm::IRBuilder<>& build);
    void declareVariable(llvm::IRBuilder<>& build, const PtxVariable& variable);
    void findVariables();
    llvm::DIType* typeOf(const PtxSourceVariable& variable);
    void writeVariable(size_t variable, llvm::Value& value, const PtxStatement& statement, llvm::IRBuilder<>& build);
    void translate(llvm::Instruction& place);
    void simplify();

    const PtxFunction& m_source;
    llvm::Function& m_function;
    PtxModuleNames& m_module;
    PtxLines& m_lines;
    PtxTypes& m_types;
    std::map<std::string, Place> m_places;
    std::map<std::string, Parameter> m_parameters;
    std::vector<llvm::AllocaInst*> m_slots;  ///< of scalars
    const PtxSourceFunction* m_known = nullptr;
    std::map<std::string, std::vector<std::pair<size_t, size_t>>> m_held;  ///< by register: variable and place
    std::map<uint64_t, std::vector<std::pair<size_t, size_t>>> m_begun;    ///< the same by the first statement
    std::vector<llvm::DILocalVariable*> m_variables;
};

}  // namespace lanescope::simt
