// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cufftXt: a plan's parts, on as many devices as there are or several on one, against the same transform on one device;
// where parts lie before and after it; plans by number formats; what is refused.
#include <cuda_runtime.h>
#include <cufftXt.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(#call, static_cast<int>(call))

static void check(const char* text, int status)
{
    if (status == 0)
        return;
    std::printf("%s: %d\n", text, status);
    std::exit(1);
}

/// The second dimension's indices from \p first on are what a part has after a transform: each cell is doubled there.
__global__ void twice(cufftDoubleComplex* part, size_t count)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        part[i].x *= 2;
        part[i].y *= 2;
    }
}

static std::vector<int> devices(int count)
{
    int there = 0;
    CHECK(cudaGetDeviceCount(&there));
    std::vector<int> list(count);
    for (int i = 0; i < count; ++i)
        list[i] = i % there;
    return list;
}

static std::vector<double> numbers(size_t count)
{
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = static_cast<double>(i * 37 % 101) - 50;
    return values;
}

static double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i)
        largest = std::fmax(largest, std::fabs(a[i] - b[i]));
    return largest;
}

static void make(cufftHandle plan, std::vector<long long> sizes, cufftType type, long long batches)
{
    size_t work[8];
    CHECK(cufftMakePlanMany64(plan, static_cast<int>(sizes.size()), sizes.data(), nullptr, 1, 0, nullptr, 1, 0, type,
                              batches, work));
}

/// In place on one device.
static std::vector<double> reference(const std::vector<long long>& sizes, cufftType type, long long batches,
                                     const std::vector<double>& values)
{
    cufftHandle plan = 0;
    CHECK(cufftCreate(&plan));
    make(plan, sizes, type, batches);
    void* memory = nullptr;
    std::vector<double> result(values.size());
    CHECK(cudaMalloc(&memory, values.size() * sizeof(double)));
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cufftXtExec(plan, memory, memory, CUFFT_FORWARD));
    CHECK(cudaMemcpy(result.data(), memory, values.size() * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory));
    CHECK(cufftDestroy(plan));
    return result;
}

/// Forwards, doubled by a kernel on each device, and backwards; \p elements: of the whole, complex.
static void transform(const char* name, const std::vector<long long>& sizes, cufftType type, long long batches,
                      size_t elements, int parts, bool hasStream)
{
    const bool isReal = type == CUFFT_D2Z;
    const std::vector<int> list = devices(parts);
    std::vector<double> values = numbers(2 * elements), result(values.size());
    cufftHandle plan = 0, back = 0;
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream));
    for (cufftHandle* handle : {&plan, &back}) {
        CHECK(cufftCreate(handle));
        CHECK(cufftXtSetGPUs(*handle, parts, const_cast<int*>(list.data())));
        make(*handle, sizes, isReal && handle == &back ? CUFFT_Z2D : type, batches);
        if (hasStream)
            CHECK(cufftSetStream(*handle, stream));
    }
    cudaLibXtDesc* array = nullptr;
    CHECK(cufftXtMalloc(plan, &array, CUFFT_XT_FORMAT_INPLACE));
    CHECK(cufftXtMemcpy(plan, array, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
    CHECK(isReal ? cufftXtExecDescriptorD2Z(plan, array, array)
                 : cufftXtExecDescriptorZ2Z(plan, array, array, CUFFT_FORWARD));
    CHECK(cufftXtMemcpy(plan, result.data(), array, CUFFT_COPY_DEVICE_TO_HOST));
    CHECK(cudaStreamSynchronize(stream));
    const bool isEqual = distance(result, reference(sizes, type, batches, values)) < 1e-9;
    std::printf("%s: %s, format %d, parts of", name, isEqual ? "equal" : "different", array->subFormat);
    for (int part = 0; part < array->descriptor->nGPUs; ++part) {
        const size_t count = array->descriptor->size[part] / sizeof(cufftDoubleComplex);
        CHECK(cudaSetDevice(array->descriptor->GPUs[part]));
        CHECK(cudaMemset(static_cast<char*>(array->descriptor->data[part]) + array->descriptor->size[part], 0, 0));
        twice<<<static_cast<unsigned>((count + 63) / 64), 64>>>(
            static_cast<cufftDoubleComplex*>(array->descriptor->data[part]), count);
        CHECK(cudaDeviceSynchronize());
        std::printf(" %zu", count);
    }
    CHECK(cudaSetDevice(0));
    CHECK(isReal ? cufftXtExecDescriptorZ2D(back, array, array)
                 : cufftXtExecDescriptor(back, array, array, CUFFT_INVERSE));
    CHECK(cufftXtMemcpy(back, result.data(), array, CUFFT_COPY_DEVICE_TO_HOST));
    CHECK(cudaStreamSynchronize(stream));
    // What stands beyond the end of a row of real values is of no use.
    const size_t row = isReal ? static_cast<size_t>(sizes.back() / 2 + 1) * 2 : 1;
    const size_t used = isReal ? static_cast<size_t>(sizes.back()) : 1;
    double factor = 2;
    for (const long long size : sizes)
        factor *= static_cast<double>(size);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = i % row < used ? values[i] * factor : 0;
        result[i] = i % row < used ? result[i] : 0;
    }
    std::printf(", and back: %s, format %d\n", distance(result, values) < 1e-6 ? "equal" : "different",
                array->subFormat);
    CHECK(cufftXtFree(array));
    CHECK(cufftDestroy(plan));
    CHECK(cufftDestroy(back));
    CHECK(cudaStreamDestroy(stream));
}

