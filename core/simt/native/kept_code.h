// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code in files, for the next run of the same program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/simt/native/native_job.h"

namespace lanescope::simt {

/// None: there is none, or it is damaged. Notes that the file is used: those that were used last stay longest.
std::optional<MadeCode> readKept(const std::string& file);
/// Replaces what is there, all at once; where files cannot be written, nothing happens. What its folder has in excess
/// of kMostKept goes.
void keep(const std::string& file, const MadeCode& made);

/// Bytes of all files in the folder.
inline constexpr uint64_t kMostKept = uint64_t{128} << 20;

}  // namespace lanescope::simt
