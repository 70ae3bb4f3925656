// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the large libraries a program includes, by its text: what clang has kept parsed of them is of use to it.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace lanescope::compiler {

enum class LibraryImage { None, Cub, Thrust };  ///< Thrust: and CUB

struct IncludedLibraries {
    LibraryImage image = LibraryImage::None;
    /// Macros that the program's files may define before they include the last of the libraries.
    std::set<std::string> macrosBefore;
};

/// Reads \p source, and the files that it includes from its own folder and from \p folders. Conditions are not looked
/// at.
IncludedLibraries includedLibraries(const std::string& source, const std::vector<std::string>& folders);

/// What is parsed for an image: the text of a header that includes all of the library, as far as it is there.
std::string imageText(LibraryImage image, const std::string& runtimeHeader);

}  // namespace lanescope::compiler
