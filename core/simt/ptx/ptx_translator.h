// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements over named registers on their way to IR, with a function for each family of instructions: of an inline
// assembly statement, or of a function of a module, which knows more names (PtxNames). Arithmetic is in
// ptx_arithmetic.cpp, ptx_bits.cpp and ptx_video.cpp, what touches memory or other lanes in ptx_memory.cpp and
// ptx_barriers.cpp, branches are in ptx_branches.cpp, calls and their parameters in ptx_calls.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>
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

class PtxTranslator;

/// What has a name besides registers, where there is a module around the statements.
class PtxNames {
public:
    virtual ~PtxNames() = default;

    /// The place of zeros that CUDA's headers find by %envreg1 and %envreg2, for barriers of a grid.
    static constexpr const char* kGridWorkspace = "__ls_grid_workspace";

    /// A place in memory.
    struct Place {
        llvm::Value* pointer = nullptr;  ///< generic; null: there is no variable of that name
        bool isShared = false;           ///< its address is one of the shared window
    };
    virtual Place place(const std::string& name) = 0;
    /// A parameter that is a scalar, or what takes such a result; both null: nothing is called so.
    struct Parameter {
        llvm::Value* value = nullptr;      ///< an argument
        llvm::AllocaInst* slot = nullptr;  ///< or a variable
    };
    virtual Parameter parameter(const std::string& name) = 0;
    virtual llvm::Function* function(const std::string& name) = 0;
    virtual const PtxPrototype* prototype(const std::string& name) = 0;
    /// What a function of those results and parameters is in IR.
    virtual llvm::FunctionType* typeOf(const PtxPrototype& prototype) = 0;
    virtual llvm::DebugLoc locationOf(const PtxStatement& statement) = 0;
    /// Of what is not known: to be named when it is lowered.
    virtual std::string problemOf(const PtxStatement& statement, const std::string& what) = 0;
    /// Called behind each statement: \p valueOf is asked for what registers hold then.
    virtual void passed(const PtxStatement& statement, PtxTranslator& translator) = 0;
    /// What the function gives back, when it ends at \p build; null: nothing.
    virtual llvm::Value* result(llvm::IRBuilder<>& build) = 0;
};

/// Calls that stand for arithmetic of addresses of the shared window, until pointers are recovered: i64 of a pointer,
/// and a pointer of an i64.
inline constexpr const char* kToWindow = "__ls_to_window";
inline constexpr const char* kFromWindow = "__ls_from_window";
/// The carry flag, as a register of a module's function.
inline constexpr const char* kCarryName = "%carry";

class PtxTranslator {
public:
    /// IR comes before \p place. \p names: null in an inline statement.
    PtxTranslator(llvm::Instruction& place, const PtxText& text, PtxNames* names)
        : m_place(place), m_build(&place), m_text(text), m_names(names)
    {
    }

    /// A register that holds \p value.
    void declare(const std::string& name, llvm::Type* type, llvm::Value* value);
    /// An output that starts with the value of an input. Throws std::out_of_range when it is not declared.
    void tie(const std::string& name, llvm::Value* value);
    /// Those of the text, which hold nothing yet. Throws UnknownPtx.
    void declareRegisters();
    /// Null: there is no register of that name.
    llvm::Value* valueOf(const std::string& name) { return read(name); }
    llvm::IRBuilder<>& build() { return m_build; }

    /// Throws UnknownPtx, and then has changed nothing that matters: what it made is unused. In a function of a module
    /// what is not known becomes a call that says so.
    void run();
    /// Gives all branches their ends, once the place is replaced; \p end: the block that it was in.
    void connectBranches(const llvm::BasicBlock& end);
    /// Says, where the place is, that \p what of the statement is not known. Of a module's function only.
    void note(const PtxStatement& statement, const std::string& what);

private:
    using Handler = void (PtxTranslator::*)(const PtxStatement&);
    struct Family {
        const char* opcode;
        Handler handler;
        bool hasEffects;  ///< beyond its results: under a predicate it needs a branch
    };
    struct Register {
        llvm::Type* type = nullptr;
        llvm::Value* value = nullptr;      ///< what it holds now
        llvm::AllocaInst* slot = nullptr;  ///< or where it is kept, where values cross from block to block
    };
    static const Family* familyOf(const PtxStatement& statement);

    // Values.
    llvm::Type* typeOf(const std::string& name, const PtxStatement& statement);
    llvm::Type* lastType(const PtxStatement& statement);
    llvm::IntegerType* lastInteger(const PtxStatement& statement);
    static unsigned widthOf(const llvm::Type* type);
    static unsigned elementBits(const PtxOperand& vector, const llvm::Type* type);
    llvm::Value* read(const std::string& name);
    void write(const std::string& name, llvm::Value* value);
    llvm::Type* registerType(const std::string& name) const;
    llvm::Value* symbol(const PtxOperand& operand, llvm::Type* type);
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
    void known(const PtxStatement& statement);
    [[noreturn]] void unknown(const PtxStatement& statement) const;

    // Labels and branches (ptx_branches.cpp).
    [[nodiscard]] bool hasBranches() const;
    void findLabels();
    void makeSlots();
    llvm::Instruction* beginBlock();
    void label(const PtxStatement& s);
    void branch(const PtxStatement& s);
    void branchByTable(const PtxStatement& s);
    void deleteSkipped(const std::vector<llvm::BasicBlock*>& skipped, const llvm::BasicBlock& end);

