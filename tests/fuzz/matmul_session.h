// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recording to evaluate fuzzed text in: 9 x 9, tiles of 3 x 3.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

#include "core/base/assert.h"
#include "core/replay/replay.h"
#include "tests/support/synthetic_trace.h"

namespace lanescope::test {

/// The file is gone when this returns; the session holds it open.
inline std::unique_ptr<replay::Session> openMatmul()
{
    const std::string path = "/dev/shm/lanescope-fuzz-" + std::to_string(getpid()) + ".lanes";
    LS_ASSERT(writeSyntheticTrace(path).ok());
    auto session = replay::Session::open(path);
    LS_ASSERT(session.ok());
    std::remove(path.c_str());
    return std::move(session).value();
}

}  // namespace lanescope::test
