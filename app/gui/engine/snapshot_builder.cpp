// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/snapshot_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/gui/engine/overview_builder.h"
#include "app/gui/engine/value_format.h"
#include "core/findings/findings_of.h"
#include "core/replay/expression.h"

namespace lanescope::gui {

namespace {

constexpr uint64_t kTextScanLimit = 16'384;  // elements whose text width is looked at
constexpr int kWidestText = 7;

/// Letters of a large whole number, which is an index or a count: rounded, neighbours would read the same. 0 of others.
int digitsOfCount(double number)
{
    constexpr double kLeast = 1e5, kMost = 1e9;
    const double size = std::abs(number);
    if (size < kLeast || size >= kMost || std::trunc(number) != number)
        return 0;
    return static_cast<int>(std::log10(size)) + 1 + (number < 0 ? 1 : 0);
}

/// Smallest and largest finite value of those that are defined.
template <typename Number>
void findRangeOf(BufferState& state, size_t size, Number&& numberAt)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // Several side by side: each waits for the comparison before.
    constexpr size_t kChains = 8;
    std::array<double, kChains> low;
    std::array<double, kChains> high;
    low.fill(kInfinity);
    high.fill(-kInfinity);
    const bool isWhole = std::ranges::all_of(state.initialised, [](uint8_t bits) { return bits == 0xff; });
    const size_t count = state.bytes.size() / size;
    for (size_t i = 0; i < count; ++i) {
        if (!isWhole && !state.isInitialised(i * size))
            continue;
        const double number = numberAt(state.bytes.data() + i * size);
        const size_t chain = i % kChains;
        const bool isFinite = std::abs(number) < kInfinity;
        low[chain] = isFinite && number < low[chain] ? number : low[chain];
        high[chain] = isFinite && number > high[chain] ? number : high[chain];
    }
    const double lowest = *std::ranges::min_element(low);
    const double highest = *std::ranges::max_element(high);
    state.low = lowest <= highest ? lowest : 0;
    state.high = lowest <= highest ? highest : 0;
}

template <typename T>
void findRangeAs(BufferState& state)
{
    findRangeOf(state, sizeof(T), [](const std::byte* at) {
        T value;
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
    });
}

void findRange(BufferState& state, const trace::ValueType& type)
{
    const bool integer = type.kind == trace::ScalarKind::Signed || type.kind == trace::ScalarKind::Unsigned;
    if (type.components == 1 && type.kind == trace::ScalarKind::Float && type.bytes == 4)
        findRangeAs<float>(state);
    else if (type.components == 1 && type.kind == trace::ScalarKind::Float && type.bytes == 8)
        findRangeAs<double>(state);
    else if (type.components == 1 && integer && type.bytes == 4 && type.kind == trace::ScalarKind::Signed)
        findRangeAs<int32_t>(state);
    else if (type.components == 1 && integer && type.bytes == 4)
        findRangeAs<uint32_t>(state);
    else
        findRangeOf(state, std::max<uint32_t>(1, type.totalBytes()),
                    [&](const std::byte* at) { return numberOf(type, at); });
}

template <typename T>
bool areSame(const replay::SharedVector<T>& one, const replay::SharedVector<T>& other)
{
    return one.isSharedWith(other) ||
           (one.size() == other.size() && (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0));
}

bool areSame(const BufferState& state, const replay::BufferImage& image)
{
    return areSame(state.bytes, image.bytes) && areSame(state.initialised, image.initialised);
}

/// Epoch + 1 of each element's last write; 0 where nothing was written in this launch. \p lastWrites: step + 1 of each.
std::vector<uint32_t> epochsOf(const std::vector<StepIndex>& lastWrites, const BlockOverview& overview)
{
    std::vector<uint32_t> epochs(lastWrites.size());
    StepIndex known = 0;  // neighbours were mostly written at once
    uint32_t epoch = 0;
    for (size_t i = 0; i < epochs.size(); ++i) {
        const StepIndex written = lastWrites[i];
        if (written != known) {
            const auto after =
                std::upper_bound(overview.epochs.begin(), overview.epochs.end(), written - 1,
                                 [](StepIndex step, const EpochSpan& span) { return step < span.first; });
            epoch = written == 0 ? 0 : after == overview.epochs.begin() ? 1 : std::prev(after)->epoch + 1;
            known = written;
        }
        epochs[i] = epoch;
    }
    return epochs;
}

Dim3 clamped(Dim3 position, Dim3 extent)
{
    return {std::min(position.x, extent.x - 1), std::min(position.y, extent.y - 1), std::min(position.z, extent.z - 1)};
}

BlockIndex nearestOf(const std::vector<BlockIndex>& blocks, BlockIndex wanted)
{
    const auto next = std::lower_bound(blocks.begin(), blocks.end(), wanted);
    return next == blocks.end() ? blocks.back() : *next;
}

/// A shape remembered from another size of the same buffer does not count.
bool isShapeOf(const ShapeChoice& choice, uint64_t elements)
{
    return choice.columns != 0 && (elements + choice.columns - 1) / choice.columns == choice.rows;
}

std::shared_ptr<const trace::Catalog> catalogOf(replay::Session& session)
{
    auto catalog = std::make_shared<trace::Catalog>(session.catalog());
    // While the recording goes on, findings come and go quickly; where it cannot be told, the sides stay as they are.
    findings::FindingsOptions options;
    options.withAdvice = false;
    options.placesSides = catalog->session.hasEnded();
    auto found = findings::findingsOf(session.reader(), options);
    if (!found) {
        options.placesSides = false;
        found = findings::findingsOf(session.reader(), options);
    }
    if (found)
        catalog->findings = std::move(found.value().findings);
    return catalog;
}

}  // namespace

