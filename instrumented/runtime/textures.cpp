// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface objects: handles of what the fetches in our headers read about (texture_layout.h).
#include <algorithm>
#include <cstring>
#include <map>

#include "core/device/texture_table.h"
#include "instrumented/include/lanescope/texture_layout.h"
#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/arrays.h"
#include "instrumented/runtime/memory.h"

using namespace lanescope;
using namespace lanescope::runtime;

namespace {

struct Object {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};  ///< of a surface: none
    bool isSurface = false;
};

std::map<uint64_t, Object>& objects()
{
    static auto* const all = new std::map<uint64_t, Object>;
    return *all;
}

/// What a resource's texels are and where.
struct Texels {
    const void* data = nullptr;
    cudaChannelFormatDesc format{};
    uint64_t width = 0;
    uint64_t height = 1;
    uint64_t depth = 1;
    uint64_t pitch = 0;
};

/// False for what is no resource.
bool texelsOf(const cudaResourceDesc& resource, Texels& texels)
{
    switch (resource.resType) {
    case cudaResourceTypeArray: {
        const cudaArray_t array = resource.res.array.array;
        if (!isArray(array))
            return false;
        const auto extent = [](size_t asked) { return std::max<uint64_t>(asked, 1); };
        texels = {array->memory,
                  array->format,
                  array->extent.width,
                  extent(array->extent.height),
                  extent(array->extent.depth),
                  pitchedPointer(*array).pitch};
        return true;
    }
    case cudaResourceTypeLinear: {
        const auto& linear = resource.res.linear;
        const size_t bytes = elementBytes(linear.desc);
        if (bytes != 0)
            texels = {linear.devPtr, linear.desc, linear.sizeInBytes / bytes, 1, 1, linear.sizeInBytes};
        return bytes != 0 && linear.devPtr;
    }
    case cudaResourceTypePitch2D: {
        const auto& rows = resource.res.pitch2D;
        texels = {rows.devPtr, rows.desc, rows.width, rows.height, 1, rows.pitchInBytes};
        return rows.devPtr && rows.width * elementBytes(rows.desc) <= rows.pitchInBytes;
    }
    case cudaResourceTypeMipmappedArray:
        break;
    }
    return false;
}

uint64_t pairOf(const float* two)
{
    uint32_t bits[2];
    std::memcpy(bits, two, sizeof(bits));
    return bits[0] | uint64_t{bits[1]} << 32;
}

std::vector<uint64_t> wordsOf(const Texels& texels, const cudaTextureDesc& texture)
{
    std::vector<uint64_t> words(lsTextureWords);
    words[lsTextureData] = deviceAliasOf(reinterpret_cast<uint64_t>(texels.data));
    words[lsTextureWidth] = texels.width;
    words[lsTextureHeight] = texels.height;
    words[lsTextureDepth] = texels.depth;
    words[lsTexturePitch] = texels.pitch;
    words[lsTextureSlice] = texels.pitch * texels.height;
    uint64_t& format = words[lsTextureFormat];
    format = uint64_t(texels.format.x) << lsChannelBits | uint64_t{channelCount(texels.format)} << lsChannelCount |
             uint64_t(texels.format.f) << lsChannelKind;
    for (unsigned d = 0; d < 3; ++d)
        format |= uint64_t(texture.addressMode[d] & 3) << (lsAddressModes + 2 * d);
    format |= uint64_t(texture.filterMode == cudaFilterModeLinear) << lsLinearFilter |
              uint64_t(texture.normalizedCoords != 0) << lsNormalizedCoordinates |
              uint64_t(texture.readMode == cudaReadModeNormalizedFloat) << lsNormalizedValues;
    words[lsTextureBorderXY] = pairOf(texture.borderColor);
    words[lsTextureBorderZW] = pairOf(texture.borderColor + 2);
    return words;
}

bool isCube(const cudaResourceDesc& resource)
{
    return resource.resType == cudaResourceTypeArray && resource.res.array.array->flags & cudaArrayCubemap;
}

/// How a cube map is fetched whatever its description says: a direction has no address mode but the face's edge.
cudaTextureDesc descriptionOf(const cudaResourceDesc& resource, cudaTextureDesc description)
{
    if (isCube(resource))
        for (cudaTextureAddressMode& mode : description.addressMode)
            mode = cudaAddressModeClamp;
    return description;
}

cudaError_t makeObject(Call& call, uint64_t* handle, const Object& object)
{
    static uint64_t s_last = 0;
    Texels texels;
    if (!handle || !texelsOf(object.resource, texels))
        return call.fail(cudaErrorInvalidValue);
    *handle = ++s_last;
    device::setTexture(*handle, wordsOf(texels, descriptionOf(object.resource, object.texture)));
    objects()[*handle] = object;
    return call.ok();
}

cudaError_t destroyObject(uint64_t handle, bool isSurface)
{
    Call call;
    const auto found = objects().find(handle);
    if (found == objects().end() || found->second.isSurface != isSurface)
        return handle == 0 ? call.ok() : call.fail(cudaErrorInvalidValue);
    objects().erase(found);
    device::removeTexture(handle);
    return call.ok();
}

/// Null: no object of this kind.
const Object* objectOf(uint64_t handle, bool isSurface)
{
    const auto found = objects().find(handle);
    return found == objects().end() || found->second.isSurface != isSurface ? nullptr : &found->second;
}

/// Fractions between integers that are read as integers: there is no such filter.
bool canFilter(const cudaTextureDesc& texture, const Texels& texels)
{
    return texture.filterMode == cudaFilterModePoint || texture.readMode == cudaReadModeNormalizedFloat ||
           texels.format.f == cudaChannelFormatKindFloat;
}

}  // namespace

LS_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                           const cudaTextureDesc* description, const cudaResourceViewDesc* /*view*/)
{
    Call call;
    Texels texels;
    if (!resource || !description || !texelsOf(*resource, texels) || !canFilter(*description, texels))
        return call.fail(cudaErrorInvalidValue);
    if (isCube(*resource) && description->seamlessCubemap && description->filterMode == cudaFilterModeLinear) {
        explainFailure(cudaErrorNotSupported, "seamlessCubemap is not supported: linear filtering stays on one face");
        return call.fail(cudaErrorNotSupported);
    }
    return makeObject(call, reinterpret_cast<uint64_t*>(texture), {*resource, *description, false});
}

LS_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return destroyObject(texture, false);
}

LS_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t texture)
{
    Call call;
    const Object* object = objectOf(texture, false);
    if (!resource || !object)
        return call.fail(cudaErrorInvalidValue);
    *resource = object->resource;
    return call.ok();
}

LS_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description, cudaTextureObject_t texture)
{
    Call call;
    const Object* object = objectOf(texture, false);
    if (!description || !object)
        return call.fail(cudaErrorInvalidValue);
    *description = object->texture;
    return call.ok();
}

LS_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource)
{
    Call call;
    if (!resource || resource->resType != cudaResourceTypeArray)
        return call.fail(cudaErrorInvalidValue);
    return makeObject(call, reinterpret_cast<uint64_t*>(surface), {*resource, {}, true});
}

LS_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return destroyObject(surface, true);
}

LS_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t surface)
{
    Call call;
    const Object* object = objectOf(surface, true);
    if (!resource || !object)
        return call.fail(cudaErrorInvalidValue);
    *resource = object->resource;
    return call.ok();
}
