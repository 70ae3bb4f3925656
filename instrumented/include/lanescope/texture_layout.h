// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 64-bit words that describe a texture or surface: written by the runtime, read by the fetches of
// device_textures.h.
#pragma once

enum lsTextureWord {
    lsTextureData = 0,  ///< device address of the first texel
    lsTextureWidth,     ///< texels
    lsTextureHeight,    ///< 1 when there is one dimension
    lsTextureDepth,     ///< slices or layers; 1 when there are two dimensions
    lsTexturePitch,     ///< bytes from row to row
    lsTextureSlice,     ///< bytes from slice to slice
    lsTextureFormat,    ///< lsTextureFormatBits
    lsTextureBorderXY,  ///< colour outside, two floats each
    lsTextureBorderZW,
    lsTextureWords
};

enum lsTextureFormatBits {
    lsChannelBits = 0,        ///< 8 bits: of a channel
    lsChannelCount = 8,       ///< 4 bits
    lsChannelKind = 12,       ///< 4 bits: cudaChannelFormatKind
    lsAddressModes = 16,      ///< 2 bits per dimension: cudaTextureAddressMode
    lsLinearFilter = 24,      ///< 1 bit
    lsNormalizedCoordinates,  ///< 1 bit
    lsNormalizedValues        ///< 1 bit: integers are read as fractions
};
