// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each kind of finding means, what the check does not see, an example and the repair: docs/checks.md, in the
// binary.
#pragma once

#include <string_view>

#include "core/findings/kinds/finding_kinds.h"

namespace lanescope::findings {

/// The kind's section of docs/checks.md, in Markdown, from its heading to its last line. Empty for Unknown.
std::string_view explanationOf(FindingKind kind);

}  // namespace lanescope::findings
