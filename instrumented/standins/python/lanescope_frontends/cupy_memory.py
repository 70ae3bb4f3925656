# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy: each array is an allocation of its own, out of no pool, so that bounds are the array's."""


def change(cupy):
    cupy.cuda.set_allocator(None)
    cupy.cuda.set_pinned_memory_allocator(None)
