// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's functions: conversions between formats, and incomplete factorisations.
#include "instrumented/math/sparse_device.h"

#include <algorithm>
#include <numeric>

using namespace lanescope::math;

namespace {

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

/// In each of the \p lines that offsets divide.
cusparseStatus_t sortWithin(cusparseHandle_t handle, int lines, int nnz, cusparseMatDescr_t description,
                            const int* offsets, int* indices, int* permutation)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<int64_t> line =
        rowsOfOffsets(numbers, offsets, lines, nnz, CUSPARSE_INDEX_32I, description->base);
    const std::vector<int64_t> places = numbers.readIndices(indices, nnz, sizeof(int));
    const std::vector<int64_t> permuted =
        permutation ? numbers.readIndices(permutation, nnz, sizeof(int)) : std::vector<int64_t>();
    if (!numbers.good())
        return statusOf(numbers);
    std::vector<size_t> order(line.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return std::pair(line[i], places[i]); });
    const auto writeOrdered = [&](int* memory, const std::vector<int64_t>& values) {
        std::vector<int64_t> ordered;
        for (const size_t i : order)
            ordered.push_back(values[i]);
        numbers.writeIndices(memory, ordered, sizeof(int));
    };
    writeOrdered(indices, places);
    if (permutation)
        writeOrdered(permutation, permuted);
    return statusOf(numbers);
}

cusparseStatus_t countNonZeros(cusparseHandle_t handle, cusparseDirection_t direction, int rows, int columns,
                               const void* matrix, int leading, cudaDataType type, int* nnzOfEach, int* nnzOfAll)
{
    DeviceNumbers numbers(handle->stream);
    const std::vector<Complex> values = numbers.read(matrix, Lines{columns, rows, leading}, type);
    if (!numbers.good())
        return statusOf(numbers);
    const bool byRow = direction == CUSPARSE_DIRECTION_ROW;
    std::vector<int64_t> counts(static_cast<size_t>(byRow ? rows : columns));
    int64_t sum = 0;
    for (size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0.0) {
            ++counts[byRow ? i % static_cast<size_t>(rows) : i / static_cast<size_t>(rows)];
            ++sum;
        }
    numbers.writeIndices(nnzOfEach, counts, sizeof(int));
    if (handle->pointerMode == CUSPARSE_POINTER_MODE_HOST)
        *nnzOfAll = static_cast<int>(sum);
    else
        numbers.writeIndices(nnzOfAll, {sum}, sizeof(int));
    return statusOf(numbers);
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

}  // namespace

extern "C" {

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

cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*,
                                                size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int rows, int, int nnz, const cusparseMatDescr_t description,
                                  const int* rowOffsets, int* columnIndices, int* permutation, void*)
{
    return sortWithin(handle, rows, nnz, description, rowOffsets, columnIndices, permutation);
}
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*,
                                                size_t* bufferSize)
{
    return noBuffer(bufferSize);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int, int columns, int nnz,
                                  const cusparseMatDescr_t description, const int* columnOffsets, int* rowIndices,
                                  int* permutation, void*)
{
    return sortWithin(handle, columns, nnz, description, columnOffsets, rowIndices, permutation);
}

#define LS_NNZ(letter, T, type)                                                                                        \
    cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t direction, int rows,           \
                                           int columns, const cusparseMatDescr_t, const T* matrix, int leading,        \
                                           int* nnzOfEach, int* nnzOfAll)                                              \
    {                                                                                                                  \
        return countNonZeros(handle, direction, rows, columns, matrix, leading, type, nnzOfEach, nnzOfAll);            \
    }
LS_NNZ(S, float, CUDA_R_32F)
LS_NNZ(D, double, CUDA_R_64F)
LS_NNZ(C, cuComplex, CUDA_C_32F)
LS_NNZ(Z, cuDoubleComplex, CUDA_C_64F)
#undef LS_NNZ

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
