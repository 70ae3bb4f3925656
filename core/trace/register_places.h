// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of trace::Site::registers: "a12 a13+4 v5 -" is the value of site 12, four bytes into that of site 13, what
// variable 5 holds, and a register of which nothing is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::trace {

std::string registersText(const std::vector<RegisterPlace>& places);
/// None when the text is no such list, or longer than a producer makes them.
std::optional<std::vector<RegisterPlace>> registerPlacesOf(std::string_view text);

}  // namespace lanescope::trace
