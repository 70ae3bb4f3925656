// SPDX-License-Identifier: GPL-3.0-or-later
// What the user has chosen in a view; part of no trace. What all views have is here, what one view has is in its
// header.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/view_description.h"
#include "core/analysis/analysis.h"

namespace lanescope::gui {

/// The settings that one view has alone: a value of a type that the view declares, with operator==. While nothing was
/// chosen it is as good as one that the type makes by itself.
class OwnSettings {
public:
    template <typename Settings>
    [[nodiscard]] Settings as() const
    {
        const auto* held = dynamic_cast<const HeldAs<Settings>*>(m_held.get());
        return held != nullptr ? held->value : Settings{};
    }
    template <typename Settings>
    void set(Settings settings)
    {
        m_held = std::make_shared<const HeldAs<Settings>>(std::move(settings));
    }

    friend bool operator==(const OwnSettings& a, const OwnSettings& b)
    {
        if (a.m_held == b.m_held)
            return true;
        return a.m_held != nullptr ? a.m_held->equals(b.m_held.get()) : b.m_held->equals(nullptr);
    }

private:
    struct Held {
        virtual ~Held() = default;
        /// \p other: null while nothing was chosen.
        [[nodiscard]] virtual bool equals(const Held* other) const = 0;
    };
    template <typename Settings>
    struct HeldAs final : Held {
        explicit HeldAs(Settings settings) : value(std::move(settings)) {}
        [[nodiscard]] bool equals(const Held* other) const override
        {
            const auto* same = dynamic_cast<const HeldAs*>(other);
            return other == nullptr ? value == Settings{} : same != nullptr && value == same->value;
        }
        Settings value;
    };

    std::shared_ptr<const Held> m_held;
};

struct ViewSettings {
    std::optional<analysis::StepsOfBlock> selection;  ///< of the timeline; none = everything recorded
    std::string compareWith;                          ///< path of the other trace, of views that show two
    int sortColumn = 0;                               ///< of a table, from 1; < 0: smallest first; 0: as it is
    double scroll = 0;                                ///< rows that a long table has moved up
    double zoom = 1;                                  ///< of a wide picture's columns; 1 = all of them
    double pan = 0;                                   ///< share of the columns that lie left of what is shown
    std::map<std::string, std::string> roleNames;     ///< what the user calls roles of warps, by what they do
    OwnSettings own;

    /// Of each block, those of the chosen role; all where none is chosen.
    [[nodiscard]] analysis::WarpNumbers warps() const { return selection ? selection->warps : analysis::WarpNumbers{}; }

    /// These, changed in what is the view's own.
    template <typename Settings>
    [[nodiscard]] ViewSettings with(Settings settings) const
    {
        ViewSettings changed = *this;
        changed.own.set(std::move(settings));
        return changed;
    }

    friend bool operator==(const ViewSettings&, const ViewSettings&) = default;
};

/// Of views whose columns can be zoomed: --zoom and --pan.
std::vector<ViewOption> columnOptions();

/// The settings with those of \p values that \p options take; a value of another type than its option's is our bug.
ViewSettings settingsOf(const std::vector<ViewOption>& options, const OptionValues& values);

}  // namespace lanescope::gui
