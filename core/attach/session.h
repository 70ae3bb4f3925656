// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the kernels of the program whose process this runs in, which we did not build, through the Sanitizer API.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace lanescope::attach {

struct AttachOptions {
    std::string trace;  ///< path
    std::string program;
    std::string commandLine;
    std::optional<uint32_t> launch;                      ///< record only this one
    Dim3 firstBlock{0, 0, 0};                            ///< of those to record
    Dim3 lastBlock{UINT32_MAX, UINT32_MAX, UINT32_MAX};  ///< half-open
    uint64_t maxBytes = 0;
    std::string patches;  ///< PTX, instrumented/device/patches.cpp
};

/// What a session came to.
struct AttachOutcome {
    uint32_t launches = 0;  ///< recorded
    std::optional<Error> traceError;
    std::optional<Error> stopped;  ///< a kernel failed
};

class Session {
public:
    /// Before the program's first call of CUDA has done anything. Errors: no toolkit, or one too old.
    static Result<std::unique_ptr<Session>> start(const AttachOptions& options);
    virtual ~Session() = default;
    /// The program ends: closes the trace. \p programExit: none when it is dying of a signal.
    virtual AttachOutcome finish(std::optional<int> programExit) = 0;
};

}  // namespace lanescope::attach
