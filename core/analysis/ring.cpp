// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/ring.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/barrier_uses.h"
#include "core/analysis/group_stages.h"
#include "core/analysis/ring_hang.h"
#include "core/base/assert.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;
using Operation = BarrierOperation;

namespace {

/// Copies of one filling that are seen one by one.
constexpr uint32_t kMostPieces = 6;

std::string nameOf(const trace::Buffer& buffer, uint64_t offset)
{
    const uint64_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
    uint64_t index = offset / element;
    std::string subscripts;
    for (size_t i = buffer.dims.size(); i-- > 0;) {
        const uint64_t extent = std::max<uint64_t>(buffer.dims[i], 1);
        if (buffer.dims.size() > 1 || extent > 1)
            subscripts.insert(0, fmt::format("[{}]", i == 0 ? index : index % extent));
        index /= extent;
    }
    const uint64_t rest = offset % element;
    return buffer.name + subscripts + (rest ? fmt::format("+{}", rest) : "");
}

/// The second pass: what happens when.
class RingBuilder {
public:
    RingBuilder(const trace::Catalog& catalog, const trace::Launch& launch, BarrierUses& uses)
        : m_catalog(catalog), m_launch(launch), m_reader(catalog), m_barrierOfPieces(uses.barrierOfPieces())
    {
        placeBarriers(uses);
        for (const auto& [piece, barrier] : m_barrierOfPieces)
            if (const auto stage = stageOf(barrier))
                m_stageOfPieces[piece] = *stage;
        makeStates();
        m_warps.resize(launch.warpsPerBlock());
        numberFunctions();
        nameMemory();
    }

    /// Instead of what barriers tell, where they tell nothing.
    void setStages(const GroupStages& groups)
    {
        m_ring.stages = groups.stages();
        m_stageOfPieces = groups.stageOfPieces();
        m_full = groups.full();
        m_isOfGroups = true;
        makeStates();
        for (PerStage& stage : m_states)
            begin(stage, StageState::Empty);
    }

    [[nodiscard]] bool hasStages() const { return !m_ring.stages.empty(); }

    void add(StepIndex step, const Event& event)
    {
        PerWarp& warp = m_warps[event.warp];
        m_step = step;
        m_site = event.site;
        follow(warp, event);
        const AsyncKind kind = m_reader.operations().kindOf(event.site);
        endWaits(warp, event, kind);
        for (const Operation& operation : m_reader.operations().of(event))
            apply(warp, event.warp, operation);
        if (event.kind == SiteKind::Barrier)
            meet(event);
        if (event.isAccess() && kind != AsyncKind::Init && kind != AsyncKind::Barrier && kind != AsyncKind::Wait)
            addAccess(warp, event, kind);
    }

    Ring finish(StepIndex steps)
    {
        m_ring.steps = steps;
        for (PerStage& stage : m_states)
            close(stage, steps);
        for (uint32_t warp = 0; warp < m_warps.size(); ++warp) {
            endActivity(m_warps[warp]);
            for (Wait& wait : m_warps[warp].waits)
                if (wait.last - wait.first > 0 || isOpen(wait))
                    m_ring.activities.push_back({static_cast<uint16_t>(warp), WarpActivity::Waits, wait.first, steps,
                                                 stageOf(wait.barrier), wait.barrier, wait.phase, true, wait.site});
        }
        const auto byFirst = [](const auto& a, const auto& b) { return a.first < b.first; };
        std::ranges::stable_sort(m_ring.spans, byFirst);
        std::ranges::stable_sort(m_ring.activities, byFirst);
        findHangs();
        findRoles();
        return std::move(m_ring);
    }

private:
    struct PerStage {
        StageSpan span;
        bool isBegun = false;
        uint32_t fills = 0;
        uint32_t pieces = 0;                    ///< that this filling came in
        std::map<uint16_t, StepIndex> readers;  ///< of this generation, with their last read
        bool readByProducts = false;
        bool met = false;  ///< the block's barrier, since the last read
    };
    struct Wait {
        uint32_t barrier = 0;
        uint32_t phase = 0;
        LaneMask mask = 0;
        StepIndex first = 0, last = 0;
        SiteId site;
    };
    /// A function that a lane is in, and its latest step there.
    struct Frame {
        uint32_t function = 0;
        SiteId site;
    };
    struct PerWarp {
        std::vector<Wait> waits;  ///< under way
        std::optional<WarpSpan> activity;
        std::array<std::vector<Frame>, kWarpSize> frames;  ///< by lane, outermost first
        LaneMask exited = 0;
        std::map<uint32_t, uint32_t> waitedFor;  ///< by barrier: phases that it has seen over
    };
    struct PerBarrier {
        BarrierThreads threads;
        std::map<uint16_t, std::vector<std::pair<StepIndex, uint32_t>>> arrivals;  ///< by warp: when, in which phase
        uint64_t bytesExpected = 0, bytesCame = 0;
    };

