// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of Thrust that is there, on device and host vectors.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <cstdio>
#include <vector>

template <class Vector>
static void show(const char* name, const Vector& values)
{
    const thrust::host_vector<typename Vector::value_type> host = values;
    std::printf("%s:", name);
    for (size_t i = 0; i < host.size() && i < 12; ++i)
        std::printf(" %g", static_cast<double>(host[i]));
    std::printf("\n");
}

struct Saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};
struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct OnlyOnDevice {
    __device__ int operator()(int x) const { return static_cast<int>(__popc(static_cast<unsigned>(x))); }
};
struct AddPairs {
    template <class Tuple>
    __host__ __device__ void operator()(Tuple t) const
    {
        thrust::get<2>(t) = thrust::get<0>(t) + 10 * thrust::get<1>(t);
    }
};
struct Particle {
    float key;
    int id;
};
struct ByKey {
    __host__ __device__ bool operator()(const Particle& a, const Particle& b) const { return a.key < b.key; }
};
struct Draw {
    __host__ __device__ int operator()(unsigned n) const
    {
        thrust::default_random_engine engine;
        thrust::uniform_int_distribution<int> die(1, 6);
        engine.discard(n);
        return die(engine);
    }
};

static void elementwise()
{
    thrust::device_vector<float> x(8, 2.0f), y(8);
    thrust::sequence(y.begin(), y.end());
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{3});
    show("saxpy", y);
    using namespace thrust::placeholders;
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), 0.5f * _1 + _2 * 2);
    show("placeholders", y);
    thrust::device_vector<int> a(10), b(10), c(10);
    thrust::sequence(a.begin(), a.end(), 1, 3);
    thrust::fill(b.begin(), b.begin() + 5, 7);
    thrust::transform(a.begin(), a.end(), c.begin(), OnlyOnDevice());
    show("bits", c);
    thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end(), c.end())), AddPairs());
    show("zip", c);
    a[2] = 100;
    a[3] += a[2];
    std::printf("elements %d %d %d\n", static_cast<int>(a[2]), static_cast<int>(a[3]), static_cast<int>(a.back()));
    thrust::replace(a.begin(), a.end(), 100, -1);
    thrust::replace_if(a.begin(), a.end(), IsEven(), 0);
    thrust::reverse(a.begin(), a.end());
    show("replaced", a);
    thrust::device_vector<int> map(3), picked(3);
    map[0] = 9;
    map[1] = 0;
    map[2] = 4;
    thrust::gather(map.begin(), map.end(), a.begin(), picked.begin());
    show("gathered", picked);
    thrust::scatter(picked.begin(), picked.end(), map.begin(), c.begin());
    show("scattered", c);
    std::printf("permuted %d\n", thrust::reduce(thrust::make_permutation_iterator(a.begin(), map.begin()),
                                                thrust::make_permutation_iterator(a.begin(), map.end())));
    thrust::adjacent_difference(c.begin(), c.end(), c.begin());
    show("differences", c);
    thrust::transform(thrust::counting_iterator<unsigned>(0), thrust::counting_iterator<unsigned>(10), c.begin(),
                      Draw());
    show("dice", c);
}

static void sums()
{
    constexpr int n = 1000;
    thrust::device_vector<int> values(n);
    thrust::sequence(values.begin(), values.end());
    std::printf("reduce %d, maximum %d, product %g\n", thrust::reduce(values.begin(), values.end()),
                thrust::reduce(values.begin(), values.end(), -1, thrust::maximum<int>()),
                thrust::reduce(values.begin() + 1, values.begin() + 11, 1.0, thrust::multiplies<double>()));
    std::printf("squares %d, inner %d, even %d, sevens %d\n",
                thrust::transform_reduce(values.begin(), values.begin() + 100, Square(), 0, thrust::plus<int>()),
                thrust::inner_product(values.begin(), values.begin() + 50, values.begin(), 5),
                static_cast<int>(thrust::count_if(values.begin(), values.end(), IsEven())),
                static_cast<int>(thrust::count(values.begin(), values.end(), 7)));
    std::printf("largest at %d, smallest %d, found %d, all %d, any %d\n",
                static_cast<int>(thrust::max_element(values.begin(), values.end()) - values.begin()),
                static_cast<int>(*thrust::min_element(values.begin(), values.end())),
                static_cast<int>(thrust::find(values.begin(), values.end(), 321) - values.begin()),
                thrust::all_of(values.begin(), values.end(), IsEven()),
                thrust::any_of(values.begin(), values.end(), IsEven()));
    thrust::device_vector<int> scanned(n);
    thrust::inclusive_scan(values.begin(), values.end(), scanned.begin());
    std::printf("inclusive %d %d\n", static_cast<int>(scanned[3]), static_cast<int>(scanned[n - 1]));
    thrust::exclusive_scan(values.begin(), values.end(), scanned.begin(), 10);
    std::printf("exclusive %d %d\n", static_cast<int>(scanned[0]), static_cast<int>(scanned[n - 1]));
    thrust::inclusive_scan(values.begin(), values.end(), values.begin());
    thrust::transform_inclusive_scan(values.begin(), values.begin() + 5, scanned.begin(), Square(),
                                     thrust::plus<int>());
    std::printf("in place %d, transformed %d\n", static_cast<int>(values[n - 1]), static_cast<int>(scanned[4]));
    const int keys[] = {1, 1, 2, 2, 2, 3}, counts[] = {1, 2, 3, 4, 5, 6};
    const thrust::device_vector<int> key(keys, keys + 6), count(counts, counts + 6);
    thrust::device_vector<int> outKeys(6), outSums(6), running(6);
    const auto ends = thrust::reduce_by_key(key.begin(), key.end(), count.begin(), outKeys.begin(), outSums.begin());
    std::printf("runs %d\n", static_cast<int>(ends.first - outKeys.begin()));
    outSums.resize(3);
    show("sums by key", outSums);
    thrust::inclusive_scan_by_key(key.begin(), key.end(), count.begin(), running.begin());
    show("running", running);
    std::printf("constant %d\n",
                thrust::reduce(thrust::make_constant_iterator(3), thrust::make_constant_iterator(3) + 4));
    std::printf("transformed %d\n", thrust::reduce(thrust::make_transform_iterator(key.begin(), Square()),
                                                   thrust::make_transform_iterator(key.end(), Square())));
}

