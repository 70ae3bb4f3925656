// SPDX-License-Identifier: GPL-3.0-or-later
// How small a value may get in a cell of the stage.
#pragma once

namespace lanescope::gui {

constexpr double kSmallestCellType = 8;  ///< pixels
constexpr int kFewestCellLetters = 4;    ///< to which a value is cut or rounded before it gives way to a tint
constexpr double kMonoAdvance = 0.6;     ///< of a letter of JetBrains Mono, in em

}  // namespace lanescope::gui
