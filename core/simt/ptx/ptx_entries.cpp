// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_entries.h"

#include <map>

#include <llvm/ADT/SetVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>

#include "core/simt/ptx/element_types.h"
#include "core/simt/ptx/mojo_types.h"
#include "core/simt/ptx/parameter_names.h"

namespace lanescope::simt {

using llvm::Type;

namespace {

bool isPointerType(const llvm::DIType& type)
{
    const llvm::DIType* at = &type;
    while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(at)) {
        if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type)
            return true;
        at = derived->getBaseType();
    }
    return false;
}

/// The pointer that a number of an argument is made into, and for nothing else.
llvm::Instruction* pointerMadeOf(llvm::Argument& argument)
{
    return argument.hasOneUse() && argument.getType()->isIntegerTy(64)
               ? llvm::dyn_cast<llvm::IntToPtrInst>(*argument.user_begin())
               : nullptr;
}

/// The pointer that a number is made into where it is used as an address: here, or in a function that it is passed to;
/// null: nowhere that is seen.
const llvm::Value* addressMadeOf(const llvm::Value& number)
{
    llvm::SmallSetVector<const llvm::Value*, 8> numbers;
    numbers.insert(&number);
    for (size_t i = 0; i < numbers.size(); ++i)
        for (const llvm::Use& use : numbers[i]->uses()) {
            const llvm::User* user = use.getUser();
            if (llvm::isa<llvm::IntToPtrInst>(user))
                return user;
            if (llvm::isa<llvm::PtrToIntInst>(user))
                numbers.insert(user);
            const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
            const llvm::Function* callee = call && call->isArgOperand(&use) ? call->getCalledFunction() : nullptr;
            if (callee && !callee->isDeclaration())
                numbers.insert(callee->getArg(call->getArgOperandNo(&use)));
        }
    return nullptr;
}

/// Without the function's name before it.
std::string nameOfParameter(const PtxFunction& source, unsigned index)
{
    const std::string& name = source.parameters[index].name;
    const std::string prefix = source.name + "_";
    return name.starts_with(prefix) && name.size() > prefix.size() ? name.substr(prefix.size()) : name;
}

/// Which of an entry's parameters are Mojo's tensors and pointers; empty: debug information does not say.
std::vector<std::optional<MojoTensor>> tensorsOf(const PtxFunction& entry, const PtxDebugInfo& info)
{
    std::vector<std::optional<MojoTensor>> tensors;
    if (const PtxSourceFunction* known = info.find(entry.name))
        for (const std::string& type : mojoParameterTypes(known->signature))
            tensors.push_back(mojoTensor(type));
    return tensors.size() == entry.parameters.size() ? tensors : std::vector<std::optional<MojoTensor>>{};
}

}  // namespace

void PtxEntries::finish(const PtxFunction& source)
{
    llvm::Function& old = *m_names.functions.at(source.name);
    const std::vector<const PtxSourceVariable*> known = parametersOf(source, m_lines.debugInfo());
    const std::vector<std::string> named = namesInSource(*old.getSubprogram(), old.arg_size());
    std::vector<Type*> types;
    for (llvm::Argument& argument : old.args()) {
        const unsigned index = argument.getArgNo();
        llvm::DIType* said = index < known.size() && known[index] ? m_types.typeOf(known[index]->type) : nullptr;
        const bool isData = index > 0 && index < named.size() && named[index - 1] == named[index] + ".itemsize";
        const bool isAddress =
            addressMadeOf(argument) || source.parameters[index].isPointer || isData || (said && isPointerType(*said));
        types.push_back(isAddress && argument.getType()->isIntegerTy(64)
                            ? static_cast<Type*>(llvm::PointerType::get(m_context, 0))
                            : argument.getType());
    }
    auto* type = llvm::FunctionType::get(old.getReturnType(), types, false);
    llvm::Function* entry = &old;
    if (type != old.getFunctionType())
        entry = replaced(old, type);
    noteBounds(*entry, source);
    describeParameters(*entry, source);
}

