// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the logger (instrumented/device) at the places whose sites the simulator records.
#include <set>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "core/simt/lowering.h"
#include "instrumented/instrument/device_code.h"

namespace lanescope::instrument {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;
using simt::ObjectKey;
using simt::PlaceNumber;

namespace {

/// Bytes of a load or store that make one event, as the simulator cuts them: neighbours of one size, a power of two
/// up to 16.
struct Piece {
    uint64_t offset = 0;
    unsigned bytes = 0;
    Value* low = nullptr;   ///< i64
    Value* high = nullptr;  ///< i64; of 16 bytes
};

class LogCalls {
public:
    explicit LogCalls(DeviceCode& code) : m_code(code), m_module(*code.module), m_build(code.context)
    {
        llvm::Type* none = m_build.getVoidTy();
        llvm::Type *word = m_build.getInt32Ty(), *wide = m_build.getInt64Ty(), *pointer = m_build.getPtrTy();
        m_access = declare("__lanescope_access", none, {word, wide, wide, wide, word});
        m_branch = declare("__lanescope_branch", none, {word, word});
        m_mark = declare("__lanescope_mark", none, {word});
        m_object = declare("__lanescope_object", none, {word, wide});
        m_copy = declare("__lanescope_copy", none, {word, pointer, pointer, wide});
        m_set = declare("__lanescope_set", none, {word, pointer, word, wide});
    }

    void run()
    {
        gatherPlaces();
        // All work is gathered first: numbers are of the code as it was.
        std::vector<std::pair<llvm::Instruction*, uint32_t>> work;
        std::vector<llvm::AllocaInst*> locals;
        for (llvm::Function& function : m_module)
            for (llvm::Instruction& instr : llvm::instructions(function)) {
                const uint32_t number = m_code.numbers->of(instr);
                if (m_numbered.contains(number))
                    work.emplace_back(&instr, number);
                if (auto* alloca = dyn_cast<llvm::AllocaInst>(&instr); alloca && m_keys.contains(key(*alloca)))
                    locals.push_back(alloca);
            }
        std::vector<std::pair<llvm::Function*, std::vector<std::pair<uint32_t, Value*>>>> entries;
        for (const auto& [kernel, program] : m_code.programs)
            entries.emplace_back(kernel, objectsAtEntry(*kernel, *program));
        passArgumentsByCopy();
        for (llvm::AllocaInst* local : locals)
            logLocal(*local);
        for (auto& [kernel, objects] : entries)
            logAtEntry(*kernel, objects);
        for (auto [instr, number] : work)
            logInstruction(*instr, number);
    }

private:
    llvm::FunctionCallee declare(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters)
    {
        llvm::FunctionCallee callee =
            m_module.getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false));
        auto* function = cast<llvm::Function>(callee.getCallee());
        function->setConvergent();
        function->setDoesNotThrow();
        return callee;
    }

    /// Calls from two sides of a branch stay two: lanes that meet in one would log as if they ran together.
    void log(llvm::FunctionCallee callee, llvm::ArrayRef<Value*> arguments)
    {
        m_build.CreateCall(callee, arguments)->addFnAttr(llvm::Attribute::NoMerge);
    }

    void gatherPlaces()
    {
        for (const auto& [kernel, program] : m_code.programs) {
            for (const simt::SitePlace& place : program->places)
                m_numbered.insert(place.place.value >> PlaceNumber::kPieceBits);
            for (const simt::MemoryObject& object : program->shared)
                m_keys.insert(object.key.value);
            for (const simt::MemoryObject& object : program->locals)
                m_keys.insert(object.key.value);
        }
    }

    template <typename Object>
    uint32_t key(const Object& object) const
    {
        return m_code.numbers->of(object).value;
    }

    /// Where to log before \p instr, at its place in the source.
    void at(llvm::Instruction& instr)
    {
        m_build.SetInsertPoint(&instr);
        m_build.SetCurrentDebugLocation(locationFor(*instr.getFunction(), instr.getDebugLoc()));
    }
    void after(llvm::Instruction& instr)
    {
        at(*instr.getNextNode());
        m_build.SetCurrentDebugLocation(locationFor(*instr.getFunction(), instr.getDebugLoc()));
    }
    /// Calls in functions with debug information must have a place.
    static llvm::DebugLoc locationFor(const llvm::Function& function, const llvm::DebugLoc& wanted)
    {
        if (wanted || !function.getSubprogram())
            return wanted;
        return llvm::DILocation::get(function.getContext(), 0, 0, function.getSubprogram());
    }

    Value* place(uint32_t number, uint32_t piece = 0) { return m_build.getInt32(PlaceNumber::of(number, piece).value); }
    Value* generic(Value* pointer)
    {
        return pointer->getType()->getPointerAddressSpace() == 0
                   ? pointer
                   : m_build.CreateAddrSpaceCast(pointer, m_build.getPtrTy());
    }
    Value* address(Value* pointer, uint64_t offset = 0)
    {
        Value* number = m_build.CreatePtrToInt(generic(pointer), m_build.getInt64Ty());
        return offset ? m_build.CreateAdd(number, m_build.getInt64(offset)) : number;
    }

