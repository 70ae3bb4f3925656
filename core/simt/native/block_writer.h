// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stretches of code as LLVM IR: calls of handlers whose instructions are constants, until LLVM has inlined them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/Error.h>

#include "core/simt/native/basic_blocks.h"
#include "core/simt/native/file_values.h"

namespace lanescope::simt::native {

/// Writes functions of stretches into the module of the handlers' bitcode.
class BlockWriter {
public:
    BlockWriter(llvm::Module& bitcode, const NativeJob& job, const ListedHandlers& handlers);

    /// Writes a function of the symbol \p name, which has a Handler's type. Returns what it calls when the whole warp
    /// runs.
    llvm::Expected<llvm::Function*> write(const Region& region, const std::string& name);

    /// What of the register file a call in a function that was written may look at or change.
    [[nodiscard]] FileValues::Touched touchedBy(const llvm::CallBase& call) const;
    /// Likewise of the scalar file, by its scalars.
    [[nodiscard]] FileValues::Touched scalarsTouchedBy(const llvm::CallBase& call) const;
    /// Likewise of the patterns, by their words.
    [[nodiscard]] FileValues::Touched patternsTouchedBy(const llvm::CallBase& call) const;

    /// After the last: callees become those of the simulator, and what nobody calls goes.
    void closeModule();
    /// After optimisation, which has read the constants: what is left of them is where they really lie.
    void placeConstants();

private:
    llvm::Function* newFunction(const std::string& name, llvm::GlobalValue::LinkageTypes linkage);
    void writeGuard(llvm::Function& guard, llvm::Function& mayRun, llvm::Function& body, Handler own);
    /// Where the instructions of a stretch stand in a function, as they mostly go and otherwise (null: nobody needs
    /// it).
    struct Copies {
        Stretch stretch;
        std::vector<llvm::BasicBlock*> mostly, otherwise;
    };
    llvm::Error writeBody(llvm::Function& body, const Region& region);
    llvm::Error writePart(std::vector<Copies>& parts, Copies& part);
    void writeStep(llvm::IRBuilder<>& builder, size_t index, llvm::Value* next, llvm::BasicBlock* on);
    void writeEnd(llvm::IRBuilder<>& builder, std::vector<Copies>& parts, const Copies& part, llvm::Value* next,
                  bool isOtherwise);
    void writeLeave(llvm::IRBuilder<>& builder, size_t index, llvm::Value* next);
    static llvm::BasicBlock* newBlock(llvm::Function& function, const char* name = "");
    llvm::CallInst* inlined(llvm::IRBuilder<>& builder, llvm::Function& callee,
                            llvm::ArrayRef<llvm::Value*> arguments) const;
    llvm::MDNode* mostly() const;
    llvm::MDNode* seldom() const;
    llvm::Function* listed(const ListedHandler& handler) const;
    llvm::Function* triedFirst(size_t index) const;
    llvm::Constant* listEntry(const char* list, size_t index) const;
    llvm::Constant* address(const void* at) const;
    llvm::Constant* instruction(size_t index);
    llvm::Constant* instructionTable();
    llvm::Constant* tableOf(size_t index);
    [[nodiscard]] std::optional<size_t> instructionNamedBy(const llvm::Value& argument) const;
    [[nodiscard]] const Instr* instructionOf(const llvm::CallBase& call) const;
    llvm::FunctionCallee exitMark();
    void addCallees();

    llvm::Module& m_module;
    const NativeJob& m_job;
    const ListedHandlers& m_handlers;
    llvm::PointerType* m_pointer;
    llvm::ArrayType* m_codeType = nullptr;
    llvm::WeakVH m_code;  ///< null again when LLVM has found that nobody reads it
    llvm::FunctionType* m_handlerType;
    struct Table {
        llvm::WeakVH bytes;
        size_t index = 0;  ///< of the first instruction that has it
    };
    std::map<const void*, Table> m_tables;
    std::vector<llvm::Function*> m_written;
};

/// Where a function has the warp's files; null what it does not use. Passes may put others in their place.
struct WarpFiles {
    llvm::WeakTrackingVH registers;
    llvm::WeakTrackingVH scalars;
    llvm::WeakTrackingVH patterns;
};

/// Tells LLVM what handlers may rely on while a stretch runs: what of the warp never changes, and that registers,
/// scalars and patterns are no memory of the program's. Of an inlined and simplified function. \p wholeRows: as of
/// Program.
WarpFiles assumeWholeWarp(llvm::Function& function, bool wholeRows);

}  // namespace lanescope::simt::native
