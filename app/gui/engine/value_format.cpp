// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/value_format.h"

#include <QLocale>
#include <QObject>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/replay/scalars.h"

namespace lanescope::gui {

namespace {

/// "1e+06" → "1e6"; "-0.5" → "-.5" is left alone, people read it slower.
QString tidyExponent(QString text)
{
    text.replace(QLatin1String("e+0"), QLatin1String("e"));
    text.replace(QLatin1String("e+"), QLatin1String("e"));
    text.replace(QLatin1String("e-0"), QLatin1String("e-"));
    return text;
}

QString withSuffix(double number, int columns)
{
    constexpr std::array<std::pair<double, char>, 3> kUnits{{{1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}}};
    for (const auto& [unit, letter] : kUnits) {
        if (std::abs(number) < unit || std::abs(number) >= unit * 1000)
            continue;
        for (int digits = 3; digits >= 0; --digits) {
            const QString text = QString::number(number / unit, 'f', digits) + QLatin1Char(letter);
            if (text.size() <= columns)
                return text;
        }
    }
    return {};
}

QString shortNumber(double number, int columns)
{
    if (std::isnan(number))
        return QStringLiteral("nan");
    if (std::isinf(number))
        return number > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    const bool large = std::abs(number) >= 1000;
    for (int digits = 9; digits >= (large ? 4 : 2); --digits) {
        const QString text = tidyExponent(QString::number(number, 'g', digits));
        if (text.size() <= columns && !(large && text.contains(QLatin1Char('e'))))
            return text;
    }
    if (const QString text = withSuffix(number, columns); !text.isEmpty())
        return text;
    return tidyExponent(QString::number(number, 'g', 1));
}

}  // namespace

double numberOf(const trace::ValueType& type, const void* bytes)
{
    const auto* at = static_cast<const uint8_t*>(bytes);
    if (type.kind == trace::ScalarKind::Float)
        return replay::realOf(type, at);
    return type.kind == trace::ScalarKind::Signed ? static_cast<double>(replay::signedOf(at, type.bytes))
                                                  : static_cast<double>(replay::unsignedOf(at, type.bytes));
}

QString valueText(const trace::ValueType& type, const void* bytes)
{
    return QString::fromStdString(replay::valueText(type, bytes));
}

QString shortValueText(const trace::ValueType& type, const void* bytes, int columns)
{
    QString whole = valueText(type, bytes);
    const bool number =
        type.components == 1 && (type.kind == trace::ScalarKind::Float || type.kind == trace::ScalarKind::Signed ||
                                 type.kind == trace::ScalarKind::Unsigned);
    if (whole.size() <= columns)
        return whole;
    return number ? shortNumber(numberOf(type, bytes), columns) : whole.left(columns - 1) + QChar(0x2026);
}

namespace {

/// As what an access's value reads best: copies that move bits (cp.async, ldmatrix, wider integers) say what the buffer
/// holds; an access that knows its type, or a buffer of raw bytes, leaves it to the access.
trace::ValueType accessType(const Snapshot& snapshot, const StatementEvent& event, int lane)
{
    trace::ValueType type = snapshot.site(event.event.site).type;
    const auto index = event.event.isAccess() ? snapshot.indexOf(event.event.bufferOf(lane)) : std::nullopt;
    if (!index || type.kind == trace::ScalarKind::Float)
        return type;
    const trace::ValueType& element = snapshot.buffers[*index].buffer.element;
    const bool raw = element.kind == trace::ScalarKind::Bytes || element.totalBytes() <= 1;
    if (raw || type.totalBytes() % element.totalBytes() != 0)
        return type;
    const uint32_t elements = type.totalBytes() / element.totalBytes();
    type = element;
    type.components *= elements;
    return type;
}

}  // namespace

QString eventValueText(const Snapshot& snapshot, const StatementEvent& event, int lane)
{
    if (!event.event.valuesKnown)
        return QStringLiteral("?");
    return valueText(accessType(snapshot, event, lane), event.event.value[static_cast<size_t>(lane)].data());
}

QString variableName(const Snapshot& snapshot, const trace::Variable& variable)
{
    const QString name = QString::fromStdString(variable.name);
    const bool isAmbiguous = std::ranges::any_of(snapshot.variables, [&](const VariableView& other) {
        const trace::Variable& against = snapshot.catalog->variables[other.id.value];
        return against.name == variable.name && against.function != variable.function;
    });
    return isAmbiguous ? QStringLiteral("%1 · %2").arg(name, QString::fromStdString(variable.function)) : name;
}

QString variableText(const Snapshot& snapshot, const trace::Variable& variable, const void* bytes)
{
    if (variable.type.kind != trace::ScalarKind::Pointer || variable.type.bytes != 8)
        return valueText(variable.type, bytes);
    const uint64_t address = replay::unsignedOf(static_cast<const uint8_t*>(bytes), 8);
    for (const BufferView& view : snapshot.buffers) {
        const uint64_t start = view.buffer.deviceAddress;
        if (view.buffer.space != trace::Space::Global || address < start || address >= start + view.buffer.bytes)
            continue;
        const QString name = QString::fromStdString(view.buffer.name);
        const uint64_t element = (address - start) / view.buffer.element.totalBytes();
        return element == 0 ? name : QStringLiteral("%1 + %2").arg(name).arg(element);
    }
    return valueText(variable.type, bytes);
}

QString positionText(Dim3 position, Dim3 extent)
{
    if (extent.z > 1)
        return QStringLiteral("(%1,%2,%3)").arg(position.x).arg(position.y).arg(position.z);
    if (extent.y > 1)
        return QStringLiteral("(%1,%2)").arg(position.x).arg(position.y);
    return QStringLiteral("(%1)").arg(position.x);
}

QString blockText(Dim3 block, const trace::Launch& launch)
{
    return QStringLiteral("%1 %2").arg(QString::fromStdString(launch.blockWord), positionText(block, launch.grid));
}

QString threadText(const Snapshot& snapshot, uint64_t thread)
{
    const Dim3 extent = snapshot.launch().block;
    return positionText(positionOf(thread, extent), extent);
}

QString countText(uint64_t count)
{
    return QLocale(QLocale::English).toString(qulonglong(count));
}

QString stepsText(const BlockOverview& overview)
{
    if (overview.recordedSteps <= overview.stepCount)
        return QString::number(overview.stepCount);
    return QObject::tr("the first %1 of %2").arg(countText(overview.stepCount), countText(overview.recordedSteps));
}

QString codeText(const trace::Catalog& catalog, uint32_t source, uint32_t line)
{
    const int at = static_cast<int>(line) - 1;
    return QString::fromStdString(catalog.sources[source].text).section(u'\n', at, at).trimmed();
}

}  // namespace lanescope::gui
