// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an answer to an exercise: compiles it, records each test, judges it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "core/exercise/judge.h"

namespace lanescope::cli {

/// What became of one test. One that failed is the last that ran.
struct TestResult {
    exercise::Test test;
    bool ran = false;
    std::string trace;   ///< path; empty: none was written
    std::string output;  ///< what the program printed
    std::vector<exercise::Check> checks;

    [[nodiscard]] bool passed() const;
};

/// \p file: the answer. \p folder: takes the traces. \p progress: told what comes next, in words. Errors: it does not
/// compile (clang's messages were printed, and the message is empty), or cannot be run.
Result<std::vector<TestResult>> runTests(const exercise::Exercise& exercise, const std::string& file,
                                         const std::string& folder, const Context& context,
                                         const std::function<void(const std::string&)>& progress);

}  // namespace lanescope::cli
