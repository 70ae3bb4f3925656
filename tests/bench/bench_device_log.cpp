// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host does with a GPU's log: the records of a tiled matrix multiplication become the trace of their block.
// Prints ns of CPU time for each record of 32 lanes.
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <unistd.h>

#include <fmt/format.h>

#include "core/cuda/record.h"
#include "core/cuda/trace_blocks.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::cuda;
using lanescope::test::SyntheticMatmul;

namespace {

constexpr uint32_t kTile = 32, kWarps = 32, kTiles = 32, kBlocks = 16;
constexpr uint64_t kSharedA = 0x7f0000001000, kSharedB = 0x7f0000002000;
constexpr uint32_t kKeyA = device::ObjectKey::kShared | 1, kKeyB = device::ObjectKey::kShared | 2;

/// The records of one warp, as they lie in its pages.
class WarpLog {
public:
    explicit WarpLog(uint32_t warp) : m_warp(warp) {}

    void object(uint32_t key, uint64_t address)
    {
        const uint64_t pair[2] = {address, 0};
        append(RecordKind::Object, key, formsOf(Form::Affine, Form::None), 0, pair, sizeof pair);
    }
    void access(uint32_t site, uint64_t base, uint64_t stride, const float* values, bool uniform)
    {
        std::array<std::byte, 16 + 128> body{};
        const uint64_t pair[2] = {base, stride};
        std::memcpy(body.data(), pair, sizeof pair);
        std::memcpy(body.data() + 16, values, uniform ? 4 : 128);
        append(RecordKind::Access, device::PlaceNumber::of(site, 0).value,
               formsOf(Form::Affine, uniform ? Form::Uniform : Form::Each), 4, body.data(), uniform ? 32 : body.size());
    }
    void mark(uint32_t site) { append(RecordKind::Mark, device::PlaceNumber::of(site, 0).value, 0, 0, nullptr, 0); }

    [[nodiscard]] uint64_t records() const { return m_records; }
    /// Hands over what fits in a page; false at the end.
    bool takePage(BlockLogs& logs, uint32_t block, size_t& at)
    {
        for (const size_t end = at + 8192; at < m_bytes.size() && at + 192 <= end;) {
            auto& header = *reinterpret_cast<RecordHeader*>(m_bytes.data() + at);
            header.block = block;
            logs.take(header);
            at += header.units * kUnitBytes;
        }
        return at < m_bytes.size();
    }

private:
    void append(RecordKind kind, uint32_t place, uint8_t forms, uint8_t valueBytes, const void* body, size_t bytes)
    {
        RecordHeader header{};
        header.units = static_cast<uint8_t>(kHeaderUnits + unitsOf(static_cast<uint32_t>(bytes)));
        header.kind = kind;
        header.forms = forms;
        header.valueBytes = valueBytes;
        header.place = place;
        header.mask = UINT32_MAX;
        header.clock = 1000 * m_records++ + m_warp * 31;
        header.warp = static_cast<uint16_t>(m_warp);
        const auto* raw = reinterpret_cast<const std::byte*>(&header);
        m_bytes.insert(m_bytes.end(), raw, raw + sizeof header);
        const auto* content = static_cast<const std::byte*>(body);
        m_bytes.insert(m_bytes.end(), content, content + bytes);
        m_bytes.resize((m_bytes.size() + kUnitBytes - 1) / kUnitBytes * kUnitBytes);
    }