SnapshotBuilder::SnapshotBuilder(std::unique_ptr<replay::Session> session)
    : m_session(std::move(session)), m_catalog(catalogOf(*m_session)), m_footprints(*m_session), m_analyses(*m_session)
{
}

Result<bool> SnapshotBuilder::refresh()
{
    auto changed = m_session->refresh();
    if (!changed || !changed.value())
        return changed;
    m_catalog = catalogOf(*m_session);
    leaveBlock(true);
    m_lastOverview.reset();
    m_blocks.reset();
    m_footprints.forget();
    m_analyses.forget();
    m_statements.clear();
    return true;
}

Result<replay::Focus> SnapshotBuilder::nearest(replay::Focus focus)
{
    if (m_catalog->launches.empty())
        return Error{Error::Code::NotFound, "the trace holds no launch yet", {}};
    focus.launch.value = std::min(focus.launch.value, static_cast<uint32_t>(m_catalog->launches.size() - 1));
    const trace::Launch& launch = m_catalog->launches[focus.launch.value];
    focus.block = clamped(focus.block, launch.grid);
    focus.thread = clamped(focus.thread, launch.block);
    auto blocks = blocksOf(focus.launch);
    if (!blocks)
        return blocks.error();
    if (blocks.value()->empty())
        return Error{Error::Code::NotFound, "no block of this launch was recorded whole", {}};
    const BlockIndex wanted(linearIndex(focus.block, launch.grid));
    focus.block = positionOf(nearestOf(*blocks.value(), wanted).value, launch.grid);
    return focus;
}

/// Those in the trace, ascending. Asked for at each step, so they are remembered.
Result<const std::vector<BlockIndex>*> SnapshotBuilder::blocksOf(LaunchId launch)
{
    if (!m_blocks || m_blocks->first != launch) {
        auto blocks = m_session->reader().blocks(launch);
        if (!blocks)
            return blocks.error();
        m_blocks = {launch, std::move(blocks).value()};
    }
    return &m_blocks->second;
}

