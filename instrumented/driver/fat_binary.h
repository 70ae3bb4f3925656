// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fat binaries as nvcc makes them: a header and entries, each PTX or machine code for one architecture, maybe
// compressed (LZ4 up to CUDA 12, zstd since).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::driver {

inline constexpr uint32_t kFatBinaryMagic = 0xBA55ED50;
/// Of the structure that nvcc's host code registers; a pointer in it leads to the fat binary.
inline constexpr uint32_t kFatBinaryWrapperMagic = 0x466243B1;

struct FatBinaryEntry {
    enum class Kind : uint16_t { Ptx = 1, MachineCode = 2, Other = 0 };
    Kind kind = Kind::Other;
    uint32_t architecture = 0;  ///< 90: sm_90
    bool compressed = false;
    const std::byte* payload = nullptr;
    size_t payloadBytes = 0;       ///< as stored, padding left out
    size_t uncompressedBytes = 0;  ///< 0: not compressed
};

/// The entries of the fat binary at \p image, which says itself how long it is. They point into it. BadInput when
/// headers do not fit.
Result<std::vector<FatBinaryEntry>> fatBinaryEntries(const void* image);

/// The text of a PTX entry, uncompressed, without the 0 at its end.
Result<std::string> ptxOf(const FatBinaryEntry& entry);

/// Decompresses one LZ4 block. BadInput unless it makes exactly \p bytes.
Result<std::string> decompressLz4(const std::byte* from, size_t fromBytes, size_t bytes);

}  // namespace lanescope::driver
