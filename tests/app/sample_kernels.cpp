// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/sample_kernels.h"

#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/synthetic_trace.h"

namespace lanescope::test {

namespace {

const trace::ValueType kFloat{trace::ScalarKind::Float, 4, 1, "float"};
const trace::ValueType kInt{trace::ScalarKind::Signed, 4, 1, "int"};

using Lanes = std::array<int32_t, kWarpSize>;

/// Tables of one launch, filled by name.
class Program {
public:
    Program(trace::TraceWriter& writer, std::string name, std::string text)
        : m_writer(writer), m_kernel(std::move(name))
    {
        m_source = writer.addSource(m_kernel + ".cu", text);
    }

    SiteId site(trace::SiteKind kind, uint32_t line, uint32_t column, const std::string& expression,
                trace::Space space = trace::Space::Global, trace::ValueType type = kFloat)
    {
        trace::Site site{SiteId(m_sites++), kind, {m_source, line, column}, expression, m_kernel, space, type, {}};
        m_writer.addSites({&site, 1});
        return site.id;
    }

    SiteId variable(const std::string& name, const trace::ValueType& type, uint32_t line, uint32_t first, uint32_t last,
                    bool parameter = false)
    {
        trace::Variable variable{VariableId(m_variables++), name,  m_kernel, type,
                                 {m_source, line, 5},       first, last,     parameter};
        m_writer.addVariables({&variable, 1});
        trace::Site site{SiteId(m_sites++),
                         trace::SiteKind::VariableWrite,
                         {m_source, line, 5},
                         name,
                         m_kernel,
                         trace::Space::Global,
                         type,
                         variable.id};
        m_writer.addSites({&site, 1});
        return site.id;
    }

    BufferId buffer(const std::string& name, trace::Space space, std::vector<uint64_t> dims)
    {
        trace::Buffer buffer;
        buffer.id = BufferId(m_buffers++);
        buffer.name = name;
        buffer.space = space;
        buffer.element = kFloat;
        uint64_t count = 1;
        for (uint64_t extent : dims)
            count *= extent;
        buffer.dims = std::move(dims);
        buffer.bytes = count * 4;
        if (space == trace::Space::Shared) {
            buffer.launch = LaunchId(0);
            buffer.sharedOffset = m_shared;
            m_shared += buffer.bytes;
        } else {
            buffer.deviceAddress = m_address;
            m_address += (buffer.bytes + 255) / 256 * 256;
        }
        m_writer.putBuffer(buffer);
        return buffer.id;
    }

    void contents(BufferId buffer, const std::vector<float>& values, bool initialised)
    {
        const std::vector<uint8_t> none((values.size() * 4 + 7) / 8, 0);
        m_writer.bufferContents(LaunchId(0), buffer, std::as_bytes(std::span(values)),
                                initialised ? std::span<const uint8_t>() : std::span<const uint8_t>(none));
    }

