// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/run_layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

constexpr int64_t kUnknown = -1;
constexpr uint64_t kMostTileElements = 1 << 16;

/// The most values from the first on that go on by one stride.
size_t evenRun(const std::vector<int64_t>& values)
{
    size_t count = 2;
    while (count < values.size() && values[count] == values[1] * static_cast<int64_t>(count))
        ++count;
    return std::min(count, values.size());
}

std::string joined(const std::vector<int64_t>& numbers)
{
    return numbers.size() == 1 ? std::to_string(numbers.front()) : fmt::format("({})", fmt::join(numbers, ","));
}

}  // namespace

std::string IndexStrides::text() const
{
    return joined(extents) + ":" + joined(strides);
}

std::optional<IndexStrides> stridesOf(const std::vector<int64_t>& values)
{
    if (values.size() < 2)
        return values.empty() || values[0] != 0 ? std::nullopt : std::optional(IndexStrides{{1}, {0}});
    size_t inner = evenRun(values);
    while (values.size() % inner != 0)
        --inner;
    if (inner < 2 || values[0] != 0)
        return std::nullopt;
    IndexStrides found{{static_cast<int64_t>(inner)}, {values[1]}};
    std::vector<int64_t> outer;
    for (size_t i = 0; i < values.size(); ++i) {
        if (i % inner == 0)
            outer.push_back(values[i]);
        if (values[i] != outer.back() + values[1] * static_cast<int64_t>(i % inner))
            return std::nullopt;
    }
    if (outer.size() == 1)
        return found;
    const std::optional<IndexStrides> rest = stridesOf(outer);
    if (!rest)
        return std::nullopt;
    found.extents.insert(found.extents.end(), rest->extents.begin(), rest->extents.end());
    found.strides.insert(found.strides.end(), rest->strides.begin(), rest->strides.end());
    return found;
}

std::string FoundLayout::text() const
{
    return fmt::format("({},{}):({},{})", joined(rows.extents), joined(cols.extents), joined(rows.strides),
                       joined(cols.strides));
}

std::string FoundLayout::name() const
{
    const auto padded = [](const char* what, const char* lines, int64_t stride, int64_t length) {
        return stride == length ? std::string(what) : fmt::format("{}, {} padded by {}", what, lines, stride - length);
    };
    const bool isPlain = rows.extents.size() == 1 && cols.extents.size() == 1;
    const int64_t rowCount = rows.extents[0], colCount = cols.extents[0];
    const int64_t rowStride = rows.strides[0], colStride = cols.strides[0];
    std::string plain = isPlain ? "strided" : "tiled";
    if (isPlain && (colStride == 1 || colCount == 1) && (rowStride >= colCount || rowCount == 1))
        plain = padded("row-major", "rows", rowCount == 1 ? colCount : rowStride, colCount);
    else if (isPlain && (rowStride == 1 || rowCount == 1) && colStride >= rowCount)
        plain = padded("column-major", "columns", colStride, rowCount);
    return swizzle ? fmt::format("{} over {}", swizzle->text(), plain) : plain;
}

namespace {

/// The map where rows and columns each add their own.
std::optional<FoundLayout> separate(const std::vector<int64_t>& offsets, uint32_t rows, uint32_t cols)
{
    const auto at = [&](uint32_t row, uint32_t col) { return offsets[uint64_t{row} * cols + col]; };
    if (at(0, 0) == kUnknown)
        return std::nullopt;
    std::vector<int64_t> down, along;
    for (uint32_t row = 0; row < rows; ++row)
        down.push_back(at(row, 0) - at(0, 0));
    for (uint32_t col = 0; col < cols; ++col)
        along.push_back(at(0, col) - at(0, 0));
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t col = 0; col < cols; ++col)
            if (at(row, col) != kUnknown && at(row, col) != at(0, 0) + down[row] + along[col])
                return std::nullopt;
    const std::optional<IndexStrides> rowStrides = stridesOf(down), colStrides = stridesOf(along);
    if (!rowStrides || !colStrides)
        return std::nullopt;
    return FoundLayout{*rowStrides, *colStrides, {}, at(0, 0)};
}

}  // namespace

std::optional<FoundLayout> layoutOf(const std::vector<int64_t>& offsets, uint32_t rows, uint32_t cols)
{
    if (std::optional<FoundLayout> plain = separate(offsets, rows, cols))
        return plain;
    constexpr int kMostBits = 5, kHighestBase = 7, kFarthestShift = 8;
    std::vector<int64_t> turned(offsets.size());
    for (int bits = 1; bits <= kMostBits; ++bits)
        for (int base = 0; base <= kHighestBase; ++base)
            for (int shift = bits; shift <= kFarthestShift; ++shift) {
                const layout::Swizzle swizzle{bits, base, shift};
                std::ranges::transform(offsets, turned.begin(),
                                       [&](int64_t offset) { return offset == kUnknown ? offset : swizzle(offset); });
                if (std::optional<FoundLayout> found = separate(turned, rows, cols)) {
                    found->swizzle = swizzle;
                    return found;
                }
            }
    return std::nullopt;
}

