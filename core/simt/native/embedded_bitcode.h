// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers once more, as bitcode.
#pragma once

#include <string_view>

namespace lanescope::simt::native {

/// Of the instruction set that HandlerSet::name says; empty for none.
std::string_view embeddedBitcode(std::string_view isa);

}  // namespace lanescope::simt::native
