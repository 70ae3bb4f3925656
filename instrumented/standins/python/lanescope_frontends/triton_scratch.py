# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.runtime._allocation: what the program's allocator gives to kernels as scratch memory is the host's, too."""
from lanescope_frontends import host_memory


def change(module):
    set_allocator = module.set_allocator

    def set_host_allocator(allocator):
        def allocate(*arguments, **named):
            memory = host_memory.as_argument(allocator(*arguments, **named))
            host_memory.register(memory)
            return memory

        set_allocator(allocate)

    module.set_allocator = set_host_allocator
