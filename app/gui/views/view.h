// SPDX-License-Identifier: GPL-3.0-or-later
// The views beside stage and timeline: what one shows is computed from the trace on a thread of its own and then
// painted, in the window as in `render`. A new view is a folder with a View in it, a line in CMakeLists.txt and one in
// allViews(): what it is called and which options it has, its description tells everybody.
#pragma once

#include <QLocale>
#include <QObject>

#include <memory>
#include <optional>
#include <vector>

#include "app/gui/engine/analysis_cache.h"
#include "app/gui/engine/snapshot.h"
#include "app/gui/view_description.h"
#include "app/gui/views/canvas.h"

namespace lanescope::gui {

/// Base of what a view computes; immutable once made.
struct ViewData {
    virtual ~ViewData() = default;
};
using ViewDataPointer = std::shared_ptr<const ViewData>;

class View {
public:
    explicit View(ViewDescription description) : m_description(std::move(description)) {}
    virtual ~View() = default;
    [[nodiscard]] const ViewDescription& description() const { return m_description; }
    /// As the command takes it.
    [[nodiscard]] QString name() const { return QString::fromStdString(m_description.name); }
    [[nodiscard]] QString title() const { return QObject::tr(m_description.title.c_str()); }
    /// The title of its tab, which may tell how much there is to see.
    [[nodiscard]] virtual QString tabTitle(const trace::Catalog& /*catalog*/) const { return title(); }
    /// Whether a recording has what the view is of: it has no tab where there is none.
    [[nodiscard]] virtual bool hasSubject(const trace::Catalog& /*catalog*/) const { return true; }
    /// Whether it counts what the selected warps do alone; most of those that do count the selected steps alone, too.
    [[nodiscard]] virtual bool followsSelection() const { return false; }
    /// May take long; runs where the cache lives.
    [[nodiscard]] virtual Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                          const ViewSettings& settings) const = 0;
    /// \p data: what compute() gave for this snapshot, or for one a few steps before.
    virtual void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                       const ViewSettings& settings) const = 0;
    /// What a key of the view's own makes of its settings; none: it has no such key.
    [[nodiscard]] virtual std::optional<ViewSettings> afterKey(int /*key*/, const ViewSettings& /*settings*/) const
    {
        return std::nullopt;
    }
    /// For a picture, in which nobody can choose by a click: takes what there is to choose from the focus.
    virtual void aim(ViewSettings& /*settings*/, const Snapshot& /*snapshot*/) const {}
    /// Forgets what holds in one launch of one trace only.
    virtual void leaveLaunch(ViewSettings& /*settings*/) const {}

private:
    ViewDescription m_description;
};

/// In the order of the window's tabs.
const std::vector<std::unique_ptr<const View>>& allViews();
/// Null when there is none of that name.
const View* viewNamed(const QString& name);

}  // namespace lanescope::gui

Q_DECLARE_METATYPE(lanescope::gui::ViewDataPointer)
Q_DECLARE_METATYPE(const lanescope::gui::View*)
