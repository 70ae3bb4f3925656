// check: --devices 2
// Each device has a default stream of its own: nothing orders the copy after the kernel. Fixed: an event does.

__global__ void fill(float* x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        x[i] = i;
}

int main()
{
    const int n = 64;
    float *first, *second;
    cudaStream_t streams[2];
    cudaEvent_t filled;
    cudaSetDevice(0);
    cudaMalloc(&first, n * sizeof(float));
    cudaStreamCreate(&streams[0]);
    cudaEventCreate(&filled);
    cudaSetDevice(1);
    cudaMalloc(&second, n * sizeof(float));
    cudaStreamCreate(&streams[1]);
    cudaSetDevice(0);
    fill<<<1, n, 0, streams[0]>>>(first, n);  // expect: global-race error
    cudaEventRecord(filled, streams[0]);
#ifdef FIXED
    cudaStreamWaitEvent(streams[1], filled, 0);
#endif
    cudaMemcpyPeerAsync(second, 1, first, 0, n * sizeof(float), streams[1]);
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
        cudaStreamDestroy(streams[device]);
    }
    cudaEventDestroy(filled);
    cudaFree(first);
    cudaFree(second);
    return 0;
}
