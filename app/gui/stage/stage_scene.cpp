// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stage_scene.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>

#include "app/gui/engine/value_format.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

constexpr int kMostValueLetters = 6;   // of a value in a cell
constexpr int kMostCountLetters = 10;  // of an index or a count there
constexpr int kThreadLetters = 5;      // of a variable's value, which changes with every statement
constexpr size_t kMostUpper = 9;
constexpr size_t kMostLower = 8;
constexpr double kThreeDigits = 15;          // pixels of a cell's height, with the gutter, for the smallest type
constexpr double kThreadValue = 26;          // likewise, for what stands in a thread
constexpr uint64_t kMostLargeThreads = 100;  // threads with position and value; more get the compact form

/// Columns of the threads panel: as blockDim says, long rows folded at a warp.
uint64_t threadColumns(const trace::Launch& launch)
{
    const bool flat = launch.block.y * launch.block.z == 1;
    return flat && launch.block.x > 16 ? std::min<uint64_t>(launch.block.x, kWarpSize) : launch.block.x;
}

PanelSpec gridSpec(const trace::Launch& launch)
{
    PanelSpec spec;
    spec.kind = PanelKind::Grid;
    spec.band = Band::Lower;
    spec.columns = launch.grid.x;
    spec.rows = uint64_t{launch.grid.y} * launch.grid.z;
    if (launch.grid.z > 1 && launch.grid.y > 1 && launch.grid.x > 1) {
        const uint64_t across = slicesAcross(launch.grid.z, launch.grid.y, launch.grid.x);
        spec.sliceRows = launch.grid.y;
        spec.sliceColumns = launch.grid.x;
        spec.columns = launch.grid.x * across;
        spec.rows = (launch.grid.z + across - 1) / across * launch.grid.y;
    } else if (spec.rows == 1 && spec.columns > 8) {
        spec.columns = launch.grid.x <= 64 ? 8 : std::bit_ceil(static_cast<uint64_t>(std::sqrt(launch.grid.x)));
        spec.rows = (launch.grid.x + spec.columns - 1) / spec.columns;
    }
    spec.aspect = 1.2;
    spec.weight = spec.columns <= 4 && spec.rows <= 4 ? 0.85 : spec.columns <= 16 && spec.rows <= 16 ? 0.4 : 1.0;
    return spec;
}

/// Of the variable under each thread: whole numbers are not rounded, as lanes would read the same.
int threadLetters(const Snapshot& snapshot)
{
    if (!snapshot.shown || snapshot.warp >= snapshot.shownPerWarp.size())
        return kThreadLetters;
    const trace::ValueType& type = snapshot.catalog->variables[snapshot.shown->value].type;
    if (type.components != 1 || (type.kind != trace::ScalarKind::Signed && type.kind != trace::ScalarKind::Unsigned))
        return kThreadLetters;
    const replay::VariableImage& image = snapshot.shownPerWarp[snapshot.warp];
    qsizetype letters = kThreadLetters;
    for (LaneMask rest = image.written; rest != 0; rest &= rest - 1)
        letters =
            std::max(letters, valueText(type, image.value[static_cast<size_t>(std::countr_zero(rest))].data()).size());
    return static_cast<int>(std::min<qsizetype>(letters, kMostCountLetters));
}

PanelSpec threadsSpec(const Snapshot& snapshot)
{
    const trace::Launch& launch = snapshot.launch();
    PanelSpec spec;
    spec.kind = PanelKind::Threads;
    spec.band = Band::Lower;
    spec.columns = threadColumns(launch);
    spec.rows = (launch.threadsPerBlock() + spec.columns - 1) / spec.columns;
    const bool large = launch.threadsPerBlock() <= kMostLargeThreads;
    spec.weight = large ? 1.5 : 1.15;
    spec.aspect = large ? 1.2 : 1.3;
    spec.gapShare = large ? 0.2 : 0.16;
    spec.leastCell = large ? kThreadValue : 0;
    spec.letters = threadLetters(snapshot);
    return spec;
}

