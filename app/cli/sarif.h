// SPDX-License-Identifier: GPL-3.0-or-later
// Findings as SARIF 2.1.0, for code hosts and editors.
#pragma once

#include "app/cli/json_text.h"

namespace lanescope::cli {

Json sarifDocument(const trace::Catalog& catalog, const std::vector<trace::Finding>& findings);

}  // namespace lanescope::cli