/// Names and types, as far as debug information, the text and the accesses tell them.
void PtxEntries::describeParameters(llvm::Function& entry, const PtxFunction& source)
{
    llvm::DIBuilder& build = m_lines.builder();
    llvm::DISubprogram* subprogram = entry.getSubprogram();
    const std::vector<const PtxSourceVariable*> known = parametersOf(source, m_lines.debugInfo());
    const bool isAllKnown = known.size() == entry.arg_size() && std::ranges::find(known, nullptr) == known.end();
    const std::vector<std::string> named =
        isAllKnown ? std::vector<std::string>{} : namesInSource(*subprogram, entry.arg_size());
    const std::vector<std::optional<MojoTensor>> tensors = tensorsOf(source, m_lines.debugInfo());
    for (llvm::Argument& argument : entry.args()) {
        const unsigned index = argument.getArgNo();
        const PtxSourceVariable* variable = index < known.size() ? known[index] : nullptr;
        llvm::DIType* type = variable ? m_types.typeOf(variable->type) : nullptr;
        const bool isAddress = argument.getType()->isPointerTy() && !argument.hasByValAttr();
        llvm::DIType* pointee =
            index < tensors.size() && tensors[index] ? typeOfMojoTensor(build, *tensors[index]) : nullptr;
        if (argument.hasByValAttr() && (!type || pointee))
            type = structOfPointers(argument, pointee);
        else if (isAddress && pointee)
            type = build.createPointerType(pointee, 64);
        if (!type || (isAddress && !isPointerType(*type)))
            type = typeOfArgument(argument);
        const std::string name = variable               ? variable->name
                                 : index < named.size() ? named[index]
                                                        : nameOfParameter(source, index);
        argument.setName(name);
        if (type)
            build.createParameterVariable(subprogram, name, index + 1, subprogram->getFile(), subprogram->getLine(),
                                          type, true);
    }
}

/// As the accesses tell; null: nothing.
llvm::DIType* PtxEntries::typeOfArgument(const llvm::Argument& argument)
{
    llvm::DIBuilder& build = m_lines.builder();
    if (!argument.getType()->isPointerTy())
        return debugTypeOf(build, argument.getType());
    llvm::Type* element = elementTypeOf(argument);
    if (const llvm::Value* passed = element ? nullptr : addressMadeOf(argument))
        element = elementTypeOf(*passed);
    return build.createPointerType(element ? debugTypeOf(build, element) : nullptr, 64);
}

namespace {

/// Calls \p visit(load, offset) for what is loaded from fixed offsets behind \p pointer.
template <typename Visit>
void visitLoads(const llvm::Value& pointer, const llvm::DataLayout& layout, int64_t offset, const Visit& visit)
{
    for (const llvm::User* user : pointer.users()) {
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
            visit(*load, offset);
        llvm::APInt more(
            layout.getIndexTypeSizeInBits(user->getType()->isPointerTy() ? user->getType() : pointer.getType()), 0);
        if (llvm::isa<llvm::AddrSpaceCastOperator>(user))
            visitLoads(*user, layout, offset, visit);
        else if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(user);
                 gep && gep->accumulateConstantOffset(layout, more))
            visitLoads(*user, layout, offset + more.getSExtValue(), visit);
    }
}

/// The pointer that a loaded number becomes; null: none.
const llvm::Value* pointerMadeOf(const llvm::LoadInst& load)
{
    if (load.getType()->isPointerTy())
        return &load;
    for (const llvm::User* user : load.users())
        if (llvm::isa<llvm::IntToPtrInst>(user))
            return user;
    return nullptr;
}

}  // namespace