    // Calls and parameters (ptx_calls.cpp).
    void call(const PtxStatement& s);
    void leave(const PtxStatement& s);
    bool loadParameter(const PtxStatement& s);
    bool storeParameter(const PtxStatement& s);
    struct Callee {
        llvm::FunctionType* type = nullptr;
        llvm::Value* function = nullptr;
    };
    Callee calleeOf(const PtxStatement& s, const PtxOperand& name, const PtxOperand* prototype);
    llvm::Value* argument(const PtxOperand& operand, llvm::Type* type);
    llvm::Value* callOfGroups(const std::string& name, llvm::FunctionType* type);
    void storeResult(const PtxOperand& operand, llvm::Value* value);

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
    llvm::Value* narrowedTowards(const std::string& mode, llvm::Value* value, llvm::Type* type);
    void convertAddress(const PtxStatement& s);
    void rank(const PtxStatement& s);
    void function(const PtxStatement& s);
    void nothing(const PtxStatement&) {}
    llvm::Value* carry();
    void storeCarry();
    void setCarry(llvm::Value* value);
    llvm::Value* roundedBinary(const PtxStatement& s, const char* name, llvm::Value* a, llvm::Value* b);
    llvm::Value* saturated(const PtxStatement& s, llvm::Value* value);
    llvm::Value* clamped(llvm::Value* value, bool isSigned, unsigned width, bool toSigned);
    llvm::Value* positivePart(llvm::Value* value);
    llvm::Value* compared(const PtxStatement& s, llvm::Value* a, llvm::Value* b, llvm::Type* type, bool isSigned);
    llvm::Value* addWithCarry(const PtxStatement& s, llvm::Value* a, llvm::Value* b, bool subtract);

    // Bits of words (ptx_bits.cpp).
    void logic(const PtxStatement& s);
    void shift(const PtxStatement& s);
    void funnel(const PtxStatement& s);
    void bitField(const PtxStatement& s);
    void countBits(const PtxStatement& s);
    void findSet(const PtxStatement& s);
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
    static std::optional<llvm::AtomicRMWInst::BinOp> atomicOperationOf(const PtxStatement& s, const llvm::Type* type);
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

    // Warpgroups (ptx_warpgroup.cpp).
    struct WarpgroupProduct;
    void warpgroup(const PtxStatement& s);
    void setRegisters(const PtxStatement& s);
    void controlDependents(const PtxStatement& s);
    WarpgroupProduct productOf(const PtxStatement& s);
    void multiplyWarpgroup(const PtxStatement& s);
    std::vector<llvm::Value*> matrixWords(llvm::Value* descriptor, llvm::Value* first, unsigned columns, bool turned);

    // Tensors (ptx_tensor.cpp).
    void copyTensor(const PtxStatement& s);
    llvm::Value* tensorCall(const PtxStatement& s, const std::string& what, const PtxOperand& tensor, llvm::Value* tile,
                            const PtxOperand* offsets);

    // Barriers in memory (ptx_barriers.cpp).
    void memoryBarrier(const PtxStatement& s);
    void copyBulk(const PtxStatement& s);
    void reduceBulk(const PtxStatement& s);
    void noteRead(AsyncStream stream, llvm::Value* from, llvm::Value* bytes);
    llvm::Value* noteUpdate(llvm::AtomicRMWInst::BinOp operation, llvm::Value* to, llvm::Value* from,
                            llvm::Value* bytes, const llvm::Type* type);
    void noteCopyBegins(llvm::Value* to, llvm::Value* bytes);
    void noteBulkCopy(llvm::Value* to, llvm::Value* bytes, llvm::Value* barrier);
    void endGroup(const PtxStatement& s, AsyncStream stream);
    void completeBytes(const PtxStatement& s, llvm::Value* barrier, llvm::Value* size);
    void forRanks(llvm::Value* ranks, llvm::function_ref<void(llvm::Value* rank)> body);
    llvm::Value* pointerInRank(llvm::Value* pointer, llvm::Value* rank);
    void fenceBlock();
    llvm::Value* addToBarrier(llvm::Value* barrier, llvm::Value* delta);
    llvm::Value* arriveAtBarrier(llvm::Value* barrier, llvm::Value* delta);
    void noteBarrier(PhaseOperation operation, llvm::Value* barrier, llvm::Value* amount);

    llvm::Type* elementInMemory(const PtxStatement& s);
    llvm::Type* elementFor(const PtxStatement& s, const PtxOperand& registers);
    llvm::Value* address(const PtxOperand& operand, bool shared);
    llvm::Value* fromSharedWindow(llvm::Value* address);
    llvm::Value* fromSharedAddress(llvm::Value* address);
    llvm::Value* windowAddress(llvm::Value* pointer);
    llvm::Value* pureCall(const char* name, llvm::Type* result, llvm::Value* argument);
    llvm::Value* addressInVariable(const PtxOperand& operand);
    llvm::Value* toSharedWindow(llvm::Value* address);
    llvm::Align alignmentOf(const PtxStatement& s, unsigned bytes) const;

    llvm::Instruction& m_place;
    llvm::IRBuilder<> m_build;
    const PtxText& m_text;
    PtxNames* m_names;
    std::map<std::string, Register> m_registers;
    llvm::Value* m_guard = nullptr;  ///< of the statement: what it writes is chosen by this
    bool m_notesWrites = false;
    std::map<std::string, llvm::Value*> m_before;  ///< registers written under a predicate, and what they held
    llvm::Value* m_carry = nullptr;                ///< where this statement has set it
    std::map<std::string, llvm::BasicBlock*> m_labels;
    std::set<std::string> m_targets;                                 ///< labels that branches lead to
    std::vector<std::pair<llvm::BranchInst*, std::string>> m_jumps;  ///< and the label that each goes to
    std::vector<std::pair<llvm::SwitchInst*, std::vector<std::string>>> m_tableJumps;
};

}  // namespace lanescope::simt
