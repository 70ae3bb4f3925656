// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's algorithms that another range chooses for, searches with an order of one's own, sorts of pairs, and
// shuffles.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>

template <class Vector>
static void show(const char* name, const Vector& values, long count)
{
    const thrust::host_vector<int> host(values.begin(), values.begin() + count);
    std::printf("%s:", name);
    for (const int value : host)
        std::printf(" %d", value);
    std::printf("\n");
}

struct IsSet {
    __host__ __device__ bool operator()(int x) const { return x != 0; }
};

struct BySecond {
    template <class A, class B>
    __host__ __device__ bool operator()(const A& a, const B& b) const
    {
        return thrust::get<1>(a) < thrust::get<1>(b);
    }
};

template <class Vector>
static void all()
{
    const int numbers[] = {5, 3, 8, 3, 9, 1, 7, 2}, flags[] = {0, 1, 1, 0, 1, 0, 0, 1};
    const Vector a(numbers, numbers + 8), stencil(flags, flags + 8);
    Vector out(a), more(8, -1);
    thrust::replace_if(out.begin(), out.end(), stencil.begin(), IsSet(), 100);
    show("replace_if", out, 8);
    thrust::replace_copy_if(a.begin(), a.end(), stencil.begin(), out.begin(), IsSet(), 50);
    show("replace_copy_if", out, 8);
    out.assign(8, 0);
    thrust::transform_if(a.begin(), a.end(), stencil.begin(), out.begin(), thrust::negate<int>(), IsSet());
    show("transform_if", out, 8);
    thrust::transform_if(a.begin(), a.end(), a.begin(), stencil.begin(), out.begin(), thrust::plus<int>(), IsSet());
    show("of two", out, 8);
    show("remove_copy_if", out,
         thrust::remove_copy_if(a.begin(), a.end(), stencil.begin(), out.begin(), IsSet()) - out.begin());
    show("remove_copy", out, thrust::remove_copy(a.begin(), a.end(), out.begin(), 3) - out.begin());
    const auto ends = thrust::partition_copy(a.begin(), a.end(), stencil.begin(), out.begin(), more.begin(), IsSet());
    show("set", out, ends.first - out.begin());
    show("not set", more, ends.second - more.begin());
    out = a;
    std::printf("partition at %d\n",
                int(thrust::stable_partition(out.begin(), out.end(), stencil.begin(), IsSet()) - out.begin()));
    show("parted", out, 8);

    const thrust::greater<int> falling;
    out = a;
    thrust::sort(out.begin(), out.end(), falling);
    const auto threes = thrust::equal_range(out.begin(), out.end(), 3, falling);
    std::printf("threes %d to %d, sixes at %d %d, a four %d\n", int(threes.first - out.begin()),
                int(threes.second - out.begin()),
                int(thrust::lower_bound(out.begin(), out.end(), 6, falling) - out.begin()),
                int(thrust::upper_bound(out.begin(), out.end(), 6, falling) - out.begin()),
                int(thrust::binary_search(out.begin(), out.end(), 4, falling)));
    thrust::binary_search(out.begin(), out.end(), stencil.begin(), stencil.end(), more.begin(), falling);
    show("found", more, 8);

    out = a;
    more = stencil;
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(out.begin(), more.begin()));
    thrust::stable_sort(pairs, pairs + 8, BySecond());
    show("pairs", out, 8);

    thrust::default_random_engine engine(7);
    Vector first(100), second(100);
    thrust::sequence(first.begin(), first.end());
    thrust::shuffle_copy(first.begin(), first.end(), second.begin(), engine);
    thrust::shuffle(first.begin(), first.end(), engine);
    std::printf("another order: %d\n", int(first != second));
    thrust::sort(first.begin(), first.end());
    thrust::sort(second.begin(), second.end());
    show("all there", first, 5);
    std::printf("and in both: %d\n", int(first == second));
}

int main()
{
    all<thrust::device_vector<int>>();
    all<thrust::host_vector<int>>();
}
