// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/single_members.h"

#include <algorithm>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// The number or pointer that is all of \p type; null: it is something else, or may be an empty struct, whose one byte
/// nobody has written.
llvm::Type* singleMember(const llvm::DataLayout& layout, llvm::Type* type)
{
    llvm::Type* member = type;
    while (true)
        if (const auto* structure = dyn_cast<llvm::StructType>(member);
            structure && !structure->isOpaque() && structure->getNumElements() == 1)
            member = structure->getElementType(0);
        else if (const auto* array = dyn_cast<llvm::ArrayType>(member); array && array->getNumElements() == 1)
            member = array->getElementType();
        else
            break;
    if (member != type && member->isIntegerTy(8))
        return nullptr;
    const bool isNumber = (member->isIntegerTy() && llvm::isPowerOf2_32(member->getIntegerBitWidth()) &&
                           member->getIntegerBitWidth() >= 8 && member->getIntegerBitWidth() <= 64) ||
                          member->isHalfTy() || member->isBFloatTy() || member->isFloatTy() || member->isDoubleTy();
    return (isNumber || member->isPointerTy()) && layout.getTypeAllocSize(type) == layout.getTypeAllocSize(member)
               ? member
               : nullptr;
}

/// What the code says lies at \p pointer; null: nothing.
llvm::Type* typeAt(const llvm::Value& pointer)
{
    if (const auto* variable = dyn_cast<llvm::AllocaInst>(&pointer))
        return variable->isArrayAllocation() ? nullptr : variable->getAllocatedType();
    if (const auto* part = dyn_cast<llvm::GetElementPtrInst>(&pointer))
        return part->getResultElementType();
    if (const auto* argument = dyn_cast<llvm::Argument>(&pointer))
        return argument->getParamByValType();
    return nullptr;
}

/// The number or pointer that lies at \p pointer, as the code says, if it is of \p bytes; else null.
llvm::Type* memberAt(const llvm::DataLayout& layout, const llvm::Value& pointer, uint64_t bytes)
{
    llvm::Type* const type = typeAt(pointer);
    llvm::Type* const member = type ? singleMember(layout, type) : nullptr;
    return member && layout.getTypeAllocSize(member) == bytes ? member : nullptr;
}

void rewriteCopy(llvm::MemCpyInst& copy)
{
    const auto* const length = dyn_cast<llvm::ConstantInt>(copy.getLength());
    const llvm::DataLayout& layout = copy.getDataLayout();
    if (!length || copy.isVolatile())
        return;
    llvm::Type* from = memberAt(layout, *copy.getRawSource(), length->getZExtValue());
    llvm::Type* to = memberAt(layout, *copy.getRawDest(), length->getZExtValue());
    // A copy of a number's bits reads the one and writes the other; pointers stay what they are.
    if (!from || !to || from->isPointerTy() || to->isPointerTy())
        from = to = to && (!from || to->isPointerTy()) ? to : from;
    // A constant address may be each kernel's own (legalise.cpp).
    if (!from || (from->isPointerTy() && isa<llvm::Constant>(copy.getRawSource())))
        return;
    llvm::IRBuilder<> build(&copy);
    llvm::Value* const value = build.CreateAlignedLoad(from, copy.getRawSource(), copy.getSourceAlign().valueOrOne());
    build.CreateAlignedStore(build.CreateBitCast(value, to), copy.getRawDest(), copy.getDestAlign().valueOrOne());
    copy.eraseFromParent();
}

/// The calls of \p function; none: somebody may call it otherwise, or nobody does.
std::vector<llvm::CallInst*> callsOf(llvm::Function& function)
{
    std::vector<llvm::CallInst*> calls;
    for (const llvm::Use& use : function.uses()) {
        auto* const call = dyn_cast<llvm::CallInst>(use.getUser());
        if (!call || !call->isCallee(&use) || call->getFunctionType() != function.getFunctionType() ||
            call->isMustTailCall())
            return {};
        calls.push_back(call);
    }
    return calls;
}

/// By parameter: the member that it is to be, or null.
std::vector<llvm::Type*> membersPassed(const llvm::Function& function)
{
    std::vector<llvm::Type*> members;
    for (const llvm::Argument& argument : function.args())
        members.push_back(argument.hasByValAttr() ? singleMember(function.getDataLayout(), argument.getParamByValType())
                                                  : nullptr);
    return members;
}

