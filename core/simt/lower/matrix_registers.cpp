// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/matrix_registers.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "core/simt/lower/derivation.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using Kind = trace::RegisterPlace::Kind;

namespace {

bool isProduct(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::CallInst>(&instr);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName().starts_with("__ls_mma.") || callee->getName().starts_with("__ls_wgmma."));
}

/// The value that \p value is another name for, or a member of that was put in before.
const llvm::Value& itself(const llvm::Value& value)
{
    const llvm::Value* at = &value;
    for (;;) {
        if (const auto* cast = dyn_cast<llvm::BitCastInst>(at)) {
            at = cast->getOperand(0);
            continue;
        }
        if (const auto* member = dyn_cast<llvm::ExtractValueInst>(at))
            if (const llvm::Value* found = llvm::FindInsertedValue(
                    const_cast<llvm::Value*>(member->getAggregateOperand()), member->getIndices());
                found && found != at) {
                at = found;
                continue;
            }
        return *at;
    }
}

/// How many results a product has: a struct of them, or one.
uint32_t resultsOf(const llvm::CallInst& product)
{
    const auto* all = dyn_cast<llvm::StructType>(product.getType());
    return all ? all->getNumElements() : 1;
}

}  // namespace

MatrixRegisters::MatrixRegisters(ProgramBuilder& builder, const FunctionAnalysis& analysis)
    : m_builder(builder), m_analysis(analysis)
{
    if (builder.options().record)
        m_hasProducts = llvm::any_of(llvm::instructions(analysis.function()), isProduct);
}

void MatrixRegisters::noteLoad(const llvm::Instruction& load, SiteId site)
{
    if (m_hasProducts)
        m_loads[&load] = site;
}

void MatrixRegisters::noteHeld(const llvm::Value& value, VariableId variable)
{
    if (!m_hasProducts)
        return;
    for (auto held = m_held.begin(); held != m_held.end(); ++held)
        if (held->second == variable)
            m_held.erase(held);
    m_held[&itself(value)] = variable;
}

trace::RegisterPlace MatrixRegisters::placeOf(const llvm::Value& value, const llvm::Instruction& use) const
{
    const llvm::Value* source = &itself(value);
    if (const auto held = m_held.find(source); held != m_held.end())
        return {Kind::Variable, held->second.value, 0};
    uint32_t byte = 0;
    if (const auto* element = dyn_cast<llvm::ExtractElementInst>(source))
        if (const auto* index = dyn_cast<llvm::ConstantInt>(element->getIndexOperand())) {
            byte = static_cast<uint32_t>(index->getZExtValue() *
                                         m_builder.layout().getTypeStoreSize(element->getType()).getFixedValue());
            source = &itself(*element->getVectorOperand());
        }
    const auto* load = dyn_cast<llvm::LoadInst>(source);
    if (!load)
        return {};
    if (const llvm::AllocaInst* variable = m_analysis.promoted(load->getPointerOperand())) {
        const FunctionAnalysis::Declaration declaration = m_analysis.declarationOf(*variable);
        if (byte != 0 || !declaration.isShown() || load->getParent() != use.getParent() ||
            isOverwritten(*variable, *load, use))
            return {};
        return {Kind::Variable, m_builder.variableFor(*declaration.variable, declaration.where).value, 0};
    }
    constexpr uint64_t kMostBytes = 16;  // that one event has of a lane
    const auto site = m_loads.find(load);
    if (site == m_loads.end() || m_builder.layout().getTypeStoreSize(load->getType()) > kMostBytes)
        return {};
    return {Kind::Access, site->second.value, byte};
}

void MatrixRegisters::noteProduct(const llvm::CallInst& product, uint32_t index)
{
    if (!m_hasProducts || !isProduct(product))
        return;
    const uint32_t results = resultsOf(product), operands = product.arg_size() - results;
    std::vector<trace::RegisterPlace> places;
    for (uint32_t i = 0; i < operands; ++i)
        places.push_back(placeOf(*product.getArgOperand(i), product));
    places.resize(operands + results);
    m_builder.program().sites[index].registers = std::move(places);
    m_products[&product] = index;
}

void MatrixRegisters::noteWritten(const llvm::Value& value, SiteId site)
{
    if (m_products.empty())
        return;
    const auto* member = dyn_cast<llvm::ExtractValueInst>(&itself(value));
    if (!member || member->getNumIndices() != 1)
        return;
    const auto product = m_products.find(&itself(*member->getAggregateOperand()));
    if (product == m_products.end())
        return;
    std::vector<trace::RegisterPlace>& places = m_builder.program().sites[product->second].registers;
    const uint32_t results = resultsOf(*llvm::cast<llvm::CallInst>(product->first));
    trace::RegisterPlace& place = places[places.size() - results + member->getIndices()[0]];
    if (place.kind == Kind::Unknown)
        place = {Kind::Access, site.value, 0};
}

}  // namespace lanescope::simt
