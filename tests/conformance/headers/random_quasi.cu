// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuRAND's Sobol sequences: its direction vectors, in kernels and as arrays, plain ones with its values; scrambled ones
// with their property, that each of 2^k equal intervals has one of 2^k points.
#include <curand.h>
#include <curand_kernel.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(#call, static_cast<int>(call))

static void check(const char* text, int status)
{
    if (status == 0)
        return;
    std::printf("%s: %d\n", text, status);
    std::exit(1);
}

template <class Word>
static unsigned long long hashOf(const Word* words, size_t count)
{
    unsigned long long hash = 14695981039346656037ull;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ words[i]) * 1099511628211ull;
    return hash;
}

/// A thread is a dimension: \p points points from \p offset on, [dimension][point].
__global__ void draw32(curandDirectionVectors32_t* vectors, unsigned offset, int points, unsigned* bits, float* uniform,
                       float* normal, unsigned* counts)
{
    const int dimension = threadIdx.x;
    curandStateSobol32_t state;
    curand_init(vectors[dimension], offset, &state);
    for (int i = 0; i < points; ++i) {
        curandStateSobol32 again = state;
        bits[dimension * points + i] = curand(&state);
        curandStateSobol32 other = again;
        uniform[dimension * points + i] = curand_uniform(&again);
        normal[dimension * points + i] = curand_normal(&other);
        skipahead<curandStateSobol32_t*>(0, &other);
        counts[dimension * points + i] = curand_poisson(&other, 10.0);
    }
}

__global__ void draw64(curandDirectionVectors64_t* vectors, int points, unsigned long long* bits, double* uniform,
                       double* normal)
{
    const int dimension = threadIdx.x;
    curandStateSobol64_t state;
    curand_init(vectors[dimension], 0ull, &state);
    skipahead(3ull, &state);
    for (int i = 0; i < points; ++i) {
        curandStateSobol64_t again = state;
        bits[dimension * points + i] = curand(&state);
        uniform[dimension * points + i] = curand_uniform_double(&again);
        curand_init(vectors[dimension], 3ull + i, &again);
        normal[dimension * points + i] = curand_log_normal_double(&again, 0.5, 0.25);
    }
}

__global__ void drawScrambled(curandDirectionVectors32_t* vectors, const unsigned* constants, int points, int* seen)
{
    const int dimension = threadIdx.x;
    curandStateScrambledSobol32_t state;
    curand_init(vectors[dimension], constants[dimension], 0u, &state);
    for (int i = 0; i < points; ++i) {
        const int place = static_cast<int>(curand(&state) / (4294967296ull / points));
        seen[dimension * points + place] += 1;
    }
}

template <class T>
struct Managed {
    T* values = nullptr;
    explicit Managed(size_t count) { CHECK(cudaMallocManaged(&values, count * sizeof(T))); }
    Managed(const T* from, size_t count) : Managed(count)
    {
        for (size_t i = 0; i < count; ++i)
            values[i] = from[i];
    }
    ~Managed() { CHECK(cudaFree(values)); }
};

static void inKernels(curandDirectionVectors32_t* narrow, curandDirectionVectors64_t* wide)
{
    constexpr int dimensions = 3, points = 6;
    const Managed<unsigned> vectors(narrow[0], dimensions * 32);
    const Managed<unsigned long long> vectors64(wide[0], dimensions * 64);
    const Managed<unsigned> bits(18), counts(18);
    const Managed<unsigned long long> bits64(18);
    const Managed<float> uniform(18), normal(18);
    const Managed<double> uniform64(18), normal64(18);
    draw32<<<1, dimensions>>>(reinterpret_cast<curandDirectionVectors32_t*>(vectors.values), 7u, points, bits.values,
                              uniform.values, normal.values, counts.values);
    draw64<<<1, dimensions>>>(reinterpret_cast<curandDirectionVectors64_t*>(vectors64.values), points, bits64.values,
                              uniform64.values, normal64.values);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < dimensions * points; ++i)
        std::printf("%08x %.7g %.5f %u, %016llx %.16g %.10f\n", bits.values[i], uniform.values[i], normal.values[i],
                    counts.values[i], bits64.values[i], uniform64.values[i], normal64.values[i]);
}

