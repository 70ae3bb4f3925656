// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/device_matrices.h"

#include <algorithm>

namespace lanescope::math {

bool isReal(cudaDataType type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F;
}

cudaDataType realOf(cudaDataType type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

Half halfOf(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_UPPER ? Half::Upper : Half::Lower;
}

Operation operationOf(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? Operation::None : op == CUBLAS_OP_T ? Operation::Transpose : Operation::Adjoint;
}

bool Place::isPossible() const
{
    const bool isSupported = isReal(type) || type == CUDA_C_32F || type == CUDA_C_64F;
    return rows >= 0 && columns >= 0 && leading >= std::max<int64_t>(1, rows) && isSupported;
}

Matrix DeviceMatrices::read(const Place& place)
{
    const std::vector<Complex> values = m_numbers.read(place.memory, place.lines(), place.type);
    return isGood() ? Matrix(Eigen::Map<const Matrix>(values.data(), place.rows, place.columns))
                    : Matrix(Matrix::Zero(place.rows, place.columns));
}

void DeviceMatrices::write(const Place& place, const Matrix& matrix)
{
    m_numbers.write(const_cast<void*>(place.memory), place.lines(), {matrix.data(), matrix.data() + matrix.size()},
                    place.type);
}

void DeviceMatrices::writeTriangle(const Place& place, Half triangle, const Matrix& matrix)
{
    auto* const bytes = static_cast<std::byte*>(const_cast<void*>(place.memory));
    for (int64_t column = 0; column < place.columns; ++column) {
        const int64_t first = triangle == Half::Lower ? column : 0;
        const int64_t count = triangle == Half::Lower ? place.rows - column : column + 1;
        const Complex* const begin = &matrix(first, column);
        m_numbers.write(bytes + static_cast<size_t>(column * place.leading + first) * bytesOf(place.type),
                        {begin, begin + count}, place.type);
    }
}

std::vector<Complex> DeviceMatrices::readVector(const void* memory, int64_t count, int64_t step, cudaDataType type)
{
    // Numbers that lie apart are lines of one.
    std::vector<Complex> values = step == 1 || count <= 1
                                      ? m_numbers.read(memory, count, type)
                                      : m_numbers.read(memory, Lines{count, 1, std::abs(step)}, type);
    if (step < 0)
        std::ranges::reverse(values);
    return values;
}

void DeviceMatrices::writeVector(void* memory, int64_t step, std::vector<Complex> values, cudaDataType type)
{
    if (step < 0)
        std::ranges::reverse(values);
    const auto count = static_cast<int64_t>(values.size());
    if (step == 1 || count <= 1)
        m_numbers.write(memory, values, type);
    else
        m_numbers.write(memory, Lines{count, 1, std::abs(step)}, values, type);
}

std::vector<int64_t> DeviceMatrices::readPivots(const void* memory, int64_t count, size_t bytes, int64_t rows)
{
    std::vector<int64_t> pivots = m_numbers.readIndices(memory, count, bytes);
    for (const int64_t pivot : pivots)
        if (isGood() && (pivot < 1 || pivot > rows))
            m_numbers.fail("a pivot is no row of its matrix");
    return pivots;
}

std::vector<void*> DeviceMatrices::readAddresses(const void* memory, int64_t count)
{
    std::vector<void*> addresses;
    for (const int64_t address : m_numbers.readIndices(memory, count, sizeof(void*)))
        addresses.push_back(reinterpret_cast<void*>(address));
    return isGood() ? addresses : std::vector<void*>();
}

}  // namespace lanescope::math
