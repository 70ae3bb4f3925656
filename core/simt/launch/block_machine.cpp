// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/block_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/simt/checks/async_copy_check.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {
namespace {

/// Basic blocks of a turn that mostly ends with the warp.
constexpr int kWholeTurn = 1 << 20;

/// Basic blocks a warp runs before the next has its turn: one in lockstep, so that warps stay side by side. \p slice:
/// as of runBlock.
int quantumOf(device::Schedule schedule, uint64_t slice)
{
    return schedule == device::Schedule::Lockstep ? 1 : slice ? static_cast<int>(slice / 8) : kWholeTurn;
}

/// In lockstep, where nobody watches and nothing depends on whose turn it is: longer ones cost less.
constexpr int kUnseenQuantum = 1 << 12;

/// How many of LateCopies::kShares copies are late: all, none or about half, as the schedule has its threads. A
/// recording shows each where it is issued.
unsigned lateShare(const device::LaunchOptions& options)
{
    using device::Schedule;
    const bool lanes = options.schedule == Schedule::Lanes;
    if (options.writer || options.schedule == Schedule::Lockstep || options.schedule == Schedule::Reverse ||
        (lanes && options.seed == 1))
        return 0;
    const bool isMixed = options.schedule == Schedule::Random || (lanes && options.seed > 1);
    return isMixed ? LateCopies::kShares / 2 : LateCopies::kShares;
}

/// As it is when all its lanes have exited.
void endWarp(Warp& warp)
{
    warp.live = 0;
    warp.splits.clear();
    warp.joins.clear();
    warp.current = Warp::kNoSplit;
    warp.instructions = warp.flops = 0;
}

}  // namespace

BlockMachine::BlockMachine(const LaunchPlan& plan)
    : m_plan(plan), m_warps(plan.launch.warpsPerBlock()), m_registers(uint64_t{m_warps} * plan.program.registerBytes),
      m_patterns(size_t{m_warps} * plan.program.patterns), m_shared(plan.sharedBytes + 64),
      m_localStride((plan.program.localBytesPerLane + 63) / 64 * 64),
      m_local(uint64_t{m_warps} * kWarpSize * m_localStride + 64),
      m_sharedDefined(plan.options.definedness ? plan.sharedBytes + 64 : 0),
      m_localDefined(plan.options.definedness ? uint64_t{m_warps} * kWarpSize * m_localStride + 64 : 0),
      m_objects(plan.objects)
{
    m_block.program = &plan.program;
    m_block.checks = &m_checks;
    m_block.ahead = &m_ahead;
    m_block.size = plan.launch.block;
    m_block.shared = m_shared.data();
    m_checks.tracksDefinedness = plan.options.definedness;
    m_block.warps.resize(m_warps);
    m_checks.bounds = plan.options.checks;
    m_checks.time = plan.startTime;
    m_checks.launchStart = plan.startTime + 1;
    m_checks.peers = plan.peers.get();
    m_alone.blocks = {&m_block};
    placeObjects();
    placeRaces();
    placeThreads();
    placeNextWarps();
    if (plan.foreseen) {
        m_places.resize(plan.foreseen->places());
        m_foreseen = {m_places.data(), plan.foreseen->ways()};
    }
    // What comes before the stack's, the threads' indexes, no instruction writes.
    static_assert(kThreadIdxReg < kStackReg && kLaneIdReg < kStackReg);
    if (plan.program.onlyReadsWhatIsWritten())
        m_cleared = plan.program.variableVectors;
    else
        m_cleared = {{kStackReg, plan.program.registerBytes - kStackReg}};
}

void BlockMachine::begin(uint64_t index, trace::BlockRecorder* recorder, Cluster* cluster, uint32_t rank)
{
    if (!cluster)
        m_alone.begin();
    m_block.cluster = cluster ? cluster : &m_alone;
    m_block.rank = rank;
    m_block.ended = false;
    m_block.atClusterBarrier = 0;
    // Of shared memory that others see, accesses of the blocks that had it before are told from none of these.
    if (cluster)
        placeRaces();
    prepare(index, recorder);
    orderWarps();
}

BlockEnd BlockMachine::run(uint64_t maxInstructions, uint64_t slice)
{
    int quantum = quantumOf(m_plan.options.schedule, slice);
    if (m_plan.program.warpsMeetAtBarriers && !m_block.warps.front().recorder && !m_checks.order &&
        m_plan.options.maxSteps == 0)
        quantum = std::max(quantum, kUnseenQuantum);
    return runBlock(m_block, quantum, maxInstructions, slice);
}

