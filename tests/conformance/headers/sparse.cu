// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE: products, solves and conversions of small matrices of whole numbers, so that every order gives the same
// sums.
#include <cusparse.h>

#include <algorithm>
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
    CHECK(cudaMalloc(&memory, std::max<size_t>(values.size(), 1) * sizeof(T)));
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T>
static void print(const char* name, const T* memory, size_t count)
{
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    std::printf("%s:", name);
    for (const T& value : values)
        std::printf(" %g", static_cast<double>(value));
    std::printf("\n");
}

// 4 x 5, by rows:
//   1 . 2 . 3
//   . . . . .
//   . 4 5 . .
//   6 . . 7 8
static const std::vector<int> kOffsets{0, 3, 3, 5, 8};
static const std::vector<int> kColumns{0, 2, 4, 1, 2, 0, 3, 4};
static const std::vector<int> kRows{0, 0, 0, 2, 2, 3, 3, 3};

template <class T>
static cusparseSpMatDescr_t matrix(cusparseIndexBase_t base, cudaDataType type)
{
    std::vector<int> offsets = kOffsets, columns = kColumns;
    for (int& offset : offsets)
        offset += base;
    for (int& column : columns)
        column += base;
    const std::vector<T> values{1, 2, 3, 4, 5, 6, 7, 8};
    cusparseSpMatDescr_t a;
    CHECK(cusparseCreateCsr(&a, 4, 5, 8, onDevice(offsets), onDevice(columns), onDevice(values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, base, type));
    return a;
}

static void* bufferOf(size_t bytes)
{
    void* buffer = nullptr;
    CHECK(cudaMalloc(&buffer, std::max<size_t>(bytes, 4)));
    return buffer;
}

template <class T>
static void vectors(cusparseHandle_t handle, const char* name, cudaDataType type)
{
    for (const cusparseIndexBase_t base : {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE}) {
        const cusparseSpMatDescr_t a = matrix<T>(base, type);
        T* x = onDevice(std::vector<T>{1, 2, 3, 4, 5});
        T* y = onDevice(std::vector<T>{10, 20, 30, 40});
        cusparseDnVecDescr_t dx, dy;
        CHECK(cusparseCreateDnVec(&dx, 5, x, type));
        CHECK(cusparseCreateDnVec(&dy, 4, y, type));
        const T alpha = 2, beta = 1, none = 0;
        size_t bytes = 0;
        CHECK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, dx, &beta, dy, type,
                                      CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, dx, &beta, dy, type,
                           CUSPARSE_SPMV_ALG_DEFAULT, bufferOf(bytes)));
        print(name, y, 4);
        CHECK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_TRANSPOSE, &alpha, a, dy, &none, dx, type,
                                      CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &alpha, a, dy, &none, dx, type,
                           CUSPARSE_SPMV_ALG_DEFAULT, bufferOf(bytes)));
        print("  transposed", x, 5);
        CHECK(cusparseDestroyDnVec(dx));
        CHECK(cusparseDestroyDnVec(dy));
        CHECK(cusparseDestroySpMat(a));
    }
}

static void matrices(cusparseHandle_t handle)
{
    const cusparseSpMatDescr_t a = matrix<float>(CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    std::vector<float> numbers(24);
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(i % 7);
    const float alpha = 1, beta = 2;
    for (const cusparseOrder_t order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
        const bool byRow = order == CUSPARSE_ORDER_ROW;
        float* b = onDevice(numbers);
        float* c = onDevice(std::vector<float>(20, 1));
        cusparseDnMatDescr_t db, dc;
        // Longer lines than are needed: what is between them stays.
        CHECK(cusparseCreateDnMat(&db, 5, 3, byRow ? 4 : 6, b, CUDA_R_32F, order));
        CHECK(cusparseCreateDnMat(&dc, 4, 3, byRow ? 4 : 5, c, CUDA_R_32F, order));
        size_t bytes = 0;
        CHECK(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                      &alpha, a, db, &beta, dc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
        CHECK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, db,
                           &beta, dc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, bufferOf(bytes)));
        print(byRow ? "SpMM by rows" : "SpMM by columns", c, 20);
        // The other operand transposed: 3 x 5 here.
        cusparseDnMatDescr_t dt;
        CHECK(cusparseCreateDnMat(&dt, 3, 5, byRow ? 6 : 4, b, CUDA_R_32F, order));
        CHECK(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, a,
                                      dt, &beta, dc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
        CHECK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, a, dt, &beta,
                           dc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, bufferOf(bytes)));
        print("  transposed", c, 20);
    }
}

