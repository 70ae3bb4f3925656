// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of PTX modules. What it accepts becomes IR that LLVM's verifier accepts; what it does not,
// it names with a line.
#include <string_view>

#include "core/base/assert.h"
#include "core/simt/ptx/ptx_module_to_ir.h"
#include "tests/simt/ir_text.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    llvm::LLVMContext context;
    const auto module = simt::readPtxModule({reinterpret_cast<const char*>(data), size}, "fuzz.ptx", context);
    if (module)
        LS_ASSERT(test::verifierProblem(*module.value()).empty());
    else
        LS_ASSERT(!module.error().message.empty() && module.error().where.starts_with("fuzz.ptx:"));
    return 0;
}
