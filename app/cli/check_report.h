// SPDX-License-Identifier: GPL-3.0-or-later
// What `lanescope check` and `lanescope merge` say: of one run, of a command's processes, of a job's ranks, of the
// parts of a campaign. One mistake of several ranks or parts is told once.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/block_parts.h"
#include "app/cli/json_text.h"
#include "core/findings/findings_of.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

/// The other schedules that a run was compared with.
struct Explored {
    std::vector<std::string> schedules;
    unsigned asked = 0;   ///< of the whole campaign
    unsigned shards = 1;  ///< its parts
};

/// What was found in one run.
struct CheckedRun {
    std::unique_ptr<trace::TraceReader> reader;  ///< null: it wrote no trace, or its report was read
    trace::Catalog reported;                     ///< session and sources, of a report that was read
    findings::Findings result;
    std::vector<findings::ToldFinding> told;  ///< the findings of result
    /// Which of several it is: "rank" 3, "shard" 2 (from 1).
    std::map<std::string, uint32_t> numbers;
    std::optional<Explored> explored;
    std::optional<BlockPart> blockPart;

    [[nodiscard]] const trace::Catalog& catalog() const { return reader ? reader->catalog() : reported; }
};

struct ReportOptions {
    std::string format;   ///< "text", "json" or "sarif"
    std::string output;   ///< file; empty: stdout
    bool strict = false;  ///< advice counts for the exit code

    /// Where no format was asked for, it is what the file's name ends in, else text.
    void chooseFormat();
};

/// --format, -o, --strict.
void addReportOptions(CLI::App& command, ReportOptions& options);

/// One document; kJsonSchema. Of several runs: "processes" lists them, a finding says whose it is ("process"; told once
/// of ranks and shards: "ranks", "shards").
Json documentOf(const std::vector<CheckedRun>& runs);
/// The reverse: the runs of which \p document tells. Errors: it is none of check's documents.
Result<std::vector<CheckedRun>> runsOf(const Json& document);

/// kOk, kFindings or, where something was not supported, kCouldNotRun.
int exitCodeOf(const std::vector<CheckedRun>& runs, bool strict);

/// Writes it, returns the exit code. Errors of writing are said.
int report(const std::vector<CheckedRun>& runs, const ReportOptions& options);

}  // namespace lanescope::cli
