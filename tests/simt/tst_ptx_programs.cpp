// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the programs in tests/ptx, which front ends wrote, and compares their results with the host's; nothing is found
// in any of them.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include <QFile>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>
#include <fmt/ranges.h>

#include "core/trace/reader.h"
#include "ptx_device.h"

using namespace lanescope;

namespace {

using Numbers = std::vector<float>;

/// Small whole numbers, so that sums are exact in any order.
Numbers numbers(size_t count, int range = 7)
{
    Numbers all(count);
    for (size_t i = 0; i < count; ++i)
        all[i] = static_cast<float>(static_cast<int>(i * 5 % static_cast<size_t>(range)) - range / 2);
    return all;
}

Numbers product(const Numbers& a, const Numbers& b, size_t rows, size_t inner, size_t columns)
{
    Numbers c(rows * columns);
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column)
            for (size_t i = 0; i < inner; ++i)
                c[row * columns + column] += a[row * inner + i] * b[i * columns + column];
    return c;
}

}  // namespace

class TestPtxPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nvccsTiledProduct()
    {
        load("nvcc_matmul_tiled");
        const Numbers a = numbers(81), b = numbers(81, 5);
        const uint64_t out = m_device->buffer(Numbers(81));
        const std::vector<uint64_t> arguments{out, m_device->buffer(a), m_device->buffer(b), 9};
        QCOMPARE(m_device->launch("", {3, 3, 1}, {3, 3, 1}, arguments), std::string());
        QCOMPARE(m_device->values<float>(out, 81), product(a, b, 9, 9, 9));
    }

    void nvccsHistogram()
    {
        load("nvcc_histogram");
        Numbers a(4096), expected(16);
        for (size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<float>(i * 7 % 16);
            expected[i * 7 % 16] += 1;
        }
        const uint64_t out = m_device->buffer(Numbers(16));
        QCOMPARE(m_device->launch("", {8, 1, 1}, {256, 1, 1}, {out, m_device->buffer(a), 4096}), std::string());
        QCOMPARE(m_device->values<float>(out, 16), expected);
    }

    void nvccsReductionByShuffles()
    {
        load("nvcc_reduce_shuffle");
        const Numbers a = numbers(5000);
        const float sum = std::accumulate(a.begin(), a.end(), 0.0f);
        const uint64_t out = m_device->buffer(Numbers(1));
        QCOMPARE(m_device->launch("", {8, 1, 1}, {256, 1, 1}, {out, m_device->buffer(a), 5000}), std::string());
        QCOMPARE(m_device->values<float>(out, 1), Numbers{sum});
    }

    void nvccsPrefixSum()
    {
        load("nvcc_prefix_sum_blelloch");
        const Numbers a = numbers(8);
        Numbers expected(8);
        std::partial_sum(a.begin(), a.end(), expected.begin());
        const uint64_t out = m_device->buffer(Numbers(8));
        QCOMPARE(m_device->launch("", {1, 1, 1}, {8, 1, 1}, {out, m_device->buffer(a), 8}), std::string());
        QCOMPARE(m_device->values<float>(out, 8), expected);
    }

    void tritonsSoftmax()
    {
        load("triton_softmax");
        const size_t rows = 3, columns = 200;
        const Numbers in = numbers(rows * columns);
        const uint64_t out = m_device->buffer(Numbers(rows * columns)), scratch = m_device->buffer(Numbers(16));
        const std::vector<uint64_t> arguments{out, m_device->buffer(in), columns, columns, columns, scratch, scratch};
        QCOMPARE(m_device->launch("softmax", {rows, 1, 1}, {128, 1, 1}, arguments, 16), std::string());
        const Numbers found = m_device->values<float>(out, rows * columns);
        for (size_t row = 0; row < rows; ++row) {
            float sum = 0;
            for (size_t i = 0; i < columns; ++i)
                sum += std::exp(in[row * columns + i] - 3);
            for (size_t i = 0; i < columns; ++i)
                QVERIFY(std::abs(found[row * columns + i] - std::exp(in[row * columns + i] - 3) / sum) < 1e-6f);
        }
    }

    /// The text has Triton's debug information of variables, and which values they have.
    void tritonsVariablesAreItsBlockTensors()
    {
        load("triton_vector_add");
        const Numbers x = numbers(500), y = numbers(500, 5);
        Numbers expected(500);
        std::ranges::transform(x, y, expected.begin(), std::plus());
        const uint64_t out = m_device->buffer(Numbers(500)), scratch = m_device->buffer(Numbers(16));
        const std::vector<uint64_t> arguments{m_device->buffer(x), m_device->buffer(y), out, 500, scratch, scratch};
        const trace::Catalog catalog = recorded("", {2, 1, 1}, {128, 1, 1}, arguments);
        QCOMPARE(m_device->launch("", {2, 1, 1}, {128, 1, 1}, arguments), std::string());
        QCOMPARE(m_device->values<float>(out, 500), expected);
        QCOMPARE(catalog.launches.size(), size_t{1});
        QCOMPARE(catalog.launches.at(0).blockWord, std::string("program"));
        std::set<std::string> variables;
        for (const trace::Variable& variable : catalog.variables)
            variables.insert(variable.type.name + " " + variable.name);
        QCOMPARE(variables,
                 (std::set<std::string>{"bool[256] mask", "float32[256] x", "float32[256] y", "int32[256] offsets"}));
        std::string parameters;
        for (const device::KernelParameter& each : m_device->module().kernels().at(0).parameters)
            parameters += each.typeName + " " + each.name + "\n";
        QCOMPARE(parameters, std::string("float* x_ptr\nfloat* y_ptr\nfloat* out_ptr\nint size\n"
                                         "void* param_4\nvoid* param_5\n"));
    }

    /// An array comes as two owners, the number of its elements, their bytes, its address, its shape and its strides.
    void numbasTiledProduct()
    {
        load("numba_matmul");
        const Numbers a = numbers(40 * 30), b = numbers(30 * 50, 5);
        const uint64_t out = m_device->buffer(Numbers(40 * 50));
        std::vector<uint64_t> arguments;
        const auto add = [&](uint64_t address, uint64_t rows, uint64_t columns) {
            for (const uint64_t each : {uint64_t{0}, uint64_t{0}, rows * columns, uint64_t{4}, address, rows, columns,
                                        columns * 4, uint64_t{4}})
                arguments.push_back(each);
        };
        add(m_device->buffer(a), 40, 30);
        add(m_device->buffer(b), 30, 50);
        add(out, 40, 50);
        const trace::Catalog catalog = recorded("matmul", {4, 4, 1}, {16, 16, 1}, arguments);
        QCOMPARE(m_device->launch("matmul", {4, 4, 1}, {16, 16, 1}, arguments), std::string());
        QCOMPARE(m_device->values<float>(out, 40 * 50), product(a, b, 40, 30, 50));
        std::set<std::string> arrays;
        for (const trace::Buffer& buffer : catalog.buffers)
            if (buffer.space == trace::Space::Shared)
                arrays.insert(fmt::format("{} {}[{}]", buffer.element.name, buffer.name, fmt::join(buffer.dims, "][")));
        QCOMPARE(arrays, (std::set<std::string>{"float a_shared[16][16]", "float b_shared[16][16]"}));
    }

    void mojosTiledProduct()
    {
        load("mojo_matmul_tiled");
        const Numbers a = numbers(81), b = numbers(81, 5);
        const uint64_t out = m_device->buffer(Numbers(81));
        const std::vector<uint64_t> arguments{out, m_device->buffer(a), m_device->buffer(b)};
        QCOMPARE(m_device->launch("", {3, 3, 1}, {3, 3, 1}, arguments), std::string());
        QCOMPARE(m_device->values<float>(out, 81), product(a, b, 9, 9, 9));
    }

    /// A tensor comes as its address, extents and strides; the number of its rows and columns as parameters, too, which
    /// are told where those lie.
    void mojosLayoutsOfRunTime()
    {
        load("mojo_tile_of_run_time");
        const uint64_t rows = 6, columns = 10, out = m_device->buffer(Numbers(rows * columns));
        const std::vector<uint64_t> arguments{out, rows, columns, columns};
        const trace::Catalog catalog = recorded("", {1, 1, 1}, {16, 8, 1}, arguments);
        QVERIFY(!catalog.buffers.empty());
        QCOMPARE(catalog.buffers[0].dims, (std::vector<uint64_t>{rows, columns}));
        QCOMPARE(m_device->launch("", {1, 1, 1}, {16, 8, 1}, arguments), std::string());
        Numbers expected;
        for (uint64_t row = 0; row < rows; ++row)
            for (uint64_t column = 0; column < columns; ++column)
                expected.push_back(static_cast<float>(100 * row + column));
        QCOMPARE(m_device->values<float>(out, rows * columns), expected);
    }

private:
    /// What a trace holds of the device's first launch, in a process of its own: there is one trace in each. Empty: it
    /// went wrong.
    trace::Catalog recorded(const std::string& kernel, Dim3 grid, Dim3 block, const std::vector<uint64_t>& arguments)
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("t.lanes").toStdString();
        const pid_t child = fork();
        if (child == 0) {
            const auto writer = trace::TraceWriter::create(path, {}, {});
            if (!writer)
                _exit(1);
            m_device->writer = writer.value().get();
            const bool isRight = m_device->launch(kernel, grid, block, arguments).empty();
            _exit(isRight && writer.value()->finish({}, {}).ok() ? 0 : 1);
        }
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return {};
        const auto reader = trace::TraceReader::open(path);
        return reader ? reader.value()->catalog() : trace::Catalog{};
    }

    void load(const char* name)
    {
        QFile file(QStringLiteral(SOURCE_DIR "/tests/ptx/%1.ptx").arg(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_device = std::make_unique<test::PtxDevice>();
        QCOMPARE(m_device->load(file.readAll().toStdString()), std::string());
    }

    std::unique_ptr<test::PtxDevice> m_device;
};

QTEST_APPLESS_MAIN(TestPtxPrograms)
#include "tst_ptx_programs.moc"
