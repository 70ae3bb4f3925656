// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetches of textures and accesses of surfaces, as reads and writes of the texels' memory. What the texture unit
// does with coordinates and values in between is here. Part of cuda_runtime.h.
#pragma once

#include "../driver_types.h"
#include "texture_layout.h"

/// Word \p which (lsTextureWord) of what \p handle stands for.
extern "C" __device__ unsigned long long __ls_texture_word(unsigned long long handle, int which);

namespace __ls_texture {

// clang-format off
template <class T> struct Channels;
#define LS_CHANNELS(type)                                                                                              \
    template <> struct Channels<type> { using Channel = type; static constexpr int count = 1; };
#define LS_VECTORS(type, scalar)                                                                                       \
    template <> struct Channels<type##1> { using Channel = scalar; static constexpr int count = 1; };                  \
    template <> struct Channels<type##2> { using Channel = scalar; static constexpr int count = 2; };                  \
    template <> struct Channels<type##3> { using Channel = scalar; static constexpr int count = 3; };                  \
    template <> struct Channels<type##4> { using Channel = scalar; static constexpr int count = 4; };
LS_CHANNELS(char) LS_CHANNELS(signed char) LS_CHANNELS(unsigned char) LS_CHANNELS(short) LS_CHANNELS(unsigned short)
LS_CHANNELS(int) LS_CHANNELS(unsigned int) LS_CHANNELS(long) LS_CHANNELS(unsigned long) LS_CHANNELS(float)
LS_VECTORS(char, signed char) LS_VECTORS(uchar, unsigned char) LS_VECTORS(short, short)
LS_VECTORS(ushort, unsigned short) LS_VECTORS(int, int) LS_VECTORS(uint, unsigned int) LS_VECTORS(float, float)
#undef LS_CHANNELS
#undef LS_VECTORS

template <class Channel> struct IsFloat { static constexpr bool value = false; };
template <> struct IsFloat<float> { static constexpr bool value = true; };
// clang-format on

LS_DEVICE unsigned formatBits(unsigned long long handle, int first, int count)
{
    return (unsigned)(__ls_texture_word(handle, lsTextureFormat) >> first) & ((1u << count) - 1);
}

/// The texel that coordinate \p i of dimension \p dimension means; -1: outside, where the border's colour is.
LS_DEVICE int texelIndex(unsigned long long handle, int dimension, int i, int extent)
{
    if (i >= 0 && i < extent)
        return i;
    const unsigned mode = formatBits(handle, lsAddressModes + 2 * dimension, 2);
    if (mode == cudaAddressModeBorder)
        return -1;
    if (mode == cudaAddressModeClamp || !formatBits(handle, lsNormalizedCoordinates, 1))
        return i < 0 ? 0 : extent - 1;
    const int period = mode == cudaAddressModeWrap ? extent : 2 * extent;
    const int within = (i % period + period) % period;
    return within < extent ? within : period - 1 - within;
}

/// Channel \p channel of a texel whose bytes are \p words, as what a fetch of channels of type C gives.
template <class C>
LS_DEVICE C channelOf(unsigned long long handle, const unsigned* words, int channel)
{
    const int bits = (int)formatBits(handle, lsChannelBits, 8);
    const unsigned kind = formatBits(handle, lsChannelKind, 4);
    if (channel >= (int)formatBits(handle, lsChannelCount, 4))
        return (C)(channel == 3);
    const unsigned raw = words[channel * bits / 32] >> (channel * bits % 32);
    if (kind == cudaChannelFormatKindFloat)
        return bits == 32 ? (C)__builtin_bit_cast(float, raw)
                          : (C)(float)__builtin_bit_cast(_Float16, (unsigned short)raw);
    const int lost = 32 - bits;
    const int asSigned = (int)(raw << lost) >> lost;
    const unsigned asUnsigned = (raw << lost) >> lost;
    const bool isSigned = kind == cudaChannelFormatKindSigned;
    if (IsFloat<C>::value && formatBits(handle, lsNormalizedValues, 1)) {
        const float largest = (float)(isSigned ? (1u << (bits - 1)) - 1 : (1u << bits) - 1);
        const float fraction = (isSigned ? (float)asSigned : (float)asUnsigned) / largest;
        return (C)(fraction < -1 ? -1 : fraction);
    }
    if (IsFloat<C>::value)
        return (C)__builtin_bit_cast(float, raw);
    return isSigned ? (C)asSigned : (C)asUnsigned;
}

/// \p column: bytes into the row.
LS_DEVICE char* addressOf(unsigned long long handle, unsigned long long column, int y, int z)
{
    return (char*)__ls_texture_word(handle, lsTextureData) + z * __ls_texture_word(handle, lsTextureSlice) +
           y * __ls_texture_word(handle, lsTexturePitch) + column;
}

LS_DEVICE int texelBytes(unsigned long long handle)
{
    return (int)(formatBits(handle, lsChannelBits, 8) * formatBits(handle, lsChannelCount, 4) / 8);
}

/// The texel at \p x, \p y, \p z, each in range or -1, into \p channels: one read of memory.
template <class C>
LS_DEVICE void readTexel(unsigned long long handle, int x, int y, int z, C* channels, int count)
{
    if (x < 0 || y < 0 || z < 0) {
        for (int c = 0; c < count; ++c) {
            const int word = c < 2 ? lsTextureBorderXY : lsTextureBorderZW;
            const float colour = __builtin_bit_cast(
                float, (unsigned)(__ls_texture_word(handle, word) >> (c % 2 * 32)));
            channels[c] = (C)colour;
        }
        return;
    }
    const int bytes = texelBytes(handle);
    const char* texel = addressOf(handle, (unsigned long long)x * bytes, y, z);
    uint4 words = {0, 0, 0, 0};
    if (bytes == 1)
        words.x = *(const unsigned char*)texel;
    else if (bytes == 2)
        words.x = *(const unsigned short*)texel;
    else if (bytes == 4)
        words.x = *(const unsigned*)texel;
    else if (bytes == 8) {
        const uint2 two = *(const uint2*)texel;
        words.x = two.x;
        words.y = two.y;
    } else
        words = *(const uint4*)texel;
    for (int c = 0; c < count; ++c)
        channels[c] = channelOf<C>(handle, &words.x, c);
}

/// A coordinate on its way to the texels: counted in texels; \p fraction, in 256ths, is zero without filtering.
struct Place {
    int texel;
    int fraction;
};

LS_DEVICE Place placeAt(unsigned long long handle, float x, int extent)
{
    if (formatBits(handle, lsNormalizedCoordinates, 1))
        x *= (float)extent;
    if (!formatBits(handle, lsLinearFilter, 1))
        return {(int)__builtin_floorf(x), 0};
    // The texture unit keeps eight bits of the fraction.
    const long long fixed = (long long)__builtin_floorf((x - 0.5f) * 256.0f + 0.5f);
    return {(int)(fixed >> 8), (int)(fixed & 255)};
}

/// What corner \p corner (bit 0: right, 1: lower, 2: farther) counts, in 256ths. The texture unit rounds the products
/// of fractions; the weights along each dimension keep their sum.
LS_DEVICE int weightOf(int corner, int x, int y, int z)
{
    const int both = (x * y + 128) >> 8;
    const int flat[4] = {256 - x - y + both, x - both, y - both, both};
    if (z == 0)
        return corner < 4 ? flat[corner] : 0;
    int far[4] = {z, 0, 0, 0};
    for (int i = 1; i < 4; ++i) {
        far[i] = (flat[i] * z + 128) >> 8;
        far[0] -= far[i];
    }
    return corner < 4 ? flat[corner] - far[corner] : far[corner - 4];
}

/// \p slice: which slice or layer when it is not a coordinate to filter along.
template <class T>
LS_DEVICE T fetch(unsigned long long handle, Place x, Place y, Place z, int dimensions, int slice)
{
    using C = typename Channels<T>::Channel;
    constexpr int count = Channels<T>::count;
    C sum[count] = {};
    const bool linear = formatBits(handle, lsLinearFilter, 1);
    const int corners = linear ? 1 << dimensions : 1;
    for (int corner = 0; corner < corners; ++corner) {
        const int right = corner & 1, lower = corner >> 1 & 1, farther = corner >> 2;
        const int weight = weightOf(corner, x.fraction, y.fraction, z.fraction);
        if (linear && weight == 0)
            continue;
        C channels[count];
        readTexel(handle, texelIndex(handle, 0, x.texel + right, (int)__ls_texture_word(handle, lsTextureWidth)),
                  dimensions > 1 ? texelIndex(handle, 1, y.texel + lower,
                                              (int)__ls_texture_word(handle, lsTextureHeight))
                                 : 0,
                  dimensions > 2 ? texelIndex(handle, 2, z.texel + farther,
                                              (int)__ls_texture_word(handle, lsTextureDepth))
                                 : slice,
                  channels, count);
        for (int c = 0; c < count; ++c)
            sum[c] = linear ? (C)(sum[c] + (float)weight * (1 / 256.0f) * channels[c]) : channels[c];
    }
    T result;
    __builtin_memcpy(&result, sum, sizeof(T));
    return result;
}

LS_DEVICE int layerOf(unsigned long long handle, int layer)
{
    const int layers = (int)__ls_texture_word(handle, lsTextureDepth);
    return layer < 0 ? 0 : layer < layers ? layer : layers - 1;
}

LS_DEVICE Place along(unsigned long long handle, float x, int extentWord)
{
    return placeAt(handle, x, (int)__ls_texture_word(handle, extentWord));
}

/// Address of what lies \p x bytes into row \p y of slice \p z of a surface; null where \p mode has no access made.
template <class T>
LS_DEVICE T* surfaceAt(unsigned long long handle, int x, int y, int z, cudaSurfaceBoundaryMode mode)
{
    const int limits[3] = {(int)__ls_texture_word(handle, lsTextureWidth) * texelBytes(handle) - (int)sizeof(T),
                           (int)__ls_texture_word(handle, lsTextureHeight) - 1,
                           (int)__ls_texture_word(handle, lsTextureDepth) - 1};
    int at[3] = {x, y, z};
    for (int d = 0; d < 3; ++d) {
        if (at[d] >= 0 && at[d] <= limits[d])
            continue;
        if (mode == cudaBoundaryModeTrap)
            __builtin_trap();
        if (mode == cudaBoundaryModeZero)
            return 0;
        at[d] = at[d] < 0 ? 0 : limits[d];
    }
    return (T*)addressOf(handle, (unsigned long long)at[0], at[1], at[2]);
}

template <class T>
LS_DEVICE T readSurface(const T* at)
{
    return at ? *at : T{};
}

template <class T>
LS_DEVICE void writeSurface(T* at, const T& value)
{
    if (at)
        *at = value;
}

}  // namespace __ls_texture

