// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/block_queue.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/livelock.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/launch/block_machine.h"
#include "core/simt/launch/block_order.h"
#include "core/simt/launch/block_reports.h"
#include "core/simt/launch/host_threads.h"
#include "core/simt/launch/memory_snapshot.h"
#include "core/simt/machine/outlook.h"
#include "core/simt/machine/subnormals.h"
#include "core/simt/native/native_code.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

/// Null when the kernel has no fences, or nobody asks.
std::shared_ptr<SyncOrder> orderOf(const LaunchPlan& plan)
{
    if (plan.peers)
        return plan.peers->group->order();
    return plan.program.hasFences && plan.options.races ? std::make_shared<SyncOrder>() : nullptr;
}

/// How often who watches a launch is told.
constexpr std::chrono::milliseconds kBetweenLooks{100};
/// And at least so many times what it takes to tell.
constexpr int kLooksShare = 50;

}  // namespace

/// What blocks have done that ended as they should and have nothing to report: a host thread keeps it for itself, which
/// short blocks would otherwise wait for each other to add.
struct QuietBlocks {
    uint64_t flops = 0;
    uint64_t longest = 0;
    uint32_t endTime = 0;
    // Since who watches was last asked, and the code was last said to be run.
    uint64_t blocks = 0;
    uint64_t instructions = 0;
    uint64_t used = 0;  ///< instructions of blocks that have ended, and
    uint64_t done = 0;  ///< how many have

    static constexpr uint64_t kMostBlocks = 32;
    static constexpr uint64_t kMostInstructions = 1 << 14;
    [[nodiscard]] bool areMany() const { return blocks >= kMostBlocks || instructions >= kMostInstructions; }
};

/// Hands out blocks to threads and gathers what they did. Neither this nor its members' types may be anonymous, since
/// LaunchBlocks::Impl has one: GCC refuses that in files that are compiled together.
class BlockQueue final : public BlockWatch {
public:
    BlockQueue(const LaunchPlan& plan, unsigned threads)
        : m_plan(plan), m_threads(threads), m_order(blockOrder(plan)),
          m_maxInstructions(plan.options.maxSteps ? plan.options.maxSteps : kDefaultMaxSteps)
    {
        // No other launch's blocks run meanwhile: the runtime's lock is held.
        // Of a launch that a kernel waits for, other blocks of that kernel may be under way.
        const bool mayOverlap = plan.peers || plan.options.overlap.end != 0 || plan.options.depth != 0;
        for (const uint64_t slot : plan.objects.placedSlots())
            if (RaceCells* const cells = plan.objects[slot].races) {
                cells->isAlone = threads == 1;
                cells->liveSince = mayOverlap ? 0 : plan.startTime + 1;
            }
    }

    void work()
    {
        BlockMachine machine(m_plan);
        const std::shared_ptr<SyncOrder> order = orderOf(m_plan);
        machine.block().checks->order = order.get();
        machine.block().watch = this;
        QuietBlocks quiet;
        std::vector<RunCount> runs(m_plan.program.operations.size());
        // Of what was handed out, all before a block that stops the launch is run.
        for (Share share = takeShare(); share.first < share.end; share = takeShare()) {
            for (uint64_t next = share.first; next < std::min(share.end, m_end.load(std::memory_order_relaxed));
                 ++next) {
                auto recorder = recorderFor(m_order[next]);
                machine.block().runs = recorder ? runs.data() : nullptr;
                const uint64_t used = m_used.load(std::memory_order_relaxed) + quiet.used;
                const BlockEnd end = machine.runWhole(m_order[next], recorder.get(),
                                                      used < m_maxInstructions ? m_maxInstructions - used : 0);
                if (recorder || !isQuiet(machine.block(), end))
                    collect(machine.block(), next, std::move(recorder), end == BlockEnd::Finished, used);
                else
                    add(machine.block(), quiet);
                ++quiet.blocks;
                if (quiet.areMany())
                    tell(quiet);
            }
        }
        tell(quiet);
        const std::scoped_lock lock(m_mutex);
        for (size_t i = 0; i < runs.size(); ++i) {
            m_runs[i].warps += runs[i].warps;
            m_runs[i].lanes += runs[i].lanes;
        }
        m_outcome.flops += quiet.flops;
        m_outcome.longestBlock = std::max(m_outcome.longestBlock, quiet.longest);
        m_outcome.endTime = std::max(m_outcome.endTime, quiet.endTime);
    }

