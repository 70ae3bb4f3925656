// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuFFT's functions. A transform reads its input from the device, computes on the host and writes its output, by copies
// in its stream: from and to pageable memory these are done when the call returns, on a GPU too.
#include "instrumented/math/fft_plans.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>

#include "instrumented/include/cuda_runtime_api.h"
#include "instrumented/math/transform.h"

using namespace lanescope::math;

namespace {

using Layout = FftLayout;
using Plan = FftPlan;
using Complex = std::complex<double>;
using Number = long long;

std::mutex g_mutex;  ///< of the plans
std::map<cufftHandle, Plan> g_plans;
cufftHandle g_last = 0;

constexpr size_t kWorkBytes = 1;  // NVIDIA's is never 0, and programs allocate it
constexpr Number kMostElements = Number{1} << 33;

bool isHalf(cufftType type, bool ofInput)
{
    return hasReal(type, !ofInput);
}

bool isType(cufftType type)
{
    return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || hasDouble(type);
}

Number productOf(const std::vector<Number>& numbers)
{
    Number product = 1;
    for (const Number number : numbers)
        product *= number;
    return product;
}

/// Elements of one side: the last dimension of a complex one that belongs to a real one is half as long.
std::vector<Number> sizesOf(const Plan& plan, bool ofInput)
{
    std::vector<Number> sizes = plan.sizes;
    if (isHalf(plan.type, ofInput))
        sizes.back() = sizes.back() / 2 + 1;
    return sizes;
}

/// The layout of one side. A real side of a dense transform in place has room for the complex one: its rows are longer.
Layout layoutOf(const Plan& plan, bool ofInput, bool inPlace)
{
    Layout layout = ofInput ? plan.input : plan.output;
    if (!layout.embed.empty())
        return layout;
    layout.embed = sizesOf(plan, ofInput);
    if (inPlace && hasReal(plan.type, ofInput))
        layout.embed.back() = (plan.sizes.back() / 2 + 1) * 2;
    layout.stride = 1;
    layout.distance = productOf(layout.embed);
    return layout;
}

/// One side's rows along the last dimension.
class Rows {
public:
    Rows(const Plan& plan, bool ofInput, bool inPlace)
        : m_layout(layoutOf(plan, ofInput, inPlace)), m_sizes(sizesOf(plan, ofInput)),
          m_elementBytes((hasDouble(plan.type) ? 8 : 4) * (hasReal(plan.type, ofInput) ? 1 : 2))
    {
    }

    [[nodiscard]] size_t length() const { return static_cast<size_t>(m_sizes.back()); }
    [[nodiscard]] size_t count() const { return static_cast<size_t>(productOf(m_sizes)) / length(); }
    [[nodiscard]] size_t bytes() const { return count() * length() * m_elementBytes; }

    /// Copies a batch from \p memory into \p dense, or the other way.
    cudaError_t copy(Number batch, void* memory, std::vector<std::byte>& dense, bool isToDense,
                     cudaStream_t stream) const
    {
        const size_t rowBytes = length() * m_elementBytes;
        const auto copyRows = [&](size_t row, void* at, size_t pitch, size_t width, size_t height) {
            void* const host = dense.data() + row * rowBytes;
            return cudaMemcpy2DAsync(isToDense ? host : at, isToDense ? width : pitch, isToDense ? at : host,
                                     isToDense ? pitch : width, width, height, cudaMemcpyDefault, stream);
        };
        const auto place = [&](size_t row) {
            return static_cast<std::byte*>(memory) + (batch * m_layout.distance + offsetOf(row)) * m_elementBytes;
        };
        if (isContiguous())
            return copyRows(0, place(0), bytes(), bytes(), 1);
        const size_t step = static_cast<size_t>(m_layout.stride) * m_elementBytes;
        for (size_t row = 0; row < count(); ++row) {
            const cudaError_t error = m_layout.stride == 1 ? copyRows(row, place(row), rowBytes, rowBytes, 1)
                                                           : copyRows(row, place(row), step, m_elementBytes, length());
            if (error != cudaSuccess)
                return error;
        }
        return cudaSuccess;
    }

private:
    [[nodiscard]] bool isContiguous() const
    {
        // The outermost size of the array does not matter.
        return m_layout.stride == 1 && std::equal(m_sizes.begin() + 1, m_sizes.end(), m_layout.embed.begin() + 1);
    }
    /// Of a row's first element, in elements.
    [[nodiscard]] Number offsetOf(size_t row) const
    {
        Number offset = 0;
        Number step = m_layout.embed.back();
        for (size_t i = m_sizes.size() - 1; i-- > 0;) {
            offset += static_cast<Number>(row % static_cast<size_t>(m_sizes[i])) * step;
            row /= static_cast<size_t>(m_sizes[i]);
            step *= m_layout.embed[i];
        }
        return offset * m_layout.stride;
    }

