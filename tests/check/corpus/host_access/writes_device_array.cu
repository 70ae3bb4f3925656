// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialises a device array with a host loop.
int main()
{
    const int n = 10;
    float *d, h[n];
    cudaMalloc(&d, n * sizeof(float));
    for (int i = 0; i < n; ++i)
#ifdef FIXED
        h[i] = i;
#else
        d[i] = i;  // expect: host-access-of-device-memory
#endif
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaFree(d);
}
