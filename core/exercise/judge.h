// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a recorded run of an exercise is worth: its output, what was found in it, and its gates.
#pragma once

#include <string>
#include <vector>

#include "core/exercise/exercise.h"

namespace lanescope::exercise {

/// One thing that was looked at.
struct Check {
    std::string id;  ///< "output", "ends", a kind of finding, the name of a metric; "findings": there are none
    bool passed = false;
    std::string message;  ///< "out[3] is 0, expected 13"
    std::string focus;    ///< FOCUS of the step to look at; empty: none
};

/// How a test's program ran.
struct Run {
    std::string trace;   ///< path; empty: none was written
    std::string output;  ///< what the program printed: lines "NAME: VALUES", then "expected: VALUES"
    int status = 0;      ///< its exit status
};

/// \p gates: of the exercise and of the test. Errors: the trace cannot be read.
Result<std::vector<Check>> judge(const Run& run, const std::vector<Gate>& gates);

}  // namespace lanescope::exercise
