// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory of a launch that writes far more in some steps than is gone back on a tape: held against bytes written
// one by one.
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include <QTemporaryDir>
#include <QTest>

#include "core/replay/global_state.h"
#include "core/trace/writer.h"

using namespace lanescope;
using namespace lanescope::replay;

namespace {

constexpr uint64_t kBlocks = 3, kSteps = 2400, kEach = 16;             // bytes of a lane
constexpr uint64_t kBytes = kBlocks * kSteps * kWarpSize * kEach / 2;  // each is written twice
constexpr BufferId kBuffer{0};

struct Write {
    StepIndex step;
    uint64_t offset;
    uint8_t value;
};

/// Where a lane's event of a block writes: rows, columns of four, and here and there.
uint64_t placeOf(uint64_t block, uint64_t event, uint64_t lane)
{
    const uint64_t start = (event * kBlocks + block) * kWarpSize * kEach;
    const uint64_t column = (lane % 4) * 8 + lane / 4, any = (lane * 7 + event) % kWarpSize;
    const uint64_t at = event % 3 == 0 ? lane : event % 3 == 1 ? column : any;
    return (start + at * kEach) % kBytes;
}

}  // namespace

class TestGlobalState : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::vector<Write> m_writes;  ///< by step, by block, by lane

    std::string record()
    {
        const std::string path = m_folder.filePath("g.lanes").toStdString();
        auto writer = trace::TraceWriter::create(path, {}, {});
        if (!writer.ok())
            qFatal("%s", writer.error().text().c_str());
        trace::TraceWriter& w = *writer.value();
        trace::Site store;
        store.kind = trace::SiteKind::Store;
        w.addSites({&store, 1});
        trace::Buffer buffer;
        buffer.id = kBuffer;
        buffer.bytes = kBytes;
        w.putBuffer(buffer);
        trace::Launch launch;
        launch.grid = {kBlocks, 1, 1};
        launch.block = {kWarpSize, 1, 1};
        w.beginLaunch(launch);
        const std::vector<std::byte> initial(kBytes, std::byte{7});
        w.bufferContents(launch.id, kBuffer, initial, {});
        for (uint64_t block = 0; block < kBlocks; ++block) {
            auto recorder = w.beginBlock(launch.id, BlockIndex{block});
            for (uint64_t event = 0; event < kSteps; ++event) {
                std::array<uint32_t, kWarpSize> offsets;
                std::array<std::array<uint8_t, kEach>, kWarpSize> values;
                for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
                    const uint64_t at = placeOf(block, event, lane);
                    offsets[lane] = static_cast<uint32_t>(at);
                    values[lane].fill(static_cast<uint8_t>(event * 31 + block * 5 + lane));
                    m_writes.push_back({event, at, values[lane][0]});
                }
                recorder->access(store.id, 0, ~LaneMask{0}, kBuffer, offsets.data(), values.data(), kEach, kEach);
            }
            w.endBlock(std::move(recorder));
        }
        std::ranges::stable_sort(m_writes, {}, &Write::step);
        launch.complete = true;
        w.endLaunch(launch);
        if (!w.finish(trace::ProgramEnd::exited(0), {}).ok())
            qFatal("the trace was not written");
        return path;
    }

    [[nodiscard]] std::vector<std::byte> bytesAt(StepIndex step) const
    {
        std::vector<std::byte> bytes(kBytes, std::byte{7});
        for (const Write& write : m_writes)
            if (write.step < step)
                std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(write.offset), kEach, std::byte{write.value});
        return bytes;
    }

private slots:
    void anyStepFromAnyOther()
    {
        const auto reader = trace::TraceReader::open(record());
        QVERIFY(reader.ok());
        const auto writes = LaunchWrites::load(*reader.value(), LaunchId{0});
        QVERIFY(writes.ok());
        // Lanes that write in equal steps are together.
        const LaunchWrites::OfBuffer& of = writes.value()->byBuffer.at(kBuffer);
        QVERIFY2(of.runs.size() < kBlocks * kSteps * 20, qPrintable(QString::number(of.runs.size())));
        GlobalState state(*reader.value(), LaunchId{0});
        state.setWrites(writes.value());
        std::mt19937 random(3);
        BufferImage shown;  // as somebody has it who was given an image earlier
        std::vector<std::byte> wasShown;
        const std::array<StepIndex, 9> ends{0, kSteps, 0, kSteps / 2, kSteps, kSteps / 2, 1, kSteps - 1, 0};
        for (size_t i = 0; i < 24; ++i) {
            const StepIndex step = i < ends.size() ? ends[i] : random() % (kSteps + 1);
            const BufferImage& image = state.image(kBuffer, step);
            QVERIFY2(std::ranges::equal(image.bytes, bytesAt(step)), qPrintable(QString::number(step)));
            QVERIFY(image.isInitialised(0) && image.isInitialised(kBytes - 1));
            QVERIFY(wasShown.empty() || std::ranges::equal(shown.bytes, wasShown));
            if (i % 3 == 0) {
                shown = image;
                wasShown = bytesAt(step);
            }
        }
        const std::vector<StepIndex> last = state.lastWrites(kBuffer, kSteps, kEach);
        QCOMPARE(last.size(), size_t{kBytes / kEach});
        for (const Write& write : m_writes)
            QVERIFY(last[write.offset / kEach] > write.step);
    }
};

QTEST_APPLESS_MAIN(TestGlobalState)
#include "tst_global_state.moc"
