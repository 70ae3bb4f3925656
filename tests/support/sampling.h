// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests over very many programs take all of them, or a part where the sanitizers make each one expensive.
#pragma once

#include <QtGlobal>

namespace lanescope::test {

/// True for every LANESCOPE_SAMPLE-th call (environment variable; unset: for all).
inline bool sampled()
{
    static const int stride = qMax(1, qEnvironmentVariableIntValue("LANESCOPE_SAMPLE"));
    static int calls = 0;
    return calls++ % stride == 0;
}

}  // namespace lanescope::test
