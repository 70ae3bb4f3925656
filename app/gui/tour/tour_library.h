// SPDX-License-Identifier: GPL-3.0-or-later
// The guided tours that come with the program (resources/tours), by the program that they lead through.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

#include "core/tour/tour.h"

namespace lanescope::gui {

/// The tour in a file; `:/lanescope/tours/x.tour` for one that comes with the program.
Result<tour::Tour> readTour(const QString& path);
/// The tour through \p program, a path of a source file, found by its name and language; none when there is none.
std::optional<tour::Tour> tourThrough(const QString& program);

}  // namespace lanescope::gui