Result<replay::BlockCursor*> SnapshotBuilder::cursorAt(const replay::Focus& focus)
{
    if (focus.launch.value >= m_catalog->launches.size())
        return Error{Error::Code::NotFound, "the trace holds no launch yet", {}};
    const BlockIndex block(linearIndex(focus.block, m_catalog->launches[focus.launch.value].grid));
    if (!m_cursor || m_cursor->launch() != focus.launch || m_cursor->block() != block) {
        leaveBlock(!m_cursor || m_cursor->launch() != focus.launch);
        auto cursor = m_session->cursor(focus.launch, block);
        if (!cursor)
            return cursor.error();
        m_cursor = std::move(cursor).value();
    }
    const StepIndex step = std::min(focus.step, m_cursor->stepCount());
    if (m_cursor->step() != step)
        if (auto moved = m_cursor->seek(step); !moved)
            return moved.error();
    return m_cursor.get();
}

void SnapshotBuilder::leaveBlock(bool leavesLaunch)
{
    m_cursor.reset();  // first: the next one takes over its images
    m_overview.reset();
    m_history.reset();
    // Blocks of a launch share global memory.
    std::erase_if(m_states, [&](const auto& known) {
        const trace::Space space = m_catalog->buffers[known.first].space;
        return leavesLaunch || space == trace::Space::Shared || space == trace::Space::Local;
    });
}

Result<SnapshotPointer> SnapshotBuilder::build(replay::Focus wanted, const SnapshotOptions& options)
{
    auto focus = nearest(wanted);
    if (!focus)
        return focus.error();
    auto cursor = cursorAt(focus.value());
    if (!cursor)
        return cursor.error();
    if (options.shapes != m_shapes)
        m_footprints.forget();
    m_shapes = options.shapes;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->focus = focus.value();
    snapshot->focus.step = m_cursor->step();
    snapshot->catalog = m_catalog;
    if (!m_overview) {
        auto overview = buildOverview(*m_session, *m_cursor, m_catalog->findings, m_lastOverview.get());
        if (!overview)
            return overview.error();
        m_overview = overview.value();
        m_lastOverview = m_overview;
    }
    snapshot->overview = m_overview;
    auto blocks = blocksOf(snapshot->focus.launch);
    snapshot->blocksReadable = blocks ? blocks.value()->size() : 0;
    const auto thread = static_cast<uint32_t>(linearIndex(snapshot->focus.thread, snapshot->launch().block));
    snapshot->warp = thread / kWarpSize;
    snapshot->lane = static_cast<int>(thread % kWarpSize);
    for (uint32_t warp = 0; warp < snapshot->launch().warpsPerBlock(); ++warp)
        snapshot->warps.push_back(m_cursor->warp(warp));
    if (auto filled = fillBuffers(*snapshot, options); !filled)
        return filled.error();
    if (auto filled = fillUses(*snapshot, options); !filled)
        return filled.error();
    if (auto filled = fillStatement(*snapshot); !filled)
        return filled.error();
    if (auto filled = fillExchanges(*snapshot); !filled)
        return filled.error();
    fillVariables(*snapshot);
    chooseShown(*snapshot, options);
    if (options.footprints) {
        auto footprints = m_footprints.of(*m_overview, snapshot->buffers, snapshot->epoch());
        if (!footprints)
            return footprints.error();
        snapshot->footprints = footprints.value();
    }
    if (auto filled = fillWatches(*snapshot, options.watches); !filled)
        return filled.error();
    if (auto filled = fillCell(*snapshot); !filled)
        return filled.error();
    if (auto filled = fillVariableHistory(*snapshot); !filled)
        return filled.error();
    return SnapshotPointer(snapshot);
}

