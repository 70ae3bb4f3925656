// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>
#include <set>

#include <QTemporaryDir>
#include <QTest>

#include "core/replay/replay.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::replay;
using lanescope::test::SyntheticMatmul;
using lanescope::test::SyntheticOptions;

namespace {

float floatAt(const BufferImage& image, uint64_t element)
{
    float value = 0;
    std::memcpy(&value, image.bytes.data() + 4 * element, sizeof value);
    return value;
}

template <typename T>
T laneValue(const std::array<uint8_t, 16>& bytes)
{
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

}  // namespace

class TestBlockCursor : public QObject {
    Q_OBJECT

    std::unique_ptr<Session> open(const SyntheticOptions& options)
    {
        const std::string path = m_folder.filePath(QString("%1.lanes").arg(m_files++)).toStdString();
        const Result<void> written = test::writeSyntheticTrace(path, options);
        if (!written.ok())
            qFatal("%s", written.error().text().c_str());
        Result<std::unique_ptr<Session>> session = Session::open(path);
        if (!session.ok())
            qFatal("%s", session.error().text().c_str());
        return std::move(session).value();
    }

    static std::unique_ptr<BlockCursor> cursorOf(Session& session, uint64_t block)
    {
        Result<std::unique_ptr<BlockCursor>> cursor = session.cursor(LaunchId{0}, BlockIndex{block});
        if (!cursor.ok())
            qFatal("%s", cursor.error().text().c_str());
        return std::move(cursor).value();
    }

    QTemporaryDir m_folder;
    int m_files = 0;

private slots:
    void everyStepBackwardsUndoesTheStepForwards()
    {
        const auto session = open({.size = 9, .tile = 3});
        for (const uint64_t block : {0U, 4U, 8U}) {
            const auto cursor = cursorOf(*session, block);
            std::vector<uint64_t> hashes{cursor->stateHash()};
            while (cursor->step() < cursor->stepCount()) {
                QVERIFY(cursor->stepForward().ok());
                hashes.push_back(cursor->stateHash());
            }
            QVERIFY(!cursor->stepForward().ok());
            while (cursor->step() > 0) {
                QCOMPARE(cursor->stateHash(), hashes[cursor->step()]);
                QVERIFY(cursor->stepBackward().ok());
            }
            QCOMPARE(cursor->stateHash(), hashes[0]);
            QVERIFY(!cursor->stepBackward().ok());
            const std::set<uint64_t> distinct(hashes.begin(), hashes.end());
            QCOMPARE(distinct.size(), hashes.size());
        }
    }

    void seeksAcrossChunksGiveTheStatesOfSteppingThere()
    {
        const auto session = open({.size = 64, .tile = 16});
        const auto cursor = cursorOf(*session, 5);
        QVERIFY(cursor->stepCount() > 2000);
        std::mt19937_64 random(1);
        std::map<StepIndex, uint64_t> hashes;
        for (int i = 0; i < 60; ++i)
            hashes[random() % (cursor->stepCount() + 1)] = 0;
        for (const StepIndex step : {StepIndex{0}, StepIndex{4095}, StepIndex{4096}, StepIndex{4097}})
            if (step <= cursor->stepCount())
                hashes[step] = 0;
        for (auto& [step, hash] : hashes) {
            while (cursor->step() < step)
                QVERIFY(cursor->stepForward().ok());
            hash = cursor->stateHash();
        }
        const auto other = cursorOf(*session, 5);
        for (int i = 0; i < 300; ++i) {
            const auto& [step, hash] = *std::next(hashes.begin(), static_cast<long>(random() % hashes.size()));
            QVERIFY(other->seek(step).ok());
            QCOMPARE(other->step(), step);
            QCOMPARE(other->stateHash(), hash);
            if (step > 0 && i % 3 == 0) {
                QVERIFY(other->stepBackward().ok());
                QVERIFY(other->stepForward().ok());
                QCOMPARE(other->stateHash(), hash);
            }
        }
        QVERIFY(!other->seek(other->stepCount() + 1).ok());
    }

    void stepsBackOverChunkBoundaries()
    {
        const auto session = open({.size = 256, .tile = 16});
        const auto cursor = cursorOf(*session, 17);
        QVERIFY(cursor->stepCount() > 9000);
        QVERIFY(cursor->seek(4090).ok());
        std::map<StepIndex, uint64_t> hashes;
        while (cursor->step() < 4110) {
            hashes[cursor->step()] = cursor->stateHash();
            QVERIFY(cursor->stepForward().ok());
        }
        for (int round = 0; round < 3; ++round) {
            while (cursor->step() > 4090) {
                if (hashes.contains(cursor->step()))
                    QCOMPARE(cursor->stateHash(), hashes[cursor->step()]);
                QVERIFY(cursor->stepBackward().ok());
            }
            QVERIFY(cursor->seek(4109).ok());
        }
    }

