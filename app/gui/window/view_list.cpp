// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what the views say of themselves.
#include "app/gui/source/source_painter.h"
#include "app/gui/stage/stage_picture.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/window/window_picture.h"

namespace lanescope::gui {

const std::vector<ViewDescription>& viewDescriptions()
{
    static const std::vector<ViewDescription> all = [] {
        std::vector<ViewDescription> views{stageDescription(), sourceDescription(), timelineDescription()};
        for (const auto& view : allViews())
            views.push_back(view->description());
        views.push_back(compareView().description());
        views.push_back(windowDescription());
        return views;
    }();
    return all;
}

}  // namespace lanescope::gui