    /// Blocks that talk to each other: as many as the model GPU holds at a time are under way, on one host thread.
    /// A block that waits for another one (at the grid's barrier, or spinning) makes way for it. False: the launch is
    /// paused, to be called again.
    bool workResident(device::Patience patience)
    {
        const size_t most = residentBlocks(m_plan);
        std::vector<Resident>& running = m_running;
        std::vector<std::unique_ptr<BlockMachine>>& idle = m_idle;
        m_patience = patience;
        if (const Looked looked = std::exchange(m_paused, Looked::NotYet); looked == Looked::NotYet) {
            m_syncOrder = orderOf(m_plan);
        } else {
            goOnBesideOthers();
            if (patience != device::Patience::Pause)
                goOnOrPause(looked);
        }
        while (m_paused == Looked::NotYet && !m_stop && (m_next < m_order.size() || !running.empty())) {
            const size_t room = std::min(most - running.size(), m_order.size() - m_next);
            const bool allWait =
                std::all_of(running.begin(), running.end(), [](const Resident& r) { return r.waits() || r.goesRound; });
            // One more a round, so that blocks that finish at once never have company; or soon all that there is room
            // for, when they wait for each other. Clusters begin as a whole.
            const size_t perCluster = m_plan.blocksPerCluster();
            for (size_t starts = std::min(room / perCluster, allWait ? running.size() + 1 : 1); starts > 0; --starts)
                startCluster(running, idle);
            if (room == 0 && (allWait || m_used + m_underWay > m_nextLook))
                goOnTogether(running);
            if (m_paused != Looked::NotYet)
                break;
            if (!isTold(nullptr))
                m_stop = true;
            for (size_t i = 0; i < running.size() && !m_stop;)
                if (running[i].waits() || !takeTurn(running[i])) {
                    ++i;
                } else {
                    leave(running[i], idle);
                    running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
                }
        }
        if (m_paused != Looked::NotYet)
            return false;
        // What a stop left half way is kept.
        for (Resident& resident : running)
            if (resident.machine)
                collect(resident.machine->block(), resident.place, std::move(resident.recorder), true, 0);
        running.clear();
        return true;
    }

    /// Of a launch that is paused.
    [[nodiscard]] bool canGoOn() const { return m_polled.hasChanged(); }
    [[nodiscard]] const std::shared_ptr<SyncOrder>& order() const { return m_syncOrder; }
    [[nodiscard]] std::optional<uint32_t> startTime() const
    {
        const auto startOf = [](const Resident& r) { return r.machine->block().checks->launchStart; };
        const uint32_t first = startOf(m_running.front());
        return std::ranges::all_of(m_running, [&](const Resident& r) { return startOf(r) == first; })
                   ? std::optional(first - 1)
                   : std::nullopt;
    }

    /// A block that runs for long is hot long before it ends, if it ever does.
    bool look(Block& block) override
    {
        const uint64_t instructions = instructionsOf(block);
        noteExecuted(m_plan.program, instructions - std::exchange(block.noted, instructions),
                     block.warps.front().recorder != nullptr);
        return isTold(&block);
    }

    LaunchOutcome finish()
    {
        forgetLaterBlocks();
        sortReports(m_outcome);
        if (m_interrupted && m_outcome.stopReason.empty())
            m_outcome.stopReason = {std::nullopt, "interrupted"};
        m_outcome.warpInstructions = m_used;
        m_outcome.operations = operationsOf(m_plan, m_runs);
        return std::move(m_outcome);
    }

private:
    /// Places in m_order.
    struct Share {
        uint64_t first = 0;
        uint64_t end = 0;
    };

