// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every exercise of the gallery, through the command: what the hole holds at first and each planted wrong answer fail
// as the exercise says, the gallery's own code solves it.
#include <QTest>

#include <set>

#include "command.h"
#include "core/exercise/shelf.h"
#include "tests/support/sampling.h"

using namespace lanescope;
using namespace lanescope::test;

class TestExercises : public QObject {
    Q_OBJECT

    static exercise::Task task(const QString& name)
    {
        auto loaded = exercise::load(LANESCOPE_KERNELS_FOLDER, name.toStdString());
        if (!loaded)
            qFatal("%s", loaded.error().text().c_str());
        return std::move(loaded).value();
    }

    static std::vector<std::string> names() { return exercise::namesIn(LANESCOPE_KERNELS_FOLDER); }

    static void addExercises()
    {
        QTest::addColumn<QString>("name");
        for (const std::string& name : names())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

    /// The verdict on \p code in the hole.
    static nlohmann::json verdict(Command& command, const exercise::Task& task, const std::string& code)
    {
        command.write("answer.cu", QString::fromStdString(task.sheet.with(code)));
        return command.json({"exercise", "check", "answer.cu", "--traces", "traces"});
    }

    static std::set<std::string> failedChecks(const nlohmann::json& verdict)
    {
        std::set<std::string> failed;
        for (const auto& test : verdict["tests"])
            for (const auto& check : test["checks"])
                if (!check["passed"].get<bool>())
                    failed.insert(check["id"].get<std::string>());
        return failed;
    }

private slots:
    void thereAreFourteenPuzzlesAndSixRepairs()
    {
        Command command;
        int puzzles = 0, repairs = 0;
        const nlohmann::json listed = command.json({"exercise", "list"});
        for (const auto& one : listed["exercises"])
            (one["kind"] == "puzzle" ? puzzles : repairs) += 1;
        QCOMPARE(puzzles, 14);
        QCOMPARE(repairs, 6);
    }

    void wrongAnswersFailAsStated_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("wrong");
        for (const std::string& name : names()) {
            const size_t count = task(QString::fromStdString(name)).exercise.wrong.size();
            QVERIFY2(count > 0, name.c_str());
            for (int wrong = -1; wrong < static_cast<int>(count); ++wrong)
                if (lanescope::test::sampled())
                    QTest::addRow("%s, %s", name.c_str(),
                                  wrong < 0 ? "at first" : qPrintable(QString::number(wrong + 1)))
                        << QString::fromStdString(name) << wrong;
        }
    }
    void wrongAnswersFailAsStated()
    {
        QFETCH(QString, name);
        QFETCH(int, wrong);
        const exercise::Task given = task(name);
        const exercise::Attempt& attempt =
            wrong < 0 ? given.exercise.start : given.exercise.wrong[static_cast<size_t>(wrong)];
        Command command;
        const nlohmann::json found = verdict(command, given, attempt.code);
        QVERIFY(!found["solved"].get<bool>());
        const std::set<std::string> failed = failedChecks(found);
        for (const std::string& expected : attempt.fails)
            QVERIFY2(failed.contains(expected), found.dump(1).c_str());
        // What failed leads to a step of the test's recording.
        for (const auto& test : found["tests"])
            for (const auto& check : test["checks"])
                if (check.contains("focus")) {
                    const CommandResult state =
                        command.run({"state", QString::fromStdString(test["trace"].get<std::string>()), "--at",
                                     QString::fromStdString(check["focus"].get<std::string>())});
                    QVERIFY2(state.code == 0, qPrintable(state.errors));
                }
    }

    void theGallerysCodeSolvesIt_data() { addExercises(); }
    void theGallerysCodeSolvesIt()
    {
        QFETCH(QString, name);
        const exercise::Task given = task(name);
        Command command;
        const nlohmann::json found = verdict(command, given, given.sheet.solution());
        QVERIFY2(found["solved"].get<bool>(), found.dump(1).c_str());
        for (const auto& test : found["tests"])
            QVERIFY(!test["hidden"].get<bool>() || test["title"] == "a hidden test");
    }

