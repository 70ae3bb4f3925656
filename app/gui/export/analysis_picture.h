// SPDX-License-Identifier: GPL-3.0-or-later
// A view beside stage and timeline as a picture of its own: with as large a type as leaves everything in it, so that
// three lines of a table fill a slide.
#pragma once

#include "app/gui/export/picture.h"
#include "app/gui/views/view.h"

namespace lanescope::gui {

struct AnalysisPage {
    SnapshotPointer snapshot;
    ViewDataPointer data;
};

/// One drawing for each page, all with type of one size.
std::vector<Drawing> analysisDrawings(const View& view, const std::vector<AnalysisPage>& pages,
                                      const ViewSettings& settings, const Theme& theme, QSizeF size);

}  // namespace lanescope::gui