    /// A scalar's bits.
    Value* bits(Value* value)
    {
        llvm::Type* type = value->getType();
        if (type->isPointerTy())
            return address(value);
        if (!type->isIntegerTy())
            value = m_build.CreateBitCast(value, m_build.getIntNTy(type->getScalarSizeInBits()));
        return value;
    }

    /// Scalars of a value in memory order, with their offset and bits.
    void leaves(Value* value, uint64_t offset, std::vector<Piece>& out)
    {
        llvm::Type* type = value->getType();
        const llvm::DataLayout& layout = m_module.getDataLayout();
        if (auto* structure = dyn_cast<llvm::StructType>(type)) {
            for (unsigned i = 0; i < structure->getNumElements(); ++i)
                leaves(m_build.CreateExtractValue(value, i),
                       offset + layout.getStructLayout(structure)->getElementOffset(i), out);
        } else if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
            const uint64_t stride = layout.getTypeAllocSize(array->getElementType());
            for (unsigned i = 0; i < array->getNumElements(); ++i)
                leaves(m_build.CreateExtractValue(value, i), offset + i * stride, out);
        } else if (auto* vector = dyn_cast<llvm::FixedVectorType>(type)) {
            const uint64_t stride = layout.getTypeStoreSize(vector->getElementType());
            for (unsigned i = 0; i < vector->getNumElements(); ++i)
                leaves(m_build.CreateExtractElement(value, uint64_t{i}), offset + i * stride, out);
        } else if (type->isIntegerTy(128)) {
            out.push_back({offset, 8, m_build.CreateTrunc(value, m_build.getInt64Ty()), nullptr});
            out.push_back(
                {offset + 8, 8, m_build.CreateTrunc(m_build.CreateLShr(value, 64), m_build.getInt64Ty()), nullptr});
        } else {
            out.push_back({offset, static_cast<unsigned>(layout.getTypeStoreSize(type)),
                           m_build.CreateZExtOrTrunc(bits(value), m_build.getInt64Ty()), nullptr});
        }
    }

    std::vector<Piece> piecesOf(Value* value)
    {
        std::vector<Piece> all, pieces;
        leaves(value, 0, all);
        auto isWide = [](const Piece& leaf) { return leaf.bytes == 8; };
        for (size_t first = 0; first < all.size();) {
            size_t count = 1;
            while (first + count < all.size() && all[first + count].bytes == all[first].bytes &&
                   isWide(all[first + count]) == isWide(all[first]) &&
                   all[first + count].offset == all[first].offset + count * all[first].bytes &&
                   (count + 1) * all[first].bytes <= 16)
                ++count;
            while (count > 1 && !std::has_single_bit(count * all[first].bytes))
                --count;
            pieces.push_back(combine(all.data() + first, count));
            first += count;
        }
        return pieces;
    }

    Piece combine(const Piece* leaf, size_t count)
    {
        Piece piece{leaf->offset, static_cast<unsigned>(count) * leaf->bytes, nullptr, nullptr};
        Value* words[2] = {m_build.getInt64(0), m_build.getInt64(0)};
        for (size_t i = 0; i < count; ++i) {
            const size_t bit = i * leaf->bytes * 8;
            words[bit / 64] = m_build.CreateOr(words[bit / 64], m_build.CreateShl(leaf[i].low, bit % 64));
        }
        piece.low = words[0];
        piece.high = words[1];
        return piece;
    }

    void logAccess(uint32_t number, Value* pointer, Value* value)
    {
        for (const Piece& piece : piecesOf(value))
            log(m_access,
                {place(number), address(pointer, piece.offset), piece.low, piece.high, m_build.getInt32(piece.bytes)});
    }

    void logInstruction(llvm::Instruction& instr, uint32_t number)
    {
        if (auto* load = dyn_cast<llvm::LoadInst>(&instr)) {
            after(instr);
            logAccess(number, load->getPointerOperand(), load);
        } else if (auto* store = dyn_cast<llvm::StoreInst>(&instr)) {
            at(instr);
            logAccess(number, store->getPointerOperand(), store->getValueOperand());
        } else if (auto* atomic = dyn_cast<llvm::AtomicRMWInst>(&instr)) {
            after(instr);
            logAccess(number, atomic->getPointerOperand(),
                      llvm::buildAtomicRMWValue(atomic->getOperation(), m_build, atomic, atomic->getValOperand()));
        } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr)) {
            after(instr);
            Value* before = m_build.CreateExtractValue(exchange, 0);
            Value* swapped = m_build.CreateExtractValue(exchange, 1);
            logAccess(number, exchange->getPointerOperand(),
                      m_build.CreateSelect(swapped, exchange->getNewValOperand(), before));
        } else if (auto* branch = dyn_cast<llvm::BranchInst>(&instr)) {
            at(instr);
            log(m_branch, {place(number), m_build.CreateZExt(branch->getCondition(), m_build.getInt32Ty())});
        } else if (auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
            at(instr);
            log(m_copy, {place(number), generic(copy->getRawDest()), generic(copy->getRawSource()),
                         m_build.CreateZExt(copy->getLength(), m_build.getInt64Ty())});
            instr.eraseFromParent();
        } else if (auto* set = dyn_cast<llvm::MemSetInst>(&instr)) {
            at(instr);
            log(m_set,
                {place(number), generic(set->getRawDest()), m_build.CreateZExt(set->getValue(), m_build.getInt32Ty()),
                 m_build.CreateZExt(set->getLength(), m_build.getInt64Ty())});
            instr.eraseFromParent();
        } else if (isa<llvm::ReturnInst>(instr) || isMark(instr)) {
            at(instr);
            log(m_mark, {place(number)});
        }
    }

    /// A barrier; calls that copy structs have places too, but passArgumentsByCopy has dealt with them.
    static bool isMark(const llvm::Instruction& instr)
    {
        const auto* call = dyn_cast<llvm::CallInst>(&instr);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        return callee && callee->isDeclaration();
    }

    // ---- Memory objects ----

    std::vector<std::pair<uint32_t, Value*>> objectsAtEntry(llvm::Function& kernel, const simt::Program& program)
    {
        std::vector<std::pair<uint32_t, Value*>> objects;
        std::set<uint32_t> shared;
        for (const simt::MemoryObject& object : program.shared)
            shared.insert(object.key.value);
        for (llvm::GlobalVariable& global : m_module.globals())
            if (global.getAddressSpace() == 3 && shared.contains(key(global)))
                objects.emplace_back(key(global), &global);
        for (llvm::Argument& argument : kernel.args())
            if (argument.hasByValAttr())
                objects.emplace_back(key(argument), &argument);
        return objects;
    }

    void logAtEntry(llvm::Function& kernel, const std::vector<std::pair<uint32_t, Value*>>& objects)
    {
        at(*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        for (auto [number, object] : objects)
            log(m_object, {m_build.getInt32(number), address(object)});
    }

    void logLocal(llvm::AllocaInst& local)
    {
        if (local.isStaticAlloca())
            at(*local.getParent()->getFirstNonPHIOrDbgOrAlloca());
        else
            after(local);
        log(m_object, {m_build.getInt32(key(local)), address(&local)});
    }

    /// A struct passed by value to a device function: the caller makes the copy, as the simulator does, in an object
    /// of the callee.
    void passArgumentsByCopy()
    {
        for (llvm::Function& function : m_module) {
            if (function.isDeclaration() || m_code.programs.contains(&function))
                continue;
            for (llvm::Argument& argument : function.args())
                if (argument.hasByValAttr())
                    passByCopy(function, argument);
        }
    }

    void passByCopy(llvm::Function& function, llvm::Argument& argument)
    {
        llvm::Type* type = argument.getParamByValType();
        const unsigned index = argument.getArgNo();
        const uint64_t bytes = m_module.getDataLayout().getTypeAllocSize(type);
        unsigned earlier = 0;
        for (unsigned i = 0; i < index; ++i)
            earlier += m_byValue.contains({&function, i});
        m_byValue.insert({&function, index});
        argument.removeAttr(llvm::Attribute::ByVal);
        for (llvm::User* user : function.users()) {
            auto* call = dyn_cast<llvm::CallInst>(user);
            if (!call || call->getCalledFunction() != &function)
                continue;
            llvm::Function& caller = *call->getFunction();
            m_build.SetInsertPoint(&*caller.getEntryBlock().getFirstInsertionPt());
            auto* copy = m_build.CreateAlloca(type);
            copy->setAlignment(std::max(call->getParamAlign(index).valueOrOne(), llvm::Align(8)));
            at(*call);
            log(m_object, {m_build.getInt32(key(argument)), address(copy)});
            log(m_copy, {place(m_code.numbers->of(*call), 2 * earlier), copy, generic(call->getArgOperand(index)),
                         m_build.getInt64(bytes)});
            call->removeParamAttr(index, llvm::Attribute::ByVal);
            call->setArgOperand(index, copy);
        }
    }

    DeviceCode& m_code;
    llvm::Module& m_module;
    llvm::IRBuilder<> m_build;
    llvm::FunctionCallee m_access, m_branch, m_mark, m_object, m_copy, m_set;
    std::set<uint32_t> m_numbered;  ///< instructions with places
    std::set<uint32_t> m_keys;      ///< objects that some kernel has
    std::set<std::pair<llvm::Function*, unsigned>> m_byValue;
};

}  // namespace

void addLogCalls(DeviceCode& code)
{
    LogCalls(code).run();
}

}  // namespace lanescope::instrument
