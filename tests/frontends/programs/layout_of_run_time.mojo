# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A tensor whose rows and columns are known when the program runs. 6x10 elements.
from layout import TileTensor, row_major
from layout.tile_layout import TensorLayout
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext

def fill[L: TensorLayout](o: TileTensor[DType.float32, L, MutAnyOrigin], rows: Int32, cols: Int32):
    comptime assert o.flat_rank == 2
    if thread_idx.y < Int(rows) and thread_idx.x < Int(cols):
        o[thread_idx.y, thread_idx.x] = Float32(thread_idx.y * 100 + thread_idx.x)

def main() raises:
    var ctx = DeviceContext()
    var rows = 6
    var cols = 10
    var o = ctx.enqueue_create_buffer[DType.float32](rows * cols)
    var lay = row_major(rows, cols)
    ctx.enqueue_function[fill[type_of(lay)]](TileTensor(o, lay), Int32(rows), Int32(cols), grid_dim=1, block_dim=(16, 8))
    with o.map_to_host() as h:
        for r in range(rows):
            for c in range(cols):
                if h[r * cols + c] != Float32(r * 100 + c):
                    raise Error("wrong")
    print("ok")
