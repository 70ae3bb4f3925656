// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lanes of one half swap their values under the mask of all; the other half goes on without them. No value is read
// that is not there.
__global__ void swap(int* out)
{
    int v = threadIdx.x;
#ifdef FIXED
    const unsigned members = 0x0000ffffu;
#else
    const unsigned members = 0xffffffffu;
#endif
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(members, v, 1);  // expect: warp-sync-misuse
    out[threadIdx.x] = v;
}

int main()
{
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    swap<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