void BlockMachine::goOnBesideOthers()
{
    m_checks.peers = m_plan.peers.get();
    for (const uint64_t slot : m_plan.objects.placedSlots()) {
        m_objects[slot].valuesDerivable &= m_plan.objects[slot].valuesDerivable;
        m_objects[slot].unwritten &= m_plan.objects[slot].unwritten;
    }
}

void BlockMachine::placeObjects()
{
    for (size_t i = 0; i < m_plan.program.shared.size(); ++i) {
        ObjectEntry& entry = m_objects[sharedSlot(i)];
        entry.host = m_shared.data() + m_plan.sharedOffsets[i];
        if (m_plan.options.definedness)
            m_checks.sharedDefined.push_back(
                {&entry, m_sharedDefined.data() + m_plan.sharedOffsets[i], entry.bytes, 0});
    }
    for (size_t i = 0; i < m_plan.program.locals.size(); ++i) {
        const MemoryObject& object = m_plan.program.locals[i];
        ObjectEntry& entry = m_objects[object.slot];
        entry.host = m_local.data() + object.offset;
        entry.laneStride = m_localStride;
        // Of the stack, whose frames come and go, definedness is not known.
        if (m_plan.options.definedness && static_cast<int>(i) != m_plan.program.stackObject)
            entry.defined = m_localDefined.data() + object.offset;
    }
    for (Warp& warp : m_block.warps)
        warp.objects = m_objects.data();
}

void BlockMachine::placeRaces()
{
    if (!m_plan.options.races)
        return;
    const bool ofCluster = m_plan.blocksPerCluster() > 1;
    m_races.clear();
    for (size_t i = 0; i < m_plan.program.shared.size(); ++i) {
        ObjectEntry& entry = m_objects[sharedSlot(i)];
        m_races.push_back(std::make_unique<RaceArena>(entry.bytes, kWordCells, ofCluster, ofCluster));
        entry.raceArena = m_races[i].get();
        entry.races = m_races[i]->cells();
        entry.races->locks = nullptr;  // all of a cluster run on one host thread
    }
}

void BlockMachine::placeThreads()
{
    const uint64_t threads = m_plan.launch.block.count();
    m_threads.resize(m_warps);
    for (uint64_t thread = 0; thread < uint64_t{m_warps} * kWarpSize; ++thread) {
        const Dim3 position = positionOf(std::min(thread, threads - 1), m_plan.launch.block);
        ThreadIndexes& warp = m_threads[thread / kWarpSize];
        const size_t lane = thread % kWarpSize;
        warp.lanes[0][lane] = position.x;
        warp.lanes[1][lane] = position.y;
        warp.lanes[2][lane] = position.z;
        warp.lanes[3][lane] = static_cast<uint32_t>(lane);
    }
    for (uint32_t i = 0; i < m_warps; ++i) {
        m_block.warps[i].regs = m_registers.data() + uint64_t{i} * m_plan.program.registerBytes;
        m_block.warps[i].patterns = m_patterns.data() + size_t{i} * m_plan.program.patterns;
        std::memcpy(m_block.warps[i].regs + kThreadIdxReg, m_threads[i].lanes, sizeof m_threads[i].lanes);
    }
}

void BlockMachine::placeNextWarps()
{
    const Program& program = m_plan.program;
    const bool hasVariables =
        !program.variableScalars.empty() || !program.variableVectors.empty() || !program.variablePatterns.empty();
    if (!program.wholeRows || hasVariables || !leavesNothing())
        return;
    m_nextWarps = {m_threads.data(), static_cast<uint32_t>(m_plan.launch.block.count() / kWarpSize), kWholeTurn};
    m_block.nextWarps = &m_nextWarps;
}

/// The registers that no instruction writes.
void BlockMachine::setThreads(Warp& warp, uint32_t id) const
{
    static_assert(kLaneIdReg == kThreadIdxReg + 3 * sizeof(ThreadIndexes::lanes[0]));
    // Of whole rows only the first is read.
    std::memcpy(warp.regs + kThreadIdxReg, m_threads[id].lanes,
                m_plan.program.wholeRows ? sizeof m_threads[id].lanes[0] : sizeof m_threads[id].lanes);
}