    /// The next blocks for a host thread; none: there are no more, or the launch ends early. Many at first, since what
    /// lies side by side in memory is best left to one processor, and few at last, so that all end together.
    Share takeShare()
    {
        constexpr uint64_t kSharesEach = 8;
        // Which blocks a limit of steps, or a trace, has shall hardly depend on the number of threads.
        const bool inTurns = m_plan.options.writer || m_plan.options.maxSteps != 0;
        uint64_t first = m_next.load(std::memory_order_relaxed), end = 0;
        do {
            const uint64_t last = std::min<uint64_t>(m_order.size(), m_end.load(std::memory_order_relaxed));
            if (first >= last)
                return {};
            const uint64_t share = inTurns ? 1 : (last - first) / (kSharesEach * m_threads);
            end = first + std::max<uint64_t>(share, 1);
        } while (!m_next.compare_exchange_weak(first, end, std::memory_order_relaxed));
        return {first, end};
    }

    /// Blocks from \p place on are not begun any more.
    void endAt(uint64_t place)
    {
        uint64_t end = m_end.load(std::memory_order_relaxed);
        while (place < end && !m_end.compare_exchange_weak(end, place, std::memory_order_relaxed)) {
        }
        m_stop = true;
    }

    [[nodiscard]] bool isParallel() const { return m_threads > 1; }

    static bool isQuiet(const Block& block, BlockEnd end)
    {
        const BlockChecks& checks = *block.checks;
        return end == BlockEnd::Finished && !checks.order && !checks.copiedUndefined && !checks.acrossBlocks &&
               !hasReports(checks);
    }

    /// Of a block that is quiet.
    void add(const Block& block, QuietBlocks& quiet)
    {
        uint64_t instructions = block.endedWarps.instructions;
        quiet.flops += block.endedWarps.flops;
        quiet.longest = std::max(quiet.longest, block.endedWarps.longest);
        for (const Warp& warp : block.warps) {
            instructions += warp.instructions;
            quiet.flops += warp.flops;
            quiet.longest = std::max(quiet.longest, warp.instructions);
        }
        quiet.endTime = std::max(quiet.endTime, block.checks->time);
        quiet.instructions += instructions - block.noted;
        quiet.used += instructions;
        ++quiet.done;
        if (m_plan.options.maxSteps != 0)  // which several host threads use up together
            note(quiet);
    }

    void note(QuietBlocks& quiet)
    {
        m_used.fetch_add(std::exchange(quiet.used, 0), std::memory_order_relaxed);
        m_done.fetch_add(std::exchange(quiet.done, 0), std::memory_order_relaxed);
    }

    void tell(QuietBlocks& quiet)
    {
        noteExecuted(m_plan.program, quiet.instructions, false);
        note(quiet);
        quiet.blocks = quiet.instructions = 0;
        if (!isTold(nullptr))
            endAt(0);
    }

    /// Tells who watches the launch, when it is time to. \p running: a block of this thread that has not ended, or
    /// null. False: all blocks shall stop.
    bool isTold(const Block* running)
    {
        device::LaunchWatch* const watch = m_plan.options.watch;
        if (!watch || m_interrupted)
            return !m_interrupted;
        const Clock::time_point now = Clock::now();
        const std::unique_lock lock(m_telling, std::try_to_lock);
        if (!lock || now < m_nextTelling)
            return true;
        device::LaunchProgress progress;
        progress.blocks = m_order.size();
        progress.seconds = std::chrono::duration<double>(now - m_start).count();
        progress.warpInstructions = m_used + m_underWay;
        if (running && m_underWay == 0)
            progress.warpInstructions += instructionsOf(*running);
        progress.blocksDone = m_done;
        m_interrupted = !watch->goesOn(progress);
        if (m_plan.found)
            tellReports(running);
        // However much there is to tell, it takes little of the time.
        m_nextTelling = now + kBetweenLooks + (Clock::now() - now) * kLooksShare;
        return !m_interrupted;
    }

    void tellReports(const Block* running)
    {
        device::DeviceOutcome soFar;
        {
            const std::scoped_lock outcomeLock(m_mutex);
            soFar = m_outcome;
        }
        if (running)
            addReports(*running, soFar);
        const size_t reports = countReports(soFar);
        if (reports == std::exchange(m_reportsTold, reports))
            return;
        sortReports(soFar);
        m_plan.found(std::move(soFar));
    }