    Layout m_layout;
    std::vector<Number> m_sizes;
    size_t m_elementBytes;
};

template <class T>
void read(const std::vector<std::byte>& bytes, bool isReal, std::vector<Complex>& values)
{
    const T* const from = reinterpret_cast<const T*>(bytes.data());
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = isReal ? Complex(from[i]) : Complex(from[2 * i], from[2 * i + 1]);
}

template <class T>
void write(const std::vector<Complex>& values, bool isReal, std::vector<std::byte>& bytes)
{
    T* const to = reinterpret_cast<T*>(bytes.data());
    for (size_t i = 0; i < values.size(); ++i) {
        to[isReal ? i : 2 * i] = static_cast<T>(values[i].real());
        if (!isReal)
            to[2 * i + 1] = static_cast<T>(values[i].imag());
    }
}

/// Of a transform of real values the half that is kept.
std::vector<Complex> halfOf(const std::vector<Complex>& whole, size_t n)
{
    std::vector<Complex> half;
    for (size_t row = 0; row < whole.size(); row += n)
        half.insert(half.end(), whole.begin() + static_cast<std::ptrdiff_t>(row),
                    whole.begin() + static_cast<std::ptrdiff_t>(row + n / 2 + 1));
    return half;
}

std::vector<Complex> transformed(const Plan& plan, const Rows& rows, const std::vector<std::byte>& input, int sign)
{
    const std::vector<size_t> sizes(plan.sizes.begin(), plan.sizes.end());
    std::vector<Complex> values(rows.count() * rows.length());
    (hasDouble(plan.type) ? read<double> : read<float>)(input, hasReal(plan.type, true), values);
    if (isHalf(plan.type, true))
        values = wholeOf(values, sizes);
    transform(values, sizes, sign);
    return isHalf(plan.type, false) ? halfOf(values, sizes.back()) : values;
}

/// A transform that a graph would make later.
bool isCaptured(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess || status == cudaStreamCaptureStatusNone)
        return false;
    std::fputs("lanescope: error: cuFFT's transforms as parts of graphs (stream capture) are not supported\n", stderr);
    return true;
}

cufftResult execute(cufftHandle handle, std::initializer_list<cufftType> types, void* input, void* output, int sign)
{
    const std::optional<Plan> plan = fftPlanOf(handle);
    if (!plan || plan->sizes.empty() || !plan->devices.empty())
        return CUFFT_INVALID_PLAN;
    if (std::find(types.begin(), types.end(), plan->type) == types.end() || (sign != -1 && sign != 1))
        return CUFFT_INVALID_VALUE;
    return transformBy(*plan, input, output, sign);
}

/// What a plan is made of, checked.
cufftResult describe(Plan& plan, const std::vector<Number>& sizes, cufftType type, Number batches)
{
    if (!isType(type))
        return CUFFT_INVALID_TYPE;
    if (sizes.empty() || sizes.size() > 3)
        return CUFFT_INVALID_VALUE;
    Number elements = 1;
    for (const Number size : sizes) {
        if (size < 1 || size > kMostElements / elements)
            return CUFFT_INVALID_SIZE;
        elements *= size;
    }
    if (batches < 1)
        return CUFFT_INVALID_SIZE;
    plan.type = type;
    plan.sizes = sizes;
    plan.batches = batches;
    return CUFFT_SUCCESS;
}

template <class T>
std::vector<Number> listOf(const T* numbers, int rank)
{
    return numbers && rank > 0 && rank <= 3 ? std::vector<Number>(numbers, numbers + rank) : std::vector<Number>{};
}

