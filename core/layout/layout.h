// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout algebra of tensor.h, as expressions that people type. One definition: what this prints is what a kernel
// of the gallery, which includes the same file, does. Read this header first.
//
//   expression = layout { "." operation }
//   layout     = "row_major(" rows "," cols ")" | "column_major(" rows "," cols ")"
//              | "tiled(" rows "," cols "," tile rows "," tile cols ")"
//              | shape ":" stride          "(8,4):(4,1)", "((2,2),(2,2)):((2,8),(1,4))", "8:1" (one row)
//   operation  = "tile(" rows "," cols [ "," i "," j ] ")" | "vectorize(" rows "," cols ")"
//              | "distribute(" layout of the threads "," thread ")"
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/layout/tensor.h"

namespace lanescope::layout {

/// Part of a buffer: its first element, and how the others lie.
struct View {
    ::Layout layout;
    int offset = 0;  ///< elements

    [[nodiscard]] int rows() const { return layout.rows.extent(); }
    [[nodiscard]] int cols() const { return layout.cols.extent(); }
    [[nodiscard]] int at(int row, int col) const { return offset + layout(row, col); }
};

/// Errors name the column, what was found and what was expected; layouts of more than kMostElements are one.
Result<View> evaluate(const std::string& expression);
inline constexpr int kMostElements = 1 << 20;

/// "(8,8):(8,1)", "((2,2),(2,2)):((2,8),(1,4))".
std::string text(const ::Layout& layout);

}  // namespace lanescope::layout
