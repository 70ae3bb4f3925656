// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SessionInfo as the texts that the table `session` keeps, each under a key of its own.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/trace/model.h"

namespace lanescope::trace {

struct SessionValue {
    const char* key;
    /// None where there is nothing to store.
    std::function<std::optional<std::string>(const SessionInfo&)> text;
    /// False when the text is not what it should be.
    std::function<bool(const std::string&, SessionInfo&)> set;
};

/// All values of a session; a key that is not among them is a newer writer's.
std::span<const SessionValue> sessionValues();

}  // namespace lanescope::trace
