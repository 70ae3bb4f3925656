// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code in files, for the next run of the same program.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <llvm/Support/MemoryBuffer.h>

namespace lanescope::simt::native {

struct KeptCode {
    std::unique_ptr<llvm::MemoryBuffer> object;  ///< an ELF object file; null: there is none, or it is damaged
    bool foresees = false;                       ///< NativeJob::foresees
};

/// Notes that the file is used: those that were used last stay longest.
KeptCode readKept(const std::string& file);
/// Replaces what is there, all at once; where files cannot be written, nothing happens. What its folder has in excess
/// of kMostKept goes.
void keep(const std::string& file, std::span<const char> object, bool foresees);

/// Bytes of all files in the folder.
inline constexpr uint64_t kMostKept = uint64_t{128} << 20;

}  // namespace lanescope::simt::native
