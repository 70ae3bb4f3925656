// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first thread's left neighbour: an unsigned index below zero is sixteen gigabytes away, where another buffer may be.
__global__ void difference(float* out, const float* in)
{
    unsigned i = threadIdx.x;
#ifdef FIXED
    out[i] = in[i] - (i > 0 ? in[i - 1] : 0);
#else
    out[i] = in[i] - in[i - 1];  // expect: out-of-bounds error cell=[-1] buffer="in"
#endif
}

int main()
{
    float *in, *others[6];
    cudaMalloc(&in, 128);
    for (float*& other : others) {
        cudaMalloc(&other, 128);
        cudaMemset(other, 0, 128);
    }
    cudaMemset(in, 0, 128);
    difference<<<1, 32>>>(others[0], in);
    cudaFree(in);
    for (float* other : others)
        cudaFree(other);
}
