// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts that CuTe's types spell out: cute::Layout<cute::tuple<cute::C<8>, cute::C<32>>, cute::tuple<cute::C<36>,
// cute::C<1>>>, the same in a ComposedLayout with a Swizzle, or in a Tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/swizzle.h"

namespace lanescope::layout {

/// A number, or a tuple of such.
struct CuteTuple {
    bool isNumber = true;
    std::optional<int64_t> number;  ///< none: the type does not say it, only the run
    std::vector<CuteTuple> parts;

    /// "(8,?)"
    [[nodiscard]] std::string text() const;
};

struct CuteLayout {
    CuteTuple shape;
    CuteTuple stride;
    std::optional<Swizzle> swizzle;  ///< of offsets in elements
    bool isPointerSwizzled = false;  ///< besides, by the tensor's pointer, which is of bytes

    /// "Swizzle<3,3,3> o (8,64):(64,1)"
    [[nodiscard]] std::string text() const;
    /// Of the first two modes; of a layout of one mode a row. None: the type does not say all of it, or nothing that
    /// can be: a damaged trace may name any type.
    [[nodiscard]] std::optional<int64_t> rows() const;
    [[nodiscard]] std::optional<int64_t> cols() const;
    /// Offset of an element, where both are known.
    [[nodiscard]] int64_t at(int64_t row, int64_t col) const;
};

/// \p type: as debug information names it. None: it is none of CuTe's layouts or tensors, or one whose modes are no
/// numbers (bases of coordinates).
std::optional<CuteLayout> cuteLayoutOf(std::string_view type);

}  // namespace lanescope::layout