    [[nodiscard]] SourceId source() const { return m_source; }
    [[nodiscard]] const std::string& kernel() const { return m_kernel; }

private:
    trace::TraceWriter& m_writer;
    std::string m_kernel;
    SourceId m_source;
    uint32_t m_sites = 0;
    uint32_t m_variables = 0;
    uint32_t m_buffers = 0;
    uint64_t m_shared = 0;
    uint64_t m_address = 0x7000'0000;
};

std::vector<float> iota(uint64_t count, float factor)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(i) * factor;
    return values;
}

/// One warp of a block that runs statement by statement with its siblings.
struct Warp {
    uint16_t index = 0;
    LaneMask mask = 0;
    Lanes x{}, y{};  // threadIdx
};

std::vector<Warp> warpsOf(Dim3 block)
{
    std::vector<Warp> warps((block.count() + kWarpSize - 1) / kWarpSize);
    for (uint64_t thread = 0; thread < block.count(); ++thread) {
        Warp& warp = warps[thread / kWarpSize];
        warp.index = static_cast<uint16_t>(thread / kWarpSize);
        const auto lane = thread % kWarpSize;
        warp.mask |= LaneMask{1} << lane;
        warp.x[lane] = static_cast<int32_t>(thread % block.x);
        warp.y[lane] = static_cast<int32_t>(thread / block.x);
    }
    return warps;
}

template <typename Make>
auto perLane(Make make)
{
    std::array<decltype(make(size_t{0})), kWarpSize> values{};
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        values[lane] = make(lane);
    return values;
}

trace::Launch launchOf(const Program& program, Dim3 grid, Dim3 block, uint32_t line)
{
    trace::Launch launch;
    launch.id = LaunchId(0);
    launch.kernel = program.kernel();
    launch.where = {program.source(), line, 1};
    launch.grid = grid;
    launch.block = block;
    return launch;
}

void runBlocks(trace::TraceWriter& writer, trace::Launch launch,
               const std::function<void(trace::BlockRecorder&, Dim3)>& body)
{
    writer.beginLaunch(launch);
    for (uint64_t block = 0; block < launch.grid.count(); ++block) {
        auto recorder = writer.beginBlock(launch.id, BlockIndex(block));
        body(*recorder, positionOf(block, launch.grid));
        writer.endBlock(std::move(recorder));
    }
    launch.blocksRecorded = launch.grid.count();
    launch.complete = true;
    writer.endLaunch(launch);
}

const char* const kMapText = R"(// Adds ten to every element.
__global__ void add_10(float* out, const float* a, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        out[i] = a[i] + 10;
}
)";

/// A map over `elements` with the element index given per thread.
void writeMapKernel(trace::TraceWriter& writer, Program& program, std::vector<uint64_t> dims, Dim3 grid, Dim3 block,
                    const std::function<int64_t(Dim3 block, int32_t x, int32_t y)>& element)
{
    uint64_t count = 1;
    for (uint64_t extent : dims)
        count *= extent;
    const BufferId out = program.buffer("out", trace::Space::Global, dims);
    const BufferId a = program.buffer("a", trace::Space::Global, dims);
    const SiteId vI = program.variable("i", kInt, 4, 4, 7);
    const SiteId branch = program.site(trace::SiteKind::Branch, 5, 9, "i < size");
    const SiteId load = program.site(trace::SiteKind::Load, 6, 18, "a[i]");
    const SiteId store = program.site(trace::SiteKind::Store, 6, 9, "out[i]");
    const SiteId exit = program.site(trace::SiteKind::Exit, 7, 1, "");
    const std::vector<float> values = iota(count, 1);
    program.contents(a, values, true);
    program.contents(out, std::vector<float>(count), false);
    trace::Launch launch = launchOf(program, grid, block, 2);
    launch.arguments = {{"out", "float*", "out", out}, {"a", "const float*", "a", a}};
    runBlocks(writer, launch, [&](trace::BlockRecorder& r, Dim3 at) {
        for (const Warp& w : warpsOf(block)) {
            const auto index = perLane([&](size_t l) { return static_cast<int32_t>(element(at, w.x[l], w.y[l])); });
            LaneMask inside = 0;
            for (size_t l = 0; l < kWarpSize; ++l)
                inside |= index[l] >= 0 ? (LaneMask{1} << l) & w.mask : 0;
            r.variableWrite(vI, w.index, w.mask, index.data(), 4, 4);
            r.branch(branch, w.index, w.mask, inside);
            const auto offsets = perLane([&](size_t l) { return index[l] >= 0 ? uint32_t(index[l]) * 4 : 0; });
            const auto got = perLane([&](size_t l) { return index[l] >= 0 ? values[size_t(index[l])] : 0; });
            const auto sum = perLane([&](size_t l) { return got[l] + 10; });
            if (inside != 0) {
                r.access(load, w.index, inside, a, offsets.data(), got.data(), 4, 4);
                r.access(store, w.index, inside, out, offsets.data(), sum.data(), 4, 4);
            }
            r.mark(exit, w.index, w.mask);
        }
    });
}

const char* const kGatherText = R"(// Adds up elements from everywhere.
__global__ void gather(float* out, const float* a, const int* where, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < count; ++k)
        sum += a[hash(i, k)];
    out[i] = sum;
}
)";

}  // namespace

