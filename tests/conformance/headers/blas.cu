// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of cuBLAS that is there. Small whole numbers: every order of adding them gives the same sums.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
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
    CHECK(cublasSetVector(static_cast<int>(values.size()), sizeof(T), values.data(), 1, memory, 1));
    return memory;
}

template <class T>
static std::vector<T> onHost(const T* memory, int count)
{
    std::vector<T> values(static_cast<size_t>(count));
    CHECK(cublasGetVector(count, sizeof(T), memory, 1, values.data(), 1));
    return values;
}

template <class T>
static std::vector<T> pattern(int count, int period)
{
    std::vector<T> values(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
        values[static_cast<size_t>(i)] = T(static_cast<float>(i % period));
    return values;
}

static constexpr int kM = 19, kN = 33, kK = 21, kBatches = 3;

/// C = 2 op(A) op(B) + 3 C against the host; columns first.
static void products(cublasHandle_t blas, bool turnA, bool turnB)
{
    const auto a = pattern<float>(kM * kK * kBatches, 7), b = pattern<float>(kK * kN * kBatches, 5),
               c = pattern<float>(kM * kN * kBatches, 3);
    float *deviceA = onDevice(a), *deviceB = onDevice(b), *deviceC = onDevice(c);
    const float alpha = 2, beta = 3;
    const int lda = turnA ? kK : kM, ldb = turnB ? kN : kK;
    CHECK(cublasSgemmStridedBatched(blas, turnA ? CUBLAS_OP_T : CUBLAS_OP_N, turnB ? CUBLAS_OP_T : CUBLAS_OP_N, kM, kN,
                                    kK, &alpha, deviceA, lda, kM * kK, deviceB, ldb, kK * kN, &beta, deviceC, kM,
                                    kM * kN, kBatches));
    const auto result = onHost(deviceC, kM * kN * kBatches);
    int wrong = 0;
    for (int batch = 0; batch < kBatches; ++batch)
        for (int j = 0; j < kN; ++j)
            for (int i = 0; i < kM; ++i) {
                float sum = 0;
                for (int l = 0; l < kK; ++l) {
                    const size_t inA = static_cast<size_t>(batch * kM * kK + (turnA ? l + i * lda : i + l * lda));
                    const size_t inB = static_cast<size_t>(batch * kK * kN + (turnB ? j + l * ldb : l + j * ldb));
                    sum += a[inA] * b[inB];
                }
                const auto at = static_cast<size_t>(batch * kM * kN + i + j * kM);
                wrong += result[at] != alpha * sum + beta * c[at];
            }
    std::printf("products %d%d: %d wrong\n", turnA, turnB, wrong);
    CHECK(cudaFree(deviceA));
    CHECK(cudaFree(deviceB));
    CHECK(cudaFree(deviceC));
}

static void vectors(cublasHandle_t blas)
{
    constexpr int n = 300;
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), -100);
    double *x = onDevice(values), *y = onDevice(values);
    double dot = 0, sum = 0, norm = 0;
    int largest = 0, smallest = 0;
    const double two = 2;
    CHECK(cublasDdot(blas, n, x, 1, y, 1, &dot));
    CHECK(cublasDasum(blas, n, x, 1, &sum));
    CHECK(cublasIdamax(blas, n, x, 1, &largest));
    CHECK(cublasIdamin(blas, n, x, 1, &smallest));
    CHECK(cublasDaxpy(blas, n / 2, &two, x, 2, y, 2));
    CHECK(cublasDscal(blas, n, &two, x, 1));
    CHECK(cublasDnrm2(blas, 2, x + 103, 1, &norm));
    const auto updated = onHost(y, n);
    std::printf("dot %g, sum %g, largest %d, smallest %d, norm %g, axpy %g %g\n", dot, sum, largest, smallest, norm,
                updated[10], updated[11]);
    double *result = nullptr, fromDevice = 0;
    CHECK(cudaMalloc(&result, sizeof(double)));
    CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    CHECK(cublasDdot(blas, n, x, 1, y, 1, result));
    CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    CHECK(cudaMemcpy(&fromDevice, result, sizeof(double), cudaMemcpyDeviceToHost));
    std::printf("dot on the device %g\n", fromDevice);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(result));
}

