// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library of NVIDIA's name that programs link to or open: each of its functions jumps to the runtime's, so that one
// process has one runtime, whichever libraries it opens. Compiled once per library; ENTRIES names its functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNTIME "liblanescope_runtime.so"

static const char* const names[] = {
#define LS_ENTRY(name, function) #function,
#include ENTRIES
#undef LS_ENTRY
};

enum { kSlots = sizeof(names) / sizeof(names[0]) };

__attribute__((visibility("hidden"), used)) void* lanescopeSlots[kSlots];

// The assembler counts the entries. Arguments are where the caller has put them, whatever they are: only a jump leaves
// them there.
__asm__(".set lanescopeSlot, 0\n");
#if defined(__x86_64__)
#define LS_JUMP "jmp *lanescopeSlots+lanescopeSlot(%rip)\n"
#elif defined(__aarch64__)
#define LS_JUMP                                                                                                        \
    "adrp x16, lanescopeSlots+lanescopeSlot\n"                                                                         \
    "ldr x16, [x16, :lo12:lanescopeSlots+lanescopeSlot]\n"                                                             \
    "br x16\n"
#else
#error "which instruction jumps to where a variable says?"
#endif
#define LS_ENTRY(name, function)                                                                                       \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n.balign 16\n" #name ":\n" LS_JUMP ".size " #name     \
            ", .-" #name "\n.set lanescopeSlot, lanescopeSlot+8\n");
#include ENTRIES
#undef LS_ENTRY

__attribute__((constructor)) static void findRuntime(void)
{
    void* runtime = dlopen(RUNTIME, RTLD_NOW | RTLD_NOLOAD);
    for (int i = 0; runtime && i < kSlots; ++i)
        lanescopeSlots[i] = dlsym(runtime, names[i]);
    void (*start)(void) = runtime ? (void (*)(void))dlsym(runtime, "__lanescopeStartProcess") : NULL;
    if (!start) {
        fprintf(stderr, "lanescope: error: " RUNTIME ": found none of this version beside its stand-ins\n");
        abort();
    }
    start();
}
