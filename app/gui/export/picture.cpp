// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export/picture.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace lanescope::gui {

namespace {

Error notWritten(const QString& path, const QString& why)
{
    return {Error::Code::Io, "cannot write the picture: " + why.toStdString(), path.toStdString()};
}

Result<void> writePng(const QString& path, QSize size, const Drawing& drawing)
{
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawing(painter);
    painter.end();
    if (!image.save(path, "PNG"))
        return notWritten(path, QStringLiteral("the file could not be created"));
    return {};
}

Result<void> writeSvg(const QString& path, QSize size, const Drawing& drawing)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return notWritten(path, file.errorString());
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setResolution(96);
    generator.setTitle(QStringLiteral("Lanescope"));
    QPainter painter(&generator);
    drawing(painter);
    painter.end();
    return {};
}

Result<void> writePdf(const QString& path, QSize size, const std::vector<Drawing>& pages)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return notWritten(path, file.errorString());
    QPdfWriter writer(&file);
    constexpr int kDotsPerInch = 96;
    writer.setResolution(kDotsPerInch);
    writer.setPageSize(QPageSize(QSizeF(size) * 72.0 / kDotsPerInch, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    for (size_t page = 0; page < pages.size(); ++page) {
        if (page > 0)
            writer.newPage();
        pages[page](painter);
    }
    painter.end();
    return {};
}

QString endingOf(const QString& path)
{
    return QFileInfo(path).suffix().toLower();
}

}  // namespace

bool isPictureEnding(const QString& path)
{
    const QString ending = endingOf(path);
    return ending == QLatin1String("png") || ending == QLatin1String("svg") || ending == QLatin1String("pdf");
}

Result<void> writePicture(const QString& path, QSize size, const std::vector<Drawing>& pages)
{
    const QString ending = endingOf(path);
    if (ending == QLatin1String("pdf"))
        return writePdf(path, size, pages);
    if (!isPictureEnding(path))
        return Error{Error::Code::BadInput,
                     "unknown picture format '" + ending.toStdString() + "', expected png, svg or pdf",
                     path.toStdString()};
    if (pages.size() != 1)
        return Error{Error::Code::BadInput, "a sequence of steps needs a pdf file, found " + ending.toStdString(),
                     path.toStdString()};
    return ending == QLatin1String("png") ? writePng(path, size, pages.front()) : writeSvg(path, size, pages.front());
}

}  // namespace lanescope::gui
