// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process may end while a thread makes code, which needs LLVM's static objects. Most of them exist only once
// something has been compiled, so that they would be destroyed before whoever waits for that thread: nobody destroys
// them.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*);

/// In place of the C library's, for this library alone: what is to be done at the process' end is left undone.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*)
{
    return 0;
}