    /// Whether blocks after the one that stopped the launch have run is a matter of host threads.
    void forgetLaterBlocks()
    {
        if (!isParallel() || m_stopPlace == kNowhere || m_interrupted)
            return;
        const std::unordered_set<uint64_t> later(m_order.begin() + static_cast<std::ptrdiff_t>(m_stopPlace) + 1,
                                                 m_order.end());
        const auto isLater = [&](const auto& entry) {
            if constexpr (requires { entry.first; })
                return later.contains(entry.first);
            else
                return later.contains(entry.block);
        };
        std::erase_if(m_outcome.faults, isLater);
        std::erase_if(m_outcome.undefinedCopies, isLater);
        std::erase_if(m_outcome.uninitialised, isLater);
        std::erase_if(m_outcome.barriers, isLater);
        std::erase_if(m_outcome.races, isLater);
        std::erase_if(m_outcome.programFaults, isLater);
    }

    static constexpr uint64_t kNowhere = UINT64_MAX;
    /// Warp instructions of a block before the others have their turn.
    static constexpr uint64_t kSlice = 1 << 15;
    /// The first one of a block that has waited for others: it may soon do so again.
    static constexpr uint64_t kShortSlice = 1 << 9;

    /// A cluster under way. Its blocks' memory stays until all of them have ended.
    struct RunningCluster {
        Cluster cluster;
        std::vector<std::unique_ptr<BlockMachine>> ended;
    };

    struct Resident {
        std::shared_ptr<RunningCluster> cluster;  ///< null: the launch has none of several blocks
        std::unique_ptr<BlockMachine> machine;
        std::unique_ptr<trace::BlockRecorder> recorder;
        uint64_t place = 0;  ///< in m_order
        bool atGridBarrier = false;
        bool isStuck = false;    ///< before its cluster's barrier was opened the last time
        uint32_t stuckIn = 0;    ///< phase of that barrier
        bool goesRound = false;  ///< waits for what others write
        uint64_t slice = kSlice;
        uint64_t slices = 0;  ///< whole ones that it has had

        [[nodiscard]] bool waitsForCluster() const { return isStuck && cluster && cluster->cluster.phase == stuckIn; }
        [[nodiscard]] bool waits() const { return atGridBarrier || waitsForCluster(); }
    };

    void startCluster(std::vector<Resident>& running, std::vector<std::unique_ptr<BlockMachine>>& idle)
    {
        const uint64_t count = m_plan.blocksPerCluster();
        if (count == 1) {
            running.push_back(start(idle, nullptr, 0));
            return;
        }
        const auto cluster = std::make_shared<RunningCluster>();
        for (uint32_t rank = 0; rank < count; ++rank)
            running.push_back(start(idle, cluster, rank));
    }

    /// A block has ended: what it leaves behind.
    static void leave(Resident& resident, std::vector<std::unique_ptr<BlockMachine>>& idle)
    {
        if (!resident.cluster) {
            idle.push_back(std::move(resident.machine));
            return;
        }
        RunningCluster& cluster = *resident.cluster;
        resident.machine->block().ended = true;
        cluster.ended.push_back(std::move(resident.machine));
        if (cluster.ended.size() == cluster.cluster.blocks.size()) {
            std::move(cluster.ended.begin(), cluster.ended.end(), std::back_inserter(idle));
            cluster.ended.clear();
        } else {
            settleClusterBarrier(cluster.cluster);
        }
    }

    Resident start(std::vector<std::unique_ptr<BlockMachine>>& idle, const std::shared_ptr<RunningCluster>& cluster,
                   uint32_t rank)
    {
        Resident resident;
        resident.cluster = cluster;
        if (idle.empty()) {
            resident.machine = std::make_unique<BlockMachine>(m_plan);
        } else {
            resident.machine = std::move(idle.back());
            idle.pop_back();
        }
        resident.place = m_next++;
        const uint64_t index = m_order[resident.place];
        resident.recorder = recorderFor(index);
        resident.machine->block().runs = resident.recorder ? m_runs.data() : nullptr;
        resident.machine->block().checks->order = m_syncOrder.get();
        resident.machine->block().watch = this;
        if (cluster)
            cluster->cluster.blocks.push_back(&resident.machine->block());
        resident.machine->begin(index, resident.recorder.get(), cluster ? &cluster->cluster : nullptr, rank);
        return resident;
    }