/// Rows of matrices are counted; of a long row that was folded, its elements are.
int rowLetters(const BufferView& view)
{
    const bool isMatrix = view.buffer.dims.size() >= 2 && !view.shape.columnMajor;
    const uint64_t last = view.shape.hasSlices() ? view.shape.sliceRows
                          : isMatrix             ? view.shape.rows
                                                 : view.shape.elements;
    return view.shape.rows == 1 ? 0 : static_cast<int>(QString::number(std::max<uint64_t>(1, last) - 1).size());
}

PanelSpec bufferSpec(const BufferView& view, size_t index)
{
    PanelSpec spec;
    spec.buffer = index;
    const bool upper = view.buffer.space == trace::Space::Global || view.buffer.space == trace::Space::Constant;
    spec.band = upper ? Band::Upper : Band::Lower;
    spec.rows = view.shape.rows;
    spec.columns = view.shape.columns;
    spec.sliceRows = view.shape.sliceRows;
    spec.sliceColumns = view.shape.sliceColumns;
    spec.weight = upper ? 1.0 : 1.2;
    spec.aspect = 1.2;
    spec.leastCell = kThreeDigits;
    const bool counts = view.textColumns > kMostValueLetters && std::trunc(view.state->high) == view.state->high &&
                        std::trunc(view.state->low) == view.state->low;
    spec.letters = std::min(view.textColumns, counts ? kMostCountLetters : kMostValueLetters);
    spec.rowLetters = rowLetters(view);
    return spec;
}

bool isInput(const trace::Launch& launch, BufferId buffer)
{
    return std::any_of(launch.arguments.begin(), launch.arguments.end(), [buffer](const trace::LaunchArgument& a) {
        return a.buffer == buffer && a.type.find("const") != std::string::npos;
    });
}

/// The parameter of the launch that points to the beginning of a buffer; of several that of the buffer's name, or else
/// the first. Empty: none does.
std::string parameterOf(const trace::Launch& launch, const trace::Buffer& buffer)
{
    std::string name;
    for (const trace::LaunchArgument& argument : launch.arguments) {
        const bool isPointer = argument.type.ends_with('*') && argument.text == buffer.name;
        if (isPointer && argument.buffer == buffer.id && (name.empty() || argument.name == buffer.name))
            name = argument.name;
    }
    return name;
}

