// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's functions.
#pragma GCC visibility push(default)
#include "instrumented/include/cusparse.h"
#pragma GCC visibility pop

#include <algorithm>
#include <numeric>

#include "instrumented/math/device_numbers.h"
#include "instrumented/math/sparse.h"

using namespace lanescope::math;

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
    SparseMatrix product;
};
struct csrilu02Info {
    int64_t zeroPivot = -1;
};
struct csric02Info {
    int64_t zeroPivot = -1;
};

namespace {

constexpr size_t kBufferBytes = 1;  // none is needed, but programs allocate what they are told

size_t indexBytes(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? 8 : 4;
}

bool isIndexType(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

cusparseStatus_t statusOf(const DeviceNumbers& numbers)
{
    return numbers.good() ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

/// Indices from 0 on, each below \p limit. Others are the program's mistake, which no later access would show.
std::vector<int64_t> indicesOf(DeviceNumbers& numbers, const void* memory, int64_t count, cusparseIndexType_t type,
                               cusparseIndexBase_t base, int64_t limit)
{
    std::vector<int64_t> indices = numbers.readIndices(memory, count, indexBytes(type));
    for (int64_t& index : indices) {
        index -= base;
        if (numbers.good() && (index < 0 || index >= limit))
            numbers.fail("a sparse matrix or vector has an index outside of it");
    }
    return indices;
}

/// For each of the elements that offsets at \p memory divide into rows: its row. They may be fewer than \p nnz.
std::vector<int64_t> rowsOfOffsets(DeviceNumbers& numbers, const void* memory, int64_t rows, int64_t nnz,
                                   cusparseIndexType_t type, cusparseIndexBase_t base)
{
    const std::vector<int64_t> offsets = numbers.readIndices(memory, rows + 1, indexBytes(type));
    std::vector<int64_t> result;
    for (int64_t row = 0; row < rows && numbers.good(); ++row) {
        const int64_t begin = offsets[static_cast<size_t>(row)] - base;
        const int64_t end = offsets[static_cast<size_t>(row) + 1] - base;
        if (begin != static_cast<int64_t>(result.size()) || end < begin || end > nnz)
            numbers.fail("the offsets of a sparse matrix do not ascend from its first to its last element");
        else
            result.insert(result.end(), static_cast<size_t>(end - begin), row);
    }
    return result;
}

void writeOffsets(DeviceNumbers& numbers, void* memory, int64_t rows, const std::vector<int64_t>& rowOfEach,
                  cusparseIndexType_t type, cusparseIndexBase_t base)
{
    std::vector<int64_t> offsets(static_cast<size_t>(rows) + 1, base);
    for (const int64_t row : rowOfEach)
        ++offsets[static_cast<size_t>(row) + 1];
    for (size_t row = 1; row < offsets.size(); ++row)
        offsets[row] += offsets[row - 1] - base;
    numbers.writeIndices(memory, offsets, indexBytes(type));
}

SparseMatrix read(DeviceNumbers& numbers, const cusparseSpMatDescr& m)
{
    SparseMatrix matrix{m.rows, m.columns, {}};
    const bool isCsc = m.format == CUSPARSE_FORMAT_CSC;
    const int64_t lines = isCsc ? m.columns : m.rows;
    const std::vector<int64_t> line = m.format == CUSPARSE_FORMAT_COO
                                          ? indicesOf(numbers, m.first, m.nnz, m.firstType, m.base, lines)
                                          : rowsOfOffsets(numbers, m.first, lines, m.nnz, m.firstType, m.base);
    const auto count = static_cast<int64_t>(line.size());
    const std::vector<int64_t> place =
        indicesOf(numbers, m.second, count, m.secondType, m.base, isCsc ? m.rows : m.columns);
    const std::vector<Complex> values = numbers.read(m.values, count, m.valueType);
    for (size_t i = 0; i < values.size() && numbers.good(); ++i)
        matrix.entries.push_back({isCsc ? place[i] : line[i], isCsc ? line[i] : place[i], values[i]});
    return matrix;
}

SparseMatrix read(DeviceNumbers& numbers, const cusparseSpMatDescr& m, cusparseOperation_t op)
{
    const SparseMatrix matrix = read(numbers, m);
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix
                                                  : matrix.transposed(op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
}

/// The entries, in the order of the format; offsets too.
void write(DeviceNumbers& numbers, const cusparseSpMatDescr& m, SparseMatrix matrix)
{
    const bool isCsc = m.format == CUSPARSE_FORMAT_CSC;
    if (isCsc)
        matrix = matrix.transposed(false);
    matrix.sort();
    std::vector<int64_t> lines, places;
    std::vector<Complex> values;
    for (const Entry& entry : matrix.entries) {
        lines.push_back(entry.row);
        places.push_back(entry.column + m.base);
        values.push_back(entry.value);
    }
    if (m.format == CUSPARSE_FORMAT_COO) {
        for (int64_t& line : lines)
            line += m.base;
        numbers.writeIndices(m.first, lines, indexBytes(m.firstType));
    } else {
        writeOffsets(numbers, m.first, matrix.rows, lines, m.firstType, m.base);
    }
    numbers.writeIndices(m.second, places, indexBytes(m.secondType));
    numbers.write(m.values, values, m.valueType);
}

Lines linesOf(const cusparseDnMatDescr& m)
{
    return m.order == CUSPARSE_ORDER_ROW ? Lines{m.rows, m.columns, m.leading} : Lines{m.columns, m.rows, m.leading};
}

/// Row by row from column by column, and back.
std::vector<Complex> turned(const std::vector<Complex>& values, int64_t lines, int64_t length)
{
    std::vector<Complex> result(values.size());
    for (int64_t i = 0; i < lines; ++i)
        for (int64_t j = 0; j < length; ++j)
            result[static_cast<size_t>(j * lines + i)] = values[static_cast<size_t>(i * length + j)];
    return result;
}

DenseMatrix read(DeviceNumbers& numbers, const cusparseDnMatDescr& m)
{
    DenseMatrix matrix(m.rows, m.columns);
    const std::vector<Complex> values = numbers.read(m.values, linesOf(m), m.valueType);
    if (numbers.good())
        matrix.values = m.order == CUSPARSE_ORDER_ROW ? values : turned(values, m.columns, m.rows);
    return matrix;
}

void write(DeviceNumbers& numbers, const cusparseDnMatDescr& m, const DenseMatrix& matrix)
{
    numbers.write(m.values, linesOf(m),
                  m.order == CUSPARSE_ORDER_ROW ? matrix.values : turned(matrix.values, m.rows, m.columns),
                  m.valueType);
}

DenseMatrix transposed(const DenseMatrix& matrix, bool conjugate)
{
    DenseMatrix result(matrix.columns, matrix.rows);
    result.values = turned(matrix.values, matrix.rows, matrix.columns);
    for (Complex& value : result.values)
        value = conjugate ? std::conj(value) : value;
    return result;
}

DenseMatrix read(DeviceNumbers& numbers, const cusparseDnMatDescr& m, cusparseOperation_t op)
{
    const DenseMatrix matrix = read(numbers, m);
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix
                                                  : transposed(matrix, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
}

/// A vector as a matrix of one column.
cusparseDnMatDescr columnOf(const cusparseDnVecDescr& v)
{
    return {v.size, 1, v.size, v.values, v.valueType, CUSPARSE_ORDER_COL};
}

Complex scalarOf(DeviceNumbers& numbers, cusparseHandle_t handle, const void* memory, cudaDataType type)
{
    if (handle->pointerMode == CUSPARSE_POINTER_MODE_HOST)
        return numberAt(memory, type);
    const std::vector<Complex> values = numbers.read(memory, 1, type);
    return values.empty() ? Complex() : values.front();
}

/// c = alpha result + beta c; c is not read where beta is 0.
void writeCombined(DeviceNumbers& numbers, const cusparseDnMatDescr& c, Complex alpha, DenseMatrix result, Complex beta)
{
    const DenseMatrix before = beta != 0.0 ? read(numbers, c) : DenseMatrix(c.rows, c.columns);
    for (size_t i = 0; i < result.values.size(); ++i)
        result.values[i] = alpha * result.values[i] + (beta != 0.0 ? beta * before.values[i] : 0.0);
    write(numbers, c, result);
}

void* advanced(void* memory, int64_t elements, size_t bytes)
{
    return static_cast<std::byte*>(memory) + static_cast<size_t>(elements) * bytes;
}

/// One of a batch of matrices that lie behind each other.
cusparseSpMatDescr batchOf(cusparseSpMatDescr m, int batch)
{
    const bool isCoo = m.format == CUSPARSE_FORMAT_COO;
    m.first = advanced(m.first, batch * (isCoo ? m.elementsStride : m.offsetsStride), indexBytes(m.firstType));
    m.second = advanced(m.second, batch * m.elementsStride, indexBytes(m.secondType));
    m.values = advanced(m.values, batch * m.elementsStride, bytesOf(m.valueType));
    return m;
}

cusparseDnMatDescr batchOf(cusparseDnMatDescr m, int batch)
{
    m.values = advanced(m.values, batch * m.batchStride, bytesOf(m.valueType));
    return m;
}

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

cusparseStatus_t sortCoordinates(cusparseHandle_t handle, int nnz, int* rowIndices, int* columnIndices,
                                 int* permutation, bool byColumn)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> rows = numbers.readIndices(rowIndices, nnz, sizeof(int));
    const std::vector<int64_t> columns = numbers.readIndices(columnIndices, nnz, sizeof(int));
    const std::vector<int64_t> places =
        permutation ? numbers.readIndices(permutation, nnz, sizeof(int)) : std::vector<int64_t>();
    if (!numbers.good())
        return statusOf(numbers);
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) {
        return byColumn ? std::pair(columns[i], rows[i]) : std::pair(rows[i], columns[i]);
    });
    const auto writeOrdered = [&](int* memory, const std::vector<int64_t>& indices) {
        std::vector<int64_t> ordered;
        for (const size_t i : order)
            ordered.push_back(indices[i]);
        numbers.writeIndices(memory, ordered, sizeof(int));
    };
    writeOrdered(rowIndices, rows);
    writeOrdered(columnIndices, columns);
    if (permutation)
        writeOrdered(permutation, places);
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

cusparseStatus_t createMatrix(cusparseSpMatDescr_t* matrix, const cusparseSpMatDescr& description)
{
    if (!matrix || description.rows < 0 || description.columns < 0 || description.nnz < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!isIndexType(description.firstType) || !isIndexType(description.secondType) ||
        bytesOf(description.valueType) == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *matrix = new cusparseSpMatDescr(description);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t setPointers(cusparseSpMatDescr_t matrix, cusparseFormat_t format, void* first, void* second,
                             void* values)
{
    if (!matrix || matrix->format != format)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->first = first;
    matrix->second = second;
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/// Those of a dense matrix that are not 0.
SparseMatrix sparseOf(const DenseMatrix& dense)
{
    SparseMatrix matrix{dense.rows, dense.columns, {}};
    for (int64_t row = 0; row < dense.rows; ++row)
        for (int64_t column = 0; column < dense.columns; ++column)
            if (const Complex value = dense.at(row, column); value != 0.0)
                matrix.entries.push_back({row, column, value});
    return matrix;
}

template <class Info>
cusparseStatus_t factorise(cusparseHandle_t handle, int rows, int nnz, cusparseMatDescr_t description, void* values,
                           cudaDataType type, const int* rowOffsets, const int* columnIndices, Info* info,
                           std::optional<int64_t> (*factoriseIn)(SparseMatrix&))
{
    DeviceNumbers numbers(handle->stream);
    const cusparseSpMatDescr matrix{CUSPARSE_FORMAT_CSR,
                                    rows,
                                    rows,
                                    nnz,
                                    const_cast<int*>(rowOffsets),
                                    const_cast<int*>(columnIndices),
                                    values,
                                    CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I,
                                    description->base,
                                    type};
    SparseMatrix a = read(numbers, matrix);
    if (!numbers.good())
        return statusOf(numbers);
    if (!std::ranges::is_sorted(a.entries, {}, [](const Entry& entry) { return std::pair(entry.row, entry.column); })) {
        numbers.fail("an incomplete factorisation wants each row's columns in ascending order");
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    info->zeroPivot = -1;
    if (const std::optional<int64_t> pivot = factoriseIn(a))
        info->zeroPivot = *pivot + description->base;
    std::vector<Complex> results;
    for (const Entry& entry : a.entries)
        results.push_back(entry.value);
    numbers.write(values, results, type);
    return statusOf(numbers);
}

cusparseStatus_t zeroPivot(int64_t found, int* position)
{
    *position = static_cast<int>(found);
    return found < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

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

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle)
{
    return create(handle);
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    return destroy(handle);
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int* version)
{
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value)
{
    *value = type == MAJOR_VERSION   ? CUSPARSE_VER_MAJOR
             : type == MINOR_VERSION ? CUSPARSE_VER_MINOR
                                     : CUSPARSE_VER_PATCH;
    return CUSPARSE_STATUS_SUCCESS;
}
const char* cusparseGetErrorName(cusparseStatus_t status)
{
    static constexpr const char* kNames[] = {"CUSPARSE_STATUS_SUCCESS",
                                             "CUSPARSE_STATUS_NOT_INITIALIZED",
                                             "CUSPARSE_STATUS_ALLOC_FAILED",
                                             "CUSPARSE_STATUS_INVALID_VALUE",
                                             "CUSPARSE_STATUS_ARCH_MISMATCH",
                                             "CUSPARSE_STATUS_MAPPING_ERROR",
                                             "CUSPARSE_STATUS_EXECUTION_FAILED",
                                             "CUSPARSE_STATUS_INTERNAL_ERROR",
                                             "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                             "CUSPARSE_STATUS_ZERO_PIVOT",
                                             "CUSPARSE_STATUS_NOT_SUPPORTED",
                                             "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
    return static_cast<size_t>(status) < std::size(kNames) ? kNames[status] : "unrecognized error code";
}
const char* cusparseGetErrorString(cusparseStatus_t status)
{
    return cusparseGetErrorName(status);
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream)
{
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    handle->pointerMode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode)
{
    *mode = handle->pointerMode;
    return CUSPARSE_STATUS_SUCCESS;
}

// Descriptions of vectors and matrices.
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* vector, int64_t size, int64_t nnz, void* indices,
                                     void* values, cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                     cudaDataType valueType)
{
    if (!vector || size < 0 || nnz < 0 || nnz > size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!isIndexType(indexType) || bytesOf(valueType) == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *vector = new cusparseSpVecDescr{size, nnz, indices, values, indexType, base, valueType};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector)
{
    return destroy(vector);
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vector, int64_t* size, int64_t* nnz, void** indices,
                                  void** values, cusparseIndexType_t* indexType, cusparseIndexBase_t* base,
                                  cudaDataType* valueType)
{
    give(size, vector->size);
    give(nnz, vector->nnz);
    give(indices, vector->indices);
    give(values, vector->values);
    give(indexType, vector->indexType);
    give(base, vector->base);
    give(valueType, vector->valueType);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t vector, void** values)
{
    *values = vector->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void* values)
{
    vector->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values, cudaDataType valueType)
{
    if (!vector || size < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (bytesOf(valueType) == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *vector = new cusparseDnVecDescr{size, values, valueType};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* vector, int64_t size, const void* values,
                                          cudaDataType valueType)
{
    return cusparseCreateDnVec(const_cast<cusparseDnVecDescr_t*>(vector), size, const_cast<void*>(values), valueType);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector)
{
    return destroy(vector);
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t* size, void** values, cudaDataType* valueType)
{
    give(size, vector->size);
    give(values, vector->values);
    give(valueType, vector->valueType);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void** values)
{
    *values = vector->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values)
{
    vector->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t leading,
                                     void* values, cudaDataType valueType, cusparseOrder_t order)
{
    if (!matrix || rows < 0 || columns < 0 || leading < (order == CUSPARSE_ORDER_ROW ? columns : rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (bytesOf(valueType) == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *matrix = new cusparseDnMatDescr{rows, columns, leading, values, valueType, order};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* matrix, int64_t rows, int64_t columns,
                                          int64_t leading, const void* values, cudaDataType valueType,
                                          cusparseOrder_t order)
{
    return cusparseCreateDnMat(const_cast<cusparseDnMatDescr_t*>(matrix), rows, columns, leading,
                               const_cast<void*>(values), valueType, order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix)
{
    return destroy(matrix);
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* leading,
                                  void** values, cudaDataType* valueType, cusparseOrder_t* order)
{
    give(rows, matrix->rows);
    give(columns, matrix->columns);
    give(leading, matrix->leading);
    give(values, matrix->values);
    give(valueType, matrix->valueType);
    give(order, matrix->order);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void** values)
{
    *values = matrix->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void* values)
{
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t nnz,
                                   void* rowOffsets, void* columnIndices, void* values, cusparseIndexType_t offsetType,
                                   cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType valueType)
{
    return createMatrix(matrix, {CUSPARSE_FORMAT_CSR, rows, columns, nnz, rowOffsets, columnIndices, values, offsetType,
                                 indexType, base, valueType});
}
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t nnz,
                                        const void* rowOffsets, const void* columnIndices, const void* values,
                                        cusparseIndexType_t offsetType, cusparseIndexType_t indexType,
                                        cusparseIndexBase_t base, cudaDataType valueType)
{
    return cusparseCreateCsr(const_cast<cusparseSpMatDescr_t*>(matrix), rows, columns, nnz,
                             const_cast<void*>(rowOffsets), const_cast<void*>(columnIndices), const_cast<void*>(values),
                             offsetType, indexType, base, valueType);
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t nnz,
                                   void* columnOffsets, void* rowIndices, void* values, cusparseIndexType_t offsetType,
                                   cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType valueType)
{
    return createMatrix(matrix, {CUSPARSE_FORMAT_CSC, rows, columns, nnz, columnOffsets, rowIndices, values, offsetType,
                                 indexType, base, valueType});
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t nnz,
                                   void* rowIndices, void* columnIndices, void* values, cusparseIndexType_t indexType,
                                   cusparseIndexBase_t base, cudaDataType valueType)
{
    return createMatrix(matrix, {CUSPARSE_FORMAT_COO, rows, columns, nnz, rowIndices, columnIndices, values, indexType,
                                 indexType, base, valueType});
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
    return destroy(matrix);
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* nnz,
                                void** rowOffsets, void** columnIndices, void** values, cusparseIndexType_t* offsetType,
                                cusparseIndexType_t* indexType, cusparseIndexBase_t* base, cudaDataType* valueType)
{
    give(rows, matrix->rows);
    give(columns, matrix->columns);
    give(nnz, matrix->nnz);
    give(rowOffsets, matrix->first);
    give(columnIndices, matrix->second);
    give(values, matrix->values);
    give(offsetType, matrix->firstType);
    give(indexType, matrix->secondType);
    give(base, matrix->base);
    give(valueType, matrix->valueType);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* rowOffsets, void* columnIndices,
                                        void* values)
{
    return setPointers(matrix, CUSPARSE_FORMAT_CSR, rowOffsets, columnIndices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void* columnOffsets, void* rowIndices,
                                        void* values)
{
    return setPointers(matrix, CUSPARSE_FORMAT_CSC, columnOffsets, rowIndices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* rowIndices, void* columnIndices,
                                        void* values)
{
    return setPointers(matrix, CUSPARSE_FORMAT_COO, rowIndices, columnIndices, values);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* nnz)
{
    give(rows, matrix->rows);
    give(columns, matrix->columns);
    give(nnz, matrix->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t* format)
{
    *format = matrix->format;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t* base)
{
    *base = matrix->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void** values)
{
    *values = matrix->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void* values)
{
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, int64_t offsetsStride,
                                            int64_t columnsValuesStride)
{
    if (batches < 1 || offsetsStride < 0 || columnsValuesStride < 0 || matrix->format != CUSPARSE_FORMAT_CSR)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->batches = batches;
    matrix->offsetsStride = offsetsStride;
    matrix->elementsStride = columnsValuesStride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, int64_t stride)
{
    if (batches < 1 || stride < 0 || matrix->format != CUSPARSE_FORMAT_COO)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->batches = batches;
    matrix->elementsStride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int* batches)
{
    *batches = matrix->batches;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int batches, int64_t stride)
{
    if (batches < 1 || stride < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->batches = batches;
    matrix->batchStride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int* batches, int64_t* stride)
{
    give(batches, matrix->batches);
    give(stride, matrix->batchStride);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                                           void* data, size_t dataSize)
{
    if (!data || dataSize != sizeof(cusparseFillMode_t))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        *static_cast<cusparseFillMode_t*>(data) = matrix->fill;
    else
        *static_cast<cusparseDiagType_t*>(data) = matrix->diagonal;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute, void* data,
                                           size_t dataSize)
{
    if (!data || dataSize != sizeof(cusparseFillMode_t))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        matrix->fill = *static_cast<const cusparseFillMode_t*>(data);
    else
        matrix->diagonal = *static_cast<const cusparseDiagType_t*>(data);
    return CUSPARSE_STATUS_SUCCESS;
}

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

// Conversions.
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t,
                                                  cusparseSparseToDenseAlg_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void*)
{
    DeviceNumbers numbers(handle->stream);
    const SparseMatrix sparse = read(numbers, *a);
    if (a->rows != b->rows || a->columns != b->columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    DenseMatrix dense(b->rows, b->columns);
    for (const Entry& entry : sparse.entries)
        dense.at(entry.row, entry.column) = entry.value;
    write(numbers, *b, dense);
    return statusOf(numbers);
}
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t, cusparseSpMatDescr_t,
                                                  cusparseDenseToSparseAlg_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void*)
{
    DeviceNumbers numbers(handle->stream);
    const DenseMatrix dense = read(numbers, *a);
    b->nnz = static_cast<int64_t>(sparseOf(dense).entries.size());
    return statusOf(numbers);
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void*)
{
    DeviceNumbers numbers(handle->stream);
    const DenseMatrix dense = read(numbers, *a);
    if (numbers.good())
        write(numbers, *b, sparseOf(dense));
    return statusOf(numbers);
}
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, const void*, const int*, const int*,
                                               void*, int*, int*, cudaDataType, cusparseAction_t, cusparseIndexBase_t,
                                               cusparseCsr2CscAlg_t, size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int rows, int columns, int nnz, const void* csrValues,
                                    const int* rowOffsets, const int* columnIndices, void* cscValues,
                                    int* columnOffsets, int* rowIndices, cudaDataType valueType,
                                    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void*)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> row = rowsOfOffsets(numbers, rowOffsets, rows, nnz, CUSPARSE_INDEX_32I, base);
    const std::vector<int64_t> column = indicesOf(numbers, columnIndices, nnz, CUSPARSE_INDEX_32I, base, columns);
    const std::vector<Complex> values = action == CUSPARSE_ACTION_NUMERIC ? numbers.read(csrValues, nnz, valueType)
                                                                          : std::vector<Complex>(column.size());
    if (!numbers.good())
        return statusOf(numbers);
    SparseMatrix turnedAround{columns, rows, {}};
    for (size_t i = 0; i < column.size(); ++i)
        turnedAround.entries.push_back({column[i], row[i], values[i]});
    turnedAround.sort();
    std::vector<int64_t> lines, places;
    std::vector<Complex> sorted;
    for (const Entry& entry : turnedAround.entries) {
        lines.push_back(entry.row);
        places.push_back(entry.column + base);
        sorted.push_back(entry.value);
    }
    writeOffsets(numbers, columnOffsets, columns, lines, CUSPARSE_INDEX_32I, base);
    numbers.writeIndices(rowIndices, places, sizeof(int));
    if (action == CUSPARSE_ACTION_NUMERIC)
        numbers.write(cscValues, sorted, valueType);
    return statusOf(numbers);
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* rowOffsets, int nnz, int rows, int* rowIndices,
                                  cusparseIndexBase_t base)
{
    DeviceNumbers numbers(handle->stream);
    std::vector<int64_t> row = rowsOfOffsets(numbers, rowOffsets, rows, nnz, CUSPARSE_INDEX_32I, base);
    for (int64_t& one : row)
        one += base;
    numbers.writeIndices(rowIndices, row, sizeof(int));
    return statusOf(numbers);
}
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rowIndices, int nnz, int rows, int* rowOffsets,
                                  cusparseIndexBase_t base)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> row = indicesOf(numbers, rowIndices, nnz, CUSPARSE_INDEX_32I, base, rows);
    if (numbers.good())
        writeOffsets(numbers, rowOffsets, rows, row, CUSPARSE_INDEX_32I, base);
    return statusOf(numbers);
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* permutation)
{
    DeviceNumbers numbers(handle->stream);
    std::vector<int64_t> places(static_cast<size_t>(std::max(n, 0)));
    std::iota(places.begin(), places.end(), int64_t{0});
    numbers.writeIndices(permutation, places, sizeof(int));
    return statusOf(numbers);
}
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*,
                                                size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int, int, int nnz, int* rowIndices, int* columnIndices,
                                       int* permutation, void*)
{
    return sortCoordinates(handle, nnz, rowIndices, columnIndices, permutation, false);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int, int, int nnz, int* rowIndices,
                                          int* columnIndices, int* permutation, void*)
{
    return sortCoordinates(handle, nnz, rowIndices, columnIndices, permutation, true);
}

// What older functions are told of a matrix.
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* description)
{
    return create(description);
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t description)
{
    return destroy(description);
}
#define LS_PROPERTY(name, type, member)                                                                                \
    cusparseStatus_t cusparseSetMat##name(cusparseMatDescr_t description, type value)                                  \
    {                                                                                                                  \
        description->member = value;                                                                                   \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    type cusparseGetMat##name(const cusparseMatDescr_t description)                                                    \
    {                                                                                                                  \
        return description->member;                                                                                    \
    }
LS_PROPERTY(Type, cusparseMatrixType_t, type)
LS_PROPERTY(FillMode, cusparseFillMode_t, fill)
LS_PROPERTY(DiagType, cusparseDiagType_t, diagonal)
LS_PROPERTY(IndexBase, cusparseIndexBase_t, base)
#undef LS_PROPERTY

#define LS_FACTORISATION(kind, letter, T, type, function)                                                              \
    cusparseStatus_t cusparse##letter##cs##kind##02_bufferSize(cusparseHandle_t, int, int, const cusparseMatDescr_t,   \
                                                               T*, const int*, const int*, cs##kind##02Info_t,         \
                                                               int* bufferSize)                                        \
    {                                                                                                                  \
        return noBuffer(bufferSize);                                                                                   \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##cs##kind##02_analysis(cusparseHandle_t, int, int, const cusparseMatDescr_t,     \
                                                             const T*, const int*, const int*, cs##kind##02Info_t,     \
                                                             cusparseSolvePolicy_t, void*)                             \
    {                                                                                                                  \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##cs##kind##02(                                                                   \
        cusparseHandle_t handle, int rows, int nnz, const cusparseMatDescr_t description, T* values,                   \
        const int* rowOffsets, const int* columnIndices, cs##kind##02Info_t info, cusparseSolvePolicy_t, void*)        \
    {                                                                                                                  \
        return factorise(handle, rows, nnz, description, values, type, rowOffsets, columnIndices, info, function);     \
    }
LS_FACTORISATION(rilu, S, float, CUDA_R_32F, factoriseLu)
LS_FACTORISATION(rilu, D, double, CUDA_R_64F, factoriseLu)
LS_FACTORISATION(rilu, C, cuComplex, CUDA_C_32F, factoriseLu)
LS_FACTORISATION(rilu, Z, cuDoubleComplex, CUDA_C_64F, factoriseLu)
LS_FACTORISATION(ric, S, float, CUDA_R_32F, factoriseCholesky)
LS_FACTORISATION(ric, D, double, CUDA_R_64F, factoriseCholesky)
LS_FACTORISATION(ric, C, cuComplex, CUDA_C_32F, factoriseCholesky)
LS_FACTORISATION(ric, Z, cuDoubleComplex, CUDA_C_64F, factoriseCholesky)
#undef LS_FACTORISATION
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info)
{
    return create(info);
}
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
    return destroy(info);
}
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t, csrilu02Info_t info, int* position)
{
    return zeroPivot(info->zeroPivot, position);
}
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t* info)
{
    return create(info);
}
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info)
{
    return destroy(info);
}
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t, csric02Info_t info, int* position)
{
    return zeroPivot(info->zeroPivot, position);
}

}  // extern "C"
