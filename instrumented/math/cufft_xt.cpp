// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuFFT's functions for several GPUs. An array's parts are brought together in the host's memory, transformed there,
// and taken to their devices.
#pragma GCC visibility push(default)
#include "instrumented/include/cufftXt.h"
#pragma GCC visibility pop

#include <algorithm>
#include <cstdio>
#include <memory>

#include "instrumented/include/cuda_runtime_api.h"
#include "instrumented/math/fft_plans.h"

using namespace lanescope::math;

namespace {

using Bytes = std::vector<std::byte>;

cufftResult refused(const char* what)
{
    std::fprintf(stderr, "lanescope: error: %s not supported\n", what);
    return CUFFT_NOT_SUPPORTED;
}

/// The array of a plan's data: [outer][middle] cells of some bytes, which a device has a range of either of.
struct Shape {
    size_t outer = 1, middle = 1, cellBytes = 0;

    [[nodiscard]] size_t bytes() const { return outer * middle * cellBytes; }
};

/// Of the complex side, which has room for the real one. Batches stand for the outermost dimension.
Shape shapeOf(const FftPlan& plan)
{
    std::vector<long long> sizes = plan.sizes;
    if (hasReal(plan.type, true) || hasReal(plan.type, false))
        sizes.back() = sizes.back() / 2 + 1;
    if (plan.batches > 1)
        sizes.insert(sizes.begin(), plan.batches);
    Shape shape;
    shape.outer = static_cast<size_t>(sizes[0]);
    shape.middle = sizes.size() > 1 ? static_cast<size_t>(sizes[1]) : 1;
    shape.cellBytes = hasDouble(plan.type) ? 16 : 8;
    for (size_t i = 2; i < sizes.size(); ++i)
        shape.cellBytes *= static_cast<size_t>(sizes[i]);
    return shape;
}

/// Whether the parts are ranges of the second dimension.
bool isShuffled(const FftPlan& plan, int format)
{
    return (format == CUFFT_XT_FORMAT_OUTPUT || format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED) && plan.sizes.size() > 1 &&
           plan.batches == 1;
}

/// Where a part begins; the first ones have one more where it does not come out even.
size_t beginOf(size_t count, size_t part, size_t parts)
{
    return count / parts * part + std::min(part, count % parts);
}

class DeviceGuard {
public:
    explicit DeviceGuard(int device)
    {
        (void)cudaGetDevice(&m_before);
        (void)cudaSetDevice(device);
    }
    ~DeviceGuard() { (void)cudaSetDevice(m_before); }
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;

private:
    int m_before = 0;
};

size_t bytesOfPart(const FftPlan& plan, size_t part, bool shuffled)
{
    const Shape shape = shapeOf(plan);
    const size_t parts = plan.devices.size();
    const size_t count = shuffled ? shape.middle : shape.outer;
    const size_t length = beginOf(count, part + 1, parts) - beginOf(count, part, parts);
    return length * (shuffled ? shape.outer : shape.middle) * shape.cellBytes;
}

/// Copies all parts between their devices and \p whole: in the plan's stream, or else one after the other.
bool copyParts(const FftPlan& plan, const cudaLibXtDesc& array, std::byte* whole, bool isToWhole)
{
    const Shape shape = shapeOf(plan);
    const size_t parts = plan.devices.size();
    const bool shuffled = isShuffled(plan, array.subFormat);
    for (size_t part = 0; part < parts; ++part) {
        const size_t bytes = bytesOfPart(plan, part, shuffled);
        if (bytes == 0)
            continue;
        // A part of the second dimension is a piece of each row of the whole.
        const size_t rows = shuffled ? shape.outer : 1;
        const size_t width = bytes / rows;
        const size_t pitch = shuffled ? shape.middle * shape.cellBytes : width;
        const size_t cell =
            shuffled ? beginOf(shape.middle, part, parts) : beginOf(shape.outer, part, parts) * shape.middle;
        std::byte* const host = whole + cell * shape.cellBytes;
        void* const device = array.descriptor->data[part];
        const DeviceGuard guard(plan.devices[part]);
        const cudaError_t error =
            isToWhole ? cudaMemcpy2DAsync(host, pitch, device, width, width, rows, cudaMemcpyDefault, plan.stream)
                      : cudaMemcpy2DAsync(device, width, host, pitch, width, rows, cudaMemcpyDefault, plan.stream);
        if (error != cudaSuccess)
            return false;
    }
    return true;
}

bool isOf(const FftPlan& plan, const cudaLibXtDesc* array)
{
    return array && array->library == LIB_FORMAT_CUFFT && array->descriptor &&
           std::equal(plan.devices.begin(), plan.devices.end(), array->descriptor->GPUs,
                      array->descriptor->GPUs + array->descriptor->nGPUs);
}

/// A plan that is made for several GPUs.
std::optional<FftPlan> planOf(cufftHandle handle)
{
    std::optional<FftPlan> plan = fftPlanOf(handle);
    return plan && !plan->sizes.empty() && !plan->devices.empty() ? plan : std::nullopt;
}

cufftResult transformArray(cufftHandle handle, const cufftType* type, cudaLibXtDesc* input, cudaLibXtDesc* output,
                           int sign)
{
    std::optional<FftPlan> plan = planOf(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if ((type && plan->type != *type) || !isOf(*plan, input) || !isOf(*plan, output) || (sign != -1 && sign != 1))
        return CUFFT_INVALID_VALUE;
    const bool isOfReal = hasReal(plan->type, true) || hasReal(plan->type, false);
    if (isOfReal && input != output)
        return refused("cufftXt's transforms of real values that are not in place are");
    Bytes whole(shapeOf(*plan).bytes());
    if (!copyParts(*plan, *input, whole.data(), true))
        return CUFFT_EXEC_FAILED;
    if (isOfReal)
        sign = hasReal(plan->type, true) ? CUFFT_FORWARD : CUFFT_INVERSE;
    const cufftResult result = transformBy(*plan, whole.data(), whole.data(), sign);
    if (result != CUFFT_SUCCESS)
        return result;
    if (input == output)
        output->subFormat = input->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED ? CUFFT_XT_FORMAT_INPLACE
                                                                                 : CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
    return copyParts(*plan, *output, whole.data(), false) ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

/// Formats' names are numbers of cuFFT's own kind.
std::optional<cufftType> typeOf(cudaDataType input, cudaDataType output, cudaDataType execution)
{
    struct Known {
        cudaDataType input, output, execution;
        cufftType type;
    };
    static constexpr Known kKnown[] = {
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
        {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
    for (const Known& known : kKnown)
        if (known.input == input && known.output == output && known.execution == execution)
            return known.type;
    return std::nullopt;
}

}  // namespace

extern "C" {

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int* onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t* workSize,
                                cudaDataType executiontype)
{
    for (const cudaDataType type : {inputtype, outputtype})
        if (type == CUDA_R_16F || type == CUDA_C_16F || type == CUDA_R_16BF || type == CUDA_C_16BF)
            return refused("cuFFT's transforms of numbers of 16 bits are");
    const std::optional<cufftType> type = typeOf(inputtype, outputtype, executiontype);
    return type ? cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, *type, batch,
                                      workSize)
                : CUFFT_INVALID_TYPE;
}

cufftResult cufftXtExec(cufftHandle plan, void* input, void* output, int direction)
{
    const std::optional<FftPlan> found = fftPlanOf(plan);
    if (!found || found->sizes.empty() || !found->devices.empty())
        return CUFFT_INVALID_PLAN;
    if (hasReal(found->type, true) || hasReal(found->type, false))
        direction = hasReal(found->type, true) ? CUFFT_FORWARD : CUFFT_INVERSE;
    return direction == CUFFT_FORWARD || direction == CUFFT_INVERSE ? transformBy(*found, input, output, direction)
                                                                    : CUFFT_INVALID_VALUE;
}

cufftResult cufftXtSetGPUs(cufftHandle plan, int nGPUs, int* whichGPUs)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return CUFFT_INVALID_DEVICE;
    if (nGPUs < 1 || nGPUs > MAX_CUDA_DESCRIPTOR_GPUS || !whichGPUs)
        return CUFFT_INVALID_VALUE;
    if (std::any_of(whichGPUs, whichGPUs + nGPUs, [&](int device) { return device < 0 || device >= count; }))
        return CUFFT_INVALID_DEVICE;
    return changeFftPlan(plan, [&](FftPlan& changed) {
        if (!changed.sizes.empty())
            return CUFFT_INVALID_PLAN;
        changed.devices.assign(whichGPUs, whichGPUs + nGPUs);
        return CUFFT_SUCCESS;
    });
}

cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc** descriptor, cufftXtSubFormat format)
{
    const std::optional<FftPlan> plan = planOf(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (!descriptor || format < CUFFT_XT_FORMAT_INPUT || format >= CUFFT_FORMAT_UNDEFINED)
        return CUFFT_INVALID_VALUE;
    if (format > CUFFT_XT_FORMAT_INPLACE_SHUFFLED)
        return refused("cufftXt's shuffled input and distributions of one's own are");
    if (!plan->input.embed.empty())
        return refused("cuFFT's strided transforms on several GPUs are");
    auto parts = std::make_unique<cudaXtDesc>();
    parts->version = CUDA_XT_DESCRIPTOR_VERSION;
    parts->nGPUs = static_cast<int>(plan->devices.size());
    auto array = std::make_unique<cudaLibXtDesc>(
        cudaLibXtDesc{CUDA_XT_DESCRIPTOR_VERSION, parts.get(), LIB_FORMAT_CUFFT, format, nullptr});
    const bool canBeShuffled = isShuffled(*plan, CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
    bool isGood = true;
    for (size_t part = 0; part < plan->devices.size(); ++part) {
        const DeviceGuard guard(plan->devices[part]);
        parts->GPUs[part] = plan->devices[part];
        parts->size[part] = std::max(bytesOfPart(*plan, part, false), bytesOfPart(*plan, part, canBeShuffled));
        isGood = isGood && cudaMalloc(&parts->data[part], std::max<size_t>(parts->size[part], 1)) == cudaSuccess;
    }
    (void)parts.release();
    *descriptor = array.release();
    if (isGood)
        return CUFFT_SUCCESS;
    (void)cufftXtFree(*descriptor);
    return CUFFT_ALLOC_FAILED;
}

cufftResult cufftXtFree(cudaLibXtDesc* descriptor)
{
    if (!descriptor || descriptor->library != LIB_FORMAT_CUFFT)
        return CUFFT_INVALID_VALUE;
    for (int part = 0; part < descriptor->descriptor->nGPUs; ++part) {
        const DeviceGuard guard(descriptor->descriptor->GPUs[part]);
        (void)cudaFree(descriptor->descriptor->data[part]);
    }
    delete descriptor->descriptor;
    delete descriptor;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtMemcpy(cufftHandle handle, void* to, void* from, cufftXtCopyType type)
{
    const std::optional<FftPlan> plan = planOf(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    const bool isFromArray = type != CUFFT_COPY_HOST_TO_DEVICE;
    const bool isToArray = type != CUFFT_COPY_DEVICE_TO_HOST;
    auto* const source = isFromArray ? static_cast<cudaLibXtDesc*>(from) : nullptr;
    auto* const target = isToArray ? static_cast<cudaLibXtDesc*>(to) : nullptr;
    if (type < CUFFT_COPY_HOST_TO_DEVICE || type >= CUFFT_COPY_UNDEFINED || !from || !to ||
        (source && !isOf(*plan, source)) || (target && !isOf(*plan, target)))
        return CUFFT_INVALID_VALUE;
    Bytes between(source && target ? shapeOf(*plan).bytes() : 0);
    std::byte* const whole = static_cast<std::byte*>(!source ? from : !target ? to : between.data());
    const bool isGood =
        (!source || copyParts(*plan, *source, whole, true)) && (!target || copyParts(*plan, *target, whole, false));
    return isGood ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction)
{
    return transformArray(plan, nullptr, input, output, direction);
}

#define LS_EXECUTE(kind)                                                                                               \
    const cufftType type = CUFFT_##kind;                                                                               \
    return transformArray(plan, &type, input, output, direction)
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction)
{
    LS_EXECUTE(C2C);
}
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, int direction)
{
    LS_EXECUTE(Z2Z);
}
#undef LS_EXECUTE
#define LS_EXECUTE(kind, direction)                                                                                    \
    cufftResult cufftXtExecDescriptor##kind(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output)             \
    {                                                                                                                  \
        const cufftType type = CUFFT_##kind;                                                                           \
        return transformArray(plan, &type, input, output, direction);                                                  \
    }
LS_EXECUTE(R2C, CUFFT_FORWARD)
LS_EXECUTE(C2R, CUFFT_INVERSE)
LS_EXECUTE(D2Z, CUFFT_FORWARD)
LS_EXECUTE(Z2D, CUFFT_INVERSE)
#undef LS_EXECUTE

cufftResult cufftXtSetWorkArea(cufftHandle plan, void** /*workArea*/)
{
    return fftPlanOf(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy /*policy*/, size_t* /*workSize*/)
{
    return fftPlanOf(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftXtSetCallback(cufftHandle, void**, cufftXtCallbackType, void**)
{
    return refused("cuFFT's callbacks (cufftXtSetCallback) are");
}
cufftResult cufftXtClearCallback(cufftHandle, cufftXtCallbackType)
{
    return refused("cuFFT's callbacks (cufftXtClearCallback) are");
}
cufftResult cufftXtSetCallbackSharedSize(cufftHandle, cufftXtCallbackType, size_t)
{
    return refused("cuFFT's callbacks (cufftXtSetCallbackSharedSize) are");
}

}  // extern "C"