/// Buffers in drawing order: inputs first, then what the kernel writes; shared before local.
std::vector<size_t> bufferOrder(const Snapshot& snapshot)
{
    std::vector<size_t> order(snapshot.buffers.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    const auto rank = [&snapshot](size_t i) {
        const trace::Buffer& buffer = snapshot.buffers[i].buffer;
        if (buffer.space == trace::Space::Global)
            return isInput(snapshot.launch(), buffer.id) ? 0 : 2;
        return buffer.space == trace::Space::Constant ? 1 : buffer.space == trace::Space::Shared ? 3 : 4;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    return order;
}

MarkKind markOf(trace::SiteKind kind)
{
    return kind == trace::SiteKind::Load    ? MarkKind::Read
           : kind == trace::SiteKind::Store ? MarkKind::Write
                                            : MarkKind::Atomic;
}

class SceneBuilder {
public:
    SceneBuilder(StageScene& scene, const Theme& theme) : m_scene(scene), m_snapshot(*scene.snapshot), m_theme(theme) {}

    void build()
    {
        for (size_t index : bufferOrder(m_snapshot))
            if (m_snapshot.buffers[index].buffer.space <= trace::Space::Shared &&
                m_snapshot.buffers[index].buffer.space != trace::Space::Shared)
                addBuffer(index, kMostUpper);
        addGridAndThreads();
        for (size_t index : bufferOrder(m_snapshot))
            if (m_snapshot.buffers[index].buffer.space == trace::Space::Shared ||
                m_snapshot.buffers[index].buffer.space == trace::Space::Local)
                addBuffer(index, kMostLower);
        m_scene.marks.resize(m_scene.specs.size());
        addLanes();
        addLinks();
        addTargets();
        addNotes();
        measureTitles();
    }

private:
    void add(const PanelSpec& spec, const PanelTexts& texts)
    {
        m_scene.specs.push_back(spec);
        m_scene.texts.push_back(texts);
    }

    void addBuffer(size_t index, size_t most)
    {
        const BufferView& view = m_snapshot.buffers[index];
        const PanelSpec spec = bufferSpec(view, index);
        const auto same = std::count_if(m_scene.specs.begin(), m_scene.specs.end(), [&](const PanelSpec& s) {
            return s.band == spec.band && s.kind == PanelKind::Buffer;
        });
        if (static_cast<size_t>(same) >= most)
            return;
        // A buffer has the name that the first kernel has for it; here it is called what this one calls it.
        const QString name = QString::fromStdString(view.buffer.name);
        const QString own = QString::fromStdString(parameterOf(m_snapshot.launch(), view.buffer));
        QString type = shapeText(view.buffer) + QStringLiteral(" ") + spaceText(view.buffer.space);
        if (!own.isEmpty() && own != name)
            type += QStringLiteral(" · %1").arg(name);
        add(spec, {own.isEmpty() ? name : own, type, {}, {}, false});
    }

    void addGridAndThreads()
    {
        const trace::Launch& launch = m_snapshot.launch();
        const uint64_t blocks = launch.grid.count();
        if (blocks > 1) {
            m_scene.gridPanel = m_scene.specs.size();
            add(gridSpec(launch), {QStringLiteral("grid"),
                                   QStringLiteral("%1 %2s").arg(blocks).arg(QString::fromStdString(launch.blockWord)),
                                   {},
                                   {},
                                   false});
        }
        m_scene.threadsPanel = m_scene.specs.size();
        add(threadsSpec(m_snapshot), {blockText(m_snapshot.focus.block, launch),
                                      QStringLiteral("%1 threads").arg(launch.threadsPerBlock()),
                                      {},
                                      {},
                                      false});
    }

    /// Lanes of the statement's accesses are active; lanes of this warp that are not, idle.
    void addLanes()
    {
        const uint64_t count = m_snapshot.launch().threadsPerBlock();
        m_scene.lanes.assign(count, LaneState::Resting);
        LaneMask active = m_snapshot.statement.empty() ? m_snapshot.focusedWarp().active : 0;
        for (const StatementEvent& event : m_snapshot.statement)
            active |= event.event.mask;
        for (uint32_t warp = 0; warp < m_snapshot.warps.size(); ++warp) {
            for (uint32_t lane = 0; lane < kWarpSize && warp * kWarpSize + lane < count; ++lane) {
                const LaneMask bit = LaneMask{1} << lane;
                LaneState& state = m_scene.lanes[warp * kWarpSize + lane];
                if (warp == m_snapshot.warp)
                    state = (active & bit) != 0 ? LaneState::Active : LaneState::Idle;
                if ((m_snapshot.warps[warp].exited & bit) != 0 && state != LaneState::Active)
                    state = LaneState::Exited;
            }
        }
    }

    void addLinks()
    {
        int track = 0;
        for (const StatementEvent& event : m_snapshot.statement) {
            if (!event.event.isAccess())
                continue;
            for (LaneMask rest = event.event.mask; rest != 0; rest &= rest - 1)
                addLink(event.event, std::countr_zero(rest), track);
            ++track;
        }
        std::stable_partition(m_scene.links.begin(), m_scene.links.end(), [](const Link& l) { return !l.focused; });
        for (auto& marks : m_scene.marks)
            std::stable_partition(marks.begin(), marks.end(), [](const CellMark& m) { return !m.focused; });
    }

    void addLink(const trace::Event& event, int lane, int track)
    {
        const auto panel = m_scene.panelOf(event.bufferOf(lane));
        if (!panel)
            return;
        const BufferView& view = m_snapshot.buffers[m_scene.specs[*panel].buffer];
        if (view.buffer.space == trace::Space::Local && lane != m_snapshot.lane)
            return;
        const uint64_t element = event.offset[static_cast<size_t>(lane)] / view.buffer.element.totalBytes();
        if (element >= view.shape.elements)
            return;
        const Cell cell = view.shape.cellOf(element);
        const bool focused = lane == m_snapshot.lane;
        const uint64_t thread = uint64_t{m_snapshot.warp} * kWarpSize + static_cast<uint64_t>(lane);
        // A float4 of a float array is four cells.
        const uint64_t bytes = m_snapshot.site(event.site).type.totalBytes();
        const uint64_t end =
            std::min(view.shape.elements, element + std::max<uint64_t>(1, bytes / view.buffer.element.totalBytes()));
        for (uint64_t each = element; each < end; ++each)
            m_scene.marks[*panel].push_back({view.shape.cellOf(each), markOf(event.kind), focused});
        LaneMask& lanes = markOf(event.kind) == MarkKind::Read ? m_readers[*panel] : m_writers[*panel];
        lanes |= LaneMask{1} << lane;
        m_scene.links.push_back({*panel, cell, m_scene.threadCell(thread), markOf(event.kind), focused, track});
    }

    void addTargets()
    {
        for (size_t panel = 0; panel < m_scene.specs.size(); ++panel) {
            const PanelSpec& spec = m_scene.specs[panel];
            const Cell end{static_cast<int64_t>(spec.rows), static_cast<int64_t>(spec.columns)};
            const uint64_t thread = linearIndex(m_snapshot.focus.thread, m_snapshot.launch().block);
            m_scene.targets.push_back(spec.kind == PanelKind::Buffer
                                          ? targetIn(panel, {{}, {}, end, false})
                                          : LensTarget{m_scene.threadCell(thread), {}, end, true});
        }
    }

    /// The cell that the focused lane touches, in the block's tile; or the one that the user chose.
    LensTarget targetIn(size_t panel, LensTarget target)
    {
        const BufferView& view = m_snapshot.buffers[m_scene.specs[panel].buffer];
        const Footprint* const print = footprintNear(view.buffer.id);
        if (print)
            target.anchor = print->boxIn(view.shape, print->firstSlice).first;
        const auto& marks = m_scene.marks[panel];
        const auto focused = std::ranges::find_if(marks, [](const CellMark& mark) { return mark.focused; });
        target.acts = !marks.empty() || m_snapshot.focus.buffer == view.buffer.id;
        if (!marks.empty())
            target.anchor = focused == marks.end() ? marks.front().cell : focused->cell;
        else if (target.acts)
            target.anchor = view.shape.cellOf(m_snapshot.focus.cell);
        if (print)
            std::tie(target.first, target.last) = print->boxIn(view.shape, view.shape.sliceOf(target.anchor));
        return target;
    }

    /// The block's in this epoch, or else the last before it, or else the next.
    [[nodiscard]] const Footprint* footprintNear(BufferId id) const
    {
        const Footprint* near = nullptr;
        if (m_snapshot.footprints)
            for (const Footprint& print : *m_snapshot.footprints)
                if (print.buffer == id && (near == nullptr || print.epoch <= m_snapshot.epoch()))
                    near = &print;
        return near;
    }

    void addNotes()
    {
        for (size_t panel = 0; panel < m_scene.specs.size(); ++panel) {
            const LaneMask writers = m_writers[panel];
            const int lanes = std::popcount(writers != 0 ? writers : m_readers[panel]);
            PanelTexts& texts = m_scene.texts[panel];
            texts.noteIsWrite = writers != 0;
            if (lanes > 0)
                texts.note = QStringLiteral("%1 %2 %3")
                                 .arg(lanes)
                                 .arg(lanes == 1 ? QStringLiteral("lane") : QStringLiteral("lanes"))
                                 .arg(writers != 0 ? QStringLiteral("write") : QStringLiteral("read"));
        }
        if (m_snapshot.shown && m_snapshot.shown->value < m_snapshot.catalog->variables.size()) {
            const auto& variable = m_snapshot.catalog->variables[m_snapshot.shown->value];
            PanelTexts& texts = m_scene.texts[*m_scene.threadsPanel];
            const QString name = QString::fromStdString(variable.name);
            const bool large = m_snapshot.launch().threadsPerBlock() <= kMostLargeThreads;
            texts.note = name + (large ? QStringLiteral(" under each thread") : QStringLiteral(" of each thread"));
            texts.shortNote = QStringLiteral("with ") + name;
        }
        if (m_scene.gridPanel) {
            PanelTexts& texts = m_scene.texts[*m_scene.gridPanel];
            texts.shortNote = positionText(m_snapshot.focus.block, m_snapshot.launch().grid);
            texts.note = blockText(m_snapshot.focus.block, m_snapshot.launch());
        }
    }

    /// The room titles need at least: the name, and the type where that is short.
    void measureTitles()
    {
        const QFont bold = m_theme.sans(15, true);
        const QFont plain = m_theme.sans(12.5);
        for (size_t i = 0; i < m_scene.specs.size(); ++i) {
            const double name = textWidth(bold, m_scene.texts[i].title) + 10;
            const double type = textWidth(plain, m_scene.texts[i].subtitle) + 2;
            // steady while stepping: the note's room is that of a usual note
            const double note = textWidth(plain, QStringLiteral("32 lanes write"));
            m_scene.specs[i].nameWidth = name;
            m_scene.specs[i].besideWidth =
                std::max({name, textWidth(plain, m_scene.texts[i].subtitle.section(u' ', 0, 1)), note * 0.8});
            m_scene.specs[i].titleWidth = std::max(std::min(name + type, 230.0 * m_theme.typeScale), note);
        }
    }

    StageScene& m_scene;
    const Snapshot& m_snapshot;
    const Theme& m_theme;
    std::map<size_t, LaneMask> m_readers;  ///< in this statement, by panel
    std::map<size_t, LaneMask> m_writers;
};

}  // namespace

Result<Overlays> overlaysNamed(const std::vector<std::string>& names)
{
    static const std::vector<std::pair<std::string, Overlay>> kKnown{
        {"tiles", Overlay::Tiles}, {"mapping", Overlay::Mapping}, {"halo", Overlay::Halo}, {"banks", Overlay::Banks},
        {"heat", Overlay::Heat},   {"age", Overlay::Age},         {"race", Overlay::Race}, {"bounds", Overlay::Bounds}};
    Overlays overlays;
    for (const std::string& name : names) {
        const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& k) { return k.first == name; });
        if (known == kKnown.end())
            return Error{Error::Code::BadInput,
                         "unknown overlay '" + name +
                             "', expected tiles, mapping, halo, banks, heat, age, race or bounds",
                         "--overlay"};
        overlays.insert(known->second);
    }
    return overlays;
}

