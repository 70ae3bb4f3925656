// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four numbers a thread, and a number that four do not divide.
#include <vector>

__global__ void twice(float4* out, const float4* in, int vectors)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}

__global__ void twiceTheRest(float* out, const float* in, int from, int n)
{
    int i = from + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

int main()
{
    const int n = 1003;
    std::vector<float> host(n, 1.5f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<2, 64>>>((float4*)out, (const float4*)in, n / 4);
#ifdef FIXED
    twiceTheRest<<<1, 32>>>(out, in, n / 4 * 4, n);
#endif
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning
    cudaFree(in);
    cudaFree(out);
}
