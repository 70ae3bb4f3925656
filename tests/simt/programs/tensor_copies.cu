// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes of tensors: load, store, reduction, multicast; tiles of one to five dimensions and im2col, swizzled,
// stepping, with corners outside the tensor; interleaved ones. What lands where is held against a plain description of
// it, element by element; an H100 (interleaved: an H200) agrees.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

// As CUDA has it: libraries hand over pointers to uint64_t.
static_assert(std::is_same_v<cuuint64_t, uint64_t> && std::is_same_v<cuuint32_t, uint32_t>);

constexpr int kTileBytes = 8192;
constexpr unsigned char kUntouched = 0xEE;
constexpr int kElements = 1 << 15;  // of the tensor, 16 bits each

struct Corner {
    int at[5];
    int offsets[3];
};

__device__ unsigned window(const void* at)
{
    return unsigned(__cvta_generic_to_shared(at));
}

__device__ void begin(uint64_t* barrier, int bytes)
{
#if defined(__CUDA_ARCH__)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(barrier)), "r"(bytes)
                 : "memory");
#endif
}

__device__ void waitFor(uint64_t* barrier)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], 0;\n"
                 "@over bra done;\nbra again;\ndone:\n}" ::"r"(window(barrier))
                 : "memory");
#endif
}

#define LOAD "cp.async.bulk.tensor."
#define TO_TILE "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
#define TO_COLUMN "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "

template <int rank>
__device__ void loadTile(void* tile, const CUtensorMap* map, const Corner& corner, uint64_t* barrier)
{
#if defined(__CUDA_ARCH__)
    const int* c = corner.at;
    if constexpr (rank == 1)
        asm volatile(LOAD "1" TO_TILE "[%1, {%2}], [%3];" ::"r"(window(tile)), "l"(map), "r"(c[0]), "r"(window(barrier))
                     : "memory");
    if constexpr (rank == 2)
        asm volatile(LOAD "2" TO_TILE "[%1, {%2, %3}], [%4];" ::"r"(window(tile)), "l"(map), "r"(c[0]), "r"(c[1]),
                     "r"(window(barrier))
                     : "memory");
    if constexpr (rank == 3)
        asm volatile(LOAD "3" TO_TILE "[%1, {%2, %3, %4}], [%5];" ::"r"(window(tile)), "l"(map), "r"(c[0]), "r"(c[1]),
                     "r"(c[2]), "r"(window(barrier))
                     : "memory");
    if constexpr (rank == 4)
        asm volatile(LOAD "4" TO_TILE "[%1, {%2, %3, %4, %5}], [%6];" ::"r"(window(tile)), "l"(map), "r"(c[0]),
                     "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(window(barrier))
                     : "memory");
    if constexpr (rank == 5)
        asm volatile(LOAD "5" TO_TILE "[%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(window(tile)), "l"(map), "r"(c[0]),
                     "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(window(barrier))
                     : "memory");
#endif
}

template <int rank>
__device__ void loadColumn(void* tile, const CUtensorMap* map, const Corner& corner, uint64_t* barrier)
{
#if defined(__CUDA_ARCH__)
    const int* c = corner.at;
    const unsigned short o0 = corner.offsets[0], o1 = corner.offsets[1], o2 = corner.offsets[2];
    if constexpr (rank == 3)
        asm volatile(LOAD "3" TO_COLUMN "[%1, {%2, %3, %4}], [%5], {%6};" ::"r"(window(tile)), "l"(map), "r"(c[0]),
                     "r"(c[1]), "r"(c[2]), "r"(window(barrier)), "h"(o0)
                     : "memory");
    if constexpr (rank == 4)
        asm volatile(LOAD "4" TO_COLUMN "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(window(tile)), "l"(map),
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(window(barrier)), "h"(o0), "h"(o1)
                     : "memory");
    if constexpr (rank == 5)
        asm volatile(LOAD "5" TO_COLUMN "[%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(window(tile)),
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(window(barrier)), "h"(o0),
                     "h"(o1), "h"(o2)
                     : "memory");
#endif
}