    // ---- What there is ----

    void placeBarriers(BarrierUses& uses)
    {
        const auto& objects = uses.objects();
        for (uint32_t i = 0; i < objects.size(); ++i) {
            RingBarrier barrier;
            barrier.buffer = objects[i].buffer;
            barrier.offset = objects[i].offset;
            barrier.name = nameOf(m_catalog.buffers[barrier.buffer.value], barrier.offset);
            barrier.kind = uses.kindOf(i);
            m_ring.barriers.push_back(std::move(barrier));
        }
        m_perBarrier.resize(objects.size());
        makeStages();
    }

    /// Barriers of one kind in one buffer, in order, are those of stages 0, 1, …
    using Array = std::vector<uint32_t>;
    [[nodiscard]] std::map<std::pair<uint32_t, RingBarrier::Kind>, Array> arrays() const
    {
        std::map<std::pair<uint32_t, RingBarrier::Kind>, Array> all;
        for (uint32_t i = 0; i < m_ring.barriers.size(); ++i)
            all[{m_ring.barriers[i].buffer.value, m_ring.barriers[i].kind}].push_back(i);
        for (auto& [key, array] : all)
            std::ranges::sort(array, {}, [&](uint32_t i) { return m_ring.barriers[i].offset; });
        return all;
    }

    void makeStages()
    {
        using Kind = RingBarrier::Kind;
        auto all = arrays();
        std::vector<const Array*> filling;
        for (const auto& [key, array] : all)
            if (key.second == Kind::Full)
                filling.push_back(&array);
        if (filling.empty())
            for (const auto& [key, array] : all)
                filling.push_back(&array);
        std::set<const Array*> taken;
        for (const Array* full : filling) {
            const auto first = static_cast<uint32_t>(m_ring.stages.size());
            addStages(*full, filling.size() > 1);
            // The array of as many barriers, which says when they are read.
            for (const auto& [key, array] : all)
                if (key.second == Kind::Empty && array.size() == full->size() && full != &array &&
                    taken.insert(&array).second) {
                    for (uint32_t i = 0; i < array.size(); ++i)
                        m_ring.barriers[array[i]].stage = first + i;
                    break;
                }
        }
    }

    void addStages(const Array& full, bool areSeveral)
    {
        for (uint32_t i = 0; i < full.size(); ++i) {
            RingBarrier& barrier = m_ring.barriers[full[i]];
            barrier.stage = static_cast<uint32_t>(m_ring.stages.size());
            m_ring.stages.push_back({areSeveral ? barrier.name : fmt::format("stage {}", i), {}});
        }
    }

    void makeStates()
    {
        m_states.resize(m_ring.stages.size());
        for (uint32_t stage = 0; stage < m_states.size(); ++stage)
            m_states[stage].span.stage = stage;
    }

    void numberFunctions()
    {
        std::map<std::string_view, uint32_t> numbers;
        for (const trace::Site& site : m_catalog.sites)
            m_functions.push_back(
                numbers.try_emplace(site.function, static_cast<uint32_t>(numbers.size())).first->second);
    }

