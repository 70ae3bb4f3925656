// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "core/simt/race_check.h"
#include "core/simt/scheduler.h"

namespace lanescope::simt {
namespace {

constexpr uint64_t kDefaultMaxInstructions = uint64_t{1} << 42;

/// Zero-filled memory that is given back at the end; touched pages only.
class Arena {
public:
    explicit Arena(uint64_t bytes) : m_bytes(std::max<uint64_t>(bytes, 4096))
    {
        void* memory =
            mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        LS_ASSERT(memory != MAP_FAILED);
        m_data = static_cast<std::byte*>(memory);
    }
    ~Arena() { munmap(m_data, m_bytes); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    [[nodiscard]] std::byte* data() const { return m_data; }

private:
    uint64_t m_bytes;
    std::byte* m_data = nullptr;
};

/// The order in which blocks are started.
std::vector<uint64_t> blockOrder(const LaunchPlan& plan)
{
    std::vector<uint64_t> order(plan.launch.grid.count());
    std::iota(order.begin(), order.end(), uint64_t{0});
    if (plan.options.schedule == Schedule::Reverse)
        std::reverse(order.begin(), order.end());
    if (plan.options.schedule == Schedule::Random) {
        std::mt19937_64 random(plan.options.seed);
        for (size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[random() % i]);
    }
    return order;
}

int quantumOf(Schedule schedule)
{
    // Basic blocks a warp runs before the next has its turn: one in lockstep, so that warps stay side by side.
    return schedule == Schedule::Lockstep ? 1 : 1 << 20;
}

/// One host thread's block: memory for its warps, reused for block after block.
class BlockMachine {
public:
    explicit BlockMachine(const LaunchPlan& plan)
        : m_plan(plan), m_warps(plan.launch.warpsPerBlock()),
          m_registers(uint64_t{m_warps} * plan.program.registerBytes), m_shared(plan.sharedBytes + 64),
          m_localStride((plan.program.localBytesPerLane + 63) / 64 * 64),
          m_local(uint64_t{m_warps} * kWarpSize * m_localStride + 64), m_objects(m_warps),
          m_sharedDefined(plan.options.definedness ? plan.sharedBytes + 64 : 0),
          m_localDefined(plan.options.definedness ? uint64_t{m_warps} * kWarpSize * m_localStride + 64 : 0)
    {
        m_block.program = &plan.program;
        m_block.tracksDefinedness = plan.options.definedness;
        m_block.warps.resize(m_warps);
        m_block.checks = plan.options.checks;
        m_block.time = plan.startTime;
        m_block.launchStart = plan.startTime + 1;
        if (plan.options.races)
            for (uint64_t i = 0; i < plan.program.shared.size(); ++i)
                m_races.push_back(
                    std::make_unique<RaceArena>(plan.objects[sharedSlot(i)].bytes, kWordCells, /*global=*/false));
        for (uint32_t i = 0; i < m_warps; ++i)
            placeObjects(i);
    }

    bool run(uint64_t index, trace::BlockRecorder* recorder, uint64_t maxInstructions)
    {
        begin(index, recorder);
        orderWarps();
        return runBlock(m_block, quantumOf(m_plan.options.schedule), maxInstructions);
    }

    Block& block() { return m_block; }

private:
    static constexpr uint32_t kWordCells = 2;

    [[nodiscard]] size_t sharedSlot(size_t index) const { return m_plan.program.shared[index].slot - kSlotBase; }

    void placeObjects(uint32_t warp)
    {
        // A warp without local memory shares the first one's table.
        bool own = warp == 0 || !m_plan.program.locals.empty();
        if (own) {
            m_objects[warp] = m_plan.objects;
            for (size_t i = 0; i < m_plan.program.shared.size(); ++i) {
                ObjectEntry& entry = m_objects[warp][sharedSlot(i)];
                entry.host = m_shared.data() + m_plan.sharedOffsets[i];
                if (m_plan.options.definedness)
                    entry.defined = m_sharedDefined.data() + m_plan.sharedOffsets[i];
                if (!m_races.empty()) {
                    entry.raceArena = m_races[i].get();
                    entry.races = m_races[i]->cells();
                }
            }
            for (const MemoryObject& object : m_plan.program.locals) {
                ObjectEntry& entry = m_objects[warp][object.slot - kSlotBase];
                entry.host = m_local.data() + uint64_t{warp} * kWarpSize * m_localStride + object.offset;
                entry.laneStride = m_localStride;
                if (m_plan.options.definedness)
                    entry.defined = m_localDefined.data() + uint64_t{warp} * kWarpSize * m_localStride + object.offset;
            }
        }
        m_block.warps[warp].objects = m_objects[own ? warp : 0].data();
    }

