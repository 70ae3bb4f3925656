// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suites of properties: RapidCheck makes the inputs, always the same ones, and shrinks those that break a property.
#pragma once

#include <rapidcheck.h>

#include <QTest>

namespace lanescope::test {

/// So many for each property. To be called before the first one is checked. With RC_PARAMS in the environment,
/// RapidCheck goes by that: "seed=5 max_success=100000" looks further.
inline void useFixedInputs(int cases = 300)
{
    if (!qEnvironmentVariableIsSet("RC_PARAMS"))
        qputenv("RC_PARAMS", QByteArray("seed=1 max_success=") + QByteArray::number(cases));
}

}  // namespace lanescope::test
