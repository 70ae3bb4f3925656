// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of layout expressions. What it accepts is a layout whose elements can be asked for, and
// whose own text means the same.
#include <string>

#include "core/base/assert.h"
#include "core/layout/layout.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const auto view = layout::evaluate(std::string(reinterpret_cast<const char*>(data), size));
    if (!view.ok())
        return 0;
    const int rows = view.value().rows(), cols = view.value().cols();
    LS_ASSERT(rows > 0 && cols > 0 && view.value().at(rows - 1, cols - 1) >= 0);
    const auto again = layout::evaluate(layout::text(view.value().layout));
    if (!again.ok())
        return 0;  // strides of slices may be longer than those that can be typed
    LS_ASSERT(again.value().rows() == rows && again.value().cols() == cols);
    LS_ASSERT(again.value().at(rows - 1, cols - 1) + view.value().offset == view.value().at(rows - 1, cols - 1));
    return 0;
}
