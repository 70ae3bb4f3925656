// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cost of recording and of replaying a tiled matrix multiplication: bench_recorder [FOLDER [record|replay]]. Prints ns
// per event, bytes per lane access, and the time of seeks. The inputs are made beforehand, so that only recording is
// timed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <vector>

#include <ctime>

#include <fmt/format.h>

#include "core/replay/replay.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using lanescope::test::SyntheticMatmul;

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kTile = 16;
constexpr uint32_t kWarps = kTile * kTile / 32;
constexpr uint32_t kTiles = 64;
constexpr uint32_t kBlocks = 64;

double seconds(Clock::time_point since)
{
    return std::chrono::duration<double>(Clock::now() - since).count();
}

/// CPU time, which other work on the machine does not change much.
double cpuSeconds(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Running sums of one block, as the variable `acc` takes them: noisy in every lane.
std::vector<float> noisySums()
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> factor(-1, 1);
    std::vector<float> sums(size_t{kTiles} * kTile * kWarps * 32);
    for (size_t i = 0; i < sums.size(); ++i)
        sums[i] = (i < kWarps * 32 ? 0 : sums[i - kWarps * 32]) + factor(random) * factor(random);
    return sums;
}

struct Offsets {
    uint32_t a[kTile][kWarps][32];
    uint32_t b[kTile][kWarps][32];
    uint32_t own[kWarps][32];
};

Offsets makeOffsets()
{
    Offsets o;
    for (uint32_t k = 0; k < kTile; ++k)
        for (uint32_t t = 0; t < kWarps * 32; ++t) {
            o.a[k][t / 32][t % 32] = 4 * (t / kTile * kTile + k);
            o.b[k][t / 32][t % 32] = 4 * (k * kTile + t % kTile);
            o.own[t / 32][t % 32] = 4 * t;
        }
    return o;
}

void recordBlock(trace::BlockRecorder& r, const Offsets& o, const std::vector<float>& sums, bool variables)
{
    constexpr LaneMask kAll = 0xffffffff;
    const BufferId a = SyntheticMatmul::sharedA(LaunchId{0});
    const BufferId b = SyntheticMatmul::sharedB(LaunchId{0});
    const float* sum = sums.data();
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        for (uint16_t w = 0; w < kWarps; ++w)
            r.access(SiteId{SyntheticMatmul::AtStoreA}, w, kAll, a, o.own[w], sum + 32 * w, 4, 4);
        for (uint16_t w = 0; w < kWarps; ++w)
            r.access(SiteId{SyntheticMatmul::AtStoreB}, w, kAll, b, o.own[w], sum + 32 * w, 4, 4);
        for (uint16_t w = 0; w < kWarps; ++w)
            r.barrier(SiteId{SyntheticMatmul::AtBarrierIn}, w, kAll);
        for (uint32_t k = 0; k < kTile; ++k) {
            for (uint16_t w = 0; w < kWarps; ++w)
                r.branch(SiteId{SyntheticMatmul::AtKBranch}, w, kAll, kAll);
            for (uint16_t w = 0; w < kWarps; ++w)
                r.access(SiteId{SyntheticMatmul::AtLoadSharedA}, w, kAll, a, o.a[k][w], nullptr, 4, 4);
            for (uint16_t w = 0; w < kWarps; ++w)
                r.access(SiteId{SyntheticMatmul::AtLoadSharedB}, w, kAll, b, o.b[k][w], nullptr, 4, 4);
            if (variables) {
                for (uint16_t w = 0; w < kWarps; ++w)
                    r.variableWrite(SiteId{SyntheticMatmul::AtAcc}, w, kAll, sum + 32 * w, 4, 4);
                const auto next = static_cast<int32_t>(k + 1);
                for (uint16_t w = 0; w < kWarps; ++w)
                    r.variableWriteUniform(SiteId{SyntheticMatmul::AtKNext}, w, kAll, &next, 4);
            }
            sum += kWarps * 32;
        }
        for (uint16_t w = 0; w < kWarps; ++w)
            r.branch(SiteId{SyntheticMatmul::AtKBranch}, w, kAll, 0);
    }
}

