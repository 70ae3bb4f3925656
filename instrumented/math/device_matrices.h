// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense matrices of the device, read and written whole in a library's stream.
#pragma once

#include "instrumented/include/cuComplex.h"
#include "instrumented/include/lanescope/blas_types.h"
#include "instrumented/math/dense.h"

namespace lanescope::math {

/// The format of a C type's numbers, and of real ones of the same precision.
template <class T>
struct Format;
template <>
struct Format<float> {
    static constexpr cudaDataType kType = CUDA_R_32F, kReal = CUDA_R_32F;
};
template <>
struct Format<double> {
    static constexpr cudaDataType kType = CUDA_R_64F, kReal = CUDA_R_64F;
};
template <>
struct Format<cuComplex> {
    static constexpr cudaDataType kType = CUDA_C_32F, kReal = CUDA_R_32F;
};
template <>
struct Format<cuDoubleComplex> {
    static constexpr cudaDataType kType = CUDA_C_64F, kReal = CUDA_R_64F;
};

bool isReal(cudaDataType type);
cudaDataType realOf(cudaDataType type);

Half halfOf(cublasFillMode_t fill);
Operation operationOf(cublasOperation_t op);

/// A matrix of the device, columns first, \p leading elements apart.
struct Place {
    const void* memory;
    int64_t rows, columns, leading;
    cudaDataType type;

    [[nodiscard]] bool isPossible() const;
    [[nodiscard]] Lines lines() const { return {columns, rows, leading}; }
};

/// A list of addresses, which are numbers here.
template <class T>
const void* listOf(T* const* list)
{
    return static_cast<const void*>(list);
}

/// The copies of one call.
class DeviceMatrices {
public:
    explicit DeviceMatrices(cudaStream_t stream) : m_numbers(stream) {}

    [[nodiscard]] bool isGood() const { return m_numbers.good(); }

    /// Zeros when it cannot be read.
    Matrix read(const Place& place);
    void write(const Place& place, const Matrix& matrix);
    /// One triangle with the diagonal alone; the cells of the other are not touched.
    void writeTriangle(const Place& place, Half triangle, const Matrix& matrix);
    std::vector<Complex> readVector(const void* memory, int64_t count, cudaDataType type)
    {
        return m_numbers.read(memory, count, type);
    }
    /// Every \p step th number, as BLAS has vectors: from the end when it is negative.
    std::vector<Complex> readVector(const void* memory, int64_t count, int64_t step, cudaDataType type);
    void writeVector(void* memory, const std::vector<Complex>& values, cudaDataType type)
    {
        m_numbers.write(memory, values, type);
    }
    void writeVector(void* memory, int64_t step, std::vector<Complex> values, cudaDataType type);
    /// Rows from 1 on; others fail.
    std::vector<int64_t> readPivots(const void* memory, int64_t count, size_t bytes, int64_t rows);
    /// Addresses of matrices, which lie on the device themselves; none when they cannot be read.
    std::vector<void*> readAddresses(const void* memory, int64_t count);
    void writeIndices(void* memory, const std::vector<int64_t>& values, size_t bytes)
    {
        m_numbers.writeIndices(memory, values, bytes);
    }

private:
    DeviceNumbers m_numbers;
};

}  // namespace lanescope::math
