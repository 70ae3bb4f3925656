// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the reader of a module's machine code.
#include "core/attach/cubin.h"
#include "core/base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const lanescope::attach::CubinContents contents =
        lanescope::attach::readCubin(std::as_bytes(std::span(data, size)));
    for (const auto& function : contents.functions)
        LS_ASSERT(!function.name.empty() && function.name.size() < size);
    for (const auto& variable : contents.variables)
        LS_ASSERT(!variable.name.empty() && variable.name.size() < size);
    return 0;
}
