# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton on torch's tensors: a softmax, forwards and backwards, in torch's automatic differentiation. 8x100 elements.
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(in_ptr + row * columns + offsets, mask=mask, other=-float("inf"))
    exponentials = tl.exp(values - tl.max(values, axis=0))
    tl.store(out_ptr + row * columns + offsets, exponentials / tl.sum(exponentials, axis=0), mask=mask)


@triton.jit
def softmax_gradient_kernel(grad_in_ptr, grad_out_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    out = tl.load(out_ptr + row * columns + offsets, mask=mask, other=0.0)
    grad = tl.load(grad_out_ptr + row * columns + offsets, mask=mask, other=0.0)
    weighted = tl.sum(out * grad, axis=0)
    tl.store(grad_in_ptr + row * columns + offsets, out * (grad - weighted), mask=mask)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, values):
        assert values.is_cuda and values.is_contiguous()
        rows, columns = values.shape
        out = torch.empty_like(values)
        softmax_kernel[(rows,)](out, values, columns, BLOCK=triton.next_power_of_2(columns))
        context.save_for_backward(out)
        return out

    @staticmethod
    def backward(context, grad):
        (out,) = context.saved_tensors
        rows, columns = out.shape
        grad_in = torch.empty_like(out)
        softmax_gradient_kernel[(rows,)](
            grad_in, grad.contiguous(), out, columns, BLOCK=triton.next_power_of_2(columns)
        )
        return grad_in


torch.manual_seed(0)
device = triton.runtime.driver.active.get_active_torch_device()
x = torch.randn(8, 100, device=device, requires_grad=True)
weights = torch.rand(8, 100, device="cuda")
y = Softmax.apply(x)
(y * weights).sum().backward()
gradient, x.grad = x.grad, None
expected = torch.softmax(x, dim=1)
(expected * weights).sum().backward()
print("out:     ", *y[0, :4].tolist(), "...")
print("expected:", *expected[0, :4].tolist(), "...")
is_right = torch.allclose(y, expected, atol=1e-6) and torch.allclose(gradient, x.grad, atol=1e-6)
sys.exit(0 if is_right else 1)
