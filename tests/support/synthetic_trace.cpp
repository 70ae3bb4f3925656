// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/synthetic_trace.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "core/base/assert.h"

namespace lanescope::test {

using namespace trace;

namespace {

const ValueType kFloat{ScalarKind::Float, 4, 1, "float"};
const ValueType kInt{ScalarKind::Signed, 4, 1, "int"};

constexpr const char* kSource = R"(#include <cstdio>

constexpr int TPB = {tile};
constexpr int SIZE = {size};

__global__ void matmul_tiled(float* out, const float* a, const float* b, int size)
{{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int row = blockIdx.y * TPB + threadIdx.y;
    int col = blockIdx.x * TPB + threadIdx.x;
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    float acc = 0;
    for (int tile = 0; tile < (size + TPB - 1) / TPB; ++tile) {{
        a_shared[local_row][local_col] =
            row < size && tile * TPB + local_col < size ? a[row * size + tile * TPB + local_col] : 0;
        b_shared[local_row][local_col] =
            tile * TPB + local_row < size && col < size ? b[(tile * TPB + local_row) * size + col] : 0;
        __syncthreads();
        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        __syncthreads();
    }}
    if (row < size && col < size)
        out[row * size + col] = acc;
}}

int main()
{{
    float *a, *b, *out;
    cudaMalloc(&a, SIZE * SIZE * sizeof(float));
    cudaMalloc(&b, SIZE * SIZE * sizeof(float));
    cudaMalloc(&out, SIZE * SIZE * sizeof(float));
    float host[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; ++i)
        host[i] = i;
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    constexpr int BLOCKS = (SIZE + TPB - 1) / TPB;
    matmul_tiled<<<dim3(BLOCKS, BLOCKS), dim3(TPB, TPB)>>>(out, a, b, SIZE);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
}}
)";

struct SiteSpec {
    SiteKind kind;
    uint32_t line;
    uint32_t column;
    const char* expression;
    Space space;
    ValueType type;
    int variable;
};

std::vector<SiteSpec> siteSpecs()
{
    using M = SyntheticMatmul;
    const auto variable = [](uint32_t line, uint32_t column, const char* name, const ValueType& type, int id) {
        return SiteSpec{SiteKind::VariableWrite, line, column, name, Space::Global, type, id};
    };
    return {
        variable(6, 76, "size", kInt, M::VarSize),
        variable(10, 9, "row", kInt, M::VarRow),
        variable(11, 9, "col", kInt, M::VarCol),
        variable(12, 9, "local_row", kInt, M::VarLocalRow),
        variable(13, 9, "local_col", kInt, M::VarLocalCol),
        variable(14, 11, "acc", kFloat, M::VarAcc),
        variable(15, 14, "tile", kInt, M::VarTile),
        {SiteKind::Branch, 15, 24, "tile < (size + TPB - 1) / TPB", Space::Global, {}, -1},
        {SiteKind::Load, 17, 59, "a[row * size + tile * TPB + local_col]", Space::Global, kFloat, -1},
        {SiteKind::Store, 16, 40, "a_shared[local_row][local_col]", Space::Shared, kFloat, -1},
        {SiteKind::Load, 19, 59, "b[(tile * TPB + local_row) * size + col]", Space::Global, kFloat, -1},
        {SiteKind::Store, 18, 40, "b_shared[local_row][local_col]", Space::Shared, kFloat, -1},
        {SiteKind::Barrier, 20, 9, "__syncthreads()", Space::Shared, {}, -1},
        variable(21, 18, "k", kInt, M::VarK),
        {SiteKind::Branch, 21, 25, "k < TPB", Space::Global, {}, -1},
        {SiteKind::Load, 22, 20, "a_shared[local_row][k]", Space::Shared, kFloat, -1},
        {SiteKind::Load, 22, 45, "b_shared[k][local_col]", Space::Shared, kFloat, -1},
        variable(22, 17, "acc", kFloat, M::VarAcc),
        variable(21, 34, "k", kInt, M::VarK),
        {SiteKind::Barrier, 23, 9, "__syncthreads()", Space::Shared, {}, -1},
        variable(15, 55, "tile", kInt, M::VarTile),
        {SiteKind::Branch, 25, 9, "row < size && col < size", Space::Global, {}, -1},
        {SiteKind::Store, 26, 31, "out[row * size + col]", Space::Global, kFloat, -1},
        {SiteKind::Exit, 27, 1, "", Space::Global, {}, -1},
    };
}

}  // namespace

