// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope check: the findings of a trace, or of a program that is recorded for it.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "app/cli/program_options.h"
#include "app/cli/sarif.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

/// Findings need no more than this of the events.
constexpr const char* kTraceBudget = "256M";

struct CheckOptions {
    ProgramOptions program;
    std::string format = "text";
    bool strict = false;
};

/// A folder of our own for the trace, gone afterwards.
class TemporaryFolder {
public:
    TemporaryFolder() { m_good = mkdtemp(m_path.data()) != nullptr; }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] std::string file(const char* name) const { return m_path + "/" + name; }

private:
    std::string m_path = fs::temp_directory_path().string() + "/lanescope-check-XXXXXX";
    bool m_good = false;
};

bool isTrace(const std::string& path)
{
    const std::string extension = fs::path(path).extension().string();
    return extension != ".cu" && extension != ".cpp" && extension != ".cc" && extension != ".c";
}

bool isLimitKind(const std::string& kind)
{
    return kind == "step-limit" || kind == "time-limit" || kind == "memory-limit";
}

/// A limit that stopped the run is a finding; anything else that stopped it is in "unsupported".
struct Outcome {
    std::vector<trace::Finding> findings;
    std::vector<std::string> unsupported;
};

Outcome outcomeOf(const trace::Catalog& catalog)
{
    Outcome outcome{catalog.findings, {}};
    const std::string& reason = catalog.session.stopReason;
    if (reason.empty())
        return outcome;
    const std::string kind = reason.substr(0, reason.find(':'));
    if (!isLimitKind(kind)) {
        outcome.unsupported.push_back(reason);
        return outcome;
    }
    trace::Finding finding;
    finding.kind = kind;
    finding.severity = "error";
    finding.message = reason;
    outcome.findings.push_back(finding);
    return outcome;
}

uint64_t droppedBlocks(const trace::Catalog& catalog)
{
    uint64_t dropped = 0;
    for (const trace::Launch& launch : catalog.launches)
        dropped += launch.blocksDropped;
    return dropped;
}

Json documentOf(const trace::Catalog& catalog, const Outcome& outcome)
{
    Json json = {{"schema", kJsonSchema}, {"program", catalog.session.program}, {"device", catalog.session.device}};
    json["programExit"] = catalog.session.programExit ? Json(*catalog.session.programExit) : Json();
    json["findings"] = Json::array();
    for (const trace::Finding& finding : outcome.findings)
        json["findings"].push_back(toJson(catalog, finding));
    json["unsupported"] = outcome.unsupported;
    json["dropped"] = droppedBlocks(catalog);
    return json;
}

void printText(const trace::Catalog& catalog, const Outcome& outcome)
{
    for (const trace::Finding& finding : outcome.findings) {
        const bool placed = !finding.accesses.empty() && finding.accesses[0].where.line > 0;
        fmt::print("{}{}{}: {} [{}]{}\n", placed ? locationText(catalog, finding.accesses[0].where) : "",
                   placed ? ": " : "", finding.severity, finding.message, finding.kind,
                   finding.count > 1 ? fmt::format(" ({} times)", finding.count) : "");
        for (const trace::FindingAccess& access : finding.accesses)
            if (access.where.line > 0)
                fmt::print("    {} of {} at {} by block ({},{},{}) thread ({},{},{})\n", access.access,
                           access.expression, locationText(catalog, access.where), access.block.x, access.block.y,
                           access.block.z, access.thread.x, access.thread.y, access.thread.z);
    }
    for (const std::string& reason : outcome.unsupported)
        fmt::print("stopped: {}\n", reason);
    if (outcome.findings.empty() && outcome.unsupported.empty())
        fmt::print("no findings\n");
}

int exitCodeOf(const Outcome& outcome, bool strict)
{
    for (const trace::Finding& finding : outcome.findings)
        if (strict || finding.severity == "error" || finding.severity == "warning")
            return kFindings;
    return outcome.unsupported.empty() ? kOk : kCouldNotRun;
}

int reportTrace(const std::string& path, const CheckOptions& options)
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader)
        return fail(reader.error());
    const trace::Catalog& catalog = reader.value()->catalog();
    const Outcome outcome = outcomeOf(catalog);
    if (options.format == "json")
        printJson(documentOf(catalog, outcome));
    else if (options.format == "sarif")
        printJson(sarifDocument(catalog, outcome.findings));
    else
        printText(catalog, outcome);
    return exitCodeOf(outcome, options.strict);
}

int recordAndReport(CheckOptions options, const std::string& commandLine)
{
    if (options.program.maxBytes.empty())
        options.program.maxBytes = kTraceBudget;
    const Result<std::string> settings = runtimeOptions(options.program, commandLine, FindingsAtExit::Silent);
    if (!settings)
        return fail(settings.error());
    const std::optional<compiler::CompiledProgram> program = compileProgram(options.program, "");
    if (!program)
        return kCouldNotRun;
    const TemporaryFolder folder;
    if (!folder.good())
        return fail("no folder for a temporary trace can be made in " + fs::temp_directory_path().string());
    const std::string trace = folder.file("check.lanes");
    const Result<ProgramRun> run =
        runProgram({program->executable, options.program.arguments, settings.value(), trace, options.format != "text"});
    if (!run)
        return fail(run.error());
    if (run.value().status && !run.value().status->traceError.empty())
        return kCouldNotRun;
    if (!fs::exists(trace)) {
        if (run.value().signal != 0)
            return fail(
                fmt::format("the program was ended by signal {} before it launched a kernel", run.value().signal));
        return fail("the program launched no kernel; nothing was checked");
    }
    return reportTrace(trace, options);
}

}  // namespace

void addCheckCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = app.add_subcommand("check", "findings of a CUDA program or of a trace");
    command->add_option("input", options->program.source, "a .cu file or a trace")
        ->required()
        ->type_name("PROG.cu|TRACE");
    command->add_option("--format", options->format, "text, json or sarif")
        ->check(CLI::IsMember({"text", "json", "sarif"}))
        ->capture_default_str();
    command->add_flag("--strict", options->strict, "advice counts too for the exit status");
    addCompileOptions(*command, options->program);
    addRecordOptions(*command, options->program);
    addRunOptions(*command, options->program);
    command->callback([options, &context] {
        context.run = [options, &context] {
            return isTrace(options->program.source) ? reportTrace(options->program.source, *options)
                                                    : recordAndReport(*options, context.commandLine);
        };
    });
}

}  // namespace lanescope::cli
