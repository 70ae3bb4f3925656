// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/sample_kernels.h"

#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace lanescope::test {

namespace {

const trace::ValueType kFloat{trace::ScalarKind::Float, 4, 1, "float"};
const trace::ValueType kInt{trace::ScalarKind::Signed, 4, 1, "int"};

using Lanes = std::array<int32_t, kWarpSize>;
using FloatLanes = std::array<float, kWarpSize>;
using Offsets = std::array<uint32_t, kWarpSize>;

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
        m_variableOf[site.id.value] = variable.id;
        m_writer.addSites({&site, 1});
        return site.id;
    }

    /// Another write of the variable of \p first, on another line.
    SiteId again(SiteId first, const std::string& name, const trace::ValueType& type, uint32_t line)
    {
        trace::Site site{SiteId(m_sites++),
                         trace::SiteKind::VariableWrite,
                         {m_source, line, 9},
                         name,
                         m_kernel,
                         trace::Space::Global,
                         type,
                         m_variableOf.at(first.value)};
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
    std::map<uint32_t, VariableId> m_variableOf;  // by site
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

const char* const kMatmulText = R"(// A tiled matrix product: each block computes one tile of out.
#include <cstdio>
#include <vector>

#define TPB 3

__global__ void matmul_tiled(
    float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;
    float acc = 0;
    for (int tile = 0; tile < (size + TPB - 1) / TPB; ++tile) {
        a_shared[local_row][local_col] =
            a[row * size + tile * TPB + local_col];
        b_shared[local_row][local_col] =
            b[(tile * TPB + local_row) * size + col];
        __syncthreads();
        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] *
                   b_shared[k][local_col];
        __syncthreads();
    }
    if (row < size && col < size)
        out[row * size + col] = acc;
}
)";

class TiledMatmul {
public:
    TiledMatmul(trace::TraceWriter& writer, uint32_t size, uint32_t tile)
        : m_writer(writer), m_program(writer, "matmul_tiled", kMatmulText), m_n(size), m_t(tile)
    {
        using enum trace::SiteKind;
        using enum trace::Space;
        m_out = m_program.buffer("out", Global, {size, size});
        m_a = m_program.buffer("a", Global, {size, size});
        m_b = m_program.buffer("b", Global, {size, size});
        m_as = m_program.buffer("a_shared", Shared, {tile, tile});
        m_bs = m_program.buffer("b_shared", Shared, {tile, tile});
        vLocalRow = m_program.variable("local_row", kInt, 12, 12, 30);
        vLocalCol = m_program.variable("local_col", kInt, 13, 13, 30);
        vRow = m_program.variable("row", kInt, 14, 14, 30);
        vCol = m_program.variable("col", kInt, 15, 15, 30);
        vTile = m_program.variable("tile", kInt, 17, 17, 27);
        vK = m_program.variable("k", kInt, 23, 23, 25);
        vAcc = m_program.variable("acc", kFloat, 16, 16, 30);
        vAccAdd = m_program.again(vAcc, "acc", kFloat, 24);
        branch = m_program.site(Branch, 17, 27, "tile < (size + TPB - 1) / TPB");
        branchK = m_program.site(Branch, 23, 27, "k < TPB");
        loadA = m_program.site(Load, 19, 13, "a[row * size + tile * TPB + local_col]");
        storeA = m_program.site(Store, 18, 9, "a_shared[local_row][local_col]", Shared);
        loadB = m_program.site(Load, 21, 13, "b[(tile * TPB + local_row) * size + col]");
        storeB = m_program.site(Store, 20, 9, "b_shared[local_row][local_col]", Shared);
        barrier1 = m_program.site(Barrier, 22, 9, "__syncthreads()");
        loadAs = m_program.site(Load, 24, 20, "a_shared[local_row][k]", Shared);
        loadBs = m_program.site(Load, 25, 20, "b_shared[k][local_col]", Shared);
        barrier2 = m_program.site(Barrier, 26, 9, "__syncthreads()");
        guard = m_program.site(Branch, 28, 9, "row < size && col < size");
        storeOut = m_program.site(Store, 29, 9, "out[row * size + col]");
        exit = m_program.site(Exit, 30, 1, "");
    }