static void matrices(cublasHandle_t blas)
{
    const auto a = pattern<float>(12, 12), x = pattern<float>(4, 4);
    float *deviceA = onDevice(a), *deviceX = onDevice(x), *deviceY = onDevice(pattern<float>(12, 12));
    const float one = 1, zero = 0;
    CHECK(cublasSgemv(blas, CUBLAS_OP_N, 3, 4, &one, deviceA, 3, deviceX, 1, &zero, deviceY, 1));
    auto y = onHost(deviceY, 3);
    std::printf("gemv %g %g %g\n", y[0], y[1], y[2]);
    CHECK(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 4, 3, &one, deviceA, 3, &zero, deviceY, 4, deviceY, 4));
    y = onHost(deviceY, 12);
    std::printf("transposed %g %g %g %g %g\n", y[0], y[1], y[2], y[3], y[4]);
    const auto h = pattern<__half>(16 * 16, 4);
    __half* deviceH = onDevice(h);
    float* deviceC = onDevice(pattern<float>(16 * 16, 1));
    CHECK(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, &one, deviceH, CUDA_R_16F, 16, deviceH, CUDA_R_16F,
                       16, &zero, deviceC, CUDA_R_32F, 16, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    const auto c = onHost(deviceC, 16 * 16);
    std::printf("halves %g %g\n", c[0], c[3]);
    CHECK(cudaFree(deviceA));
    CHECK(cudaFree(deviceX));
    CHECK(cudaFree(deviceY));
    CHECK(cudaFree(deviceH));
    CHECK(cudaFree(deviceC));
}

/// Whose formats arguments name.
static void named(cublasHandle_t blas)
{
    const auto x = pattern<__half>(8, 4), y = pattern<__half>(8, 3);
    __half *deviceX = onDevice(x), *deviceY = onDevice(y);
    const float two = 2, zero = 0;
    __half narrow;
    CHECK(cublasDotEx(blas, 8, deviceX, CUDA_R_16F, 1, deviceY, CUDA_R_16F, 1, &narrow, CUDA_R_16F, CUDA_R_32F));
    std::printf("named dot %g", __half2float(narrow));
    CHECK(cublasNrm2Ex(blas, 8, deviceX, CUDA_R_16F, 1, &narrow, CUDA_R_16F, CUDA_R_32F));
    std::printf(", norm %g", __half2float(narrow));
    CHECK(cublasAxpyEx(blas, 8, &two, CUDA_R_32F, deviceX, CUDA_R_16F, 1, deviceY, CUDA_R_16F, 1, CUDA_R_32F));
    CHECK(cublasScalEx(blas, 4, &two, CUDA_R_32F, deviceY, CUDA_R_16F, 2, CUDA_R_32F));
    std::printf(", then");
    for (const __half& value : onHost(deviceY, 8))
        std::printf(" %g", __half2float(value));
    const auto matrix = pattern<float>(4, 4);
    float *deviceM = onDevice(matrix), *deviceC = onDevice(std::vector<float>(4));
    const void *as[] = {deviceM}, **deviceAs = nullptr;
    void *cs[] = {deviceC}, **deviceCs = nullptr;
    CHECK(cudaMalloc(&deviceAs, sizeof as));
    CHECK(cudaMalloc(&deviceCs, sizeof cs));
    CHECK(cudaMemcpy(deviceAs, as, sizeof as, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceCs, cs, sizeof cs, cudaMemcpyHostToDevice));
    CHECK(cublasGemmBatchedEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &two, deviceAs, CUDA_R_32F, 2, deviceAs,
                              CUDA_R_32F, 2, &zero, deviceCs, CUDA_R_32F, 2, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    const auto c = onHost(deviceC, 4);
    std::printf("\nnamed products %g %g %g %g\n", c[0], c[1], c[2], c[3]);
}

/// A line through (1, 3), (2, 5), (3, 7): to three decimals, as how they are rounded is not said.
static void leastSquares(cublasHandle_t blas)
{
    double *a = onDevice(std::vector<double>{1, 2, 3, 1, 1, 1}), *c = onDevice(std::vector<double>{3, 5, 7});
    double **as = nullptr, **cs = nullptr;
    CHECK(cudaMalloc(&as, sizeof a));
    CHECK(cudaMalloc(&cs, sizeof c));
    CHECK(cudaMemcpy(as, &a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(cs, &c, sizeof c, cudaMemcpyHostToDevice));
    int info = 1;
    CHECK(cublasDgelsBatched(blas, CUBLAS_OP_N, 3, 2, 1, as, 3, cs, 3, &info, nullptr, 1));
    const auto x = onHost(c, 2);
    std::printf("line %.3f %.3f, %d\n", x[0], x[1], info);
}

int main()
{
    cublasHandle_t blas = nullptr;
    cublasLtHandle_t light = nullptr;
    CHECK(cublasCreate(&blas));
    CHECK(cublasLtCreate(&light));
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream));
    for (int turns = 0; turns < 4; ++turns)
        products(blas, (turns & 1) != 0, (turns & 2) != 0);
    vectors(blas);
    matrices(blas);
    named(blas);
    leastSquares(blas);
    CHECK(cublasSetStream(blas, stream));
    CHECK(cublasLtDestroy(light));
    CHECK(cublasDestroy(blas));
    CHECK(cudaStreamDestroy(stream));
}
