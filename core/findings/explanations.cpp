// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/explanations.h"

#include <string>

namespace lanescope::findings {

namespace {

constexpr std::string_view kChecks =
#include "checks_text.inc"
    ;

}  // namespace

std::string_view explanationOf(FindingKind kind)
{
    const std::string heading = std::string("\n## ") + nameOf(kind) + "\n";
    const size_t begin = kChecks.find(heading);
    if (begin == std::string_view::npos)
        return {};
    const std::string_view rest = kChecks.substr(begin + 1);
    const size_t end = rest.find("\n## ");
    return rest.substr(0, end == std::string_view::npos ? rest.size() : end);
}

}  // namespace lanescope::findings
