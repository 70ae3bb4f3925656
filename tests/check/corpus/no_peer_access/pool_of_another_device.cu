// check: --devices 2
// Memory of a pool has a list of its own of who may touch it: peer access does not count.
#include <cstdio>

__global__ void fill(int* theirs, int n)
{
    int i = threadIdx.x;
    if (i < n)
        theirs[i] = i;  // expect: no-peer-access error
}

int main()
{
    const int n = 32;
    int* theirs;
    cudaSetDevice(1);
    cudaMallocAsync((void**)&theirs, n * sizeof(int), 0);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
#ifdef FIXED
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 1);
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 0;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    cudaMemPoolSetAccess(pool, &access, 1);
#endif
    fill<<<1, n>>>(theirs, n);
    cudaDeviceSynchronize();
    cudaFreeAsync(theirs, 0);
    cudaDeviceSynchronize();
    return 0;
}