    void hintsAndTextsDoNotHoldTheHole_data() { addExercises(); }
    void hintsAndTextsDoNotHoldTheHole()
    {
        QFETCH(QString, name);
        const exercise::Task given = task(name);
        QVERIFY(!given.exercise.hints.empty());
        QVERIFY(given.sheet.start().find(given.sheet.solution()) == std::string::npos);
    }

    void oneIsStartedCheckedAndSolved()
    {
        Command command;
        const CommandResult started = command.run({"exercise", "start", "01_map"});
        QVERIFY2(started.code == 0, qPrintable(started.errors));
        QVERIFY(started.output.contains("lanescope exercise check 01_map.cu"));
        const CommandResult again = command.run({"exercise", "start", "01_map"});
        QCOMPARE(again.code, 2);
        QVERIFY(again.errors.contains("lanescope: error: 01_map.cu: is there already"));
        const CommandResult failed = command.run({"exercise", "check", "01_map.cu"});
        QCOMPARE(failed.code, 1);
        QVERIFY(failed.output.contains("out[0] is"));
        QVERIFY(failed.output.contains("not run: a hidden test"));
        QVERIFY(!failed.output.contains("100"));
        const QString answer = command.run({"exercise", "solution", "01_map"}).output;
        command.write("01_map.cu", QString::fromStdString(task("01_map").sheet.with(answer.toStdString())));
        const CommandResult solved = command.run({"exercise", "check", "01_map.cu"});
        QVERIFY2(solved.code == 0, qPrintable(solved.output + solved.errors));
        QVERIFY(solved.output.contains("Map: solved"));
        QVERIFY(!solved.output.contains("100"));
    }

    void whatCannotBeCheckedIsSaid_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("error");
        QTest::newRow("no such exercise")
            << QStringList{"start", "99_none"} << "no exercise \"99_none\", expected one of";
        QTest::newRow("no such file") << QStringList{"check", "none.cu"} << "none.cu: no such file";
        QTest::newRow("no marks") << QStringList{"check", "plain.cu"} << "plain.cu: has no marks of an exercise";
        QTest::newRow("no such hint") << QStringList{"hint", "01_map", "9"} << "expected a number from 1 to";
        QTest::newRow("changed elsewhere")
            << QStringList{"check", "changed.cu"} << "is outside the hole and was changed";
        QTest::newRow("does not compile") << QStringList{"check", "broken.cu"} << "broken.cu does not compile";
    }
    void whatCannotBeCheckedIsSaid()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, error);
        Command command;
        const exercise::Task given = task("01_map");
        command.write("plain.cu", "int main() {}\n");
        command.write("changed.cu", QString::fromStdString(given.sheet.start()).replace("int main", "int  main"));
        command.write("broken.cu", QString::fromStdString(given.sheet.with("    nonsense\n")));
        const CommandResult result = command.run(QStringList{"exercise"} + words);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.errors.contains(error), qPrintable(result.errors));
    }

    void aTeachersOwnExerciseIsTaken()
    {
        Command command;
        command.write("mine.cu", "#include <cstdio>\n__global__ void k(int* out)\n{\n    out[threadIdx.x] = 7;\n}\n"
                                 "int main()\n{\n    int* out; int h[2] = {0, 0};\n    cudaMalloc(&out, 8);\n"
                                 "    cudaMemset(out, 0, 8);\n    k<<<1, 2>>>(out);\n"
                                 "    cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);\n"
                                 "    std::printf(\"out: %d %d\\nexpected: 7 7\\n\", h[0], h[1]);\n"
                                 "    cudaFree(out);\n    return h[0] == 7 && h[1] == 7 ? 0 : 1;\n}\n");
        command.write("mine.exercise", "exercise: Mine\nsummary: Sevens\nprogram: mine.cu\nfrom: out[threadIdx.x]\n"
                                       "to: out[threadIdx.x]\ntest:\n\nText.\n== hole\nfails: output\n\n    // here\n");
        QCOMPARE(command.run({"exercise", "start", "mine.exercise", "-o", "a.cu"}).code, 0);
        const CommandResult failed = command.run({"exercise", "check", "a.cu", "--exercise", "mine.exercise"});
        QCOMPARE(failed.code, 1);
        QVERIFY2(failed.output.contains("out[0] is 0, expected 7"), qPrintable(failed.output));
    }
};

QTEST_GUILESS_MAIN(TestExercises)
#include "tst_exercises.moc"
