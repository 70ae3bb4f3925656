// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patches' PTX, as the compiler wrote it.
#include "instrumented/attach/patches_text.h"

asm(".pushsection .rodata\n"
    ".global lanescope_patches\n"
    ".hidden lanescope_patches\n"
    "lanescope_patches:\n"
    ".incbin \"" LANESCOPE_PATCHES "\"\n"
    ".byte 0\n"
    ".popsection\n");
