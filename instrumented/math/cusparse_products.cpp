// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's functions: sums of vectors, products, triangular solves.
#include "instrumented/math/sparse_device.h"

#include <algorithm>
#include <numeric>

using namespace lanescope::math;

namespace {

/// c = alpha a b + beta c, of the dense places that c has.
cusparseStatus_t multiplySampled(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                 const void* alpha, const cusparseDnMatDescr& a, const cusparseDnMatDescr& b,
                                 const void* beta, const cusparseSpMatDescr& c, cudaDataType computeType)
{
    DeviceNumbers numbers(handle->stream);
    const DenseMatrix left = read(numbers, a, opA);
    const DenseMatrix right = read(numbers, b, opB);
    const SparseMatrix places = read(numbers, c);
    if (numbers.good() && (left.columns != right.rows || left.rows != c.rows || right.columns != c.columns))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const Complex factor = scalarOf(numbers, handle, alpha, computeType);
    const Complex kept = scalarOf(numbers, handle, beta, computeType);
    std::vector<Complex> values;
    for (const Entry& entry : places.entries) {
        Complex sum = 0;
        for (int64_t i = 0; i < left.columns; ++i)
            sum += left.at(entry.row, i) * right.at(i, entry.column);
        values.push_back(factor * sum + (kept != 0.0 ? kept * entry.value : 0.0));
    }
    numbers.write(c.values, values, c.valueType);
    return statusOf(numbers);
}

cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void* alpha,
                          const cusparseSpMatDescr& a, const cusparseDnMatDescr& b, const void* beta,
                          const cusparseDnMatDescr& c, cudaDataType computeType)
{
    DeviceNumbers numbers(handle->stream);
    const SparseMatrix left = read(numbers, a, opA);
    const DenseMatrix right = read(numbers, b, opB);
    if (numbers.good() && (left.columns != right.rows || left.rows != c.rows || right.columns != c.columns))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const Complex factor = scalarOf(numbers, handle, alpha, computeType);
    const Complex kept = scalarOf(numbers, handle, beta, computeType);
    if (numbers.good())
        writeCombined(numbers, c, factor, product(left, right), kept);
    return statusOf(numbers);
}

cusparseStatus_t solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void* alpha,
                       const cusparseSpMatDescr& a, const cusparseDnMatDescr& b, const cusparseDnMatDescr& c,
                       cudaDataType computeType)
{
    DeviceNumbers numbers(handle->stream);
    const SparseMatrix left = read(numbers, a, opA);
    DenseMatrix right = read(numbers, b, opB);
    if (numbers.good() && (a.rows != a.columns || left.rows != right.rows || right.columns != c.columns))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const Complex factor = scalarOf(numbers, handle, alpha, computeType);
    for (Complex& value : right.values)
        value *= factor;
    const bool isUpper = (a.fill == CUSPARSE_FILL_MODE_UPPER) == (opA == CUSPARSE_OPERATION_NON_TRANSPOSE);
    if (numbers.good())
        write(numbers, c, solved(left, {isUpper, a.diagonal == CUSPARSE_DIAG_TYPE_UNIT}, right));
    return statusOf(numbers);
}

}  // namespace

extern "C" {

// Vectors.
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x,
                               const void* beta, cusparseDnVecDescr_t y)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> indices = indicesOf(numbers, x->indices, x->nnz, x->indexType, x->base, y->size);
    const std::vector<Complex> values = numbers.read(x->values, x->nnz, x->valueType);
    std::vector<Complex> sums = numbers.read(y->values, y->size, y->valueType);
    const Complex factor = scalarOf(numbers, handle, alpha, x->valueType);
    const Complex kept = scalarOf(numbers, handle, beta, x->valueType);
    for (Complex& sum : sums)
        sum *= kept;
    for (size_t i = 0; i < indices.size() && numbers.good(); ++i)
        sums[static_cast<size_t>(indices[i])] += factor * values[i];
    numbers.write(y->values, sums, y->valueType);
    return statusOf(numbers);
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> indices = indicesOf(numbers, x->indices, x->nnz, x->indexType, x->base, y->size);
    const std::vector<Complex> all = numbers.read(y->values, y->size, y->valueType);
    std::vector<Complex> values;
    for (size_t i = 0; i < indices.size() && numbers.good(); ++i)
        values.push_back(all[static_cast<size_t>(indices[i])]);
    numbers.write(x->values, values, x->valueType);
    return statusOf(numbers);
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> indices = indicesOf(numbers, x->indices, x->nnz, x->indexType, x->base, y->size);
    const std::vector<Complex> values = numbers.read(x->values, x->nnz, x->valueType);
    // Only these are written.
    for (size_t i = 0; i < indices.size() && numbers.good(); ++i)
        numbers.write(static_cast<char*>(y->values) + static_cast<size_t>(indices[i]) * bytesOf(y->valueType),
                      {values[i]}, y->valueType);
    return statusOf(numbers);
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* cosine, const void* sine, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> indices = indicesOf(numbers, x->indices, x->nnz, x->indexType, x->base, y->size);
    std::vector<Complex> values = numbers.read(x->values, x->nnz, x->valueType);
    std::vector<Complex> all = numbers.read(y->values, y->size, y->valueType);
    const Complex c = scalarOf(numbers, handle, cosine, x->valueType);
    const Complex s = scalarOf(numbers, handle, sine, x->valueType);
    for (size_t i = 0; i < indices.size() && numbers.good(); ++i) {
        Complex& other = all[static_cast<size_t>(indices[i])];
        const Complex turned = c * values[i] + s * other;
        other = c * other - std::conj(s) * values[i];
        values[i] = turned;
    }
    numbers.write(x->values, values, x->valueType);
    numbers.write(y->values, all, y->valueType);
    return statusOf(numbers);
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseConstSpVecDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cudaDataType, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void* result, cudaDataType computeType, void*)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> indices = indicesOf(numbers, x->indices, x->nnz, x->indexType, x->base, y->size);
    const std::vector<Complex> values = numbers.read(x->values, x->nnz, x->valueType);
    const std::vector<Complex> all = numbers.read(y->values, y->size, y->valueType);
    Complex sum = 0;
    for (size_t i = 0; i < indices.size() && numbers.good(); ++i)
        sum += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(values[i]) : values[i]) *
               all[static_cast<size_t>(indices[i])];
    numbers.write(result, {sum}, computeType);
    return statusOf(numbers);
}

