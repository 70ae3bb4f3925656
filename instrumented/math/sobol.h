// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Direction numbers of Sobol sequences, of 32 and 64 bits. Sources: S. Joe and F. Y. Kuo, "Constructing Sobol sequences
// with better two-dimensional projections" (2008), whose list new-joe-kuo-6.21201 is in joe_kuo.bin; J. Matoušek, "On
// the L2-discrepancy for anchored boxes" (1998) for what is scrambled.
#pragma once

#include <vector>

namespace lanescope::math {

constexpr unsigned kSobolDimensions = 20000;

/// [dimension][bit], as many bits as \p Word has (unsigned or unsigned long long): what is added, without carries, for
/// each bit of a point's Gray code. Made at the first call, in 2 to 20 ms.
template <class Word>
const std::vector<Word>& directionVectors();

/// The same, each dimension's multiplied by a random triangular matrix of its own, which keeps the sequence as even as
/// it was. The matrices are ours, the same in every run.
template <class Word>
const std::vector<Word>& scrambledDirectionVectors();

/// [dimension]: random words to add to scrambled sequences; ours, the same in every run.
template <class Word>
const std::vector<Word>& scrambleConstants();

}  // namespace lanescope::math