template <int rank, bool isIm2col>
__global__ void load(const __grid_constant__ CUtensorMap map, Corner corner, int bytes, unsigned char* out)
{
    __shared__ int before[3];  // boxes are swizzled by where in all of shared memory they lie
    __shared__ alignas(1024) unsigned char tile[kTileBytes];
    __shared__ uint64_t full;
    if (threadIdx.x < 3)
        before[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < kTileBytes; i += blockDim.x)
        tile[i] = kUntouched;
    if (threadIdx.x == 0)
        begin(&full, bytes);
#if defined(__CUDA_ARCH__)
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
#if defined(__CUDA_ARCH__)
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
        if constexpr (isIm2col)
            loadColumn<rank>(tile, &map, corner, &full);
        else
            loadTile<rank>(tile, &map, corner, &full);
    }
    waitFor(&full);
    for (int i = threadIdx.x; i < kTileBytes; i += blockDim.x)
        out[i] = tile[i] + before[i % 3];
}

__constant__ CUtensorMap constantMap;

enum class Into { Store, Add, Min, Max, Inc, Dec, And, Or, Xor };

/// A box of 16 x 4 words, thread i's word being `first` + i, goes to (8, 3) of a tensor described in constant memory.
template <Into into>
__global__ void put(unsigned first)
{
    __shared__ alignas(128) unsigned tile[64];
    tile[threadIdx.x] = first + threadIdx.x;
#if defined(__CUDA_ARCH__)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
#define PUT(TEXT)                                                                                                      \
    asm volatile(TEXT ".bulk_group [%0, {%1, %2}], [%3];" ::"l"(&constantMap), "r"(8), "r"(3), "r"(window(tile))       \
                 : "memory")
        if constexpr (into == Into::Store)
            PUT("cp.async.bulk.tensor.2d.global.shared::cta.tile");
        if constexpr (into == Into::Add)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile");
        if constexpr (into == Into::Min)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile");
        if constexpr (into == Into::Max)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile");
        if constexpr (into == Into::Inc)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile");
        if constexpr (into == Into::Dec)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec.tile");
        if constexpr (into == Into::And)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.tile");
        if constexpr (into == Into::Or)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile");
        if constexpr (into == Into::Xor)
            PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#endif
}