    void begin(uint64_t index, trace::BlockRecorder* recorder)
    {
        m_block.index = index;
        m_block.position = positionOf(index, m_plan.launch.grid);
        m_block.liveLanes = static_cast<uint32_t>(m_plan.launch.block.count());
        m_block.waitingLanes = 0;
        m_block.epoch = 0;
        m_block.stop = false;
        m_block.faults.clear();
        m_block.races.clear();
        m_block.barriers.clear();
        m_block.uninitialised.clear();
        std::memset(m_shared.data(), 0, m_plan.sharedBytes);
        if (m_localStride)
            std::memset(m_local.data(), 0, uint64_t{m_warps} * kWarpSize * m_localStride);
        if (m_plan.options.definedness) {
            std::memset(m_sharedDefined.data(), 0, m_plan.sharedBytes);
            if (m_localStride)
                std::memset(m_localDefined.data(), 0, uint64_t{m_warps} * kWarpSize * m_localStride);
        }
        std::sort(m_block.warps.begin(), m_block.warps.end(), [](const Warp& a, const Warp& b) { return a.id < b.id; });
        for (uint32_t i = 0; i < m_warps; ++i)
            beginWarp(m_block.warps[i], i, recorder);
        meetBlock(m_block);
    }

    void beginWarp(Warp& warp, uint32_t id, trace::BlockRecorder* recorder)
    {
        uint64_t threads = m_plan.launch.block.count();
        uint64_t lanes = std::min<uint64_t>(kWarpSize, threads - uint64_t{id} * kWarpSize);
        warp.id = static_cast<uint16_t>(id);
        warp.block = &m_block;
        warp.regs = m_registers.data() + uint64_t{id} * m_plan.program.registerBytes;
        warp.recorder = recorder;
        warp.tracked = false;
        warp.tracker.reset();
        warp.resumeAt = nullptr;
        warp.live = lanes == kWarpSize ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
        warp.launched = warp.live;
        warp.passedMark.fill(0);
        warp.instructions = 0;
        warp.flops = 0;
        warp.joins.clear();
        warp.splits.resize(1);
        Split& split = warp.splits.front();
        split.ip = m_plan.program.entry;
        split.mask = warp.live;
        split.join = -1;
        split.state = Split::State::Ready;
        split.calls.clear();
        split.quanta = 0;
        split.scalars.assign(m_plan.scalars.begin(), m_plan.scalars.end());
        split.scalars[kBlockIdxScalar] = m_block.position.x;
        split.scalars[kBlockIdxScalar + 1] = m_block.position.y;
        split.scalars[kBlockIdxScalar + 2] = m_block.position.z;
        split.scalars[kWarpIdScalar] = id;
        warp.activate(0);
        // A variable read before it is written must not depend on which block ran here before.
        std::memset(warp.regs, 0, m_plan.program.registerBytes);
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
            Dim3 thread =
                positionOf(std::min<uint64_t>(uint64_t{id} * kWarpSize + lane, threads - 1), m_plan.launch.block);
            warp.vector<uint32_t>(kThreadIdxReg)[lane] = thread.x;
            warp.vector<uint32_t>(kThreadIdxReg + 128)[lane] = thread.y;
            warp.vector<uint32_t>(kThreadIdxReg + 256)[lane] = thread.z;
            warp.vector<uint32_t>(kLaneIdReg)[lane] = lane;
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

    void orderWarps()
    {
        if (m_plan.options.schedule == Schedule::Reverse)
            std::reverse(m_block.warps.begin(), m_block.warps.end());
        if (m_plan.options.schedule == Schedule::Random) {
            std::mt19937_64 random(m_plan.options.seed ^ (m_block.index * 0x9e3779b97f4a7c15ull + 1));
            for (size_t i = m_block.warps.size(); i > 1; --i)
                std::swap(m_block.warps[i - 1], m_block.warps[random() % i]);
        }
    }

    const LaunchPlan& m_plan;
    uint32_t m_warps;
    Arena m_registers;
    Arena m_shared;
    uint64_t m_localStride;
    Arena m_local;
    std::vector<std::vector<ObjectEntry>> m_objects;
    Arena m_sharedDefined;
    Arena m_localDefined;
    std::vector<std::unique_ptr<RaceArena>> m_races;  ///< by index in Program::shared
    Block m_block;
};

/// Hands out blocks to threads and gathers what they did.
class BlockQueue {
public:
    explicit BlockQueue(const LaunchPlan& plan)
        : m_plan(plan), m_order(blockOrder(plan)),
          m_maxInstructions(plan.options.maxSteps ? plan.options.maxSteps : kDefaultMaxInstructions)
    {
    }

