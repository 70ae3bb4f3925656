// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exercise_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/cli/child_program.h"
#include "app/cli/program_options.h"
#include "core/exercise/shelf.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

/// Warp instructions of a launch. Exercises are small: what takes more does not come to an end.
constexpr uint64_t kMostSteps = 20'000'000;
constexpr const char* kTraceBudget = "64M";

std::vector<std::string> wordsOf(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

/// Runs the tests of one compiled answer.
class TestRunner {
public:
    TestRunner(std::string executable, std::string file, const std::string& folder, const Context& context)
        : m_executable(std::move(executable)), m_file(std::move(file)), m_folder(folder), m_context(context)
    {
    }

    Result<TestResult> run(const exercise::Exercise& exercise, const exercise::Test& test, size_t number) const
    {
        TestResult result;
        result.test = test;
        result.ran = true;
        result.trace = (fs::path(m_folder) / fmt::format("test{}.lanes", number)).string();
        const Result<ProgramRun> ended = start(result, number);
        if (!ended)
            return ended.error();
        std::error_code ignored;
        if (!fs::exists(result.trace, ignored))
            result.trace.clear();
        std::vector<exercise::Gate> gates = exercise.gates;
        gates.insert(gates.end(), test.gates.begin(), test.gates.end());
        Result<std::vector<exercise::Check>> checks =
            exercise::judge({result.trace, result.output, ended.value().code}, gates);
        if (!checks)
            return checks.error();
        result.checks = std::move(checks).value();
        return result;
    }

private:
    Result<ProgramRun> start(TestResult& result, size_t number) const
    {
        ProgramOptions options;
        options.source = m_file;
        options.maxSteps = kMostSteps;
        options.maxBytes = kTraceBudget;
        const Result<std::string> settings = runtimeOptions(options, m_context.commandLine, FindingsAtExit::Silent);
        if (!settings)
            return settings.error();
        ProgramRunRequest request;
        request.executable = m_executable;
        request.name = programName(m_file);
        request.arguments = wordsOf(result.test.arguments);
        request.options = settings.value();
        request.trace = result.trace;
        request.outputFile = (fs::path(m_folder) / fmt::format("test{}.txt", number)).string();
        Result<ProgramRun> ended = runProgram(request);
        if (!ended)
            return ended;
        Result<std::string> output = exercise::readText(request.outputFile);
        if (!output)
            return output.error();
        result.output = std::move(output).value();
        return ended;
    }

    std::string m_executable;
    std::string m_file;
    std::string m_folder;
    const Context& m_context;
};

}  // namespace

bool TestResult::passed() const
{
    return ran && std::ranges::all_of(checks, &exercise::Check::passed);
}

Result<std::vector<TestResult>> runTests(const exercise::Exercise& exercise, const std::string& file,
                                         const std::string& folder, const Context& context,
                                         const std::function<void(const std::string&)>& progress)
{
    progress("compiling");
    ProgramOptions options;
    options.source = file;
    const std::optional<compiler::CompiledProgram> program = compileProgram(options, "");
    if (!program)
        return Error{};
    const TestRunner runner(program->path, file, folder, context);
    std::vector<TestResult> results;
    bool goesOn = true;
    for (const exercise::Test& test : exercise.tests) {
        const size_t number = results.size() + 1;
        if (!goesOn) {
            results.push_back({test, false, {}, {}, {}});
            continue;
        }
        progress(fmt::format("test {} of {}", number, exercise.tests.size()));
        Result<TestResult> result = runner.run(exercise, test, number);
        if (!result)
            return result.error();
        goesOn = result.value().passed();
        results.push_back(std::move(result).value());
    }
    return results;
}

}  // namespace lanescope::cli