void writeGather(trace::TraceWriter& writer, uint32_t blocks, uint32_t gathers)
{
    constexpr uint64_t kSide = 1024;
    constexpr uint32_t kThreads = 256;
    Program program(writer, "gather", kGatherText);
    const BufferId out = program.buffer("out", trace::Space::Global, {kSide, kSide});
    const BufferId a = program.buffer("a", trace::Space::Global, {kSide, kSide});
    const SiteId load = program.site(trace::SiteKind::Load, 7, 16, "a[hash(i, k)]");
    const SiteId store = program.site(trace::SiteKind::Store, 8, 5, "out[i]");
    const SiteId exit = program.site(trace::SiteKind::Exit, 9, 1, "");
    std::mt19937 random(1);
    std::vector<float> values(kSide * kSide);
    for (float& value : values)
        value = static_cast<float>(random()) * 1e-9F;
    program.contents(a, values, true);
    program.contents(out, std::vector<float>(values.size()), false);
    trace::Launch launch = launchOf(program, {blocks, 1, 1}, {kThreads, 1, 1}, 2);
    launch.arguments = {{"out", "float*", "out", out}, {"a", "const float*", "a", a}};
    runBlocks(writer, launch, [&](trace::BlockRecorder& r, Dim3 block) {
        for (const Warp& w : warpsOf({kThreads, 1, 1})) {
            for (uint32_t k = 0; k < gathers; ++k) {
                const auto offsets =
                    perLane([&](size_t) { return static_cast<uint32_t>(random() % values.size()) * 4; });
                const auto got = perLane([&](size_t l) { return values[offsets[l] / 4]; });
                r.access(load, w.index, w.mask, a, offsets.data(), got.data(), 4, 4);
            }
            const auto places = perLane([&](size_t l) {
                return static_cast<uint32_t>((block.x * kThreads + uint32_t(w.x[l])) % values.size()) * 4;
            });
            const auto sums = perLane([&](size_t l) { return values[places[l] / 4]; });
            r.access(store, w.index, w.mask, out, places.data(), sums.data(), 4, 4);
            r.mark(exit, w.index, w.mask);
        }
    });
}

void writeTiledMatmul(trace::TraceWriter& writer, uint32_t size, uint32_t tile)
{
    SyntheticMatmul(writer, {.size = size, .tile = tile, .matrices = true}).record();
}

void writeMap(trace::TraceWriter& writer, uint32_t elements, uint32_t threads, uint32_t blocks)
{
    Program program(writer, "add_10", kMapText);
    writeMapKernel(writer, program, {elements}, {blocks, 1, 1}, {threads, 1, 1}, [=](Dim3 block, int32_t x, int32_t) {
        const int64_t i = int64_t{block.x} * threads + x;
        return i < elements ? i : -1;
    });
}

void writeMap2d(trace::TraceWriter& writer, uint32_t size, uint32_t side)
{
    Program program(writer, "add_10_2d", kMapText);
    writeMapKernel(writer, program, {size, size}, {1, 1, 1}, {side, side, 1}, [=](Dim3, int32_t x, int32_t y) {
        return uint32_t(x) < size && uint32_t(y) < size ? int64_t{y} * size + x : -1;
    });
}

std::string writeTrace(const std::string& path, const std::function<void(trace::TraceWriter&)>& kernel,
                       std::optional<trace::ProcessRank> rank)
{
    trace::SessionInfo session = sampleSession("sample.cu");
    session.rank = rank;
    auto writer = trace::TraceWriter::create(path, session, {});
    LS_ASSERT(writer.ok());
    kernel(*writer.value());
    LS_ASSERT(writer.value()->finish(trace::ProgramEnd::exited(0), {}).ok());
    return path;
}

trace::SessionInfo sampleSession(const std::string& program)
{
    trace::SessionInfo session;
    session.program = program;
    session.commandLine = "lanescope record " + program;
    session.producer = "lanescope tests";
    return session;
}

}  // namespace lanescope::test