llvm::AttributeList withoutPassed(llvm::LLVMContext& context, llvm::AttributeList attributes,
                                  const std::vector<llvm::Type*>& members)
{
    for (unsigned i = 0; i < members.size(); ++i)
        if (members[i])
            attributes = attributes.removeParamAttributes(context, i);
    return attributes;
}

/// \p function with those of \p members for the parameters that they are of; each is put where the parameter was.
llvm::Function& taking(llvm::Function& function, const std::vector<llvm::Type*>& members)
{
    std::vector<llvm::Type*> types;
    for (unsigned i = 0; i < members.size(); ++i)
        types.push_back(members[i] ? members[i] : function.getArg(i)->getType());
    auto* const type = llvm::FunctionType::get(function.getReturnType(), types, /*isVarArg=*/false);
    auto& made = *llvm::Function::Create(type, function.getLinkage(), function.getAddressSpace());
    function.getParent()->getFunctionList().insert(function.getIterator(), &made);
    made.takeName(&function);
    made.copyAttributesFrom(&function);
    made.setAttributes(withoutPassed(function.getContext(), function.getAttributes(), members));
    made.setComdat(function.getComdat());
    made.copyMetadata(&function, 0);
    function.setSubprogram(nullptr);
    made.splice(made.begin(), &function);
    llvm::IRBuilder<> build(&made.getEntryBlock(), made.getEntryBlock().begin());
    for (unsigned i = 0; i < members.size(); ++i) {
        llvm::Argument &before = *function.getArg(i), &now = *made.getArg(i);
        llvm::Value* stands = &now;
        if (members[i]) {
            llvm::AllocaInst* const place = build.CreateAlloca(before.getParamByValType());
            place->setAlignment(
                before.getParamAlign().value_or(made.getDataLayout().getABITypeAlign(before.getParamByValType())));
            build.CreateAlignedStore(&now, place, place->getAlign());
            stands = place;
        }
        before.replaceAllUsesWith(stands);
        stands->takeName(&before);
    }
    return made;
}

void rewriteCall(llvm::CallInst& call, llvm::Function& made, const std::vector<llvm::Type*>& members)
{
    llvm::IRBuilder<> build(&call);
    std::vector<llvm::Value*> arguments;
    for (unsigned i = 0; i < members.size(); ++i) {
        llvm::Value* const passed = call.getArgOperand(i);
        arguments.push_back(members[i] ? build.CreateAlignedLoad(members[i], passed, call.getParamAlign(i)) : passed);
    }
    llvm::CallInst* const now = build.CreateCall(&made, arguments);
    now->setCallingConv(call.getCallingConv());
    now->setAttributes(withoutPassed(call.getContext(), call.getAttributes(), members));
    now->setTailCallKind(call.getTailCallKind());
    now->copyMetadata(call);
    now->takeName(&call);
    call.replaceAllUsesWith(now);
    call.eraseFromParent();
}

/// By-value parameters of \p function become members, where they are and all callers are known.
void rewriteParameters(llvm::Function& function)
{
    const std::vector<llvm::Type*> members = membersPassed(function);
    if (function.isDeclaration() || function.isVarArg() ||
        std::ranges::none_of(members, [](const llvm::Type* member) { return member != nullptr; }))
        return;
    const std::vector<llvm::CallInst*> calls = callsOf(function);
    if (calls.empty())
        return;
    llvm::Function& made = taking(function, members);
    for (llvm::CallInst* const call : calls)
        rewriteCall(*call, made, members);
    function.eraseFromParent();
}

/// Accesses of a variable at its own address or one that is the same.
struct Accesses {
    std::vector<llvm::LoadInst*> loads;
    std::vector<llvm::StoreInst*> stores;
    std::vector<llvm::GetElementPtrInst*> addresses;
};

