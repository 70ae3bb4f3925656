// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's sets and merges, what partitions and compares, and iterators that write or go backwards.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/replace.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <thrust/zip_function.h>

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

struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Tripled {
    __host__ __device__ int operator()(int x) const { return 3 * x; }
};
struct Weighted {
    __host__ __device__ int operator()(int a, int b) const { return a + 100 * b; }
};

template <class Vector>
static void all()
{
    const int first[] = {1, 2, 2, 2, 4, 7, 7, 9}, second[] = {0, 2, 2, 4, 4, 5, 7, 11};
    const Vector a(first, first + 8), b(second, second + 8);
    Vector out(16), more(16);
    show("union", out, thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("intersection", out,
         thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("difference", out, thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("symmetric", out,
         thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    thrust::discard_iterator<> begin, end = thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), begin);
    std::printf("size %d\n", static_cast<int>(end - begin));
    thrust::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), b.begin(), a.begin(), out.begin(), more.begin());
    show("keys", out, 16);
    show("values", more, 16);

    std::printf("unique %d, differs at %d, sorted until %d\n",
                static_cast<int>(thrust::unique_count(a.begin(), a.end(), thrust::equal_to<int>())),
                static_cast<int>(thrust::mismatch(a.begin(), a.end(), b.begin()).first - a.begin()),
                static_cast<int>(thrust::is_sorted_until(more.begin(), more.end()) - more.begin()));
    const auto ends = thrust::partition_copy(a.begin(), a.end(), out.begin(), more.begin(), IsEven());
    show("even", out, ends.first - out.begin());
    show("odd", more, ends.second - more.begin());
    std::printf("partitioned %d, point %d, first odd %d\n", thrust::is_partitioned(a.begin(), a.end(), IsEven()),
                static_cast<int>(thrust::partition_point(out.begin(), ends.first, IsEven()) - out.begin()),
                static_cast<int>(thrust::find_if_not(b.begin(), b.end(), IsEven()) - b.begin()));
    thrust::replace_copy_if(a.begin(), a.end(), out.begin(), IsEven(), -1);
    show("replaced", out, 8);

    thrust::copy(a.begin(), a.end(), thrust::make_transform_output_iterator(out.begin(), Tripled()));
    show("written", out, 8);
    thrust::inclusive_scan(thrust::make_reverse_iterator(a.end()), thrust::make_reverse_iterator(a.begin()),
                           thrust::make_reverse_iterator(out.begin() + 8));
    show("from behind", out, 8);
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
    thrust::transform(pairs, pairs + 8, out.begin(), thrust::make_zip_function(Weighted()));
    show("zipped", out, 8);
    using Declared = thrust::transform_iterator<Tripled, typename Vector::const_iterator, int>;
    typename thrust::iterator_difference<Declared>::type count = 8;
    show("declared", Vector(Declared(a.begin(), Tripled()), Declared(a.end(), Tripled())), count);
}

int main()
{
    all<thrust::device_vector<int>>();
    all<thrust::host_vector<int>>();
    std::printf("%d %d\n", thrust::min(3, 5), thrust::max(3, 5, thrust::greater<int>()));
}
