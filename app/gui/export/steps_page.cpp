// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export/steps_page.h"

#include <QFile>
#include <QJsonDocument>

#include <tuple>
#include <utility>

#include "core/base/assert.h"

namespace lanescope::gui {

namespace {

constexpr int kBestCompression = 9;

/// What lies within the outermost element: the page has its own, which scales.
QByteArray innerPart(const QByteArray& svg)
{
    const qsizetype start = svg.indexOf('>', svg.indexOf("<svg")) + 1;
    return svg.mid(start, svg.lastIndexOf("</svg>") - start);
}

/// As the browser inflates it: zlib's format, without the length that Qt writes before it.
QByteArray packed(const QByteArray& text)
{
    constexpr qsizetype kLengthBytes = 4;
    return qCompress(text, kBestCompression).mid(kLengthBytes).toBase64();
}

QByteArray readResource(const QString& name)
{
    QFile file(QStringLiteral(":/lanescope/") + name);
    const bool isThere = file.open(QIODevice::ReadOnly);
    LS_ASSERT(isThere);
    return file.readAll();
}

/// The pictures' type faces: with others, whose letters are wider, texts would run into each other.
QString packedFonts()
{
    QJsonArray fonts;
    for (const auto& [file, family, weight] : std::initializer_list<std::tuple<const char*, const char*, int>>{
             {"Inter-Regular.otf", "Inter", 400},
             {"Inter-SemiBold.otf", "Inter", 600},
             {"JetBrainsMono-Regular.ttf", "JetBrains Mono", 400},
             {"JetBrainsMono-Bold.ttf", "JetBrains Mono", 700}})
        fonts.append(QJsonObject{
            {QStringLiteral("family"), QString::fromLatin1(family)},
            {QStringLiteral("weight"), QString::number(weight)},
            {QStringLiteral("packed"),
             QString::fromLatin1(packed(readResource(QStringLiteral("fonts/") + QString::fromLatin1(file))))}});
    return QString::fromUtf8(QJsonDocument(fonts).toJson(QJsonDocument::Compact));
}

}  // namespace

StepsPage::StepsPage(QString title, QString firstTheme) : m_title(std::move(title)), m_firstTheme(std::move(firstTheme))
{
}

void StepsPage::addSource(const QString& path, const QString& text)
{
    m_sources[path] = text;
}

void StepsPage::addStep(const StepWords& words)
{
    m_steps.append(QJsonObject{{QStringLiteral("place"), words.place},
                               {QStringLiteral("caption"), words.caption},
                               {QStringLiteral("source"), words.source},
                               {QStringLiteral("line"), words.line}});
}

/// Most of a picture is as in the one before: each piece is kept once, pictures are lists of numbers.
QJsonArray StepsPage::partsOf(const QByteArray& svg)
{
    static const QByteArray kSeam("\n\n<g ");
    QJsonArray numbers;
    for (qsizetype from = 0; from < svg.size();) {
        const qsizetype seam = svg.indexOf(kSeam, from + 1);
        const qsizetype to = seam < 0 ? svg.size() : seam;
        const QByteArray part = svg.mid(from, to - from);
        auto known = m_known.constFind(part);
        if (known == m_known.constEnd()) {
            known = m_known.insert(part, static_cast<int>(m_known.size()));
            m_parts.append(QString::fromUtf8(part));
        }
        numbers.append(*known);
        from = to;
    }
    return numbers;
}

void StepsPage::addPictures(const QString& theme, const PageColours& colours, QSize size,
                            const std::vector<Drawing>& pictures)
{
    QJsonArray steps;
    for (const Drawing& picture : pictures)
        steps.append(partsOf(innerPart(svgOf(size, picture))));
    m_sets.append(
        QJsonObject{{QStringLiteral("theme"), theme},
                    {QStringLiteral("width"), size.width()},
                    {QStringLiteral("height"), size.height()},
                    {QStringLiteral("colours"), QJsonObject{{QStringLiteral("background"), colours.background},
                                                            {QStringLiteral("raised"), colours.raised},
                                                            {QStringLiteral("border"), colours.border},
                                                            {QStringLiteral("text"), colours.text},
                                                            {QStringLiteral("dim"), colours.dim},
                                                            {QStringLiteral("accent"), colours.accent}}},
                    {QStringLiteral("steps"), steps}});
}

Result<void> StepsPage::write(const QString& path) const
{
    const QJsonObject page{{QStringLiteral("title"), m_title}, {QStringLiteral("theme"), m_firstTheme},
                           {QStringLiteral("steps"), m_steps}, {QStringLiteral("sources"), m_sources},
                           {QStringLiteral("sets"), m_sets},   {QStringLiteral("parts"), m_parts}};
    QString html = QString::fromUtf8(readResource(QStringLiteral("steps/steps.html")));
    html.replace(QStringLiteral("@fonts@"), packedFonts());
    html.replace(QStringLiteral("@title@"), m_title.toHtmlEscaped());
    html.replace(QStringLiteral("@data@"),
                 QString::fromLatin1(packed(QJsonDocument(page).toJson(QJsonDocument::Compact))));
    QFile file(path);
    const QByteArray bytes = html.toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        return Error{Error::Code::Io, "cannot write the page: " + file.errorString().toStdString(), path.toStdString()};
    return {};
}

}  // namespace lanescope::gui
