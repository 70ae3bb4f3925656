// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep of more elements or epochs than have room with their values: epochs that do the same are folded into one
// row, and each row has all its elements as an overview at the left, and the values around the focused thread's as a
// lens at the right. Elements of a matrix stand as one.
#pragma once

#include <vector>

#include "app/gui/views/view.h"
#include "core/analysis/sweep.h"

namespace lanescope::gui {

/// What is drawn; all must outlive the call.
struct LargeSweep {
    const Snapshot& snapshot;
    const analysis::Sweep& sweep;
    const trace::Buffer& buffer;  ///< whose values they are
    QString name;                 ///< of the buffers
    std::optional<size_t> row;    ///< of the focused step
    uint32_t thread = 0;          ///< focused, linear in the block
    uint64_t matrixColumns = 0;   ///< 0: the elements are no matrix
    double scroll = 0;            ///< rows
};

void paintLargeSweep(Canvas& canvas, const LargeSweep& what, const QRectF& area);

}  // namespace lanescope::gui
