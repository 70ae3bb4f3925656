// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope diff: two traces, access for access.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/diff_traces.h"
#include "app/cli/json_text.h"

namespace lanescope::cli {

namespace {

constexpr size_t kMaxShown = 10;

struct DiffOptions {
    std::string a, b;  ///< paths
    std::string format = "text";
    bool isOfCells = false;
};

int diff(const DiffOptions& options)
{
    Result<std::unique_ptr<trace::TraceReader>> a = trace::TraceReader::open(options.a);
    if (!a)
        return fail(a.error());
    Result<std::unique_ptr<trace::TraceReader>> b = trace::TraceReader::open(options.b);
    if (!b)
        return fail(b.error());
    const Result<TraceDifferences> compared =
        compareTraces(*a.value(), *b.value(), options.isOfCells ? Compared::Cells : Compared::Accesses, kMaxShown);
    if (!compared)
        return fail(compared.error());
    const TraceDifferences& result = compared.value();
    if (options.format == "json") {
        printJson({{"schema", kJsonSchema},
                   {"equal", result.differences == 0},
                   {"threadsCompared", result.threadsCompared},
                   {"accessesCompared", result.accessesCompared},
                   {"differences", result.differences},
                   {"first", result.first}});
    } else {
        for (const std::string& line : result.first)
            fmt::print("{}\n", line);
        fmt::print("{} threads and {} {} compared: {}\n", result.threadsCompared, result.accessesCompared,
                   options.isOfCells ? "bytes" : "accesses",
                   result.differences == 0 ? "equal" : fmt::format("{} differences", result.differences));
    }
    return result.differences == 0 ? kOk : kFindings;
}

}  // namespace

void addDiffCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<DiffOptions>();
    CLI::App* command = app.add_subcommand("diff", "compare two traces access for access");
    command->add_option("a", options->a, "a trace")->required()->type_name("A.lanes");
    command->add_option("b", options->b, "another")->required()->type_name("B.lanes");
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_flag("--cells", options->isOfCells,
                      "compare which bytes each thread reads and leaves, not how: for code of two compilers");
    command->callback([options, &context] { context.run = [options] { return diff(*options); }; });
}

}  // namespace lanescope::cli
