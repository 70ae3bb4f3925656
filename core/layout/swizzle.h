// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CuTe's Swizzle<bits, base, shift>.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace lanescope::layout {

/// Of an offset, bits [base, base + bits) are exclusive-ored with those \p shift above them; where it is negative,
/// those above with these. All that is named lies below bit 62.
struct Swizzle {
    int bits = 0;
    int base = 0;
    int shift = 0;

    [[nodiscard]] int64_t operator()(int64_t offset) const
    {
        const int64_t mask = ((int64_t{1} << bits) - 1) << base;
        return shift >= 0 ? offset ^ (offset >> shift & mask) : offset ^ ((offset & mask) << -shift);
    }
    /// "Swizzle<3,3,3>"
    [[nodiscard]] std::string text() const { return fmt::format("Swizzle<{},{},{}>", bits, base, shift); }
    friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

}  // namespace lanescope::layout
