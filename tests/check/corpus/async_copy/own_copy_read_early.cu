// Each thread reads only what it copied itself, so that no barrier is needed, but it does not wait for the copy.
#include <cuda_runtime.h>

__global__ void add_one(int* out, const int* in)
{
    __shared__ int tile[32];
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
#ifdef FIXED
    asm volatile("cp.async.wait_all;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 0;" ::: "memory");  // of no use: the copy is in no group yet
#endif
    out[threadIdx.x] = tile[threadIdx.x] + 1;  // expect: async-copy-not-awaited error
}

int main()
{
    int host[32] = {};
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add_one<<<1, 32>>>(out, in);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return host[31] == 1 ? 0 : 1;
}