    /// True when the block is done with.
    bool takeTurn(Resident& resident)
    {
        Block& block = resident.machine->block();
        // Who waits for others only looks whether they have done it.
        if (resident.goesRound && lookAt(resident, kShortLook, false) == Outlook::GoesRound)
            return false;
        resident.goesRound = false;
        uint64_t before = instructionsOf(block);
        uint64_t used = m_used + m_underWay;
        BlockEnd end = used < m_maxInstructions
                           ? resident.machine->run(m_maxInstructions - used + before, resident.slice)
                           : BlockEnd::Stopped;
        uint64_t after = instructionsOf(block);
        m_underWay += after - before;
        resident.atGridBarrier = end == BlockEnd::AtGridBarrier;
        resident.isStuck = end == BlockEnd::AtClusterBarrier;
        if (resident.cluster) {
            resident.stuckIn = resident.cluster->cluster.phase;
            if (end == BlockEnd::MadeWay)
                settleClusterBarrier(resident.cluster->cluster);
        }
        if (end == BlockEnd::MadeWay && (resident.slice < kSlice || std::has_single_bit(++resident.slices))) {
            resident.goesRound = lookAt(resident, kShortLook, false) == Outlook::GoesRound;
            resident.slice = resident.goesRound ? kShortSlice : std::min(2 * resident.slice, kSlice);
        }
        if (end != BlockEnd::Finished && end != BlockEnd::Stopped)
            return false;
        m_underWay -= after;
        collect(block, resident.place, std::move(resident.recorder), end == BlockEnd::Finished, used);
        return true;
    }

    /// All blocks under way wait, or may do, and there is room for no more.
    void goOnTogether(std::vector<Resident>& running)
    {
        if (std::all_of(running.begin(), running.end(), [](const Resident& r) { return r.atGridBarrier; }))
            return passGridBarrier(running);
        if (const auto stuck = std::find_if(running.begin(), running.end(),
                                            [&](const Resident& r) { return isClusterStuck(r, running); });
            stuck != running.end())
            return stopStuck(stuck->machine->block());
        m_nextLook = nextOutlook(m_used + m_underWay);
        for (Resident& resident : running)
            resident.goesRound = false;
        goOnOrPause(Looked::NotYet);
    }

    /// What blocks that all wait or go round have been looked at for so far, while the launch is paused.
    enum class Looked : uint8_t { NotYet, WithoutLettingGo, WithLettingGo };

    /// All blocks wait, or go round as far as a short look tells.
    void goOnOrPause(Looked looked)
    {
        // Lanes are let go, which a block may be blamed for, only when nothing else helps: not even other launches.
        if (looked == Looked::NotYet) {
            m_polled.clear();
            if (!allGoRound(false))
                return;
            if (m_patience == device::Patience::Pause)
                return pause(Looked::WithoutLettingGo);
        }
        if (looked != Looked::WithLettingGo) {
            if (!allGoRound(true))
                return;
            if (m_patience == device::Patience::LetLanesGo)
                return pause(Looked::WithLettingGo);
        }
        for (Resident& resident : m_running) {
            if (resident.waits())
                continue;
            Block& block = resident.machine->block();
            const StopReason reason = reportLivelock(block);
            if (!m_stop) {
                m_outcome.stopReason = reason;
                m_outcome.stopBlock = block.index;
            }
            m_stop = true;
        }
    }

    bool allGoRound(bool letsLanesGo)
    {
        return std::all_of(m_running.begin(), m_running.end(), [&](Resident& resident) {
            return resident.waits() || lookAt(resident, kLongLook, letsLanesGo, &m_polled) == Outlook::GoesRound;
        });
    }

    void pause(Looked looked)
    {
        m_polled.see();
        m_paused = looked;
    }

    /// What the plan now says of launches beside this one is told to all blocks.
    void goOnBesideOthers()
    {
        for (const Resident& resident : m_running)
            resident.machine->goOnBesideOthers();
        for (const std::unique_ptr<BlockMachine>& machine : m_idle)
            machine->goOnBesideOthers();
    }

