// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The next step's parameters are put where the kernel of this step may still read them.
struct Step {
    int number;
    float length;
};

__global__ void move(float* x, const Step* step) { x[threadIdx.x] += step->length * step->number; }

int main()
{
    float *x, h[64];
    Step* step;
    cudaMalloc(&x, sizeof h);
    cudaMemset(x, 0, sizeof h);
    cudaMallocManaged(&step, sizeof *step);
    for (int i = 0; i < 3; ++i) {
        step->number = i;  // expect: host-access-of-device-memory
        step->length = 0.5f;
        move<<<1, 64>>>(x, step);
#ifdef FIXED
        cudaDeviceSynchronize();
#endif
    }
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(step);
}