/// One block's threads, run statement by statement over all warps (a lockstep schedule).
struct SyntheticMatmul::BlockRun {
    BlockRun(SyntheticMatmul& owner, LaunchId id, BlockIndex index, BlockRecorder& recorder);

    void run();

private:
    using IntOf = std::function<int32_t(uint32_t thread)>;
    using FloatOf = std::function<float(uint32_t thread)>;

    [[nodiscard]] LaneMask mask(uint32_t warp) const
    {
        const uint32_t lanes = std::min(32U, owner.m_threads - 32 * warp);
        return lanes == 32 ? 0xffffffffU : (1U << lanes) - 1;
    }
    [[nodiscard]] uint32_t x(uint32_t thread) const { return thread % tile; }
    [[nodiscard]] uint32_t y(uint32_t thread) const { return thread / tile; }
    /// Where an element of a matrix lies; kOutside for those past its edges.
    [[nodiscard]] int32_t element(uint32_t row, uint32_t col) const
    {
        return row < size && col < size ? static_cast<int32_t>(row * size + col) : kOutside;
    }
    static constexpr int32_t kOutside = -1;

    void forWarps(const std::function<void(uint16_t)>& body)
    {
        for (uint32_t w = 0; w < owner.m_warps; ++w) {
            body(static_cast<uint16_t>(w));
            ++owner.m_events;
        }
    }
    void setInt(At at, const IntOf& value);
    void setUniform(At at, int32_t value);
    void setAcc(At at);
    /// Of the lanes whose \p place is not outside.
    void access(At at, BufferId buffer, const IntOf& place, const FloatOf& value);
    void branch(At at, bool taken);
    void guard(At at, const IntOf& place);
    void barrier(At at);
    void exitBlock();
    void loadTile(uint32_t t);
    void multiplyTile();

    SyntheticMatmul& owner;
    BlockRecorder& recorder;
    LaunchId launch;
    uint32_t tile;
    uint32_t size;
    uint32_t row0;
    uint32_t col0;
    std::vector<float> acc;
    std::vector<float> tileA;
    std::vector<float> tileB;
};

SyntheticMatmul::BlockRun::BlockRun(SyntheticMatmul& o, LaunchId id, BlockIndex index, BlockRecorder& r)
    : owner(o), recorder(r), launch(id), tile(o.m_options.tile), size(o.m_options.size), acc(o.m_threads),
      tileA(o.m_threads), tileB(o.m_threads)
{
    const uint32_t across = owner.blocksAcross();
    row0 = static_cast<uint32_t>(index.value / across) * tile;
    col0 = static_cast<uint32_t>(index.value % across) * tile;
}

void SyntheticMatmul::BlockRun::setInt(At at, const IntOf& value)
{
    if (!owner.m_options.variables)
        return;
    forWarps([&](uint16_t w) {
        int32_t values[32] = {};
        for (uint32_t i = 0; i < 32 && 32U * w + i < owner.m_threads; ++i)
            values[i] = value(32U * w + i);
        recorder.variableWrite(SiteId{at}, w, mask(w), values, 4, 4);
    });
}

void SyntheticMatmul::BlockRun::setUniform(At at, int32_t value)
{
    if (owner.m_options.variables)
        forWarps([&](uint16_t w) { recorder.variableWriteUniform(SiteId{at}, w, mask(w), &value, 4); });
}

void SyntheticMatmul::BlockRun::setAcc(At at)
{
    if (!owner.m_options.variables)
        return;
    forWarps([&](uint16_t w) {
        float values[32] = {};
        std::copy_n(acc.begin() + 32 * w, std::popcount(mask(w)), values);
        recorder.variableWrite(SiteId{at}, w, mask(w), values, 4, 4);
    });
}