    /// Whether all blocks of the cluster of \p resident that have not ended wait at its barrier, which does not open.
    static bool isClusterStuck(const Resident& resident, const std::vector<Resident>& running)
    {
        return resident.waitsForCluster() && std::all_of(running.begin(), running.end(), [&](const Resident& other) {
                   return other.cluster != resident.cluster || other.waitsForCluster();
               });
    }

    void stopStuck(Block& block)
    {
        m_outcome.stopReason = {FindingKind::BarrierDeadlock,
                                "the cluster's barrier waits for threads that never arrive there"};
        m_outcome.stopBlock = block.index;
        reportWaiting(block, device::BarrierReport::Kind::Deadlock);
        m_stop = true;
    }

    Outlook lookAt(Resident& resident, unsigned turns, bool letsLanesGo, PolledMemory* polled = nullptr)
    {
        Block& block = resident.machine->block();
        const uint64_t before = instructionsOf(block);
        const Outlook outlook = outlookOf(block, turns, letsLanesGo, polled);
        m_underWay += instructionsOf(block) - before;
        return outlook;
    }

    void passGridBarrier(std::vector<Resident>& running)
    {
        if (m_next < m_order.size()) {
            m_outcome.stopReason = {FindingKind::BarrierDeadlock,
                                    "the grid's barrier waits for blocks that the GPU has no room for"};
            m_outcome.stopBlock = m_order[m_next];
            reportWaiting(running.front().machine->block(), device::BarrierReport::Kind::Deadlock);
            m_stop = true;
            return;
        }
        Block& first = running.front().machine->block();
        if (running.size() < m_order.size()) {
            m_outcome.stopReason = {FindingKind::BarrierDeadlock,
                                    "the grid's barrier waits for blocks that have ended"};
            m_outcome.stopBlock = first.index;
            reportWaiting(first, device::BarrierReport::Kind::BlocksEnded);
            m_stop = true;
            return;
        }
        if (first.checks && !m_plan.options.cooperative)
            reportWaiting(first, device::BarrierReport::Kind::NotCooperative);
        // As if a new launch began: all accesses so far come before all that follow.
        if (m_plan.peers && m_syncOrder)
            m_syncOrder->meetGrid(blocksOf(running));
        uint32_t time = 0;
        for (Resident& resident : running)
            time = std::max(time, resident.machine->block().checks->time);
        for (Resident& resident : running) {
            Block& block = resident.machine->block();
            block.checks->time = time;
            block.checks->gridMet = time;
            // Launches beside this one have not met, and count times from where it began.
            if (!block.checks->peers)
                block.checks->launchStart = time + 1;
            releaseGridBarrier(block);
            meetBlock(block);
            resident.atGridBarrier = false;
        }
    }

    static std::vector<Block*> blocksOf(const std::vector<Resident>& running)
    {
        std::vector<Block*> blocks;
        for (const Resident& resident : running)
            blocks.push_back(&resident.machine->block());
        return blocks;
    }

    std::unique_ptr<trace::BlockRecorder> recorderFor(uint64_t index)
    {
        trace::TraceWriter* writer = m_plan.options.writer;
        if (!writer)
            return nullptr;
        const bool selected = isSelected(m_plan, index);
        std::unique_ptr<trace::BlockRecorder> recorder;
        if (selected)
            recorder = writer->beginBlock(m_plan.launch.id, BlockIndex{index});
        std::lock_guard lock(m_mutex);
        ++(recorder ? m_outcome.blocksRecorded : m_outcome.blocksDropped);
        return recorder;
    }

