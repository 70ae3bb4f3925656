// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that is to be said about a trace: its findings, advice, why the run stopped, less what the user allows. The
// command, the window and every view take it from here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/advice.h"
#include "core/base/result.h"
#include "core/findings/suppressions.h"
#include "core/findings/told_once.h"
#include "core/trace/reader.h"

namespace lanescope::findings {

struct FindingsOptions {
    bool withAdvice = true;   ///< looks at the events: some seconds for a large trace
    bool placesSides = true;  ///< looks for the steps of races' first sides
    analysis::AdviceThresholds thresholds;
    std::string suppressions;          ///< a file; empty: none
    std::vector<trace::Finding> more;  ///< that the trace does not have
};

struct Findings {
    std::vector<trace::Finding> findings;  ///< each launch's, each pair of lines
    std::vector<SuppressedFinding> suppressed;
    std::vector<UnusedSuppression> unusedSuppressions;
    std::vector<std::string> unsupported;  ///< why the run stopped early, where that is no finding
    uint64_t droppedBlocks = 0;            ///< that were not recorded, and so not looked at for advice
    std::vector<std::string> notChecked;   ///< empty: everything was looked at

    /// The same, as people are told of it.
    [[nodiscard]] std::vector<ToldFinding> told() const { return toldOnce(findings); }
    [[nodiscard]] bool complete() const { return notChecked.empty(); }
};

/// What nobody has looked at, so that it may hide more: "launch 2, k: it did not come to its end". Of a recording that
/// still goes on, too.
std::vector<std::string> notChecked(const trace::Catalog& catalog);

/// Errors: the trace cannot be read, the suppressions file is wrong (names its line).
Result<Findings> findingsOf(trace::TraceReader& reader, const FindingsOptions& options);

}  // namespace lanescope::findings
