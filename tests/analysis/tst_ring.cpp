// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of shared memory that are filled and read in turns, as recorded programs show them; and the names and shapes
// that buffers get from tensor maps and from structs in shared memory.
#include <QTemporaryDir>
#include <QTest>

#include <set>

#include "core/analysis/ring.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestRing : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_traces = 0;

    std::unique_ptr<replay::Session> record(const QString& program, const QStringList& arguments = {})
    {
        const QString trace = m_folder.filePath(QString("%1.lanes").arg(m_traces++));
        QStringList all{"record", program, "-o", trace};
        if (!arguments.isEmpty())
            all << "--" << arguments;
        test::runProcess(LANESCOPE_EXE, all);
        auto session = replay::Session::open(trace.toStdString());
        if (!session.ok())
            qFatal("%s", session.error().text().c_str());
        return std::move(session).value();
    }
    static QString own(const char* name) { return QString(PROGRAMS "/%1.cu").arg(name); }

    static Ring ringOf(replay::Session& session)
    {
        Result<Ring> ring = traceRing(session, LaunchId{0}, BlockIndex{0});
        if (!ring.ok())
            qFatal("%s", ring.error().text().c_str());
        return std::move(ring).value();
    }

    /// "empty, armed 0/128, filling 128/128, full, read, released, …" of one stage.
    static QString states(const Ring& ring, uint32_t stage)
    {
        const char* const names[] = {"empty", "armed", "filling", "full", "read", "released"};
        QStringList all;
        for (const StageSpan& span : ring.spans) {
            if (span.stage != stage)
                continue;
            QString text = names[static_cast<size_t>(span.state)];
            if (span.bytesExpected > 0 && (span.state == StageState::Armed || span.state == StageState::Filling))
                text += QString(" %1/%2").arg(span.bytesCame).arg(span.bytesExpected);
            all << text;
        }
        return all.join(", ");
    }

    static QStringList buffers(replay::Session& session, trace::Space space)
    {
        QStringList all;
        for (const trace::Buffer& buffer : session.catalog().buffers) {
            if (buffer.space != space)
                continue;
            QString text = QString::fromStdString(buffer.element.name + " " + buffer.name);
            for (const uint64_t extent : buffer.dims)
                text += QString("[%1]").arg(extent);
            all << text;
        }
        return all;
    }

