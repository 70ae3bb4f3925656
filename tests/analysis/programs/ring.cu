// A ring of two stages in dynamic shared memory, filled by copies in bulk and read by one warp. The second kernel's
// last lane leaves without arriving: both sides wait for each other. The third reads with nothing to release a stage.
#include <cstdint>
#include <cstdio>

constexpr int STAGES = 2, WORDS = 32, TURNS = 4;

struct Ring {
    alignas(128) float tile[STAGES][WORDS];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ void init(uint64_t* barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ void arrive(uint64_t* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ void wait(uint64_t* barrier, int parity)
{
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@over bra done;\nbra again;\ndone:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}
__device__ void fill(Ring& ring, int stage, const float* from)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&ring.full[stage])),
                 "r"(int(sizeof ring.tile[stage]))
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(ring.tile[stage])),
                 "l"(from), "r"(int(sizeof ring.tile[stage])), "r"(shared_address(&ring.full[stage]))
                 : "memory");
}

/// \p mistake: 1: the last lane does not arrive; 2: who fills does not wait.
__device__ void turn(Ring& ring, float* out, const float* in, int mistake)
{
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            init(&ring.full[stage], 1);
            init(&ring.empty[stage], WORDS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < TURNS; ++i) {
            if (mistake != 2)
                wait(&ring.empty[i % STAGES], (i / STAGES & 1) ^ 1);
            fill(ring, i % STAGES, in + i * WORDS);
        }
    if (threadIdx.x < WORDS)
        return;
    const int lane = threadIdx.x - WORDS;
    for (int i = 0; i < TURNS; ++i) {
        wait(&ring.full[i % STAGES], i / STAGES & 1);
        out[i * WORDS + lane] = ring.tile[i % STAGES][lane];
        if (mistake != 1 || lane != WORDS - 1)
            arrive(&ring.empty[i % STAGES]);
    }
}

__global__ void right(float* out, const float* in)
{
    extern __shared__ __align__(128) unsigned char memory[];
    turn(*reinterpret_cast<Ring*>(memory), out, in, 0);
}
__global__ void hangs(float* out, const float* in)
{
    __shared__ Ring ring;
    turn(ring, out, in, 1);
}
__global__ void unordered(float* out, const float* in)
{
    __shared__ Ring ring;
    turn(ring, out, in, 2);
}

int main(int argc, char** argv)
{
    float *in, *out;
    cudaMalloc(&in, TURNS * WORDS * sizeof(float));
    cudaMalloc(&out, TURNS * WORDS * sizeof(float));
    cudaMemset(in, 0, TURNS * WORDS * sizeof(float));
    const char which = argc > 1 ? argv[1][0] : 'r';
    if (which == 'r')
        right<<<1, 2 * WORDS, sizeof(Ring)>>>(out, in);
    else if (which == 'h')
        hangs<<<1, 2 * WORDS>>>(out, in);
    else
        unordered<<<1, 2 * WORDS>>>(out, in);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
