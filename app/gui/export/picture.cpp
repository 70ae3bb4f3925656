// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export/picture.h"

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QProcess>
#include <QStandardPaths>
#include <QSvgGenerator>

#include <algorithm>
#include <unordered_map>

namespace lanescope::gui {

namespace {

Error notWritten(const QString& path, const QString& why)
{
    return {Error::Code::Io, "cannot write the picture: " + why.toStdString(), path.toStdString()};
}

/// With the 256 colours that cover most of it; the others become the nearest of these.
QImage withPalette(const QImage& image)
{
    std::unordered_map<QRgb, int> count;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++count[image.pixel(x, y)];
    std::vector<std::pair<int, QRgb>> byCount;
    for (const auto& [colour, pixels] : count)
        byCount.emplace_back(-pixels, colour);
    std::sort(byCount.begin(), byCount.end());
    constexpr size_t kColours = 256;
    QList<QRgb> palette;
    for (size_t i = 0; i < std::min(kColours, byCount.size()); ++i)
        palette << byCount[i].second;
    return image.convertToFormat(QImage::Format_Indexed8, palette, Qt::ThresholdDither);
}

Result<void> writePng(const QString& path, QSize size, const Drawing& drawing, PictureColours colours)
{
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawing(painter);
    painter.end();
    if (colours == PictureColours::Palette)
        image = withPalette(image.convertToFormat(QImage::Format_RGB32));
    if (!image.save(path, "PNG"))
        return notWritten(path, QStringLiteral("the file could not be created"));
    return {};
}

Result<void> writeSvg(const QString& path, QSize size, const Drawing& drawing)
{
    QFile file(path);
    const QByteArray svg = svgOf(size, drawing);
    if (!file.open(QIODevice::WriteOnly) || file.write(svg) != svg.size())
        return notWritten(path, file.errorString());
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

QStringList movieArguments(const QString& path, QSize size, bool gif)
{
    constexpr int kPicturesPerSecond = 2;
    QStringList arguments{"-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "bgra", "-s"};
    arguments << QStringLiteral("%1x%2").arg(size.width()).arg(size.height()) << "-r"
              << QString::number(kPicturesPerSecond) << "-i" << "-";
    if (gif)
        arguments << "-vf" << "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse";
    else  // H.264 wants even sides; players want a picture more than twice a second, and each one costs
        arguments << "-vf" << "pad=ceil(iw/2)*2:ceil(ih/2)*2,fps=8" << "-c:v" << "libx264" << "-preset" << "veryfast"
                  << "-tune" << "stillimage" << "-crf" << "20" << "-pix_fmt" << "yuv420p"
                  << "-movflags" << "+faststart";
    return arguments << path;
}

/// Through ffmpeg, frame by frame, so that long sequences need little memory.
Result<void> writeMovie(const QString& path, QSize size, const std::vector<Drawing>& pages, bool gif)
{
    const QString ffmpeg = QStandardPaths::findExecutable(QStringLiteral("ffmpeg"));
    if (ffmpeg.isEmpty())
        return notWritten(path, QStringLiteral("gif and mp4 need ffmpeg, which is not in PATH; "
                                               "install it with: apt install ffmpeg"));
    QProcess process;
    process.start(ffmpeg, movieArguments(path, size, gif));
    if (!process.waitForStarted())
        return notWritten(path, process.errorString());
    constexpr int kPatienceMs = 60'000;
    for (const Drawing& page : pages) {
        QImage image(size, QImage::Format_RGB32);
        QPainter painter(&image);
        page(painter);
        painter.end();
        process.write(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes());
        while (process.bytesToWrite() > 0)
            if (!process.waitForBytesWritten(kPatienceMs))
                break;
    }
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(kPatienceMs);
    if (!ended || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return notWritten(path, QStringLiteral("ffmpeg: ") +
                                    QString::fromUtf8(process.readAllStandardError()).section(u'\n', 0, 0).trimmed());
    return {};
}

QString endingOf(const QString& path)
{
    return QFileInfo(path).suffix().toLower();
}

}  // namespace

QByteArray svgOf(QSize size, const Drawing& drawing)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setResolution(96);
    generator.setTitle(QStringLiteral("Lanescope"));
    QPainter painter(&generator);
    drawing(painter);
    painter.end();
    return buffer.data();
}

bool isPictureEnding(const QString& path)
{
    const QString ending = endingOf(path);
    static const QStringList kKnown{"png", "svg", "pdf", "gif", "mp4"};
    return kKnown.contains(ending);
}

Result<void> writePicture(const QString& path, QSize size, const std::vector<Drawing>& pages, PictureColours colours)
{
    const QString ending = endingOf(path);
    if (ending == QLatin1String("pdf"))
        return writePdf(path, size, pages);
    if (ending == QLatin1String("gif") || ending == QLatin1String("mp4"))
        return writeMovie(path, size, pages, ending == QLatin1String("gif"));
    if (!isPictureEnding(path))
        return Error{Error::Code::BadInput,
                     "unknown picture format '" + ending.toStdString() + "', expected png, svg, pdf, gif or mp4",
                     path.toStdString()};
    if (pages.size() != 1)
        return Error{Error::Code::BadInput,
                     "a sequence of steps needs a pdf, gif or mp4 file, found " + ending.toStdString(),
                     path.toStdString()};
    return ending == QLatin1String("png") ? writePng(path, size, pages.front(), colours)
                                          : writeSvg(path, size, pages.front());
}

}  // namespace lanescope::gui
