// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/access_analysis.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

trace::Space spaceOf(const llvm::Value* pointer)
{
    switch (llvm::cast<llvm::PointerType>(pointer->stripInBoundsOffsets()->stripPointerCasts()->getType())
                ->getAddressSpace()) {
    case 3:
        return trace::Space::Shared;
    case 4:
        return trace::Space::Constant;
    default:
        return isa<llvm::AllocaInst>(pointer->stripInBoundsOffsets()) ? trace::Space::Local : trace::Space::Global;
    }
}

bool mayReachOtherBlocks(const llvm::Instruction& access, const llvm::Value* pointer)
{
    return spaceOf(pointer) == trace::Space::Global &&
           llvm::getAtomicSyncScopeID(&access) != arrivalScope(access.getContext());
}

namespace {

/// The one value a local variable ever holds; null when there are several.
const llvm::Value* onlyStored(const llvm::Value* variable)
{
    const llvm::Value* stored = nullptr;
    if (!isa<llvm::AllocaInst>(variable))
        return nullptr;
    for (const llvm::User* user : variable->users())
        if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
            if (stored || store->getPointerOperand() != variable)
                return nullptr;
            stored = store->getValueOperand();
        }
    return stored;
}

/// What a pointer is computed from: a variable that holds it, a parameter, an array.
const llvm::Value* pointerRoot(const llvm::Value* pointer)
{
    for (;;) {
        pointer = pointer->stripInBoundsOffsets()->stripPointerCasts();
        if (const auto* gep = dyn_cast<llvm::GEPOperator>(pointer))
            pointer = gep->getPointerOperand();
        else if (const auto* load = dyn_cast<llvm::LoadInst>(pointer); load && onlyStored(load->getPointerOperand()))
            pointer = onlyStored(load->getPointerOperand());
        else if (load)
            return load->getPointerOperand();
        else
            return pointer;
    }
}

/// Adds to \p next what holds \p value, or something made of it, after \p user. Whether the user is a branch on it.
bool decidesOrFeeds(const llvm::User& user, const llvm::Value& value, std::vector<const llvm::Value*>& next)
{
    if (isa<llvm::BranchInst>(user) || isa<llvm::SwitchInst>(user))
        return true;
    if (const auto* store = dyn_cast<llvm::StoreInst>(&user)) {
        const llvm::Value* variable = llvm::getUnderlyingObject(store->getPointerOperand());
        if (store->getValueOperand() == &value && isa<llvm::AllocaInst>(variable))
            next.push_back(variable);
        return false;
    }
    if (const auto* result = dyn_cast<llvm::ReturnInst>(&user)) {
        for (const llvm::User* call : result->getFunction()->users())
            if (isa<llvm::CallBase>(call))
                next.push_back(call);
        return false;
    }
    if (const auto* call = dyn_cast<llvm::CallBase>(&user))
        if (const llvm::Function* callee = call->getCalledFunction(); callee && !callee->isDeclaration())
            for (unsigned i = 0; i < std::min<size_t>(call->arg_size(), callee->arg_size()); ++i)
                if (call->getArgOperand(i) == &value)
                    next.push_back(callee->getArg(i));
    if (!isa<llvm::GetElementPtrInst>(user) || isa<llvm::AllocaInst>(value))
        next.push_back(&user);
    return false;
}

/// Whether the result of a load or atomic, or something made of it, gets to where \p wanted(user, value) holds, by way
/// of local variables and functions too. Branches end the way; \p branches: what to say of them.
template <typename F>
bool reaches(const llvm::Instruction& access, bool branches, F wanted)
{
    std::vector<const llvm::Value*> open{&access};
    std::set<const llvm::Value*> seen{&access};
    while (!open.empty()) {
        const llvm::Value& value = *open.back();
        open.pop_back();
        std::vector<const llvm::Value*> next;
        for (const llvm::User* user : value.users()) {
            const bool branch = decidesOrFeeds(*user, value, next);
            if ((branch && branches) || wanted(*user, value))
                return true;
        }
        for (const llvm::Value* one : next)
            if (seen.insert(one).second)
                open.push_back(one);
    }
    return false;
}

/// A compare-and-swap: where, and what it expects there. Null: \p instr is none.
std::pair<const llvm::Value*, const llvm::Value*> compareExchange(const llvm::User& instr)
{
    if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr))
        return {exchange->getPointerOperand(), exchange->getCompareOperand()};
    if (const auto* call = dyn_cast<llvm::CallInst>(&instr))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee && callee->getName().contains("atomicCAS") && call->arg_size() > 1)
            return {call->getArgOperand(0), call->getArgOperand(1)};
    return {};
}

