// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/transform.h"

#include <unsupported/Eigen/FFT>

namespace lanescope::math {

using Complex = std::complex<double>;

namespace {

/// Along the dimension of \p size elements that lie \p step apart.
void transformAlong(std::vector<Complex>& values, size_t size, size_t step, int sign)
{
    Eigen::FFT<double> fft;
    fft.SetFlag(Eigen::FFT<double>::Unscaled);
    std::vector<Complex> row(size);
    std::vector<Complex> result;
    for (size_t outer = 0; outer < values.size(); outer += size * step)
        for (size_t inner = 0; inner < step; ++inner) {
            Complex* const first = &values[outer + inner];
            for (size_t i = 0; i < size; ++i)
                row[i] = first[i * step];
            if (sign < 0)
                fft.fwd(result, row);
            else
                fft.inv(result, row);
            for (size_t i = 0; i < size; ++i)
                first[i * step] = result[i];
        }
}

}  // namespace

void transform(std::vector<Complex>& values, const std::vector<size_t>& sizes, int sign)
{
    size_t step = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] > 1)
            transformAlong(values, sizes[i], step, sign);
        step *= sizes[i];
    }
}

std::vector<Complex> wholeOf(const std::vector<Complex>& half, const std::vector<size_t>& sizes)
{
    const size_t n = sizes.back();
    const size_t kept = n / 2 + 1;
    size_t rows = 1;
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
        rows *= sizes[i];
    /// The row of the opposite indices.
    const auto opposite = [&](size_t row) {
        size_t result = 0;
        size_t step = 1;
        for (size_t i = sizes.size() - 1; i-- > 0; row /= sizes[i], step *= sizes[i])
            result += (sizes[i] - row % sizes[i]) % sizes[i] * step;
        return result;
    };
    std::vector<Complex> whole(rows * n);
    for (size_t row = 0; row < rows; ++row)
        for (size_t k = 0; k < n; ++k)
            whole[row * n + k] = k < kept ? half[row * kept + k] : std::conj(half[opposite(row) * kept + n - k]);
    return whole;
}

}  // namespace lanescope::math
