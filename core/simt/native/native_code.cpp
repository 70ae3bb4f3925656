// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/native_code.h"

#include <dlfcn.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/simt/native/native_job.h"

namespace lanescope::simt {
namespace {

enum class Mode : uint8_t { Never, WhenHot, Always };

Mode modeNow()
{
    const char* wish = std::getenv("LANESCOPE_NATIVE");
    const std::string_view name = wish ? wish : "";
    return name == "0" ? Mode::Never : name == "always" ? Mode::Always : Mode::WhenHot;
}

Mode mode()
{
    static const Mode chosen = modeNow();
    return chosen;
}

/// Warp instructions that a program has run, for each of its code, when it is hot: interpreting them takes some ten
/// times as long as making machine code, a millisecond for each instruction of the code.
constexpr uint64_t kHot = 2'000'000;

/// Once: that it takes longer is all that there is to see of it.
void noteInterpreted(const char* why)
{
    static std::atomic<bool> isTold = false;
    if (!isTold.exchange(true))
        std::fprintf(stderr, "lanescope: note: kernels are interpreted: no machine code: %s\n", why);
}

/// The library lies beside what this function is in, or in lib beside its folder.
MakeCode findMaker()
{
    Dl_info self;
    if (!dladdr(reinterpret_cast<const void*>(&findMaker), &self) || !self.dli_fname)
        return nullptr;
    const std::string path = self.dli_fname;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    for (const char* place : {"", "../lib/"})
        if (void* library = dlopen((folder + place + "liblanescope_native.so").c_str(), RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<MakeCode>(dlsym(library, kMakeCodeSymbol));
#ifdef LS_MAKES_NATIVE  // else there is none
    const char* trouble = dlerror();
    noteInterpreted(trouble ? trouble : "liblanescope_native.so cannot be loaded");
#endif
    return nullptr;
}

/// Other host threads may be running the code.
void placeHandler(const Instr* instr, Handler handler)
{
    __atomic_store_n(&const_cast<Instr*>(instr)->run, handler, __ATOMIC_RELEASE);
}

void keepOwnHandlers(const Program& program)
{
    for (const std::vector<Instr>& code : program.code) {
        std::vector<Handler>& own = program.native.own.emplace_back();
        for (const Instr& instr : code)
            own.push_back(instr.run);
    }
}

void make(const Program& program, NativeJob::For what, MakeCode maker)
{
    NativeState& native = program.native;
    const bool isRecorded = what == NativeJob::For::Recorded || what == NativeJob::For::RecordedParts;
    if (native.own.empty())
        keepOwnHandlers(program);
    for (size_t i = 0; i < program.code.size(); ++i) {
        const std::vector<Instr>& code = program.code[i];
        if (const char* trouble =
                maker({what,
                       isRecorded ? &native.recordedPartly : &native.partlyExecuted,
                       &bestHandlers(),
                       code.data(),
                       native.own[i].data(),
                       code.size(),
                       program.spanOf(program.entry).begin == code.data() ? program.entry : nullptr,
                       program.registerBytes,
                       program.scalars,
                       program.constantScalars,
                       program.patterns,
                       program.wholeRows,
                       // Who is recorded goes step by step with the others.
                       !isRecorded && (program.warpsAreApart || program.warpsMeetAtBarriers),
                       program.wideRegisters,
                       what == NativeJob::For::WholeWarps && program.foreseen ? &native.foresees : nullptr,
                       {}},
                      placeHandler)) {
            noteInterpreted(trouble);
            // Which would fail likewise.
            native.isMade = native.arePartsMade = native.isRecordedMade = native.areRecordedPartsMade = true;
            return;
        }
    }
}

/// Makes code in a thread of its own, which is at it until the process ends: nobody waits for code that nobody will
/// run.
class Maker {
public:
    explicit Maker(MakeCode maker) : m_maker(maker)
    {
        std::thread([this] { work(); }).detach();
    }
    ~Maker() = delete;
    Maker(const Maker&) = delete;
    Maker& operator=(const Maker&) = delete;

    void add(std::shared_ptr<const Program> program, NativeJob::For what)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_wanted.emplace_back(std::move(program), what);
        }
        m_wake.notify_one();
    }

private:
    [[noreturn]] void work()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_wake.wait(lock, [this] { return !m_wanted.empty(); });
            const auto [program, what] = std::move(m_wanted.front());
            m_wanted.pop_front();
            lock.unlock();
            make(*program, what, m_maker);
            lock.lock();
        }
    }

    MakeCode m_maker;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::pair<std::shared_ptr<const Program>, NativeJob::For>> m_wanted;
};

MakeCode maker()
{
    static const MakeCode found = findMaker();
    return found;
}

void request(const Program& program, NativeJob::For what)
{
    if (!maker())
        return;
    static Maker& thread = *new Maker(maker());  // outlives all static objects
    thread.add(program.shared_from_this(), what);
}

}  // namespace

void prepareNative(const Program& program, bool isRecorded)
{
    if (mode() != Mode::Always || !maker())
        return;
    NativeState& native = program.native;
    const auto prepare = [&](std::atomic<bool>& isMade, NativeJob::For what) {
        if (!isMade.exchange(true))
            make(program, what, maker());
    };
    // A launch is mostly recorded as a whole.
    if (isRecorded) {
        prepare(native.isRecordedMade, NativeJob::For::Recorded);
        prepare(native.areRecordedPartsMade, NativeJob::For::RecordedParts);
    } else {
        prepare(native.isMade, NativeJob::For::WholeWarps);
        prepare(native.arePartsMade, NativeJob::For::Parts);
    }
}

void noteExecuted(const Program& program, uint64_t instructions, bool isRecorded)
{
    if (mode() != Mode::WhenHot)
        return;
    NativeState& native = program.native;
    const uint64_t hot = kHot * program.instructionCount;
    if (isRecorded) {
        if (native.recorded.fetch_add(instructions, std::memory_order_relaxed) > hot &&
            !native.isRecordedMade.exchange(true))
            request(program, NativeJob::For::Recorded);
        if (native.recordedPartly.load(std::memory_order_relaxed) > hot && !native.areRecordedPartsMade.exchange(true))
            request(program, NativeJob::For::RecordedParts);
        return;
    }
    if (native.executed.fetch_add(instructions, std::memory_order_relaxed) > hot && !native.isMade.exchange(true))
        request(program, NativeJob::For::WholeWarps);
    if (native.partlyExecuted.load(std::memory_order_relaxed) > hot && !native.arePartsMade.exchange(true))
        request(program, NativeJob::For::Parts);
}

}  // namespace lanescope::simt
