// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope exercise: lists exercises, begins one, checks an answer, gives hints and the solution.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/exercise_run.h"
#include "app/cli/json_text.h"
#include "app/cli/program_options.h"
#include "core/base/temporary_folder.h"
#include "core/exercise/shelf.h"
#include "instrumented/compiler/installation.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

struct ExerciseOptions {
    std::string name;
    std::string file;
    std::string format = "text";
    std::string traces;  ///< folder that takes them; empty: none is kept
    uint32_t hint = 0;   ///< number; 0: the next line says how many there are
    bool again = false;
};

std::string gallery()
{
    return compiler::findInstallation().kernels;
}

/// Paragraphs, each on lines of a terminal's width.
std::string wrapped(const std::string& text, const std::string& indent)
{
    constexpr size_t kWidth = 78;
    std::string result, line = indent;
    std::istringstream paragraphs(text);
    for (std::string paragraph; std::getline(paragraphs, paragraph);) {
        std::istringstream words(paragraph);
        for (std::string word; words >> word;) {
            if (line.size() > indent.size() && line.size() + word.size() + 1 > kWidth) {
                result += line + '\n';
                line = indent;
            }
            line += (line.size() > indent.size() ? " " : "") + word;
        }
        result += line + '\n';
        line = indent;
    }
    return result;
}

Json listJson(const std::vector<exercise::Exercise>& all)
{
    Json list = Json::array();
    for (const exercise::Exercise& one : all)
        list.push_back({{"name", one.name},
                        {"title", one.title},
                        {"kind", one.isRepair ? "repair" : "puzzle"},
                        {"summary", one.summary},
                        {"program", one.program},
                        {"hints", one.hints.size()},
                        {"tests", one.tests.size()}});
    return {{"schema", kJsonSchema}, {"exercises", std::move(list)}};
}

int list(const ExerciseOptions& options)
{
    std::vector<exercise::Exercise> all;
    for (const std::string& name : exercise::namesIn(gallery())) {
        Result<exercise::Task> task = exercise::load(gallery(), name);
        if (!task)
            return fail(task.error());
        all.push_back(std::move(task).value().exercise);
    }
    if (all.empty())
        return fail(Error{Error::Code::NotFound, "no exercises are installed", gallery()});
    if (options.format == "json") {
        printJson(listJson(all));
        return kOk;
    }
    for (const exercise::Exercise& one : all)
        fmt::print("{:26} {:7} {}\n", one.name, one.isRepair ? "repair" : "puzzle", one.summary);
    return kOk;
}

int start(const ExerciseOptions& options)
{
    const Result<exercise::Task> task = exercise::load(gallery(), options.name);
    if (!task)
        return fail(task.error());
    const exercise::Exercise& exercise = task.value().exercise;
    const std::string file = options.file.empty() ? exercise.name + ".cu" : options.file;
    std::error_code ignored;
    if (fs::exists(file, ignored) && !options.again)
        return fail(Error{Error::Code::BadInput, "is there already; --again begins it anew", file});
    std::ofstream out(file, std::ios::binary);
    out << task.value().sheet.start();
    out.close();
    if (!out)
        return fail(Error{Error::Code::Io, "cannot be written", file});
    fmt::print("{}\n\n{}\n", exercise.title, wrapped(exercise.text, ""));
    fmt::print("Write your code between the marks of {0}, then: lanescope exercise check {0}\n", file);
    if (!exercise.hints.empty())
        fmt::print("Hints: lanescope exercise hint {} 1 … {}\n", options.name, exercise.hints.size());
    return kOk;
}

std::string titleOf(const TestResult& result)
{
    // Of a hidden test nothing is said before it fails.
    if (result.test.hidden && (!result.ran || result.passed()))
        return "a hidden test";
    return fmt::format("{} {}", result.test.hidden ? "the hidden test with arguments" : "with arguments",
                       result.test.arguments);
}

Json checkJson(const exercise::Check& check)
{
    Json json = {{"id", check.id}, {"passed", check.passed}, {"message", check.message}};
    if (!check.focus.empty())
        json["focus"] = check.focus;
    return json;
}

Json verdictJson(const exercise::Exercise& exercise, const std::string& file, const std::vector<TestResult>& results,
                 bool keepsTraces)
{
    Json tests = Json::array();
    for (const TestResult& result : results) {
        Json json = {{"title", titleOf(result)},
                     {"hidden", result.test.hidden},
                     {"ran", result.ran},
                     {"passed", result.passed()},
                     {"checks", Json::array()}};
        for (const exercise::Check& check : result.checks)
            json["checks"].push_back(checkJson(check));
        if (keepsTraces && !result.trace.empty())
            json["trace"] = result.trace;
        tests.push_back(std::move(json));
    }
    return {{"schema", kJsonSchema},
            {"exercise", exercise.name},
            {"file", file},
            {"solved", std::ranges::all_of(results, &TestResult::passed)},
            {"tests", std::move(tests)}};
}

