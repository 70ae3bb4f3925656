// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuRAND's host library: not its numbers, but their properties.
#define N 20000
#define T 3
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <vector>

static void moments(const char* name, const std::vector<double>& values, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (const double value : values)
        sum += value;
    sum /= static_cast<double>(values.size());
    for (const double value : values)
        squares += (value - sum) * (value - sum);
    squares = std::sqrt(squares / static_cast<double>(values.size()));
    std::printf("%s: mean %s, deviation %s\n", name, std::fabs(sum - mean) < 0.05 * deviation ? "right" : "wrong",
                std::fabs(squares - deviation) < 0.05 * deviation ? "right" : "wrong");
}

template <class Number>
static std::vector<double> fetched(const Number* memory)
{
    std::vector<Number> values(N);
    (void)cudaMemcpy(values.data(), memory, N * sizeof(Number), cudaMemcpyDeviceToHost);
    return {values.begin(), values.end()};
}

int main()
{
    float* single = nullptr;
    double* twice = nullptr;
    unsigned* whole = nullptr;
    (void)cudaMalloc(&single, N * sizeof(float));
    (void)cudaMalloc(&twice, N * sizeof(double));
    (void)cudaMalloc(&whole, N * sizeof(unsigned));
    curandGenerator_t generator = nullptr;
    std::printf("%d\n", curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
    (void)curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    (void)curandGenerateUniform(generator, single, N);
    const std::vector<double> first = fetched(single);
    moments("uniform", first, 0.5, 1 / std::sqrt(12.0));
    (void)curandGenerateUniform(generator, single, N);
    std::printf("the next are others: %d\n", fetched(single) != first);
    (void)curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    (void)curandGenerateUniform(generator, single, N);
    std::printf("the same seed gives the same: %d\n", fetched(single) == first);
    (void)curandGenerateUniformDouble(generator, twice, N);
    moments("uniform double", fetched(twice), 0.5, 1 / std::sqrt(12.0));
    (void)curandGenerateNormal(generator, single, N, 5, 2);
    moments("normal", fetched(single), 5, 2);
    (void)curandGenerateNormalDouble(generator, twice, N, -1, 0.5);
    moments("normal double", fetched(twice), -1, 0.5);
    (void)curandGeneratePoisson(generator, whole, N, 4);
    moments("poisson", fetched(whole), 4, 2);
    (void)curandGenerate(generator, whole, N);
    moments("bits", fetched(whole), 2147483648.0, 4294967296.0 / std::sqrt(12.0));
    std::printf("%d\n", curandDestroyGenerator(generator));
    std::vector<float> onHost(N);
    (void)curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    (void)curandGenerateUniform(generator, onHost.data(), N);
    moments("host", {onHost.begin(), onHost.end()}, 0.5, 1 / std::sqrt(12.0));
    (void)curandDestroyGenerator(generator);
    (void)cudaFree(single);
    (void)cudaFree(twice);
    (void)cudaFree(whole);
}
