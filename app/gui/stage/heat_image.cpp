// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/heat_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

constexpr uint8_t kUnwritten = 0;
constexpr int kHighest = 255;

/// 1 … 255 from the buffer's smallest to its largest value.
class LevelScale {
public:
    explicit LevelScale(const BufferState& state)
        : m_low(state.low), m_scale(state.high > state.low ? 1 / (state.high - state.low) : 1)
    {
    }
    [[nodiscard]] double share(double number) const
    {
        const double share = (number - m_low) * m_scale;
        return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 1.0;
    }
    [[nodiscard]] uint8_t level(double number) const
    {
        return static_cast<uint8_t>(1 + static_cast<int>(share(number) * (kHighest - 1)));
    }

private:
    double m_low;
    double m_scale;
};

/// \p numberAt(address) reads one element.
template <typename Number>
void levelsBy(const BufferView& view, const std::vector<uint64_t>& elements, std::vector<uint8_t>& levels,
              const Number& numberAt)
{
    const BufferState& state = *view.state;
    const LevelScale scale(state);
    const uint64_t size = view.buffer.element.totalBytes();
    const uint64_t count = std::min(view.shape.elements, state.bytes.size() / size);
    for (size_t i = 0; i < elements.size(); ++i) {
        const uint64_t byte = elements[i] * size;
        levels[i] = elements[i] < count && state.isInitialised(byte) ? scale.level(numberAt(state.bytes.data() + byte))
                                                                     : kUnwritten;
    }
}

template <typename T>
void levelsAs(const BufferView& view, const std::vector<uint64_t>& elements, std::vector<uint8_t>& levels)
{
    levelsBy(view, elements, levels, [](const std::byte* at) {
        T value;
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
    });
}

void findLevels(const BufferView& view, const std::vector<uint64_t>& elements, std::vector<uint8_t>& levels)
{
    using trace::ScalarKind;
    const trace::ValueType& type = view.buffer.element;
    const auto is = [&](ScalarKind kind, uint32_t bytes) { return type.kind == kind && type.bytes == bytes; };
    if (!view.state)
        std::fill(levels.begin(), levels.end(), kUnwritten);
    else if (is(ScalarKind::Float, 4))
        levelsAs<float>(view, elements, levels);
    else if (is(ScalarKind::Float, 8))
        levelsAs<double>(view, elements, levels);
    else if (is(ScalarKind::Signed, 4))
        levelsAs<int32_t>(view, elements, levels);
    else if (is(ScalarKind::Unsigned, 4))
        levelsAs<uint32_t>(view, elements, levels);
    else
        levelsBy(view, elements, levels, [&](const std::byte* at) { return numberOf(type, at); });
}

std::array<QRgb, 256> levelColours(const Theme& theme)
{
    std::array<QRgb, 256> colours{};
    for (int level = 1; level <= kHighest; ++level)
        colours[static_cast<size_t>(level)] = heatColourOf(theme, (level - 1) / (kHighest - 1.0)).rgb();
    return colours;
}

/// Each value once, and for each of \p all its place among them.
struct Distinct {
    std::vector<uint32_t> values;
    std::vector<uint32_t> places;

    explicit Distinct(const std::vector<uint32_t>& all)
    {
        for (const uint32_t value : all) {
            if (values.empty() || values.back() != value)
                values.push_back(value);
            places.push_back(static_cast<uint32_t>(values.size() - 1));
        }
    }
};

class HeatImage {
public:
    HeatImage(const BufferView& view, const OverlayTint& tint, const Theme& theme, const CellRaster& raster)
        : m_view(view), m_tint(tint), m_raster(raster), m_columns(raster.columns), m_colours(levelColours(theme)),
          m_blank(mixed(theme.cell, theme.stage, 0.5).rgb()), m_lines(theme.hatch.rgb()),
          m_elements(m_columns.values.size()), m_levels(m_columns.values.size()), m_row(m_columns.values.size())
    {
    }

    QImage image()
    {
        QImage image(static_cast<int>(m_raster.columns.size()), static_cast<int>(m_raster.rows.size()),
                     QImage::Format_RGB32);
        for (size_t y = 0; y < m_raster.rows.size(); ++y) {
            if (y == 0 || m_raster.rows[y] != m_raster.rows[y - 1])
                computeRow(m_raster.rows[y]);
            writeLine(reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y))), y);
        }
        return image;
    }

private:
    void computeRow(uint32_t row)
    {
        for (size_t i = 0; i < m_elements.size(); ++i)
            m_elements[i] = m_view.shape.elementOf({row, m_columns.values[i]});
        findLevels(m_view, m_elements, m_levels);
        m_hatched = false;
        for (size_t i = 0; i < m_elements.size(); ++i) {
            const QRgb resting = m_levels[i] == kUnwritten ? m_blank : m_colours[m_levels[i]];
            m_row[i] = m_tint.colours() ? m_tint.fill(m_elements[i], resting) : resting;
            m_hatched |= isHatched(i);
        }
    }

    /// Nothing was ever written there, and no overlay has anything to say.
    [[nodiscard]] bool isHatched(size_t i) const { return m_levels[i] == kUnwritten && m_row[i] == m_blank; }

    void writeLine(QRgb* line, size_t y) const
    {
        constexpr size_t kHatchStep = 7;
        for (size_t x = 0; x < m_columns.places.size(); ++x)
            line[x] = m_row[m_columns.places[x]];
        if (!m_hatched)
            return;
        for (size_t x = (kHatchStep - y % kHatchStep) % kHatchStep; x < m_columns.places.size(); x += kHatchStep)
            if (isHatched(m_columns.places[x]))
                line[x] = m_lines;
    }

    const BufferView& m_view;
    const OverlayTint& m_tint;
    const CellRaster& m_raster;
    const Distinct m_columns;
    const std::array<QRgb, 256> m_colours;
    const QRgb m_blank;
    const QRgb m_lines;
    std::vector<uint64_t> m_elements;  ///< of the row, by distinct column
    std::vector<uint8_t> m_levels;
    std::vector<QRgb> m_row;
    bool m_hatched = false;
};

}  // namespace

QImage heatImage(const BufferView& view, const OverlayTint& tint, const Theme& theme, const CellRaster& raster)
{
    return HeatImage(view, tint, theme, raster).image();
}

double shareOf(const BufferView& view, uint64_t element)
{
    return LevelScale(*view.state).share(numberOf(view.buffer.element, view.at(element)));
}

QColor heatColourOf(const Theme& theme, double share)
{
    return mixed(theme.heatHigh, theme.heatLow, share);
}

}  // namespace lanescope::gui
