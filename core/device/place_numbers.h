// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How device code that runs elsewhere names its sites and memory objects: numbers that do not depend on the kernel
// or on what was launched before.
#pragma once

#include <compare>
#include <cstdint>

#include "core/base/ids.h"

namespace lanescope::device {

/// One site of one instruction; an instruction that copies memory has several.
struct PlaceNumber {
    static constexpr unsigned kPieceBits = 5;

    uint32_t value = 0;

    static constexpr PlaceNumber of(uint32_t instruction, uint32_t piece)
    {
        return {instruction << kPieceBits | piece};
    }
    friend constexpr auto operator<=>(PlaceNumber, PlaceNumber) = default;
};

/// An object whose address only the running kernel knows: a shared or local array, a struct passed by value.
struct ObjectKey {
    static constexpr uint32_t kShared = 1u << 30;
    static constexpr uint32_t kArgument = 1u << 31;

    uint32_t value = UINT32_MAX;

    /// Stands for all shared memory of the block of that rank in the cluster.
    static constexpr ObjectKey ofBlock(uint32_t rank) { return {kShared | kArgument | rank}; }
    [[nodiscard]] bool isShared() const { return (value & kShared) != 0; }
    friend constexpr auto operator<=>(ObjectKey, ObjectKey) = default;
};

struct SitePlace {
    PlaceNumber place;
    SiteId site;
};

}  // namespace lanescope::device