/// Adds what is done with \p pointer; false: its address goes elsewhere, or something is read or written in another way
/// than as \p isAll of it.
template <typename IsAll>
bool addAccesses(llvm::Value& pointer, const IsAll& isAll, Accesses& found)
{
    return std::ranges::all_of(pointer.users(), [&](llvm::User* user) {
        if (auto* const load = dyn_cast<llvm::LoadInst>(user)) {
            found.loads.push_back(load);
            return !load->isVolatile() && isAll(load->getType());
        }
        if (auto* const store = dyn_cast<llvm::StoreInst>(user)) {
            found.stores.push_back(store);
            return !store->isVolatile() && store->getPointerOperand() == &pointer &&
                   isAll(store->getValueOperand()->getType());
        }
        if (auto* const address = dyn_cast<llvm::GetElementPtrInst>(user)) {
            found.addresses.push_back(address);
            return address->hasAllZeroIndices() && addAccesses(*address, isAll, found);
        }
        const auto* const intrinsic = dyn_cast<llvm::IntrinsicInst>(user);
        return intrinsic && intrinsic->isLifetimeStartOrEnd();
    });
}

/// How often \p type is a member alone.
std::vector<unsigned> wayToMember(llvm::Type* type)
{
    std::vector<unsigned> way;
    for (; type->isAggregateType(); type = type->getContainedType(0))
        way.push_back(0);
    return way;
}

/// A value of one of a variable's types as one of another.
llvm::Value* as(llvm::IRBuilder<>& build, llvm::Value* value, llvm::Type* member, llvm::Type* type)
{
    if (value->getType()->isAggregateType())
        value = build.CreateExtractValue(value, wayToMember(value->getType()));
    value = build.CreateBitCast(value, member);
    return type->isAggregateType() ? build.CreateInsertValue(llvm::PoisonValue::get(type), value, wayToMember(type))
                                   : value;
}

/// A variable that nobody has the address of becomes one of its member's type: those are registers, and shown.
void rewriteVariable(llvm::AllocaInst& variable)
{
    const llvm::DataLayout& layout = variable.getDataLayout();
    llvm::Type* held = singleMember(layout, variable.getAllocatedType());
    if (!held || variable.isArrayAllocation())
        return;
    if (held->isHalfTy() || held->isBFloatTy())
        held = llvm::Type::getInt16Ty(variable.getContext());
    const auto isAll = [&](llvm::Type* accessed) {
        const llvm::Type* const member = singleMember(layout, accessed);
        return member && member->isPointerTy() == held->isPointerTy() &&
               layout.getTypeAllocSize(accessed) == layout.getTypeAllocSize(held);
    };
    Accesses accesses;
    if (!addAccesses(variable, isAll, accesses))
        return;
    variable.setAllocatedType(held);
    for (llvm::LoadInst* const load : accesses.loads) {
        load->setOperand(llvm::LoadInst::getPointerOperandIndex(), &variable);
        if (load->getType() == held)
            continue;
        llvm::IRBuilder<> build(load);
        llvm::Value* const value = build.CreateAlignedLoad(held, &variable, load->getAlign());
        load->replaceAllUsesWith(as(build, value, singleMember(layout, load->getType()), load->getType()));
        load->eraseFromParent();
    }
    for (llvm::StoreInst* const store : accesses.stores) {
        llvm::IRBuilder<> build(store);
        store->setOperand(llvm::StoreInst::getPointerOperandIndex(), &variable);
        store->setOperand(0, as(build, store->getValueOperand(), held, held));
    }
    for (llvm::GetElementPtrInst* const address : accesses.addresses) {
        address->replaceAllUsesWith(&variable);
        address->eraseFromParent();
    }
}

}  // namespace

void unwrapSingleMembers(llvm::Module& module)
{
    for (llvm::Function& function : llvm::make_early_inc_range(module))
        rewriteParameters(function);
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function)))
            if (auto* const copy = dyn_cast<llvm::MemCpyInst>(&instr))
                rewriteCopy(*copy);
        if (function.isDeclaration())
            continue;
        // Where variables are that the function has but once.
        std::vector<llvm::AllocaInst*> variables;
        for (llvm::Instruction& instr : function.getEntryBlock())
            if (auto* const variable = dyn_cast<llvm::AllocaInst>(&instr))
                variables.push_back(variable);
        for (llvm::AllocaInst* const variable : variables)
            rewriteVariable(*variable);
    }
}

}  // namespace lanescope::simt
