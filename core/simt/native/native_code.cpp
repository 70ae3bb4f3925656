// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/native_code.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/simt/native/code_key.h"
#include "core/simt/native/job_symbols.h"
#include "core/simt/native/kept_code.h"
#include "core/simt/native/native_job.h"
#include "core/simt/native/object_linker.h"

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
/// Where another processor has nothing else to do, so many times as soon.
constexpr uint64_t kSoonerBeside = 10;

/// Once: that it takes longer is all that there is to see of it.
void noteInterpreted(const char* why)
{
    static std::atomic<bool> isTold = false;
    if (!isTold.exchange(true))
        std::fprintf(stderr, "lanescope: note: kernels are interpreted: no machine code: %s\n", why);
}

/// What this function is in.
std::string ownFile()
{
    Dl_info self;
    return dladdr(reinterpret_cast<const void*>(&noteInterpreted), &self) && self.dli_fname ? self.dli_fname : "";
}

/// It lies beside what this function is in, or in lib beside its folder.
std::string libraryFile()
{
    const std::string own = ownFile();
    const std::string folder = own.substr(0, own.rfind('/') + 1);
    for (const char* place : {"", "../lib/"})
        if (std::string file = folder + place + "liblanescope_native.so"; access(file.c_str(), R_OK) == 0)
            return file;
    return {};
}

MakeCode findMaker()
{
    const std::string file = libraryFile();
    if (void* library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
        return reinterpret_cast<MakeCode>(dlsym(library, kMakeCodeSymbol));
#ifdef LS_MAKES_NATIVE  // else there is none
    const char* trouble = file.empty() ? "liblanescope_native.so is missing" : dlerror();
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

/// Which libraries make and run code, as far as files tell.
std::string buildsNow()
{
    std::string builds;
    for (const std::string& file : {ownFile(), libraryFile()}) {
        struct stat status{};
        if (stat(file.c_str(), &status) != 0)
            return {};
        builds += file + ' ' + std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + '.' +
                  std::to_string(status.st_mtim.tv_nsec) + '\n';
    }
    return builds;
}

/// Where code is kept; empty: nowhere.
std::string keptFolder()
{
    const auto environment = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty())
        return cache + "/lanescope/native/";
    const std::string home = environment("HOME");
    return home.empty() ? home : home + "/.cache/lanescope/native/";
}

/// Empty: it is not kept.
std::string keptFileOf(const NativeJob& job)
{
    // The maker may still ask when the process ends.
    static const std::string &builds = *new std::string(buildsNow()), &folder = *new std::string(keptFolder());
    return builds.empty() || folder.empty() ? std::string() : folder + keyOf(job, builds);
}

/// What is made of code \p i.
NativeJob jobOf(const Program& program, NativeJob::For what, size_t i)
{
    NativeState& native = program.native;
    const bool isRecorded = what == NativeJob::For::Recorded || what == NativeJob::For::RecordedParts;
    const std::vector<Instr>& code = program.code[i];
    return NativeJob{what,
                     &(isRecorded ? native.recordedParts : native.parts).executed,
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
                     {}};
}

MakeCode maker()
{
    static const MakeCode found = findMaker();
    return found;
}

/// Puts code in the place of the job's handlers. Empty, or why it is not there.
std::string place(const NativeJob& job, const MadeCode& made)
{
    const auto find = [&job](std::string_view name) -> std::optional<const void*> {
        if (const std::optional<const void*> ofJob = addressOf(job, name))
            return ofJob;
        const void* const ofProcess = dlsym(RTLD_DEFAULT, std::string(name).c_str());
        return ofProcess ? std::optional(ofProcess) : std::nullopt;
    };
    const auto visit = [&job](std::string_view name, const void* at) {
        if (const std::optional<size_t> begin = stretchOf(name); begin && *begin < job.count)
            placeHandler(job.code + *begin, reinterpret_cast<Handler>(reinterpret_cast<uintptr_t>(at)));
    };
    if (!made.object.empty())
        if (std::string trouble = linkObject(made.object, find, visit); !trouble.empty())
            return trouble;
    if (made.foresees && job.foresees)
        job.foresees->store(true, std::memory_order_release);
    return {};
}

/// What an earlier run has made, if that is all of it. False: some of it is to be made.
bool placeAllKept(const Program& program, NativeJob::For what)
{
    std::vector<std::pair<NativeJob, MadeCode>> all;
    for (size_t i = 0; i < program.code.size(); ++i) {
        const NativeJob job = jobOf(program, what, i);
        std::optional<MadeCode> kept = readKept(keptFileOf(job));
        if (!kept)
            return false;
        all.emplace_back(job, std::move(*kept));
    }
    return std::ranges::all_of(all, [](const auto& kept) { return place(kept.first, kept.second).empty(); });
}

/// \p file: where it is to be kept; empty: nowhere.
std::string makeAndPlace(const NativeJob& job, MakeCode make, const std::string& file)
{
    MadeCode made;
    if (const char* trouble = make(job, made))
        return trouble;
    if (made.mayBeKept && !file.empty())
        keep(file, made);
    return place(job, made);
}

void make(const Program& program, NativeJob::For what)
{
    for (size_t i = 0; i < program.code.size(); ++i) {
        const NativeJob job = jobOf(program, what, i);
        const std::string file = keptFileOf(job);
        if (const std::optional<MadeCode> kept = readKept(file); kept && place(job, *kept).empty())
            continue;
        const MakeCode make = maker();
        const std::string trouble = make ? makeAndPlace(job, make, file) : "nobody makes it";
        if (trouble.empty())
            continue;
        if (make)  // else that has been said
            noteInterpreted(trouble.c_str());
        // The others would fail likewise.
        NativeState& native = program.native;
        for (NativeState::Kind* kind : {&native.whole, &native.parts, &native.recorded, &native.recordedParts})
            kind->isMade = true;
        return;
    }
}

/// Makes code in a thread of its own, which is at it until the process ends: nobody waits for code that nobody will
/// run.
class Maker {
public:
    Maker()
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
            make(*program, what);
            lock.lock();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::pair<std::shared_ptr<const Program>, NativeJob::For>> m_wanted;
};

void request(const Program& program, NativeJob::For what)
{
    static Maker& thread = *new Maker;  // outlives all static objects
    thread.add(program.shared_from_this(), what);
}

}  // namespace