    void nameMemory()
    {
        std::map<uint32_t, std::set<std::string>> names;
        for (const auto& [piece, barrier] : m_barrierOfPieces) {
            const trace::Buffer& buffer = m_catalog.buffers[piece.first];
            if (m_ring.barriers[barrier].stage == RingBarrier::kNoStage)
                continue;
            uint64_t inner = std::max<uint32_t>(buffer.element.totalBytes(), 1);
            for (size_t i = 1; i < buffer.dims.size(); ++i)
                inner *= buffer.dims[i];
            const bool isArray = buffer.dims.size() > 1 && buffer.dims[0] > 1;
            names[m_ring.barriers[barrier].stage].insert(
                isArray ? fmt::format("{}[{}]", buffer.name, piece.second * kPieceBytes / inner) : buffer.name);
        }
        for (const auto& [stage, own] : names)
            m_ring.stages[stage].memory = fmt::format("{}", fmt::join(own, ", "));
    }

    [[nodiscard]] std::optional<uint32_t> stageOf(uint32_t barrier) const
    {
        const uint32_t stage = m_ring.barriers[barrier].stage;
        return stage == RingBarrier::kNoStage ? std::nullopt : std::optional(stage);
    }

    // ---- Stages ----

    void close(PerStage& stage, StepIndex step)
    {
        if (!stage.isBegun)
            return;
        stage.span.end = step;
        if (step > stage.span.first)
            m_ring.spans.push_back(stage.span);
    }

    void begin(PerStage& stage, StageState state)
    {
        close(stage, m_step);
        StageSpan next;
        next.stage = stage.span.stage;
        next.state = state;
        next.first = m_step;
        next.generation = stage.fills == 0 ? 0 : stage.fills - 1;
        next.site = m_site;
        if (state == StageState::Filling || state == StageState::Full) {
            next.bytesExpected = stage.span.bytesExpected;
            next.bytesCame = stage.span.bytesCame;
            next.expected = stage.span.expected;
            next.arrived = stage.span.arrived;
            next.warps = stage.span.warps;
        }
        stage.span = std::move(next);
        stage.isBegun = true;
    }

    static void addWarp(StageSpan& span, uint16_t warp)
    {
        const auto at = std::ranges::lower_bound(span.warps, warp);
        if (at == span.warps.end() || *at != warp)
            span.warps.insert(at, warp);
    }

    /// The first sign that a stage is filled anew.
    void beginFill(PerStage& stage, StageState state, uint16_t warp)
    {
        if (stage.span.state == StageState::Armed || stage.span.state == StageState::Filling) {
            if (state == StageState::Filling && stage.span.state == StageState::Armed)
                begin(stage, state);
            return addWarp(stage.span, warp);
        }
        if (stage.fills > 0)
            addReuse(stage, warp);
        ++stage.fills;
        stage.pieces = 0;
        stage.readers.clear();
        stage.readByProducts = false;
        stage.span.bytesExpected = stage.span.bytesCame = 0;
        stage.span.expected = stage.span.arrived = 0;
        stage.span.warps.clear();
        begin(stage, state);
        addWarp(stage.span, warp);
    }

    void addReuse(const PerStage& stage, uint16_t warp)
    {
        StageReuse reuse;
        reuse.stage = stage.span.stage;
        reuse.generation = stage.fills;
        reuse.step = m_step;
        reuse.warp = warp;
        reuse.site = m_site;
        reuse.order = StageReuse::Order::Phase;
        bool isKnown = false;
        for (const auto& [reader, lastRead] : stage.readers) {
            if (reader == warp && !stage.readByProducts)
                continue;
            const std::optional<uint32_t> barrier = orderingBarrier(reader, lastRead, warp, stage.readByProducts);
            if (barrier) {
                reuse.barrier = *barrier;
                isKnown = true;
            } else if (!stage.met) {
                reuse.order = StageReuse::Order::Nothing;
                reuse.unordered = reader;
                break;
            }
        }
        if (reuse.order == StageReuse::Order::Phase && !isKnown)
            reuse.order = StageReuse::Order::BlockBarrier;
        const bool isOwn = stage.readers.empty() ||
                           (stage.readers.size() == 1 && stage.readers.contains(warp) && !stage.readByProducts);
        if (!isOwn)
            m_ring.reuses.push_back(reuse);
    }

