// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a load or store, cut as the simulator cuts it into events; address spaces.
#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace lanescope::instrument {

/// NVPTX's numbers of address spaces; 0 is the generic one.
constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kSharedSpace = 3;
constexpr unsigned kConstantSpace = 4;

/// Bytes of a load or store that make one event: neighbours of one size, a power of two up to 16.
struct Piece {
    uint64_t offset = 0;
    unsigned bytes = 0;
    llvm::Value* low = nullptr;   ///< i64
    llvm::Value* high = nullptr;  ///< i64; of 16 bytes
};

/// Code that computes the bits is made where \p build stands.
std::vector<Piece> piecesOf(llvm::IRBuilder<>& build, const llvm::DataLayout& layout, llvm::Value* value);

/// A pointer of any address space as a generic one.
llvm::Value* genericPointer(llvm::IRBuilder<>& build, llvm::Value* pointer);
/// Its bits, as i64.
llvm::Value* addressOf(llvm::IRBuilder<>& build, llvm::Value* pointer, uint64_t offset = 0);

}  // namespace lanescope::instrument
