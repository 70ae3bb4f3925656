// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuRAND's tables for quasi-random sequences. All else of cuRAND is in its headers, as kernels.
#pragma GCC visibility push(default)
#include "instrumented/include/lanescope/random_types.h"
#pragma GCC visibility pop

#include "instrumented/math/sobol.h"

using namespace lanescope::math;

namespace {

/// The rows of a table, whatever the length of a row; nobody writes to them.
template <class Word, class Rows>
curandStatus_t hand(const std::vector<Word>& table, Rows** rows)
{
    *rows = reinterpret_cast<Rows*>(const_cast<Word*>(table.data()));
    return CURAND_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[], curandDirectionVectorSet_t set)
{
    if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    return hand(set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ? directionVectors<unsigned>()
                                                           : scrambledDirectionVectors<unsigned>(),
                vectors);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[], curandDirectionVectorSet_t set)
{
    if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    return hand(set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ? directionVectors<unsigned long long>()
                                                           : scrambledDirectionVectors<unsigned long long>(),
                vectors);
}

curandStatus_t curandGetScrambleConstants32(unsigned int** constants)
{
    return hand(scrambleConstants<unsigned>(), constants);
}

curandStatus_t curandGetScrambleConstants64(unsigned long long** constants)
{
    return hand(scrambleConstants<unsigned long long>(), constants);
}

}  // extern "C"
