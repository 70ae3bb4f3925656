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

LS_DEVICE float borderOf(unsigned long long handle, int channel)
{
    const int word = channel < 2 ? lsTextureBorderXY : lsTextureBorderZW;
    return __builtin_bit_cast(float, (unsigned)(__ls_texture_word(handle, word) >> (channel % 2 * 32)));
}

/// Channel \p channel of the texel at \p x, \p y, \p z, each in range or -1, as what a fetch of channels of type C
/// gives. It is read by the read-only cache, as __ldg reads: what the kernel writes itself may not be seen.
template <class C>
LS_DEVICE C channelAt(unsigned long long handle, int x, int y, int z, int channel)
{
    if (x < 0 || y < 0 || z < 0)
        return (C)borderOf(handle, channel);
    if (channel >= (int)formatBits(handle, lsChannelCount, 4))
        return (C)(channel == 3);
    const int bits = (int)formatBits(handle, lsChannelBits, 8);
    const unsigned kind = formatBits(handle, lsChannelKind, 4);
    const char* at = addressOf(handle, (unsigned long long)x * texelBytes(handle) + channel * bits / 8, y, z);
    if (IsFloat<C>::value && bits == 32 && !formatBits(handle, lsNormalizedValues, 1))
        return (C)__builtin_nontemporal_load((const float*)at);
    const unsigned raw = bits == 8    ? __builtin_nontemporal_load((const unsigned char*)at)
                         : bits == 16 ? __builtin_nontemporal_load((const unsigned short*)at)
                                      : __builtin_nontemporal_load((const unsigned*)at);
    if (kind == cudaChannelFormatKindFloat)
        return bits == 32 ? (C) __builtin_bit_cast(float, raw)
                          : (C)(float)__builtin_bit_cast(_Float16, (unsigned short)raw);
    const int lost = 32 - bits;
    const int asSigned = (int)(raw << lost) >> lost;
    const bool isSigned = kind == cudaChannelFormatKindSigned;
    if (IsFloat<C>::value && formatBits(handle, lsNormalizedValues, 1)) {
        const float largest = (float)(isSigned ? (1u << (bits - 1)) - 1 : 0xffffffffu >> lost);
        const float fraction = (isSigned ? (float)asSigned : (float)raw) / largest;
        return (C)(fraction < -1 ? -1 : fraction);
    }
    return isSigned ? (C)asSigned : (C)raw;
}

/// A coordinate on its way to the texels, in 256ths of one: a whole number of them without filtering.
LS_DEVICE long long placeOf(unsigned long long handle, float x, int extentWord)
{
    if (formatBits(handle, lsNormalizedCoordinates, 1))
        x *= (float)(int)__ls_texture_word(handle, extentWord);
    if (!formatBits(handle, lsLinearFilter, 1))
        return (long long)__builtin_floorf(x) * 256;
    // The texture unit keeps eight bits of the fraction.
    return (long long)__builtin_floorf((x - 0.5f) * 256.0f + 0.5f);
}

/// What corner \p corner (bit 0: right, 1: lower) counts, in 256ths. The texture unit rounds the product of the
/// fractions; the weights along each dimension keep their sum.
LS_DEVICE int flatWeight(int corner, int x, int y)
{
    const int both = (x * y + 128) >> 8;
    return corner == 0 ? 256 - x - y + both : corner == 1 ? x - both : corner == 2 ? y - both : both;
}
LS_DEVICE int roundedShare(int weight, int z)
{
    return (weight * z + 128) >> 8;
}
LS_DEVICE int fartherWeight(int corner, int x, int y, int z)
{
    if (corner > 0)
        return roundedShare(flatWeight(corner, x, y), z);
    return z - roundedShare(flatWeight(1, x, y), z) - roundedShare(flatWeight(2, x, y), z) -
           roundedShare(flatWeight(3, x, y), z);
}
LS_DEVICE int weightOf(int corner, int x, int y, int z)
{
    if (z == 0)
        return corner < 4 ? flatWeight(corner, x, y) : 0;
    return corner < 4 ? flatWeight(corner, x, y) - fartherWeight(corner, x, y, z) : fartherWeight(corner - 4, x, y, z);
}

