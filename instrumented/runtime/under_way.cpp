// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/under_way.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/callbacks.h"
#include "instrumented/runtime/kernel_run.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/waker.h"

namespace lanescope::runtime {

namespace {

struct Item {
    WaitedWork waited;
    Work work;
    cudaStream_t stream = nullptr;
    uint32_t device = 0;  ///< that was current
    HostFrames frames;    ///< of the call that submitted it
    uint32_t raceTime = 0;
    std::unique_ptr<KernelRun> run;  ///< null: it has not begun
    bool hasPlace = false;           ///< else nothing else was under way when it was submitted
    Covers meanwhile;                ///< work that has ended since it was first paused

    /// What is freed waits for all that may use it, and nobody waits for that.
    [[nodiscard]] bool frees() const { return std::holds_alternative<ReleaseWork>(work); }
};

struct State {
    std::list<Item> items;  ///< in the order of submission
    const Item* current = nullptr;
    std::map<LaunchId, WorkPlace> launches;  ///< of this group
    std::vector<LaunchId> begun;             ///< by the current work
    bool goesOn = false;
};

State& state()
{
    static auto* const all = new State;
    return *all;
}

/// While work is performed: it is what the launches are of, and its call and device are the current ones.
class ItemScope {
public:
    explicit ItemScope(const Item& item) : m_before(std::exchange(state().current, &item)), m_device(item.device)
    {
        state().begun.clear();
        if (item.hasPlace)
            m_frames.emplace(item.frames);
    }
    ~ItemScope() { state().current = m_before; }
    ItemScope(const ItemScope&) = delete;
    ItemScope& operator=(const ItemScope&) = delete;

private:
    const Item* m_before;
    DeviceScope m_device;
    std::optional<CallPlaceScope> m_frames;
};

bool waitsFor(const Item& item, const Item& earlier)
{
    if (item.frees())
        return !earlier.frees();
    return !earlier.frees() && item.waited.place.isBehind(earlier.waited.place);
}

bool mustWait(const Item& item)
{
    for (const Item& earlier : state().items) {
        if (&earlier == &item)
            return false;
        if (waitsFor(item, earlier))
            return true;
    }
    return false;
}

void keepPlace(Item& item)
{
    item.waited.place = takePlace(item.stream, item.work);
    item.frames = callFrames();
    item.hasPlace = true;
}

/// Its launches are known by its place.
void placeLaunches(const Item& item)
{
    for (const LaunchId launch : state().begun)
        state().launches[launch] = item.waited.place;
    state().begun.clear();
}

/// Performs what has not begun, or goes on. False: it is paused.
bool advance(Runtime& runtime, Item& item, device::Patience patience, cudaError_t& error)
{
    const ItemScope scope(item);
    const auto* kernel = std::get_if<KernelWork>(&item.work);
    if (!kernel || runtime.options().useGpu) {
        error = perform(runtime, item.stream, item.work);
    } else {
        if (!item.run)
            item.run = std::make_unique<KernelRun>(runtime, *kernel);
        if (!item.run->goOn(patience)) {
            if (!item.hasPlace)
                keepPlace(item);
            placeLaunches(item);
            return false;
        }
        error = item.run->error();
    }
    if (item.hasPlace)
        placeLaunches(item);
    if (error == cudaSuccess && !runtime.stopped())
        noteWork(runtime, item.stream, item.work, item.raceTime, item.hasPlace ? &item.waited.place : nullptr);
    return true;
}

/// Of work that nobody waits for by its call: what goes wrong shows at the next one.
bool advanceKept(Item& item, device::Patience patience)
{
    Runtime& runtime = Runtime::instance();
    if (!item.run)
        item.raceTime = runtime.races().time();
    cudaError_t error = cudaSuccess;
    const bool hasEnded = advance(runtime, item, patience, error);
    if (error != cudaSuccess)
        runtime.fail(error);
    return hasEnded;
}

/// Its end may be due to what ended while it was paused, and so what is behind it comes behind that. For others that
/// are paused it has ended meanwhile.
void noteEnd(const Item& ended)
{
    const WorkPlace& place = ended.waited.place;
    if (!ended.meanwhile.empty())
        addBehind(place, ended.meanwhile);
    for (Item& item : state().items) {
        if (&item == &ended)
            continue;
        if (!ended.meanwhile.empty() && item.waited.place.isBehind(place))
            for (const auto& [stream, number] : ended.meanwhile)
                item.waited.place.known[stream] = std::max(item.waited.place.known[stream], number);
        if (item.run)
            item.meanwhile[place.stream] = place.number;
    }
}

void remove(std::list<Item>::iterator item)
{
    if (item->hasPlace)
        noteEnd(*item);
    state().items.erase(item);
    if (!state().items.empty())
        return;
    state().launches.clear();
    g_isAnyUnderWay = false;
}

/// Marks that work goes on: what it calls of the runtime does not go on with work in its turn.
class GoingOn {
public:
    GoingOn() : m_before(std::exchange(state().goesOn, true)) {}
    ~GoingOn() { state().goesOn = m_before; }
    GoingOn(const GoingOn&) = delete;
    GoingOn& operator=(const GoingOn&) = delete;

private:
    bool m_before;
};

/// Lets all that can go on do so once, with \p patience where that is more than what is polled having been changed.
/// False: nothing could.
bool goOnOnce(device::Patience patience)
{
    const GoingOn going;
    bool progressed = false;
    for (auto item = state().items.begin(); item != state().items.end();) {
        const auto next = std::next(item);
        const bool can =
            item->run ? patience == device::Patience::LetLanesGo || item->run->canGoOn() : !mustWait(*item);
        if (can) {
            const bool hasEnded = advanceKept(*item, patience);
            progressed |= hasEnded || patience == device::Patience::Pause;
            if (hasEnded)
                remove(item);
        }
        item = next;
    }
    return progressed || canAnyGoOn();
}

using Clock = std::chrono::steady_clock;

/// A host thread that has called the runtime.
struct CallingThread {
    CallingThread() { ++count; }
    ~CallingThread() { --count; }
    CallingThread(const CallingThread&) = delete;
    CallingThread& operator=(const CallingThread&) = delete;
    static inline std::atomic<int> count = 0;
};

/// How long a thread whose kernels cannot go on waits for others of the host to submit what they wait for.
constexpr std::chrono::seconds kPatienceWithThreads{5};
constexpr std::chrono::milliseconds kBetweenLooks{1};

/// False: there are no others, or they have done nothing for too long.
bool letOtherThreadsCall(std::optional<Clock::time_point>& stuckSince)
{
    if (CallingThread::count <= 1)
        return false;
    if (!stuckSince)
        stuckSince = Clock::now();
    if (Clock::now() - *stuckSince > kPatienceWithThreads)
        return false;
    const OutsideRuntime outside;
    std::this_thread::sleep_for(kBetweenLooks);
    return true;
}

/// The first kernel that is paused, of those that are meant or else of all, hangs.
void tellHang(const std::function<bool(const WaitedWork&)>& isMeant)
{
    const GoingOn going;
    auto& items = state().items;
    const auto isPaused = [](const Item& item) { return item.run != nullptr; };
    auto item = std::ranges::find_if(items, [&](const Item& i) { return isPaused(i) && isMeant(i.waited); });
    if (item == items.end())
        item = std::ranges::find_if(items, isPaused);
    if (item != items.end() && advanceKept(*item, device::Patience::Stop))
        remove(item);
}

}  // namespace

cudaError_t performOrKeep(Runtime& runtime, cudaStream_t stream, Work work)
{
    Item item;
    item.waited.device = streamOf(stream).device;
    item.device = currentDevice();
    item.work = std::move(work);
    item.stream = stream;
    item.raceTime = runtime.races().time();
    const bool isBeside = isAnyUnderWay();
    if (isBeside)
        keepPlace(item);
    cudaError_t error = cudaSuccess;
    state().items.push_back(std::move(item));
    const auto kept = std::prev(state().items.end());
    const bool hasEnded = !(isBeside && mustWait(*kept)) && [&] {
        const GoingOn going;
        return advance(runtime, *kept, device::Patience::Pause, error);
    }();
    if (!hasEnded) {
        g_isAnyUnderWay = true;
        startWaker();
        // Memory that the device cannot reach is copied while the host waits.
        if (const auto* copy = std::get_if<CopyWork>(&kept->work); copy && holdsHostUp(runtime, *copy))
            waitForUnderWay(
                [number = kept->waited.place.number](const WaitedWork& w) { return w.place.number == number; });
        return runtime.stickyError();
    }
    remove(kept);
    if (isBeside)
        goOnWithWork();
    return error;
}

bool canAnyGoOn()
{
    return std::ranges::any_of(state().items, [](const Item& item) { return item.run && item.run->canGoOn(); });
}

void goOnWithWork()
{
    static const thread_local CallingThread thisThread;
    if (!isAnyUnderWay() || state().goesOn)
        return;
    while (goOnOnce(device::Patience::Pause)) {
    }
}

bool hasEnded(const Covers& known)
{
    return std::ranges::none_of(
        state().items, [&](const Item& item) { return !item.frees() && WorkPlace::isIn(item.waited.place, known); });
}

void waitForUnderWay(const std::function<bool(const WaitedWork&)>& isMeant)
{
    if (!isAnyUnderWay() || state().goesOn)
        return;
    const auto isWaitedFor = [&](const Item& item) { return !item.frees() && isMeant(item.waited); };
    std::optional<Clock::time_point> stuckSince;
    while (std::ranges::any_of(state().items, isWaitedFor)) {
        if (goOnOnce(device::Patience::Pause)) {
            stuckSince.reset();
            continue;
        }
        // Functions of the host may change what is polled, too.
        waitForCallbacks();
        if (goOnOnce(device::Patience::Pause) || letOtherThreadsCall(stuckSince))
            continue;
        if (!goOnOnce(device::Patience::LetLanesGo))
            tellHang(isMeant);
    }
    goOnWithWork();
}

void waitForUnderWay(const Covers& known)
{
    waitForUnderWay([&](const WaitedWork& work) { return WorkPlace::isIn(work.place, known); });
}

void waitForAllUnderWay()
{
    waitForUnderWay([](const WaitedWork&) { return true; });
}

void noteLaunch(LaunchId launch)
{
    state().begun.push_back(launch);
}

bool isBehind(LaunchId launch)
{
    const auto found = state().launches.find(launch);
    const Item* const item = state().current;
    if (found == state().launches.end() || !item)
        return true;  // of the work itself
    return item->waited.place.isBehind(found->second) || item->waited.place.number == found->second.number;
}

}  // namespace lanescope::runtime
