// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where exercises lie: in the folder "exercises" of the gallery, or in files of somebody's own.
#pragma once

#include <string>
#include <vector>

#include "core/exercise/exercise.h"
#include "core/exercise/sheet.h"

namespace lanescope::exercise {

/// An exercise and the file that a learner gets.
struct Task {
    Exercise exercise;
    Sheet sheet;
};

/// Names of the gallery's exercises, in order. \p gallery: folder of its programs.
std::vector<std::string> namesIn(const std::string& gallery);

/// \p name: "01_map", or the path of a *.exercise file; its program lies beside it or in the gallery. Error NotFound
/// names what there is.
Result<Task> load(const std::string& gallery, const std::string& name);

/// The whole file. Error Io or NotFound.
Result<std::string> readText(const std::string& path);

}  // namespace lanescope::exercise
