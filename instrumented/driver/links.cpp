// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linking at run time: several PTX texts become one.
#include <cstring>
#include <fstream>

#include "instrumented/driver/driver.h"
#include "instrumented/driver/link_ptx.h"
#include "instrumented/driver/module_image.h"
#include "instrumented/runtime/handles.h"

using namespace lanescope;
using namespace lanescope::driver;
using lanescope::runtime::Call;
using lanescope::runtime::handles;

struct CUlinkState_st {
    std::vector<std::string> texts;
    std::string result;
};

LS_API CUresult cuLinkCreate_v2(unsigned /*count*/, CUjit_option* /*options*/, void** /*values*/, CUlinkState* state)
{
    Call call;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = handles<CUlinkState_st>().create();
    return CUDA_SUCCESS;
}

LS_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType /*type*/, void* data, size_t bytes,
                                 const char* /*name*/, unsigned /*count*/, CUjit_option* /*options*/, void** /*values*/)
{
    Call call;
    if (!handles<CUlinkState_st>().has(state) || !data)
        return CUDA_ERROR_INVALID_VALUE;
    std::string image(static_cast<const char*>(data), bytes);
    image.append(sizeof(uint64_t), '\0');  // text may come without the 0 at its end
    Result<ModuleImage> read = readImage(image.data());
    if (!read || read.value().kind != runtime::DeviceCode::Kind::Ptx) {
        if (!read)
            call->noteStop(read.error());
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    const std::vector<std::byte>& text = read.value().bytes;
    state->texts.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    return CUDA_SUCCESS;
}

LS_API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned count,
                                 CUjit_option* options, void** values)
{
    std::ifstream file(path ? path : "", std::ios::binary);
    if (!file)
        return CUDA_ERROR_FILE_NOT_FOUND;
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return cuLinkAddData_v2(state, type, bytes.data(), bytes.size(), path, count, options, values);
}

LS_API CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes)
{
    Call call;
    if (!handles<CUlinkState_st>().has(state) || !image)
        return CUDA_ERROR_INVALID_VALUE;
    state->result = linkPtx(state->texts);
    *image = state->result.data();
    if (bytes)
        *bytes = state->result.size() + 1;
    return CUDA_SUCCESS;
}

LS_API CUresult cuLinkDestroy(CUlinkState state)
{
    Call call;
    return handles<CUlinkState_st>().destroy(state) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