// clang-format off
/// A fetch that returns its value, and the form that writes it through a pointer.
#define LS_FETCH(name, parameters, arguments, ...)                                                                     \
    template <class T> LS_DEVICE T name LS_ALL parameters { __VA_ARGS__ }                                              \
    template <class T> LS_DEVICE void name(T* result, LS_REST parameters) { *result = name<T> arguments; }
#define LS_ALL(...) (__VA_ARGS__)
#define LS_REST(...) __VA_ARGS__
LS_FETCH(tex1Dfetch, (cudaTextureObject_t t, int x), (t, x),
    using C = typename __ls_texture::Channels<T>::Channel;
    constexpr int count = __ls_texture::Channels<T>::count;
    C channels[count] = {};
    if (x >= 0 && (unsigned long long)x < __ls_texture_word(t, lsTextureWidth))
        __ls_texture::readTexel(t, x, 0, 0, channels, count);
    T result;
    __builtin_memcpy(&result, channels, sizeof(T));
    return result;)
LS_FETCH(tex1D, (cudaTextureObject_t t, float x), (t, x),
    return __ls_texture::fetch<T>(t, __ls_texture::along(t, x, lsTextureWidth), {0, 0}, {0, 0}, 1, 0);)
LS_FETCH(tex2D, (cudaTextureObject_t t, float x, float y), (t, x, y),
    return __ls_texture::fetch<T>(t, __ls_texture::along(t, x, lsTextureWidth),
                                  __ls_texture::along(t, y, lsTextureHeight), {0, 0}, 2, 0);)