static void scrambledInKernels()
{
    constexpr int dimensions = 5, points = 64;
    curandDirectionVectors32_t* table = nullptr;
    unsigned* constants = nullptr;
    CHECK(curandGetDirectionVectors32(&table, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    CHECK(curandGetScrambleConstants32(&constants));
    const Managed<unsigned> vectors(table[0], dimensions * 32), shifts(constants, dimensions);
    const Managed<int> seen(dimensions * points);
    CHECK(cudaMemset(seen.values, 0, dimensions * points * sizeof(int)));
    drawScrambled<<<1, dimensions>>>(reinterpret_cast<curandDirectionVectors32_t*>(vectors.values), shifts.values,
                                     points, seen.values);
    CHECK(cudaDeviceSynchronize());
    int once = 0;
    for (int i = 0; i < dimensions * points; ++i)
        once += seen.values[i] == 1;
    std::printf("scrambled: %d of %d intervals have one point\n", once, dimensions * points);
}

/// \p type's first numbers of two dimensions, from two calls.
static void asArrays(curandRngType_t type, bool isPlain)
{
    constexpr size_t n = 8;
    curandGenerator_t generator = nullptr;
    CHECK(curandCreateGenerator(&generator, type));
    CHECK(curandSetQuasiRandomGeneratorDimensions(generator, 2));
    CHECK(curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT));
    CHECK(curandSetGeneratorOffset(generator, 5));
    const Managed<float> uniform(n);
    const Managed<double> normal(n);
    CHECK(curandGenerateUniform(generator, uniform.values, n));
    CHECK(curandGenerateNormalDouble(generator, normal.values, n, 1, 2));
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n && isPlain; ++i)
        std::printf("%.6f %.10f%s", uniform.values[i], normal.values[i], i + 1 < n ? ", " : "\n");
    unsigned bits[n];
    unsigned long long bits64[n];
    std::printf("type %d: %d of 7, %d, %d, seed %d, dimensions %d\n", type,
                curandGenerateUniform(generator, uniform.values, 7), curandGenerate(generator, bits, 0),
                curandGenerateLongLong(generator, bits64, 0), curandSetPseudoRandomGeneratorSeed(generator, 1),
                curandSetQuasiRandomGeneratorDimensions(generator, 20001));
    CHECK(curandDestroyGenerator(generator));
}

/// The mean of x y … over a cube of many dimensions, to which scrambled points come as near as plain ones.
static void integrates(curandRngType_t type)
{
    constexpr unsigned dimensions = 4, points = 4096;
    curandGenerator_t generator = nullptr;
    CHECK(curandCreateGeneratorHost(&generator, type));
    CHECK(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    std::vector<double> values(dimensions * points);
    CHECK(curandGenerateUniformDouble(generator, values.data(), values.size()));
    CHECK(curandDestroyGenerator(generator));
    double sum = 0;
    for (unsigned i = 0; i < points; ++i)
        sum += values[i] * values[points + i] * values[2 * points + i] * values[3 * points + i];
    const double error = sum / points - 1.0 / 16;
    std::printf("type %d: error below 2e-4: %d\n", type, error < 2e-4 && error > -2e-4);
}

int main()
{
    curandDirectionVectors32_t* narrow = nullptr;
    curandDirectionVectors64_t* wide = nullptr;
    CHECK(curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    CHECK(curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    std::printf("%016llx %016llx\n", hashOf(narrow[0], 20000 * 32), hashOf(wide[0], 20000 * 64));
    std::printf("wrong set: %d\n", curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    inKernels(narrow, wide);
    scrambledInKernels();
    asArrays(CURAND_RNG_QUASI_DEFAULT, true);
    asArrays(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, false);
    asArrays(CURAND_RNG_QUASI_SOBOL64, true);
    asArrays(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, false);
    for (const int type : {201, 202, 203, 204})
        integrates(static_cast<curandRngType_t>(type));
    std::printf("not a quasi-random one: %d\n", [] {
        curandGenerator_t generator = nullptr;
        CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MRG32K3A));
        const int status = curandSetQuasiRandomGeneratorDimensions(generator, 2);
        CHECK(curandDestroyGenerator(generator));
        return status;
    }());
}