namespace {

/// Where an element of the source came to lie.
struct Moved {
    uint64_t from = 0;  ///< element of the source
    uint64_t to = 0;    ///< element of the array
};

class LayoutTracer {
public:
    LayoutTracer(const std::vector<trace::Buffer>& buffers, const trace::Buffer& buffer, const trace::Catalog& catalog,
                 const WarpNumbers& warps)
        : m_catalog(catalog), m_warps(warps), m_buffer(buffer)
    {
        for (const trace::Buffer& each : buffers)
            m_buffers.emplace(each.id.value, each);
        m_stageElements = buffer.bytes / elementBytes(buffer);
        if (buffer.dims.size() > 2) {
            m_stageElements = 1;
            for (size_t i = 1; i < buffer.dims.size(); ++i)
                m_stageElements *= buffer.dims[i];
        }
    }

    void add(const Event& event)
    {
        if (!event.isAccess())
            return;
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            addLane(event, std::countr_zero(rest));
        const int first = std::countr_zero(event.mask);
        if (event.bufferOf(first) == m_buffer.id && isAmong(m_warps, event.warp))
            addAccess(event);
    }

    RunLayout finish()
    {
        RunLayout layout;
        layout.buffer = m_buffer;
        placeTile(layout);
        for (const auto& [site, event] : m_first)
            layout.accesses.push_back(accessOf(event, layout.layout));
        std::ranges::stable_sort(layout.accesses, {}, [&](const AccessLayout& access) {
            const trace::SourceLocation& where = m_catalog.sites[access.site.value].where;
            return std::pair(where.line, where.column);
        });
        return layout;
    }

private:
    struct Loaded {
        BufferId buffer = kNoBuffer;
        uint64_t offset = 0;
        uint32_t bytes = 0;
        std::array<uint8_t, 16> value{};
        bool isKnown = false;
    };

    static uint64_t elementBytes(const trace::Buffer& buffer)
    {
        return std::max<uint32_t>(buffer.element.totalBytes(), 1);
    }
    [[nodiscard]] uint32_t bytesOf(const Event& event) const
    {
        return event.valueBytes > 0 ? event.valueBytes
                                    : std::max(1U, m_catalog.sites[event.site.value].type.totalBytes());
    }

    void addLane(const Event& event, int lane)
    {
        const auto at = static_cast<size_t>(lane);
        const BufferId id = event.bufferOf(lane);
        const auto buffer = m_buffers.find(id.value);
        if (id == kNoBuffer || buffer == m_buffers.end())
            return;
        const uint32_t bytes = bytesOf(event);
        Loaded& loaded = m_loaded[uint32_t{event.warp} * kWarpSize + static_cast<uint32_t>(lane)];
        if (event.kind == SiteKind::Load && buffer->second.space == Space::Global)
            loaded = {id, event.offset[at], bytes, event.value[at], event.valuesKnown};
        if (event.kind != SiteKind::Store || id != m_buffer.id || loaded.buffer == kNoBuffer || loaded.bytes != bytes)
            return;
        // What is stored is what was loaded, where both are known.
        if (loaded.isKnown && event.valuesKnown &&
            !std::equal(loaded.value.begin(), loaded.value.begin() + bytes, event.value[at].begin()))
            return;
        move(loaded, event.offset[at], bytes);
    }

    void move(const Loaded& from, uint64_t to, uint32_t bytes)
    {
        const uint64_t element = elementBytes(m_buffer), sourceElement = elementBytes(m_buffers.at(from.buffer.value));
        if (element != sourceElement || bytes % element != 0)
            return;
        for (uint64_t i = 0; i < bytes / element; ++i) {
            const uint64_t target = to / element + i;
            if (target < m_stageElements && m_moved[from.buffer.value].size() < kMostTileElements)
                m_moved[from.buffer.value].try_emplace(target, from.offset / element + i);
        }
    }

    void addAccess(const Event& event)
    {
        const auto [known, isNew] = m_first.try_emplace(event.site, event);
        if (!isNew && std::popcount(event.mask) > std::popcount(known->second.mask))
            known->second = event;
    }

