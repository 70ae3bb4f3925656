// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table in a branch, used behind it.
__global__ void k(float* out, int n)
{
    const float* weights = nullptr;
    float plain[3] = {1, 1, 1};
    weights = plain;
    if (n > 2) {
        float own[3] = {0.25f, 0.5f, 0.25f};
#ifdef FIXED
        for (int i = 0; i < 3; ++i)
            plain[i] = own[i];
#else
        weights = own;
#endif
    }
    float sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += weights[i];  // expect: uninitialised-read
    out[threadIdx.x] = sum;
}
int main()
{
    float *out, h[32];
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out, 3);
    cudaMemcpy(h, out, 128, cudaMemcpyDeviceToHost);
    cudaFree(out);

}
