// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registered memory of the host's own, which it writes while the kernel may still be at it. What else lies on the
// buffer's last page is not the kernel's.
#include <cstdio>
#include <cstdlib>

__global__ void fill(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

int main()
{
    const int n = 16 * 256 + 10;
    auto* memory = static_cast<int*>(aligned_alloc(4096, 5 * 4096));
    cudaHostRegister(memory, n * sizeof(int), cudaHostRegisterMapped);
    int* device;
    cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), memory, 0);
    fill<<<16, 256>>>(device);
    memory[n] = 1;
#ifdef FIXED
    cudaDeviceSynchronize();
#endif
    memory[1500] = 2;  // expect: host-access-of-device-memory
    cudaDeviceSynchronize();
    cudaHostUnregister(memory);
    const int r = memory[n] + memory[16];
    free(memory);
    return r == 17 ? 0 : 1;
}
