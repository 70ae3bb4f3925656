// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stretches of code as LLVM IR: calls of handlers whose instructions are constants, until LLVM has inlined them.
#pragma once

#include <map>
#include <optional>
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

    /// Writes functions for all stretches of \p region, of a Handler's type, and one that they call where the whole
    /// warp is about to run it, recorded or not as the job says, which is returned.
    llvm::Expected<llvm::Function*> writeForWhole(const Region& region);
    /// Likewise for \p stretch, where lanes are missing: those mostly leave each other at the end of a stretch.
    llvm::Expected<llvm::Function*> writeForPart(const Stretch& stretch);
    /// Leaves \p body's work to the own handlers of \p stretch.
    void giveUp(llvm::Function& body, const Stretch& stretch);

    /// What of the register file a call in a function that was written may look at or change.
    [[nodiscard]] FileValues::Touched touchedBy(const llvm::CallBase& call) const;
    /// Likewise of the scalar file, by its scalars.
    [[nodiscard]] FileValues::Touched scalarsTouchedBy(const llvm::CallBase& call) const;
    /// Likewise of the patterns, by their words.
    [[nodiscard]] FileValues::Touched patternsTouchedBy(const llvm::CallBase& call) const;

    /// Whether there is code for blocks that are foreseen.
    [[nodiscard]] bool hasForeseen() const { return m_hasForeseen; }

    /// After the last: callees become those of the simulator, and what nobody calls goes. Of the bitcode, which is read
    /// as it is wanted, the rest is not read.
    llvm::Error closeModule();
    /// After optimisation, which has read the constants: what is left of them are symbols (job_symbols.h).
    void placeConstants();

private:
    llvm::Function* newFunction(const std::string& name, llvm::GlobalValue::LinkageTypes linkage);
    /// Where a guard goes on: with the whole warp, with lanes missing, or as somebody looks at single instructions.
    struct Ways {
        llvm::Value* whole;
        llvm::Value* part;
        llvm::Value* other;
        bool countsParts = false;
    };
    llvm::Error writeGuard(const Stretch& stretch, const Ways& ways);
    void writeCount(llvm::BasicBlock& block, size_t instructions);
    void writeCall(llvm::BasicBlock& block, llvm::Value* function) const;
    llvm::Function* newBody(const std::string& name);
    /// Where the instructions of a stretch stand in a function: as they go in blocks that are foreseen, as they mostly
    /// go, and otherwise (null: nobody comes there).
    struct Copies {
        Stretch stretch;
        std::vector<llvm::BasicBlock*> foreseen, mostly, otherwise;
    };
    using Copy = std::vector<llvm::BasicBlock*> Copies::*;
    llvm::Error writeBody(llvm::Function& body, const Region& region);
    llvm::Error writeStretch(std::vector<Copies>& parts, Copies& part);
    void writeInstruction(std::vector<Copies>& parts, Copies& part, size_t i, Copy copy, llvm::Function& own);
    bool writeForeseen(std::vector<Copies>& parts, Copies& part, size_t i);
    void goOn(llvm::IRBuilder<>& builder, std::vector<Copies>& parts, Copies& part, size_t i, llvm::Value* next,
              Copy copy);
    llvm::Value* loadMask(llvm::IRBuilder<>& builder, llvm::Function& body, bool isVolatile) const;
    void writePassed(std::vector<Copies>& parts, Copies& part, size_t i, llvm::Function& tried);
    void writeStep(llvm::IRBuilder<>& builder, size_t index, llvm::Value* next, llvm::BasicBlock* on);
    void writeEnd(llvm::IRBuilder<>& builder, std::vector<Copies>& parts, const Copies& part, llvm::Value* next,
                  Copy copy, bool mayPart = true);
    void writeLeave(llvm::IRBuilder<>& builder, size_t index, llvm::Value* next);
    static llvm::BasicBlock* newBlock(llvm::Function& function, const char* name = "");
    llvm::CallInst* inlined(llvm::IRBuilder<>& builder, llvm::Function& callee,
                            llvm::ArrayRef<llvm::Value*> arguments) const;
    llvm::MDNode* mostly() const;
    llvm::MDNode* seldom() const;
    llvm::Function* listed(const ListedHandler& handler) const;
    llvm::Function* triedFirst(size_t index) const;
    void findStrides();
    bool mayBeRow(const MemoryInfo& info) const;
    bool isForeseen(size_t index) const;
    bool canForesee(const Region& region) const;
    struct ForeseenBranch {
        size_t index;  ///< of the branch: behind the comparison that it is a pair with
        bool way;
        llvm::Function* comparison;  ///< or null
    };
    std::optional<ForeseenBranch> foreseenBranch(size_t index) const;
    llvm::Constant* listEntry(const char* list, size_t index) const;
    llvm::Constant* variable(const std::string& symbol);
    llvm::Function* handler(const std::string& symbol);
    llvm::Constant* ownHandler(size_t index);
    llvm::Constant* handlerBefore(size_t index);
    llvm::Constant* placeOf(const Instr* instr);
    llvm::Constant* branchTable(const BranchInfo& info);
    llvm::Constant* instruction(size_t index);
    llvm::Constant* instructionTable();
    llvm::Constant* tableOf(size_t index);
    [[nodiscard]] std::optional<size_t> instructionNamedBy(const llvm::Value& argument) const;
    [[nodiscard]] const Instr* instructionOf(const llvm::CallBase& call) const;
    llvm::FunctionCallee exitMark();
    void addCallees();
    llvm::Error readWhatIsCalled();

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
    // Of the body that is being written.
    llvm::Value* m_mask = nullptr;  ///< when it begins
    bool m_lacksLanes = false;
    llvm::BasicBlock* m_begin = nullptr;  ///< where each warp begins
    bool m_hasForeseen = false;
    /// By pattern: how many bytes the next lane's place is on, where the code says so.
    std::map<uint64_t, std::optional<int32_t>> m_strides;
};

}  // namespace lanescope::simt::native