void SyntheticMatmul::BlockRun::access(At at, BufferId buffer, const IntOf& place, const FloatOf& value)
{
    forWarps([&](uint16_t w) {
        uint32_t offsets[32] = {};
        float values[32] = {};
        LaneMask inside = 0;
        for (uint32_t i = 0; i < 32 && 32U * w + i < owner.m_threads; ++i) {
            const int32_t element = place(32U * w + i);
            if (element == kOutside)
                continue;
            inside |= LaneMask{1} << i;
            offsets[i] = 4 * static_cast<uint32_t>(element);
            values[i] = value ? value(32U * w + i) : 0;
        }
        owner.m_laneAccesses += static_cast<uint64_t>(std::popcount(inside));
        if (inside != 0)
            recorder.access(SiteId{at}, w, inside, buffer, offsets, value ? values : nullptr, 4, 4);
    });
}

void SyntheticMatmul::BlockRun::branch(At at, bool taken)
{
    forWarps([&](uint16_t w) { recorder.branch(SiteId{at}, w, mask(w), taken ? mask(w) : 0); });
}

void SyntheticMatmul::BlockRun::guard(At at, const IntOf& place)
{
    forWarps([&](uint16_t w) {
        LaneMask inside = 0;
        for (uint32_t i = 0; i < 32 && 32U * w + i < owner.m_threads; ++i)
            inside |= place(32U * w + i) == kOutside ? 0 : LaneMask{1} << i;
        recorder.branch(SiteId{at}, w, mask(w), inside);
    });
}

void SyntheticMatmul::BlockRun::barrier(At at)
{
    forWarps([&](uint16_t w) { recorder.barrier(SiteId{at}, w, mask(w)); });
}

void SyntheticMatmul::BlockRun::exitBlock()
{
    forWarps([&](uint16_t w) { recorder.mark(SiteId{AtExit}, w, mask(w)); });
}

void SyntheticMatmul::BlockRun::loadTile(uint32_t t)
{
    const auto cellA = [&](uint32_t i) { return element(row0 + y(i), t * tile + x(i)); };
    const auto cellB = [&](uint32_t i) { return element(t * tile + y(i), col0 + x(i)); };
    const auto own = [](uint32_t i) { return static_cast<int32_t>(i); };
    for (uint32_t i = 0; i < owner.m_threads; ++i) {
        tileA[i] = cellA(i) == kOutside ? 0 : elementA(static_cast<uint64_t>(cellA(i)));
        tileB[i] = cellB(i) == kOutside ? 0 : elementB(static_cast<uint64_t>(cellB(i)));
    }
    access(AtLoadA, kA, cellA, {});
    access(AtStoreA, sharedA(launch), own, [&](uint32_t i) { return tileA[i]; });
    access(AtLoadB, kB, cellB, {});
    access(AtStoreB, sharedB(launch), own, [&](uint32_t i) { return tileB[i]; });
}

void SyntheticMatmul::BlockRun::multiplyTile()
{
    setUniform(AtKInit, 0);
    for (uint32_t k = 0; k < tile; ++k) {
        branch(AtKBranch, true);
        const auto cellA = [&](uint32_t i) { return static_cast<int32_t>(y(i) * tile + k); };
        const auto cellB = [&](uint32_t i) { return static_cast<int32_t>(k * tile + x(i)); };
        const auto valueA = [&](uint32_t i) { return tileA[static_cast<size_t>(cellA(i))]; };
        const auto valueB = [&](uint32_t i) { return tileB[static_cast<size_t>(cellB(i))]; };
        const bool values = owner.m_options.valuesOfSharedLoads;
        access(AtLoadSharedA, sharedA(launch), cellA, values ? FloatOf(valueA) : FloatOf());
        access(AtLoadSharedB, sharedB(launch), cellB, values ? FloatOf(valueB) : FloatOf());
        for (uint32_t i = 0; i < owner.m_threads; ++i)
            acc[i] += valueA(i) * valueB(i);
        setAcc(AtAcc);
        setUniform(AtKNext, static_cast<int32_t>(k + 1));
    }
    branch(AtKBranch, false);
}

