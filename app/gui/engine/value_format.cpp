// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/value_format.h"

#include <array>
#include <cmath>
#include <cstring>

namespace lanescope::gui {

namespace {

template <typename T>
T load(const void* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

double halfToDouble(uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double floatOf(uint32_t bytes, const void* data)
{
    switch (bytes) {
    case 2:
        return halfToDouble(load<uint16_t>(data));
    case 4:
        return load<float>(data);
    case 8:
        return load<double>(data);
    default:
        return 0;
    }
}

double integerOf(const trace::ValueType& type, const void* data)
{
    const bool isSigned = type.kind == trace::ScalarKind::Signed;
    switch (type.bytes) {
    case 1:
        return isSigned ? load<int8_t>(data) : load<uint8_t>(data);
    case 2:
        return isSigned ? load<int16_t>(data) : load<uint16_t>(data);
    case 4:
        return isSigned ? load<int32_t>(data) : load<uint32_t>(data);
    case 8:
        return isSigned ? static_cast<double>(load<int64_t>(data)) : static_cast<double>(load<uint64_t>(data));
    default:
        return 0;
    }
}

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
    switch (type.kind) {
    case trace::ScalarKind::Float:
        return floatOf(type.bytes, bytes);
    case trace::ScalarKind::Signed:
    case trace::ScalarKind::Unsigned:
    case trace::ScalarKind::Bool:
    case trace::ScalarKind::Char:
    case trace::ScalarKind::Pointer:
    case trace::ScalarKind::Bytes:
        return integerOf(type, bytes);
    }
    return 0;
}

QString valueText(const trace::ValueType& type, const void* bytes)
{
    return QString::fromStdString(replay::valueText(type, bytes));
}

QString shortValueText(const trace::ValueType& type, const void* bytes, int columns)
{
    const QString whole = valueText(type, bytes);
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

QString variableText(const Snapshot& snapshot, const trace::Variable& variable, const void* bytes)
{
    if (variable.type.kind != trace::ScalarKind::Pointer || variable.type.bytes != 8)
        return valueText(variable.type, bytes);
    const auto address = load<uint64_t>(bytes);
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

QString threadText(const Snapshot& snapshot, uint64_t thread)
{
    const Dim3 extent = snapshot.launch().block;
    return positionText(positionOf(thread, extent), extent);
}

}  // namespace lanescope::gui
