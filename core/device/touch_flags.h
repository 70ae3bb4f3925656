// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who touched a cell of memory, in 32 bits, as the race checks of the simulator and of a real GPU remember it. Plain
// C++ without the standard library's classes, compiled for the GPU and for the host.
#pragma once

#include <stdint.h>

namespace lanescope {

// Thread in its block, static access site (on a GPU, the entry of the table of places), flags.
inline constexpr uint32_t kTouchThread = (1u << 10) - 1;
inline constexpr uint32_t kTouchSiteShift = 10;
inline constexpr uint32_t kTouchMaxSite = 0xffff;
inline constexpr uint32_t kTouchAtomic = 1u << 26;
inline constexpr uint32_t kTouchSameValue = 1u << 27;   ///< of a writer: others wrote the same value, unordered
inline constexpr uint32_t kTouchAsync = 1u << 28;       ///< of a writer: an asynchronous copy
inline constexpr uint32_t kTouchBlockScope = 1u << 29;  ///< of a writer: an atomic that other blocks need not see
inline constexpr uint32_t kTouchForHost = 1u << 30;     ///< of a writer: volatile, or an atomic that the host sees, too
inline constexpr uint32_t kTouchManyLanes = 1u << 28;   ///< of a reader: other lanes of its warp read as well
inline constexpr uint32_t kTouchManyWarps = 1u << 29;   ///< of a reader: other warps read as well
inline constexpr uint32_t kTouchManyBlocks = 1u << 30;  ///< of a reader: other blocks read as well
inline constexpr uint32_t kTouchVolatile = 1u << 31;    ///< volatile; of an atomic: its result decides a branch

constexpr uint32_t touchSite(uint32_t toucher)
{
    return toucher >> kTouchSiteShift & kTouchMaxSite;
}

}  // namespace lanescope
