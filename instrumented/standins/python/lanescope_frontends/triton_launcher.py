# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.backends.nvidia.driver: kernels get memory of the host, and are done when a launch returns: the host reads
that memory without any call that could wait for them."""
from lanescope_frontends import driver, host_memory


def change(module):
    launch = module.CudaLauncher.__call__

    def launch_on_host_memory(self, grid_x, grid_y, grid_z, stream, *arguments, **named):
        host_memory.register(arguments)
        result = launch(self, grid_x, grid_y, grid_z, stream, *arguments, **named)
        driver.synchronize(stream)
        return result

    module.CudaLauncher.__call__ = launch_on_host_memory
    # Of a benchmark that clears caches, there is no cache to clear.
    module.CudaDriver.get_empty_cache_for_benchmark = lambda self: __import__("torch").empty(1)
