// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvcc includes into every .cu file, for clang: the whole CUDA runtime API and the device builtins.
// Device math and malloc come before <cmath> and <new>, which use them.
#pragma once

#include "lanescope/toolkit_guards.h"

#include "host_defines.h"
#include "vector_functions.h"
#include "vector_types.h"

#if defined(__CUDA__)
#include "device_launch_parameters.h"
#include "lanescope/device_library.h"
#include "lanescope/device_math.h"
#endif

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#include <new>
#include <utility>
#endif

#include "cuda_runtime_api.h"
#include "driver_functions.h"

#if defined(__CUDA__)
#include "lanescope/child_launch.h"
#include "lanescope/device_atomics.h"
#include "lanescope/device_graphs.h"
#include "lanescope/device_intrinsics.h"
#include "lanescope/device_scoped_atomics.h"
#include "lanescope/device_textures.h"
#include "lanescope/device_warp.h"
#if defined(__CLANG_RDC__) && !defined(__CUDA_ARCH__)
#include "lanescope/relocatable.h"
#endif
// Products and quotients of complex numbers.
#include <__clang_cuda_complex_builtins.h>
#endif

#ifdef __cplusplus
#include "lanescope/typed_api.h"
#include "lanescope/unsupported.h"
#endif
