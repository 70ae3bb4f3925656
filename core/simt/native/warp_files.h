// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of a warp while a stretch runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <llvm/IR/Function.h>
#include <llvm/IR/ValueHandle.h>

#include "core/simt/native/native_job.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt::native {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
inline constexpr uint64_t kMaskOffset = offsetof(Warp, mask);
#pragma GCC diagnostic pop

/// Where a function has the warp's files; null what it does not use. Passes may put others in their place.
struct WarpFiles {
    llvm::WeakTrackingVH registers;
    llvm::WeakTrackingVH scalars;
    llvm::WeakTrackingVH patterns;
    llvm::WeakTrackingVH mask;  ///< of the lanes that are active; a constant where all are
};

/// Tells LLVM what handlers may rely on while a stretch of \p job runs: what of the warp never changes, which scalars
/// are constants, and that registers, scalars and patterns are no memory of the program's. Of an inlined and simplified
/// function. Where \p job is for warps that lack lanes values are made for the missing ones too, but must not get into
/// their registers.
WarpFiles assumeWarp(llvm::Function& function, const NativeJob& job);

}  // namespace lanescope::simt::native
