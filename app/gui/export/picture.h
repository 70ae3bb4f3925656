// SPDX-License-Identifier: GPL-3.0-or-later
// Writes drawings to files: PNG, SVG or PDF by the file's ending, one drawing a page.
#pragma once

#include <QByteArray>
#include <QPainter>
#include <QString>

#include <functional>
#include <vector>

#include "core/base/result.h"

namespace lanescope::gui {

using Drawing = std::function<void(QPainter&)>;

/// Of a PNG; a palette of 256 colours halves its size.
enum class PictureColours : uint8_t { All, Palette };

/// PNG and SVG take exactly one drawing. Errors: unknown ending (names the known ones), file not writable.
Result<void> writePicture(const QString& path, QSize size, const std::vector<Drawing>& pages,
                          PictureColours colours = PictureColours::All);
/// As the text of an SVG file.
QByteArray svgOf(QSize size, const Drawing& drawing);
/// Endings that writePicture knows: "png", "svg", "pdf".
bool isPictureEnding(const QString& path);

}  // namespace lanescope::gui