/// One channel at a place. \p slice: which slice or layer when it is not a coordinate to filter along.
template <class C>
LS_DEVICE C sample(unsigned long long handle, long long x, long long y, long long z, int dimensions, int slice,
                   int channel)
{
    const bool linear = formatBits(handle, lsLinearFilter, 1);
    const int corners = linear ? 1 << dimensions : 1;
    C sum = C();
    for (int corner = 0; corner < corners; ++corner) {
        const int weight = linear ? weightOf(corner, (int)(x & 255), (int)(y & 255), (int)(z & 255)) : 256;
        if (weight == 0)
            continue;
        const int column =
            texelIndex(handle, 0, (int)(x >> 8) + (corner & 1), (int)__ls_texture_word(handle, lsTextureWidth));
        const int row = dimensions < 2 ? 0
                                       : texelIndex(handle, 1, (int)(y >> 8) + (corner >> 1 & 1),
                                                    (int)__ls_texture_word(handle, lsTextureHeight));
        const int depth = dimensions < 3 ? slice
                                         : texelIndex(handle, 2, (int)(z >> 8) + (corner >> 2),
                                                      (int)__ls_texture_word(handle, lsTextureDepth));
        const C value = channelAt<C>(handle, column, row, depth, channel);
        sum = linear ? (C)(sum + (float)weight * (1 / 256.0f) * value) : value;
    }
    return sum;
}

template <class T>
LS_DEVICE T fetch(unsigned long long handle, long long x, long long y, long long z, int dimensions, int slice)
{
    using C = typename Channels<T>::Channel;
    constexpr int count = Channels<T>::count;
    if constexpr (count == 1)
        return T{sample<C>(handle, x, y, z, dimensions, slice, 0)};
    else if constexpr (count == 2)
        return T{sample<C>(handle, x, y, z, dimensions, slice, 0), sample<C>(handle, x, y, z, dimensions, slice, 1)};
    else
        return T{sample<C>(handle, x, y, z, dimensions, slice, 0), sample<C>(handle, x, y, z, dimensions, slice, 1),
                 sample<C>(handle, x, y, z, dimensions, slice, 2), sample<C>(handle, x, y, z, dimensions, slice, 3)};
}

LS_DEVICE int layerOf(unsigned long long handle, int layer)
{
    const int layers = (int)__ls_texture_word(handle, lsTextureDepth);
    return layer < 0 ? 0 : layer < layers ? layer : layers - 1;
}

/// The cube's face that a direction leaves through, and where, in 256ths of a texel. As the CUDA C++ Programming
/// Guide's table of cubemap textures has it: coordinates are (s/m + 1)/2 and (t/m + 1)/2 of the face.
struct CubePlace {
    int face;
    long long s, t;
};

LS_DEVICE CubePlace cubePlaceOf(unsigned long long handle, float x, float y, float z)
{
    const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    const bool alongX = ax >= ay && ax >= az;
    const bool alongY = !alongX && ay >= az;
    const float major = alongX ? x : alongY ? y : z;
    const float sign = __builtin_copysignf(1.0f, major);
    const float m = alongX ? ax : alongY ? ay : az;
    const float s = alongX ? -sign * z : alongY ? x : sign * x;
    const float t = alongY ? sign * z : -y;
    const int face = (alongX ? 0 : alongY ? 2 : 4) + (sign < 0);
    const float width = (float)(int)__ls_texture_word(handle, lsTextureWidth);
    const auto along = [&](float c) {
        const float at = (c / m + 1) / 2 * width;
        return (long long)(formatBits(handle, lsLinearFilter, 1) ? __builtin_floorf((at - 0.5f) * 256.0f + 0.5f)
                                                                 : __builtin_floorf(at) * 256.0f);
    };
    return {face, along(s), along(t)};
}

template <class T>
LS_DEVICE T fetchCube(unsigned long long handle, float x, float y, float z, int layer)
{
    const CubePlace place = cubePlaceOf(handle, x, y, z);
    const int layers = (int)__ls_texture_word(handle, lsTextureDepth) / 6;
    const int chosen = layer < 0 ? 0 : layer < layers ? layer : layers - 1;
    return fetch<T>(handle, place.s, place.t, 0, 2, chosen * 6 + place.face);
}

