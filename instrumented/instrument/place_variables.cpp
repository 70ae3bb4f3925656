// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host allocates __device__ and __constant__ variables with all its other memory, so that an address means the
// same whoever runs the kernel: the code looks them up in a table that the host fills. Functions, too, have the
// addresses that the simulator gives them; calls through pointers are switches over those.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "instrumented/instrument/device_code.h"
#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

class VariablePlacement {
public:
    explicit VariablePlacement(DeviceCode& code) : m_code(code), m_module(*code.module) {}

    void run()
    {
        for (const char* name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"})
            if (llvm::GlobalVariable* list = m_module.getNamedGlobal(name))
                list->eraseFromParent();
        placeFunctions();
        // Initial values are the host's business; they may hold other variables' addresses.
        std::vector<llvm::Constant*> constants;
        for (llvm::GlobalVariable* variable : m_code.variables) {
            variable->setInitializer(llvm::UndefValue::get(variable->getValueType()));
            constants.push_back(variable);
        }
        llvm::convertUsersOfConstantsToInstructions(constants);
        makeTable();
        for (size_t i = 0; i < m_code.variables.size(); ++i)
            place(*m_code.variables[i], i);
        for (llvm::GlobalVariable& global : llvm::make_early_inc_range(m_module.globals()))
            if (global.isDeclaration() && global.getAddressSpace() != 3)
                dropDeclaration(global);
    }

private:
    void placeFunctions()
    {
        llvm::Type* number = llvm::Type::getInt64Ty(m_code.context);
        for (auto [function, address] : m_code.functionAddresses) {
            auto* taken = const_cast<llvm::Function*>(function);
            taken->replaceUsesWithIf(
                llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(number, address), taken->getType()),
                [&](const llvm::Use& use) {
                    const auto* call = dyn_cast<llvm::CallBase>(use.getUser());
                    return !(call && call->isCallee(&use)) && !isa<llvm::MetadataAsValue>(use.getUser());
                });
        }
    }

    void makeTable()
    {
        llvm::Type* word = llvm::Type::getInt32Ty(m_code.context);
        new llvm::GlobalVariable(m_module, word, true, llvm::GlobalValue::ExternalLinkage,
                                 llvm::ConstantInt::get(word, m_code.numbers->total()), kCodeTotal, nullptr,
                                 llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
        makeCountEntries();
        if (m_code.variables.empty())
            return;
        m_type = llvm::ArrayType::get(llvm::Type::getInt64Ty(m_code.context), m_code.variables.size());
        m_table = new llvm::GlobalVariable(m_module, m_type, false, llvm::GlobalValue::ExternalLinkage,
                                           llvm::ConstantAggregateZero::get(m_type), kVariableTable, nullptr,
                                           llvm::GlobalValue::NotThreadLocal, kConstantSpace, true);
    }

    void makeCountEntries()
    {
        if (m_code.countEntries.empty())
            return;
        std::vector<uint64_t> words;
        for (const cuda::CountEntry& entry : m_code.countEntries)
            words.push_back(entry.place | uint64_t{entry.bytes} << 32 | uint64_t{entry.space} << 48);
        llvm::Constant* shape = llvm::ConstantDataArray::get(
            m_code.context, llvm::ArrayRef<uint32_t>{m_code.raceObjects, m_code.raceShift, m_code.raceLimits});
        new llvm::GlobalVariable(m_module, shape->getType(), true, llvm::GlobalValue::ExternalLinkage, shape,
                                 kRaceShape, nullptr, llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
        llvm::Constant* table = llvm::ConstantDataArray::get(m_code.context, words);
        new llvm::GlobalVariable(m_module, table->getType(), true, llvm::GlobalValue::ExternalLinkage, table,
                                 kCountEntries, nullptr, llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
    }

    Value* pointerBefore(llvm::Instruction& user, size_t index, unsigned space)
    {
        llvm::IRBuilder<> build(&user);
        Value* entry = build.CreateConstInBoundsGEP2_64(m_type, m_table, 0, index);
        llvm::LoadInst* address = build.CreateLoad(build.getInt64Ty(), entry);
        address->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_code.context, {}));
        return build.CreateIntToPtr(address, build.getPtrTy(space));
    }

    void place(llvm::GlobalVariable& variable, size_t index)
    {
        const unsigned space = variable.getAddressSpace() == kConstantSpace ? 0 : variable.getAddressSpace();
        std::vector<llvm::Use*> uses;
        for (llvm::Use& use : variable.uses())
            uses.push_back(&use);
        for (llvm::Use* use : uses) {
            auto* user = dyn_cast<llvm::Instruction>(use->getUser());
            if (!user)
                continue;
            llvm::Instruction* before = user;
            if (auto* phi = dyn_cast<llvm::PHINode>(user))
                before = phi->getIncomingBlock(*use)->getTerminator();
            replaceUse(*use, pointerBefore(*before, index, space));
        }
        variable.replaceAllUsesWith(llvm::UndefValue::get(variable.getType()));
        variable.eraseFromParent();
    }

    /// \p pointer may be of another address space than what is used.
    void replaceUse(llvm::Use& use, Value* pointer)
    {
        auto* user = cast<llvm::Instruction>(use.getUser());
        if (use->getType() == pointer->getType()) {
            use.set(pointer);
            return;
        }
        if (auto* conversion = dyn_cast<llvm::AddrSpaceCastInst>(user)) {
            llvm::IRBuilder<> build(conversion);
            conversion->replaceAllUsesWith(pointer->getType() == conversion->getType()
                                               ? pointer
                                               : build.CreateAddrSpaceCast(pointer, conversion->getType()));
            conversion->eraseFromParent();
        } else if (auto* gep = dyn_cast<llvm::GetElementPtrInst>(user); gep && use.getOperandNo() == 0) {
            llvm::IRBuilder<> build(gep);
            const llvm::SmallVector<Value*> indices(gep->indices());
            Value* moved = build.CreateGEP(gep->getSourceElementType(), pointer, indices);
            std::vector<llvm::Use*> uses;
            for (llvm::Use& other : gep->uses())
                uses.push_back(&other);
            for (llvm::Use* other : uses)
                replaceUse(*other, moved);
            gep->eraseFromParent();
        } else if (isa<llvm::LoadInst, llvm::PtrToIntInst, llvm::ICmpInst>(user)) {
            use.set(pointer);
        } else {
            throw Refused{{Error::Code::Unsupported, "constant memory is used in a way that is not supported on a GPU",
                           placeOf(*user)}};
        }
    }

    static void dropDeclaration(llvm::GlobalVariable& global)
    {
        global.replaceAllUsesWith(llvm::Constant::getNullValue(global.getType()));
        global.eraseFromParent();
    }

    DeviceCode& m_code;
    llvm::Module& m_module;
    llvm::ArrayType* m_type = nullptr;
    llvm::GlobalVariable* m_table = nullptr;
};

}  // namespace

void placeVariables(DeviceCode& code)
{
    VariablePlacement(code).run();
}

}  // namespace lanescope::instrument
