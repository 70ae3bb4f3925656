// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of panels that did not change since they were drawn. GUI thread only.
#pragma once

#include <QPainter>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "app/gui/theme/theme.h"

namespace lanescope::gui {

/// Everything that a picture depends on.
struct PictureKey {
    /// Immutable. They are not kept, which may be much memory, but told apart from what gets their place afterwards.
    std::array<std::weak_ptr<const void>, 4> contents;
    const Theme* theme = nullptr;
    QRectF body;                   ///< where the whole panel lies, of which part may be drawn
    std::array<uint64_t, 11> how;  ///< what else changes the look
    /// Of one object, whether or not it is still there.
    static bool isSame(const std::weak_ptr<const void>& one, const std::weak_ptr<const void>& other)
    {
        return !one.owner_before(other) && !other.owner_before(one);
    }
    friend bool operator==(const PictureKey& a, const PictureKey& b)
    {
        return a.theme == b.theme && a.body == b.body && a.how == b.how &&
               std::equal(a.contents.begin(), a.contents.end(), b.contents.begin(), isSame);
    }
    /// Whether something that it showed is no more, so that no other key will be equal to it.
    [[nodiscard]] bool isOfThePast() const
    {
        return std::any_of(contents.begin(), contents.end(),
                           [](const auto& content) { return content.expired() && !isSame(content, {}); });
    }
};

/// Whether \p painter paints pixels that nobody turns or shears.
[[nodiscard]] bool isScreen(const QPainter& painter);

/// Paints \p draw's picture of \p area, opaque on \p background; on a screen from the cache where it knows \p key.
/// Elsewhere \p draw paints itself.
void paintCached(QPainter& painter, const QRectF& area, const PictureKey& key, const QColor& background,
                 const std::function<void(QPainter&)>& draw);

}  // namespace lanescope::gui