/// Eight slices of 4 words go to an interleaved tensor: as a tile of two rows to (2, 1, 1), the last slice of each row
/// behind its end; as pixels to (2, 1, 0) and on, behind the end of an image to the next.
template <Into into, bool isIm2col>
__global__ void putSlices(unsigned first)
{
    __shared__ alignas(128) unsigned tile[32];
    tile[threadIdx.x] = first + threadIdx.x;
#if defined(__CUDA_ARCH__)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
#define PUT3(TEXT)                                                                                                     \
    asm volatile(TEXT ".bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&constantMap), "r"(2), "r"(1),                     \
                 "r"(isIm2col ? 0 : 1), "r"(window(tile))                                                              \
                 : "memory")
        if constexpr (into == Into::Store && isIm2col)
            PUT3("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs");
        else if constexpr (into == Into::Store)
            PUT3("cp.async.bulk.tensor.3d.global.shared::cta.tile");
        else if constexpr (isIm2col)
            PUT3("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs");
        else
            PUT3("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#endif
}

/// Sums of halves, added in bulk without a tensor.
__global__ void addHalves(__half* to)
{
    __shared__ alignas(128) __half tile[64];
    tile[threadIdx.x] = __float2half(float(threadIdx.x));
#if defined(__CUDA_ARCH__)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 128;" ::"l"(to),
                     "r"(window(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#endif
}

/// One block of two copies to both; the map lies in global memory.
__global__ void __cluster_dims__(2) multicast(const CUtensorMap* map, unsigned short* out)
{
    __shared__ alignas(128) unsigned short tile[64];
    __shared__ uint64_t full;
    unsigned rank = 0;
#if defined(__CUDA_ARCH__)
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        begin(&full, 128);
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (rank == 1 && threadIdx.x == 0) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
        asm volatile(LOAD "2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                          "[%1, {%2, %3}], [%4], %5;" ::"r"(window(tile)),
                     "l"(map), "r"(16), "r"(2), "r"(window(&full)), "h"((unsigned short)3)
                     : "memory");
    }
    waitFor(&full);
#endif
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
#if defined(__CUDA_ARCH__)
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}

typedef CUresult (*EncodeTiled)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*EncodeIm2col)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t, const cuuint32_t*,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);
EncodeTiled encodeTiled;
EncodeIm2col encodeIm2col;

/// A tensor of 16-bit elements and what is copied of it.
struct Form {
    const char* name;
    int rank;
    cuuint64_t extents[5];
    cuuint32_t box[5], steps[5];
    int swizzle;  // 0: none, 1, 2, 3: of 32, 64, 128 bytes
    bool fillsWithNaN;
    Corner corner;
    int channels, pixels;  // of im2col
    int lower[3], upper[3];
    int slice;  // bytes, of an interleaved tensor: its dimensions are places, slices of channels (the last but one),
                // images
};

cuuint64_t strideOf(const Form& form, int dimension)  // in elements
{
    cuuint64_t stride = 1;
    for (int i = 0; i < dimension; ++i)
        stride *= form.extents[i];
    return stride;
}

/// What an element of the tensor holds, or what stands for one outside.
uint16_t elementAt(const Form& form, const long long* at)
{
    cuuint64_t index = 0;
    for (int i = 0; i < form.rank; ++i) {
        if (at[i] < 0 || at[i] >= (long long)form.extents[i])
            return form.fillsWithNaN ? 0x7ff7 : 0;
        index += at[i] * strideOf(form, i);
    }
    return uint16_t(index * 7 + 1);
}

void putRow(const Form& form, std::vector<unsigned char>& tile, int row, int elements, long long* at)
{
    const int span = form.swizzle ? 16 << form.swizzle : 0;
    const int pitch = elements * 2 > span ? elements * 2 : span;
    for (int i = 0; i < elements; ++i) {
        at[0] = form.corner.at[0] + i;
        int place = row * pitch + i * 2;
        if (span)
            place ^= (place >> 7 & (span / 16 - 1)) << 4;
        const uint16_t element = elementAt(form, at);
        memcpy(&tile[place], &element, 2);
    }
}

/// Gives the bytes that count.
int expectTile(const Form& form, std::vector<unsigned char>& tile)
{
    int counts[5] = {1, 1, 1, 1, 1}, rows = 1;
    for (int i = 1; i < form.rank; ++i)
        rows *= counts[i] = (form.box[i] + form.steps[i] - 1) / form.steps[i];
    for (int row = 0; row < rows; ++row) {
        long long at[5] = {};
        for (int i = 1, rest = row; i < form.rank; rest /= counts[i++])
            at[i] = form.corner.at[i] + (long long)(rest % counts[i]) * form.steps[i];
        putRow(form, tile, row, form.box[0], at);
    }
    return rows * form.box[0] * 2;
}

/// A slice of an interleaved tensor, from the \p begin th byte of the box on.
void putSlice(const Form& form, std::vector<unsigned char>& tile, int begin, const long long* at)
{
    const int span = form.swizzle ? 16 << form.swizzle : 0, each = form.slice / 2;
    cuuint64_t index = 0;
    bool isInside = true;
    for (int i = 0; i < form.rank; ++i) {
        isInside &= at[i] >= 0 && at[i] < (long long)form.extents[i];
        index += at[i] * strideOf(form, i);
    }
    for (int i = 0; i < each; ++i) {
        int place = begin + i * 2;
        if (span)
            place ^= (place >> 7 & (span / 16 - 1)) << 4;
        const uint16_t element = isInside ? uint16_t((index * each + i) * 7 + 1) : form.fillsWithNaN ? 0x7ff7 : 0;
        memcpy(&tile[place], &element, 2);
    }
}

/// A box takes one slice of channels, whatever it says of them, and each slice goes where an element would. Rows are
/// not padded to what is swizzled.
int expectSlices(const Form& form, std::vector<unsigned char>& tile)
{
    int counts[5] = {1, 1, 1, 1, 1}, slices = 1;
    for (int i = 0; i < form.rank; ++i)
        slices *= counts[i] = i == form.rank - 2 ? 1 : (form.box[i] + form.steps[i] - 1) / form.steps[i];
    for (int slice = 0; slice < slices; ++slice) {
        long long at[5] = {};
        for (int i = 0, rest = slice; i < form.rank; rest /= counts[i++])
            at[i] = form.corner.at[i] + (long long)(rest % counts[i]) * form.steps[i];
        putSlice(form, tile, slice * form.slice, at);
    }
    return slices * form.slice;
}

/// Of an interleaved tensor, the places of pixels are the dimensions before the slices of channels.
int expectColumn(const Form& form, std::vector<unsigned char>& tile)
{
    const int begin = form.slice ? 0 : 1, places = form.rank - 2;
    long long pixel[5] = {};
    for (int i = begin; i < form.rank; ++i)
        pixel[i] = form.corner.at[i];
    for (int row = 0; row < form.pixels; ++row) {
        long long at[5];
        memcpy(at, pixel, sizeof at);
        for (int i = 0; i < places; ++i)
            at[begin + i] += form.corner.offsets[i];
        if (form.slice)
            putSlice(form, tile, row * form.slice, at);
        else
            putRow(form, tile, row, form.channels, at);
        int i = 0;
        for (; i < places; ++i) {
            pixel[begin + i] += form.steps[begin + i];
            if (pixel[begin + i] < (long long)form.extents[begin + i] + form.upper[i])
                break;
            pixel[begin + i] = form.lower[i];
        }
        pixel[form.rank - 1] += i == places ? form.steps[form.rank - 1] : 0;
    }
    return form.pixels * (form.slice ? form.slice : form.channels * 2);
}

bool encode(const Form& form, void* tensor, CUtensorMap* map)
{
    cuuint64_t strides[4];
    for (int i = 1; i < form.rank; ++i)
        strides[i - 1] = strideOf(form, i) * (form.slice ? form.slice : 2);
    const auto type = form.fillsWithNaN ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT16;
    const auto fill =
        form.fillsWithNaN ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    const auto interleave = form.slice == 32   ? CU_TENSOR_MAP_INTERLEAVE_32B
                            : form.slice == 16 ? CU_TENSOR_MAP_INTERLEAVE_16B
                                               : CU_TENSOR_MAP_INTERLEAVE_NONE;
    if (form.channels)
        return !encodeIm2col(map, type, form.rank, tensor, form.extents, strides, form.lower, form.upper, form.channels,
                             form.pixels, form.steps, interleave, CUtensorMapSwizzle(form.swizzle),
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
    return !encodeTiled(map, type, form.rank, tensor, form.extents, strides, form.box, form.steps, interleave,
                        CUtensorMapSwizzle(form.swizzle), CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}

int bad = 0, total = 0;

void expect(const char* name, bool isRight)
{
    ++total;
    bad += !isRight;
    if (!isRight)
        printf("%s is wrong\n", name);
}

void checkLoad(const Form& form)
{
    std::vector<uint16_t> elements(kElements);
    for (int i = 0; i < kElements; ++i)
        elements[i] = uint16_t(i * 7 + 1);
    void *tensor, *out;
    cudaMalloc(&tensor, kElements * 2);
    cudaMalloc(&out, kTileBytes);
    cudaMemcpy(tensor, elements.data(), kElements * 2, cudaMemcpyHostToDevice);
    std::vector<unsigned char> expected(kTileBytes, kUntouched), got(kTileBytes);
    CUtensorMap map;
    const bool isEncoded = encode(form, tensor, &map);
    const int bytes = form.channels ? expectColumn(form, expected)
                      : form.slice  ? expectSlices(form, expected)
                                    : expectTile(form, expected);
    using Kernel = void (*)(CUtensorMap, Corner, int, unsigned char*);
    const Kernel tiles[] = {load<1, false>, load<2, false>, load<3, false>, load<4, false>, load<5, false>};
    const Kernel columns[] = {load<3, true>, load<4, true>, load<5, true>};
    (form.channels ? columns[form.rank - 3] : tiles[form.rank - 1])<<<1, 64>>>(map, form.corner, bytes,
                                                                               (unsigned char*)out);
    const cudaError_t error = cudaMemcpy(got.data(), out, kTileBytes, cudaMemcpyDeviceToHost);
    expect(form.name, isEncoded && error == cudaSuccess && got == expected);
    cudaFree(tensor);
    cudaFree(out);
}

unsigned reduced(Into into, unsigned old, unsigned value)
{
    switch (into) {
    case Into::Store:
        return value;
    case Into::Add:
        return old + value;
    case Into::Min:
        return old < value ? old : value;
    case Into::Max:
        return old > value ? old : value;
    case Into::Inc:
        return old >= value ? 0 : old + 1;
    case Into::Dec:
        return old == 0 || old > value ? value : old - 1;
    case Into::And:
        return old & value;
    case Into::Or:
        return old | value;
    default:
        return old ^ value;
    }
}

template <Into into>
void checkPut(const char* name)
{
    constexpr int kWidth = 20, kHeight = 6;
    unsigned host[kWidth * kHeight], got[kWidth * kHeight], *device;
    for (int i = 0; i < kWidth * kHeight; ++i)
        host[i] = i * 5;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    const cuuint64_t extents[] = {kWidth, kHeight}, strides[] = {kWidth * 4};
    const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    CUtensorMap map;
    encodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, device, extents, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaMemcpyToSymbol(constantMap, &map, sizeof map);
    put<into><<<1, 64>>>(100);
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost);
    for (int y = 3; y < kHeight; ++y)
        for (int x = 8; x < kWidth; ++x)
            host[y * kWidth + x] = reduced(into, host[y * kWidth + x], 100 + (y - 3) * 16 + x - 8);
    expect(name, memcmp(host, got, sizeof host) == 0);
    cudaFree(device);
}

template <Into into, bool isIm2col>
void checkPutSlices(const char* name)
{
    constexpr int kPlaces = 5, kSlices = 2, kImages = 3, kWords = 4;
    unsigned host[kPlaces * kSlices * kImages * kWords], got[kPlaces * kSlices * kImages * kWords], *device;
    for (unsigned i = 0; i < sizeof host / 4; ++i)
        host[i] = i * 5;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    const cuuint64_t extents[] = {kPlaces, kSlices, kImages}, strides[] = {kPlaces * 16, kPlaces * kSlices * 16};
    const cuuint32_t box[] = {4, 4, 2}, steps[] = {1, 1, 1};
    const int corners[] = {0};
    CUtensorMap map;
    if (isIm2col)
        encodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, device, extents, strides, corners, corners, 4, 8, steps,
                     CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    else
        encodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, device, extents, strides, box, steps,
                    CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaMemcpyToSymbol(constantMap, &map, sizeof map);
    putSlices<into, isIm2col><<<1, 32>>>(100);
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost);
    const auto put = [&](int place, int image, int word, unsigned value) {
        unsigned& cell = host[((image * kSlices + 1) * kPlaces + place) * kWords + word];
        cell = reduced(into, cell, value);
    };
    for (int word = 0; word < kWords; ++word)
        if (isIm2col)
            for (int pixel = 0; pixel < 8; ++pixel)
                put((2 + pixel) % kPlaces, (2 + pixel) / kPlaces, word, 100 + pixel * kWords + word);
        else
            for (int slice = 0; slice < 6; ++slice)
                put(2 + slice % 3, 1 + slice / 3, word, 100 + slice / 3 * 16 + slice % 3 * kWords + word);
    expect(name, memcmp(host, got, sizeof host) == 0);
    cudaFree(device);
}

void checkHalves()
{
    __half host[64], *device;
    for (int i = 0; i < 64; ++i)
        host[i] = __float2half(0.5f * i);
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    addHalves<<<1, 64>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    bool isRight = true;
    for (int i = 0; i < 64; ++i)
        isRight &= __half2float(host[i]) == 1.5f * i;
    expect("sums of halves", isRight);
    cudaFree(device);
}

void checkMulticast()
{
    unsigned short host[64 * 8], got[128], *tensor, *out;
    for (int i = 0; i < 64 * 8; ++i)
        host[i] = i;
    CUtensorMap map, *inMemory;
    cudaMalloc(&tensor, sizeof host);
    cudaMalloc(&out, sizeof got);
    cudaMalloc(&inMemory, sizeof map);
    cudaMemcpy(tensor, host, sizeof host, cudaMemcpyHostToDevice);
    const cuuint64_t extents[] = {64, 8}, strides[] = {128};
    const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    encodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, tensor, extents, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaMemcpy(inMemory, &map, sizeof map, cudaMemcpyHostToDevice);
    multicast<<<2, 64>>>(inMemory, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    bool isRight = true;
    for (int i = 0; i < 128; ++i)
        isRight &= got[i] == (2 + i % 64 / 16) * 64 + 16 + i % 16;
    expect("multicast", isRight);
    cudaFree(tensor);
    cudaFree(out);
    cudaFree(inMemory);
}

int main()
{
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encodeTiled, cudaEnableDefault, &found);
    cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", (void**)&encodeIm2col, cudaEnableDefault, &found);
    const Form forms[] = {
        {"1 dimension", 1, {100}, {16}, {1}, 0, false, {{96}}},
        {"2 dimensions", 2, {64, 16}, {16, 4}, {1, 1}, 0, false, {{-8, 14}}},
        {"NaN outside", 2, {64, 16}, {16, 4}, {1, 1}, 0, true, {{56, -2}}},
        {"3 dimensions", 3, {24, 5, 4}, {16, 3, 3}, {1, 1, 1}, 0, false, {{16, 3, 2}}},
        {"4 dimensions", 4, {16, 3, 3, 2}, {8, 2, 3, 2}, {1, 1, 1, 1}, 0, true, {{8, 2, -1, 1}}},
        {"5 dimensions", 5, {16, 3, 3, 2, 2}, {16, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, 0, false, {{0, 2, 1, 1, -1}}},
        {"128 bytes", 2, {64, 16}, {64, 12}, {1, 1}, 3, false, {{0, 3}}},
        {"128 bytes, rows of 48", 2, {64, 16}, {24, 10}, {1, 1}, 3, true, {{48, 8}}},
        {"64 bytes", 2, {64, 16}, {32, 9}, {1, 1}, 2, false, {{8, 3}}},
        {"64 bytes, rows of 32", 2, {64, 16}, {16, 9}, {1, 1}, 2, false, {{8, 3}}},
        {"32 bytes", 2, {64, 16}, {16, 9}, {1, 1}, 1, false, {{8, 3}}},
        {"32 bytes, rows of 16", 2, {64, 16}, {8, 9}, {1, 1}, 1, false, {{8, 3}}},
        {"steps", 3, {64, 16, 8}, {16, 8, 5}, {1, 3, 2}, 0, false, {{8, 3, 1}}},
        {"im2col of 3", 3, {16, 8, 3}, {}, {1, 1, 1}, 0, false, {{8, -1, 0}, {1}}, 8, 10, {-1}, {-1}},
        {"im2col of 4", 4, {16, 6, 5, 3}, {}, {1, 1, 1, 1}, 0, true, {{8, 3, 2, 0}, {2, 1}}, 8, 32, {-1, -1}, {-1, -1}},
        {"im2col inside",
         4,
         {16, 6, 5, 3},
         {},
         {1, 1, 1, 1},
         0,
         false,
         {{0, 0, 0, 1}, {2, 0}},
         16,
         20,
         {0, 0},
         {-2, -2}},
        {"im2col with steps",
         4,
         {16, 6, 5, 3},
         {},
         {1, 2, 2, 1},
         0,
         false,
         {{0, -1, -1, 0}, {1, 1}},
         8,
         20,
         {-1, -1},
         {-1, -1}},
        {"im2col of 5",
         5,
         {8, 4, 3, 3, 2},
         {},
         {1, 1, 1, 1, 1},
         0,
         false,
         {{0, 1, 1, -1, 0}, {0, 1, 2}},
         8,
         50,
         {-1, 0, -1},
         {-1, 0, 0}},
        {"im2col, 64 bytes",
         4,
         {32, 6, 5, 3},
         {},
         {1, 1, 1, 1},
         2,
         false,
         {{0, -1, 2, 0}, {0, 0}},
         32,
         8,
         {-1, -1},
         {-1, -1}},
        // clang-format off
        {"slices", 3, {8, 3, 4}, {8, 8, 2}, {1, 1, 1}, 0, false, {{-3, 1, 1}}, 0, 0, {}, {}, 16},
        {"slices of 5", 5, {10, 3, 2, 3, 2}, {8, 2, 2, 16, 2}, {1, 1, 1, 1, 1}, 0, false, {{4, -1, 0, 2, 1}}, 0, 0, {}, {}, 16},
        {"slices with steps", 3, {16, 3, 4}, {16, 3, 3}, {2, 1, 2}, 0, false, {{1, 0, 0}}, 0, 0, {}, {}, 16},
        {"slices outside", 3, {8, 3, 4}, {8, 1, 2}, {1, 1, 1}, 0, true, {{0, 3, 0}}, 0, 0, {}, {}, 16},
        {"slices of 32 bytes", 3, {16, 2, 4}, {8, 1, 2}, {1, 1, 1}, 0, true, {{9, 1, 0}}, 0, 0, {}, {}, 32},
        {"slices of 32 bytes, swizzled", 4, {16, 3, 2, 4}, {8, 2, 16, 2}, {1, 1, 1, 1}, 1, false, {{3, 1, 1, 0}}, 0, 0, {}, {}, 32},
        {"slices, 128 bytes", 3, {16, 2, 16}, {8, 1, 16}, {1, 1, 1}, 3, false, {{5, 1, 0}}, 0, 0, {}, {}, 16},
        {"slices, rows of 64", 3, {16, 2, 16}, {8, 1, 16}, {2, 1, 1}, 3, false, {{5, 1, 0}}, 0, 0, {}, {}, 16},
        {"im2col, each other image", 4, {16, 3, 2, 3}, {}, {1, 1, 1, 2}, 0, false, {{0, 1, 0, 0}, {0, 0}}, 8, 14, {}, {}},
        {"im2col of slices", 4, {5, 4, 3, 2}, {}, {1, 1, 1, 1}, 0, false, {{-1, -1, 1, 0}, {2, 1}}, 8, 30, {-1, -1}, {-1, -1}, 16},
        {"im2col of slices of 3", 3, {5, 3, 4}, {}, {2, 1, 2}, 0, true, {{-1, 2, 0}, {1}}, 64, 9, {-1}, {1}, 16},
        {"im2col of slices of 5", 5, {3, 2, 2, 3, 4}, {}, {1, 1, 1, 2, 3}, 0, false, {{-1, 0, -1, 1, 0}, {1, 0, 1}}, 16, 50, {-1, 0, -1}, {0, 1, 0}, 16},
        {"im2col of slices of 32 bytes, swizzled", 4, {5, 4, 2, 3}, {}, {1, 1, 1, 1}, 1, true, {{1, -1, 1, 0}, {1, 1}}, 16, 40, {-1, -1}, {0, 0}, 32},
        {"im2col of slices, 128 bytes", 4, {5, 4, 2, 3}, {}, {1, 1, 1, 1}, 3, false, {{1, 1, 0, 1}, {0, 2}}, 8, 60, {}, {-2, 1}, 16},
        // clang-format on
    };
    for (const Form& form : forms)
        checkLoad(form);
    checkPut<Into::Store>("store");
    checkPut<Into::Add>("add");
    checkPut<Into::Min>("min");
    checkPut<Into::Max>("max");
    checkPut<Into::Inc>("inc");
    checkPut<Into::Dec>("dec");
    checkPut<Into::And>("and");
    checkPut<Into::Or>("or");
    checkPut<Into::Xor>("xor");
    checkPutSlices<Into::Store, false>("slices stored");
    checkPutSlices<Into::Add, false>("slices added");
    checkPutSlices<Into::Store, true>("im2col of slices stored");
    checkPutSlices<Into::Add, true>("im2col of slices added");
    checkHalves();
    checkMulticast();
    printf("%d copies, bad %d\n", total, bad);
    return bad != 0;
}
