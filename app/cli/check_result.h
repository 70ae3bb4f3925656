// SPDX-License-Identifier: GPL-3.0-or-later
// What `lanescope check` has to say about one trace, before it is written as text, JSON or SARIF.
#pragma once

#include <string>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::cli {

/// A finding that a suppression allows.
struct SuppressedFinding {
    trace::Finding finding;
    bool inSource = true;  ///< by a comment; false: by the suppressions file
    std::string reason;    ///< the text in parentheses; may be empty
};

/// A suppression that no finding needed.
struct UnusedSuppression {
    std::string where;  ///< "file:line"
    std::string text;   ///< "allow shared-race"
};

struct CheckResult {
    std::vector<trace::Finding> findings;
    std::vector<SuppressedFinding> suppressed;
    std::vector<UnusedSuppression> unusedSuppressions;
    std::vector<std::string> unsupported;  ///< why the run stopped early
    uint64_t droppedBlocks = 0;            ///< that were not recorded, and so not looked at for advice
};

}  // namespace lanescope::cli
