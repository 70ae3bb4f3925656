// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three ways through eight elements: a double-buffered Hillis-Steele scan, a Blelloch scan, a tree sum. One block each.
#include <cuda_runtime.h>

constexpr int N = 8;

__global__ void hillisSteele(float* out, const float* in)
{
    __shared__ float ping[N];
    __shared__ float pong[N];
    int i = threadIdx.x;
    float* from = ping;
    float* to = pong;
    from[i] = in[i];
    __syncthreads();
    for (int offset = 1; offset < N; offset *= 2) {
        if (i >= offset)
            to[i] = from[i] + from[i - offset];
        else
            to[i] = from[i];
        __syncthreads();
        float* swap = from;
        from = to;
        to = swap;
    }
    out[i] = from[i];
}

__global__ void blelloch(float* out, const float* in)
{
    __shared__ float s[N];
    int i = threadIdx.x;
    s[2 * i] = in[2 * i];
    s[2 * i + 1] = in[2 * i + 1];
    int offset = 1;
    for (int d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (i < d)
            s[offset * (2 * i + 2) - 1] += s[offset * (2 * i + 1) - 1];
        offset *= 2;
    }
    __syncthreads();
    if (i == 0)
        s[N - 1] = 0;
    for (int d = 1; d < N; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (i < d) {
            int left = offset * (2 * i + 1) - 1;
            int right = offset * (2 * i + 2) - 1;
            float t = s[left];
            s[left] = s[right];
            s[right] += t;
        }
    }
    __syncthreads();
    out[2 * i] = s[2 * i];
    out[2 * i + 1] = s[2 * i + 1];
}

__global__ void treeSum(float* out, const float* in)
{
    __shared__ float s[N];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    for (int stride = N / 2; stride > 0; stride /= 2) {
        if (i < stride)
            s[i] += s[i + stride];
        __syncthreads();
    }
    if (i == 0)
        out[0] = s[0];
}

int main()
{
    float host[N];
    for (int i = 0; i < N; ++i)
        host[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    hillisSteele<<<1, N>>>(out, in);
    blelloch<<<1, N / 2>>>(out, in);
    treeSum<<<1, N>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
