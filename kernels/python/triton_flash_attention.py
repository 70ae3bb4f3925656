# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton: attention without the matrix of scores. Each program instance keeps a tile of queries and walks over tiles of
# keys and values; the largest score and the sum of a row are mended as it goes. 64 queries and keys, 32 wide.
import sys

import numpy
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, count, scale, WIDTH: tl.constexpr, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.arange(0, WIDTH)
    q = tl.load(q_ptr + rows[:, None] * WIDTH + columns[None, :])
    largest = tl.full((TILE,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((TILE,), dtype=tl.float32)
    sums = tl.zeros((TILE, WIDTH), dtype=tl.float32)
    for start in range(0, count, TILE):
        keys = start + tl.arange(0, TILE)
        k = tl.load(k_ptr + keys[None, :] * WIDTH + columns[:, None])
        v = tl.load(v_ptr + keys[:, None] * WIDTH + columns[None, :])
        scores = tl.dot(q, k) * scale
        now = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - now[:, None])
        mend = tl.exp(largest - now)
        total = total * mend + tl.sum(weights, axis=1)
        sums = tl.dot(weights.to(tl.float16), v, sums * mend[:, None])
        largest = now
    tl.store(out_ptr + rows[:, None] * WIDTH + columns[None, :], sums / total[:, None])


count, width, tile = 64, 32, 32
random = numpy.random.default_rng(1)
q, k, v = (random.standard_normal((count, width)).astype(numpy.float16) for _ in range(3))
out = numpy.zeros((count, width), dtype=numpy.float32)
scale = 1 / width**0.5
attention_kernel[(count // tile,)](
    q, k, v, out, count, scale, WIDTH=width, TILE=tile
)
scores = q.astype(numpy.float32) @ k.astype(numpy.float32).T * scale
weights = numpy.exp(scores - scores.max(axis=1, keepdims=True))
expected = weights / weights.sum(axis=1, keepdims=True) @ v.astype(numpy.float32)
print("out:     ", *out[0, :4], "...")
print("expected:", *expected[0, :4], "...")
sys.exit(0 if numpy.allclose(out, expected, rtol=1e-2, atol=1e-2) else 1)