void printVerdict(const exercise::Exercise& exercise, const std::vector<TestResult>& results, bool keepsTraces)
{
    for (const TestResult& result : results) {
        fmt::print("{} {}\n", !result.ran ? "not run:" : result.passed() ? "passed: " : "failed: ", titleOf(result));
        for (const exercise::Check& check : result.checks) {
            fmt::print("    {} {}\n", check.passed ? "ok  " : "NOT ", check.message);
            if (!check.passed && !check.focus.empty() && keepsTraces)
                fmt::print("         lanescope view {} --at \"{}\"\n", result.trace, check.focus);
        }
        if (result.ran && !result.passed() && !result.output.empty())
            fmt::print("    It printed:\n{}", wrapped(result.output, "    "));
    }
    fmt::print("{}\n", std::ranges::all_of(results, &TestResult::passed) ? exercise.title + ": solved"
                                                                         : exercise.title + ": not yet");
}

/// The exercise that the file says it answers, or the one that was named.
Result<exercise::Task> taskOf(const ExerciseOptions& options, const std::string& text)
{
    std::string name = options.name;
    if (name.empty()) {
        const std::optional<std::string> named = exercise::exerciseNamedIn(text);
        if (!named)
            return Error{Error::Code::BadInput,
                         "has no marks of an exercise, expected a file made by lanescope exercise start", options.file};
        name = *named;
    }
    return exercise::load(gallery(), name);
}

int check(const ExerciseOptions& options, const Context& context)
{
    const Result<std::string> text = exercise::readText(options.file);
    if (!text)
        return fail(text.error());
    const Result<exercise::Task> task = taskOf(options, text.value());
    if (!task)
        return fail(task.error());
    if (const Result<std::string> code = task.value().sheet.codeOf(text.value()); !code)
        return fail(Error{code.error().code, code.error().message, options.file});
    const TemporaryFolder folder("exercise");
    std::error_code ignored;
    if (!options.traces.empty())
        fs::create_directories(options.traces, ignored);
    const auto progress = [](const std::string& what) {
        if (wantsProgress())
            fmt::print(stderr, "lanescope: {} …\n", what);
    };
    const exercise::Exercise& exercise = task.value().exercise;
    const bool keeps = !options.traces.empty();
    const Result<std::vector<TestResult>> results =
        runTests(exercise, options.file, keeps ? options.traces : folder.path(), context, progress);
    if (!results)  // an empty message: clang has said why
        return results.error().message.empty() ? kCouldNotRun : fail(results.error());
    if (options.format == "json")
        printJson(verdictJson(exercise, options.file, results.value(), keeps));
    else
        printVerdict(exercise, results.value(), keeps);
    return std::ranges::all_of(results.value(), &TestResult::passed) ? kOk : kFindings;
}

int hint(const ExerciseOptions& options)
{
    const Result<exercise::Task> task = exercise::load(gallery(), options.name);
    if (!task)
        return fail(task.error());
    const std::vector<std::string>& hints = task.value().exercise.hints;
    if (options.hint < 1 || options.hint > hints.size())
        return fail(fmt::format("hint {}: found {} hints for {}, expected a number from 1 to {}", options.hint,
                                hints.size(), options.name, hints.size()));
    fmt::print("{}", wrapped(hints[options.hint - 1], ""));
    return kOk;
}

int solution(const ExerciseOptions& options)
{
    const Result<exercise::Task> task = exercise::load(gallery(), options.name);
    if (!task)
        return fail(task.error());
    fmt::print("{}", task.value().sheet.solution());
    return kOk;
}

void addFormat(CLI::App* command, ExerciseOptions& options)
{
    command->add_option("--format", options.format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
}

}  // namespace

void addExerciseCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ExerciseOptions>();
    CLI::App* command = app.add_subcommand("exercise", "kernels to write and to mend, with tests, gates and hints");
    command->require_subcommand(1);
    const auto runs = [&context](CLI::App* sub, const std::function<int()>& act) {
        sub->callback([act, &context] { context.run = act; });
    };
    const auto addName = [options](CLI::App* sub) {
        sub->add_option("name", options->name, "of `lanescope exercise list`, or a *.exercise file")
            ->required()
            ->type_name("NAME");
    };
    CLI::App* listed = command->add_subcommand("list", "the exercises that there are");
    addFormat(listed, *options);
    runs(listed, [options] { return list(*options); });

    CLI::App* begun = command->add_subcommand("start", "write the program with the hole, and say what is wanted");
    addName(begun);
    begun->add_option("-o,--output", options->file, "where to (default: NAME.cu here)")->type_name("FILE");
    begun->add_flag("--again", options->again, "in the place of a file that is there");
    runs(begun, [options] { return start(*options); });

    CLI::App* checked = command->add_subcommand(
        "check", "run the tests of an answer. Exit status 0: solved, 1: not yet, 2: it does not compile");
    checked->add_option("file", options->file, "the answer")->required()->type_name("FILE");
    checked->add_option("--exercise", options->name, "which (default: the one that the file's marks name)")
        ->type_name("NAME");
    checked->add_option("--traces", options->traces, "keep the recording of each test in this folder")
        ->type_name("DIR");
    addFormat(checked, *options);
    runs(checked, [options, &context] { return check(*options, context); });

    CLI::App* hinted = command->add_subcommand("hint", "one hint");
    addName(hinted);
    hinted->add_option("number", options->hint, "which, from 1")->required()->type_name("N");
    runs(hinted, [options] { return hint(*options); });

    CLI::App* solved = command->add_subcommand("solution", "what belongs in the hole");
    addName(solved);
    runs(solved, [options] { return solution(*options); });
}

}  // namespace lanescope::cli
