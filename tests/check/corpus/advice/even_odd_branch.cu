// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Even and odd lanes go different ways.
__global__ void alternate(float* v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i / 32 % 2 == 0) {
#else
    if (i % 2 == 0) {  // expect: divergent-branch
#endif
        float x = v[i];
        for (int k = 0; k < 8; ++k) x = x * 1.5f + 1.0f;
        v[i] = x;
    } else {
        float x = v[i];
        for (int k = 0; k < 8; ++k) x = x * 0.5f - 1.0f;
        v[i] = x;
    }
}

int main()
{
    float* v;
    cudaMalloc(&v, 256 * sizeof(float));
    cudaMemset(v, 0, 256 * sizeof(float));
    alternate<<<2, 128>>>(v);
    cudaFree(v);
    return 0;
}
