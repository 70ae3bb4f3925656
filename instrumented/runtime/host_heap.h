// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of the host's heap that the program itself has taken: its calls of malloc, new and their kin are linked to
// ours (--wrap), which note how much was asked for. What libraries take is not known, and nothing is claimed of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lanescope::runtime {

struct HostBlock {
    uint64_t address = 0;
    size_t bytes = 0;              ///< asked for
    const void* caller = nullptr;  ///< return address of the call that took it
};

/// The live block that \p pointer points into. Thread-safe.
std::optional<HostBlock> hostBlockAt(const void* pointer);

}  // namespace lanescope::runtime
