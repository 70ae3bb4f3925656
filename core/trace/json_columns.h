// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What columns keep as JSON: a launch's arguments; a finding's accesses, instances and numbers.
#pragma once

#include <string>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::trace {

/// Source text need not be UTF-8; what is not becomes U+FFFD.
std::string argumentsJson(const std::vector<LaunchArgument>& arguments);
/// False when the text is no JSON array. What an element lacks keeps its default.
bool readArguments(const std::string& text, std::vector<LaunchArgument>& arguments);

/// The numbers travel with the first access, other instances behind the first one, so that they need no columns.
std::string accessesJson(const Finding& finding);
/// As readArguments.
bool readAccesses(const std::string& text, Finding& finding);

}  // namespace lanescope::trace
