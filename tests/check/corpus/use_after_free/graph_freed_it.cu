// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph frees what it has allocated; a kernel behind it still reads that. Its next launch allocates there again.
__global__ void fill(int* p)
{
    p[threadIdx.x] = threadIdx.x;
}
__global__ void copy(const int* p, int* out)
{
    out[threadIdx.x] = p[threadIdx.x];  // expect: use-after-free
}

int main()
{
    int *out, *p;
    cudaMalloc(&out, 128);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&p, 128, stream);
    fill<<<1, 32, 0, stream>>>(p);
#ifdef FIXED
    copy<<<1, 32, 0, stream>>>(p, out);
#endif
    cudaFreeAsync(p, stream);
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; ++i)
        cudaGraphLaunch(exec, stream);
#ifndef FIXED
    copy<<<1, 32, 0, stream>>>(p, out);
#endif
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(out);
}
