// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLASLt's functions.
#include <Eigen/Core>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#pragma GCC visibility push(default)
#include "instrumented/include/cublasLt.h"
#pragma GCC visibility pop
#include "instrumented/math/device_numbers.h"

using namespace lanescope::math;

struct cublasLtContext {};

namespace {

struct Layout {
    cudaDataType type;
    cublasLtOrder_t order = CUBLASLT_ORDER_COL;
    uint64_t rows, columns;
    int64_t leading;
    int32_t batches = 1;
    int64_t batchStride = 0;
};

struct Description {
    cublasComputeType_t computeType;
    cudaDataType scaleType;
    cublasLtPointerMode_t pointerMode = CUBLASLT_POINTER_MODE_HOST;
    cublasOperation_t opA = CUBLAS_OP_N, opB = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
    int64_t biasStride = 0;
    int32_t biasType = -1;  ///< -1: the result's
    void* auxiliary = nullptr;
    int64_t auxiliaryLeading = 0, auxiliaryStride = 0;
    /// One float each, for matrices whose numbers have 8 bits; none: 1.
    const void *scaleA = nullptr, *scaleB = nullptr, *scaleC = nullptr, *scaleD = nullptr;
    void* greatest = nullptr;
};

/// What lies in the memory that programs have of an opaque type.
Layout& of(cublasLtMatrixLayout_t layout)
{
    static_assert(sizeof(Layout) <= sizeof(*layout));
    return *reinterpret_cast<Layout*>(layout->data);
}
Description& of(cublasLtMatmulDesc_t description)
{
    static_assert(sizeof(Description) <= sizeof(*description));
    return *reinterpret_cast<Description*>(description->data);
}

using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

cublasStatus_t refused(const char* what, int value)
{
    std::fprintf(stderr, "lanescope: error: cuBLASLt: %s %d is not supported\n", what, value);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

/// Sets what an attribute is of, from a value of its own size.
template <class T>
cublasStatus_t set(T& member, const void* value, size_t bytes)
{
    if (!value || bytes != sizeof(T))
        return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(static_cast<void*>(&member), value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

Lines linesOf(const Layout& layout)
{
    const auto rows = static_cast<int64_t>(layout.rows);
    const auto columns = static_cast<int64_t>(layout.columns);
    return layout.order == CUBLASLT_ORDER_ROW ? Lines{rows, columns, layout.leading}
                                              : Lines{columns, rows, layout.leading};
}

size_t offsetOf(const Layout& layout, int32_t batch)
{
    return static_cast<size_t>(batch) * static_cast<size_t>(layout.batchStride) * bytesOf(layout.type);
}

Matrix read(DeviceNumbers& numbers, const void* memory, const Layout& layout, int32_t batch)
{
    const Lines lines = linesOf(layout);
    const std::vector<Complex> values =
        numbers.read(static_cast<const std::byte*>(memory) + offsetOf(layout, batch), lines, layout.type);
    if (!numbers.good())
        return Matrix::Zero(static_cast<Eigen::Index>(layout.rows), static_cast<Eigen::Index>(layout.columns));
    const Eigen::Map<const Matrix> matrix(values.data(), lines.count, lines.length);
    return layout.order == CUBLASLT_ORDER_ROW ? Matrix(matrix) : Matrix(matrix.transpose());
}

void write(DeviceNumbers& numbers, void* memory, const Layout& layout, int32_t batch, const Matrix& matrix)
{
    const Matrix ordered = layout.order == CUBLASLT_ORDER_ROW ? matrix : Matrix(matrix.transpose());
    numbers.write(static_cast<std::byte*>(memory) + offsetOf(layout, batch), linesOf(layout),
                  {ordered.data(), ordered.data() + ordered.size()}, layout.type);
}

Matrix operand(const Matrix& matrix, cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? matrix : op == CUBLAS_OP_T ? Matrix(matrix.transpose()) : Matrix(matrix.adjoint());
}

double relu(double x)
{
    return std::max(x, 0.0);
}

/// The approximation that cuBLASLt uses (Hendrycks and Gimpel, 2016).
double gelu(double x)
{
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x)));
}

/// What follows the product, to the sums of one batch.
void follow(DeviceNumbers& numbers, const Description& description, const Layout& layout, int32_t batch, Matrix& sums)
{
    const int epilogue = description.epilogue;
    if (epilogue & CUBLASLT_EPILOGUE_BIAS) {
        const auto type = description.biasType < 0 ? layout.type : static_cast<cudaDataType>(description.biasType);
        const auto* const bias =
            static_cast<const std::byte*>(description.bias) +
            static_cast<size_t>(batch) * static_cast<size_t>(description.biasStride) * bytesOf(type);
        const std::vector<Complex> values = numbers.read(bias, sums.rows(), type);
        for (Eigen::Index row = 0; row < sums.rows() && numbers.good(); ++row)
            sums.row(row).array() += values[static_cast<size_t>(row)];
    }
    if (epilogue & 128) {
        Layout auxiliary = layout;
        auxiliary.leading = description.auxiliaryLeading;
        auxiliary.batchStride = description.auxiliaryStride;
        write(numbers, description.auxiliary, auxiliary, batch, sums);
    }
    if (epilogue & (CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_GELU))
        for (Complex& sum : sums.reshaped())
            sum = epilogue & CUBLASLT_EPILOGUE_RELU ? relu(sum.real()) : gelu(sum.real());
}

/// By which a matrix is multiplied before it is used, or written.
Complex scaleOf(DeviceNumbers& numbers, const void* scale, const Layout& layout)
{
    const bool isNarrow = layout.type == CUDA_R_8F_E4M3 || layout.type == CUDA_R_8F_E5M2;
    const std::vector<Complex> values = isNarrow && scale ? numbers.read(scale, 1, CUDA_R_32F) : std::vector<Complex>();
    return values.empty() ? 1.0 : values.front();
}

bool isSupported(cublasLtEpilogue_t epilogue)
{
    constexpr int kKnown = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU_BIAS | CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    return (epilogue & ~kKnown) == 0 && epilogue != CUBLASLT_EPILOGUE_RELU_AUX &&
           epilogue != CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle)
{
    *handle = new cublasLtContext();
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion()
{
    return 120400;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t leading)
{
    if (!layout || bytes < sizeof(Layout))
        return CUBLAS_STATUS_INVALID_VALUE;
    new (layout->data) Layout{type, CUBLASLT_ORDER_COL, rows, columns, leading, 1, 0};
    return bytesOf(type) > 0 ? CUBLAS_STATUS_SUCCESS : refused("the number format", type);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading)
{
    *layout = new cublasLtMatrixLayoutOpaque_t{};
    return cublasLtMatrixLayoutInit(*layout, type, rows, columns, leading);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    delete layout;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes)
{
    Layout& own = of(layout);
    switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
        return set(own.type, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ORDER: {
        const cublasStatus_t status = set(own.order, value, bytes);
        return status == CUBLAS_STATUS_SUCCESS && own.order > CUBLASLT_ORDER_ROW
                   ? refused("the order of elements", own.order)
                   : status;
    }
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
        return set(own.rows, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
        return set(own.columns, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_LD:
        return set(own.leading, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        return set(own.batches, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
        return set(own.batchStride, value, bytes);
    default:
        return refused("the layout's attribute", attribute);
    }
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t description, size_t bytes,
                                               cublasComputeType_t computeType, cudaDataType scaleType)
{
    if (!description || bytes < sizeof(Description))
        return CUBLAS_STATUS_INVALID_VALUE;
    new (description->data) Description{computeType, scaleType};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t computeType,
                                        cudaDataType scaleType)
{
    *description = new cublasLtMatmulDescOpaque_t{};
    return cublasLtMatmulDescInit(*description, computeType, scaleType);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description)
{
    delete description;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value, size_t bytes)
{
    Description& own = of(description);
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
        return set(own.computeType, value, bytes);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
        return set(own.scaleType, value, bytes);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: {
        const cublasStatus_t status = set(own.pointerMode, value, bytes);
        return status == CUBLAS_STATUS_SUCCESS && own.pointerMode > CUBLASLT_POINTER_MODE_DEVICE
                   ? refused("the pointer mode", own.pointerMode)
                   : status;
    }
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return set(own.opA, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return set(own.opB, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: {
        const cublasStatus_t status = set(own.epilogue, value, bytes);
        return status == CUBLAS_STATUS_SUCCESS && !isSupported(own.epilogue) ? refused("the epilogue", own.epilogue)
                                                                             : status;
    }
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return set(own.bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
        return set(own.biasStride, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        return set(own.biasType, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return set(own.auxiliary, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return set(own.auxiliaryLeading, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
        return set(own.auxiliaryStride, value, bytes);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
        return set(own.scaleA, value, bytes);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
        return set(own.scaleB, value, bytes);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER:
        return set(own.scaleC, value, bytes);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER:
        return set(own.scaleD, value, bytes);
    case CUBLASLT_MATMUL_DESC_AMAX_D_POINTER:
        return set(own.greatest, value, bytes);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:  // how a GPU gets there
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
        return CUBLAS_STATUS_SUCCESS;
    default:
        return refused("the product's attribute", attribute);
    }
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t)
{
    return preference ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference)
{
    *preference = new cublasLtMatmulPreferenceOpaque_t{};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    delete preference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, size_t)
{
    return CUBLAS_STATUS_SUCCESS;  // of several ways
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* returned)
{
    if (requested < 1 || !results || !returned)
        return CUBLAS_STATUS_INVALID_VALUE;
    results[0] = {};
    *returned = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t aLayout, const void* b, cublasLtMatrixLayout_t bLayout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t cLayout, void* d,
                              cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t*, void*, size_t,
                              cudaStream_t stream)
{
    const Description& own = of(description);
    const Layout& result = of(dLayout);
    DeviceNumbers numbers(stream);
    const auto scalar = [&](const void* memory) {
        if (own.pointerMode == CUBLASLT_POINTER_MODE_HOST)
            return numberAt(memory, own.scaleType);
        const std::vector<Complex> values = numbers.read(memory, 1, own.scaleType);
        return values.empty() ? Complex() : values.front();
    };
    const Complex factor =
        scalar(alpha) * scaleOf(numbers, own.scaleA, of(aLayout)) * scaleOf(numbers, own.scaleB, of(bLayout));
    const Complex kept = scalar(beta) * scaleOf(numbers, own.scaleC, of(cLayout));
    const Complex written = scaleOf(numbers, own.scaleD, result);
    double greatest = 0;
    for (int32_t batch = 0; batch < result.batches && numbers.good(); ++batch) {
        const Matrix left = operand(read(numbers, a, of(aLayout), batch), own.opA);
        const Matrix right = operand(read(numbers, b, of(bLayout), batch), own.opB);
        if (left.cols() != right.rows() || left.rows() != static_cast<Eigen::Index>(result.rows) ||
            right.cols() != static_cast<Eigen::Index>(result.columns))
            return CUBLAS_STATUS_INVALID_VALUE;
        Matrix sums = factor * (left * right);
        if (kept != 0.0)
            sums += kept * read(numbers, c, of(cLayout), batch);
        follow(numbers, own, result, batch, sums);
        if (sums.size() > 0)
            greatest = std::max(greatest, sums.cwiseAbs().maxCoeff());
        write(numbers, d, result, batch, written * sums);
    }
    if (own.greatest && numbers.good())
        numbers.write(own.greatest, {greatest}, CUDA_R_32F);
    return numbers.good() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
