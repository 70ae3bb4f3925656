// SPDX-License-Identifier: GPL-3.0-or-later
// All colours, fonts and sizes of the window and its pictures. Hues are Okabe and Ito's, which colour-blind
// people can tell apart; no meaning is carried by a hue alone.
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QString>
#include <QStringList>

#include "core/trace/model.h"

namespace lanescope::gui {

struct Theme {
    QString name;
    bool dark = true;
    double typeScale = 1.0;  ///< projector: larger type
    double wordScale = 1.0;  ///< of the line of code and the caption, on top of typeScale; lecture: larger

    QColor window;      ///< docks and toolbars
    QColor stage;       ///< canvas behind the panels
    QColor raised;      ///< buttons, current row
    QColor border;      ///< hairlines
    QColor text;        ///< what one reads
    QColor dim;         ///< labels; contrast of at least 4.5 on `window`
    QColor faint;       ///< what is there but not in play
    QColor accent;      ///< the focus
    QColor strong;      ///< the focused lane's outline
    QColor cell;        ///< a cell at rest
    QColor cellText;    ///< its value
    QColor hatch;       ///< lines of never-written cells
    QColor read;        ///< sky blue / blue
    QColor write;       ///< orange
    QColor atomic;      ///< reddish purple
    QColor branch;      ///< bluish green
    QColor arithmetic;  ///< grey
    QColor barrier;     ///< near the text colour
    QColor warning;     ///< orange, text weight
    QColor error;       ///< vermillion
    QColor good;        ///< bluish green
    QColor heatLow;     ///< smallest value of a heat image
    QColor heatHigh;    ///< largest

    [[nodiscard]] QFont sans(double pixels, bool bold = false) const;
    [[nodiscard]] QFont mono(double pixels, bool bold = false) const;
    [[nodiscard]] QColor ofKind(trace::SiteKind kind) const;
    /// Icon of resources/icons in this theme's text colour.
    [[nodiscard]] QIcon icon(const QString& iconName) const;
    /// Of the line of code that has run, below the stage.
    [[nodiscard]] QFont codeLine() const;
    /// Of the words below it, where they have room.
    [[nodiscard]] QFont caption() const { return caption(kCaptionPixels); }
    [[nodiscard]] QFont caption(double pixels) const { return sans(pixels * wordScale); }
    /// Lecture: words keep their size, and take a second line.
    [[nodiscard]] int captionLines() const { return wordScale > 1 ? 2 : 1; }
    /// Pixels of what is below the stage; 0: as a low stage leaves room for.
    [[nodiscard]] double captionHeight() const;
    static constexpr double kCaptionPixels = 15.5;
    static constexpr double kCodePixels = 14.5;
    /// The style sheet of the whole window.
    [[nodiscard]] QString styleSheet() const;
};

/// \p a over \p b with weight \p share of a (0 … 1); opaque, so that overlapping strokes do not add up.
QColor mixed(const QColor& a, const QColor& b, double share);

/// Share of its row's height that a step's bar has: less for what matters less, so that kinds differ without colour.
double barHeightOf(trace::SiteKind kind);

QStringList themeNames();
/// The projector's theme on a screen of \p height pixels: type grows with it, a line of code is at least 3 % of the
/// height and a caption 3.2 %.
const Theme& lectureTheme(int height);
/// The named theme, or the dark one when there is none of that name.
const Theme& themeNamed(const QString& name);
/// Makes Inter and JetBrains Mono available; once per application.
void loadFonts();

}  // namespace lanescope::gui
