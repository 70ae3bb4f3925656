// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings that the user has seen and allows: by a comment on the line, `// lanescope: allow shared-race (why)`, or on
// a line of its own above it; or in a file of lines
//   KIND                 everywhere
//   KIND FILE[:LINE]     FILE may be a pattern (*, ?) and matches whole paths or their last parts
//   KIND in KERNEL
// where KIND may be * and # starts a comment; (why) may follow.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/model.h"

namespace lanescope::findings {

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

struct Judged {
    std::vector<trace::Finding> kept;
    std::vector<SuppressedFinding> suppressed;
    std::vector<UnusedSuppression> unused;
};

/// Tells what is allowed from the rest, and what was not needed. \p file: a suppressions file, or empty. Errors name
/// its line.
Result<Judged> applySuppressions(const trace::Catalog& catalog, const std::string& file,
                                 std::vector<trace::Finding> findings);

}  // namespace lanescope::findings
