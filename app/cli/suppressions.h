// SPDX-License-Identifier: GPL-3.0-or-later
// Findings that the user has seen and allows: by a comment on the line, `// lanescope: allow shared-race (why)`, or on
// a line of its own above it; or in a file of lines
//   KIND                 everywhere
//   KIND FILE[:LINE]     FILE may be a pattern (*, ?) and matches whole paths or their last parts
//   KIND in KERNEL
// where KIND may be * and # starts a comment; (why) may follow.
#pragma once

#include "app/cli/check_result.h"
#include "core/base/result.h"

namespace lanescope::cli {

/// Moves what is allowed from `findings` to `suppressed` and lists what was not needed. \p file: a suppressions file,
/// or empty. Errors name its line.
Result<void> applySuppressions(const trace::Catalog& catalog, const std::string& file, CheckResult& result);

}  // namespace lanescope::cli