/// What threads and blocks touch, for the overlays that show it.
Result<void> SnapshotBuilder::fillUses(Snapshot& snapshot, const SnapshotOptions& options)
{
    const BlockIndex block(linearIndex(snapshot.focus.block, snapshot.launch().grid));
    if (options.gridUse) {
        auto use = m_analyses.footprint(snapshot.focus.launch);
        if (!use)
            return use.error();
        snapshot.gridUse = use.value();
    }
    if (options.blockUse) {
        auto use = m_analyses.footprint(snapshot.focus.launch, block);
        if (!use)
            return use.error();
        snapshot.blockUse = use.value();
    }
    if (options.padding) {
        auto padding = m_analyses.padding(snapshot.focus.launch, block);
        if (!padding)
            return padding.error();
        snapshot.padding = padding.value();
    }
    return {};
}

Result<void> SnapshotBuilder::fillBuffers(Snapshot& snapshot, const SnapshotOptions& options)
{
    auto buffers = m_session->buffersOf(snapshot.focus.launch);
    if (!buffers)
        return buffers.error();
    const auto thread = static_cast<uint32_t>(linearIndex(snapshot.focus.thread, snapshot.launch().block));
    for (const trace::Buffer& buffer : buffers.value()) {
        const bool local = buffer.space == trace::Space::Local;
        // A compiler's temporary of a class without members has a byte that nobody looks at.
        if (local && buffer.name.empty() && buffer.bytes <= 1)
            continue;
        BufferView view{buffer, BufferShape::of(buffer), nullptr};
        const auto chosen = options.shapes.find(buffer.name);
        if (chosen != options.shapes.end() && isShapeOf(chosen->second, view.shape.elements)) {
            view.shape = view.shape.reshaped(chosen->second);
            view.buffer.dims = {view.shape.elements};
            if (!chosen->second.columnMajor)
                view.buffer.dims = {view.shape.rows, view.shape.columns};
        }
        if (view.buffer.element.totalBytes() == 0)
            view.buffer.element = {trace::ScalarKind::Bytes, 1, 1, "byte"};
        view.state =
            stateOf(view.buffer, local ? m_cursor->localBuffer(buffer.id, thread) : m_cursor->buffer(buffer.id), thread,
                    options.age);
        noteTextColumns(view);
        snapshot.buffers.push_back(std::move(view));
    }
    return {};
}

std::shared_ptr<const BufferState> SnapshotBuilder::stateOf(const trace::Buffer& buffer,
                                                            const replay::BufferImage& image, uint32_t thread, bool age)
{
    // Going forwards and backwards over one step is what is done most.
    auto& states = m_states[buffer.id.value];
    const auto isOfVersion = [&](const KnownState& known) {
        return known.state && known.version == image.version && known.state->bytes.size() == image.bytes.size() &&
               (!age || known.state->agedIn == m_overview);
    };
    if (const auto known = std::ranges::find_if(states, isOfVersion); known != states.end()) {
        std::rotate(states.begin(), known, known + 1);
        return states.front().state;
    }
    // What was written may be what was there; its age is another.
    const auto same = std::ranges::find_if(states, [&](const KnownState& known) {
        return !age && known.state && !known.state->agedIn && areSame(*known.state, image);
    });
    const auto state = same != states.end() ? same->state : newState(buffer, image, thread, age);
    std::ranges::rotate(states, states.end() - 1);  // the oldest goes
    states.front() = {state, image.version};
    return state;
}

std::shared_ptr<const BufferState>
SnapshotBuilder::newState(const trace::Buffer& buffer, const replay::BufferImage& image, uint32_t thread, bool age)
{
    auto state = std::make_shared<BufferState>();
    state->bytes = image.bytes;
    state->initialised = image.initialised;
    findRange(*state, buffer.element);
    if (age) {
        state->writtenIn = epochsOf(m_cursor->lastWrites(buffer.id, thread, buffer.element.totalBytes()), *m_overview);
        state->agedIn = m_overview;
    }
    return state;
}

