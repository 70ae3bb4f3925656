// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text format of exercises, and the file that a learner gets. What runs of answers are worth is in tst_exercises.
#include <QTest>
#include <random>

#include "core/exercise/exercise.h"
#include "core/exercise/sheet.h"

using namespace lanescope;

class TestExercise : public QObject {
    Q_OBJECT

    static constexpr const char* kText = "# a comment\n"
                                         "exercise: A title\n"
                                         "kind: repair\n"
                                         "summary: One line\n"
                                         "program: x.cu\n"
                                         "from: int i = 0;\n"
                                         "to: out[i] = 1;\n"
                                         "test: 4 5\n"
                                         "hidden: 7 | global-reads of a <= 1.5 per thread | atomics >= 1\n"
                                         "gate: conflict-degree <= 1\n"
                                         "\n"
                                         "Two lines\n"
                                         "of one paragraph.\n"
                                         "\n"
                                         "Another.\n"
                                         "== hint\n"
                                         "The first.\n"
                                         "== hole\n"
                                         "fails: output shared-race\n"
                                         "\n"
                                         "    // here\n"
                                         "\n"
                                         "    int j;\n"
                                         "\n"
                                         "== wrong one\n"
                                         "fails: output\n"
                                         "\n"
                                         "    int k;\n";
    static constexpr const char* kProgram = "// The answer is here.\n"
                                            "// And here.\n"
                                            "#include <cstdio>\n"
                                            "__global__ void k(int* out)\n"
                                            "{\n"
                                            "    int i = 0;\n"
                                            "    // between\n"
                                            "    out[i] = 1;\n"
                                            "}\n"
                                            "int main() {}\n";

    static exercise::Exercise parsed()
    {
        const auto made = exercise::parse(kText, "x");
        if (!made)
            qFatal("%s", made.error().text().c_str());
        return made.value();
    }