void prepareNative(const Program& program, bool isRecorded, bool leavesProcessors)
{
    if (mode() == Mode::Never)
        return;
    NativeState& native = program.native;
    native.leavesProcessors.store(leavesProcessors, std::memory_order_relaxed);
    std::call_once(native.begun, keepOwnHandlers, std::cref(program));
    const auto prepare = [&program](NativeState::Kind& kind, NativeJob::For what) {
        if (mode() == Mode::Always && !kind.isMade.exchange(true))
            make(program, what);
        // Who was hot before is so again. Placing takes less than a launch; what is damaged is made when it is hot.
        if (mode() == Mode::WhenHot && !kind.isAsked.exchange(true) && !kind.isMade && placeAllKept(program, what))
            kind.isMade = true;
    };
    // A launch is mostly recorded as a whole. What parts give way to is there first.
    prepare(isRecorded ? native.recorded : native.whole,
            isRecorded ? NativeJob::For::Recorded : NativeJob::For::WholeWarps);
    if ((isRecorded ? native.recorded : native.whole).isMade)
        prepare(isRecorded ? native.recordedParts : native.parts,
                isRecorded ? NativeJob::For::RecordedParts : NativeJob::For::Parts);
}

void noteExecuted(const Program& program, uint64_t instructions, bool isRecorded)
{
    if (mode() != Mode::WhenHot)
        return;
    NativeState& native = program.native;
    const bool isBeside = native.leavesProcessors.load(std::memory_order_relaxed);
    const uint64_t hot = kHot / (isBeside ? kSoonerBeside : 1) * program.instructionCount;
    const auto makeIfHot = [&](NativeState::Kind& kind, NativeJob::For what) {
        if (kind.executed.load(std::memory_order_relaxed) > hot && !kind.isMade.exchange(true))
            request(program, what);
    };
    NativeState::Kind& whole = isRecorded ? native.recorded : native.whole;
    whole.executed.fetch_add(instructions, std::memory_order_relaxed);
    makeIfHot(whole, isRecorded ? NativeJob::For::Recorded : NativeJob::For::WholeWarps);
    makeIfHot(isRecorded ? native.recordedParts : native.parts,
              isRecorded ? NativeJob::For::RecordedParts : NativeJob::For::Parts);
}

}  // namespace lanescope::simt
