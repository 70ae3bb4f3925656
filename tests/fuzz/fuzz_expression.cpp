// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of watch expressions, and evaluates what it accepts in some lanes at some steps of a tiled
// matrix multiplication.
#include <string>

#include "core/replay/expression.h"
#include "tests/fuzz/matmul_session.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const auto session = test::openMatmul();
    static const auto buffers = session->buffersOf(LaunchId{0}).value();
    static const auto cursor = session->cursor(LaunchId{0}, BlockIndex{4}).value();
    const auto expression = replay::Expression::parse(std::string(reinterpret_cast<const char*>(data), size));
    if (!expression.ok())
        return 0;
    for (const StepIndex step : {StepIndex{0}, cursor->stepCount() / 2, cursor->stepCount()}) {
        static_cast<void>(cursor->seek(step));
        for (const uint32_t lane : {0U, 8U}) {
            const auto value = expression.value().evaluate({*cursor, session->catalog(), buffers, 0, lane});
            if (value.ok())
                static_cast<void>(value.value().text(session->catalog()));
        }
    }
    return 0;
}
