// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/view.h"

#include <algorithm>

#include "app/gui/views/banks/banks_view.h"
#include "app/gui/views/blocks/blocks_view.h"
#include "app/gui/views/cluster/cluster_view.h"
#include "app/gui/views/coalescing/coalescing_view.h"
#include "app/gui/views/findings/findings_view.h"
#include "app/gui/views/fragment/fragment_view.h"
#include "app/gui/views/layout/layout_view.h"
#include "app/gui/views/lines/lines_view.h"
#include "app/gui/views/ring/ring_view.h"
#include "app/gui/views/roofline/roofline_view.h"
#include "app/gui/views/sweep/sweep_view.h"
#include "app/gui/views/tensor/tensor_view.h"
#include "app/gui/views/tiles/tiles_view.h"
#include "app/gui/views/why/why_view.h"

namespace lanescope::gui {

const std::vector<std::unique_ptr<const View>>& allViews()
{
    static const std::vector<std::unique_ptr<const View>> all = [] {
        std::vector<std::unique_ptr<const View>> views;
        views.push_back(std::make_unique<FindingsView>());
        views.push_back(std::make_unique<BlocksView>());
        views.push_back(std::make_unique<SweepView>());
        views.push_back(std::make_unique<RingView>());
        views.push_back(std::make_unique<WhyView>());
        views.push_back(std::make_unique<BanksView>());
        views.push_back(std::make_unique<LayoutView>());
        views.push_back(std::make_unique<FragmentView>());
        views.push_back(std::make_unique<CoalescingView>());
        views.push_back(std::make_unique<LinesView>());
        views.push_back(std::make_unique<RooflineView>());
        views.push_back(std::make_unique<TilesView>());
        views.push_back(std::make_unique<TensorView>());
        views.push_back(std::make_unique<ClusterView>());
        return views;
    }();
    return all;
}

const View* viewNamed(const QString& name)
{
    const auto found =
        std::find_if(allViews().begin(), allViews().end(), [&](const auto& v) { return v->name() == name; });
    return found == allViews().end() ? nullptr : found->get();
}

}  // namespace lanescope::gui