/// A cell of each part before and after a transform, and of a copy with the parts in the first order.
static void placesOfParts()
{
    cufftHandle plan = 0;
    std::vector<int> list = devices(2);
    CHECK(cufftCreate(&plan));
    CHECK(cufftXtSetGPUs(plan, 2, list.data()));
    make(plan, {4, 6}, CUFFT_Z2Z, 1);
    cudaLibXtDesc *input = nullptr, *output = nullptr, *ordered = nullptr;
    CHECK(cufftXtMalloc(plan, &input, CUFFT_XT_FORMAT_INPUT));
    CHECK(cufftXtMalloc(plan, &output, CUFFT_XT_FORMAT_OUTPUT));
    CHECK(cufftXtMalloc(plan, &ordered, CUFFT_XT_FORMAT_INPLACE));
    // A wave along each dimension: one cell of the transform is not 0, at (1, 4).
    std::vector<double> wave;
    for (int i = 0; i < 24; ++i) {
        const double phase = 2 * std::acos(-1.0) * (i / 6 / 4.0 + i % 6 * 4 / 6.0);
        wave.push_back(std::cos(phase));
        wave.push_back(std::sin(phase));
    }
    CHECK(cufftXtMemcpy(plan, input, wave.data(), CUFFT_COPY_HOST_TO_DEVICE));
    CHECK(cufftXtExecDescriptorZ2Z(plan, input, output, CUFFT_FORWARD));
    CHECK(cufftXtMemcpy(plan, ordered, output, CUFFT_COPY_DEVICE_TO_DEVICE));
    for (const cudaLibXtDesc* array : {output, ordered})
        for (int part = 0; part < 2; ++part) {
            double cells[24];
            CHECK(cudaMemcpy(cells, array->descriptor->data[part], sizeof(cells), cudaMemcpyDefault));
            for (int i = 0; i < 12; ++i)
                if (std::fabs(cells[2 * i]) > 1e-9)
                    std::printf("format %d, part %d, cell %d: %.3f\n", array->subFormat, part, i, cells[2 * i]);
        }
    for (cudaLibXtDesc* array : {input, output, ordered})
        CHECK(cufftXtFree(array));
    CHECK(cufftDestroy(plan));
}

static void byFormats()
{
    cufftHandle plan = 0;
    size_t work = 0;
    long long n = 8;
    CHECK(cufftCreate(&plan));
    std::printf("halves: %d\n", cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_16F,
                                                    1, &work, CUDA_C_16F));
    std::printf("mixed: %d\n", cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 0, CUDA_R_32F, nullptr, 1, 0, CUDA_C_64F, 1,
                                                   &work, CUDA_C_32F));
    CHECK(cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 0, CUDA_R_32F, nullptr, 1, 0, CUDA_C_32F, 1, &work, CUDA_C_32F));
    float* from = nullptr;
    cufftComplex* to = nullptr;
    CHECK(cudaMallocManaged(&from, 8 * sizeof(float)));
    CHECK(cudaMallocManaged(&to, 5 * sizeof(cufftComplex)));
    for (int i = 0; i < 8; ++i)
        from[i] = static_cast<float>(i);
    CHECK(cufftXtExec(plan, from, to, CUFFT_INVERSE));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 5; ++i)
        std::printf("%.4f%+.4fi%s", to[i].x, to[i].y, i < 4 ? " " : "\n");
    void* routine = nullptr;
    int none[] = {99};
    cudaLibXtDesc* array = nullptr;
    std::printf("callback %d, devices after the plan %d, no such %d, array of a plan for one %d\n",
                cufftXtSetCallback(plan, &routine, CUFFT_CB_LD_REAL, nullptr),
                cufftXtSetGPUs(plan, 1, devices(1).data()), cufftXtSetGPUs(plan, 1, none),
                cufftXtMalloc(plan, &array, CUFFT_XT_FORMAT_INPLACE));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cufftDestroy(plan));
}

int main()
{
    transform("line", {24}, CUFFT_Z2Z, 1, 24, 3, false);
    transform("lines", {16}, CUFFT_Z2Z, 6, 96, 4, true);
    transform("plane", {4, 6}, CUFFT_Z2Z, 1, 24, 2, true);
    transform("uneven plane", {5, 7}, CUFFT_Z2Z, 1, 35, 3, false);
    transform("block", {4, 3, 5}, CUFFT_Z2Z, 1, 60, 2, false);
    transform("real block", {4, 4, 6}, CUFFT_D2Z, 1, 64, 2, false);
    placesOfParts();
    byFormats();
}
