// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLASLt's products, of small whole numbers: orders, transposes, batches, bias and ReLU; GELU, whose hyperbolic
// tangent a GPU approximates, to three decimals.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

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

template <class T>
static T* onDevice(const std::vector<T>& values)
{
    T* memory = nullptr;
    CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T>
static std::vector<T> someNumbers(size_t count, int period)
{
    std::vector<T> numbers(count);
    for (size_t i = 0; i < count; ++i)
        numbers[i] = T(static_cast<float>(static_cast<int>(i) % period - 2));
    return numbers;
}

struct Case {
    const char* name;
    cublasOperation_t opA, opB;
    cublasLtOrder_t order;
    int batches;
    cublasLtEpilogue_t epilogue;
    float beta;
};

template <class T>
static void multiply(cublasLtHandle_t handle, const Case& one, cudaDataType type)
{
    const int m = 8, n = 4, k = 16;
    T* a = onDevice(someNumbers<T>(size_t(m) * k * one.batches, 5));
    T* b = onDevice(someNumbers<T>(size_t(k) * n * one.batches, 7));
    T* c = onDevice(someNumbers<T>(size_t(m) * n * one.batches, 3));
    T* d = onDevice(std::vector<T>(size_t(m) * n * one.batches));
    T* bias = onDevice(someNumbers<T>(m, 8));
    cublasLtMatmulDesc_t description;
    CHECK(cublasLtMatmulDescCreate(&description, type == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                   type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F));
    CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &one.opA, sizeof one.opA));
    CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSB, &one.opB, sizeof one.opB));
    CHECK(
        cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE, &one.epilogue, sizeof one.epilogue));
    if (one.epilogue & CUBLASLT_EPILOGUE_BIAS)
        CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    const auto layout = [&](int rows, int columns) {
        cublasLtMatrixLayout_t made;
        const int64_t stride = int64_t(rows) * columns;
        CHECK(cublasLtMatrixLayoutCreate(&made, type, rows, columns, one.order == CUBLASLT_ORDER_ROW ? columns : rows));
        CHECK(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_ORDER, &one.order, sizeof one.order));
        CHECK(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &one.batches,
                                               sizeof one.batches));
        CHECK(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                               sizeof stride));
        return made;
    };
    const cublasLtMatrixLayout_t la = one.opA == CUBLAS_OP_N ? layout(m, k) : layout(k, m);
    const cublasLtMatrixLayout_t lb = one.opB == CUBLAS_OP_N ? layout(k, n) : layout(n, k);
    const cublasLtMatrixLayout_t lc = layout(m, n);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    size_t workspace = 0;
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                               sizeof workspace));
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, description, la, lb, lc, lc, preference, 1, &result, &found));
    const float alpha = 0.5f;
    const double alphaDouble = alpha, betaDouble = one.beta;
    const bool isDouble = type == CUDA_R_64F;
    CHECK(cublasLtMatmul(handle, description, isDouble ? (const void*)&alphaDouble : &alpha, a, la, b, lb,
                         isDouble ? (const void*)&betaDouble : &one.beta, c, lc, d, lc, &result.algo, nullptr, 0, 0));
    std::vector<T> values(size_t(m) * n * one.batches);
    CHECK(cudaMemcpy(values.data(), d, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    std::printf("%s:", one.name);
    for (const T& value : values)
        std::printf(" %.4g", std::round(static_cast<double>(static_cast<float>(value)) * 1000) / 1000 + 0.0);
    std::printf("\n");
    CHECK(cublasLtMatmulPreferenceDestroy(preference));
    for (const cublasLtMatrixLayout_t made : {la, lb, lc})
        CHECK(cublasLtMatrixLayoutDestroy(made));
    CHECK(cublasLtMatmulDescDestroy(description));
}

/// Descriptions that lie on the stack.
static void multiplyInPlace(cublasLtHandle_t handle)
{
    float* a = onDevice(someNumbers<float>(4, 5));
    float* b = onDevice(someNumbers<float>(4, 7));
    float* d = onDevice(std::vector<float>(4));
    cublasLtMatmulDescOpaque_t description = {};
    cublasLtMatrixLayoutOpaque_t layout = {};
    cublasLtMatmulPreferenceOpaque_t preference = {};
    CHECK(cublasLtMatmulDescInit(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, 2, 2, 2));
    CHECK(cublasLtMatmulPreferenceInit(&preference));
    const cublasOperation_t transposed = CUBLAS_OP_T;
    CHECK(cublasLtMatmulDescSetAttribute(&description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, &description, &layout, &layout, &layout, &layout, &preference, 1,
                                         &result, &found));
    const float alpha = 1, beta = 0;
    CHECK(cublasLtMatmul(handle, &description, &alpha, a, &layout, b, &layout, &beta, d, &layout, d, &layout,
                         &result.algo, nullptr, 0, 0));
    float host[4];
    CHECK(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("in place: %g %g %g %g\n", host[0], host[1], host[2], host[3]);
}

/// Floats of 8 bits, with a scale of each matrix, and the greatest number before the result's.
static void multiplyScaled(cublasLtHandle_t handle)
{
    const int order = 16;
    __nv_fp8_e4m3* a = onDevice(someNumbers<__nv_fp8_e4m3>(order * order, 5));
    __nv_fp8_e4m3* b = onDevice(someNumbers<__nv_fp8_e4m3>(order * order, 7));
    __nv_bfloat16* c = onDevice(someNumbers<__nv_bfloat16>(order * order, 3));
    __nv_fp8_e4m3* d = onDevice(std::vector<__nv_fp8_e4m3>(order * order));
    float* scales = onDevice(std::vector<float>{2, 0.5f, 3, 0.25f, 0});
    cublasLtMatmulDesc_t description;
    cublasLtMatrixLayout_t narrow, wide;
    CHECK(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatrixLayoutCreate(&narrow, CUDA_R_8F_E4M3, order, order, order));
    CHECK(cublasLtMatrixLayoutCreate(&wide, CUDA_R_16BF, order, order, order));
    const cublasOperation_t transposed = CUBLAS_OP_T;
    CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    const cublasLtMatmulDescAttributes_t names[] = {
        CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
        CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
        CUBLASLT_MATMUL_DESC_AMAX_D_POINTER};
    for (int i = 0; i < 5; ++i) {
        float* const scale = scales + i;
        CHECK(cublasLtMatmulDescSetAttribute(description, names[i], &scale, sizeof scale));
    }
    const float alpha = 1, beta = 2;
    CHECK(cublasLtMatmul(handle, description, &alpha, a, narrow, b, narrow, &beta, c, wide, d, narrow, nullptr, nullptr,
                         0, 0));
    std::vector<__nv_fp8_e4m3> values(order);
    CHECK(cudaMemcpy(values.data(), d, values.size(), cudaMemcpyDeviceToHost));
    float greatest = 0;
    CHECK(cudaMemcpy(&greatest, scales + 4, sizeof greatest, cudaMemcpyDeviceToHost));
    std::printf("scaled:");
    for (const __nv_fp8_e4m3& value : values)
        std::printf(" %g", static_cast<double>(static_cast<float>(value)));
    std::printf(", greatest %g\n", greatest);
    CHECK(cublasLtMatrixLayoutDestroy(narrow));
    CHECK(cublasLtMatrixLayoutDestroy(wide));
    CHECK(cublasLtMatmulDescDestroy(description));
}

int main()
{
    cublasLtHandle_t handle;
    CHECK(cublasLtCreate(&handle));
    const Case cases[] = {
        {"plain", CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_DEFAULT, 0},
        {"added", CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_DEFAULT, 2},
        {"TN", CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_DEFAULT, 0},
        {"NT", CUBLAS_OP_N, CUBLAS_OP_T, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_DEFAULT, 0},
        {"by rows", CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_ORDER_ROW, 1, CUBLASLT_EPILOGUE_DEFAULT, 1},
        {"batches", CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 2, CUBLASLT_EPILOGUE_DEFAULT, 1},
        {"bias", CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_BIAS, 0},
        {"relu", CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_RELU, 0},
        {"relu bias", CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_RELU_BIAS, 0}};
    for (const Case& one : cases)
        multiply<float>(handle, one, CUDA_R_32F);
    for (const Case& one :
         {cases[2], cases[8],
          Case{"gelu bias", CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_ORDER_COL, 1, CUBLASLT_EPILOGUE_GELU_BIAS, 0}})
        multiply<__half>(handle, one, CUDA_R_16F);
    multiply<double>(handle, cases[1], CUDA_R_64F);
    multiplyInPlace(handle);
    multiplyScaled(handle);
    CHECK(cublasLtDestroy(handle));
    return 0;
}
