// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/element_types.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace lanescope::simt {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// The type that an instruction reads or writes at \p pointer; null: it does neither.
llvm::Type* accessedType(const llvm::User& user, const llvm::Value& pointer)
{
    if (const auto* load = dyn_cast<llvm::LoadInst>(&user))
        return load->getType();
    if (const auto* store = dyn_cast<llvm::StoreInst>(&user))
        return store->getPointerOperand() == &pointer ? store->getValueOperand()->getType() : nullptr;
    if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&user))
        return update->getPointerOperand() == &pointer ? update->getType() : nullptr;
    return nullptr;
}

bool leadsOn(const llvm::User& user)
{
    return isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst>(user);
}

/// Whether all that is done with a loaded word is to store it elsewhere.
bool isOnlyMoved(const llvm::Value& value)
{
    return isa<llvm::LoadInst>(value) && value.getType()->isIntegerTy() && !value.use_empty() &&
           std::all_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
               const auto* store = dyn_cast<llvm::StoreInst>(user);
               return store && store->getValueOperand() == &value && !store->isAtomic();
           });
}

/// Whether an access tells nothing of what its word is.
bool isMove(const llvm::User& user)
{
    if (const auto* load = dyn_cast<llvm::LoadInst>(&user))
        return isOnlyMoved(*load) && !load->isAtomic();
    const auto* store = dyn_cast<llvm::StoreInst>(&user);
    return store && !store->isAtomic() &&
           (isa<llvm::ConstantInt>(store->getValueOperand()) || isOnlyMoved(*store->getValueOperand()));
}

/// Of the accesses that tell one; of the moves when there are no others.
llvm::Type* typeOfAccesses(const llvm::Value& pointer, bool withMoves)
{
    std::vector<const llvm::Value*> open{&pointer};
    std::set<const llvm::Value*> seen{&pointer};
    llvm::Type* element = nullptr;
    while (!open.empty()) {
        const llvm::Value& value = *open.back();
        open.pop_back();
        for (const llvm::User* user : value.users()) {
            if (leadsOn(*user) && seen.insert(user).second)
                open.push_back(user);
            const llvm::Type* type = accessedType(*user, value);
            if (!type || (!withMoves && isMove(*user)))
                continue;
            llvm::Type* scalar = type->getScalarType();
            if (element && element != scalar)
                return nullptr;
            element = scalar;
        }
    }
    return element;
}

/// What an address is computed from.
const llvm::Value& objectOf(const llvm::Value& pointer)
{
    const llvm::Value* at = &pointer;
    for (;;) {
        at = at->stripPointerCasts();
        const auto* gep = dyn_cast<llvm::GEPOperator>(at);
        if (!gep)
            return *at;
        at = gep->getPointerOperand();
    }
}

/// Gives moved words the types of where they come from or go to.
class MovedValues {
public:
    explicit MovedValues(llvm::Function& function) : m_function(function) {}

    void run()
    {
        std::vector<llvm::LoadInst*> moves;
        for (llvm::Instruction& instr : llvm::instructions(m_function))
            if (auto* load = dyn_cast<llvm::LoadInst>(&instr); load && isMove(*load))
                moves.push_back(load);
        // One that is typed may tell what the next is.
        for (bool isChanged = true; isChanged;) {
            isChanged = false;
            m_types.clear();
            for (llvm::LoadInst*& load : moves)
                if (load && type(*load)) {
                    load = nullptr;
                    isChanged = true;
                }
        }
        typeConstants();
    }

private:
    /// The float type of what is there, where it is as large as \p word; null: it is something else.
    llvm::Type* floatAt(const llvm::Value& pointer, const llvm::Type& word)
    {
        const llvm::Value& object = objectOf(pointer);
        const auto [known, isNew] = m_types.try_emplace(&object, nullptr);
        if (isNew)
            known->second = typeOfAccesses(object, false);
        llvm::Type* type = known->second;
        const bool isFloat = type && (type->isFloatTy() || type->isDoubleTy());
        return isFloat && type->getPrimitiveSizeInBits() == word.getPrimitiveSizeInBits() ? type : nullptr;
    }

