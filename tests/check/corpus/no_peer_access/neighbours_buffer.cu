// check: --devices 2
// A kernel of device 0 reads what lies on device 1. Fixed: peer access is enabled in the direction of the reads.
#include <cstdio>

__global__ void add(const float* theirs, float* mine, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        mine[i] = theirs[i] + 1;  // expect: no-peer-access error count=64
}

int main()
{
    const int n = 64;
    float *theirs, *mine;
    cudaSetDevice(1);
    cudaMalloc(&theirs, n * sizeof(float));
    cudaMemset(theirs, 0, n * sizeof(float));
    cudaDeviceSynchronize();
#ifndef FIXED
    cudaDeviceEnablePeerAccess(0, 0);  // the wrong way round
#endif
    cudaSetDevice(0);
#ifdef FIXED
    cudaDeviceEnablePeerAccess(1, 0);
#endif
    cudaMalloc(&mine, n * sizeof(float));
    add<<<1, n>>>(theirs, mine, n);
    float first = 0;
    cudaMemcpy(&first, mine, sizeof(float), cudaMemcpyDeviceToHost);
#ifdef FIXED
    std::printf("%g\n", first);
#endif
    cudaFree(mine);
    cudaFree(theirs);
    return first != 1;
}