// Products.
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, void*)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t, void*)
{
    return multiply(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, *a, columnOf(*x), beta, columnOf(*y),
                    computeType);
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void*)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpMMAlg_t,
                              void*)
{
    for (int batch = 0; batch < c->batches; ++batch)
        if (const cusparseStatus_t status = multiply(handle, opA, opB, alpha, batchOf(*a, batch), batchOf(*b, batch),
                                                     beta, batchOf(*c, batch), computeType);
            status != CUSPARSE_STATUS_SUCCESS)
            return status;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                          cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                          cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                          cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                          cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, void*)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                               const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType computeType, cusparseSDDMMAlg_t,
                               void*)
{
    for (int batch = 0; batch < c->batches; ++batch)
        if (const cusparseStatus_t status = multiplySampled(handle, opA, opB, alpha, batchOf(*a, batch),
                                                            batchOf(*b, batch), beta, batchOf(*c, batch), computeType);
            status != CUSPARSE_STATUS_SUCCESS)
            return status;
    return CUSPARSE_STATUS_SUCCESS;
}

// Triangular solves. The analysis has nothing to keep: the solve reads the matrix again.
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* description)
{
    return create(description);
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t description)
{
    return destroy(description);
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpSVAlg_t, cusparseSpSVDescr_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                       cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                       cusparseSpSVDescr_t, void*)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType computeType, cusparseSpSVAlg_t, cusparseSpSVDescr_t)
{
    return solve(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, *a, columnOf(*x), columnOf(*y), computeType);
}
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* description)
{
    return create(description);
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t description)
{
    return destroy(description);
}
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t,
                                         cudaDataType, cusparseSpSMAlg_t, cusparseSpSMDescr_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                       cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t,
                                       cudaDataType, cusparseSpSMAlg_t, cusparseSpSMDescr_t, void*)
{
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                    const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpSMAlg_t,
                                    cusparseSpSMDescr_t)
{
    return solve(handle, opA, opB, alpha, *a, *b, *c, computeType);
}

// Products of two sparse matrices: computed when the program may first ask how large the result is.
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* description)
{
    return create(description);
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t description)
{
    return destroy(description);
}
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                               cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t, const void*,
                                               cusparseSpMatDescr_t, cudaDataType, cusparseSpGEMMAlg_t,
                                               cusparseSpGEMMDescr_t, size_t* bufferSize, void* buffer)
{
    return buffer ? CUSPARSE_STATUS_SUCCESS : noBuffer(bufferSize);
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                        const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void* beta, cusparseSpMatDescr_t c, cudaDataType computeType,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t description, size_t* bufferSize,
                                        void* buffer)
{
    if (!buffer)
        return noBuffer(bufferSize);
    DeviceNumbers numbers(handle->stream);
    const SparseMatrix left = read(numbers, *a, opA);
    const SparseMatrix right = read(numbers, *b, opB);
    if (numbers.good() && (left.columns != right.rows || left.rows != c->rows || right.columns != c->columns))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const Complex factor = scalarOf(numbers, handle, alpha, computeType);
    if (numbers.good() && scalarOf(numbers, handle, beta, computeType) != 0.0) {
        numbers.fail("cusparseSpGEMM with a beta that is not 0 is not supported");
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    if (!numbers.good())
        return statusOf(numbers);
    description->product = product(left, right);
    for (Entry& entry : description->product.entries)
        entry.value *= factor;
    c->nnz = static_cast<int64_t>(description->product.entries.size());
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void*,
                                     cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t, const void*,
                                     cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
                                     cusparseSpGEMMDescr_t description)
{
    DeviceNumbers numbers(handle->stream);
    write(numbers, *c, description->product);
    return statusOf(numbers);
}

}  // extern "C"
