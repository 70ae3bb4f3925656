// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hillis-Steele scan in one array: read and write of neighbours in one epoch.
#include <cstdio>
#define N 16

__global__ void scan(int* out, const int* in)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
#ifdef FIXED
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
#else
        if (t >= d)
            s[t] += s[t - d];  // expect: shared-race error
#endif
        __syncthreads();
    }
    out[t] = s[t];
}

int main()
{
    int h[N], *in, *out;
    for (int i = 0; i < N; i++) h[i] = 1;
    cudaMalloc((void**)&in, sizeof(h));
    cudaMalloc((void**)&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    scan<<<1, N>>>(out, in);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) printf("%d ", h[i]);
    printf("\n");
    cudaFree(in);
    cudaFree(out);
    return 0;
}