    void stepsBackOutOfWhatIsDecoded()
    {
        const auto session = open({.size = 256, .tile = 16});
        const auto cursor = cursorOf(*session, 17);
        constexpr StepIndex kFirst = 1000, kLast = 4000;
        QVERIFY(cursor->stepCount() > kLast);
        QVERIFY(cursor->seek(kFirst).ok());
        std::vector<uint64_t> hashes;
        for (StepIndex step = kFirst; step < kLast; ++step) {
            hashes.push_back(cursor->stateHash());
            QVERIFY(cursor->stepForward().ok());
        }
        for (const StepIndex start : {kLast, StepIndex{3333}}) {
            QVERIFY(cursor->seek(start).ok());
            while (cursor->step() > kFirst) {
                QVERIFY(cursor->stepBackward().ok());
                QCOMPARE(cursor->stateHash(), hashes[cursor->step() - kFirst]);
                const auto event = cursor->event(cursor->step() + 100);
                QVERIFY(event.ok());
                QCOMPARE(event.value().site, (*cursor->summary().value())[cursor->step() + 100].site);
            }
        }
    }

    void blocksThatDoTheSameHaveTheirStepsTogether()
    {
        const auto session = open({.size = 64, .tile = 16});
        const auto first = cursorOf(*session, 5)->summary().value();
        const auto second = cursorOf(*session, 6)->summary().value();
        QCOMPARE(first.get(), second.get());
        QCOMPARE(session->summary(LaunchId{0}, BlockIndex{9}).value().get(), first.get());
    }

    /// At the edges of a matrix that is no multiple of the tiles, other lanes store.
    void blocksThatDoSomethingElseHaveTheirOwn()
    {
        const SyntheticOptions options{.size = 21, .tile = 8};
        const auto together = open(options);
        std::set<const void*> different;
        for (uint64_t block = 0; block < 9; ++block) {
            const auto alone = open(options);
            const auto own = alone->summary(LaunchId{0}, BlockIndex{block}).value();
            const auto steps = together->summary(LaunchId{0}, BlockIndex{block}).value();
            different.insert(steps.get());
            QCOMPARE(steps->size(), own->size());
            for (size_t step = 0; step < own->size(); ++step) {
                QCOMPARE((*steps)[step].site, (*own)[step].site);
                QCOMPARE((*steps)[step].warp, (*own)[step].warp);
                QCOMPARE((*steps)[step].mask, (*own)[step].mask);
                QCOMPARE((*steps)[step].epoch, (*own)[step].epoch);
            }
        }
        QVERIFY(different.size() > 1);
    }

    void endStateHoldsTheProduct()
    {
        const auto session = open({.size = 9, .tile = 3});
        const auto cursor = cursorOf(*session, 0);
        const BufferImage& before = cursor->buffer(SyntheticMatmul::kOut);
        QVERIFY(!before.isInitialised(0));
        QCOMPARE(before.bytes.size(), size_t{81 * 4});
        QVERIFY(cursor->buffer(SyntheticMatmul::kA).isInitialised(0));
        QCOMPARE(floatAt(cursor->buffer(SyntheticMatmul::kA), 5), SyntheticMatmul::elementA(5));
        QVERIFY(cursor->seek(cursor->stepCount()).ok());
        const BufferImage& after = cursor->buffer(SyntheticMatmul::kOut);
        const std::vector<StepIndex> written = cursor->lastWrites(SyntheticMatmul::kOut, 0, 4);
        QCOMPARE(written.size(), size_t{81});
        for (uint64_t row = 0; row < 9; ++row)
            for (uint64_t col = 0; col < 9; ++col) {
                float sum = 0;
                for (uint64_t k = 0; k < 9; ++k)
                    sum += SyntheticMatmul::elementA(row * 9 + k) * SyntheticMatmul::elementB(k * 9 + col);
                QCOMPARE(floatAt(after, row * 9 + col), sum);
                QVERIFY(after.isInitialised(4 * (row * 9 + col)));
                QVERIFY(written[row * 9 + col] > 0);
            }
    }

