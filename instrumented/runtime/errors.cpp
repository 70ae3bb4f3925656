// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's error queries.
#include "instrumented/runtime/runtime.h"

using lanescope::runtime::Call;

LS_API cudaError_t cudaGetLastError(void)
{
    Call call;
    return call->lastError(true);
}

LS_API cudaError_t cudaPeekAtLastError(void)
{
    Call call;
    return call->lastError(false);
}

LS_API const char* cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define LS_ERROR(name, number, text)                                                                                   \
    case name:                                                                                                         \
        return #name;
#include "instrumented/include/lanescope/errors.def"
#undef LS_ERROR
    }
    return "unrecognized error code";
}

LS_API const char* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define LS_ERROR(name, number, text)                                                                                   \
    case name:                                                                                                         \
        return text;
#include "instrumented/include/lanescope/errors.def"
#undef LS_ERROR
    }
    return "unrecognized error code";
}
