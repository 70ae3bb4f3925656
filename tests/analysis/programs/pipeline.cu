// A pipeline that threads of a block share, over cuda::barrier: two stages, filled by copies of the first warp.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include <cstdio>

constexpr int STAGES = 2, WARP = 32, TURNS = 4;

__global__ void sums(float* out, const float* in)
{
    __shared__ float tile[STAGES][WARP];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const auto block = cooperative_groups::this_thread_block();
    const auto role = threadIdx.x < WARP ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    const int lane = threadIdx.x % WARP;
    for (int i = 0; i < TURNS; ++i)
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i % STAGES][lane], &in[i * WARP + lane], sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[i * WARP + lane] = tile[i % STAGES][lane];
            pipe.consumer_release();
        }
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, TURNS * WARP * sizeof(float));
    cudaMalloc(&out, TURNS * WARP * sizeof(float));
    cudaMemset(in, 0, TURNS * WARP * sizeof(float));
    sums<<<1, 2 * WARP>>>(out, in);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
