#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs Joe and Kuo's direction numbers: joe_kuo.py new-joe-kuo-6.21201 joe_kuo.bin

Reads their list (lines "d s a m_1 … m_s" from dimension 2 on) and writes dimensions 2 … 20000, cuRAND's, as sobol.cpp
reads them: bits, the lowest first, of each dimension s (5 bits), a (s - 1 bits) and (m_i - 1)/2 (i - 1 bits) for i = 2 … s.
"""
import sys

DIMENSIONS = 20000


def fields(line):
    _, degree, coefficients, *numbers = map(int, line.split())
    yield degree, 5
    yield coefficients, degree - 1
    for i, number in enumerate(numbers):
        assert number % 2 == 1 and number < 2 << i
        yield number // 2, i


def main(source, target):
    with open(source, encoding="ascii") as lines:
        next(lines)  # the columns' names
        rows = [line for line in lines if int(line.split()[0]) <= DIMENSIONS]
    packed = size = 0
    data = bytearray()
    for row in rows:
        for value, bits in fields(row):
            packed |= value << size
            size += bits
        data += (packed & (1 << size // 8 * 8) - 1).to_bytes(size // 8, "little")
        packed >>= size // 8 * 8
        size %= 8
    data.append(packed)
    with open(target, "wb") as file:
        file.write(data)


main(*sys.argv[1:])
