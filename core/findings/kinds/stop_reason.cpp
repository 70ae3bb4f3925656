// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/kinds/stop_reason.h"

#include <algorithm>

namespace lanescope {

std::string StopReason::text() const
{
    if (!kind)
        return message;
    return message.empty() ? std::string(nameOf(*kind)) : nameOf(*kind) + (": " + message);
}

StopReason StopReason::of(std::string_view text)
{
    const size_t colon = text.find(':');
    const std::optional<FindingKind> kind = kindNamed(text.substr(0, colon));
    if (!kind || !endsRun(*kind))
        return {std::nullopt, std::string(text)};
    const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    return {kind, std::string(rest.substr(std::min(rest.size(), rest.find_first_not_of(' '))))};
}

}  // namespace lanescope