    /// A barrier at which \p reader arrived after its read in a phase that \p filler has seen over. Products are read
    /// by a warpgroup, for which one of its warps may arrive.
    [[nodiscard]] std::optional<uint32_t> orderingBarrier(uint16_t reader, StepIndex lastRead, uint16_t filler,
                                                          bool byWarpgroup) const
    {
        constexpr uint16_t kWarpsOfGroup = 4;
        for (const auto& [barrier, over] : m_warps[filler].waitedFor)
            for (const auto& [warp, arrivals] : m_perBarrier[barrier].arrivals) {
                const bool isReader = byWarpgroup ? warp / kWarpsOfGroup == reader / kWarpsOfGroup : warp == reader;
                const auto isAfter = [&](const auto& arrival) {
                    return arrival.first > lastRead && arrival.second < over;
                };
                if (isReader && std::ranges::any_of(arrivals, isAfter))
                    return barrier;
            }
        return std::nullopt;
    }

    // ---- Barriers ----

    void apply(PerWarp& warp, uint16_t number, const Operation& operation)
    {
        RingBarrier& barrier = m_ring.barriers[operation.barrier];
        PerBarrier& own = m_perBarrier[operation.barrier];
        note(warp, own, number, operation);
        if (barrier.stage != RingBarrier::kNoStage)
            turn(m_states[barrier.stage], barrier.kind != RingBarrier::Kind::Empty, number, operation);
        const auto& object = m_reader.operations().objects()[operation.barrier];
        barrier.phase = object.phase();
        barrier.expected = object.expected();
        barrier.arrived = object.expected() - std::min(object.expected(), object.pending());
        barrier.bytesExpected = own.bytesExpected;
        barrier.bytesCame = own.bytesCame;
    }

    /// What a barrier is known by.
    void note(PerWarp& warp, PerBarrier& own, uint16_t number, const Operation& operation)
    {
        switch (operation.kind) {
        case Operation::Kind::Init:
            own = PerBarrier();
            return;
        case Operation::Kind::Expect:
            own.bytesExpected += operation.amount;
            return;
        case Operation::Kind::Came:
            own.bytesCame += operation.amount;
            return;
        case Operation::Kind::Arrive:
            own.threads.arrived.insert(uint32_t{number} * kWarpSize + static_cast<uint32_t>(operation.lane));
            return addArrival(number, operation);
        case Operation::Kind::Flip:
            own.threads.before.merge(own.threads.arrived);
            own.threads.arrived.clear();
            own.bytesExpected = own.bytesCame = 0;
            m_ring.arrivals.push_back({m_step, number, operation.barrier, operation.phase, true});
            return;
        case Operation::Kind::Poll:
            return addPoll(warp, operation);
        }
    }

    /// What a stage becomes by it. \p fills: at the barrier that tells that it is full.
    void turn(PerStage& stage, bool fills, uint16_t number, const Operation& operation)
    {
        const StageState state = stage.span.state;
        switch (operation.kind) {
        case Operation::Kind::Init:
            if (fills && !stage.isBegun)
                begin(stage, StageState::Empty);
            return;
        case Operation::Kind::Expect:
            if (fills)
                beginFill(stage, StageState::Armed, number);
            stage.span.bytesExpected += fills ? operation.amount : 0;
            return;
        case Operation::Kind::Came:
            if (!fills)
                return;
            // A few copies are seen one by one.
            if (state == StageState::Filling && stage.span.bytesExpected > 0 && ++stage.pieces < kMostPieces)
                begin(stage, StageState::Filling);
            beginFill(stage, StageState::Filling, number);
            stage.span.bytesCame += operation.amount;
            return;
        case Operation::Kind::Arrive:
            if (fills && state != StageState::Armed && state != StageState::Filling)
                beginFill(stage, StageState::Filling, number);
            stage.span.expected = m_reader.operations().objects()[operation.barrier].expected();
            stage.span.arrived += static_cast<uint32_t>(operation.amount);
            return;
        case Operation::Kind::Flip:
            if (fills || state == StageState::Read || state == StageState::Full)
                begin(stage, fills ? StageState::Full : StageState::Released);
            return;
        case Operation::Kind::Poll:
            return;
        }
    }

