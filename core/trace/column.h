// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of a chunk: byte columns packed with zstd where that pays, split into byte planes where that helps.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/byte_stream.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace lanescope::trace {

/// Packs byte runs into sections. Keeps its working memory between calls; not thread-safe.
class Compressor {
public:
    Compressor();
    ~Compressor();

    /// Plane: one byte position of numbers, where speed counts more than the last few percent.
    enum class Content { Any, Plane };

    /// Appends one section: how it is packed, raw size, packed size, bytes.
    void putSection(ByteColumn& to, std::span<const uint8_t> raw, Content content = Content::Any);
    /// Appends \p words of \p width bytes each as `width` sections, one per byte position: the high bytes
    /// of numbers of like size pack well, their low bytes hardly at all.
    void putPlanes(ByteColumn& to, std::span<const uint8_t> words, size_t width);

private:
    uint8_t pack(std::span<const uint8_t> raw, Content content);

    std::unique_ptr<ZSTD_CCtx_s, void (*)(ZSTD_CCtx_s*)> m_context;
    ByteColumn m_packed;
    ByteColumn m_planes;
};

/// The inverse. Declared sizes are checked against caps before anything is allocated.
class Decompressor {
public:
    Decompressor();
    ~Decompressor();

    /// The next section's bytes in \p to; false when it is damaged or larger than \p maxBytes.
    bool getSection(ByteReader& from, std::vector<uint8_t>& to, size_t maxBytes);
    bool getPlanes(ByteReader& from, std::vector<uint8_t>& words, size_t width, size_t maxBytes);
    /// Steps over `count` sections without unpacking them.
    static bool skipSections(ByteReader& from, size_t count);

private:
    std::unique_ptr<ZSTD_DCtx_s, void (*)(ZSTD_DCtx_s*)> m_context;
    std::vector<uint8_t> m_planes;
};

}  // namespace lanescope::trace
