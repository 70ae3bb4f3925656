// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's functions: handles, and descriptions of vectors and matrices.
#include "instrumented/math/sparse_device.h"

#include <algorithm>
#include <numeric>

using namespace lanescope::math;

namespace {

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

}  // extern "C"