    uint32_t m_warp;
    uint64_t m_records = 0;
    std::vector<std::byte> m_bytes;
};

/// A block: each tile's numbers are other ones.
std::vector<WarpLog> matmulLog()
{
    std::vector<WarpLog> warps;
    std::mt19937 random(1);
    for (uint32_t warp = 0; warp < kWarps; ++warp) {
        WarpLog& log = warps.emplace_back(warp);
        log.object(kKeyA, kSharedA);
        log.object(kKeyB, kSharedB);
    }
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        std::array<float, kTile * kTile> a{}, b{};
        for (auto* cells : {&a, &b})
            for (float& cell : *cells)
                cell = static_cast<float>(random() % 1000) / 7.0f;
        for (uint32_t warp = 0; warp < kWarps; ++warp) {
            WarpLog& log = warps[warp];
            log.access(SyntheticMatmul::AtStoreA, kSharedA + warp * 128, 4, a.data() + warp * kTile, false);
            log.access(SyntheticMatmul::AtStoreB, kSharedB + warp * 128, 4, b.data() + warp * kTile, false);
            log.mark(SyntheticMatmul::AtBarrierIn);
            for (uint32_t k = 0; k < kTile; ++k) {
                log.access(SyntheticMatmul::AtLoadSharedA, kSharedA + warp * 128 + 4 * k, 0,
                           a.data() + warp * kTile + k, true);
                log.access(SyntheticMatmul::AtLoadSharedB, kSharedB + 128 * k, 4, b.data() + k * kTile, false);
            }
            log.mark(SyntheticMatmul::AtBarrierOut);
        }
    }
    for (WarpLog& log : warps)
        log.mark(SyntheticMatmul::AtExit);
    return warps;
}

double cpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

int main()
{
    const std::string path =
        std::filesystem::temp_directory_path() / fmt::format("bench_device_log.{}.lanes", getpid());
    auto writer = trace::TraceWriter::create(path, test::syntheticSession(), {});
    if (!writer)
        return 1;
    SyntheticMatmul matmul(*writer.value(), {.size = kTile * kTiles, .tile = kTile});
    matmul.declare();
    matmul.beginLaunch(LaunchId{0});

    std::vector<trace::Site> sites(SyntheticMatmul::AtCount);
    std::vector<device::SitePlace> places;
    for (uint32_t i = 0; i < sites.size(); ++i) {
        sites[i].id = SiteId{i};
        sites[i].kind = i == SyntheticMatmul::AtExit                                       ? trace::SiteKind::Exit
                        : i == SyntheticMatmul::AtStoreA || i == SyntheticMatmul::AtStoreB ? trace::SiteKind::Store
                        : i == SyntheticMatmul::AtBarrierIn || i == SyntheticMatmul::AtBarrierOut
                            ? trace::SiteKind::Barrier
                            : trace::SiteKind::Load;
        sites[i].space = trace::Space::Shared;
        sites[i].type = {trace::ScalarKind::Float, 4, 1, "float"};
        places.push_back({device::PlaceNumber::of(i, 0), SiteId{i}});
    }
    const device::DeviceObject objects[] = {{{kKeyA}, SyntheticMatmul::sharedA(LaunchId{0}), kTile * kTile * 4},
                                            {{kKeyB}, SyntheticMatmul::sharedB(LaunchId{0}), kTile * kTile * 4}};
    device::DeviceLaunch launch;
    launch.grid = Dim3{kBlocks, 1, 1};
    launch.block = Dim3{kTile, kWarps, 1};
    launch.places = places;
    launch.sites = sites;
    launch.objects = objects;
    launch.writer = writer.value().get();
    const device::DeviceMemory memory(1 << 20);
    const LaunchTables tables(launch, memory);

    std::vector<WarpLog> log = matmulLog();
    uint64_t records = 0;
    const double begin = cpuSeconds();
    const TraceBlocks blocks(tables);
    BlockLogs logs(blocks);
    for (uint32_t block = 0; block < kBlocks; ++block) {
        std::array<size_t, kWarps> at{};
        for (bool any = true; any;) {
            any = false;
            for (uint32_t warp = 0; warp < kWarps; ++warp)
                any |= log[warp].takePage(logs, block, at[warp]);
        }
    }
    const double taken = cpuSeconds() - begin;
    logs.finish();
    matmul.endLaunch(LaunchId{0});
    const Result<void> done = writer.value()->finish(trace::ProgramEnd::exited(0), {});
    for (const WarpLog& warp : log)
        records += warp.records() * kBlocks;
    const double all = cpuSeconds() - begin;
    fmt::print(
        "log of a GPU: {:.0f} ns a record, {:.0f} with the file's compression; {} records, {:.2f} bytes each{}\n",
        1e9 * taken / static_cast<double>(records), 1e9 * all / static_cast<double>(records), records,
        static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(records),
        done.ok() ? "" : ", failed");
    std::filesystem::remove(path);
}