/// 3 x 3 with both triangles; only one counts.
static void solves(cusparseHandle_t handle)
{
    int* offsets = onDevice(std::vector<int>{0, 3, 6, 9});
    int* columns = onDevice(std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2});
    double* values = onDevice(std::vector<double>{2, 4, 6, 2, 4, 8, 4, 2, 1});
    double* x = onDevice(std::vector<double>{8, 16, 32});
    double* y = onDevice(std::vector<double>(3));
    const double alpha = 0.5;
    for (const cusparseOperation_t op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE})
        for (cusparseFillMode_t fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
            for (cusparseDiagType_t diagonal : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT}) {
                cusparseSpMatDescr_t a;
                cusparseDnVecDescr_t dx, dy;
                cusparseSpSVDescr_t description;
                size_t bytes = 0;
                CHECK(cusparseCreateCsr(&a, 3, 3, 9, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
                CHECK(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
                CHECK(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
                CHECK(cusparseCreateDnVec(&dx, 3, x, CUDA_R_64F));
                CHECK(cusparseCreateDnVec(&dy, 3, y, CUDA_R_64F));
                CHECK(cusparseSpSV_createDescr(&description));
                CHECK(cusparseSpSV_bufferSize(handle, op, &alpha, a, dx, dy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                              description, &bytes));
                CHECK(cusparseSpSV_analysis(handle, op, &alpha, a, dx, dy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                            description, bufferOf(bytes)));
                CHECK(cusparseSpSV_solve(handle, op, &alpha, a, dx, dy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                         description));
                print("SpSV", y, 3);
                CHECK(cusparseSpSV_destroyDescr(description));
            }
}

static void conversions(cusparseHandle_t handle)
{
    const cusparseSpMatDescr_t a = matrix<float>(CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    float* dense = onDevice(std::vector<float>(20, -1));
    cusparseDnMatDescr_t d;
    size_t bytes = 0;
    CHECK(cusparseCreateDnMat(&d, 4, 5, 5, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    CHECK(cusparseSparseToDense_bufferSize(handle, a, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
    CHECK(cusparseSparseToDense(handle, a, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, bufferOf(bytes)));
    print("dense", dense, 20);
    cusparseSpMatDescr_t b;
    int* offsets = onDevice(std::vector<int>(6));
    CHECK(cusparseCreateCsc(&b, 4, 5, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseDenseToSparse_bufferSize(handle, d, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
    void* buffer = bufferOf(bytes);
    CHECK(cusparseDenseToSparse_analysis(handle, d, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    int64_t rows, columns, nnz;
    CHECK(cusparseSpMatGetSize(b, &rows, &columns, &nnz));
    int* rowIndices = onDevice(std::vector<int>(static_cast<size_t>(nnz)));
    float* values = onDevice(std::vector<float>(static_cast<size_t>(nnz)));
    CHECK(cusparseCscSetPointers(b, offsets, rowIndices, values));
    CHECK(cusparseDenseToSparse_convert(handle, d, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    print("CSC offsets", offsets, 6);
    print("rows", rowIndices, static_cast<size_t>(nnz));
    print("values", values, static_cast<size_t>(nnz));
    int* rowOffsets = onDevice(kOffsets);
    int* row = onDevice(std::vector<int>(8));
    CHECK(cusparseXcsr2coo(handle, rowOffsets, 8, 4, row, CUSPARSE_INDEX_BASE_ZERO));
    print("coo", row, 8);
    int* again = onDevice(std::vector<int>(5));
    CHECK(cusparseXcoo2csr(handle, row, 8, 4, again, CUSPARSE_INDEX_BASE_ZERO));
    print("csr", again, 5);
    int* columnIndices = onDevice(kColumns);
    float* given = onDevice(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(cusparseCsr2cscEx2_bufferSize(handle, 4, 5, 8, given, rowOffsets, columnIndices, values, offsets, rowIndices,
                                        CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                        CUSPARSE_CSR2CSC_ALG1, &bytes));
    CHECK(cusparseCsr2cscEx2(handle, 4, 5, 8, given, rowOffsets, columnIndices, values, offsets, rowIndices, CUDA_R_32F,
                             CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1,
                             bufferOf(bytes)));
    print("turned offsets", offsets, 6);
    print("turned rows", rowIndices, 8);
    print("turned values", values, 8);
}

static void coordinates(cusparseHandle_t handle)
{
    cusparseSpMatDescr_t a;
    const std::vector<int64_t> rows(kRows.begin(), kRows.end()), columns(kColumns.begin(), kColumns.end());
    CHECK(cusparseCreateCoo(&a, 4, 5, 8, onDevice(rows), onDevice(columns),
                            onDevice(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}), CUSPARSE_INDEX_64I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    double* y = onDevice(std::vector<double>(4));
    cusparseDnVecDescr_t dx, dy;
    CHECK(cusparseCreateDnVec(&dx, 5, onDevice(std::vector<double>{1, 1, 1, 1, 1}), CUDA_R_64F));
    CHECK(cusparseCreateDnVec(&dy, 4, y, CUDA_R_64F));
    const double alpha = 1, beta = 0;
    size_t bytes = 0;
    CHECK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, dx, &beta, dy, CUDA_R_64F,
                                  CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, dx, &beta, dy, CUDA_R_64F,
                       CUSPARSE_SPMV_ALG_DEFAULT, bufferOf(bytes)));
    print("COO of 64-bit indices", y, 4);
}

static void sparseVectors(cusparseHandle_t handle)
{
    cusparseSpVecDescr_t x;
    cusparseDnVecDescr_t y;
    float* values = onDevice(std::vector<float>{1, 2, 3});
    float* all = onDevice(std::vector<float>{10, 20, 30, 40, 50});
    CHECK(cusparseCreateSpVec(&x, 5, 3, onDevice(std::vector<int>{0, 3, 4}), values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&y, 5, all, CUDA_R_32F));
    const float alpha = 2, beta = 3;
    CHECK(cusparseAxpby(handle, &alpha, x, &beta, y));
    print("axpby", all, 5);
    size_t bytes = 0;
    float result = 0;
    CHECK(cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x, y, &result, CUDA_R_32F, &bytes));
    CHECK(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x, y, &result, CUDA_R_32F, bufferOf(bytes)));
    std::printf("SpVV: %g\n", result);
    CHECK(cusparseGather(handle, y, x));
    print("gather", values, 3);
    CHECK(cudaMemset(all, 0, 20));
    CHECK(cusparseScatter(handle, x, y));
    print("scatter", all, 5);
}

static void sparseProduct(cusparseHandle_t handle)
{
    // 5 x 4 times 4 x 5.
    cusparseSpMatDescr_t a = matrix<float>(CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F), b, c;
    CHECK(cusparseCreateCsr(&b, 5, 2, 4, onDevice(std::vector<int>{0, 1, 1, 2, 3, 4}),
                            onDevice(std::vector<int>{0, 1, 0, 1}), onDevice(std::vector<float>{1, 2, 3, 4}),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    int* offsets = onDevice(std::vector<int>(5));
    CHECK(cusparseCreateCsr(&c, 4, 2, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    const float alpha = 1, beta = 0;
    const auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpGEMMDescr_t description;
    size_t bytes = 0, more = 0;
    CHECK(cusparseSpGEMM_createDescr(&description));
    CHECK(cusparseSpGEMM_workEstimation(handle, op, op, &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                        description, &bytes, nullptr));
    CHECK(cusparseSpGEMM_workEstimation(handle, op, op, &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                        description, &bytes, bufferOf(bytes)));
    CHECK(cusparseSpGEMM_compute(handle, op, op, &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                 description, &more, nullptr));
    CHECK(cusparseSpGEMM_compute(handle, op, op, &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                 description, &more, bufferOf(more)));
    int64_t rows, columns, nnz;
    CHECK(cusparseSpMatGetSize(c, &rows, &columns, &nnz));
    int* indices = onDevice(std::vector<int>(static_cast<size_t>(nnz)));
    float* values = onDevice(std::vector<float>(static_cast<size_t>(nnz)));
    CHECK(cusparseCsrSetPointers(c, offsets, indices, values));
    CHECK(
        cusparseSpGEMM_copy(handle, op, op, &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, description));
    print("SpGEMM offsets", offsets, 5);
    print("columns", indices, static_cast<size_t>(nnz));
    print("values", values, static_cast<size_t>(nnz));
    CHECK(cusparseSpGEMM_destroyDescr(description));
}

/// Of full matrices nothing is left out.
static void factorisations(cusparseHandle_t handle)
{
    const std::vector<double> numbers{4, 12, -16, 12, 37, -43, -16, -43, 98};
    int* offsets = onDevice(std::vector<int>{0, 3, 6, 9});
    int* columns = onDevice(std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2});
    double* lu = onDevice(numbers);
    double* cholesky = onDevice(numbers);
    cusparseMatDescr_t description;
    csrilu02Info_t luInfo;
    csric02Info_t choleskyInfo;
    int bytes = 0, more = 0, position = 0;
    CHECK(cusparseCreateMatDescr(&description));
    CHECK(cusparseCreateCsrilu02Info(&luInfo));
    CHECK(cusparseCreateCsric02Info(&choleskyInfo));
    const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
    CHECK(cusparseDcsrilu02_bufferSize(handle, 3, 9, description, lu, offsets, columns, luInfo, &bytes));
    CHECK(cusparseDcsric02_bufferSize(handle, 3, 9, description, cholesky, offsets, columns, choleskyInfo, &more));
    void* buffer = bufferOf(static_cast<size_t>(std::max(bytes, more)));
    CHECK(cusparseDcsrilu02_analysis(handle, 3, 9, description, lu, offsets, columns, luInfo, policy, buffer));
    CHECK(cusparseDcsrilu02(handle, 3, 9, description, lu, offsets, columns, luInfo, policy, buffer));
    CHECK(cusparseXcsrilu02_zeroPivot(handle, luInfo, &position));
    print("LU", lu, 9);
    CHECK(
        cusparseDcsric02_analysis(handle, 3, 9, description, cholesky, offsets, columns, choleskyInfo, policy, buffer));
    CHECK(cusparseDcsric02(handle, 3, 9, description, cholesky, offsets, columns, choleskyInfo, policy, buffer));
    CHECK(cusparseXcsric02_zeroPivot(handle, choleskyInfo, &position));
    double lower[9];
    CHECK(cudaMemcpy(lower, cholesky, sizeof lower, cudaMemcpyDeviceToHost));
    std::printf("Cholesky: %g %g %g %g %g %g\n", lower[0], lower[3], lower[4], lower[6], lower[7], lower[8]);
}

static void withinRows(cusparseHandle_t handle)
{
    cusparseMatDescr_t description;
    CHECK(cusparseCreateMatDescr(&description));
    int* offsets = onDevice(std::vector<int>{0, 3, 3, 5, 8});
    int* columns = onDevice(std::vector<int>{4, 0, 2, 2, 1, 3, 4, 0});
    int* permutation = onDevice(std::vector<int>(8));
    CHECK(cusparseCreateIdentityPermutation(handle, 8, permutation));
    size_t bytes = 0;
    CHECK(cusparseXcsrsort_bufferSizeExt(handle, 4, 5, 8, offsets, columns, &bytes));
    void* buffer = nullptr;
    CHECK(cudaMalloc(&buffer, bytes));
    CHECK(cusparseXcsrsort(handle, 4, 5, 8, description, offsets, columns, permutation, buffer));
    print("sorted", columns, 8);
    print("from", permutation, 8);
    CHECK(cusparseXcscsort(handle, 5, 4, 8, description, offsets, columns, nullptr, buffer));
    print("as columns", columns, 8);
    const float* dense = onDevice(std::vector<float>{1, 0, 2, 0, 0, 3});  // 2 x 3, by columns
    int* counts = onDevice(std::vector<int>(3));
    int sum = 0;
    CHECK(cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, 2, 3, description, dense, 2, counts, &sum));
    std::printf("%d in all, ", sum);
    print("of rows", counts, 2);
    CHECK(cusparseSnnz(handle, CUSPARSE_DIRECTION_COLUMN, 2, 3, description, dense, 2, counts, &sum));
    std::printf("%d in all, ", sum);
    print("of columns", counts, 3);
    CHECK(cusparseDestroyMatDescr(description));
}

int main()
{
    cusparseHandle_t handle;
    CHECK(cusparseCreate(&handle));
    vectors<float>(handle, "SpMV float", CUDA_R_32F);
    vectors<double>(handle, "SpMV double", CUDA_R_64F);
    matrices(handle);
    solves(handle);
    conversions(handle);
    coordinates(handle);
    withinRows(handle);
    sparseVectors(handle);
    sparseProduct(handle);
    factorisations(handle);
    CHECK(cusparseDestroy(handle));
    return 0;
}
