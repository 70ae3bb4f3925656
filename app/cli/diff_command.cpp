// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope diff: two traces, access for access.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/diff_traces.h"
#include "app/cli/json_text.h"

namespace lanescope::cli {

namespace {

constexpr size_t kMaxShown = 10;

int diff(const std::string& pathA, const std::string& pathB, const std::string& format)
{
    Result<std::unique_ptr<trace::TraceReader>> a = trace::TraceReader::open(pathA);
    if (!a)
        return fail(a.error());
    Result<std::unique_ptr<trace::TraceReader>> b = trace::TraceReader::open(pathB);
    if (!b)
        return fail(b.error());
    const Result<TraceDifferences> compared = compareTraces(*a.value(), *b.value(), kMaxShown);
    if (!compared)
        return fail(compared.error());
    const TraceDifferences& result = compared.value();
    if (format == "json") {
        printJson({{"schema", kJsonSchema},
                   {"equal", result.differences == 0},
                   {"threadsCompared", result.threadsCompared},
                   {"accessesCompared", result.accessesCompared},
                   {"differences", result.differences},
                   {"first", result.first}});
    } else {
        for (const std::string& line : result.first)
            fmt::print("{}\n", line);
        fmt::print("{} threads and {} accesses compared: {}\n", result.threadsCompared, result.accessesCompared,
                   result.differences == 0 ? "equal" : fmt::format("{} differences", result.differences));
    }
    return result.differences == 0 ? kOk : kFindings;
}

}  // namespace

void addDiffCommand(CLI::App& app, Context& context)
{
    auto paths = std::make_shared<std::pair<std::string, std::string>>();
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = app.add_subcommand("diff", "compare two traces access for access");
    command->add_option("a", paths->first, "a trace")->required()->type_name("A.lanes");
    command->add_option("b", paths->second, "another")->required()->type_name("B.lanes");
    command->add_option("--format", *format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([paths, format, &context] {
        context.run = [paths, format] { return diff(paths->first, paths->second, *format); };
    });
}

}  // namespace lanescope::cli
