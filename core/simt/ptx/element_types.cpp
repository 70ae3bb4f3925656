// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/element_types.h"

#include <set>
#include <vector>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
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

}  // namespace

llvm::Type* elementTypeOf(const llvm::Value& pointer)
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
            if (!type)
                continue;
            llvm::Type* scalar = type->getScalarType();
            if (element && element != scalar)
                return nullptr;
            element = scalar;
        }
    }
    return element;
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

void describeArray(llvm::DIBuilder& build, llvm::DIScope* scope, llvm::DIFile* file, unsigned line,
                   llvm::GlobalVariable& array)
{
    llvm::Type* element = elementTypeOf(array);
    llvm::DIType* type = element ? debugTypeOf(build, element) : nullptr;
    if (!type)
        return;
    std::string name = llvm::demangle(array.getName().str());
    if (const size_t colons = name.rfind("::"); colons != std::string::npos)
        name = name.substr(colons + 2);
    const uint64_t bytes = array.getDataLayout().getTypeAllocSize(array.getValueType());
    const uint64_t each = type->getSizeInBits() / 8;
    if (bytes % each != 0)
        return;
    if (bytes != each) {
        auto range = build.getOrCreateArray(build.getOrCreateSubrange(0, static_cast<int64_t>(bytes / each)));
        type = build.createArrayType(bytes * 8, 0, type, range);
    }
    array.addDebugInfo(build.createGlobalVariableExpression(scope, name, array.getName(), file, line, type, true));
}

}  // namespace lanescope::simt
