// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang's messages from the two compilations of one file, joined into one text.
#pragma once

#include <string>
#include <vector>

namespace lanescope::compiler {

/// The messages of \p first, then those of \p second that \p first has not; the count lines at the end of each
/// ("2 errors generated …") are left out.
std::string mergeDiagnostics(const std::string& first, const std::string& second);

/// When the compilation failed for want of a header of one of NVIDIA's libraries: one line that says so. Else empty.
std::string missingLibrary(const std::string& messages);

/// Takes the warnings about unused results of CUDA calls (driver_types.h marks them) out of \p messages; returns where
/// those calls are, "file:line".
std::vector<std::string> takeDiscardedCalls(std::string& messages);

}  // namespace lanescope::compiler
