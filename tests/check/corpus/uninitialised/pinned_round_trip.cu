// Pinned memory as a staging area: the device's bytes come over, the host writes all of them, and they go back. What the
// host writes there nobody sees, so that nothing is known to be unwritten.
#include <cstdio>

__global__ void add_one(float* out, const float* in)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

int main()
{
    constexpr size_t bytes = 32 * sizeof(float);
    float *in, *out, *staging;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMallocHost(&staging, bytes);
    cudaMemcpy(staging, in, bytes, cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning
    for (int i = 0; i < 32; ++i)
        staging[i] = float(i);
    cudaMemcpy(in, staging, bytes, cudaMemcpyHostToDevice);
    add_one<<<1, 32>>>(out, in);
    cudaMemcpy(staging, out, bytes, cudaMemcpyDeviceToHost);
    std::printf("%g\n", staging[31]);
    cudaFreeHost(staging);
    cudaFree(out);
    cudaFree(in);
}