void SyntheticMatmul::BlockRun::run()
{
    setUniform(AtSize, static_cast<int32_t>(size));
    setInt(AtRow, [&](uint32_t i) { return static_cast<int32_t>(row0 + y(i)); });
    setInt(AtCol, [&](uint32_t i) { return static_cast<int32_t>(col0 + x(i)); });
    setInt(AtLocalRow, [&](uint32_t i) { return static_cast<int32_t>(y(i)); });
    setInt(AtLocalCol, [&](uint32_t i) { return static_cast<int32_t>(x(i)); });
    setAcc(AtAccInit);
    setUniform(AtTileInit, 0);
    for (uint32_t t = 0; t < owner.blocksAcross(); ++t) {
        branch(AtTileBranch, true);
        loadTile(t);
        barrier(AtBarrierIn);
        multiplyTile();
        barrier(AtBarrierOut);
        setUniform(AtTileNext, static_cast<int32_t>(t + 1));
    }
    branch(AtTileBranch, false);
    const auto cell = [&](uint32_t i) { return element(row0 + y(i), col0 + x(i)); };
    guard(AtGuard, cell);
    access(AtStoreOut, kOut, cell, [&](uint32_t i) { return acc[i]; });
    for (uint32_t i = 0; i < owner.m_threads; ++i)
        if (cell(i) != kOutside)
            owner.m_out[static_cast<size_t>(cell(i))] = acc[i];
    exitBlock();
}

SyntheticMatmul::SyntheticMatmul(TraceWriter& writer, const SyntheticOptions& options)
    : m_writer(writer), m_options(options), m_threads(options.tile * options.tile), m_warps((m_threads + 31) / 32),
      m_out(size_t{options.size} * options.size)
{
    LS_ASSERT(m_threads > 0 && m_threads <= 1024);
}

float SyntheticMatmul::elementA(uint64_t index)
{
    return static_cast<float>(index % 97) * 0.37F + 0.11F;
}

float SyntheticMatmul::elementB(uint64_t index)
{
    return static_cast<float>(index % 89) * 0.53F - 7.3F;
}

std::string SyntheticMatmul::sourceText(const SyntheticOptions& options)
{
    return fmt::format(kSource, fmt::arg("tile", options.tile), fmt::arg("size", options.size));
}

void SyntheticMatmul::declare()
{
    const SourceId source = m_writer.addSource("matmul_tiled.cu", sourceText(m_options));
    const struct {
        const char* name;
        ValueType type;
        uint32_t line, column, first, last;
    } variables[VarCount] = {{"size", kInt, 6, 76, 6, 27},       {"row", kInt, 10, 9, 10, 27},
                             {"col", kInt, 11, 9, 11, 27},       {"local_row", kInt, 12, 9, 12, 27},
                             {"local_col", kInt, 13, 9, 13, 27}, {"acc", kFloat, 14, 11, 14, 27},
                             {"tile", kInt, 15, 14, 15, 24},     {"k", kInt, 21, 18, 21, 22}};
    std::vector<Variable> declared;
    for (uint32_t i = 0; i < VarCount; ++i) {
        const auto& v = variables[i];
        declared.push_back(
            {VariableId{i}, v.name, "matmul_tiled", v.type, {source, v.line, v.column}, v.first, v.last, i == VarSize});
    }
    m_writer.addVariables(declared);
    std::vector<Site> sites;
    for (const SiteSpec& spec : siteSpecs()) {
        Site site{SiteId{static_cast<uint32_t>(sites.size())},
                  spec.kind,
                  {source, spec.line, spec.column},
                  spec.expression,
                  "matmul_tiled",
                  spec.space,
                  spec.type,
                  {},
                  {}};
        if (spec.variable >= 0)
            site.variable = VariableId{static_cast<uint32_t>(spec.variable)};
        sites.push_back(site);
    }
    LS_ASSERT(sites.size() == AtCount);
    m_writer.addSites(sites);
    const uint64_t size = m_options.size;
    const uint64_t count = size * size;
    const char* names[] = {"a", "b", "out"};
    for (uint32_t i = 0; i < 3; ++i)
        m_writer.putBuffer({BufferId{i},
                            names[i],
                            Space::Global,
                            kFloat,
                            m_options.matrices ? std::vector{size, size} : std::vector{count},
                            4 * count,
                            {},
                            0,
                            0x100000000000ULL + (uint64_t{i} << 32),
                            fmt::format("cudaMalloc #{}", i + 1)});
}