private slots:
    void stagesGoRound()
    {
        const auto session = record(own("ring"));
        const Ring ring = ringOf(*session);
        QCOMPARE(ring.stages.size(), 2u);
        QCOMPARE(QString::fromStdString(ring.stages[1].memory), "ring.tile[1]");
        for (uint32_t stage = 0; stage < 2; ++stage)
            QCOMPARE(states(ring, stage), "empty, armed 0/128, filling 128/128, full, read, released, "
                                          "armed 0/128, filling 128/128, full, read, released");
        QVERIFY(ring.hangs.empty());
        QCOMPARE(ring.roles.size(), 2u);
        QCOMPARE(ring.roles[0].name, std::string("copies"));
        QCOMPARE(ring.roles[1].name, std::string("reads"));
    }

    void groupsOfCopiesMakeARing()
    {
        const auto session = record(own("group_ring"));
        const Ring ring = ringOf(*session);
        QCOMPARE(ring.stages.size(), 3u);
        QCOMPARE(QString::fromStdString(ring.stages[1].memory), "tile[1]");
        // Tiles 0 and 3, 1 and 4, and 2.
        QCOMPARE(states(ring, 0), "empty, filling, full, read, released, filling, full, read, released");
        QCOMPARE(states(ring, 1), "empty, filling, full, read, released, filling, full, read");
        QCOMPARE(states(ring, 2), "empty, filling, full, read, released");
        QVERIFY(ring.barriers.empty() && ring.hangs.empty());
        QCOMPARE(ring.roles.size(), 1u);
        for (const StageReuse& reuse : ring.reuses)
            QVERIFY(reuse.order == StageReuse::Order::BlockBarrier);
        QVERIFY(!ring.reuses.empty());
    }

    void aTileOfAFewRowsIsNoRing() { QVERIFY(ringOf(*record(own("padding"))).stages.empty()); }

    void eachReuseIsOrderedByAPhase()
    {
        const auto session = record(own("ring"));
        const Ring ring = ringOf(*session);
        QCOMPARE(ring.reuses.size(), 2u);
        for (const StageReuse& reuse : ring.reuses) {
            QCOMPARE(reuse.order, StageReuse::Order::Phase);
            QCOMPARE(QString::fromStdString(ring.barriers[reuse.barrier].name),
                     QString("ring.empty[%1]").arg(reuse.stage));
        }
    }

    void reuseThatNothingOrdersIsTold()
    {
        const auto session = record(own("ring"), {"unordered"});
        const Ring ring = ringOf(*session);
        const auto nothing = [](const StageReuse& reuse) { return reuse.order == StageReuse::Order::Nothing; };
        QVERIFY(std::ranges::any_of(ring.reuses, nothing) || ring.reuses.empty());
        for (const StageReuse& reuse : ring.reuses)
            QVERIFY(nothing(reuse));
    }

    void hangNamesWhoIsMissing()
    {
        const auto session = record(own("ring"), {"hangs"});
        const Ring ring = ringOf(*session);
        QVERIFY(!ring.hangs.empty());
        std::set<QString> names;
        for (const RingHang& hang : ring.hangs) {
            const RingBarrier& barrier = ring.barriers[hang.barrier];
            names.insert(QString::fromStdString(barrier.name));
            if (barrier.kind != RingBarrier::Kind::Empty)
                continue;
            QCOMPARE(barrier.expected, 32u);
            QCOMPARE(barrier.arrived, 31u);
            QCOMPARE(hang.missingCount, 1u);
        }
        QVERIFY(names.contains("ring.empty[0]"));
        QVERIFY(names.contains("ring.full[0]"));
    }

    void pipelinesOfTheLibraryAreRings()
    {
        const auto session = record(own("pipeline"));
        const Ring ring = ringOf(*session);
        QCOMPARE(ring.stages.size(), 2u);
        for (uint32_t stage = 0; stage < 2; ++stage)
            QCOMPARE(states(ring, stage), "empty, filling, full, read, released, filling, full, read, released");
        QCOMPARE(QString::fromStdString(ring.stages[0].memory), "tile[0]");
        for (const StageReuse& reuse : ring.reuses)
            QCOMPARE(reuse.order, StageReuse::Order::Phase);
    }

    void tensorMapsNameAndShapeBuffers()
    {
        const auto session = record(QString(KERNELS "/24_matmul_ring.cu"));
        QCOMPARE(buffers(*session, trace::Space::Global),
                 QStringList({"float a[64][64]", "float b[64][64]", "float out[4096]"}));
        for (const QString& local : buffers(*session, trace::Space::Local))
            QVERIFY2(!local.contains("parameter"), qPrintable(local));
        QCOMPARE(session->catalog().launches[0].arguments[1].text,
                 std::string("tensor map of a, float[64][64], boxes of [16][16]"));
    }

    void dynamicMemoryIsTheStructThatAPointerSays()
    {
        const auto session = record(QString(KERNELS "/26_gemm_wgmma.cu"));
        QCOMPARE(buffers(*session, trace::Space::Shared),
                 QStringList({"__half ring.a[3][64][64]", "__half ring.b[3][64][64]", "uint64_t ring.full[3]",
                              "uint64_t ring.empty[3]"}));
        QCOMPARE(buffers(*session, trace::Space::Global).first(), "__half a[128][256]");
    }

    void wgmmaRingIsSeen()
    {
        const auto session = record(QString(KERNELS "/26_gemm_wgmma.cu"));
        const Ring ring = ringOf(*session);
        QCOMPARE(ring.stages.size(), 3u);
        QCOMPARE(states(ring, 0), "empty, armed 0/16384, filling 8192/16384, filling 16384/16384, full, read, "
                                  "released, armed 0/16384, filling 8192/16384, filling 16384/16384, full, read");
        QCOMPARE(ring.roles.size(), 2u);
        QCOMPARE(ring.roles[1].name, std::string("products"));
        for (const StageReuse& reuse : ring.reuses)
            QCOMPARE(reuse.order, StageReuse::Order::Phase);
    }
};

QTEST_GUILESS_MAIN(TestRing)
#include "tst_ring.moc"
