// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of any of CUDA's formats, copied from the device and to it in a library's stream. From and to pageable memory
// such copies are done when the call returns, on a GPU too.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "instrumented/include/driver_types.h"
#include "instrumented/include/library_types.h"

namespace lanescope::math {

using Complex = std::complex<double>;

/// Bytes of one number; 0 for a format that is not supported.
size_t bytesOf(cudaDataType type);

/// Lines of numbers, \p pitch numbers apart in memory, one behind the other here.
struct Lines {
    int64_t count = 1;
    int64_t length = 0;
    int64_t pitch = 0;
};

/// The copies of one call. After the first that fails nothing more is copied.
class DeviceNumbers {
public:
    explicit DeviceNumbers(cudaStream_t stream) : m_stream(stream) {}

    [[nodiscard]] bool good() const { return m_good; }
    /// Says why on stderr, once.
    void fail(const char* message);

    std::vector<Complex> read(const void* memory, const Lines& lines, cudaDataType type);
    std::vector<Complex> read(const void* memory, int64_t count, cudaDataType type)
    {
        return read(memory, Lines{1, count, count}, type);
    }
    void write(void* memory, const Lines& lines, const std::vector<Complex>& values, cudaDataType type);
    void write(void* memory, const std::vector<Complex>& values, cudaDataType type)
    {
        write(memory, Lines{1, static_cast<int64_t>(values.size()), 0}, values, type);
    }
    /// Whole numbers of 4 or 8 bytes.
    std::vector<int64_t> readIndices(const void* memory, int64_t count, size_t bytes);
    void writeIndices(void* memory, const std::vector<int64_t>& indices, size_t bytes);

private:
    void copy(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height);

    cudaStream_t m_stream;
    bool m_good = true;
};

/// The number at \p memory of the host.
Complex numberAt(const void* memory, cudaDataType type);

}  // namespace lanescope::math