    void run()
    {
        const uint32_t blocks = (m_n + m_t - 1) / m_t;
        trace::Launch launch = launchOf(m_program, {blocks, blocks, 1}, {m_t, m_t, 1}, 8);
        launch.arguments = {{"out", "float*", "out", m_out},
                            {"a", "const float*", "a", m_a},
                            {"b", "const float*", "b", m_b},
                            {"size", "int", std::to_string(m_n), {}}};
        m_aValues = iota(uint64_t{m_n} * m_n, 1);
        m_bValues = iota(uint64_t{m_n} * m_n, 2);
        m_program.contents(m_a, m_aValues, true);
        m_program.contents(m_b, m_bValues, true);
        m_program.contents(m_out, std::vector<float>(uint64_t{m_n} * m_n), false);
        runBlocks(m_writer, launch, [this](trace::BlockRecorder& r, Dim3 block) { runBlock(r, block); });
    }

private:
    template <typename T>
    void set(trace::BlockRecorder& r, const Warp& w, SiteId site, const std::array<T, kWarpSize>& values)
    {
        r.variableWrite(site, w.index, w.mask, values.data(), 4, 4);
    }

    /// A guarded load of a tile element: outside the matrix the lane stores 0.
    FloatLanes load(trace::BlockRecorder& r, const Warp& w, SiteId site, BufferId buffer,
                    const std::vector<float>& values, const Lanes& row, const Lanes& col)
    {
        LaneMask inside = 0;
        const auto offsets = perLane([&](size_t l) {
            const bool in = row[l] < int32_t(m_n) && col[l] < int32_t(m_n);
            inside |= in ? (LaneMask{1} << l) & w.mask : 0;
            return in ? uint32_t(row[l] * int32_t(m_n) + col[l]) * 4 : 0;
        });
        const auto got = perLane([&](size_t l) { return ((inside >> l) & 1) != 0 ? values[offsets[l] / 4] : 0.0F; });
        if (inside != 0)
            r.access(site, w.index, inside, buffer, offsets.data(), got.data(), 4, 4);
        return got;
    }

    void store(trace::BlockRecorder& r, const Warp& w, SiteId site, BufferId buffer, std::vector<float>& shared,
               const FloatLanes& values)
    {
        const auto offsets = perLane([&](size_t l) { return uint32_t(w.y[l] * int32_t(m_t) + w.x[l]) * 4; });
        for (size_t l = 0; l < kWarpSize; ++l)
            if (((w.mask >> l) & 1) != 0)
                shared[offsets[l] / 4] = values[l];
        r.access(site, w.index, w.mask, buffer, offsets.data(), values.data(), 4, 4);
    }

    FloatLanes loadShared(trace::BlockRecorder& r, const Warp& w, SiteId site, BufferId buffer,
                          const std::vector<float>& shared, const std::function<uint32_t(size_t)>& element)
    {
        const auto offsets = perLane([&](size_t l) { return element(l) * 4; });
        const auto got = perLane([&](size_t l) { return shared[offsets[l] / 4]; });
        r.access(site, w.index, w.mask, buffer, offsets.data(), got.data(), 4, 4);
        return got;
    }

