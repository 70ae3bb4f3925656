// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA samples include for timers, flags and comparing arrays. A stand-in, used when the program does not
// bring its own.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

#include "../lanescope/hide_macros.h"

/// Relative difference of the L2 norms.
static inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned int count, float epsilon)
{
    float error = 0;
    float norm = 0;
    for (unsigned int i = 0; i < count; ++i) {
        error += (reference[i] - data[i]) * (reference[i] - data[i]);
        norm += reference[i] * reference[i];
    }
    return norm > 0 && sqrtf(error) / sqrtf(norm) < epsilon;
}
template <class T, class E>
static inline bool compareData(const T* reference, const T* data, unsigned int count, E epsilon, float threshold)
{
    unsigned int wrong = 0;
    for (unsigned int i = 0; i < count; ++i)
        wrong += fabs(double(reference[i]) - double(data[i])) > double(epsilon);
    return wrong <= threshold * count;
}

#include "../lanescope/restore_macros.h"
