// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/shape_checks.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

namespace {

const llvm::Value* withoutCasts(const llvm::Value* pointer)
{
    while (isa<llvm::AddrSpaceCastOperator, llvm::BitCastOperator>(pointer))
        pointer = cast<llvm::Operator>(pointer)->getOperand(0);
    return pointer;
}

unsigned memberOf(const llvm::Value* index)
{
    return static_cast<unsigned>(cast<llvm::ConstantInt>(index)->getZExtValue());
}

/// `struct { int n; float data[1]; }` stands for as many as were allocated.
bool isFlexible(llvm::StructType* structure, unsigned member)
{
    const auto* array = dyn_cast<llvm::ArrayType>(structure->getElementType(member));
    return array && member + 1 == structure->getNumElements() && array->getNumElements() <= 1;
}

/// Whether what \p pointer points to has the bounds of a whole object, or none that were meant.
bool isUnlimited(const llvm::Value* pointer, const llvm::Type* type)
{
    pointer = withoutCasts(pointer);
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(pointer))
        return global->getValueType() == type;
    if (const auto* variable = dyn_cast<llvm::AllocaInst>(pointer))
        return variable->getAllocatedType() == type;
    const auto* gep = dyn_cast<llvm::GEPOperator>(pointer);
    if (!gep)
        return false;
    bool flexible = false;
    for (auto index = llvm::gep_type_begin(*gep), end = llvm::gep_type_end(*gep); index != end; ++index) {
        llvm::StructType* structure = index.getStructTypeOrNull();
        flexible = structure && isFlexible(structure, memberOf(index.getOperand()));
    }
    return flexible;
}

/// Whether the address is used, where it is computed, to access memory.
bool isAccessed(const llvm::Instruction& address)
{
    return std::any_of(address.user_begin(), address.user_end(), [&](const llvm::User* user) {
        if (cast<llvm::Instruction>(user)->getParent() != address.getParent())
            return false;
        if (const auto* gep = dyn_cast<llvm::GetElementPtrInst>(user))
            return isAccessed(*gep);
        if (const auto* store = dyn_cast<llvm::StoreInst>(user))
            return store->getPointerOperand() == &address;
        if (const auto* atomic = dyn_cast<llvm::AtomicRMWInst>(user))
            return atomic->getPointerOperand() == &address;
        return isa<llvm::LoadInst>(user);
    });
}

bool isOutside(const ShapeDim& dim)
{
    return static_cast<uint64_t>(dim.constant) >= dim.extent;
}

SubscriptLimits limitsOf(const std::vector<ShapeDim>& dims)
{
    SubscriptLimits found;
    for (const ShapeDim& dim : dims) {
        if (!dim.limited)
            continue;
        if (dim.value == ShapeDim::Value::Register && found.count < SubscriptLimits::kMost)
            found.limits[found.count++] = {dim.index, dim.extent};
        else
            found.isFull &= dim.value == ShapeDim::Value::Constant && !isOutside(dim);
    }
    return found;
}

}  // namespace

ShapeDim ShapeChecks::subscriptOf(const llvm::Value* index, uint64_t extent) const
{
    ShapeDim dim;
    dim.extent = extent;
    if (const auto* number = dyn_cast<llvm::ConstantInt>(index)) {
        dim.value = ShapeDim::Value::Constant;
        dim.constant = number->getSExtValue();
    } else if (auto term = m_subscripts.find(index); term != m_subscripts.end()) {
        dim.value = ShapeDim::Value::Register;
        dim.index = term->second;
    }
    return dim;
}

void ShapeChecks::addSubscripts(const llvm::GEPOperator& gep, ShapeCheck& shape) const
{
    bool limits = !isUnlimited(gep.getPointerOperand(), gep.getSourceElementType());
    llvm::Type* indexed = nullptr;  // what the index selects from; nothing: the pointer itself
    for (auto index = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); index != end; ++index) {
        if (llvm::StructType* structure = index.getStructTypeOrNull()) {
            limits = !isFlexible(structure, memberOf(index.getOperand()));
            shape.shown = shape.dims.size();
            indexed = index.getIndexedType();
            continue;
        }
        const auto* array = dyn_cast_or_null<llvm::ArrayType>(indexed);
        indexed = index.getIndexedType();
        if (!array) {
            // A pointer's own subscript; 0 where an array is entered.
            if (gep.getNumIndices() == 1 || !isa<llvm::ConstantInt>(index.getOperand()))
                shape.dims.push_back(subscriptOf(index.getOperand(), 0));
            continue;
        }
        ShapeDim dim = subscriptOf(index.getOperand(), array->getNumElements());
        dim.limited = limits && dim.extent != 0 && dim.value != ShapeDim::Value::Unknown;
        shape.dims.push_back(dim);
        limits = true;
    }
}

ShapeCheck ShapeChecks::subscriptsOf(const llvm::Value* pointer) const
{
    ShapeCheck shape;
    if (const auto* gep = dyn_cast<llvm::GEPOperator>(withoutCasts(pointer))) {
        shape = subscriptsOf(gep->getPointerOperand());
        if (gep->getSourceElementType()->isIntegerTy(8) && gep->hasAllConstantIndices())
            shape.shown = shape.dims.size();
        else
            addSubscripts(*gep, shape);
    }
    return shape;
}

ShapeCheck* ShapeChecks::emit(const llvm::Value* pointer, const llvm::Instruction& where)
{
    const llvm::DISubprogram* subprogram = m_function.getSubprogram();
    if (!subprogram || !subprogram->getUnit() || subprogram->getUnit()->isOptimized())
        return nullptr;
    ShapeCheck shape = subscriptsOf(pointer);
    shape.limits = limitsOf(shape.dims);
    if (shape.limits.count == 0 && shape.limits.isFull)
        return nullptr;
    ShapeCheck& check = m_program.shapes.emplace_back(std::move(shape));
    m_code.emit(m_handlers.checkShape(), &where).imm = reinterpret_cast<uint64_t>(&check);
    return &check;
}

void ShapeChecks::checkAccess(const llvm::Instruction& access, const llvm::Value& pointer, uint32_t staticSite,
                              bool isWrite)
{
    if (ShapeCheck* check = emit(&pointer, access)) {
        check->staticSite = staticSite;
        check->isWrite = isWrite;
    }
}

void ShapeChecks::checkKept(const llvm::GetElementPtrInst& address)
{
    if (isAccessed(address))
        if (ShapeCheck* check = emit(&address, address))
            m_kept[&address] = check;
}

void ShapeChecks::nameKept(const llvm::Value& accessed, uint32_t staticSite, bool isWrite)
{
    if (m_kept.empty())
        return;
    const llvm::Value* pointer = &accessed;
    const ShapeCheck whole = subscriptsOf(pointer);
    while (const auto* gep = dyn_cast<llvm::GEPOperator>(withoutCasts(pointer))) {
        if (auto kept = m_kept.find(gep); kept != m_kept.end()) {
            ShapeCheck& check = *kept->second;
            check.staticSite = staticSite;
            check.isWrite = isWrite;
            check.shown = whole.shown;
            // What is added to the address later is not known where the check stands.
            for (size_t i = check.dims.size(); i < whole.dims.size(); ++i) {
                check.dims.push_back(whole.dims[i]);
                check.dims.back().limited = false;
                if (check.dims.back().value == ShapeDim::Value::Register)
                    check.dims.back().value = ShapeDim::Value::Unknown;
            }
            m_kept.erase(kept);
        }
        pointer = gep->getPointerOperand();
    }
}

}  // namespace lanescope::simt