Launch SyntheticMatmul::launchOf(LaunchId launch) const
{
    const uint32_t across = blocksAcross();
    Launch l;
    l.id = launch;
    l.kernel = "matmul_tiled";
    l.where = {SourceId{0}, 6, 17};
    l.grid = {across, across, 1};
    l.block = {m_options.tile, m_options.tile, 1};
    l.arguments = {{"out", "float *", "out", kOut},
                   {"a", "const float *", "a", kA},
                   {"b", "const float *", "b", kB},
                   {"size", "int", std::to_string(m_options.size), {}}};
    return l;
}

void SyntheticMatmul::beginLaunch(LaunchId launch)
{
    const uint64_t tileBytes = 4 * uint64_t{m_threads};
    for (const BufferId id : {sharedA(launch), sharedB(launch)}) {
        const bool isA = id == sharedA(launch);
        m_writer.putBuffer({id,
                            isA ? "a_shared" : "b_shared",
                            Space::Shared,
                            kFloat,
                            {m_options.tile, m_options.tile},
                            tileBytes,
                            launch,
                            isA ? 0 : tileBytes,
                            0,
                            isA ? "matmul_tiled.cu:8" : "matmul_tiled.cu:9"});
    }
    m_writer.beginLaunch(launchOf(launch));
    const size_t count = size_t{m_options.size} * m_options.size;
    std::vector<float> contents(count);
    for (size_t i = 0; i < count; ++i)
        contents[i] = elementA(i);
    m_writer.bufferContents(launch, kA, std::as_bytes(std::span(contents)), {});
    for (size_t i = 0; i < count; ++i)
        contents[i] = elementB(i);
    m_writer.bufferContents(launch, kB, std::as_bytes(std::span(contents)), {});
    // cudaMalloc'd and never written: nothing initialised at the first launch.
    const std::vector<uint8_t> none((4 * count + 7) / 8, launch.value == 0 ? 0x00 : 0xff);
    m_writer.bufferContents(launch, kOut, std::as_bytes(std::span(m_out)), none);
}

void SyntheticMatmul::recordBlock(LaunchId launch, BlockIndex block)
{
    std::unique_ptr<BlockRecorder> recorder = m_writer.beginBlock(launch, block);
    if (!recorder)
        return;
    BlockRun(*this, launch, block, *recorder).run();
    m_writer.endBlock(std::move(recorder));
}

void SyntheticMatmul::endLaunch(LaunchId launch)
{
    Launch l = launchOf(launch);
    l.warpInstructions = m_events;
    l.complete = true;
    m_writer.endLaunch(l);
}

void SyntheticMatmul::record()
{
    declare();
    for (uint32_t l = 0; l < m_options.launches; ++l) {
        beginLaunch(LaunchId{l});
        const uint64_t blocks = launchOf(LaunchId{l}).grid.count();
        for (uint64_t b = 0; b < blocks; ++b)
            if (!m_options.onlyBlock || *m_options.onlyBlock == b)
                recordBlock(LaunchId{l}, BlockIndex{b});
        endLaunch(LaunchId{l});
    }
}

SessionInfo syntheticSession()
{
    SessionInfo session;
    session.program = "matmul_tiled.cu";
    session.commandLine = "lanescope record matmul_tiled.cu";
    session.producer = "lanescope synthetic";
    return session;
}

Result<void> writeSyntheticTrace(const std::string& path, const SyntheticOptions& options)
{
    Result<std::unique_ptr<TraceWriter>> writer =
        TraceWriter::create(path, syntheticSession(), {options.maxBytes, options.variables});
    if (!writer.ok())
        return writer.error();
    SyntheticMatmul matmul(*writer.value(), options);
    matmul.record();
    writer.value()->addOutput(false, fmt::format("{:g}\n", matmul.out()[0]));
    return writer.value()->finish(trace::ProgramEnd::exited(0), {});
}

}  // namespace lanescope::test
