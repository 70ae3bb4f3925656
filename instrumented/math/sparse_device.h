// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors and matrices as cuSPARSE describes them, copied from the device and to it.
#pragma once

#pragma GCC visibility push(default)
#include "instrumented/include/cusparse.h"
#pragma GCC visibility pop
#include "instrumented/math/device_numbers.h"
#include "instrumented/math/sparse.h"

struct cusparseContext {
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t pointerMode = CUSPARSE_POINTER_MODE_HOST;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

struct cusparseSpVecDescr {
    int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t indexType;
    cusparseIndexBase_t base;
    cudaDataType valueType;
};

struct cusparseDnVecDescr {
    int64_t size;
    void* values;
    cudaDataType valueType;
};

struct cusparseDnMatDescr {
    int64_t rows, columns, leading;
    void* values;
    cudaDataType valueType;
    cusparseOrder_t order;
    int batches = 1;
    int64_t batchStride = 0;  ///< in elements; 0: all batches have the same
};

struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, nnz;
    void* first;   ///< row offsets, column offsets or row indices
    void* second;  ///< column indices or row indices
    void* values;
    cusparseIndexType_t firstType, secondType;
    cusparseIndexBase_t base;
    cudaDataType valueType;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    int batches = 1;
    int64_t offsetsStride = 0, elementsStride = 0;
};

struct cusparseSpSVDescr {};
struct cusparseSpSMDescr {};
struct cusparseSpGEMMDescr {
    lanescope::math::SparseMatrix product;
};
struct csrilu02Info {
    int64_t zeroPivot = -1;
};
struct csric02Info {
    int64_t zeroPivot = -1;
};

namespace lanescope::math {

constexpr size_t kBufferBytes = 1;  // none is needed, but programs allocate what they are told

size_t indexBytes(cusparseIndexType_t type);
bool isIndexType(cusparseIndexType_t type);
cusparseStatus_t statusOf(const DeviceNumbers& numbers);
/// Indices from 0 on, each below \p limit. Others are the program's mistake, which no later access would show.
std::vector<int64_t> indicesOf(DeviceNumbers& numbers, const void* memory, int64_t count, cusparseIndexType_t type,
                               cusparseIndexBase_t base, int64_t limit);
/// For each of the elements that offsets at \p memory divide into rows: its row. They may be fewer than \p nnz.
std::vector<int64_t> rowsOfOffsets(DeviceNumbers& numbers, const void* memory, int64_t rows, int64_t nnz,
                                   cusparseIndexType_t type, cusparseIndexBase_t base);
void writeOffsets(DeviceNumbers& numbers, void* memory, int64_t rows, const std::vector<int64_t>& rowOfEach,
                  cusparseIndexType_t type, cusparseIndexBase_t base);
SparseMatrix read(DeviceNumbers& numbers, const cusparseSpMatDescr& m);
SparseMatrix read(DeviceNumbers& numbers, const cusparseSpMatDescr& m, cusparseOperation_t op);
/// The entries, in the order of the format; offsets too.
void write(DeviceNumbers& numbers, const cusparseSpMatDescr& m, SparseMatrix matrix);
Lines linesOf(const cusparseDnMatDescr& m);
/// Row by row from column by column, and back.
std::vector<Complex> turned(const std::vector<Complex>& values, int64_t lines, int64_t length);
DenseMatrix read(DeviceNumbers& numbers, const cusparseDnMatDescr& m);
void write(DeviceNumbers& numbers, const cusparseDnMatDescr& m, const DenseMatrix& matrix);
DenseMatrix transposed(const DenseMatrix& matrix, bool conjugate);
DenseMatrix read(DeviceNumbers& numbers, const cusparseDnMatDescr& m, cusparseOperation_t op);
/// A vector as a matrix of one column.
cusparseDnMatDescr columnOf(const cusparseDnVecDescr& v);
Complex scalarOf(DeviceNumbers& numbers, cusparseHandle_t handle, const void* memory, cudaDataType type);
/// c = alpha result + beta c; c is not read where beta is 0.
void writeCombined(DeviceNumbers& numbers, const cusparseDnMatDescr& c, Complex alpha, DenseMatrix result,
                   Complex beta);
void* advanced(void* memory, int64_t elements, size_t bytes);
/// One of a batch of matrices that lie behind each other.
cusparseSpMatDescr batchOf(cusparseSpMatDescr m, int batch);
cusparseDnMatDescr batchOf(cusparseDnMatDescr m, int batch);

/// What a call needs beside its results: nothing.
template <class Size>
cusparseStatus_t noBuffer(Size* bufferSize)
{
    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize = static_cast<Size>(kBufferBytes);
    return CUSPARSE_STATUS_SUCCESS;
}

/// Sets what \p where points to, where the caller wants it.
template <class T, class Value>
void give(T* where, const Value& value)
{
    if (where)
        *where = value;
}

template <class T>
cusparseStatus_t create(T** object)
{
    if (!object)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *object = new T();
    return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
cusparseStatus_t destroy(T* object)
{
    delete object;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace lanescope::math
