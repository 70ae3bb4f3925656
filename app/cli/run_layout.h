// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope layout --of: the layout of an array that a run's accesses show.
#pragma once

#include <string>

namespace lanescope::cli {

struct RunLayoutOptions {
    std::string buffer;
    std::string trace;
    std::string at;          ///< FOCUS; of it launch and block matter
    std::string expression;  ///< a layout to compare with; may be empty
    std::string format = "text";
};

/// Returns the exit code: kFindings where it differs from the expression.
int printRunLayout(const RunLayoutOptions& options);

}  // namespace lanescope::cli