    void addArrival(uint16_t warp, const Operation& operation)
    {
        auto& arrivals = m_perBarrier[operation.barrier].arrivals[warp];
        if (!arrivals.empty() && arrivals.back().second == operation.phase)
            arrivals.back().first = m_step;
        else
            arrivals.emplace_back(m_step, operation.phase);
        const bool isNew = m_ring.arrivals.empty() || m_ring.arrivals.back().step != m_step ||
                           m_ring.arrivals.back().barrier != operation.barrier;
        if (isNew)
            m_ring.arrivals.push_back({m_step, warp, operation.barrier, operation.phase, false});
    }

    // ---- Warps ----

    /// Where its lanes are. A function that was there before is come back to, another one is called.
    void follow(PerWarp& warp, const Event& event)
    {
        const uint32_t function = m_functions[event.site.value];
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            std::vector<Frame>& frames = warp.frames[static_cast<size_t>(std::countr_zero(rest))];
            const auto known = std::ranges::find(frames, function, &Frame::function);
            if (known == frames.end())
                frames.push_back({function, event.site});
            else
                frames.erase(known + 1, frames.end());
            frames.back().site = event.site;
        }
        if (event.kind == SiteKind::Exit)
            warp.exited |= event.mask;
    }

    void addPoll(PerWarp& warp, const Operation& operation)
    {
        const LaneMask lane = LaneMask{1} << operation.lane;
        const auto known = std::ranges::find(warp.waits, operation.barrier, &Wait::barrier);
        if (known == warp.waits.end()) {
            warp.waits.push_back({operation.barrier, operation.phase, lane, m_step, m_step, m_site});
            return;
        }
        known->mask |= lane;
        known->last = m_step;
    }

    /// Waits whose lanes have gone on to something else are over.
    void endWaits(PerWarp& warp, const Event& event, AsyncKind kind)
    {
        const bool goesRound = kind == AsyncKind::Wait || event.kind == SiteKind::Branch;
        std::erase_if(warp.waits, [&](const Wait& wait) {
            if (!(wait.mask & event.mask) || (goesRound && isSameWait(wait, event)))
                return false;
            const auto& object = m_reader.operations().objects()[wait.barrier];
            uint32_t& over = warp.waitedFor[wait.barrier];
            over = std::max(over, object.phase());
            if (wait.last > wait.first) {
                endActivity(warp);
                // It waited for the phase that ran when it came.
                m_ring.activities.push_back({event.warp, WarpActivity::Waits, wait.first, wait.last,
                                             stageOf(wait.barrier), wait.barrier, wait.phase, false, wait.site});
            }
            return true;
        });
    }

    [[nodiscard]] bool isSameWait(const Wait& wait, const Event& event) const
    {
        if (event.kind == SiteKind::Branch)
            return m_catalog.sites[event.site.value].where.line == m_catalog.sites[wait.site.value].where.line;
        const RingBarrier& barrier = m_ring.barriers[wait.barrier];
        const int lane = std::countr_zero(event.mask & wait.mask);
        return event.bufferOf(lane) == barrier.buffer && event.offset[static_cast<size_t>(lane)] == barrier.offset;
    }

    /// That it is not over: it came when the phase ran that still does.
    [[nodiscard]] bool isOpen(const Wait& wait) const
    {
        return m_reader.operations().objects()[wait.barrier].phase() == wait.phase;
    }

    void endActivity(PerWarp& warp)
    {
        if (warp.activity)
            m_ring.activities.push_back(*warp.activity);
        warp.activity.reset();
    }

