# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton on torch's tensors: a matrix product of half precision whose tiles Triton chooses. 64x96 by 96x64.
import sys

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"TILE": 64, "DEPTH": 128}, num_stages=8, num_warps=4),  # More shared memory than there is.
        triton.Config({"TILE": 32, "DEPTH": 32}, num_stages=2, num_warps=4),
        triton.Config({"TILE": 16, "DEPTH": 32}, num_stages=2, num_warps=2),
    ],
    key=["rows", "columns", "inner"],
)
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, rows, columns, inner, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, DEPTH)
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for begin in range(0, inner, DEPTH):
        in_range = begin + depth < inner
        a = tl.load(a_ptr + row[:, None] * inner + (begin + depth)[None, :], mask=in_range[None, :], other=0.0)
        b = tl.load(b_ptr + (begin + depth)[:, None] * columns + column[None, :], mask=in_range[:, None], other=0.0)
        sums = tl.dot(a, b, sums)
    tl.store(c_ptr + row[:, None] * columns + column[None, :], sums.to(tl.float16))


torch.manual_seed(0)
a = torch.randn((64, 96), device="cuda", dtype=torch.float16)
b = torch.randn((96, 64), device="cuda", dtype=torch.float16)
c = torch.empty((64, 64), device="cuda", dtype=torch.float16)
grid = lambda chosen: (triton.cdiv(64, chosen["TILE"]), triton.cdiv(64, chosen["TILE"]))  # noqa: E731
matmul_kernel[grid](a, b, c, 64, 64, 96)
expected = (a.float() @ b.float()).half()
print("tiles:   ", matmul_kernel.best_config.kwargs["TILE"])
print("out:     ", *c[0, :4].tolist(), "...")
print("expected:", *expected[0, :4].tolist(), "...")
sys.exit(0 if torch.allclose(c, expected, atol=2e-2, rtol=1e-2) else 1)
