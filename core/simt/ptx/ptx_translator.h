// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One inline assembly statement on its way to IR: the values that its registers hold, and a function for each family
// of instructions. Arithmetic is in ptx_arithmetic.cpp, ptx_bits.cpp and ptx_video.cpp, what touches memory or other
// lanes in ptx_memory.cpp and ptx_barriers.cpp, branches are in ptx_branches.cpp.
#pragma once

#include <map>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/code/instruction.h"
#include "core/simt/ptx/ptx_parser.h"

namespace lanescope::simt {

/// Thrown inside the translation only.
struct UnknownPtx {
    std::string what;
};

struct NarrowFormat;

class PtxTranslator {
public:
    explicit PtxTranslator(llvm::CallInst& call);

    /// Replaces the call. Throws UnknownPtx, and then has changed nothing that matters: what it made is unused.
    void run();

private:
    using Handler = void (PtxTranslator::*)(const PtxStatement&);
    struct Family {
        const char* opcode;
        Handler handler;
        bool hasEffects;  ///< beyond its results: under a predicate it needs a branch
    };
    static const Family* familyOf(const PtxStatement& statement);

    // Values.
    llvm::Type* typeOf(const std::string& name, const PtxStatement& statement);
    llvm::Type* lastType(const PtxStatement& statement);
    llvm::IntegerType* lastInteger(const PtxStatement& statement);
    static unsigned widthOf(const llvm::Type* type);
    static unsigned elementBits(const PtxOperand& vector, const llvm::Type* type);
    llvm::Value* get(const PtxOperand& operand, llvm::Type* type);
    llvm::Value* get(const PtxStatement& statement, size_t index, llvm::Type* type);
    void set(const PtxOperand& operand, llvm::Value* value);
    void set(const PtxStatement& statement, size_t index, llvm::Value* value);
    llvm::Value* specialRegister(const std::string& name);
    llvm::Value* fit(llvm::Value* value, llvm::Type* type);
    llvm::Value* predicate(const PtxOperand& operand);
    llvm::Value* intrinsic(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
    llvm::IntegerType* bits(unsigned count) { return m_build.getIntNTy(count); }
    void statement(const PtxStatement& statement);
    llvm::Value* guardOf(const PtxStatement& statement);
    void predicated(const PtxStatement& statement, const Family& family);
    void finish();
    [[noreturn]] void unknown(const PtxStatement& statement) const;

    // Labels and branches (ptx_branches.cpp).
    [[nodiscard]] bool hasBranches() const;
    void makeSlots();
    void leaveBlock();
    llvm::Instruction* beginBlock();
    void label(const PtxStatement& s);
    void branch(const PtxStatement& s);
    void connectBranches(llvm::Function& function, const llvm::BasicBlock& end);

    // Arithmetic (ptx_arithmetic.cpp).
    void move(const PtxStatement& s);
    void add(const PtxStatement& s);
    void multiply(const PtxStatement& s);
    void multiplyAdd(const PtxStatement& s);
    void divide(const PtxStatement& s);
    void extreme(const PtxStatement& s);
    void extremeOfFloats(const PtxStatement& s, llvm::Value* a, llvm::Value* b);
    void unary(const PtxStatement& s);
    void testProperty(const PtxStatement& s);
    void compare(const PtxStatement& s);
    void select(const PtxStatement& s);
    void convert(const PtxStatement& s);
    bool convertNarrow(const PtxStatement& s);
    llvm::Value* narrowed(llvm::Value* value, const NarrowFormat& format);
    llvm::Value* widened(llvm::Value* codes, bool isUpperByte);
    void convertAddress(const PtxStatement& s);
    void rank(const PtxStatement& s);
    void function(const PtxStatement& s);
    void nothing(const PtxStatement&) {}
    llvm::Value* carry();
    void storeCarry();
    llvm::Value* roundedBinary(const PtxStatement& s, const char* name, llvm::Value* a, llvm::Value* b);
    llvm::Value* saturated(const PtxStatement& s, llvm::Value* value);
    llvm::Value* positivePart(llvm::Value* value);
    llvm::Value* compared(const PtxStatement& s, llvm::Value* a, llvm::Value* b, llvm::Type* type, bool isSigned);
    llvm::Value* addWithCarry(const PtxStatement& s, llvm::Value* a, llvm::Value* b, bool subtract);

    // Bits of words (ptx_bits.cpp).
    void logic(const PtxStatement& s);
    void shift(const PtxStatement& s);
    void funnel(const PtxStatement& s);
    void bitField(const PtxStatement& s);
    void countBits(const PtxStatement& s);
    void lookup3(const PtxStatement& s);
    void permute(const PtxStatement& s);
    void bitMask(const PtxStatement& s);
    void difference(const PtxStatement& s);
    void dotProduct(const PtxStatement& s);

    // Parts of words (ptx_video.cpp).
    /// The part of a word that ".b2" or ".h1" names: first bit and width.
    struct Part {
        unsigned shift = 0;
        unsigned width = 32;
    };
    void video(const PtxStatement& s);
    void videoMultiplyAdd(const PtxStatement& s);
    Part videoPlace(const PtxStatement& s, size_t index);
    llvm::Value* videoOperand(const PtxStatement& s, size_t index, std::string_view type);
    void videoScalar(const PtxStatement& s, std::string_view result, std::string_view left, std::string_view right);
    llvm::Value* videoPart(llvm::Value* word, unsigned shift, unsigned width, bool withSign);
    llvm::Value* videoOperation(const PtxStatement& s, llvm::Value* a, llvm::Value* b);
    llvm::Value* videoSaturated(const PtxStatement& s, llvm::Value* value, unsigned width, bool withSign);

    // Memory and other lanes (ptx_memory.cpp).
    void load(const PtxStatement& s);
    void store(const PtxStatement& s);
    void atomic(const PtxStatement& s);
    void shuffle(const PtxStatement& s);
    void vote(const PtxStatement& s);
    void match(const PtxStatement& s);
    void reduceLanes(const PtxStatement& s);
    void activeMask(const PtxStatement& s);
    void elect(const PtxStatement& s);
    void isInSpace(const PtxStatement& s);
    void barrier(const PtxStatement& s);
    void barrierVote(const PtxStatement& s);
    void exitThread(const PtxStatement& s);
    void fence(const PtxStatement& s);
    void copyAsync(const PtxStatement& s);
    void trap(const PtxStatement& s);
    void createPolicy(const PtxStatement& s);
    void moveMatrix(const PtxStatement& s);
    void sleep(const PtxStatement& s);
    void transferMatrix(const PtxStatement& s);
    llvm::Value* rowOfLane(llvm::Value* window, llvm::Value* source);
    void multiplyMatrix(const PtxStatement& s);

    // Barriers in memory (ptx_barriers.cpp).
    void memoryBarrier(const PtxStatement& s);
    void copyBulk(const PtxStatement& s);
    void fenceBlock();
    llvm::Value* addToBarrier(llvm::Value* barrier, llvm::Value* delta);
    llvm::Value* arriveAtBarrier(llvm::Value* barrier, llvm::Value* delta);
    void noteBarrier(PhaseOperation operation, llvm::Value* barrier, llvm::Value* amount);

    llvm::Type* elementInMemory(const PtxStatement& s);
    llvm::Value* address(const PtxOperand& operand, bool shared);
    llvm::Value* fromSharedWindow(llvm::Value* address);
    llvm::Value* toSharedWindow(llvm::Value* address);
    llvm::Align alignmentOf(const PtxStatement& s, unsigned bytes) const;

    llvm::CallInst& m_call;
    llvm::IRBuilder<> m_build;
    PtxText m_text;
    std::map<std::string, llvm::Type*> m_types;    ///< of all registers
    std::map<std::string, llvm::Value*> m_values;  ///< what they hold now
    std::vector<std::string> m_outputs;
    llvm::Value* m_carry = nullptr;                    ///< where this statement has set it
    std::map<std::string, llvm::AllocaInst*> m_slots;  ///< of registers, where values cross from block to block
    std::map<std::string, llvm::BasicBlock*> m_labels;
    std::vector<std::pair<llvm::BranchInst*, std::string>> m_jumps;  ///< and the label that each goes to
};

}  // namespace lanescope::simt