    void doing(PerWarp& warp, uint16_t number, WarpActivity activity, std::optional<uint32_t> stage)
    {
        m_counts[number][static_cast<size_t>(activity)] += 1;
        if (warp.activity && warp.activity->activity == activity && warp.activity->stage == stage) {
            warp.activity->end = m_step + 1;
            return;
        }
        endActivity(warp);
        warp.activity = WarpSpan{number, activity, m_step, m_step + 1, stage, {}, 0, false, m_site};
    }

    void addAccess(PerWarp& warp, const Event& event, AsyncKind kind)
    {
        std::set<uint32_t> touched;
        m_reader.forPieces(event, [&](const Piece& piece) {
            if (const auto found = m_stageOfPieces.find(piece); found != m_stageOfPieces.end())
                touched.insert(found->second);
        });
        for (const uint32_t number : touched) {
            PerStage& stage = m_states[number];
            if (event.kind == SiteKind::Load) {
                read(stage, event.warp, kind);
                doing(warp, event.warp, kind == AsyncKind::Product ? WarpActivity::Products : WarpActivity::Reads,
                      number);
            } else {
                // Where bytes are counted, the barrier tells how full it is.
                if (stage.span.state == StageState::Armed)
                    addWarp(stage.span, event.warp);
                else
                    beginFill(stage, StageState::Filling, event.warp);
                doing(warp, event.warp, kind == AsyncKind::Copy ? WarpActivity::Copies : WarpActivity::Stores, number);
            }
        }
        const BufferId buffer = event.bufferOf(std::countr_zero(event.mask));
        const bool isGlobal = buffer != kNoBuffer && m_catalog.buffers[buffer.value].space == Space::Global;
        if (isGlobal && event.kind != SiteKind::Load)
            doing(warp, event.warp, WarpActivity::Writes, {});
    }

    void read(PerStage& stage, uint16_t warp, AsyncKind kind)
    {
        if (stage.span.state == StageState::Full || stage.span.state == StageState::Released) {
            begin(stage, StageState::Read);
            stage.span.expected = stage.span.arrived = 0;
        }
        if (stage.span.state == StageState::Read)
            addWarp(stage.span, warp);
        stage.readers[warp] = m_step;
        stage.readByProducts |= kind == AsyncKind::Product;
        stage.met = false;
    }

    /// All warps of the block have come to its barrier.
    void meet(const Event& event)
    {
        m_met[event.warp] |= event.mask;
        uint64_t lanes = 0;
        for (const auto& [warp, mask] : m_met)
            lanes += static_cast<uint64_t>(std::popcount(mask));
        if (lanes < m_launch.threadsPerBlock())
            return;
        m_met.clear();
        for (PerStage& stage : m_states) {
            stage.met = true;
            if (!m_isOfGroups)
                continue;
            if (m_full.contains({stage.span.stage, m_step}))
                begin(stage, StageState::Full);
            else if (stage.span.state == StageState::Read)
                begin(stage, StageState::Released);
        }
    }

    // ---- How it ends ----

    /// \p above: functions that called the one that it is in. Line 0: there are not as many, or it has done nothing.
    [[nodiscard]] trace::SourceLocation placeOf(uint32_t thread, size_t above = 0) const
    {
        const std::vector<Frame>& frames = m_warps[thread / kWarpSize].frames[thread % kWarpSize];
        return above < frames.size() ? m_catalog.sites[frames[frames.size() - 1 - above].site.value].where
                                     : trace::SourceLocation();
    }

    /// The wait that a thread is in at the end.
    [[nodiscard]] const Wait* waitOf(uint32_t thread) const
    {
        for (const Wait& wait : m_warps[thread / kWarpSize].waits)
            if ((wait.mask >> thread % kWarpSize & 1) && isOpen(wait))
                return &wait;
        return nullptr;
    }

