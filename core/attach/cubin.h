// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine code of a module says of its functions. The bytes come from outside: whatever is damaged is left
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanescope::attach {

struct CubinParameter {
    uint32_t ordinal = 0;
    uint32_t offset = 0;  ///< in the kernel's parameters
    uint32_t bytes = 0;
};

struct CubinFunction {
    std::string name;  ///< mangled
    bool isKernel = false;
    uint64_t codeBytes = 0;                  ///< with the functions that have been put behind it, for it alone
    uint64_t sharedBytes = 0;                ///< of a kernel: static, with what the system keeps in front of it
    std::vector<CubinParameter> parameters;  ///< of a kernel, by ordinal
};

/// A variable of the module, in global memory.
struct CubinVariable {
    std::string name;  ///< mangled
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

struct CubinContents {
    std::vector<CubinFunction> functions;
    std::vector<CubinVariable> variables;
};

[[nodiscard]] CubinContents readCubin(std::span<const std::byte> cubin);

/// "matmul(float const*, int)" of a mangled name; a name that is none stays as it is.
[[nodiscard]] std::string demangled(const std::string& name);

}  // namespace lanescope::attach