bool isUnusedTo(const llvm::Value& value, int depth)
{
    constexpr int kDeepest = 6;
    return depth < kDeepest &&
           std::all_of(
               value.user_begin(), value.user_end(),
               [&](const llvm::User* user) {
                   const auto* store = dyn_cast<llvm::StoreInst>(user);
                   const auto* variable = store ? dyn_cast<llvm::AllocaInst>(store->getPointerOperand()) : nullptr;
                   if (!variable || store->getValueOperand() != &value)
                       return isa<llvm::CastInst>(user) && isUnusedTo(*user, depth + 1);
                   return std::all_of(variable->user_begin(), variable->user_end(), [&](const llvm::User* other) {
                       if (isa<llvm::LoadInst>(other))
                           return isUnusedTo(*other, depth + 1);
                       const auto* write = dyn_cast<llvm::StoreInst>(other);
                       return write && write->getPointerOperand() == variable;
                   });
               });
}

/// What a pointer is a constant number of bytes from, and that number.
std::pair<const llvm::Value*, int64_t> baseAndOffset(const llvm::Value* pointer, const llvm::DataLayout& layout)
{
    llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
    return {base, offset.getSExtValue()};
}

llvm::Type* accessedType(const llvm::Instruction& access)
{
    const auto* store = dyn_cast<llvm::StoreInst>(&access);
    return store ? store->getValueOperand()->getType() : access.getType();
}

/// How many bytes from where \p access begins are accessed in its basic block by it and its like, without a gap.
uint64_t accessedTogether(const llvm::Instruction& access, uint64_t bytes, const llvm::DataLayout& layout)
{
    const auto [base, begin] = baseAndOffset(llvm::getLoadStorePointerOperand(&access), layout);
    std::map<int64_t, uint64_t> others;
    for (const llvm::Instruction& other : *access.getParent())
        if (other.getOpcode() == access.getOpcode())
            if (const auto [root, at] = baseAndOffset(llvm::getLoadStorePointerOperand(&other), layout); root == base)
                others[at] = layout.getTypeStoreSize(accessedType(other));
    uint64_t together = bytes;
    for (auto next = others.end(); (next = others.find(begin + static_cast<int64_t>(together))) != others.end();)
        together += next->second;
    return together;
}

}  // namespace

uint64_t demandedAlignment(const llvm::Instruction& access, uint64_t bytes, uint64_t most,
                           const llvm::DataLayout& layout)
{
    const auto* load = dyn_cast<llvm::LoadInst>(&access);
    const uint64_t declared = load ? load->getAlign().value() : llvm::cast<llvm::StoreInst>(access).getAlign().value();
    if (declared <= bytes)
        return declared;
    const llvm::KnownBits address = llvm::computeKnownBits(llvm::getLoadStorePointerOperand(&access), layout);
    if (uint64_t{1} << std::min(address.countMinTrailingZeros(), 32u) >= declared)
        return bytes;
    return std::min({declared, most, std::bit_floor(accessedTogether(access, bytes, layout))});
}

bool testsFlag(const llvm::Instruction& access)
{
    return reaches(access, true, [](const llvm::User&, const llvm::Value&) { return false; });
}

const std::set<const llvm::Value*>& StrongLoads::swappedIn(const llvm::Function& function)
{
    const auto [found, isNew] = m_swapped.try_emplace(&function);
    if (isNew)
        for (const llvm::Instruction& instr : llvm::instructions(function))
            if (const llvm::Value* where = compareExchange(instr).first)
                found->second.insert(pointerRoot(where));
    return found->second;
}

bool StrongLoads::feedsCompareExchange(const llvm::LoadInst& load)
{
    const std::set<const llvm::Value*>& swapped = swappedIn(*load.getFunction());
    if (swapped.empty())
        return false;
    const llvm::Value* root = pointerRoot(load.getPointerOperand());
    return swapped.contains(root) && reaches(load, false, [&](const llvm::User& user, const llvm::Value& value) {
               const auto [where, expected] = compareExchange(user);
               return where && expected == &value && pointerRoot(where) == root;
           });
}

bool StrongLoads::isStrong(const llvm::LoadInst& load)
{
    return load.isAtomic() || feedsCompareExchange(load) || (load.isVolatile() && testsFlag(load));
}

bool isUnused(const llvm::Value& value)
{
    return isUnusedTo(value, 0);
}

}  // namespace lanescope::simt