/// As cufftPlanMany's parameters have it. Without an array that the elements are a part of, what else is said of how
/// they lie does not count.
template <class T>
cufftResult describeMany(Plan& plan, int rank, const T* sizes, const T* inputEmbed, Number inputStride,
                         Number inputDistance, const T* outputEmbed, Number outputStride, Number outputDistance,
                         cufftType type, Number batches)
{
    if (!sizes)
        return CUFFT_INVALID_VALUE;
    if (const cufftResult described = describe(plan, listOf(sizes, rank), type, batches); described != CUFFT_SUCCESS)
        return described;
    if (!inputEmbed || !outputEmbed)
        return CUFFT_SUCCESS;
    plan.input = {listOf(inputEmbed, rank), inputStride, inputDistance};
    plan.output = {listOf(outputEmbed, rank), outputStride, outputDistance};
    return inputStride < 1 || outputStride < 1 ? CUFFT_INVALID_VALUE : CUFFT_SUCCESS;
}

cufftResult created(cufftHandle* handle, const Plan& plan)
{
    const std::lock_guard lock(g_mutex);
    *handle = ++g_last;
    g_plans[*handle] = plan;
    return CUFFT_SUCCESS;
}

/// \p describe fills in a plan.
template <class Describe>
cufftResult create(cufftHandle* handle, const Describe& describe)
{
    Plan plan;
    if (!handle)
        return CUFFT_INVALID_VALUE;
    const cufftResult described = describe(plan);
    return described == CUFFT_SUCCESS ? created(handle, plan) : described;
}

template <class Describe>
cufftResult make(cufftHandle handle, size_t* workSize, const Describe& describe)
{
    const std::lock_guard lock(g_mutex);
    const auto found = g_plans.find(handle);
    if (found == g_plans.end() || !found->second.sizes.empty())
        return CUFFT_INVALID_PLAN;
    Plan plan;
    plan.stream = found->second.stream;
    plan.devices = found->second.devices;
    const cufftResult described = describe(plan);
    if (described != CUFFT_SUCCESS)
        return described;
    found->second = plan;
    if (workSize)
        std::fill_n(workSize, std::max<size_t>(plan.devices.size(), 1), kWorkBytes);
    return CUFFT_SUCCESS;
}

template <class Describe>
cufftResult estimate(size_t* workSize, const Describe& describe)
{
    Plan plan;
    const cufftResult described = describe(plan);
    if (described == CUFFT_SUCCESS && workSize)
        *workSize = kWorkBytes;
    return described;
}

}  // namespace

namespace lanescope::math {

std::optional<FftPlan> fftPlanOf(cufftHandle handle)
{
    const std::lock_guard lock(g_mutex);
    const auto found = g_plans.find(handle);
    return found == g_plans.end() ? std::nullopt : std::optional(found->second);
}

cufftResult changeFftPlan(cufftHandle handle, const std::function<cufftResult(FftPlan&)>& change)
{
    const std::lock_guard lock(g_mutex);
    const auto found = g_plans.find(handle);
    return found == g_plans.end() ? CUFFT_INVALID_PLAN : change(found->second);
}

bool hasReal(cufftType type, bool ofInput)
{
    return ofInput ? type == CUFFT_R2C || type == CUFFT_D2Z : type == CUFFT_C2R || type == CUFFT_Z2D;
}

bool hasDouble(cufftType type)
{
    return type == CUFFT_D2Z || type == CUFFT_Z2D || type == CUFFT_Z2Z;
}

cufftResult transformBy(const FftPlan& plan, void* input, void* output, int sign)
{
    if (!input || !output)
        return CUFFT_INVALID_VALUE;
    if (isCaptured(plan.stream))
        return CUFFT_NOT_SUPPORTED;
    const Rows from(plan, true, input == output);
    const Rows to(plan, false, input == output);
    // All is read before anything is written: batches of a transform in place may lie in each other.
    std::vector<std::vector<std::byte>> results;
    for (Number batch = 0; batch < plan.batches; ++batch) {
        std::vector<std::byte> bytes(from.bytes());
        if (from.copy(batch, input, bytes, true, plan.stream) != cudaSuccess)
            return CUFFT_EXEC_FAILED;
        const std::vector<Complex> values = transformed(plan, from, bytes, sign);
        bytes.resize(to.bytes());
        (hasDouble(plan.type) ? write<double> : write<float>)(values, hasReal(plan.type, false), bytes);
        results.push_back(std::move(bytes));
    }
    for (Number batch = 0; batch < plan.batches; ++batch)
        if (to.copy(batch, output, results[static_cast<size_t>(batch)], false, plan.stream) != cudaSuccess)
            return CUFFT_EXEC_FAILED;
    return CUFFT_SUCCESS;
}

}  // namespace lanescope::math

