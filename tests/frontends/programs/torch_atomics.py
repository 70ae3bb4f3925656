# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Atomics, cumulative sums and sorts of block tensors.
import torch
import triton
import triton.language as tl
@triton.jit
def histo(x, bins, top, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * B + tl.arange(0, B)
    m = offs < n
    v = tl.load(x + offs, mask=m, other=0)
    tl.atomic_add(bins + v, 1, mask=m)
    tl.atomic_max(top, tl.max(v, axis=0))
@triton.jit
def cumsum(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    c = tl.cumsum(v, 0)
    s = tl.sort(v)
    tl.store(o + i, c + 0 * s, mask=i < n)
x = torch.randint(0, 13, (501,), device="cuda", dtype=torch.int32)
bins = torch.zeros(13, device="cuda", dtype=torch.int32); top = torch.zeros(1, device="cuda", dtype=torch.int32)
histo[(4,)](x, bins, top, 501, B=128)
assert torch.equal(bins, torch.bincount(x.cpu(), minlength=13).to(torch.int32).cuda()), bins
assert top.item() == x.max().item()
o = torch.empty(13, device="cuda", dtype=torch.int32)
cumsum[(1,)](bins, o, 13, B=16)
assert torch.equal(o, torch.cumsum(bins, 0).to(torch.int32))
print("ok")
