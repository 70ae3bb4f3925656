// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's program: what it and the functions that it calls share, and those functions, each lowered once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "core/base/result.h"
#include "core/device/device_memory.h"
#include "core/simt/code/program.h"
#include "core/simt/ir/code_numbers.h"
#include "core/simt/ir/debug_info.h"
#include "core/simt/ir/foreseen_reader.h"
#include "core/simt/ir/legalise.h"
#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/leaves.h"
#include "core/simt/lower/register_file.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

struct LoweringOptions {
    bool record = false;
    bool recordVariables = false;
    bool wholeRows = false;  ///< as Program::wholeRows
    uint32_t firstSite = 0;
    uint32_t firstVariable = 0;
    const CodeNumbers* numbers = nullptr;  ///< null: places and keys are not wanted
};

/// What a called function looks like to its callers.
struct LoweredFunction {
    const Instr** entry = nullptr;  ///< set once it is lowered
    std::vector<Parts> parameters;  ///< vector registers
    std::vector<int> byValObjects;  ///< kPlaced; kOnStack; or −1: no struct by value
    static constexpr int kOnStack = -2, kPlaced = 0;
    Parts result;
};

/// Builds one program of one kernel. Everything but build() is for those who lower a function of it.
class ProgramBuilder {
public:
    ProgramBuilder(llvm::Module& module, SourceTable& sources,
                   const std::map<const llvm::GlobalVariable*, device::DeviceAddress>& globals,
                   const FunctionAddresses& functions, const LoweringOptions& options);

    Result<std::shared_ptr<const Program>> build(llvm::Function& kernel);

    uint64_t addressOf(const llvm::GlobalVariable& global);
    uint64_t addressOf(const llvm::Function& function);
    [[nodiscard]] FunctionAnalysis::Purpose purpose() const { return {m_options.wholeRows, m_options.record}; }
    /// Whether a call of it may come back to it.
    [[nodiscard]] bool isRecursive(const llvm::Function& function) const { return m_recursion.contains(&function); }
    /// Whether \p callee may call \p caller.
    [[nodiscard]] bool callsBack(const llvm::Function& caller, const llvm::Function& callee) const;
    void needStack() { m_needsStack = true; }
    /// Returns its index in Program::locals.
    int addLocal(MemoryObject object, uint64_t alignment);
    /// Returns its address: in an object of its own, or, of a kernel with more of them than there are slots, in one
    /// that the last share. Between these there are no bounds.
    uint64_t placeLocal(MemoryObject object, uint64_t alignment);
    /// Whether several variables share the object in that slot.
    [[nodiscard]] bool isShared(uint64_t slot) const { return slot == m_sharedLocal; }
    SiteId addSite(trace::Site site);
    VariableId variableFor(const llvm::DILocalVariable& variable, const llvm::DILocation* where);
    /// Null: nothing of the kernel is foreseen.
    [[nodiscard]] const ForeseenReader* foreseen() const { return m_foreseen.get(); }
    /// Lowers it when it is the first call of it; \p caller is named when that fails.
    const LoweredFunction& function(llvm::Function& function, const llvm::Instruction* caller);

    Program& program() { return *m_program; }
    RegisterFile& registers() { return m_registers; }
    SourceTable& sources() { return m_sources; }
    const LoweringOptions& options() const { return m_options; }
    template <typename Object>
    device::ObjectKey keyOf(const Object& object) const
    {
        return m_options.numbers ? m_options.numbers->of(object) : device::ObjectKey{};
    }
    const llvm::DataLayout& layout() const { return m_module.getDataLayout(); }
    const HandlerSet& handlers() const { return m_handlers; }

private:
    void findRecursion();
    void placeShared(const llvm::GlobalVariable& global);
    void divideDynamic(llvm::Function& kernel);
    void placeParameters(llvm::Function& kernel, std::vector<Parts>& parameters);

    llvm::Module& m_module;
    SourceTable& m_sources;
    const std::map<const llvm::GlobalVariable*, device::DeviceAddress>& m_globals;
    const FunctionAddresses& m_functionAddresses;
    LoweringOptions m_options;
    const HandlerSet& m_handlers;
    bool m_needsStack = false;
    uint64_t m_sharedLocal = 0;                                   ///< slot; 0: there is none
    llvm::DenseMap<const llvm::Function*, unsigned> m_recursion;  ///< the cycle of calls it is part of
    std::shared_ptr<Program> m_program;
    std::unique_ptr<ForeseenReader> m_foreseen;  ///< of the kernel, while it is lowered
    RegisterFile m_registers;
    std::map<const llvm::GlobalVariable*, uint64_t> m_shared;
    std::map<const llvm::Function*, LoweredFunction> m_functions;
    std::map<const llvm::DILocalVariable*, VariableId> m_variables;
};

}  // namespace lanescope::simt
