// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of the shared window, as cvta.to.shared gives them: they fit in 32 bits, 18 bits of offset, enough for 256
// KB, the shared array's number, and on top, as in generic addresses, the rank plus one of another block of the
// cluster.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace lanescope::simt {

inline constexpr unsigned kWindowOffsetBits = 18;

/// Has the offset count from where the block's shared memory begins instead of the array, for instructions that are
/// told those 18 bits alone (matrix_descriptors.h).
void countFromSharedMemory(llvm::Module& module);
/// What the text of such an instruction has in it.
inline constexpr const char* kUsesDescriptors = "wgmma.mma_async";
/// Of a call: where in the block's shared memory the array of a number begins.
inline constexpr const char* kSharedBase = "__ls_shared_base";

/// Of a generic address of shared memory; both are numbers of 64 bits.
llvm::Value* toSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address);
/// Leaves generic addresses as they are: their upper half is not zero.
llvm::Value* fromSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address);

/// Metadata of what these two and clusterRankOf() give: which of them. The address that it was made of is found by
/// windowAddressOf().
inline constexpr const char* kWindowConversion = "lanescope.window";
inline constexpr const char* kToSharedWindow = "to";
inline constexpr const char* kFromSharedWindow = "from";
inline constexpr const char* kRankOfAddress = "rank";
llvm::Value* windowAddressOf(const llvm::Instruction& converted, llvm::StringRef conversion);

/// mapa: the same place in the block of \p rank. Of a generic address, or one of the shared window.
llvm::Value* mapToRank(llvm::IRBuilder<>& build, llvm::Value* address, llvm::Value* rank);
/// getctarank: of either kind of address.
llvm::Value* clusterRankOf(llvm::IRBuilder<>& build, llvm::Value* address);

}  // namespace lanescope::simt
