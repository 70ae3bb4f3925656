// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the tables of a trace file (tables.h), and checks those of a file that came from anywhere.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/database.h"

namespace lanescope::trace {

/// "Lane" in ASCII; SQLite keeps it at byte 68 of the file, where `file` and we look for it.
inline constexpr int kApplicationId = 0x4c616e65;

/// Creates all tables in an empty file.
Result<void> createSchema(Database& database);
/// The file's schema; an Error when it is no trace, or of no schema that we read.
Result<int> checkSchema(Database& database);

}  // namespace lanescope::trace
