// SPDX-License-Identifier: GPL-3.0-or-later
// A finding as a small picture: the cell among its neighbours, what lies outside the buffer, and the threads at it.
#pragma once

#include "app/gui/views/canvas.h"

namespace lanescope::gui {

/// The cells around a finding's cell, and who touches it.
class FindingPicture {
public:
    /// Not drawable where the finding names no cell of a buffer that \p catalog has, or no thread.
    FindingPicture(const trace::Catalog& catalog, const trace::Finding& finding);

    [[nodiscard]] bool isDrawable() const { return m_buffer != nullptr; }
    /// In two rows, cells above threads. \p colour: of the finding.
    void paint(Canvas& canvas, const QRectF& area, const QColor& colour) const;

private:
    struct Place {
        int64_t row = 0;  ///< of the innermost rows; 0 for a buffer of one dimension
        int64_t column = 0;
    };
    [[nodiscard]] Place place() const;
    [[nodiscard]] bool isInside(Place place) const;
    /// "tile[3]" in front of the columns; the buffer's name for one dimension.
    [[nodiscard]] QString rowName(Place place) const;
    [[nodiscard]] QString threadName(const trace::FindingAccess& access) const;
    void paintCell(Canvas& canvas, const QRectF& cell, Place place, bool isTheOne, const QColor& colour) const;
    void paintSide(Canvas& canvas, const QRectF& chip, QPointF cell, const trace::FindingAccess& access) const;

    const trace::Finding& m_finding;
    const trace::Buffer* m_buffer = nullptr;
    const trace::Launch* m_launch = nullptr;
};

}  // namespace lanescope::gui