    void findHangs()
    {
        std::vector<BarrierThreads> threads;
        for (const PerBarrier& barrier : m_perBarrier)
            threads.push_back(barrier.threads);
        HangFinder finder(m_ring.barriers, threads);
        for (uint32_t thread = 0; thread < m_launch.threadsPerBlock(); ++thread) {
            const Wait* wait = waitOf(thread);
            const bool hasEnded = (m_warps[thread / kWarpSize].exited >> thread % kWarpSize & 1) != 0;
            finder.add({thread, placeOf(thread), placeOf(thread, 1), wait ? std::optional(wait->barrier) : std::nullopt,
                        hasEnded});
        }
        m_ring.hangs = finder.find();
    }

    void findRoles()
    {
        std::map<std::pair<bool, std::string>, std::vector<uint16_t>> roles;
        for (size_t i = 0; i < m_warps.size(); ++i) {
            const auto warp = static_cast<uint16_t>(i);
            const auto counted = m_counts.find(warp);
            const auto does = [&](WarpActivity activity) {
                return counted != m_counts.end() && counted->second[static_cast<size_t>(activity)] > 0;
            };
            std::string name;
            const auto add = [&](WarpActivity activity, const char* word) {
                if (does(activity))
                    name += (name.empty() ? "" : ", ") + std::string(word);
            };
            add(WarpActivity::Copies, "copies");
            add(WarpActivity::Stores, "fills");
            add(WarpActivity::Products, "products");
            add(WarpActivity::Reads, "reads");
            if (name.empty())
                add(WarpActivity::Writes, "stores");
            const bool fills = does(WarpActivity::Copies) || does(WarpActivity::Stores);
            roles[{!fills, name.empty() ? "waits" : name}].push_back(warp);
        }
        for (auto& [key, warps] : roles)
            m_ring.roles.push_back({key.second, !key.first, std::move(warps)});
    }

    const trace::Catalog& m_catalog;
    const trace::Launch& m_launch;
    EventReader m_reader;
    std::map<Piece, uint32_t> m_barrierOfPieces;
    std::map<Piece, uint32_t> m_stageOfPieces;
    std::set<std::pair<uint32_t, StepIndex>> m_full;  ///< of groups: as GroupStages has it
    bool m_isOfGroups = false;
    Ring m_ring;
    std::vector<PerStage> m_states;
    std::vector<PerBarrier> m_perBarrier;
    std::vector<PerWarp> m_warps;
    std::vector<uint32_t> m_functions;                     ///< by site
    std::map<uint16_t, LaneMask> m_met;                    ///< at the block's barrier
    std::map<uint16_t, std::array<uint64_t, 6>> m_counts;  ///< by warp and activity
    StepIndex m_step = 0;
    SiteId m_site;
};

}  // namespace

Result<Ring> traceRing(replay::Session& session, LaunchId launch, BlockIndex block)
{
    trace::TraceReader& reader = session.reader();
    const trace::Catalog& catalog = session.catalog();
    const auto has = [&](AsyncKind kind) {
        return std::ranges::any_of(catalog.sites, [&](const trace::Site& site) { return asyncKindOf(site) == kind; });
    };
    if (!has(AsyncKind::Init) && !has(AsyncKind::Copy))
        return Ring{};
    BarrierUses uses(catalog);
    GroupStages groups(catalog, catalog.launches[launch.value]);
    const auto each = [&](auto add) {
        return reader.visit(launch, block, 0, UINT64_MAX, trace::Detail::Everything,
                            [&](StepIndex step, const Event& event) {
                                add(step, event);
                                return true;
                            });
    };
    if (Result<void> done = each([&](StepIndex step, const Event& event) {
            uses.add(event);
            groups.add(step, event);
        });
        !done.ok())
        return done.error();
    RingBuilder builder(catalog, catalog.launches[launch.value], uses);
    if (!builder.hasStages())
        builder.setStages(groups);
    if (!builder.hasStages())
        return Ring{};
    StepIndex steps = 0;
    if (Result<void> done = each([&](StepIndex step, const Event& event) {
            builder.add(step, event);
            steps = step + 1;
        });
        !done.ok())
        return done.error();
    return builder.finish(steps);
}

}  // namespace lanescope::analysis
