// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/ended_scopes.h"

#include <algorithm>
#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

namespace {

/// Whether the address of \p value, or one made of it, is stored or is one of several that a value may have: only then
/// can anybody find it later.
bool isKept(const llvm::Value& value)
{
    return std::ranges::any_of(value.users(), [&](const llvm::User* user) {
        if (const auto* store = dyn_cast<llvm::StoreInst>(user))
            return store->getValueOperand() == &value;
        if (isa<llvm::PHINode, llvm::SelectInst>(user))
            return true;
        return isa<llvm::GetElementPtrInst, llvm::CastInst>(user) && isKept(*user);
    });
}

/// The block that declares \p variable; null where that is the function, or not known.
const llvm::DILexicalBlock* blockOf(const llvm::AllocaInst& variable)
{
    for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&variable)))
        if (!record->getDebugLoc().getInlinedAt())
            return dyn_cast<llvm::DILexicalBlock>(record->getVariable()->getScope()->getNonLexicalBlockFileScope());
    return nullptr;
}

/// Whether \p instr is written in \p block; nothing where nobody says.
std::optional<bool> isIn(const llvm::Instruction& instr, const llvm::DILexicalBlock& block)
{
    const llvm::DILocation* where = instr.getDebugLoc().get();
    if (!where || where->getLine() == 0)
        return std::nullopt;
    while (where->getInlinedAt())
        where = where->getInlinedAt();
    const llvm::DILocalScope* scope = where->getScope();
    while (scope != &block && !isa<llvm::DISubprogram>(scope))
        scope = llvm::cast<llvm::DILexicalBlockBase>(scope)->getScope();
    return scope == &block;
}

/// Whether who leaves \p code is in \p block. Branches are often said to be written where their statement begins.
bool endsIn(const llvm::BasicBlock& code, const llvm::DILexicalBlock& block)
{
    for (const llvm::Instruction& instr : llvm::reverse(code))
        if (const std::optional<bool> inside = isIn(instr, block); inside && !instr.isTerminator())
            return *inside;
    return isIn(*code.getTerminator(), block).value_or(false);
}

/// Destructors of a block's variables are written behind it, but may use them all.
bool destroysObjects(const llvm::Function& function)
{
    return std::ranges::any_of(llvm::instructions(function), [](const llvm::Instruction& instr) {
        const auto* call = dyn_cast<llvm::CallBase>(&instr);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || callee->isIntrinsic())
            return false;
        return llvm::demangle(callee->getName()).find('~') != std::string::npos;
    });
}

}  // namespace

EndedScopes::EndedScopes(const llvm::Function& function)
{
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    if (!subprogram || subprogram->isOptimized()) {
        findMarks(function);
        return;
    }
    if (destroysObjects(function))
        return;
    for (const llvm::Instruction& instr : llvm::instructions(function))
        if (const auto* variable = dyn_cast<llvm::AllocaInst>(&instr); variable && isKept(*variable))
            findEnds(function, *variable);
}

void EndedScopes::findMarks(const llvm::Function& function)
{
    for (const llvm::Instruction& instr : llvm::instructions(function)) {
        const auto* mark = dyn_cast<llvm::LifetimeIntrinsic>(&instr);
        const auto* variable = mark ? llvm::findAllocaForValue(mark->getArgOperand(1)) : nullptr;
        if (variable && isKept(*variable))
            (mark->getIntrinsicID() == llvm::Intrinsic::lifetime_end ? m_ended : m_begun)[mark].push_back(variable);
    }
}

void EndedScopes::findEnds(const llvm::Function& function, const llvm::AllocaInst& variable)
{
    const llvm::DILexicalBlock* block = blockOf(variable);
    if (!block)
        return;
    std::vector<const llvm::Instruction*> ends;
    llvm::SmallPtrSet<const llvm::Instruction*, 4> begins;
    for (const llvm::BasicBlock& code : function) {
        const auto comesFrom = [&](bool inside) {
            return llvm::any_of(llvm::predecessors(&code),
                                [&](const llvm::BasicBlock* before) { return endsIn(*before, *block) == inside; });
        };
        bool wasInside = comesFrom(true);
        bool wasOutside = code.isEntryBlock() || comesFrom(false);
        for (const llvm::Instruction& instr : code) {
            const std::optional<bool> inside = isIn(instr, *block);
            if (!inside || isa<llvm::PHINode>(instr) || instr.isTerminator())
                continue;
            if (wasInside && !*inside)
                ends.push_back(&instr);
            else if (*inside && wasOutside)
                begins.insert(&instr);
            wasInside = *inside;
            wasOutside = !*inside;
        }
    }
    // Who comes into a block by two ways has perhaps not left it in between.
    if (begins.size() != 1 || ends.empty())
        return;
    for (const llvm::Instruction* end : ends)
        m_ended[end].push_back(&variable);
    m_begun[*begins.begin()].push_back(&variable);
}

const EndedScopes::Variables& EndedScopes::at(const Places& places, const llvm::Instruction& instr)
{
    static const Variables kNone;
    const auto found = places.find(&instr);
    return found == places.end() ? kNone : found->second;
}

}  // namespace lanescope::simt
