// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/pointer_recovery.h"

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include "core/simt/ptx/ptx_translator.h"
#include "core/simt/ptx/shared_window.h"

namespace lanescope::simt {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

/// What number an address is: the simulator's own; the same of what is a thread's or constant, whose addresses fit in
/// 32 bits on a GPU, so that compilers cut and widen them; or one of the shared window.
enum class Kind { None, Generic, Narrow, Window };

bool isCallOf(const Value* value, llvm::StringRef name)
{
    const auto* call = dyn_cast<llvm::CallInst>(value);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

class PointerRecovery {
public:
    explicit PointerRecovery(llvm::Function& function) : m_function(function) {}

    void run()
    {
        seedParameters();
        for (Instruction& instr : llvm::instructions(m_function))
            if (const Kind kind = ownKind(instr); kind != Kind::None)
                mark(instr, kind);
        spread();
        replaceAddresses();
        expandCalls();
    }

private:
    // ---- Which numbers are addresses ----

    /// Of what makes a number of a pointer.
    static Kind ownKind(const Instruction& instr)
    {
        if (isa<llvm::PtrToIntInst>(instr) && instr.getType()->isIntegerTy(64))
            return fitsIn32Bits(*llvm::getUnderlyingObject(instr.getOperand(0))) ? Kind::Narrow : Kind::Generic;
        return isCallOf(&instr, kToWindow) ? Kind::Window : Kind::None;
    }

    /// Local memory, parameters and constants.
    static bool fitsIn32Bits(const Value& object)
    {
        constexpr unsigned kConstantSpace = 4;
        if (const auto* argument = dyn_cast<llvm::Argument>(&object))
            return argument->hasByValAttr();
        const auto* variable = dyn_cast<llvm::GlobalVariable>(&object);
        return isa<llvm::AllocaInst>(object) || (variable && variable->getAddressSpace() == kConstantSpace);
    }

    void mark(Instruction& instr, Kind kind)
    {
        if (m_kinds.insert({&instr, kind}).second)
            m_open.push_back(&instr);
    }

    [[nodiscard]] Kind kindOf(const Value* value) const
    {
        const auto found = m_kinds.find(value);
        return found == m_kinds.end() ? Kind::None : found->second;
    }

    void spread()
    {
        while (!m_open.empty()) {
            const Instruction* from = m_open.back();
            m_open.pop_back();
            const Kind kind = kindOf(from);
            for (const llvm::User* user : from->users())
                if (auto* instr = const_cast<Instruction*>(dyn_cast<Instruction>(user));
                    instr && passes(*instr, *from, kind))
                    mark(*instr, kind);
        }
    }

    /// Whether the result is an address when \p from is.
    static bool passes(const Instruction& instr, const Value& from, Kind kind)
    {
        switch (instr.getOpcode()) {
        case Instruction::Add:
        case Instruction::PHI:
            return true;
        case Instruction::Sub:
            return instr.getOperand(0) == &from;
        case Instruction::Select:
            return instr.getOperand(0) != &from;
        case Instruction::Trunc:
        case Instruction::ZExt:
        case Instruction::SExt:
            return kind != Kind::Generic && instr.getType()->getIntegerBitWidth() >= 32;
        default:
            return false;
        }
    }

    // ---- Parameters that are addresses ----

    /// A number of 64 bits from outside that is used as an address, or the only such in a sum that is, is a pointer.
    void seedParameters()
    {
        std::vector<Value*> candidates;
        for (llvm::Argument& argument : m_function.args())
            if (argument.getType()->isIntegerTy(64))
                candidates.push_back(&argument);
        for (Instruction& instr : llvm::instructions(m_function))
            if (auto* load = dyn_cast<llvm::LoadInst>(&instr);
                load && load->getType()->isIntegerTy(64) && !load->isAtomic())
                candidates.push_back(load);
        llvm::SmallPtrSet<const Value*, 16> known(candidates.begin(), candidates.end());
        llvm::SmallPtrSet<const Value*, 16> pointers;
        for (Instruction& instr : llvm::instructions(m_function))
            if (isa<llvm::IntToPtrInst>(instr))
                if (const Value* root = onlyRoot(instr.getOperand(0), known))
                    pointers.insert(root);
        for (Value* candidate : candidates)
            if (pointers.contains(candidate))
                makePointer(*candidate);
    }

    /// The one candidate in a sum; null: there is none, or several.
    static const Value* onlyRoot(const Value* sum, const llvm::SmallPtrSet<const Value*, 16>& candidates)
    {
        constexpr size_t kMost = 64;
        std::vector<const Value*> open{sum};
        llvm::SmallPtrSet<const Value*, 16> seen;
        const Value* root = nullptr;
        while (!open.empty() && seen.size() < kMost) {
            const Value* value = open.back();
            open.pop_back();
            if (!seen.insert(value).second)
                continue;
            if (isa<llvm::PtrToIntInst>(value) || isCallOf(value, kToWindow))
                return nullptr;
            if (candidates.contains(value)) {
                if (root)
                    return nullptr;
                root = value;
                continue;
            }
            const auto* instr = dyn_cast<Instruction>(value);
            if (!instr)
                continue;
            if (instr->getOpcode() == Instruction::Add || isa<llvm::PHINode>(instr))
                open.insert(open.end(), instr->op_begin(), instr->op_end());
            else if (isa<llvm::SelectInst>(instr))
                open.insert(open.end(), {instr->getOperand(1), instr->getOperand(2)});
            else if (instr->getOpcode() == Instruction::Sub)
                open.push_back(instr->getOperand(0));
        }
        return root;
    }

    /// The number, as one that a pointer was made into.
    void makePointer(Value& number)
    {
        auto* after = isa<llvm::Argument>(number) ? &*m_function.getEntryBlock().getFirstInsertionPt()
                                                  : cast<Instruction>(number).getNextNode();
        llvm::IRBuilder<> build(after);
        if (auto* instr = dyn_cast<Instruction>(&number))
            build.SetCurrentDebugLocation(instr->getDebugLoc());
        Value* pointer = nullptr;
        if (auto* load = dyn_cast<llvm::LoadInst>(&number)) {
            build.SetInsertPoint(load);
            pointer = build.CreateAlignedLoad(build.getPtrTy(), load->getPointerOperand(), load->getAlign(),
                                              load->isVolatile());
        } else {
            pointer = build.CreateIntToPtr(&number, build.getPtrTy());
        }
        Value* address = build.CreatePtrToInt(pointer, build.getInt64Ty());
        number.replaceUsesWithIf(address, [&](const llvm::Use& use) { return use.getUser() != pointer; });
        if (auto* load = dyn_cast<llvm::LoadInst>(&number))
            load->eraseFromParent();
    }

    // ---- Pointers in place of them ----

    void replaceAddresses()
    {
        std::vector<Instruction*> uses;
        for (Instruction& instr : llvm::instructions(m_function))
            if (isa<llvm::IntToPtrInst>(instr) || isCallOf(&instr, kFromWindow))
                uses.push_back(&instr);
        std::vector<llvm::WeakTrackingVH> left;
        for (Instruction* use : uses) {
            Value* number = use->getOperand(0);
            const Kind kind = kindOf(number);
            if (kind == Kind::None || (isa<llvm::IntToPtrInst>(use) && kind == Kind::Window))
                continue;
            use->replaceAllUsesWith(pointerOf(*cast<Instruction>(number)));
            left.emplace_back(use);
        }
        for (llvm::WeakTrackingVH& each : left)
            if (auto* instr = llvm::dyn_cast_or_null<Instruction>(each))
                llvm::RecursivelyDeleteTriviallyDeadInstructions(instr);
        removeUnused();
    }

    /// Numbers that pointers have replaced, in circles too.
    void removeUnused()
    {
        std::vector<llvm::WeakTrackingVH> phis;
        for (Instruction& instr : llvm::instructions(m_function))
            if (isa<llvm::PHINode>(instr))
                phis.emplace_back(&instr);
        for (llvm::WeakTrackingVH& each : phis)
            if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(each))
                llvm::RecursivelyDeleteDeadPHINode(phi);
        std::vector<llvm::WeakTrackingVH> all;
        for (Instruction& instr : llvm::instructions(m_function))
            if (llvm::isInstructionTriviallyDead(&instr))
                all.emplace_back(&instr);
        for (llvm::WeakTrackingVH& each : all)
            if (auto* instr = llvm::dyn_cast_or_null<Instruction>(each))
                llvm::RecursivelyDeleteTriviallyDeadInstructions(instr);
    }

    Value* pointerOf(Instruction& number)
    {
        // By hand: long chains of sums would need a deep stack.
        std::vector<Instruction*> open{&number};
        while (!open.empty()) {
            Instruction* next = open.back();
            if (m_pointers.contains(next)) {
                open.pop_back();
                continue;
            }
            if (auto* phi = dyn_cast<llvm::PHINode>(next)) {
                beginPhi(*phi);
                open.pop_back();
                continue;
            }
            bool isReady = true;
            for (Value* operand : sourcesOf(*next))
                if (auto* instr = dyn_cast<Instruction>(operand);
                    instr && kindOf(instr) != Kind::None && !m_pointers.contains(instr)) {
                    open.push_back(instr);
                    isReady = false;
                }
            if (!isReady)
                continue;
            m_pointers[next] = made(*next);
            open.pop_back();
        }
        Value* result = m_pointers.lookup(&number);
        finishPhis();
        return result;
    }

    /// The operands whose pointers the result's is made of.
    std::vector<Value*> sourcesOf(Instruction& number) const
    {
        if (ownKind(number) != Kind::None)
            return {};
        if (isa<llvm::SelectInst>(number))
            return {number.getOperand(1), number.getOperand(2)};
        return {number.getOperand(baseIndex(number))};
    }

    /// Which operand of a sum is the address.
    [[nodiscard]] unsigned baseIndex(const Instruction& sum) const
    {
        return sum.getOpcode() == Instruction::Add && kindOf(sum.getOperand(0)) == Kind::None ? 1 : 0;
    }

    void beginPhi(llvm::PHINode& phi)
    {
        llvm::IRBuilder<> build(&phi);
        build.SetCurrentDebugLocation(phi.getDebugLoc());
        m_pointers[&phi] = build.CreatePHI(build.getPtrTy(), phi.getNumIncomingValues());
        m_phis.push_back(&phi);
    }

    void finishPhis()
    {
        while (!m_phis.empty()) {
            llvm::PHINode* phi = m_phis.back();
            m_phis.pop_back();
            auto* pointers = cast<llvm::PHINode>(m_pointers.lookup(phi));
            for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
                pointers->addIncoming(
                    sourcePointer(*phi->getIncomingValue(i), kindOf(phi), *phi->getIncomingBlock(i)->getTerminator()),
                    phi->getIncomingBlock(i));
        }
    }

    /// Of what comes into a phi or a select; what is no address there is taken for one.
    Value* sourcePointer(Value& number, Kind kind, Instruction& before)
    {
        if (auto* instr = dyn_cast<Instruction>(&number); instr && kindOf(instr) != Kind::None) {
            if (!m_pointers.contains(instr))
                return pointerOf(*instr);
            return m_pointers.lookup(instr);
        }
        llvm::IRBuilder<> build(&before);
        if (kind != Kind::Window)
            return build.CreateIntToPtr(&number, build.getPtrTy());
        return build.CreateCall(
            cast<llvm::Function>(m_function.getParent()
                                     ->getOrInsertFunction(kFromWindow, build.getPtrTy(), build.getInt64Ty())
                                     .getCallee()),
            {build.CreateZExt(&number, build.getInt64Ty())});
    }

    /// The pointer that \p number is of, once those of its operands are there.
    Value* made(Instruction& number)
    {
        if (auto* address = dyn_cast<llvm::PtrToIntInst>(&number))
            return address->getPointerOperand();
        if (isCallOf(&number, kToWindow))
            return number.getOperand(0);
        llvm::IRBuilder<> build(&number);
        if (auto* select = dyn_cast<llvm::SelectInst>(&number))
            return build.CreateSelect(select->getCondition(),
                                      sourcePointer(*select->getTrueValue(), kindOf(select), number),
                                      sourcePointer(*select->getFalseValue(), kindOf(select), number));
        Value* base = m_pointers.lookup(number.getOperand(baseIndex(number)));
        if (isa<llvm::CastInst>(number))
            return base;
        Value* offset = number.getOperand(1 - baseIndex(number));
        build.SetCurrentDebugLocation({});  // an access is at its own place, not where its address was summed
        return offsetFrom(build, base, *offset, number.getOpcode() == Instruction::Sub);
    }

    /// With the size of an element where the offset is a product of it.
    static Value* offsetFrom(llvm::IRBuilder<>& build, Value* base, Value& offset, bool isLess)
    {
        if (const auto* constant = dyn_cast<llvm::ConstantInt>(&offset)) {
            if (constant->isZero())
                return base;
            const llvm::APInt bytes = constant->getValue().sextOrTrunc(64);
            return build.CreateInBoundsGEP(build.getInt8Ty(), base, build.getInt(isLess ? -bytes : bytes));
        }
        if (isLess)
            return build.CreateInBoundsGEP(build.getInt8Ty(), base,
                                           build.CreateNeg(build.CreateSExtOrTrunc(&offset, build.getInt64Ty())));
        auto* product = dyn_cast<llvm::BinaryOperator>(&offset);
        if (product && offset.getType()->isIntegerTy(64) && isExact(*product))
            if (const auto* factor = dyn_cast<llvm::ConstantInt>(product->getOperand(1))) {
                const uint64_t size = product->getOpcode() == Instruction::Shl ? uint64_t{1} << factor->getZExtValue()
                                                                               : factor->getZExtValue();
                return build.CreateInBoundsGEP(elementOf(build, size), base, product->getOperand(0));
            }
        return build.CreateInBoundsGEP(build.getInt8Ty(), base, build.CreateSExt(&offset, build.getInt64Ty()));
    }

    /// A product of 64 bits by a small constant: of what was narrower, or whole, the same modulo 2^64.
    static bool isExact(const llvm::BinaryOperator& product)
    {
        const auto* factor = dyn_cast<llvm::ConstantInt>(product.getOperand(1));
        if (!factor)
            return false;
        if (product.getOpcode() == Instruction::Shl)
            return factor->getValue().ult(12);
        return product.getOpcode() == Instruction::Mul && factor->getValue().ult(4096) && !factor->isZero();
    }

    static llvm::Type* elementOf(llvm::IRBuilder<>& build, uint64_t bytes)
    {
        if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
            return build.getIntNTy(static_cast<unsigned>(bytes) * 8);
        return llvm::ArrayType::get(build.getInt8Ty(), bytes);
    }

    // ---- What is left ----

    void expandCalls()
    {
        std::vector<Instruction*> calls;
        for (Instruction& instr : llvm::instructions(m_function))
            if (isCallOf(&instr, kToWindow) || isCallOf(&instr, kFromWindow))
                calls.push_back(&instr);
        for (Instruction* call : calls) {
            llvm::IRBuilder<> build(call);
            Value* argument = call->getOperand(0);
            Value* result = nullptr;
            if (isCallOf(call, kToWindow))
                result = toSharedWindow(build, build.CreatePtrToInt(argument, build.getInt64Ty()));
            else
                result = build.CreateIntToPtr(fromSharedWindow(build, argument), build.getPtrTy());
            call->replaceAllUsesWith(result);
            call->eraseFromParent();
        }
    }

    llvm::Function& m_function;
    llvm::DenseMap<const Value*, Kind> m_kinds;
    std::vector<Instruction*> m_open;
    llvm::DenseMap<const Value*, Value*> m_pointers;
    std::vector<llvm::PHINode*> m_phis;
};

}  // namespace

void recoverPointers(llvm::Function& function)
{
    PointerRecovery(function).run();
}

}  // namespace lanescope::simt
