// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a warp compute together, once all of them are there.
#pragma once

#include <optional>
#include <string_view>

#include "core/simt/state/warp.h"

namespace lanescope::simt {

void syncWarp(const WarpCall& call, Warp& warp, LaneMask lanes);

/// How an intrinsic maps to a warp call: which argument is the member mask; the others are inputs in order.
struct WarpOperation {
    std::string_view name;  ///< after "llvm.nvvm."
    WarpFunction function;
    uint64_t imm = 0;
    unsigned members = 0;
    const char* display = "";
    bool isShuffle = false;  ///< imm is its mode (shuffle_source.h), and it gives no more than values
};
/// Null for a name that is none.
const WarpOperation* warpOperation(std::string_view name);

/// WarpCall::imm for an instruction "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"; none for one not known.
std::optional<uint64_t> matrixOperation(std::string_view name);
/// mma.sync and its kin: the fragment layouts of the PTX manual, by shape and types packed in WarpCall::imm.
void multiplyMatrices(const WarpCall& call, Warp& warp, LaneMask lanes);
/// WarpCall::imm of "n16k16.f32.f16.f16.regs", a piece of wgmma; none for one not known.
std::optional<uint64_t> warpgroupOperation(std::string_view name);
void multiplyWarpgroup(const WarpCall& call, Warp& warp, LaneMask lanes);

}  // namespace lanescope::simt