void SnapshotBuilder::noteTextColumns(BufferView& view)
{
    constexpr int kNarrowestText = 3;
    auto& [columns, seen] =
        m_textColumns.try_emplace(view.buffer.id.value, TextColumns{kNarrowestText, nullptr}).first->second;
    view.textColumns = columns;
    if (seen == view.state)
        return;  // looked at already
    seen = view.state;
    for (uint64_t i = 0; i < std::min(view.shape.elements, kTextScanLimit) && columns < kWidestText; ++i) {
        if (!view.hasValue(i))
            continue;
        const QString text = shortValueText(view.buffer.element, view.at(i), kWidestText);
        columns = std::max(columns, static_cast<int>(text.size()));
    }
    for (const double extreme : {view.state->low, view.state->high})
        columns = std::max(columns, digitsOfCount(extreme));
    view.textColumns = columns;
}

Result<void> SnapshotBuilder::fillCell(Snapshot& snapshot)
{
    if (!snapshot.focus.buffer)
        return {};
    const auto index = snapshot.indexOf(*snapshot.focus.buffer);
    if (!index || snapshot.focus.cell >= snapshot.buffers[*index].shape.elements)
        return {};
    constexpr size_t kAll = std::numeric_limits<size_t>::max();
    const BufferId buffer = *snapshot.focus.buffer;
    const uint64_t element = snapshot.focus.cell;
    if (!m_history || m_history->buffer != buffer || m_history->element != element) {
        const uint64_t size = snapshot.buffers[*index].buffer.element.totalBytes();
        auto history = m_cursor->history(buffer, element * size, size, kAll);
        if (!history)
            return history.error();
        m_history = {buffer, element,
                     std::make_shared<const std::vector<replay::CellAccess>>(std::move(history).value())};
    }
    snapshot.cell = CellView{*index, element, m_history->accesses};
    return {};
}

Result<void> SnapshotBuilder::fillWatches(Snapshot& snapshot, const std::vector<std::string>& watches)
{
    if (watches.empty())
        return {};
    const auto buffers = m_session->buffersOf(snapshot.focus.launch);
    if (!buffers)
        return buffers.error();
    for (const std::string& text : watches) {
        WatchView& watch = snapshot.watches.emplace_back();
        watch.text = text;
        const auto expression = replay::Expression::parse(text);
        const LaneMask launched = snapshot.focusedWarp().launched;
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
            WatchView::Lane& shown = watch.lanes[lane];
            if (!expression) {
                shown.why = QString::fromStdString(expression.error().text());
                continue;
            }
            if (((launched >> lane) & 1) == 0)
                continue;
            const auto value =
                expression.value().evaluate({*m_cursor, *m_catalog, buffers.value(), snapshot.warp, lane});
            if (value)
                shown.value = QString::fromStdString(value.value().text(*m_catalog));
            else
                shown.why = QString::fromStdString(value.error().text());
        }
    }
    return {};
}

Result<void> SnapshotBuilder::fillVariableHistory(Snapshot& snapshot)
{
    constexpr StepIndex kMostForHistory = 20'000;  // decoded within a few milliseconds
    if (!snapshot.shown || m_cursor->stepCount() > kMostForHistory)
        return {};
    const uint64_t thread = linearIndex(snapshot.focus.thread, snapshot.launch().block);
    auto history = m_analyses.variable(m_cursor->launch(), m_cursor->block(), thread, *snapshot.shown);
    if (!history)
        return history.error();
    snapshot.variableHistory = history.value();
    return {};
}

const StatementMap& SnapshotBuilder::statements(SourceId source)
{
    const auto known = m_statements.find(source.value);
    if (known != m_statements.end())
        return known->second;
    static const trace::Source kNone;
    const trace::Source& text = source.value < m_catalog->sources.size() ? m_catalog->sources[source.value] : kNone;
    return m_statements.emplace(source.value, StatementMap(text.text, languageOf(text.path))).first->second;
}

}  // namespace lanescope::gui