static void orders()
{
    thrust::host_vector<int> host(40);
    for (int i = 0; i < 40; ++i)
        host[static_cast<size_t>(i)] = i * 37 % 41;
    thrust::device_vector<int> values = host, ids(40);
    thrust::sequence(ids.begin(), ids.end());
    thrust::sort_by_key(values.begin(), values.end(), ids.begin());
    show("sorted", values);
    show("ids", ids);
    thrust::sort(values.begin(), values.end(), thrust::greater<int>());
    show("descending", values);
    thrust::sort(host.begin(), host.end());
    std::printf("host %d %d, sorted %d %d\n", host[0], host[39], thrust::is_sorted(host.begin(), host.end()),
                thrust::is_sorted(values.begin(), values.end()));
    std::vector<Particle> particles(30);
    for (int i = 0; i < 30; ++i)
        particles[static_cast<size_t>(i)] = {static_cast<float>(i * 7 % 10), i};
    thrust::device_vector<Particle> onDevice(particles.begin(), particles.end());
    thrust::stable_sort(onDevice.begin(), onDevice.end(), ByKey());
    thrust::copy(onDevice.begin(), onDevice.end(), particles.begin());
    std::printf("particles %d %d %d %d\n", particles[0].id, particles[1].id, particles[2].id, particles[29].id);
    thrust::device_vector<int> dup(12);
    for (size_t i = 0; i < 12; ++i)
        dup[i] = static_cast<int>(i) / 3;
    dup.erase(thrust::unique(dup.begin(), dup.end()), dup.end());
    show("unique", dup);
    thrust::device_vector<int> even(40);
    even.resize(static_cast<size_t>(thrust::copy_if(host.begin(), host.end(), host.begin(), IsEven()) - host.begin()));
    thrust::device_vector<int> source(20), kept(20);
    thrust::sequence(source.begin(), source.end());
    kept.resize(
        static_cast<size_t>(thrust::copy_if(source.begin(), source.end(), kept.begin(), IsEven()) - kept.begin()));
    show("kept", kept);
    source.erase(thrust::remove_if(source.begin(), source.end(), IsEven()), source.end());
    show("left", source);
    std::printf("bounds %d %d %d, sizes %d\n",
                static_cast<int>(thrust::lower_bound(source.begin(), source.end(), 7) - source.begin()),
                static_cast<int>(thrust::upper_bound(source.begin(), source.end(), 7) - source.begin()),
                thrust::binary_search(source.begin(), source.end(), 8), static_cast<int>(even.size()));
    thrust::device_vector<int> merged(kept.size() + source.size());
    thrust::merge(kept.begin(), kept.end(), source.begin(), source.end(), merged.begin());
    show("merged", merged);
    const std::vector<int> runs{1, 1, 2, 5, 5, 5};
    const thrust::device_vector<int> keys(runs.begin(), runs.end());
    thrust::device_vector<int> firsts(3), starts(3);
    const auto ends = thrust::unique_by_key_copy(keys.begin(), keys.end(), thrust::counting_iterator<int>(0),
                                                 firsts.begin(), starts.begin());
    std::printf("runs %d %d\n", static_cast<int>(ends.first - firsts.begin()),
                static_cast<int>(ends.second - starts.begin()));
    show("firsts", firsts);
    show("starts", starts);
    const auto middle = thrust::stable_partition(merged.begin(), merged.end(), IsEven());
    std::printf("partition %d %d\n", static_cast<int>(middle - merged.begin()), static_cast<int>(*middle));
}

static void pointers()
{
    int* raw = nullptr;
    if (cudaMalloc(&raw, 10 * sizeof(int)) != cudaSuccess)
        return;
    const thrust::device_ptr<int> pointer(raw);
    thrust::fill(pointer, pointer + 10, 4);
    pointer[3] = 6;
    thrust::sort(thrust::device, raw, raw + 10);
    std::printf("pointers %d %d %d\n", static_cast<int>(pointer[9]), thrust::reduce(thrust::device, raw, raw + 10),
                thrust::raw_pointer_cast(pointer + 1) == raw + 1);
    std::vector<int> back(10);
    thrust::copy(pointer, pointer + 10, back.begin());
    thrust::device_vector<int> vector(back.begin(), back.end());
    thrust::transform(thrust::host, back.begin(), back.end(), back.begin(), Square());
    std::printf("back %d %d\n", back[0], back[9]);
    vector.push_back(9);
    thrust::device_vector<int> other = vector;
    std::printf("vectors %d %d %d\n", static_cast<int>(vector.size()), vector == other,
                thrust::raw_pointer_cast(vector.data()) != thrust::raw_pointer_cast(other.data()));
    (void)cudaFree(raw);
}

int main()
{
    elementwise();
    sums();
    orders();
    pointers();
}