/// All but its warps.
void BlockMachine::prepareBlock(uint64_t index)
{
    m_block.index = index;
    m_block.cellIndex = static_cast<uint32_t>(index) + (m_checks.peers ? m_checks.peers->own.first : 0);
    if (m_checks.peers && m_checks.order)
        m_checks.order->beginBehind(m_block);
    m_block.endedWarps = {};
    m_block.position = positionOf(index, m_plan.launch.grid);
    m_block.liveLanes = static_cast<uint32_t>(m_plan.launch.block.count());
    m_block.waitingLanes = 0;
    m_block.epoch = 0;
    m_block.noted = 0;
    m_block.stop = false;
    m_checks.faults.clear();
    m_checks.races.clear();
    m_checks.sameValueWrites.reset();
    if (const unsigned share = lateShare(m_plan.options))
        m_block.late = &m_late.emplace(share, m_plan.options.seed ^ index);
    m_checks.barriers.clear();
    m_checks.uninitialised.clear();
    m_checks.undefinedCopies.clear();
    m_checks.undefinedShared.clear();
    m_checks.endedLocals.clear();
    std::memset(m_shared.data(), 0, m_plan.sharedBytes);
    if (m_plan.options.definedness)
        std::memset(m_sharedDefined.data(), 0, m_plan.sharedBytes);
    for (SharedDefinedness& shared : m_checks.sharedDefined)
        shared.begin();
    clearLocals();
    m_block.trapped = false;
    m_checks.programFaults.clear();
    if (m_checks.phaseBarriers)
        m_checks.phaseBarriers->clear();
    std::ranges::for_each(m_block.namedBarriers, &NamedBarrier::begin);
    m_block.waitedAt = 0;
    m_block.atGridBarrier = 0;
    m_block.grid = &m_plan.grid;
    m_block.derives = m_plan.derives;
    m_checks.proxyFences.clear();
    m_checks.gridWaits.clear();
    foresee();
}

void BlockMachine::prepare(uint64_t index, trace::BlockRecorder* recorder)
{
    abandonAsyncCopies(m_block);
    prepareBlock(index);
    const auto before = [](const Warp& a, const Warp& b) { return a.id < b.id; };
    if (!std::is_sorted(m_block.warps.begin(), m_block.warps.end(), before))
        std::sort(m_block.warps.begin(), m_block.warps.end(), before);
    for (uint32_t i = 0; i < m_warps; ++i)
        beginWarp(m_block.warps[i], i, recorder);
    meetBlock(m_block);
    m_checks.blockStart = m_checks.time;
    m_checks.overlap = m_plan.options.overlap;
}

/// What is known of it before it runs, if there is code that makes use of that.
void BlockMachine::foresee()
{
    m_block.foreseen = nullptr;
    if (m_plan.foreseen && m_plan.program.native.foresees.load(std::memory_order_acquire) &&
        m_plan.foreseen->look(m_block.position, m_places))
        m_block.foreseen = &m_foreseen;
}

bool BlockMachine::runsApart() const
{
    using device::Schedule;
    const Schedule schedule = m_plan.options.schedule;
    return m_plan.program.warpsAreApart && (schedule == Schedule::Sequential || schedule == Schedule::Lockstep) &&
           !m_checks.order && m_warps > 1 && m_plan.options.maxSteps == 0;
}

BlockEnd BlockMachine::runWhole(uint64_t index, trace::BlockRecorder* recorder, uint64_t maxInstructions)
{
    if (recorder || maxInstructions == 0 || !runsApart()) {
        if (m_block.isApart)
            standSideBySide();
        begin(index, recorder);
        return maxInstructions ? run(maxInstructions, 0) : BlockEnd::Stopped;
    }
    m_alone.begin();
    m_block.cluster = &m_alone;
    m_block.rank = 0;
    m_block.ended = false;
    m_block.atClusterBarrier = 0;
    prepareBlock(index);
    if (!m_block.isApart)
        for (Warp& warp : m_block.warps)
            endWarp(warp);
    m_block.isApart = true;
    m_checks.quietReads.forget();
    m_checks.blockStart = m_checks.epochStart = ++m_checks.time;
    m_checks.overlap = m_plan.options.overlap;
    runApart();
    return m_block.isApart && !m_block.stop ? BlockEnd::Finished : run(maxInstructions, 0);
}

/// All have run in the place of the first, which is the last of them now: from here on each is in its own.
void BlockMachine::standSideBySide()
{
    m_block.isApart = false;
    Warp& first = m_block.warps.front();
    first.id = 0;
    setThreads(first, 0);
}

