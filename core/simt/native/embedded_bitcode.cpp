// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/embedded_bitcode.h"

// LS_BITCODE_FOLDER: where the build puts ISA.bc.
#define LS_EMBED(isa)                                                                                                  \
    asm(".section .rodata\n"                                                                                           \
        ".balign 16\n"                                                                                                 \
        "lanescope_bitcode_" #isa ": .incbin \"" LS_BITCODE_FOLDER "/" #isa ".bc\"\n"                                  \
        "lanescope_bitcode_" #isa "_end:\n"                                                                            \
        ".previous\n");                                                                                                \
    extern "C" [[gnu::visibility("hidden")]] const char lanescope_bitcode_##isa[];                                     \
    extern "C" [[gnu::visibility("hidden")]] const char lanescope_bitcode_##isa##_end[]

LS_EMBED(base);
LS_EMBED(avx2);
LS_EMBED(avx512);

namespace lanescope::simt::native {

std::string_view embeddedBitcode(std::string_view isa)
{
    if (isa == "base")
        return {lanescope_bitcode_base, lanescope_bitcode_base_end};
    if (isa == "avx2")
        return {lanescope_bitcode_avx2, lanescope_bitcode_avx2_end};
    if (isa == "avx512")
        return {lanescope_bitcode_avx512, lanescope_bitcode_avx512_end};
    return {};
}

}  // namespace lanescope::simt::native