    void sharedLoadsWithoutValuesAreDerivedFromTheState()
    {
        const auto bare = open({.size = 9, .tile = 3, .valuesOfSharedLoads = false});
        const auto full = open({.size = 9, .tile = 3, .valuesOfSharedLoads = true});
        const auto derived = cursorOf(*bare, 4);
        const auto recorded = cursorOf(*full, 4);
        size_t loads = 0;
        for (StepIndex step = 0; step < derived->stepCount(); ++step) {
            QVERIFY(derived->seek(step).ok());
            const auto before = derived->event(step);
            const auto truth = recorded->event(step);
            QVERIFY(before.ok() && truth.ok());
            QVERIFY(derived->seek(step + 1).ok());
            const auto after = derived->event(step);
            QVERIFY(after.ok());
            if (before.value().kind != trace::SiteKind::Load || !truth.value().valuesKnown)
                continue;
            ++loads;
            QVERIFY(before.value().valuesKnown && after.value().valuesKnown);
            QCOMPARE(before.value().valueBytes, uint8_t{4});
            for (size_t lane = 0; lane < 9; ++lane) {
                QCOMPARE(laneValue<float>(before.value().value[lane]), laneValue<float>(truth.value().value[lane]));
                QCOMPARE(laneValue<float>(after.value().value[lane]), laneValue<float>(truth.value().value[lane]));
            }
        }
        QCOMPARE(loads, size_t{18});
    }

    void variablesFollowTheSteps()
    {
        const auto session = open({.size = 9, .tile = 3});
        const auto cursor = cursorOf(*session, 4);
        const VariableId row{SyntheticMatmul::VarRow};
        QCOMPARE(cursor->variable(row, 0).written, 0U);
        QVERIFY(cursor->seek(2).ok());
        const VariableImage image = cursor->variable(row, 0);
        QCOMPARE(image.written, 0x1ffU);
        for (size_t lane = 0; lane < 9; ++lane) {
            QCOMPARE(laneValue<int32_t>(image.value[lane]), static_cast<int32_t>(3 + lane / 3));
            QCOMPARE(image.lastWrite[lane], StepIndex{2});
        }
        QVERIFY(cursor->seek(0).ok());
        QCOMPARE(cursor->variable(row, 0).written, 0U);
    }

    void warpsWaitAtBarriersUntilAllHaveArrived()
    {
        const auto session = open({.size = 16, .tile = 8});  // two warps
        const auto cursor = cursorOf(*session, 0);
        const auto summary = cursor->summary();
        QVERIFY(summary.ok());
        StepIndex arrival = 0;
        while ((*summary.value())[arrival].kind != trace::SiteKind::Barrier)
            ++arrival;
        QVERIFY(cursor->seek(arrival).ok());
        QVERIFY(!cursor->warp(0).waiting && !cursor->warp(1).waiting);
        QVERIFY(cursor->seek(arrival + 1).ok());
        QVERIFY(cursor->warp(0).waiting && !cursor->warp(1).waiting);
        QCOMPARE(cursor->warp(0).epoch, 0U);
        QCOMPARE(cursor->nextEpoch(), std::optional<StepIndex>(arrival + 2));
        QVERIFY(cursor->seek(arrival + 2).ok());
        QVERIFY(!cursor->warp(0).waiting && !cursor->warp(1).waiting);
        QCOMPARE(cursor->warp(0).epoch, 1U);
        QCOMPARE(cursor->warp(1).epoch, 1U);
        QVERIFY(cursor->seek(cursor->stepCount()).ok());
        QCOMPARE(cursor->warp(1).exited, 0xffffffffU);
        QCOMPARE(cursor->warp(1).epoch, 4U);
        QVERIFY(!cursor->warp(1).next.has_value());
        QVERIFY(!cursor->nextEpoch().has_value());
    }

    void stepTargetsInvertEachOther()
    {
        const auto session = open({.size = 16, .tile = 8});
        const auto cursor = cursorOf(*session, 3);
        const auto walk = [&](auto next, auto previous) {
            QVERIFY(cursor->seek(0).ok());
            std::vector<StepIndex> stops;
            if (const auto first = cursor->warp(1).next)
                stops.push_back(*first);
            while (const std::optional<StepIndex> target = next()) {
                QVERIFY(*target > cursor->step());
                QVERIFY(cursor->seek(*target).ok());
                stops.push_back(*target);
            }
            QVERIFY(stops.size() > 3);
            for (size_t i = stops.size() - 1; i > 1; --i) {
                QCOMPARE(previous(), std::optional<StepIndex>(stops[i - 1]));
                QVERIFY(cursor->seek(stops[i - 1]).ok());
                QCOMPARE(next(), std::optional<StepIndex>(stops[i]));
            }
        };
        walk([&] { return cursor->nextLine(1); }, [&] { return cursor->previousLine(1); });
        walk([&] { return cursor->nextAccess(1); }, [&] { return cursor->previousAccess(1); });
        walk([&] { return cursor->nextEpoch(); }, [&] { return cursor->previousEpoch(); });
        QVERIFY(cursor->seek(0).ok());
        QVERIFY(!cursor->previousLine(1) && !cursor->previousAccess(1) && !cursor->previousEpoch());
    }

