// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an instruction of a module's machine code to the line of the program (nvcc -lineinfo or -G), by CUPTI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lanescope::attach {

struct SourceLine {
    std::string path;   ///< empty: unknown
    uint32_t line = 0;  ///< 1-based; 0: unknown
};

class SourceLines {
public:
    /// Looks for CUPTI at the first question; \p toolkit: where, beside the usual places.
    explicit SourceLines(std::string toolkit) : m_toolkit(std::move(toolkit)) {}
    /// \p offset: in bytes, in the function with that mangled name.
    [[nodiscard]] SourceLine at(std::span<const std::byte> cubin, const std::string& function, uint64_t offset);

private:
    struct Question;
    using Ask = int (*)(void* question);

    std::string m_toolkit;
    Ask m_ask = nullptr;
    bool m_looked = false;
};

}  // namespace lanescope::attach
