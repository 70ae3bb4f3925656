// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy of rows whose last ones lie behind the vector.
#include <vector>

__global__ void fill(float* p, size_t pitch)
{
    float* row = (float*)((char*)p + blockIdx.x * pitch);
    row[threadIdx.x] = threadIdx.x;
}

int main()
{
    const int width = 20, height = 16;
    float* p;
    size_t pitch;
    cudaMallocPitch((void**)&p, &pitch, width * sizeof(float), height);
    fill<<<height, width>>>(p, pitch);
#ifdef FIXED
    std::vector<float> host(width * height);
#else
    std::vector<float> host(width * (height - 2));
#endif
    const size_t bytes = width * sizeof(float);
    cudaMemcpy2D(host.data(), bytes, p, pitch, bytes, height, cudaMemcpyDeviceToHost);  // expect: out-of-bounds error
    cudaFree(p);
}
