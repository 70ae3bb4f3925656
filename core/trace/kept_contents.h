// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What buffers hold when launches begin, as a trace keeps it: each distinct content once, and what differs in a few
// pages from what the buffer held before as these pages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/tables.h"

namespace lanescope::trace {

/// Not thread-safe.
class KeptContents {
public:
    /// What is to be stored of a content that is new: its row and pieces.
    struct Stored {
        ContentsRow row;
        std::vector<ContentPiece> pieces;
    };
    struct Found {
        uint64_t id = 0;
        std::optional<Stored> stored;  ///< none: it is there
    };
    /// \p initialised: a bit for each byte; empty: all are.
    Found add(BufferId buffer, std::span<const uint8_t> bytes, std::span<const uint8_t> initialised);

    /// A content that refers to another, and that to another, refers to at most so many: whoever reads it reads all.
    static constexpr unsigned kMostBases = 128;

private:
    using Hash = std::array<uint64_t, 2>;
    static constexpr size_t kPageBytes = 4096;
    /// Of buffers that may long be freed, 64 MB of hashes: what is behind that is begun anew.
    static constexpr size_t kMostHashes = 4 << 20;

    struct Kept {
        uint64_t id = 0;
        unsigned bases = 0;
        uint64_t patched = 0;  ///< bytes that it and its bases have beside the first of these
    };
    /// What a buffer held when it was asked last.
    struct Latest {
        Kept kept;
        uint64_t bytes = 0;
        uint64_t initialisedBytes = 0;
        std::vector<Hash> pages;
        std::vector<Hash> initialised;  ///< likewise of the bits that say which bytes are

        [[nodiscard]] size_t hashes() const { return pages.size() + initialised.size(); }
    };

    static std::vector<Hash> pagesOf(std::span<const uint8_t> bytes);
    static uint64_t bytesThatDiffer(std::span<const Hash> a, std::span<const Hash> b);
    static void putPieces(uint64_t content, ContentPart part, std::span<const uint8_t> bytes,
                          std::span<const Hash> pages, std::span<const Hash> before, std::vector<ContentPiece>& pieces);

    std::map<std::array<uint64_t, 4>, Kept> m_kept;  ///< by hash of pages and of initialised bits
    std::map<BufferId, Latest> m_latest;
    size_t m_hashes = 0;  ///< in m_latest
};

}  // namespace lanescope::trace
