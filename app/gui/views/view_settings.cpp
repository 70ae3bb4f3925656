// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/view_settings.h"

#include <algorithm>

#include "core/base/assert.h"

namespace lanescope::gui {

namespace {

void chooseZoom(ViewSettings& settings, const double& zoom)
{
    settings.zoom = std::max(1.0, zoom);
}

void choosePan(ViewSettings& settings, const double& pan)
{
    settings.pan = std::clamp(pan, 0.0, 1.0);
}

}  // namespace

std::vector<ViewOption> columnOptions()
{
    return {
        {"--zoom", "how many times wider the columns are", ViewOption::Number{1, 1024, &chooseZoom}},
        {"--pan", "share of the columns that lie left of the picture, 0 to 1", ViewOption::Number{0, 1, &choosePan}}};
}

ViewSettings settingsOf(const std::vector<ViewOption>& options, const OptionValues& values)
{
    ViewSettings settings;
    for (const ViewOption& option : options) {
        const auto given = values.find(option.flag);
        if (given == values.end())
            continue;
        std::visit(
            [&](const auto& takes) {
                const auto* value = std::get_if<typename std::decay_t<decltype(takes)>::Value>(&given->second);
                LS_ASSERT(value != nullptr);
                takes.choose(settings, *value);
            },
            option.takes);
    }
    return settings;
}

}  // namespace lanescope::gui