    /// \p place: in m_order.
    void collect(Block& block, uint64_t place, std::unique_ptr<trace::BlockRecorder> recorder, bool finished,
                 uint64_t used)
    {
        const bool isRecorded = recorder != nullptr;
        if (recorder) {
            std::vector<uint64_t> ofWarps(block.warps.size());
            for (const Warp& warp : block.warps)
                ofWarps[warp.id] = warp.flops;
            recorder->flops(ofWarps);
            m_plan.options.writer->endBlock(std::move(recorder));
        }
        if (block.checks->order)
            block.checks->order->forget(block);
        uint64_t index = block.index;
        auto [instructions, flops, longest] = block.endedWarps;
        for (const Warp& warp : block.warps) {
            instructions += warp.instructions;
            longest = std::max(longest, warp.instructions);
            flops += warp.flops;
        }
        m_used += instructions;
        noteExecuted(m_plan.program, instructions - block.noted, isRecorded);
        std::lock_guard lock(m_mutex);
        m_done += finished;
        m_outcome.flops += flops;
        m_outcome.longestBlock = std::max(m_outcome.longestBlock, longest);
        addReports(block, m_outcome);
        m_outcome.copiedUndefined |= block.checks->copiedUndefined;
        m_outcome.endTime = std::max(m_outcome.endTime, block.checks->time);
        m_outcome.racesAcrossBlocks |= std::exchange(block.checks->acrossBlocks, false);
        // In another order it would be another run: see runBlocks.
        if (isParallel() && m_outcome.racesAcrossBlocks)
            endAt(0);
        if (finished)
            return;
        endAt(place + 1);
        if (place < m_stopPlace) {
            m_stopPlace = place;
            m_outcome.stopReason = used < m_maxInstructions ? block.stopReason : StopReason{FindingKind::StepLimit, {}};
            m_outcome.stopBlock = index;
            m_outcome.trapped = used < m_maxInstructions && block.trapped;
        }
    }

    const LaunchPlan& m_plan;
    unsigned m_threads;  ///< of the host
    std::vector<uint64_t> m_order;
    uint64_t m_maxInstructions;
    std::shared_ptr<SyncOrder> m_syncOrder;  ///< of blocks that take turns
    // Likewise, and kept while the launch is paused.
    std::vector<Resident> m_running;
    std::vector<std::unique_ptr<BlockMachine>> m_idle;
    device::Patience m_patience = device::Patience::Stop;
    Looked m_paused = Looked::NotYet;  ///< else the launch is paused
    PolledMemory m_polled;
    std::atomic<uint64_t> m_next = 0;
    std::atomic<uint64_t> m_used = 0;  ///< by blocks that are done
    uint64_t m_underWay = 0;           ///< by blocks that are not, when they take turns
    uint64_t m_nextLook = nextOutlook(0);
    std::atomic<uint64_t> m_done = 0;  ///< blocks
    std::atomic<bool> m_stop = false;
    std::atomic<uint64_t> m_end = kNowhere;  ///< blocks from this place on are not begun any more
    uint64_t m_stopPlace = kNowhere;         ///< of the first block that did not finish
    std::mutex m_mutex;
    LaunchOutcome m_outcome;
    std::vector<RunCount> m_runs = std::vector<RunCount>(m_plan.program.operations.size());

    using Clock = std::chrono::steady_clock;
    const Clock::time_point m_start = Clock::now();
    std::mutex m_telling;  ///< guards what follows
    Clock::time_point m_nextTelling = m_start + kBetweenLooks;
    size_t m_reportsTold = 0;
    std::atomic<bool> m_interrupted = false;
};

