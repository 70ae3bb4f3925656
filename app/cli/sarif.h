// SPDX-License-Identifier: GPL-3.0-or-later
// Findings as SARIF 2.1.0 (OASIS standard), for code hosts and editors.
#pragma once

#include "app/cli/json_text.h"
#include "core/findings/findings_of.h"

namespace lanescope::cli {

/// Each kind found is a rule; both sides of a race are locations; suppressed findings are there, marked so. \p told:
/// what is told of \p result.
Json sarifRun(const trace::Catalog& catalog, const findings::Findings& result,
              const std::vector<findings::ToldFinding>& told);
/// \p runs: an array.
Json sarifDocument(Json runs);

}  // namespace lanescope::cli