extern "C" {

// Each of the ways to say what is transformed, as a plan, for a plan that is there, and for its work area.
#define LS_DESCRIBED [&](Plan& made) { return describe(made, LS_SIZES, type, LS_BATCHES); }
#define LS_DESCRIBED_MANY                                                                                              \
    [&](Plan& made) {                                                                                                  \
        return describeMany(made, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);             \
    }

#define LS_SIZES {nx}
#define LS_BATCHES batch
cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch)
{
    return create(plan, LS_DESCRIBED);
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* workSize)
{
    return make(plan, workSize, LS_DESCRIBED);
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED);
}
cufftResult cufftGetSize1d(cufftHandle /*plan*/, int nx, cufftType type, int batch, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED);
}
#undef LS_SIZES
#undef LS_BATCHES
#define LS_BATCHES 1
#define LS_SIZES {nx, ny}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type)
{
    return create(plan, LS_DESCRIBED);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* workSize)
{
    return make(plan, workSize, LS_DESCRIBED);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED);
}
cufftResult cufftGetSize2d(cufftHandle /*plan*/, int nx, int ny, cufftType type, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED);
}
#undef LS_SIZES
#define LS_SIZES {nx, ny, nz}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type)
{
    return create(plan, LS_DESCRIBED);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* workSize)
{
    return make(plan, workSize, LS_DESCRIBED);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED);
}
cufftResult cufftGetSize3d(cufftHandle /*plan*/, int nx, int ny, int nz, cufftType type, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED);
}
#undef LS_SIZES
#undef LS_BATCHES

cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch)
{
    return create(plan, LS_DESCRIBED_MANY);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* workSize)
{
    return make(plan, workSize, LS_DESCRIBED_MANY);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, Number* n, Number* inembed, Number istride, Number idist,
                                Number* onembed, Number ostride, Number odist, cufftType type, Number batch,
                                size_t* workSize)
{
    return make(plan, workSize, LS_DESCRIBED_MANY);
}
cufftResult cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                              int odist, cufftType type, int batch, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED_MANY);
}
cufftResult cufftGetSizeMany(cufftHandle /*plan*/, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                             int ostride, int odist, cufftType type, int batch, size_t* workSize)
{
    return estimate(workSize, LS_DESCRIBED_MANY);
}

cufftResult cufftCreate(cufftHandle* plan)
{
    return plan ? created(plan, {}) : CUFFT_INVALID_VALUE;
}

cufftResult cufftGetSize(cufftHandle plan, size_t* workSize)
{
    if (!fftPlanOf(plan))
        return CUFFT_INVALID_PLAN;
    *workSize = kWorkBytes;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void* /*workArea*/)
{
    return fftPlanOf(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int /*autoAllocate*/)
{
    return fftPlanOf(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* input, cufftComplex* output, int direction)
{
    return execute(plan, {CUFFT_C2C}, input, output, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* input, cufftComplex* output)
{
    return execute(plan, {CUFFT_R2C}, input, output, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* input, cufftReal* output)
{
    return execute(plan, {CUFFT_C2R}, input, output, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* input, cufftDoubleComplex* output, int direction)
{
    return execute(plan, {CUFFT_Z2Z}, input, output, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* input, cufftDoubleComplex* output)
{
    return execute(plan, {CUFFT_D2Z}, input, output, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* input, cufftDoubleReal* output)
{
    return execute(plan, {CUFFT_Z2D}, input, output, CUFFT_INVERSE);
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    return changeFftPlan(plan, [&](Plan& changed) {
        changed.stream = stream;
        return CUFFT_SUCCESS;
    });
}

cufftResult cufftDestroy(cufftHandle plan)
{
    const std::lock_guard lock(g_mutex);
    return g_plans.erase(plan) > 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetVersion(int* version)
{
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int* value)
{
    *value = type == MAJOR_VERSION ? CUFFT_VER_MAJOR : type == MINOR_VERSION ? CUFFT_VER_MINOR : CUFFT_VER_PATCH;
    return CUFFT_SUCCESS;
}

}  // extern "C"