    void work()
    {
        BlockMachine machine(m_plan);
        for (;;) {
            uint64_t next = m_next.fetch_add(1, std::memory_order_relaxed);
            if (next >= m_order.size() || m_stop.load(std::memory_order_relaxed))
                return;
            runOne(machine, m_order[next]);
        }
    }

    LaunchOutcome finish()
    {
        std::stable_sort(m_outcome.faults.begin(), m_outcome.faults.end(),
                         [](const AccessFault& a, const AccessFault& b) { return a.block < b.block; });
        std::stable_sort(m_outcome.uninitialised.begin(), m_outcome.uninitialised.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::stable_sort(m_outcome.barriers.begin(), m_outcome.barriers.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::stable_sort(m_outcome.races.begin(), m_outcome.races.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        m_outcome.warpInstructions = m_used;
        return std::move(m_outcome);
    }

private:
    std::unique_ptr<trace::BlockRecorder> recorderFor(uint64_t index)
    {
        trace::TraceWriter* writer = m_plan.options.writer;
        if (!writer)
            return nullptr;
        bool selected = !m_plan.options.selects || m_plan.options.selects(positionOf(index, m_plan.launch.grid));
        std::unique_ptr<trace::BlockRecorder> recorder;
        if (selected)
            recorder = writer->beginBlock(m_plan.launch.id, BlockIndex{index});
        std::lock_guard lock(m_mutex);
        ++(recorder ? m_outcome.blocksRecorded : m_outcome.blocksDropped);
        return recorder;
    }

    void runOne(BlockMachine& machine, uint64_t index)
    {
        auto recorder = recorderFor(index);
        uint64_t used = m_used.load(std::memory_order_relaxed);
        bool finished = used < m_maxInstructions && machine.run(index, recorder.get(), m_maxInstructions - used);
        if (recorder)
            m_plan.options.writer->endBlock(std::move(recorder));
        Block& block = machine.block();
        uint64_t instructions = 0;
        uint64_t flops = 0;
        for (const Warp& warp : block.warps) {
            instructions += warp.instructions;
            flops += warp.flops;
        }
        m_used += instructions;
        std::lock_guard lock(m_mutex);
        m_outcome.flops += flops;
        m_outcome.faults.insert(m_outcome.faults.end(), block.faults.begin(), block.faults.end());
        for (const RaceReport& race : block.races)
            m_outcome.races.emplace_back(index, race);
        for (const UninitialisedUse& use : block.uninitialised)
            m_outcome.uninitialised.emplace_back(index, use);
        m_outcome.copiedUndefined |= block.copiedUndefined;
        for (const BarrierReport& barrier : block.barriers)
            m_outcome.barriers.emplace_back(index, barrier);
        m_outcome.endTime = std::max(m_outcome.endTime, block.time);
        if (finished)
            return;
        m_stop = true;
        if (m_outcome.stopReason.empty() || index < m_outcome.stopBlock) {
            m_outcome.stopReason = used < m_maxInstructions ? block.stopReason : "step-limit";
            m_outcome.stopBlock = index;
        }
    }

    const LaunchPlan& m_plan;
    std::vector<uint64_t> m_order;
    uint64_t m_maxInstructions;
    std::atomic<uint64_t> m_next = 0;
    std::atomic<uint64_t> m_used = 0;
    std::atomic<bool> m_stop = false;
    std::mutex m_mutex;
    LaunchOutcome m_outcome;
};

unsigned threadCount(const LaunchPlan& plan)
{
    if (plan.program.needsOneHostThread)
        return 1;
    unsigned wanted =
        plan.options.hostThreads ? plan.options.hostThreads : std::max(1u, std::thread::hardware_concurrency());
    return static_cast<unsigned>(std::min<uint64_t>(wanted, plan.launch.grid.count()));
}

}  // namespace

LaunchOutcome runBlocks(const LaunchPlan& plan)
{
    BlockQueue queue(plan);
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < threadCount(plan); ++i)
        helpers.emplace_back([&queue] { queue.work(); });
    queue.work();
    for (std::thread& helper : helpers)
        helper.join();
    return queue.finish();
}

}  // namespace lanescope::simt
