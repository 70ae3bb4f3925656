// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms of dense arrays in the host's memory.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace lanescope::math {

/// Transforms \p values in place along each of \p sizes' dimensions, which are theirs, outermost first:
///   Y[k] = sum over j of X[j] exp(sign 2 pi i jk/n)
/// without a factor in either direction. \p sign: -1 or 1.
void transform(std::vector<std::complex<double>>& values, const std::vector<size_t>& sizes, int sign);

/// All of a transform of real values, outermost first, from its half: the last of \p sizes' dimensions has n/2+1 of its
/// n elements in \p half. What is left out is the conjugate at the opposite place.
std::vector<std::complex<double>> wholeOf(const std::vector<std::complex<double>>& half,
                                          const std::vector<size_t>& sizes);

}  // namespace lanescope::math
