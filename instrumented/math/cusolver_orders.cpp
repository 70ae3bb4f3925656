// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSOLVER's functions that order the rows and columns of sparse matrices.
#include <algorithm>

#include "instrumented/math/cusolver_sparse.h"

using namespace lanescope::math;

namespace {

/// \p p gets the order that \p make makes of the places.
template <class Make>
cusolverStatus_t order(cusolverSpHandle_t handle, const Csr& csr, int* p, Make make)
{
    SparseCall call(handle);
    if (!call.canBegin(csr.isPossible() && p))
        return call.status();
    const SparseMatrix a = call.readMatrix(csr);
    if (call.good())
        call.writeIndices(p, make(a), sizeof(int));
    return call.status();
}

cusolverStatus_t orderForDiagonal(cusolverSpHandle_t handle, const Csr& csr, int* p, int* found)
{
    if (!found || !csr.values)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return order(handle, csr, p, [&](const SparseMatrix& a) {
        int64_t count = 0;
        Order rows = rowsWithDiagonal(a, count);
        *found = static_cast<int>(count);
        return rows;
    });
}

bool isPermutation(Order order)
{
    std::ranges::sort(order);
    return order == naturalOrder(static_cast<int64_t>(order.size()));
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int* rowOffsets,
                                          const int* columns, int* p)
{
    return order(handle, {n, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns}, p, reverseCuthillMcKee);
}
cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int* rowOffsets,
                                          const int* columns, int* p)
{
    return order(handle, {n, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns}, p, minimumDegree);
}
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int* rowOffsets,
                                          const int* columns, int* p)
{
    return order(handle, {n, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns}, p, minimumDegree);
}
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
                                           const cusparseMatDescr_t description, const int* rowOffsets,
                                           const int* columns, const int64_t* options, int* p)
{
    if (options) {
        SparseCall(handle).fail("cusolverSpXcsrmetisndHost with options of METIS is not supported");
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    }
    return order(handle, {n, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns}, p, nestedDissection);
}

#define LS_DIAGONAL(L, T)                                                                                              \
    cusolverStatus_t cusolverSp##L##csrzfdHost(cusolverSpHandle_t handle, int n, int nnz,                              \
                                               const cusparseMatDescr_t description, const T* values,                  \
                                               const int* rowOffsets, const int* columns, int* p, int* found)          \
    {                                                                                                                  \
        return orderForDiagonal(handle, {n, n, nnz, description, values, Format<T>::kType, rowOffsets, columns}, p,    \
                                found);                                                                                \
    }
LS_DIAGONAL(S, float)
LS_DIAGONAL(D, double)
LS_DIAGONAL(C, cuComplex)
LS_DIAGONAL(Z, cuDoubleComplex)
#undef LS_DIAGONAL

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnz,
                                         const cusparseMatDescr_t description, const int* rowOffsets,
                                         const int* rowEnds, const int* columns, int* isSymmetric)
{
    SparseCall call(handle);
    if (!call.canBegin(m >= 0 && nnz >= 0 && description && rowOffsets && rowEnds && columns && isSymmetric))
        return call.status();
    const std::vector<int64_t> begins = call.readIndices(rowOffsets, m, sizeof(int));
    const std::vector<int64_t> ends = call.readIndices(rowEnds, m, sizeof(int));
    const std::vector<int64_t> column = indicesOf(call, columns, nnz, CUSPARSE_INDEX_32I, description->base, m);
    std::vector<std::pair<int64_t, int64_t>> places, mirrored;
    for (size_t row = 0; row < begins.size() && call.good(); ++row)
        for (int64_t i = begins[row] - description->base; i < ends[row] - description->base; ++i) {
            if (i < 0 || i >= nnz) {
                call.fail("offsets of a sparse matrix lie outside its elements");
                return call.status();
            }
            places.emplace_back(row, column[static_cast<size_t>(i)]);
            mirrored.emplace_back(column[static_cast<size_t>(i)], row);
        }
    std::ranges::sort(places);
    std::ranges::sort(mirrored);
    *isSymmetric = places == mirrored ? 1 : 0;
    return call.status();
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                   const cusparseMatDescr_t description, const int* rowOffsets,
                                                   const int* columns, const int* p, const int* q, size_t* bytes)
{
    SparseCall call(handle);
    const Csr csr{m, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns};
    if (call.canBegin(csr.isPossible() && p && q && bytes))
        *bytes = kBufferBytes;
    return call.status();
}

cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                        const cusparseMatDescr_t description, int* rowOffsets, int* columns,
                                        const int* p, const int* q, int* map, void*)
{
    SparseCall call(handle);
    const Csr csr{m, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns};
    if (!call.canBegin(csr.isPossible() && p && q && map))
        return call.status();
    SparseMatrix a = call.readMatrix(csr);
    const Order rows = call.readIndices(p, m, sizeof(int));
    const Order columnOrder = call.readIndices(q, n, sizeof(int));
    const Order before = call.readIndices(map, nnz, sizeof(int));
    if (call.good() && (!isPermutation(rows) || !isPermutation(columnOrder)))
        call.fail("an order of cusolverSpXcsrpermHost is not a permutation");
    if (!call.good())
        return call.status();
    for (size_t i = 0; i < a.entries.size(); ++i)
        a.entries[i].value = static_cast<double>(before[i]);
    SparseMatrix b = permuted(a, rows, columnOrder);
    b.sort();
    std::vector<int64_t> rowOfEach, columnOfEach, after;
    for (const Entry& entry : b.entries) {
        rowOfEach.push_back(entry.row);
        columnOfEach.push_back(entry.column + description->base);
        after.push_back(static_cast<int64_t>(entry.value.real()));
    }
    writeOffsets(call, rowOffsets, m, rowOfEach, CUSPARSE_INDEX_32I, description->base);
    call.writeIndices(columns, columnOfEach, sizeof(int));
    call.writeIndices(map, after, sizeof(int));
    return call.status();
}

}  // extern "C"
