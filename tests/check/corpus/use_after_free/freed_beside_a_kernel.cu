// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory is given back in one stream while a kernel of another may still read it.
__global__ void copy(const int* in, int* out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

int main()
{
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    int *in, *out;
    cudaMalloc(&out, 128);
    cudaMallocAsync(&in, 128, one);
    cudaMemsetAsync(in, 0, 128, one);
    cudaStreamSynchronize(one);
    copy<<<1, 32, 0, other>>>(in, out);
#ifdef FIXED
    cudaEvent_t read;
    cudaEventCreate(&read);
    cudaEventRecord(read, other);
    cudaStreamWaitEvent(one, read);
#endif
    cudaFreeAsync(in, one);  // expect: use-after-free
    cudaDeviceSynchronize();
    cudaFree(out);
}