StageScene StageScene::of(const SnapshotPointer& snapshot, const Theme& theme)
{
    StageScene scene;
    scene.snapshot = snapshot;
    SceneBuilder(scene, theme).build();
    return scene;
}

void StageScene::keepOnly(const StageCamera& camera)
{
    const auto isKept = [&](const PanelSpec& spec) {
        if (spec.kind != PanelKind::Buffer)
            return spec.kind == PanelKind::Threads ? camera.threads : camera.blocks;
        const BufferId id = snapshot->buffers[spec.buffer].buffer.id;
        return std::find(camera.buffers.begin(), camera.buffers.end(), id) != camera.buffers.end();
    };
    if (camera.isEmpty() || std::none_of(specs.begin(), specs.end(), isKept))
        return;
    StageScene kept;
    kept.snapshot = snapshot;
    kept.lanes = lanes;
    std::vector<std::optional<size_t>> moved(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
        if (!isKept(specs[i]))
            continue;
        moved[i] = kept.specs.size();
        kept.specs.push_back(specs[i]);
        kept.texts.push_back(texts[i]);
        kept.marks.push_back(marks[i]);
        kept.targets.push_back(targets[i]);
    }
    kept.threadsPanel = threadsPanel ? moved[*threadsPanel] : std::nullopt;
    kept.gridPanel = gridPanel ? moved[*gridPanel] : std::nullopt;
    for (Link link : links) {
        if (!kept.threadsPanel || !moved[link.buffer])
            continue;
        link.buffer = *moved[link.buffer];
        kept.links.push_back(link);
    }
    *this = std::move(kept);
}