    static exercise::Sheet sheet()
    {
        const auto made = exercise::Sheet::of(parsed(), kProgram);
        if (!made)
            qFatal("%s", made.error().text().c_str());
        return made.value();
    }

private slots:
    void readsEveryKey()
    {
        const exercise::Exercise exercise = parsed();
        QCOMPARE(exercise.name, std::string("x"));
        QCOMPARE(exercise.title, std::string("A title"));
        QVERIFY(exercise.isRepair);
        QCOMPARE(exercise.summary, std::string("One line"));
        QCOMPARE(exercise.program, std::string("x.cu"));
        QCOMPARE(exercise.text, std::string("Two lines of one paragraph.\nAnother."));
        QCOMPARE(exercise.hints, std::vector<std::string>{"The first."});
        QCOMPARE(exercise.tests.size(), size_t{2});
        QCOMPARE(exercise.tests[0].arguments, std::string("4 5"));
        QVERIFY(!exercise.tests[0].hidden);
        QVERIFY(exercise.tests[1].hidden);
        QCOMPARE(exercise.tests[1].gates.size(), size_t{2});
        QCOMPARE(exercise::textOf(exercise.tests[1].gates[0]), std::string("global-reads of a <= 1.5 per thread"));
        QCOMPARE(exercise::textOf(exercise.tests[1].gates[1]), std::string("atomics >= 1"));
        QCOMPARE(exercise::textOf(exercise.gates.front()), std::string("conflict-degree <= 1"));
        QCOMPARE(exercise.start.code, std::string("    // here\n\n    int j;\n"));
        QCOMPARE(exercise.start.fails, (std::vector<std::string>{"output", "shared-race"}));
        QCOMPARE(exercise.wrong.front().title, std::string("one"));
        QCOMPARE(exercise.wrong.front().code, std::string("    int k;\n"));
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("message");
        QTest::newRow("key") << "summary:" << "sumary:" << "unknown key \"sumary\"";
        QTest::newRow("kind") << "repair" << "riddle" << "kind \"riddle\", expected puzzle or repair";
        QTest::newRow("metric") << "conflict-degree" << "beauty" << "\"beauty\", expected one of sectors-per-request";
        QTest::newRow("gate") << "<= 1\n" << "< 1\n" << "expected METRIC [of BUFFER] <=|>= NUMBER";
        QTest::newRow("section") << "== hint" << "== tip" << "unknown section \"tip\"";
        QTest::newRow("no program") << "program: x.cu\n" << "" << "an exercise without `program: …`";
        QTest::newRow("no test") << "test: 4 5\nhidden: 7 | global-reads of a <= 1.5 per thread | atomics >= 1\n"
                                 << ""
                                 << "an exercise without a test";
        QTest::newRow("no verdict") << "fails: output\n" << "" << "code without `fails:";
    }
    void namesWhatIsWrong()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, message);
        const QString text = QString(kText).replace(from, to);
        const auto made = exercise::parse(text.toStdString(), "x");
        QVERIFY(!made);
        QVERIFY2(made.error().text().find(message.toStdString()) != std::string::npos, made.error().text().c_str());
    }

    /// Damaged texts give an error or an exercise with code in its hole.
    void survivesDamage()
    {
        const std::string whole = kText;
        std::mt19937 random(7);
        for (int i = 0; i < 2000; ++i) {
            std::string text = whole;
            for (int changes = 0; changes < 3; ++changes)
                text[random() % text.size()] = static_cast<char>(random() % 128);
            const auto made = exercise::parse(text.substr(0, random() % (text.size() + 1)), "x");
            QVERIFY(!made || !made.value().start.code.empty());
        }
    }

    void theSheetHidesTheAnswer()
    {
        const std::string start = sheet().start();
        QVERIFY(start.find("The answer is here") == std::string::npos);
        QVERIFY(start.find("out[i] = 1;") == std::string::npos);
        QVERIFY(start.find("int main() {}") != std::string::npos);
        QCOMPARE(sheet().solution(), std::string("    int i = 0;\n    // between\n    out[i] = 1;\n"));
        QCOMPARE(exercise::exerciseNamedIn(start), std::optional<std::string>("x"));
        QVERIFY(!exercise::exerciseNamedIn(kProgram));
        const auto hole = exercise::holeLinesOf(start);
        QVERIFY(hole.has_value());
        QCOMPARE(hole->last - hole->first + 1, 3U);
    }

    void theAnswerComesOutAsItWentIn_data()
    {
        QTest::addColumn<QString>("code");
        QTest::newRow("nothing") << "";
        QTest::newRow("a line") << "    out[0] = 1;\n";
        QTest::newRow("lines of the program") << "}\nint main() {}\n    // <<< your code\n";
    }
    void theAnswerComesOutAsItWentIn()
    {
        QFETCH(QString, code);
        const auto taken = sheet().codeOf(sheet().with(code.toStdString()));
        QVERIFY2(taken.ok(), taken ? "" : taken.error().text().c_str());
        QCOMPARE(taken.value(), code.toStdString());
    }

    void changesOutsideTheHoleAreNamed_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("before") << "#include <cstdio>" << "#include <cmath>";
        QTest::newRow("after") << "int main() {}" << "int main() { return 0; }";
        QTest::newRow("a mark") << "// >>> your code" << "// my code";
        QTest::newRow("cut off") << "int main() {}\n" << "";
    }
    void changesOutsideTheHoleAreNamed()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const QString file = QString::fromStdString(sheet().start()).replace(from, to);
        const auto taken = sheet().codeOf(file.toStdString());
        QVERIFY(!taken);
        QVERIFY2(taken.error().message.find("outside the hole") != std::string::npos, taken.error().message.c_str());
    }

    void aProgramWithoutTheLinesIsRefused()
    {
        const auto made = exercise::Sheet::of(parsed(), "int main() {}\n");
        QVERIFY(!made);
        QVERIFY(made.error().message.find("has no lines from") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestExercise)
#include "tst_exercise.moc"