/// \p i within 0 and \p limit, or what \p mode makes of it; -1: no access is made.
LS_DEVICE int surfaceIndex(int i, int limit, cudaSurfaceBoundaryMode mode)
{
    if (i >= 0 && i <= limit)
        return i;
    if (mode == cudaBoundaryModeTrap)
        __builtin_trap();
    return mode == cudaBoundaryModeZero ? -1 : i < 0 ? 0 : limit;
}

/// Address of what lies \p x bytes into row \p y of slice \p z of a surface; null where \p mode has no access made.
template <class T>
LS_DEVICE T* surfaceAt(unsigned long long handle, int x, int y, int z, cudaSurfaceBoundaryMode mode)
{
    const int rowBytes = (int)__ls_texture_word(handle, lsTextureWidth) * texelBytes(handle);
    const int column = surfaceIndex(x, rowBytes - (int)sizeof(T), mode);
    const int row = surfaceIndex(y, (int)__ls_texture_word(handle, lsTextureHeight) - 1, mode);
    const int slice = surfaceIndex(z, (int)__ls_texture_word(handle, lsTextureDepth) - 1, mode);
    return column < 0 || row < 0 || slice < 0 ? (T*)0 : (T*)addressOf(handle, (unsigned long long)column, row, slice);
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
    if (x < 0 || (unsigned long long)x >= __ls_texture_word(t, lsTextureWidth))
        return T();
    return __ls_texture::fetch<T>(t, (long long)x * 256, 0, 0, 1, 0);)
LS_FETCH(tex1D, (cudaTextureObject_t t, float x), (t, x),
    return __ls_texture::fetch<T>(t, __ls_texture::placeOf(t, x, lsTextureWidth), 0, 0, 1, 0);)
LS_FETCH(tex2D, (cudaTextureObject_t t, float x, float y), (t, x, y),
    return __ls_texture::fetch<T>(t, __ls_texture::placeOf(t, x, lsTextureWidth),
                                  __ls_texture::placeOf(t, y, lsTextureHeight), 0, 2, 0);)
LS_FETCH(tex3D, (cudaTextureObject_t t, float x, float y, float z), (t, x, y, z),
    return __ls_texture::fetch<T>(t, __ls_texture::placeOf(t, x, lsTextureWidth),
                                  __ls_texture::placeOf(t, y, lsTextureHeight),
                                  __ls_texture::placeOf(t, z, lsTextureDepth), 3, 0);)
LS_FETCH(tex1DLayered, (cudaTextureObject_t t, float x, int layer), (t, x, layer),
    return __ls_texture::fetch<T>(t, __ls_texture::placeOf(t, x, lsTextureWidth), 0, 0, 1,
                                  __ls_texture::layerOf(t, layer));)
LS_FETCH(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer), (t, x, y, layer),
    return __ls_texture::fetch<T>(t, __ls_texture::placeOf(t, x, lsTextureWidth),
                                  __ls_texture::placeOf(t, y, lsTextureHeight), 0, 2,
                                  __ls_texture::layerOf(t, layer));)
LS_FETCH(texCubemap, (cudaTextureObject_t t, float x, float y, float z), (t, x, y, z),
    return __ls_texture::fetchCube<T>(t, x, y, z, 0);)
LS_FETCH(texCubemapLayered, (cudaTextureObject_t t, float x, float y, float z, int layer), (t, x, y, z, layer),
    return __ls_texture::fetchCube<T>(t, x, y, z, layer);)
LS_FETCH(texCubemapLod, (cudaTextureObject_t t, float x, float y, float z, float), (t, x, y, z, 0),
    return texCubemap<T>(t, x, y, z);)
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
LS_SURFACE(Cubemap, (int x, int y, int face), x, y, face)
LS_SURFACE(CubemapLayered, (int x, int y, int layerFace), x, y, layerFace)
#undef LS_SURFACE
#undef LS_ALL
#undef LS_REST
// clang-format on
