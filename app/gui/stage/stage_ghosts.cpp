// SPDX-License-Identifier: GPL-3.0-or-later
// Cells beside a buffer: padding that guards keep threads out of, and accesses that miss the buffer.
#include <algorithm>
#include <bit>
#include <map>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/stage_scene.h"

namespace lanescope::gui {

namespace {

constexpr int64_t kFaultReach = 1;  // cells; what lies further out is drawn at the edge, with its index

class GhostBuilder {
public:
    GhostBuilder(const Snapshot& snapshot, const BufferView& view) : m_snapshot(snapshot), m_view(view) {}

    void addPadding()
    {
        if (!m_snapshot.padding)
            return;
        const auto found = m_snapshot.padding->find(m_view.buffer.id);
        if (found == m_snapshot.padding->end())
            return;
        for (const analysis::PaddingCell& cell : found->second) {
            const Cell at = placeOf(cell.row, cell.column);
            if (reaches(at, paddingReach(m_view.shape.rows), paddingReach(m_view.shape.columns)))
                put({at, cell.known ? shortValueText(cell.type, cell.value.data(), 4) : QString(), false});
        }
    }

    void addFaults()
    {
        for (const trace::Finding& finding : m_snapshot.catalog->findings)
            if (isOutside(finding) && finding.launch == m_snapshot.focus.launch &&
                finding.buffer == m_view.buffer.name) {
                addFault(finding.cell);
                for (const trace::FindingInstance& instance : finding.instances)
                    addFault(instance.cell);
            }
        for (const StatementEvent& event : m_snapshot.statement)
            if (event.event.isAccess())
                addMisses(event.event);
    }

    [[nodiscard]] std::vector<GhostCell> cells() const
    {
        std::vector<GhostCell> all;
        for (const auto& [place, ghost] : m_cells)
            all.push_back(ghost);
        return all;
    }

private:
    /// As many cells as a picture has room for beside the buffer's own.
    static int64_t paddingReach(uint64_t side) { return std::clamp<int64_t>(static_cast<int64_t>(side / 2), 2, 16); }

    [[nodiscard]] int64_t rows() const { return static_cast<int64_t>(m_view.shape.rows); }
    [[nodiscard]] int64_t columns() const { return static_cast<int64_t>(m_view.shape.columns); }

    /// From rows and columns of the buffer's own dims to those it is drawn with: long rows are folded.
    [[nodiscard]] Cell placeOf(int64_t row, int64_t column) const
    {
        const std::vector<uint64_t>& dims = m_view.buffer.dims;
        const bool matrix = dims.size() >= 2 && dims.back() == m_view.shape.columns;
        if (matrix || m_view.shape.rows == 1)
            return {row, column};
        const int64_t element = row * (dims.size() >= 2 ? static_cast<int64_t>(dims.back()) : 0) + column;
        const int64_t down = element >= 0 ? element / columns() : -((columns() - 1 - element) / columns());
        return {down, element - down * columns()};
    }

    [[nodiscard]] bool reaches(Cell cell, int64_t down, int64_t across) const
    {
        return cell.row >= -down && cell.row < rows() + down && cell.column >= -across &&
               cell.column < columns() + across;
    }

    /// What the lanes of this statement touch beyond the buffer's end, each of them.
    void addMisses(const trace::Event& event)
    {
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const uint64_t element = event.offset[static_cast<size_t>(lane)] / m_view.buffer.element.totalBytes();
            if (event.bufferOf(lane) == m_view.buffer.id && element >= m_view.shape.elements)
                addFault({static_cast<int64_t>(element)}, lane == m_snapshot.lane);
        }
    }

    /// \p cell: indices in the buffer's own dimensions, or one flat index.
    void addFault(const std::vector<int64_t>& cell, bool focused = false)
    {
        if (cell.empty())
            return;
        const std::vector<uint64_t>& dims = m_view.buffer.dims;
        int64_t row = 0;
        if (cell.size() > 1 && cell.size() == dims.size())
            for (size_t i = 0; i + 1 < dims.size(); ++i)
                row = std::clamp<int64_t>(row * static_cast<int64_t>(dims[i]) + cell[i], -rows(), 2 * rows());
        else if (dims.size() >= 2 && dims.back() > 0)
            row = cell.back() / static_cast<int64_t>(dims.back());
        const bool flat = cell.size() == 1 && dims.size() >= 2 && dims.back() > 0;
        const int64_t column = flat ? cell.back() % static_cast<int64_t>(dims.back()) : cell.back();
        Cell at = placeOf(row, column);
        at.row = std::clamp(at.row, -kFaultReach, rows() - 1 + kFaultReach);
        at.column = std::clamp(at.column, -kFaultReach, columns() - 1 + kFaultReach);
        const bool beside = at.row < 0 || at.row >= rows() || at.column < 0 || at.column >= columns();
        // The last of several rows may have fewer cells.
        if (beside || m_view.shape.elementOf(at) >= m_view.shape.elements)
            put({at, QStringLiteral("[%1]").arg(cell.back()), true, focused});
    }

    void put(const GhostCell& ghost) { m_cells[{ghost.cell.row, ghost.cell.column}] = ghost; }

    const Snapshot& m_snapshot;
    const BufferView& m_view;
    std::map<std::pair<int64_t, int64_t>, GhostCell> m_cells;  ///< a fault over the padding it lies in
};

}  // namespace

bool isOutside(const trace::Finding& finding)
{
    return finding.kind == FindingKind::OutOfBounds || finding.kind == FindingKind::IndexOutOfShape;
}

void StageScene::leaveRoom(const Overlays& overlays)
{
    ghosts.assign(specs.size(), {});
    for (size_t i = 0; i < specs.size(); ++i) {
        PanelSpec& spec = specs[i];
        if (spec.kind != PanelKind::Buffer)
            continue;
        GhostBuilder builder(*snapshot, snapshot->buffers[spec.buffer]);
        if (overlays.contains(Overlay::Halo))
            builder.addPadding();
        if (overlays.contains(Overlay::Bounds))
            builder.addFaults();
        ghosts[i] = builder.cells();
        for (const GhostCell& ghost : ghosts[i])
            if (ghost.isFocused)
                targets[i] = {ghost.cell, ghost.cell, ghost.cell};
        spec.fringe = {};
        for (const GhostCell& ghost : ghosts[i]) {
            const auto rows = static_cast<int64_t>(spec.rows);
            const auto columns = static_cast<int64_t>(spec.columns);
            spec.fringe.left = std::max(spec.fringe.left, -ghost.cell.column);
            spec.fringe.right = std::max(spec.fringe.right, ghost.cell.column - columns + 1);
            spec.fringe.top = std::max(spec.fringe.top, -ghost.cell.row);
            spec.fringe.bottom = std::max(spec.fringe.bottom, ghost.cell.row - rows + 1);
        }
    }
}

}  // namespace lanescope::gui
