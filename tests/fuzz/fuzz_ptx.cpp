// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of inline PTX. What it accepts are labels and instructions; what it does not, it names.
#include <string_view>

#include "core/base/assert.h"
#include "core/simt/ptx/ptx_parser.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    std::string problem;
    const auto text = simt::parsePtx({reinterpret_cast<const char*>(data), size}, problem);
    LS_ASSERT(text.has_value() == problem.empty());
    if (!text)
        return 0;
    for (const simt::PtxStatement& each : text->statements)
        LS_ASSERT(each.label.empty() != each.opcode.empty());
    return 0;
}
