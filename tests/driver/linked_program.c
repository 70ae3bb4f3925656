// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with a runtime linked in, as nvcc links NVIDIA's: functions of its names, which here know no device.
#include <stdio.h>
#include <string.h>

#define RUNTIME __attribute__((aligned(16)))

RUNTIME int cudaGetExportTable(void)
{
    return 999;
}

RUNTIME int cudaGetDeviceCount(int* count)
{
    *count = 0;
    return 100;
}

RUNTIME int cudaMalloc(void** pointer, size_t bytes)
{
    *pointer = NULL;
    return bytes > 0 ? 100 : 1;
}

/// Ours has none of this name: it stays.
RUNTIME int cudaNoSuchFunction(int value)
{
    return value + 1;
}

int main(int argc, char** argv)
{
    int count = 0;
    void* memory = NULL;
    const int counted = cudaGetDeviceCount(&count);
    const int allocated = cudaMalloc(&memory, 64);
    printf("devices: %d (%d), memory: %s (%d), own: %d\n", count, counted, memory != NULL ? "some" : "none", allocated,
           cudaNoSuchFunction(argc));
    return argc == 1 && strlen(argv[0]) > 0 ? 0 : 1;
}
