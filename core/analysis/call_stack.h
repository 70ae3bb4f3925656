// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions a thread is in, from the calls that the trace's sites tell and from what the thread ran.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::analysis {

/// One function on the way to where a thread is.
struct CallFrame {
    std::string function;
    /// Of the innermost frame: its next line. Of the others: the call that it is in, or several where the recording
    /// does not tell which.
    std::vector<trace::SourceLocation> at;
    /// False where what ran before and after names different callers: this one is the one before.
    bool certain = true;
};

/// Innermost first; the last one is the kernel, unless the trace does not tell the calls, as those of before.
struct CallStack {
    std::vector<CallFrame> frames;
    bool recursive = false;  ///< A frame may have been called by itself or one further in: how often, no trace tells.
};

/// The calls that a trace tells: sites of kind Call, which have no events. Functions are told apart by their names.
class CallGraph {
public:
    explicit CallGraph(const trace::Catalog& catalog);

    /// Of the thread of lane \p lane of \p warp before \p step of its block, whose steps are \p steps (as
    /// BlockCursor::summary gives them). Cost: O(steps to where a caller goes on), of at most 200,000.
    [[nodiscard]] CallStack stackAt(const std::string& kernel, std::span<const replay::StepSummary> steps,
                                    uint32_t warp, int lane, StepIndex step) const;

private:
    struct Call {
        std::string caller;
        trace::SourceLocation where;
        friend bool operator==(const Call&, const Call&) = default;
    };
    class Search;

    [[nodiscard]] std::set<std::string> calledFrom(const std::string& kernel) const;

    const trace::Catalog& m_catalog;
    std::map<std::string, std::vector<Call>> m_callsOf;  ///< by callee
};

}  // namespace lanescope::analysis
