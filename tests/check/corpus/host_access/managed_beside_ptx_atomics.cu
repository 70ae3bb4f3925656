// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter for the host, by inline PTX: what the host may see while the kernel runs is of system scope.
__global__ void count(int* done)
{
#ifdef FIXED
    asm volatile("red.relaxed.sys.global.add.s32 [%0], 1;" ::"l"(done) : "memory");
#else
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(done) : "memory");
#endif
}

int main()
{
    int* done;
    cudaMallocManaged(&done, sizeof(int));
    *done = 0;
    count<<<2, 32>>>(done);
    int seen = *done;  // expect: host-access-of-device-memory
    cudaDeviceSynchronize();
    int all = *done;
    cudaFree(done);
    return seen != 64 || all != 64;
}
