// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel fetches by a texture what it has written itself: the texture's cache need not see that, whatever barrier is
// in between.
__global__ void twice(float* x, cudaTextureObject_t texture, float* y)
{
    const int i = threadIdx.x;
    x[i] = i * 2.0f;
    __syncthreads();
#ifdef FIXED
    y[i] = x[blockDim.x - 1 - i];
#else
    y[i] = tex1Dfetch<float>(texture, blockDim.x - 1 - i);  // expect: global-race error
#endif
}

int main()
{
    const int n = 64;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {x, cudaCreateChannelDesc<float>(), n * sizeof(float)};
    cudaTextureDesc description{};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    twice<<<1, n>>>(x, texture, y);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaFree(x);
    cudaFree(y);
}
