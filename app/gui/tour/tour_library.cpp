// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/tour/tour_library.h"

#include <QFile>
#include <QFileInfo>

namespace lanescope::gui {

Result<tour::Tour> readTour(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{Error::Code::Io, "cannot read the tour: " + file.errorString().toStdString(), path.toStdString()};
    return tour::parse(file.readAll().toStdString(), path.toStdString());
}

std::optional<tour::Tour> tourThrough(const QString& program)
{
    const QFileInfo file(program);
    const QString language = file.suffix().isEmpty() || file.suffix() == "cu" ? QString() : file.suffix() + "/";
    const QString path = QStringLiteral(":/lanescope/tours/%1%2.tour").arg(language, file.completeBaseName());
    if (!QFile::exists(path))
        return std::nullopt;
    auto tour = readTour(path);
    return tour ? std::optional(std::move(tour).value()) : std::nullopt;
}

}  // namespace lanescope::gui
