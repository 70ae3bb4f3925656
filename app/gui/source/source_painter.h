// SPDX-License-Identifier: GPL-3.0-or-later
// The source as a picture: line numbers, the next line to run, the expressions just run, accesses per line, and which
// lines findings name. SourceView is the window's: an editor, which cannot be drawn to a size or as vectors; what both
// say of a source they take from here.
#pragma once

#include <QPainter>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"
#include "app/gui/view_description.h"

namespace lanescope::gui {

/// What of a source the focus concerns; also drives the window's source view.
struct SourceMarks {
    SourceId source;
    uint32_t nextLine = 0;  ///< 1-based; 0 = none
    struct Underline {
        uint32_t line = 0;
        uint32_t column = 0;  ///< 1-based
        uint32_t length = 0;
        bool writes = false;
        friend bool operator==(const Underline&, const Underline&) = default;
    };
    std::vector<Underline> underlines;  ///< expressions of the accesses just run
    struct Fault {
        uint32_t line = 0;
        bool isError = false;  ///< else a warning; advice is not marked
        friend bool operator==(const Fault&, const Fault&) = default;
    };
    std::vector<Fault> faults;  ///< lines that findings name, ascending, each once

    static SourceMarks of(const Snapshot& snapshot);
    friend bool operator==(const SourceMarks&, const SourceMarks&) = default;
};

/// Lane accesses of the block by the line that has the most of them, at least 1: what a full bar stands for.
uint64_t mostAccesses(const BlockOverview& overview);

const ViewDescription& sourceDescription();
void paintSource(QPainter& painter, const Snapshot& snapshot, const Theme& theme, QSizeF size);

}  // namespace lanescope::gui
