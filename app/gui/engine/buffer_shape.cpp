// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/buffer_shape.h"

#include <QRegularExpression>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace lanescope::gui {

namespace {

/// One-dimensional data: a row while it is short, rows of a warp, then a near-square.
uint64_t foldedColumns(uint64_t elements)
{
    if (elements <= 40)
        return std::max<uint64_t>(elements, 1);
    if (elements <= 1024)
        return kWarpSize;
    const auto side = static_cast<uint64_t>(std::ceil(std::sqrt(static_cast<double>(elements))));
    return std::bit_ceil(std::max<uint64_t>(side, 64));
}

uint64_t elementCount(const trace::Buffer& buffer)
{
    if (buffer.dims.empty())
        return std::max<uint64_t>(1, buffer.bytes / std::max<uint32_t>(1, buffer.element.totalBytes()));
    return std::accumulate(buffer.dims.begin(), buffer.dims.end(), uint64_t{1}, std::multiplies<>());
}

/// Into slices of \p rows rows each, where there are several and they are matrices.
void divide(BufferShape& shape, uint64_t rows)
{
    const uint64_t slices = rows < 2 ? 1 : shape.rows / rows;
    if (slices < 2 || shape.columns < 2 || slices * rows != shape.rows)
        return;
    shape.sliceRows = rows;
    shape.sliceColumns = shape.columns;
    const uint64_t across = slicesAcross(slices, rows, shape.columns);
    shape.columns *= across;
    shape.rows = (slices + across - 1) / across * rows;
}

}  // namespace

BufferShape BufferShape::of(const trace::Buffer& buffer)
{
    BufferShape shape;
    shape.elements = std::max<uint64_t>(1, elementCount(buffer));
    const bool matrix = buffer.dims.size() >= 2 && buffer.dims.back() != shape.elements && buffer.dims.back() > 0;
    shape.columns = matrix ? buffer.dims.back() : foldedColumns(shape.elements);
    shape.rows = (shape.elements + shape.columns - 1) / shape.columns;
    if (matrix && buffer.dims.size() >= 3)
        divide(shape, buffer.dims[buffer.dims.size() - 2]);
    return shape;
}

uint64_t slicesAcross(uint64_t slices, uint64_t rows, uint64_t columns)
{
    uint64_t across = 1;
    while (across < slices && across * columns < (slices + across - 1) / across * rows)
        ++across;
    return across;
}

BufferShape BufferShape::reshaped(const ShapeChoice& choice) const
{
    BufferShape shape = *this;
    shape.rows = choice.rows;
    shape.columns = choice.columns;
    shape.columnMajor = choice.columnMajor;
    shape.sliceRows = 0;
    shape.sliceColumns = 0;
    return shape;
}

Result<ShapeChoice> ShapeChoice::parse(const QString& text, uint64_t elements)
{
    static const QRegularExpression form(
        QStringLiteral("^\\s*(?:(\\d{1,18})\\s*[x×*]\\s*)?(\\d{1,18})\\s*(columns|column-major)?\\s*$"));
    const auto match = form.match(text);
    ShapeChoice choice;
    choice.columns = match.captured(2).toULongLong();
    choice.columnMajor = !match.captured(3).isEmpty();
    if (elements == 0)
        elements = match.captured(1).toULongLong() * choice.columns;
    if (!match.hasMatch() || choice.columns == 0 || choice.columns > elements)
        return Error{Error::Code::BadInput,
                     "'" + text.toStdString() + "', expected rows x columns, at most " + std::to_string(elements) +
                         " columns, and 'columns' after it when they lie one after another in memory",
                     {}};
    const uint64_t needed = (elements + choice.columns - 1) / choice.columns;
    choice.rows = match.captured(1).isEmpty() ? needed : match.captured(1).toULongLong();
    if (choice.rows != needed)
        return Error{Error::Code::BadInput,
                     "'" + text.toStdString() + "', expected " + std::to_string(needed) + " rows of " +
                         std::to_string(choice.columns) + " for " + std::to_string(elements) + " elements",
                     {}};
    return choice;
}

QString ShapeChoice::text() const
{
    return QStringLiteral("%1 x %2%3").arg(rows).arg(columns).arg(columnMajor ? QStringLiteral(" columns") : QString());
}

QString cellName(const trace::Buffer& buffer, uint64_t element)
{
    QString name = QString::fromStdString(buffer.name);
    if (buffer.dims.size() < 2)
        return name + QStringLiteral("[%1]").arg(element);
    QString indices;
    for (size_t i = buffer.dims.size(); i-- > 0;) {
        const uint64_t extent = std::max<uint64_t>(1, buffer.dims[i]);
        indices.prepend(QStringLiteral("[%1]").arg(i == 0 ? element : element % extent));
        element /= extent;
    }
    return name + indices;
}

const trace::Buffer* bufferOf(const trace::Catalog& catalog, const trace::Finding& finding)
{
    const auto found = std::ranges::find_if(catalog.buffers, [&](const trace::Buffer& buffer) {
        return buffer.name == finding.buffer && (!buffer.launch || *buffer.launch == finding.launch);
    });
    return found == catalog.buffers.end() ? nullptr : &*found;
}

QString cellName(const trace::Catalog& catalog, const trace::Finding& finding)
{
    if (finding.cell.size() == 1 && finding.cell[0] >= 0)
        if (const trace::Buffer* const buffer = bufferOf(catalog, finding))
            return cellName(*buffer, static_cast<uint64_t>(finding.cell[0]));
    QString text = QString::fromStdString(finding.buffer);
    for (const int64_t index : finding.cell)
        text += QStringLiteral("[%1]").arg(index);
    return text;
}

QString shapeText(const trace::Buffer& buffer)
{
    QString text = QString::fromStdString(buffer.element.name);
    for (uint64_t extent : buffer.dims)
        text += QStringLiteral("[%1]").arg(extent);
    return text;
}

QString spaceText(trace::Space space)
{
    switch (space) {
    case trace::Space::Global:
        return QStringLiteral("global");
    case trace::Space::Shared:
        return QStringLiteral("shared");
    case trace::Space::Constant:
        return QStringLiteral("constant");
    case trace::Space::Local:
        return QStringLiteral("local");
    }
    return {};
}

}  // namespace lanescope::gui
