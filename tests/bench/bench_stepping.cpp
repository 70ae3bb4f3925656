// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stepping through the trace of a 256^3 tiled matmul: 1,000 random seeks, 1,000 steps forwards and 1,000 backwards,
// each with what a view asks for afterwards: the event, the buffers, the variables of one warp.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/replay/replay.h"

using namespace lanescope;

namespace {

constexpr int kCount = 1000;
constexpr double kWantedMilliseconds = 16;

double millisecondsOf(auto&& work)
{
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void require(const auto& result)
{
    if (result)
        return;
    fmt::print(stderr, "bench_stepping: error: {}\n", result.error().text());
    std::exit(1);
}

/// Reads what the window shows at a step; returns something, so that no work is left out.
uint64_t look(replay::Session& session, replay::BlockCursor& cursor, const std::vector<trace::Buffer>& buffers)
{
    uint64_t sum = 0;
    if (cursor.step() > 0) {
        auto event = cursor.event(cursor.step() - 1);
        require(event);
        sum += event.value().offset[0];
    }
    for (const trace::Buffer& buffer : buffers)
        if (buffer.space != trace::Space::Local)
            sum += static_cast<uint64_t>(cursor.buffer(buffer.id).bytes[0]);
    for (const trace::Variable& variable : session.catalog().variables)
        sum += cursor.variable(variable.id, 0).written;
    return sum + cursor.warp(0).active;
}

void print(const char* what, std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    fmt::print("{:<15} median {:.3f} ms, p95 {:.3f} ms, longest {:.1f} ms (wanted: p95 at most {} ms)\n", what,
               times[times.size() / 2], times[times.size() * 95 / 100], times.back(), kWantedMilliseconds);
}

}  // namespace

int main()
{
    std::string trace = fmt::format("/tmp/lanescope-bench-{}.lanes", getpid());
    std::string record = fmt::format("{} record {}/tests/bench/programs/matmul_tiled.cu -o {} -- 256 >/dev/null 2>&1",
                                     LANESCOPE_EXE, SOURCE_DIR, trace);
    if (std::system(record.c_str()) != 0) {
        fmt::print(stderr, "bench_stepping: error: this failed: {}\n", record);
        return 1;
    }
    std::unique_ptr<replay::Session> session;
    std::unique_ptr<replay::BlockCursor> cursor;
    std::vector<trace::Buffer> buffers;
    double opening = millisecondsOf([&] {
        auto opened = replay::Session::open(trace);
        require(opened);
        session = std::move(opened).value();
        auto block = session->cursor(LaunchId{0}, BlockIndex{100});
        require(block);
        cursor = std::move(block).value();
        auto known = session->buffersOf(LaunchId{0});
        require(known);
        buffers = known.value();
        look(*session, *cursor, buffers);
    });
    fmt::print("256^3 tiled matmul, {} steps in the block; opening and first state {:.1f} ms\n", cursor->stepCount(),
               opening);

    std::mt19937_64 random(1);
    uint64_t sum = 0;
    std::vector<double> seeks, forwards, backwards;
    for (int i = 0; i < kCount; ++i) {
        StepIndex target = random() % cursor->stepCount();
        seeks.push_back(millisecondsOf([&] {
            require(cursor->seek(target));
            sum += look(*session, *cursor, buffers);
        }));
    }
    require(cursor->seek(cursor->stepCount() / 2));
    for (int i = 0; i < kCount; ++i)
        forwards.push_back(millisecondsOf([&] {
            require(cursor->stepForward());
            sum += look(*session, *cursor, buffers);
        }));
    for (int i = 0; i < kCount; ++i)
        backwards.push_back(millisecondsOf([&] {
            require(cursor->stepBackward());
            sum += look(*session, *cursor, buffers);
        }));
    print("random seeks", seeks);
    print("steps forwards", forwards);
    print("steps backwards", backwards);
    std::remove(trace.c_str());
    return sum == 0;
}
