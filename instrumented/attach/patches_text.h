// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// PTX of instrumented/device/patches.cpp, ending in a 0.
extern "C" const char lanescope_patches[];