StageLayout StageScene::layout(QSizeF size, const Theme& theme) const
{
    StageLayout layout = StageLayout::compute(specs, size, theme.typeScale, theme.captionHeight());
    layout.lookAt(targets);
    return layout;
}

std::optional<size_t> StageScene::panelOf(BufferId buffer) const
{
    for (size_t i = 0; i < specs.size(); ++i)
        if (specs[i].kind == PanelKind::Buffer && snapshot->buffers[specs[i].buffer].buffer.id == buffer)
            return i;
    return std::nullopt;
}

Cell StageScene::threadCell(uint64_t thread) const
{
    const uint64_t columns = threadsPanel ? specs[*threadsPanel].columns : 1;
    return {static_cast<int64_t>(thread / columns), static_cast<int64_t>(thread % columns)};
}

std::optional<uint64_t> StageScene::threadAt(Cell cell) const
{
    const uint64_t columns = threadsPanel ? specs[*threadsPanel].columns : 1;
    const uint64_t thread = static_cast<uint64_t>(cell.row) * columns + static_cast<uint64_t>(cell.column);
    return thread < snapshot->launch().threadsPerBlock() ? std::optional(thread) : std::nullopt;
}

Cell StageScene::blockCell(Dim3 block) const
{
    if (const PanelSpec* const spec = slicedGrid()) {
        const uint64_t across = spec->columns / spec->sliceColumns;
        return {static_cast<int64_t>(block.z / across * spec->sliceRows + block.y),
                static_cast<int64_t>(block.z % across * spec->sliceColumns + block.x)};
    }
    const uint64_t index = linearIndex(block, snapshot->launch().grid);
    const uint64_t columns = gridPanel ? specs[*gridPanel].columns : 1;
    return {static_cast<int64_t>(index / columns), static_cast<int64_t>(index % columns)};
}

const PanelSpec* StageScene::slicedGrid() const
{
    return gridPanel && specs[*gridPanel].sliceRows != 0 ? &specs[*gridPanel] : nullptr;
}

Dim3 StageScene::blockAt(Cell cell) const
{
    const Dim3 grid = snapshot->launch().grid;
    if (const PanelSpec* const spec = slicedGrid()) {
        const auto row = static_cast<uint64_t>(cell.row), column = static_cast<uint64_t>(cell.column);
        const uint64_t z = row / spec->sliceRows * (spec->columns / spec->sliceColumns) + column / spec->sliceColumns;
        return {static_cast<uint32_t>(column % spec->sliceColumns), static_cast<uint32_t>(row % spec->sliceRows),
                static_cast<uint32_t>(std::min<uint64_t>(z, grid.z - 1))};
    }
    const uint64_t columns = gridPanel ? specs[*gridPanel].columns : 1;
    const uint64_t index = static_cast<uint64_t>(cell.row) * columns + static_cast<uint64_t>(cell.column);
    return positionOf(std::min(index, grid.count() - 1), grid);
}

}  // namespace lanescope::gui
