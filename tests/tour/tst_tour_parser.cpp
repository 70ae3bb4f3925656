// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text format of guided tours: what is read, and what is said about mistakes.
#include <QTest>
#include <random>

#include "core/tour/tour.h"

using namespace lanescope;

class TestTourParser : public QObject {
    Q_OBJECT

private slots:
    void readsEveryKey()
    {
        const auto tour = tour::parse("# a comment\n"
                                      "tour: A title: with a colon\n"
                                      "program: as_published/x.cu\n"
                                      "\n"
                                      "== First stop\n"
                                      "focus: block=1,1 thread=2\n"
                                      "after: a[i] = b[i]; // x: y\n"
                                      "time: 3\n"
                                      "cell: a[1][2]\n"
                                      "camera: a  b threads\n"
                                      "overlays: tiles halo\n"
                                      "view: banks\n"
                                      "\n"
                                      "Two lines\r\n"
                                      "of one paragraph.\n"
                                      "\n"
                                      "# not a comment here\n"
                                      "== Second\n"
                                      "finding: shared-race\n"
                                      "\n"
                                      "Text.",
                                      "x.tour");
        QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
        QCOMPARE(tour.value().title, std::string("A title: with a colon"));
        QCOMPARE(tour.value().program, std::string("as_published/x.cu"));
        QCOMPARE(tour.value().stops.size(), size_t{2});
        const tour::Stop& stop = tour.value().stops[0];
        QCOMPARE(stop.line, 5U);
        QCOMPARE(stop.title, std::string("First stop"));
        QCOMPARE(stop.focus, std::string("block=1,1 thread=2"));
        QCOMPARE(stop.after, std::string("a[i] = b[i]; // x: y"));
        QCOMPARE(stop.time, 3U);
        QCOMPARE(stop.cell, std::string("a[1][2]"));
        QCOMPARE(stop.camera, (std::vector<std::string>{"a", "b", "threads"}));
        QCOMPARE(stop.overlays, (std::vector<std::string>{"tiles", "halo"}));
        QCOMPARE(stop.view, std::string("banks"));
        QCOMPARE(stop.caption, std::string("Two lines of one paragraph.\n# not a comment here"));
        QCOMPARE(tour.value().stops[1].finding, std::string("shared-race"));
        QCOMPARE(tour.value().stops[1].time, 1U);
    }

    /// Damaged texts give an error or a tour whose stops have captions.
    void survivesDamage()
    {
        const std::string whole =
            "tour: t\nprogram: p.cu\n\n== A\nfocus: first\ntime: 2\ncamera: a b\n\nText\n\n== B\n\nMore\n";
        std::mt19937 random(5);
        for (int i = 0; i < 5000; ++i) {
            std::string text = whole;
            for (uint32_t edits = random() % 6 + 1; edits > 0 && !text.empty(); --edits) {
                const size_t at = random() % text.size();
                if (random() % 3 == 0)
                    text.erase(at, random() % 9);
                else
                    text[at] = random() % 2 ? static_cast<char>(random()) : "\n:= #"[random() % 5];
            }
            const auto tour = tour::parse(text, "x.tour");
            if (tour)
                for (const tour::Stop& stop : tour.value().stops)
                    QVERIFY(!stop.caption.empty() && stop.time > 0);
        }
    }

    void saysWhereAMistakeIs_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const QString head = "tour: t\nprogram: p.cu\n\n";
        QTest::newRow("empty") << ""
                               << "x.tour:0: a tour without a title or a program, expected `tour: TITLE` and "
                                  "`program: FILE` at its start";
        QTest::newRow("no stops") << head << "x.tour:3: a tour without stops, expected at least one `== TITLE`";
        QTest::newRow("no key") << "nonsense\n"
                                << "x.tour:1: \"nonsense\", expected `key: value`, `== TITLE` or an empty line";
        QTest::newRow("unknown key of the tour") << "author: me\n"
                                                 << "x.tour:1: unknown key \"author\", expected tour or program";
        QTest::newRow("unknown key of a stop")
            << head + "== A\nzoom: 3\n\nText\n"
            << "x.tour:5: unknown key \"zoom\", expected focus, after, time, finding, cell, camera, overlays or view";
        QTest::newRow("time") << head + "== A\ntime: -1\n\nText\n" << "x.tour:5: time \"-1\", expected a number from 1";
        QTest::newRow("time zero") << head + "== A\ntime: 0\n\nText\n"
                                   << "x.tour:5: time \"0\", expected a number from 1";
        QTest::newRow("no caption") << head + "== A\n\n== B\n\nText\n"
                                    << "x.tour:6: the stop \"A\" has no caption, expected text after an empty line";
        QTest::newRow("no last caption")
            << head + "== A\nfocus: first\n"
            << "x.tour:5: the stop \"A\" has no caption, expected text after an empty line";
    }
    void saysWhereAMistakeIs()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto tour = tour::parse(text.toStdString(), "x.tour");
        QVERIFY(!tour.ok());
        QCOMPARE(QString::fromStdString(tour.error().text()), message);
    }
};

QTEST_GUILESS_MAIN(TestTourParser)
#include "tst_tour_parser.moc"
