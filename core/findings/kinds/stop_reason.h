// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a run ended before its program did.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/findings/kinds/finding_kinds.h"

namespace lanescope {

/// Empty: nothing stopped it.
struct StopReason {
    std::optional<FindingKind> kind;  ///< a limit, or threads that cannot go on; none: what the message says
    std::string message;              ///< without the kind's name

    [[nodiscard]] bool empty() const { return !kind && message.empty(); }
    /// "step-limit: more than 100 warp instructions", as traces and people have it.
    [[nodiscard]] std::string text() const;
    /// Of such a text.
    static StopReason of(std::string_view text);
};

}  // namespace lanescope