    /// Whether it has been typed.
    bool type(llvm::LoadInst& load)
    {
        llvm::Type* type = floatAt(*load.getPointerOperand(), *load.getType());
        for (const llvm::User* user : load.users())
            if (!type)
                type = floatAt(*llvm::cast<llvm::StoreInst>(user)->getPointerOperand(), *load.getType());
        if (!type)
            return false;
        llvm::IRBuilder<> build(&load);
        auto* typed = build.CreateAlignedLoad(type, load.getPointerOperand(), load.getAlign(), load.isVolatile());
        for (llvm::Use& use : llvm::make_early_inc_range(load.uses()))
            use.set(typed);
        load.eraseFromParent();
        return true;
    }

    void typeConstants()
    {
        for (llvm::Instruction& instr : llvm::instructions(m_function)) {
            auto* store = dyn_cast<llvm::StoreInst>(&instr);
            const auto* number = store ? dyn_cast<llvm::ConstantInt>(store->getValueOperand()) : nullptr;
            if (!number || store->isAtomic())
                continue;
            if (llvm::Type* type = floatAt(*store->getPointerOperand(), *number->getType()))
                store->setOperand(
                    0, llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), number->getValue())));
        }
    }

    llvm::Function& m_function;
    std::map<const llvm::Value*, llvm::Type*> m_types;  ///< of what objects hold
};

}  // namespace

llvm::Type* elementTypeOf(const llvm::Value& pointer)
{
    llvm::Type* type = typeOfAccesses(pointer, false);
    return type ? type : typeOfAccesses(pointer, true);
}

void typeMovedValues(llvm::Function& function)
{
    MovedValues(function).run();
}

llvm::DIType* debugTypeOf(llvm::DIBuilder& build, llvm::Type* type)
{
    using namespace llvm::dwarf;
    if (type->isFloatTy())
        return build.createBasicType("float", 32, DW_ATE_float);
    if (type->isDoubleTy())
        return build.createBasicType("double", 64, DW_ATE_float);
    if (type->isHalfTy())
        return build.createBasicType("half", 16, DW_ATE_float);
    if (type->isIntegerTy(8))
        return build.createBasicType("char", 8, DW_ATE_signed_char);
    if (type->isIntegerTy(16))
        return build.createBasicType("short", 16, DW_ATE_signed);
    if (type->isIntegerTy(32))
        return build.createBasicType("int", 32, DW_ATE_signed);
    if (type->isIntegerTy(64))
        return build.createBasicType("long long", 64, DW_ATE_signed);
    return nullptr;
}

void describeArray(llvm::DIBuilder& build, llvm::DIScope* scope, const ArrayName& name, llvm::DIFile* file,
                   unsigned line, llvm::GlobalVariable& array)
{
    llvm::Type* element = elementTypeOf(array);
    llvm::DIType* type = element ? debugTypeOf(build, element) : nullptr;
    if (!type)
        return;
    const uint64_t bytes = array.getDataLayout().getTypeAllocSize(array.getValueType());
    const uint64_t each = type->getSizeInBits() / 8;
    if (bytes % each != 0)
        return;
    std::vector<uint64_t> extents = name.extents;
    if (std::accumulate(extents.begin(), extents.end(), each, std::multiplies()) != bytes)
        extents = {bytes / each};
    std::vector<llvm::Metadata*> ranges;
    for (const uint64_t extent : extents)
        ranges.push_back(build.getOrCreateSubrange(0, static_cast<int64_t>(extent)));
    if (bytes != each || extents.size() > 1)
        type = build.createArrayType(bytes * 8, 0, type, build.getOrCreateArray(ranges));
    array.addDebugInfo(build.createGlobalVariableExpression(scope, name.name, array.getName(), file, line, type, true));
}

}  // namespace lanescope::simt
