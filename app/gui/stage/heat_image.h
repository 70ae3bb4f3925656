// SPDX-License-Identifier: GPL-3.0-or-later
// A buffer too large for a box per cell, as an image: brighter where values are larger, hatched where nothing was ever
// written, or in the colours of the overlays. Work is bounded by the pixels, and by the cells where those are fewer.
#pragma once

#include <QImage>

#include "app/gui/stage/overlay_tint.h"

namespace lanescope::gui {

/// Which row and column of the buffer each line and column of pixels shows; ascending.
struct CellRaster {
    std::vector<uint32_t> rows;
    std::vector<uint32_t> columns;
};

QImage heatImage(const BufferView& view, const OverlayTint& tint, const Theme& theme, const CellRaster& raster);

/// Where the element's value lies between the buffer's smallest and largest, 0 … 1.
double shareOf(const BufferView& view, uint64_t element);
/// The colour of that share.
QColor heatColourOf(const Theme& theme, double share);

}  // namespace lanescope::gui