    void lineStepsLandOnOtherLines()
    {
        const auto session = open({.size = 9, .tile = 3});
        const auto cursor = cursorOf(*session, 0);
        std::vector<uint32_t> lines;
        QVERIFY(cursor->seek(0).ok());
        lines.push_back(cursor->warp(0).nextLine.line);
        while (const auto target = cursor->nextLine(0)) {
            QVERIFY(cursor->seek(*target).ok());
            lines.push_back(cursor->warp(0).nextLine.line);
        }
        const std::vector<uint32_t> start(lines.begin(), lines.begin() + 14);
        const std::vector<uint32_t> expected{6, 10, 11, 12, 13, 14, 15, 17, 16, 19, 18, 20, 21, 22};
        QCOMPARE(start, expected);
        QCOMPARE(lines.back(), 27U);
    }

    void historyListsEveryAccessToACell()
    {
        const auto session = open({.size = 9, .tile = 3});
        const auto cursor = cursorOf(*session, 0);
        // a_shared[1][2]: one store and three loads per tile, three tiles.
        const auto history = cursor->history(SyntheticMatmul::sharedA(LaunchId{0}), 4 * 5, 4, 1000);
        QVERIFY(history.ok());
        QCOMPARE(history.value().size(), size_t{12});
        QCOMPARE(history.value()[0].kind, trace::SiteKind::Store);
        QCOMPARE(history.value()[0].thread, (Dim3{2, 1, 0}));
        QCOMPARE(history.value()[1].thread, (Dim3{0, 1, 0}));
        const auto capped = cursor->history(SyntheticMatmul::sharedA(LaunchId{0}), 4 * 5, 4, 5);
        QVERIFY(capped.ok());
        QCOMPARE(capped.value().size(), size_t{5});
    }

    void idsThatAreNotThereAreErrorsOrEmpty()
    {
        const auto session = open({.size = 9, .tile = 3});
        QVERIFY(!session->cursor(LaunchId{7}, BlockIndex{0}).ok());
        QVERIFY(!session->cursor(LaunchId{0}, BlockIndex{9}).ok());
        const auto cursor = cursorOf(*session, 0);
        QVERIFY(cursor->buffer(BufferId{99}).bytes.empty());
        QCOMPARE(cursor->variable(VariableId{99}, 0).written, 0U);
        QCOMPARE(cursor->warp(77).launched, 0U);
        QVERIFY(!cursor->event(cursor->stepCount()).ok());
    }

    /// As of a recorded hang; the limit is small here.
    void ofVeryLongBlocksTheFirstStepsAreShown()
    {
        const std::string path = m_folder.filePath("long.lanes").toStdString();
        QVERIFY(test::writeSyntheticTrace(path, {.size = 9, .tile = 3}).ok());
        const auto session = Session::open(path);
        QVERIFY(session.ok());
        const auto whole = session.value()->cursor(LaunchId{0}, BlockIndex{0});
        QVERIFY(whole.ok());
        const StepIndex all = whole.value()->stepCount();
        QCOMPARE(whole.value()->recordedSteps(), all);
        constexpr StepIndex kShown = 5;
        QVERIFY(all > kShown);
        QVERIFY(whole.value()->seek(kShown).ok());

        qputenv("LANESCOPE_STEPS_SHOWN", "5");
        const auto part = session.value()->cursor(LaunchId{0}, BlockIndex{0});
        QVERIFY(part.ok());
        QCOMPARE(part.value()->stepCount(), kShown);
        QCOMPARE(part.value()->recordedSteps(), all);
        QVERIFY(!part.value()->seek(kShown + 1).ok());
        QVERIFY(part.value()->seek(kShown).ok());
        QVERIFY(!part.value()->stepForward().ok());
        QCOMPARE(part.value()->summary().value()->size(), size_t{kShown});
        QCOMPARE(session.value()->summary(LaunchId{0}, BlockIndex{0}).value()->size(), size_t{kShown});
        QCOMPARE(part.value()->warp(0).previous, whole.value()->warp(0).previous);
        QCOMPARE(session.value()->parseFocus("step=100%", {}).value().step, kShown);
        qputenv("LANESCOPE_STEPS_SHOWN", "many");
        QVERIFY(session.value()->cursor(LaunchId{0}, BlockIndex{0}).error().code == Error::Code::BadInput);
        qunsetenv("LANESCOPE_STEPS_SHOWN");
    }
};

QTEST_GUILESS_MAIN(TestBlockCursor)
#include "tst_block_cursor.moc"
