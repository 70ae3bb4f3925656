// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of cuSOLVER for sparse matrices: what they have in common.
#pragma once

#pragma GCC visibility push(default)
#include "instrumented/include/cusolverSp.h"
#pragma GCC visibility pop
#include "instrumented/math/device_matrices.h"
#include "instrumented/math/sparse_device.h"
#include "instrumented/math/sparse_solvers.h"

struct cusolverSpContext {
    cudaStream_t stream = nullptr;
};

namespace lanescope::math {

/// A matrix by rows with offsets, in memory of the device or, for functions of the host, of the host; \p values null:
/// its places alone.
struct Csr {
    int64_t rows, columns, nnz;
    cusparseMatDescr_t description;
    const void* values;
    cudaDataType type;
    const int* rowOffsets;
    const int* columnIndices;

    [[nodiscard]] bool isPossible() const;
};

/// One call: what it reads and writes.
class SparseCall : public DeviceNumbers {
public:
    explicit SparseCall(cusolverSpHandle_t handle)
        : DeviceNumbers(handle ? handle->stream : nullptr), m_isKnown(handle != nullptr)
    {
    }

    /// Without the handle and \p isPossible it is not to be made; status() says why.
    [[nodiscard]] bool canBegin(bool isPossible)
    {
        m_isPossible = isPossible;
        return m_isKnown && m_isPossible;
    }
    [[nodiscard]] cusolverStatus_t status() const
    {
        return !m_isKnown      ? CUSOLVER_STATUS_NOT_INITIALIZED
               : !m_isPossible ? CUSOLVER_STATUS_INVALID_VALUE
               : good()        ? CUSOLVER_STATUS_SUCCESS
                               : CUSOLVER_STATUS_EXECUTION_FAILED;
    }

    SparseMatrix readMatrix(const Csr& a);

private:
    bool m_isKnown;
    bool m_isPossible = true;
};

/// For solvers' argument reorder: 0 none, 1 symrcm, 2 symamd, 3 metisnd.
Order orderOf(int reorder, const SparseMatrix& a);

}  // namespace lanescope::math
