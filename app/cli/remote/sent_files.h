// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of this machine a program needs to be compiled on another one.
#pragma once

#include <string>
#include <vector>

namespace lanescope::cli {

/// \p source and what it includes, and they include, that lies beside them or in \p includeDirectories; what is found
/// nowhere is the other machine's. Absolute paths, each once, \p source first.
std::vector<std::string> filesOf(const std::string& source, const std::vector<std::string>& includeDirectories);

}  // namespace lanescope::cli
