// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/access_descriptions.h"

#include <algorithm>

#include "core/simt/lower/access_analysis.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::dyn_cast;

namespace {

/// The instruction whose place in the source is that of the accessed expression: the subscript, not the '='.
const llvm::Instruction& expressionInstr(const llvm::Instruction& access, const llvm::Value* pointer)
{
    const auto* address = dyn_cast<llvm::GetElementPtrInst>(pointer);
    return address && address->getDebugLoc() && access.getDebugLoc() &&
                   address->getDebugLoc()->getScope()->getSubprogram() ==
                       access.getDebugLoc()->getScope()->getSubprogram()
               ? *address
               : access;
}

trace::ValueType valueTypeOfAccess(llvm::Type* type, const std::vector<Leaf>& leaves)
{
    trace::ValueType value;
    llvm::Type* scalar = type->getScalarType();
    value.bytes = leaves.empty() ? 1 : leaves.front().bytes;
    value.components = static_cast<uint32_t>(std::max<size_t>(leaves.size(), 1));
    if (scalar->isFloatTy() || scalar->isDoubleTy() || scalar->isHalfTy()) {
        value.kind = trace::ScalarKind::Float;
        value.name = scalar->isFloatTy() ? "float" : scalar->isDoubleTy() ? "double" : "half";
    } else if (scalar->isPointerTy()) {
        value.kind = trace::ScalarKind::Pointer;
        value.name = "pointer";
    } else {
        value.kind = trace::ScalarKind::Signed;
        value.name = value.bytes == 4 ? "int" : value.bytes == 8 ? "long long" : value.bytes == 2 ? "short" : "char";
    }
    return value;
}

/// Whether an access of this type has parts of less than 4 bytes.
bool isNarrow(llvm::Type& type, const llvm::DataLayout& layout)
{
    if (type.isAggregateType() || type.isVectorTy())
        return std::any_of(type.subtype_begin(), type.subtype_end(),
                           [&](llvm::Type* part) { return isNarrow(*part, layout); });
    return layout.getTypeStoreSize(&type) < 4;
}

}  // namespace

void AccessDescriptions::describe(MemoryInfo& info, const llvm::Instruction& instr, const llvm::Value* pointer,
                                  trace::SiteKind kind, llvm::Type* type)
{
    const llvm::Instruction& at = expressionInstr(instr, pointer);
    info.site = m_sites.add(kind, at, {}, valueTypeOfAccess(type, leavesOf(m_builder.layout(), type, &instr)));
    m_sites.notePlace(instr, info.site);
    trace::Site& added = m_sites.last();
    added.expression = m_builder.sources().expressionAt(added.where);
    added.space = spaceOf(pointer);
    info.staticSite = m_sites.lastIndex();
    info.raceSite = info.staticSite;
    if (const llvm::DILocation* place = at.getDebugLoc())
        info.raceSite = m_firstSites.try_emplace({place, kind, type}, info.staticSite).first->second;
    m_shapes.nameKept(*pointer, info.staticSite, kind != trace::SiteKind::Load);
    const auto* load = dyn_cast<llvm::LoadInst>(&instr);
    const auto* store = dyn_cast<llvm::StoreInst>(&instr);
    info.isVolatile = (load && m_strongLoads.isStrong(*load)) || (store && (store->isVolatile() || store->isAtomic()));
    info.isAtomic = (load && load->isAtomic()) || (store && store->isAtomic());
    info.keptInCache = load && load->hasMetadata(llvm::LLVMContext::MD_nontemporal);
    // Atomics of system scope are marked as volatile (device_atomics.h): LLVM's own scopes do not tell them from
    // others.
    const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instr);
    const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr);
    info.forHost =
        (store && info.isVolatile) || (update && update->isVolatile()) || (exchange && exchange->isVolatile());
    info.isArrival = llvm::getAtomicSyncScopeID(&instr) == arrivalScope(instr.getContext());
    info.isPlain = !info.isAtomic && !(load && load->isVolatile()) && !(store && store->isVolatile());
    if (added.space == trace::Space::Global)
        m_builder.program().hasNarrowGlobal |= type->isSized() && isNarrow(*type, m_builder.layout());
}

}  // namespace lanescope::simt