/// A struct whose members are the pointers that the kernel finds in a parameter. The only one, as Mojo's tensors have
/// it, goes by the parameter's name; of several each by its offset.
llvm::DIType* PtxEntries::structOfPointers(const llvm::Argument& argument, llvm::DIType* pointee)
{
    llvm::DIBuilder& build = m_lines.builder();
    llvm::DIFile* file = m_lines.fileOf(0);
    std::map<int64_t, llvm::DIType*> pointers;
    visitLoads(argument, m_module.getDataLayout(), 0, [&](const llvm::LoadInst& load, int64_t offset) {
        const llvm::Value* pointer = offset < 0 ? nullptr : pointerMadeOf(load);
        llvm::Type* element = pointer ? elementTypeOf(*pointer) : nullptr;
        if (pointer && (!pointers[offset] || element))
            pointers[offset] = build.createPointerType(element ? debugTypeOf(build, element) : nullptr, 64);
    });
    if (pointee && pointers.size() <= 1)
        pointers = {{0, build.createPointerType(pointee, 64)}};
    std::vector<llvm::Metadata*> members;
    for (const auto& [offset, type] : pointers)
        members.push_back(build.createMemberType(file, std::to_string(offset), file, 0, 64, 0,
                                                 static_cast<uint64_t>(offset) * 8, llvm::DINode::FlagZero, type));
    const uint64_t bits = m_module.getDataLayout().getTypeAllocSizeInBits(argument.getParamByValType());
    const char* name = pointee && pointers.size() <= 1 ? kTensorStruct : "bytes";
    if (members.empty())
        return build.createBasicType("bytes", bits, llvm::dwarf::DW_ATE_unsigned);
    return build.createStructType(file, name, file, 0, bits, 0, llvm::DINode::FlagZero, nullptr,
                                  build.getOrCreateArray(members));
}

llvm::Function* PtxEntries::replaced(llvm::Function& old, llvm::FunctionType* type)
{
    llvm::Function* entry = llvm::Function::Create(type, old.getLinkage(), "", &m_module);
    entry->copyAttributesFrom(&old);
    entry->setCallingConv(old.getCallingConv());
    entry->takeName(&old);
    entry->setSubprogram(old.getSubprogram());
    old.setSubprogram(nullptr);
    entry->splice(entry->begin(), &old);
    for (llvm::Argument& argument : old.args()) {
        llvm::Argument* now = entry->getArg(argument.getArgNo());
        now->setName(argument.getName());
        if (now->getType() == argument.getType()) {
            argument.replaceAllUsesWith(now);
        } else if (llvm::Instruction* pointer = pointerMadeOf(argument)) {
            pointer->replaceAllUsesWith(now);
            pointer->eraseFromParent();
        } else {
            llvm::IRBuilder<> build(&*entry->getEntryBlock().getFirstInsertionPt());
            argument.replaceAllUsesWith(build.CreatePtrToInt(now, argument.getType()));
        }
    }
    for (auto& [name, function] : m_names.functions)
        if (function == &old)
            function = entry;
    old.replaceAllUsesWith(entry);
    old.eraseFromParent();
    return entry;
}

void PtxEntries::noteBounds(llvm::Function& entry, const PtxFunction& source)
{
    std::vector<llvm::Metadata*> operands{llvm::ValueAsMetadata::get(&entry)};
    const auto add = [&](const char* name, uint64_t value) {
        operands.push_back(llvm::MDString::get(m_context, name));
        operands.push_back(llvm::ConstantAsMetadata::get(
            llvm::ConstantInt::get(Type::getInt32Ty(m_context), static_cast<uint32_t>(value))));
    };
    constexpr const char* kNames[] = {"maxntidx", "maxntidy", "maxntidz"};
    for (size_t i = 0; i < source.maxThreads.size() && i < 3; ++i)
        add(kNames[i], source.maxThreads[i]);
    constexpr const char* kClusterNames[] = {"cluster_dim_x", "cluster_dim_y", "cluster_dim_z"};
    for (size_t i = 0; i < source.cluster.size() && i < 3; ++i)
        add(kClusterNames[i], source.cluster[i]);
    if (source.minBlocks != 0)
        add("minctasm", source.minBlocks);
    if (operands.size() > 1)
        m_module.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(m_context, operands));
}

}  // namespace lanescope::simt
