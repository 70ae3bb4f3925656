// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls at the places whose sites the simulator records, in code that blocks run which are recorded; the others run a
// copy of the code as it was.
#include <set>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "core/simt/lower/program_builder.h"
#include "instrumented/instrument/calls.h"
#include "instrumented/instrument/pieces.h"
#include "instrumented/instrument/tensor_copies.h"

namespace lanescope::instrument {

using device::ObjectKey;
using device::PlaceNumber;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

class PlaceCalls {
public:
    PlaceCalls(DeviceCode& code, Calls& calls, llvm::IRBuilder<>& build)
        : m_code(code), m_module(*code.module), m_calls(calls), m_build(build)
    {
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
        PlainCode plain(m_code);
        passArgumentsByCopy();
        for (llvm::AllocaInst* local : locals)
            callForLocal(*local);
        for (auto& [kernel, objects] : entries)
            callAtEntry(*kernel, objects);
        for (auto [instr, number] : work)
            callAt(*instr, number);
        m_calls.finish();
        plain.connect();
    }

private:
    void gatherPlaces()
    {
        for (const auto& [kernel, program] : m_code.programs) {
            for (const device::SitePlace& place : program->places)
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

    void callAt(llvm::Instruction& instr, uint32_t number)
    {
        if (auto* load = dyn_cast<llvm::LoadInst>(&instr)) {
            after(instr);
            m_calls.access(number, instr, load->getPointerOperand(), load);
        } else if (auto* store = dyn_cast<llvm::StoreInst>(&instr)) {
            at(instr);
            m_calls.access(number, instr, store->getPointerOperand(), store->getValueOperand());
        } else if (auto* atomic = dyn_cast<llvm::AtomicRMWInst>(&instr)) {
            after(instr);
            m_calls.access(number, instr, atomic->getPointerOperand(),
                           llvm::buildAtomicRMWValue(atomic->getOperation(), m_build, atomic, atomic->getValOperand()));
        } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr)) {
            after(instr);
            Value* before = m_build.CreateExtractValue(exchange, 0);
            Value* swapped = m_build.CreateExtractValue(exchange, 1);
            m_calls.access(number, instr, exchange->getPointerOperand(),
                           m_build.CreateSelect(swapped, exchange->getNewValOperand(), before));
        } else if (auto* branch = dyn_cast<llvm::BranchInst>(&instr)) {
            at(instr);
            m_calls.branch(number, m_build.CreateZExt(branch->getCondition(), m_build.getInt32Ty()));
        } else if (auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
            at(instr);
            m_calls.copy(PlaceNumber::of(number, 0), genericPointer(m_build, copy->getRawDest()),
                         genericPointer(m_build, copy->getRawSource()),
                         m_build.CreateZExt(copy->getLength(), m_build.getInt64Ty()));
            instr.eraseFromParent();
        } else if (auto* set = dyn_cast<llvm::MemSetInst>(&instr)) {
            at(instr);
            m_calls.set(PlaceNumber::of(number, 0), genericPointer(m_build, set->getRawDest()),
                        m_build.CreateZExt(set->getValue(), m_build.getInt32Ty()),
                        m_build.CreateZExt(set->getLength(), m_build.getInt64Ty()));
            instr.eraseFromParent();
        } else if (isTensorCopy(instr)) {
            copyTensor(cast<llvm::CallInst>(instr), number);
        } else if (isa<llvm::ReturnInst>(instr) || isMark(instr)) {
            at(instr);
            m_calls.mark(number, instr);
        }
    }

    /// Of its places the first is the map's, then comes what it reads, then what it writes.
    void copyTensor(llvm::CallInst& copy, uint32_t number)
    {
        const BoxMoves moves{
            [&](Value* to, Value* from, Value* length) { m_calls.copy(PlaceNumber::of(number, 1), to, from, length); },
            [&](Value* to, Value* length) {
                m_calls.set(PlaceNumber::of(number, 2), to, m_build.getInt32(0), length);
            }};
        expandTensorCopy(copy, m_build, moves);
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

    void callAtEntry(llvm::Function& kernel, const std::vector<std::pair<uint32_t, Value*>>& objects)
    {
        at(*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        for (auto [number, object] : objects)
            m_calls.object(number, object);
        // From where two blocks' memory begins follows where every block's does.
        if (m_module.getFunction("__ls_map_rank"))
            for (uint32_t rank = 0; rank < 2; ++rank)
                m_calls.blockOfCluster(rank, sharedOf(rank));
        m_calls.kernelEntry();
    }

    Value* sharedOf(uint32_t rank)
    {
        llvm::Type* wide = m_build.getInt64Ty();
        return m_build.CreateCall(
            m_module.getOrInsertFunction("__lanescope_shared_of",
                                         llvm::FunctionType::get(wide, {m_build.getInt32Ty()}, false)),
            {m_build.getInt32(rank)});
    }

    void callForLocal(llvm::AllocaInst& local)
    {
        if (local.isStaticAlloca())
            at(*local.getParent()->getFirstNonPHIOrDbgOrAlloca());
        else
            after(local);
        m_calls.object(key(local), &local);
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
            m_calls.object(key(argument), copy);
            m_calls.copy(PlaceNumber::of(m_code.numbers->of(*call), 2 * earlier), copy,
                         genericPointer(m_build, call->getArgOperand(index)), m_build.getInt64(bytes));
            call->removeParamAttr(index, llvm::Attribute::ByVal);
            call->setArgOperand(index, copy);
        }
    }

    DeviceCode& m_code;
    llvm::Module& m_module;
    Calls& m_calls;
    llvm::IRBuilder<>& m_build;
    std::set<uint32_t> m_numbered;  ///< instructions with places
    std::set<uint32_t> m_keys;      ///< objects that some kernel has
    std::set<std::pair<llvm::Function*, unsigned>> m_byValue;
};

}  // namespace

llvm::FunctionCallee Calls::declare(DeviceCode& code, const char* name, llvm::ArrayRef<llvm::Type*> parameters)
{
    llvm::Type* none = llvm::Type::getVoidTy(code.context);
    llvm::FunctionCallee callee =
        code.module->getOrInsertFunction(name, llvm::FunctionType::get(none, parameters, false));
    auto* function = cast<llvm::Function>(callee.getCallee());
    function->setConvergent();
    function->setDoesNotThrow();
    return callee;
}

void addCalls(DeviceCode& code, Calls& calls, llvm::IRBuilder<>& build)
{
    PlaceCalls(code, calls, build).run();
}

}  // namespace lanescope::instrument
