# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the programs beside this file share: buffers with numbers in them, and the comparison with what was expected.
from max.gpu.host import DeviceBuffer, DeviceContext

comptime dtype = DType.float32


def iota(count: Int, scale: Int = 1) -> List[Scalar[dtype]]:
    """0, scale, 2 * scale, …"""
    var values = List[Scalar[dtype]]()
    for i in range(count):
        values.append(Scalar[dtype](scale * i))
    return values^


def ones(count: Int) -> List[Scalar[dtype]]:
    var values = List[Scalar[dtype]]()
    for _ in range(count):
        values.append(1)
    return values^


def to_device(ctx: DeviceContext, values: List[Scalar[dtype]]) raises -> DeviceBuffer[dtype]:
    var buffer = ctx.enqueue_create_buffer[dtype](len(values))
    with buffer.map_to_host() as host:
        for i in range(len(values)):
            host[i] = values[i]
    return buffer


def zeros(ctx: DeviceContext, count: Int) raises -> DeviceBuffer[dtype]:
    var buffer = ctx.enqueue_create_buffer[dtype](count)
    buffer.enqueue_fill(0)
    return buffer


def multiplied(a: List[Scalar[dtype]], b: List[Scalar[dtype]], size: Int) -> List[Scalar[dtype]]:
    """The product of two square matrices, row-major."""
    var product = List[Scalar[dtype]]()
    for row in range(size):
        for col in range(size):
            var sum: Scalar[dtype] = 0
            for k in range(size):
                sum += a[row * size + k] * b[k * size + col]
            product.append(sum)
    return product^


def report(ctx: DeviceContext, output: DeviceBuffer[dtype], expected: List[Scalar[dtype]]) raises:
    """Prints both, and fails where the first elements of `output` are not what is expected."""
    ctx.synchronize()
    var correct = True
    with output.map_to_host() as host:
        var text = String("out:     ")
        for i in range(len(expected)):
            text += String(" ", host[i])
            correct = correct and host[i] == expected[i]
        print(text)
    var text = String("expected:")
    for i in range(len(expected)):
        text += String(" ", expected[i])
    print(text)
    if not correct:
        raise Error("the output is not what was expected")