LS_FETCH(tex3D, (cudaTextureObject_t t, float x, float y, float z), (t, x, y, z),
    return __ls_texture::fetch<T>(t, __ls_texture::along(t, x, lsTextureWidth),
                                  __ls_texture::along(t, y, lsTextureHeight),
                                  __ls_texture::along(t, z, lsTextureDepth), 3, 0);)
LS_FETCH(tex1DLayered, (cudaTextureObject_t t, float x, int layer), (t, x, layer),
    return __ls_texture::fetch<T>(t, __ls_texture::along(t, x, lsTextureWidth), {0, 0}, {0, 0}, 1,
                                  __ls_texture::layerOf(t, layer));)
LS_FETCH(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer), (t, x, y, layer),
    return __ls_texture::fetch<T>(t, __ls_texture::along(t, x, lsTextureWidth),
                                  __ls_texture::along(t, y, lsTextureHeight), {0, 0}, 2,
                                  __ls_texture::layerOf(t, layer));)
LS_FETCH(tex1DLod, (cudaTextureObject_t t, float x, float), (t, x, 0), return tex1D<T>(t, x);)
LS_FETCH(tex2DLod, (cudaTextureObject_t t, float x, float y, float), (t, x, y, 0), return tex2D<T>(t, x, y);)
LS_FETCH(tex3DLod, (cudaTextureObject_t t, float x, float y, float z, float), (t, x, y, z, 0),
    return tex3D<T>(t, x, y, z);)