/// One after the other, as they would go anyhow, but all in the memory of the first, which stays in the nearest cache.
/// One that uses up its turn or waits goes on as usual, with those that are still to come.
void BlockMachine::runApart()
{
    Warp& warp = m_block.warps.front();
    for (uint32_t id = 0; id < m_warps; ++id) {
        if (id > 0 && isAsBegun(warp)) {
            beginNext(warp, id);
        } else {
            setThreads(warp, id);
            beginWarp(warp, id, nullptr);
            warp.laneOrder.reset();
        }
        warp.syncTime = m_checks.epochStart;
        runWarp(warp, kWholeTurn);
        id = warp.id;  // machine code may have gone on to others
        if (warp.live || m_block.stop) {
            if (!warp.live)
                warp.splits.clear();
            return goOnTogether(id);
        }
        enterReads(m_block);
        EndedWarps& ended = m_block.endedWarps;
        ended.instructions += warp.instructions;
        ended.flops += warp.flops;
        ended.longest = std::max(ended.longest, warp.instructions);
        warp.instructions = warp.flops = 0;
    }
}

/// Warp \p running is in the place of the first: from now on each is in its own.
void BlockMachine::goOnTogether(uint32_t running)
{
    m_block.isApart = false;
    if (running > 0)
        std::swap(m_block.warps[0], m_block.warps[running]);
    for (uint32_t id = 0; id < m_warps; ++id) {
        Warp& warp = m_block.warps[id];
        if (id == running)
            continue;
        setThreads(warp, id);
        beginWarp(warp, id, nullptr);
        warp.syncTime = m_checks.epochStart;
        if (id < running)
            endWarp(warp);
    }
}

void BlockMachine::clearLocals()
{
    // Frames of the stack are cleared when they are entered.
    const Program& program = m_plan.program;
    uint64_t bytes = program.stackObject < 0 ? program.localBytesPerLane
                                             : program.locals[static_cast<size_t>(program.stackObject)].offset;
    if (bytes == 0)
        return;
    const uint64_t all = uint64_t{m_warps} * kWarpSize * m_localStride;
    // All at once is sooner than lane by lane, unless most of it need not be.
    if (bytes * 4 >= m_localStride) {
        std::memset(m_local.data(), 0, all);
        if (m_plan.options.definedness)
            std::memset(m_localDefined.data(), 0, all);
        return;
    }
    for (uint64_t lane = 0; lane < uint64_t{m_warps} * kWarpSize; ++lane) {
        std::memset(m_local.data() + lane * m_localStride, 0, bytes);
        if (m_plan.options.definedness)
            std::memset(m_localDefined.data() + lane * m_localStride, 0, bytes);
    }
}

void BlockMachine::beginWarp(Warp& warp, uint32_t id, trace::BlockRecorder* recorder)
{
    uint64_t threads = m_plan.launch.block.count();
    uint64_t lanes = std::min<uint64_t>(kWarpSize, threads - uint64_t{id} * kWarpSize);
    warp.block = &m_block;
    warp.recorder = recorder;
    warp.tracked = false;
    warp.tracker.reset();
    warp.products.reset();
    warp.resumeAt = nullptr;
    warp.live = lanes == kWarpSize ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
    warp.launched = warp.live;
    warp.clusterArrived = 0;
    warp.clusterPhase = 0;
    warp.fencedAt = 0;
    if (m_plan.program.passedMarks)
        warp.passedMark.fill(0);
    warp.instructions = 0;
    warp.flops = 0;
    warp.joins.clear();
    // Made anew it would be cleared first, which takes longer than all that follows.
    static const Split kNew;
    if (warp.splits.empty())
        warp.splits.push_back(kNew);
    warp.splits.resize(1);
    Split& split = warp.splits.front();
    split.join = -1;
    split.state = Split::State::Ready;
    split.calls.clear();
    setScalars(split, warp);
    split.scalars[kBlockIdxScalar] = m_block.position.x;
    split.scalars[kBlockIdxScalar + 1] = m_block.position.y;
    split.scalars[kBlockIdxScalar + 2] = m_block.position.z;
    placeWarp(warp, split, id);
    warp.slept = 0;
    warp.spilled.clear();
    if (m_plan.program.stackObject >= 0) {
        const MemoryObject& stack = m_plan.program.locals[static_cast<size_t>(m_plan.program.stackObject)];
        std::fill_n(warp.vector<uint64_t>(kStackReg), kWarpSize, slotAddress(stack.slot));
    }
    for (const auto& [object, bytes] : m_plan.localParameters)
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
            uint64_t at = (uint64_t{id} * kWarpSize + lane) * m_localStride +
                          m_plan.program.locals[static_cast<size_t>(object)].offset;
            std::memcpy(m_local.data() + at, bytes.data(), bytes.size());
            if (m_plan.options.definedness)
                std::memset(m_localDefined.data() + at, 0xff, bytes.size());
        }
}