    void runBlock(trace::BlockRecorder& r, Dim3 block)
    {
        const auto t = int32_t(m_t);
        const auto warps = warpsOf({m_t, m_t, 1});
        std::vector<float> as(m_t * m_t);
        std::vector<float> bs(m_t * m_t);
        std::vector<Lanes> row(warps.size());
        std::vector<Lanes> col(warps.size());
        std::vector<FloatLanes> acc(warps.size());
        for (const Warp& w : warps) {
            row[w.index] = perLane([&](size_t l) { return int32_t(block.y) * t + w.y[l]; });
            col[w.index] = perLane([&](size_t l) { return int32_t(block.x) * t + w.x[l]; });
            set(r, w, vLocalRow, w.y);
            set(r, w, vLocalCol, w.x);
            set(r, w, vRow, row[w.index]);
            set(r, w, vCol, col[w.index]);
            set(r, w, vAcc, acc[w.index]);
        }
        const int32_t tiles = (int32_t(m_n) + t - 1) / t;
        for (int32_t tile = 0; tile <= tiles; ++tile) {
            for (const Warp& w : warps) {
                set(r, w, vTile, perLane([&](size_t) { return tile; }));
                r.branch(branch, w.index, w.mask, tile < tiles ? w.mask : 0);
            }
            if (tile == tiles)
                break;
            for (const Warp& w : warps) {
                const auto c = perLane([&](size_t l) { return tile * t + w.x[l]; });
                store(r, w, storeA, m_as, as, load(r, w, loadA, m_a, m_aValues, row[w.index], c));
            }
            for (const Warp& w : warps) {
                const auto rr = perLane([&](size_t l) { return tile * t + w.y[l]; });
                store(r, w, storeB, m_bs, bs, load(r, w, loadB, m_b, m_bValues, rr, col[w.index]));
            }
            for (const Warp& w : warps)
                r.barrier(barrier1, w.index, w.mask);
            for (int32_t k = 0; k < t; ++k)
                for (const Warp& w : warps)
                    multiply(r, w, k, as, bs, acc[w.index]);
            for (const Warp& w : warps)
                r.barrier(barrier2, w.index, w.mask);
        }
        for (const Warp& w : warps)
            finish(r, w, row[w.index], col[w.index], acc[w.index]);
    }

    void multiply(trace::BlockRecorder& r, const Warp& w, int32_t k, const std::vector<float>& as,
                  const std::vector<float>& bs, FloatLanes& acc)
    {
        const auto t = int32_t(m_t);
        set(r, w, vK, perLane([&](size_t) { return k; }));
        r.branch(branchK, w.index, w.mask, w.mask);
        const auto x = loadShared(r, w, loadAs, m_as, as, [&](size_t l) { return uint32_t(w.y[l] * t + k); });
        const auto y = loadShared(r, w, loadBs, m_bs, bs, [&](size_t l) { return uint32_t(k * t + w.x[l]); });
        for (size_t l = 0; l < kWarpSize; ++l)
            acc[l] += x[l] * y[l];
        set(r, w, vAccAdd, acc);
    }

    void finish(trace::BlockRecorder& r, const Warp& w, const Lanes& row, const Lanes& col, const FloatLanes& acc)
    {
        LaneMask inside = 0;
        const auto offsets = perLane([&](size_t l) {
            const bool in = row[l] < int32_t(m_n) && col[l] < int32_t(m_n) && ((w.mask >> l) & 1) != 0;
            inside |= in ? LaneMask{1} << l : 0;
            return in ? uint32_t(row[l] * int32_t(m_n) + col[l]) * 4 : 0;
        });
        r.branch(guard, w.index, w.mask, inside);
        if (inside != 0)
            r.access(storeOut, w.index, inside, m_out, offsets.data(), acc.data(), 4, 4);
        r.mark(exit, w.index, w.mask);
    }

    trace::TraceWriter& m_writer;
    Program m_program;
    uint32_t m_n;
    uint32_t m_t;
    BufferId m_out, m_a, m_b, m_as, m_bs;
    SiteId vLocalRow, vLocalCol, vRow, vCol, vTile, vK, vAcc, vAccAdd, branch, branchK, loadA, storeA, loadB, storeB,
        barrier1, loadAs, loadBs, barrier2, guard, storeOut, exit;
    std::vector<float> m_aValues, m_bValues;
};

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
    TiledMatmul(writer, size, tile).run();
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

std::string writeTrace(const std::string& path, const std::function<void(trace::TraceWriter&)>& kernel)
{
    auto writer = trace::TraceWriter::create(path, sampleSession("sample.cu"), {});
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
