// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Things that nvcc takes and programs do: sample helpers, lambdas, narrowing, OpenMP, marks, extern shared arrays.
#include <iostream>
#include <vector>
#include <algorithm>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <omp.h>
#include <nvToolsExt.h>
#include <cuda.h>
#include <cuComplex.h>
#include "device_launch_parameters.h"
using namespace std;
#define N 256
typedef struct { float x, y; } P;
struct Vec3 { float v[3]; __host__ __device__ Vec3() = default; __host__ __device__ Vec3(float a) { v[0]=v[1]=v[2]=a; } __host__ __device__ float operator[](int i) const { return v[i]; } };
template <typename F> __global__ void apply(F f, float* d, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) d[i] = f(i); }
constexpr int sq(int x) { return x*x; }
__device__ float helper(float x) { return std::max(x, 1.0f) + std::sqrt(x) + std::abs(-2.0f) + fminf(x, 3) + powf(x, 2.0f); }
__global__ void k(float* d, int n) { auto t = threadIdx.x; Vec3 v(2.0f); d[t] = helper(d[t]) + v[1] + sq(3) + max(1, (int)t) + min(2.0f, d[t]); uint3 id = threadIdx; d[t] += sq(2) + rsqrtf(4.0f) + id.y; }
__global__ void cplx(cuFloatComplex* c) { c[0] = cuCmulf(c[0], make_cuFloatComplex(0, 1)); }
template<class T> struct SharedMem { __device__ operator T*() { extern __shared__ int s[]; return (T*)s; } };
template<class T> __global__ void sh(T* o) { T* s = SharedMem<T>(); s[threadIdx.x] = threadIdx.x; __syncthreads(); o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
__global__ void notused();
void vla(int n) { float buf[n]; buf[0] = 1; printf("%f\n", buf[0]); }
int main(int argc, char** argv) {
  int dev = findCudaDevice(argc, (const char**)argv); (void)dev;
  StopWatchInterface* timer = NULL; sdkCreateTimer(&timer); sdkStartTimer(&timer);
  float* d; checkCudaErrors(cudaMalloc((void**)&d, N * sizeof(float)));
  int n = N; 
  dim3 grid{(n + 63) / 64}; dim3 block = {64};
  float scale = 2.0;
  apply<<<grid, block>>>([=] __device__ (int i) { return i * scale; }, d, n);
  getLastCudaError("apply");
  k<<<1, 32>>>(d, n);
  checkCudaErrors(cudaThreadSynchronize());
  vector<float> h(N); cudaMemcpy(h.data(), d, N*4, cudaMemcpyDeviceToHost);
  #pragma omp parallel for
  for (int i = 0; i < 4; i++) h[i] += omp_get_thread_num();
  cout << h[0] << " " << h[5] << " " << h[100] << endl;
  nvtxRangePushA("x"); nvtxRangePop();
  cout << max(3, 4) << min(2.5f, 1.5f) << endl;
  int arr[] = {n, 2}; unsigned u[] = {n}; char c[] = {n}; printf("%d %u %d\n", arr[0], u[0], c[0]);
  vla(n);
  sh<float><<<1, 8, 8*4>>>(d); sh<double><<<1, 8, 64>>>((double*)d);
  double hd[8]; cudaMemcpy(hd, d, 64, cudaMemcpyDeviceToHost); printf("%g\n", hd[0]);
  cuFloatComplex z = make_cuFloatComplex(1, 2); cuFloatComplex* dz; cudaMalloc(&dz, sizeof z); cudaMemcpy(dz, &z, sizeof z, cudaMemcpyHostToDevice); cplx<<<1,1>>>(dz); cudaMemcpy(&z, dz, sizeof z, cudaMemcpyDeviceToHost); printf("%g %g %g\n", cuCrealf(z), cuCimagf(z), cuCabsf(z));
  sdkStopTimer(&timer); printf("%d\n", sdkGetTimerValue(&timer) >= 0);
  cudaEvent_t e; cudaEventCreate(&e, cudaEventDefault); 
  CUdevice cd; (void)cd; CUdeviceptr p = 0; (void)p;
  float rs = rsqrtf(4.0f); printf("%g %g\n", rs, saturate(2.0f));
  assert(n > 0); cudaFree(d); cudaDeviceReset(); exit(EXIT_SUCCESS);
}
