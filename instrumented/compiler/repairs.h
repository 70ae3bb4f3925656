// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spellings that nvcc takes and clang rejects, put right in a copy of the file that only the compiler reads.
#pragma once

#include <map>
#include <string>

namespace lanescope::compiler {

/// Repaired text by the path of the file it stands for.
using RepairedFiles = std::map<std::string, std::string>;

/// Puts right what \p messages complain about, in \p files, which takes a file in when it first needs a repair. Lines
/// keep their numbers. True when anything changed: compiling again may get further.
bool repair(const std::string& messages, RepairedFiles& files);

/// Empties the line at \p place, "file:line:…". False when there is none.
bool leaveOut(const std::string& place, RepairedFiles& files);

}  // namespace lanescope::compiler