void benchRecording(const std::string& path, bool variables)
{
    const Offsets offsets = makeOffsets();
    const std::vector<float> sums = noisySums();
    auto writer = trace::TraceWriter::create(path, test::syntheticSession(), {});
    if (!writer.ok())
        return;
    SyntheticMatmul matmul(*writer.value(), {.size = 256, .tile = kTile});
    matmul.declare();
    matmul.beginLaunch(LaunchId{0});
    uint64_t events = 0;
    double hot = 0;
    const double process = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    const auto start = Clock::now();
    for (uint64_t block = 0; block < kBlocks; ++block) {
        auto recorder = writer.value()->beginBlock(LaunchId{0}, BlockIndex{block});
        const double begin = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
        recordBlock(*recorder, offsets, sums, variables);
        events += recorder->steps();
        writer.value()->endBlock(std::move(recorder));
        hot += cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - begin;
    }
    matmul.endLaunch(LaunchId{0});
    const Result<void> done = writer.value()->finish(trace::ProgramEnd::exited(0), {});
    const double all = seconds(start);
    const double allCpu = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - process;
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    const double laneAccesses = double{kBlocks} * kTiles * (2 + 2 * kTile) * kWarps * 32;
    fmt::print(
        "record {} variables: per event {:.1f} ns CPU of the recording thread, {:.1f} ns of all threads, {:.1f} ns "
        "elapsed until the file is closed; "
        "{:.2f} bytes/event, {:.3f} bytes/lane access; {} events{}\n",
        variables ? "with" : "without", 1e9 * hot / static_cast<double>(events),
        1e9 * allCpu / static_cast<double>(events), 1e9 * all / static_cast<double>(events),
        bytes / static_cast<double>(events), bytes / laneAccesses, events, done.ok() ? "" : ", failed");
}

double percentile(std::vector<double> times, double p)
{
    std::sort(times.begin(), times.end());
    return times[static_cast<size_t>(p * static_cast<double>(times.size() - 1))];
}

void benchReplay(const std::string& path)
{
    const auto writing = Clock::now();
    if (!test::writeSyntheticTrace(path, {.size = 256, .tile = 16}).ok())
        return;
    fmt::print("256^3 matmul: written in {:.2f} s, {} bytes\n", seconds(writing), std::filesystem::file_size(path));
    const auto opening = Clock::now();
    auto session = replay::Session::open(path);
    if (!session.ok())
        return;
    fmt::print("open: {:.2f} ms\n", 1e3 * seconds(opening));
    const auto first = Clock::now();
    auto cursor = session.value()->cursor(LaunchId{0}, BlockIndex{136});
    fmt::print("cursor: {:.2f} ms\n", 1e3 * seconds(first));
    const auto shapes = Clock::now();
    static_cast<void>(session.value()->buffersOf(LaunchId{0}));
    fmt::print("buffersOf: {:.2f} ms\n", 1e3 * seconds(shapes));
    const auto summing = Clock::now();
    static_cast<void>(cursor.value()->summary());
    fmt::print("summary of {} steps: {:.2f} ms\n", cursor.value()->stepCount(), 1e3 * seconds(summing));
    std::mt19937_64 random(7);
    const auto look = [&](const char* what, const std::function<Result<void>()>& move) {
        std::vector<double> times;
        for (int i = 0; i < 400; ++i) {
            const auto start = Clock::now();
            if (!move().ok())
                break;
            for (const BufferId b : {BufferId{0}, BufferId{1}, BufferId{2}, BufferId{3}, BufferId{4}})
                static_cast<void>(cursor.value()->buffer(b));
            static_cast<void>(cursor.value()->warp(3));
            static_cast<void>(cursor.value()->event(std::min(cursor.value()->step(), cursor.value()->stepCount() - 1)));
            times.push_back(1e3 * seconds(start));
        }
        if (!times.empty())
            fmt::print("{}: first {:.2f} ms, p50 {:.3f} ms, p95 {:.3f} ms, worst {:.2f} ms\n", what, times[0],
                       percentile(times, 0.5), percentile(times, 0.95), percentile(times, 1));
    };
    look("random seek", [&] { return cursor.value()->seek(random() % (cursor.value()->stepCount() + 1)); });
    static_cast<void>(cursor.value()->seek(0));
    look("step forward", [&] { return cursor.value()->stepForward(); });
    look("step backward", [&] { return cursor.value()->stepBackward(); });
    look("random block and seek", [&]() -> Result<void> {
        cursor = session.value()->cursor(LaunchId{0}, BlockIndex{random() % 256});
        return cursor.value()->seek(random() % (cursor.value()->stepCount() + 1));
    });
}

}  // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
    const std::string path = (folder / "bench_recorder.lanes").string();
    const std::string part = argc > 2 ? argv[2] : "";
    for (int round = 0; round < 2 && part != "replay"; ++round)
        for (const bool variables : {false, true})
            benchRecording(path, variables);
    if (part != "record")
        benchReplay(path);
    std::filesystem::remove(path);
    return 0;
}
