/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   What tst_object_linker links: references to itself, to constants, and to what others have. */

extern int twice(int value);
extern const int lanescope_number;

static const int kTable[4] = {3, 1, 4, 1};

__attribute__((noinline)) static int ofTable(unsigned index)
{
    return kTable[index & 3];
}

int stretch_7(int value)
{
    return twice(value) + lanescope_number + ofTable((unsigned)value);
}

double half(double value)
{
    return value * 0.5;
}
