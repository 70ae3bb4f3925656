// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/sparse_device.h"

#include <algorithm>
#include <numeric>

namespace lanescope::math {

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

}  // namespace lanescope::math
