// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How code that was made of a PTX instruction says so.
#pragma once

namespace lanescope::simt {

/// Metadata of what was made of one of asynchronous copies, their barriers or matrices: its opcode, a string.
inline constexpr const char* kInstructionName = "lanescope.instruction";

}  // namespace lanescope::simt
