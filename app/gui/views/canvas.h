// SPDX-License-Identifier: GPL-3.0-or-later
// What views paint on: a painter with the theme, a unit that grows with the picture, and places that can be clicked.
#pragma once

#include <QPainter>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/theme/theme.h"
#include "app/gui/views/view_settings.h"
#include "core/replay/replay.h"

namespace lanescope::gui {

/// A place that was painted: what a click on it does, what hovering says.
struct Hit {
    QRectF area;
    QString text;
    std::optional<replay::Focus> focus;
    std::optional<ViewSettings> settings;
    bool zooms = false;   ///< the wheel with Ctrl zooms its columns, with Shift moves them
    bool slides = false;  ///< chosen as well when the pointer is dragged onto it
    /// What all views are to be about; none: nothing is chosen; one that is none itself: everything recorded.
    std::optional<std::optional<analysis::StepsOfBlock>> steps = std::nullopt;
    std::string role = {};  ///< of warps, that a double click or F2 gives another name
    /// Of more parts than need a hit each: the one at a place, without an area where there is none.
    std::function<Hit(QPointF)> at = {};
};

class Canvas {
public:
    /// \p title: of the view. \p magnification: of type and everything measured in u().
    Canvas(QPainter& painter, const Theme& theme, QSizeF size, QString title, std::vector<Hit>* hits,
           double magnification = 1);

    [[nodiscard]] QPainter& painter() { return m_painter; }
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    [[nodiscard]] QSizeF size() const { return m_size; }
    /// \p pixels of a 1200 × 700 picture, in this one.
    [[nodiscard]] double u(double pixels) const { return pixels * m_unit; }
    [[nodiscard]] QFont sans(double pixels, bool bold = false) const;
    [[nodiscard]] QFont mono(double pixels, bool bold = false) const;

    /// Told in the line of the title, at its end: that only some warps are counted. A click takes them all again.
    void setChip(QString text) { m_chip = std::move(text); }
    /// Fills the background, writes the title with \p subtitle behind it; the area that is left.
    QRectF begin(const QString& subtitle);
    /// Cut with an ellipsis where it does not fit.
    void text(const QRectF& area, const QString& text, const QFont& font, const QColor& colour,
              Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);
    [[nodiscard]] static double widthOf(const QString& text, const QFont& font);
    /// \p text in lines of \p width at most; what is too much for \p mostLines stands in the last one, to be cut.
    [[nodiscard]] static QStringList wrapped(const QString& text, const QFont& font, double width, int mostLines);
    /// A message in the middle, for views with nothing to show.
    void empty(const QString& message);
    void bar(const QRectF& area, double share, const QColor& colour);
    /// A button; returns its right edge.
    double pill(QPointF leftTop, const QString& label, bool on, const ViewSettings& settings);
    /// Chooses one of the \p choices, of which \p chosen is; hovering says \p text of each. Returns its right edge.
    double slider(QPointF leftTop, size_t chosen, const std::vector<ViewSettings>& choices,
                  const std::function<QString(size_t)>& text);
    void hit(Hit hit);
    /// On screen; a picture has nothing to click.
    [[nodiscard]] bool takesClicks() const { return m_hits != nullptr; }

    /// For a view that has no room for all it has to show.
    void leaveOut() { m_isCut = true; }
    /// Something was left out, or a text cut.
    [[nodiscard]] bool isCut() const { return m_isCut; }
    /// Where the lowest text ends.
    [[nodiscard]] double bottom() const { return m_bottom; }

private:
    double paintChip(const QRectF& row);

    QPainter& m_painter;
    const Theme& m_theme;
    QSizeF m_size;
    QString m_title;
    QString m_chip;
    double m_unit = 1;
    bool m_isCut = false;
    double m_bottom = 0;
    std::vector<Hit>* m_hits;
};

}  // namespace lanescope::gui
