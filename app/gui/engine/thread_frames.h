// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that the focused thread is in.
#pragma once

#include <optional>

#include "app/gui/engine/snapshot.h"
#include "core/analysis/call_stack.h"

namespace lanescope::gui {

/// Keeps the calls of the trace that it was asked about last.
class ThreadFrames {
public:
    [[nodiscard]] analysis::CallStack of(const Snapshot& snapshot);

private:
    CatalogPointer m_catalog;
    std::optional<analysis::CallGraph> m_calls;
};

}  // namespace lanescope::gui