/// What differs between a block's warps, and what they may read before they write it.
void BlockMachine::placeWarp(Warp& warp, Split& split, uint32_t id) const
{
    warp.id = static_cast<uint16_t>(id);
    split.ip = m_plan.program.entry;
    split.mask = warp.live;
    split.quanta = 0;
    split.lastRead = UINT32_MAX;
    split.scalars[kWarpIdScalar] = id;
    split.scalars[kThreadRowScalar] = m_threads[id].lanes[1][0];
    split.scalars[kThreadRowScalar + 1] = m_threads[id].lanes[2][0];
    warp.activate(0);
    // A variable read before it is written must not depend on which block ran here before.
    for (const auto& [reg, bytes] : m_cleared)
        std::memset(warp.regs + reg, 0, bytes);
    for (uint32_t pattern : m_plan.program.variablePatterns)
        warp.patterns[pattern] = {};
}

/// Whether a warp that has ended here leaves no more to be done than beginNext.
bool BlockMachine::isAsBegun(const Warp& warp) const
{
    return warp.launched == ~LaneMask{0} && warp.splits.size() == 1 && warp.splits.front().calls.empty() &&
           warp.joins.empty() && !warp.tracker && !warp.products && !warp.laneOrder && warp.slept == 0 &&
           leavesNothing();
}

/// Whether what a warp wrote is nothing to the next one in its place.
bool BlockMachine::leavesNothing() const
{
    return m_plan.program.onlyReadsWhatIsWritten() && m_plan.program.stackObject < 0 && m_plan.localParameters.empty();
}

/// As beginWarp, of a whole warp, where isAsBegun.
void BlockMachine::beginNext(Warp& warp, uint32_t id) const
{
    if (uint64_t{id + 1} * kWarpSize > m_plan.launch.block.count())
        warp.launched = (LaneMask{1} << (m_plan.launch.block.count() % kWarpSize)) - 1;
    warp.live = warp.launched;
    // Of blocks one warp wide, all that differs is in scalars.
    if (!m_plan.program.wholeRows || m_plan.launch.block.x != kWarpSize)
        setThreads(warp, id);
    Split& split = warp.splits.front();
    split.join = -1;
    split.state = Split::State::Ready;
    for (const uint32_t scalar : m_plan.program.variableScalars)
        split.scalars[scalar] = m_plan.scalars[scalar];
    placeWarp(warp, split, id);
}

/// As the launch has them: those that a warp which ran here before has left behind are, but for what it wrote.
void BlockMachine::setScalars(Split& split, Warp& warp) const
{
    if (split.scalars.capacity() == 0)
        split.scalars = warp.takeScalars();
    if (split.scalars.size() != m_plan.scalars.size() || !m_plan.program.onlyReadsWhatIsWritten()) {
        split.scalars.assign(m_plan.scalars.begin(), m_plan.scalars.end());
        return;
    }
    for (const uint32_t scalar : m_plan.program.variableScalars)
        split.scalars[scalar] = m_plan.scalars[scalar];
}

void BlockMachine::orderWarps()
{
    const uint64_t salt = m_block.index * 0x9e3779b97f4a7c15ull + 1;
    arrange(m_block.warps.begin(), m_block.warps.end(), m_plan.options, salt);
    if (m_plan.options.schedule == device::Schedule::Lanes)
        for (Warp& warp : m_block.warps)
            separateLanes(warp, salt + warp.id);
}

void BlockMachine::separateLanes(Warp& warp, uint64_t salt)
{
    std::vector<uint32_t> lanes;
    for (LaneMask rest = warp.live; rest; rest &= rest - 1)
        lanes.push_back(static_cast<uint32_t>(std::countr_zero(rest)));
    arrange(lanes.begin(), lanes.end(), m_plan.options, salt);
    const Split whole = warp.splits.front();
    warp.splits.assign(lanes.size(), whole);
    // The newest split runs first.
    for (size_t i = 0; i < lanes.size(); ++i)
        warp.splits[lanes.size() - 1 - i].mask = LaneMask{1} << lanes[i];
    warp.activate(warp.splits.size() - 1);
}

}  // namespace lanescope::simt
