# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Boxes of tensors that the host describes, copied by whole tiles, past the tensor's end, too. 50x32 elements.
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy(src, dst, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    dst.store([m, n], src.load([m, n]) * 2)


a = torch.arange(50 * 32, device="cuda", dtype=torch.float32).reshape(50, 32)
o = torch.zeros_like(a)
copy[(4, 2)](TensorDescriptor.from_tensor(a, [16, 16]), TensorDescriptor.from_tensor(o, [16, 16]), BM=16, BN=16)
assert torch.equal(o, a * 2)
print("ok")
