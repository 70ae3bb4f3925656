// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes of fences and atomics in device code.
#pragma once

#include <llvm/IR/LLVMContext.h>

namespace lanescope::simt {

/// Of fences and atomics that only threads of the same block need see; any other scope is taken for the device's.
inline llvm::SyncScope::ID blockScope(llvm::LLVMContext& context)
{
    return context.getOrInsertSyncScopeID("block");
}

/// Of what threads of a cluster's blocks do to an mbarrier object: who arrives hands on what it has done, but learns of
/// nobody. Whoever waits learns it where the translation says so.
inline llvm::SyncScope::ID arrivalScope(llvm::LLVMContext& context)
{
    return context.getOrInsertSyncScopeID("cluster.arrival");
}

/// Of those that threads of the blocks of one cluster need see.
inline llvm::SyncScope::ID clusterScope(llvm::LLVMContext& context)
{
    return context.getOrInsertSyncScopeID("cluster");
}

}  // namespace lanescope::simt