    void placeTile(RunLayout& layout) const
    {
        const auto most = std::ranges::max_element(m_moved, {}, [](const auto& moved) { return moved.second.size(); });
        if (most == m_moved.end() || most->second.empty())
            return;
        const trace::Buffer& source = m_buffers.at(most->first);
        const uint64_t columns = source.dims.empty() ? 1 : source.dims.back();
        uint64_t lowRow = UINT64_MAX, highRow = 0, lowCol = UINT64_MAX, highCol = 0;
        for (const auto& [to, from] : most->second) {
            lowRow = std::min(lowRow, from / columns);
            highRow = std::max(highRow, from / columns);
            lowCol = std::min(lowCol, from % columns);
            highCol = std::max(highCol, from % columns);
        }
        layout.source = source;
        layout.firstRow = lowRow;
        layout.firstCol = lowCol;
        layout.rows = static_cast<uint32_t>(highRow - lowRow + 1);
        layout.cols = static_cast<uint32_t>(highCol - lowCol + 1);
        if (uint64_t{layout.rows} * layout.cols > kMostTileElements)
            return;
        layout.offsets.assign(uint64_t{layout.rows} * layout.cols, kUnknown);
        for (const auto& [to, from] : most->second)
            layout.offsets[(from / columns - lowRow) * layout.cols + from % columns - lowCol] =
                static_cast<int64_t>(to);
        layout.layout = layoutOf(layout.offsets, layout.rows, layout.cols);
    }

    [[nodiscard]] AccessLayout accessOf(const Event& event, const std::optional<FoundLayout>& layout) const
    {
        AccessLayout access;
        access.site = event.site;
        access.lanes = static_cast<uint32_t>(std::popcount(event.mask));
        access.mask = event.mask;
        access.bytes = std::clamp(bytesOf(event), 1U, 16U);
        access.offset = event.offset;
        const auto element = static_cast<int64_t>(elementBytes(m_buffer));
        std::vector<int64_t> values;
        std::array<uint64_t, kWarpSize> address{};
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<size_t>(std::countr_zero(rest));
            const auto offset = static_cast<int64_t>(event.offset[lane]) / element;
            values.push_back(values.empty() ? 0 : offset - originOf(event));
            address[lane] =
                event.offset[lane] + (m_buffer.space == Space::Shared ? m_buffer.sharedOffset : m_buffer.deviceAddress);
        }
        access.strides = stridesOf(values);
        if (!access.strides && layout && layout->swizzle) {
            access.strides = stridesOf(unswizzled(event, *layout->swizzle));
            access.isSwizzled = access.strides.has_value();
        }
        if (m_buffer.space == Space::Shared) {
            const BankCost cost = bankCost(event.mask, address, access.bytes);
            access.wavefronts = cost.wavefronts;
            access.idealWavefronts = cost.phaseCount;
        } else {
            const SectorCost cost = sectorCost(event.mask, address, access.bytes);
            access.sectors = cost.sectors;
            access.idealSectors = cost.idealSectors;
        }
        return access;
    }
    /// From the first lane's element, as if nothing were swizzled.
    [[nodiscard]] std::vector<int64_t> unswizzled(const Event& event, const layout::Swizzle& swizzle) const
    {
        std::vector<int64_t> values;
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const uint64_t element =
                event.offset[static_cast<size_t>(std::countr_zero(rest))] / elementBytes(m_buffer) % m_stageElements;
            values.push_back(swizzle(static_cast<int64_t>(element)));
        }
        const int64_t first = values.front();
        for (int64_t& value : values)
            value -= first;
        return values;
    }
    [[nodiscard]] int64_t originOf(const Event& event) const
    {
        const auto first = static_cast<size_t>(std::countr_zero(event.mask));
        return static_cast<int64_t>(event.offset[first] / elementBytes(m_buffer));
    }

    const trace::Catalog& m_catalog;
    const WarpNumbers& m_warps;  ///< whose accesses are wanted
    trace::Buffer m_buffer;
    std::map<uint32_t, trace::Buffer> m_buffers;
    uint64_t m_stageElements = 0;
    std::map<uint32_t, Loaded> m_loaded;                       ///< by thread, the latest
    std::map<uint32_t, std::map<uint64_t, uint64_t>> m_moved;  ///< by source: from where each element first came
    std::map<SiteId, Event> m_first;
};

}  // namespace

Result<RunLayout> traceLayout(replay::Session& session, LaunchId launch, BlockIndex block, BufferId buffer,
                              const WarpNumbers& warps)
{
    Result<std::vector<trace::Buffer>> buffers = session.buffersOf(launch);
    if (!buffers.ok())
        return buffers.error();
    const auto wanted = std::ranges::find(buffers.value(), buffer, &trace::Buffer::id);
    if (wanted == buffers.value().end())
        return Error{Error::Code::NotFound, "the launch has no such buffer", {}};
    LayoutTracer tracer(buffers.value(), *wanted, session.catalog(), warps);
    const Result<void> done = session.reader().visit(launch, block, 0, UINT64_MAX, trace::Detail::Everything,
                                                     [&](StepIndex, const Event& event) {
                                                         tracer.add(event);
                                                         return true;
                                                     });
    if (!done.ok())
        return done.error();
    return tracer.finish();
}

}  // namespace lanescope::analysis