#undef LS_FETCH

/// \p mode says what happens outside.
#define LS_SURFACE(dimensions, parameters, x, y, z)                                                                    \
    template <class T>                                                                                                 \
    LS_DEVICE T surf##dimensions##read(cudaSurfaceObject_t s, LS_REST parameters,                                      \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                            \
    {                                                                                                                  \
        return __ls_texture::readSurface(__ls_texture::surfaceAt<T>(s, x, y, z, mode));                                \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LS_DEVICE void surf##dimensions##read(T* result, cudaSurfaceObject_t s, LS_REST parameters,                        \
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                         \
    {                                                                                                                  \
        *result = __ls_texture::readSurface(__ls_texture::surfaceAt<T>(s, x, y, z, mode));                             \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LS_DEVICE void surf##dimensions##write(T value, cudaSurfaceObject_t s, LS_REST parameters,                         \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                        \
    {                                                                                                                  \
        __ls_texture::writeSurface(__ls_texture::surfaceAt<T>(s, x, y, z, mode), value);                               \
    }
LS_SURFACE(1D, (int x), x, 0, 0)
LS_SURFACE(2D, (int x, int y), x, y, 0)
LS_SURFACE(3D, (int x, int y, int z), x, y, z)
LS_SURFACE(1DLayered, (int x, int layer), x, 0, layer)
LS_SURFACE(2DLayered, (int x, int y, int layer), x, y, layer)
#undef LS_SURFACE
#undef LS_ALL
#undef LS_REST
// clang-format on
