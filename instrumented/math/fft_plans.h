// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuFFT's plans, for the files of its functions.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
#include "instrumented/include/cufft.h"
#pragma GCC visibility pop

namespace lanescope::math {

/// How the elements of one side lie in memory, in elements.
struct FftLayout {
    std::vector<long long> embed;  ///< sizes of the array that they are a part of; empty: dense
    long long stride = 1;
    long long distance = 0;  ///< between batches
};

struct FftPlan {
    cufftType type = CUFFT_C2C;
    std::vector<long long> sizes;  ///< of the transform, outermost first; empty: not made yet
    FftLayout input;
    FftLayout output;
    long long batches = 1;
    cudaStream_t stream = nullptr;
    std::vector<int> devices;  ///< over which its data lie; empty: where the caller has them
};

std::optional<FftPlan> fftPlanOf(cufftHandle handle);
/// CUFFT_INVALID_PLAN, or what \p change says.
cufftResult changeFftPlan(cufftHandle handle, const std::function<cufftResult(FftPlan&)>& change);

/// One of the numbers that \p type has on one side is real.
bool hasReal(cufftType type, bool ofInput);
bool hasDouble(cufftType type);

/// Transforms by a plan that is made, in its stream; \p input and \p output of the device or the host.
cufftResult transformBy(const FftPlan& plan, void* input, void* output, int sign);

}  // namespace lanescope::math