namespace {

/// Whether what a block does may depend on what another one has done.
bool blocksTalk(const LaunchPlan& plan)
{
    return plan.program.needsOneHostThread || plan.program.usesHeap || plan.program.syncsGrid || plan.atomicsOrdered ||
           plan.blocksPerCluster() > 1;
}

/// Whether blocks may race with each other: there is global memory for which that is watched.
bool mayRaceAcrossBlocks(const LaunchPlan& plan)
{
    return std::ranges::any_of(plan.objects.placedSlots(), [&](uint64_t slot) {
        return plan.objects[slot].races && plan.objects[slot].initialised;
    });
}

/// A launch that may write far more memory than its threads can is over sooner on one host thread than the memory is
/// copied.
constexpr uint64_t kSnapshotBytesPerThread = 4096;

unsigned threadCount(const LaunchPlan& plan)
{
    const unsigned wanted = plan.options.hostThreads ? plan.options.hostThreads : hostProcessors();
    if (plan.peers)
        return 1;
    if (plan.options.races && mayRaceAcrossBlocks(plan) &&
        MemorySnapshot::bytes(plan) > kSnapshotBytesPerThread * plan.launch.grid.count() * plan.launch.block.count())
        return 1;
    return static_cast<unsigned>(std::min<uint64_t>(wanted, plan.launch.grid.count()));
}

/// Whether a launch is over, as far as the latest one says, before other host threads would have woken up.
bool isShort(const LaunchPlan& plan)
{
    constexpr uint64_t kShort = 100'000;  // nanoseconds
    const uint64_t ofBlock = plan.program.blockTime.load(std::memory_order_relaxed);
    return ofBlock != 0 && plan.launch.grid.count() <= kShort / ofBlock;
}

bool flushesSubnormals(const Program& program)
{
    return program.flushesSubnormals && !program.computesInDouble;
}

LaunchOutcome runParallel(const LaunchPlan& plan, unsigned threads)
{
    BlockQueue queue(plan, threads);
    const auto begin = std::chrono::steady_clock::now();
    onHostThreads(threads, [&queue, &plan] {
        const SubnormalScope subnormals(flushesSubnormals(plan.program));
        queue.work();
    });
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    const uint64_t ofAll = static_cast<uint64_t>(taken.count()) * threads;
    plan.program.blockTime.store(std::max<uint64_t>(ofAll / plan.launch.grid.count(), 1), std::memory_order_relaxed);
    return queue.finish();
}

}  // namespace

bool handsOver(const LaunchPlan& plan)
{
    return plan.program.handsOver || plan.program.usesHeap || plan.program.syncsGrid;
}

namespace {

/// Of blocks that have nothing to do with each other.
LaunchOutcome runApart(LaunchPlan& plan)
{
    const unsigned threads = isShort(plan) ? 1 : threadCount(plan);
    if (threads == 1 || !plan.options.races || !mayRaceAcrossBlocks(plan))
        return runParallel(plan, threads);
    const MemorySnapshot before(plan);
    LaunchOutcome outcome = runParallel(plan, threads);
    if (!outcome.racesAcrossBlocks)
        return outcome;
    before.restore();
    plan.grid.restart();
    if (plan.options.writer)
        plan.options.writer->restartLaunch(plan.launch.id);
    plan.startTime = outcome.endTime;
    return runParallel(plan, 1);
}

}  // namespace

struct LaunchBlocks::Impl {
    LaunchPlan& plan;
    std::unique_ptr<BlockQueue> talking;  ///< blocks that take turns
    LaunchOutcome outcome;                ///< of others, once they have ended
};

LaunchBlocks::LaunchBlocks(LaunchPlan& plan) : m_impl(new Impl{plan, nullptr, {}}) {}

LaunchBlocks::~LaunchBlocks() = default;

bool LaunchBlocks::goOn(device::Patience patience)
{
    LaunchPlan& plan = m_impl->plan;
    const bool isRecorded = plan.options.writer != nullptr;
    const unsigned threads = (blocksTalk(plan) ? 1 : threadCount(plan)) + (isRecorded ? 1 : 0);  // one writes
    prepareNative(plan.program, isRecorded, threads < hostProcessors());
    const SubnormalScope subnormals(flushesSubnormals(plan.program));
    plan.grid.setInOrder(blocksTalk(plan));
    if (!blocksTalk(plan)) {
        m_impl->outcome = runApart(plan);
        return true;
    }
    if (!m_impl->talking)
        m_impl->talking = std::make_unique<BlockQueue>(plan, 1);
    if (!m_impl->talking->workResident(patience))
        return false;
    m_impl->outcome = m_impl->talking->finish();
    return true;
}

bool LaunchBlocks::canGoOn() const
{
    return m_impl->talking && m_impl->talking->canGoOn();
}

std::optional<uint32_t> LaunchBlocks::startTime() const
{
    return m_impl->talking->startTime();
}

std::shared_ptr<SyncOrder> LaunchBlocks::order() const
{
    return m_impl->talking->order();
}

LaunchOutcome LaunchBlocks::takeOutcome()
{
    return std::move(m_impl->outcome);
}

}  // namespace lanescope::simt
