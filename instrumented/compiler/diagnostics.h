// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang's messages from the two compilations of one file, joined into one text.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace lanescope::compiler {

/// The messages of \p first, then those of \p second that \p first has not; the count lines at the end of each
/// ("2 errors generated …") are left out.
std::string mergeDiagnostics(const std::string& first, const std::string& second);

/// When the compilation failed for want of a header of one of NVIDIA's libraries: one line that says so. Else empty.
std::string missingLibrary(const std::string& messages);

/// The same for a library whose headers are on this machine: the first line of \p source, the text of \p path, that
/// includes one of the files \p read. Headers below \p ours do not count. Else empty.
std::string includedLibrary(const std::string& path, const std::string& source, const std::set<std::string>& read,
                            const std::string& ours);

/// When the compilation failed for want of something of CUDA's that we have not: one line that says what, and where it
/// is first used. Else empty.
std::string missingFeature(const std::string& messages);

/// Takes the warnings about unused results of CUDA calls (driver_types.h marks them) out of \p messages; returns where
/// those calls are, "file:line".
std::vector<std::string> takeDiscardedCalls(std::string& messages);

}  // namespace lanescope::compiler
