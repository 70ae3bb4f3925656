// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chunk as it lies in the file: what was recorded of one block, or of many small ones, packed together. Blocks are
// much alike, so that most of one is in the packed bytes already where the one before it was; each is decoded on its
// own, but for those that are another one of the chunk, moved: of these there are only the moves, among the small
// columns, and values that are not moved either (told_part.h). Layout: format; number of parts; number of events; a
// section of each part's counts (how many parts before it the one stands that it is, moved, or 0; events; bytes of each
// small column, bytes of each word column); a section of the small columns, part by part; for each width of words 0, or
// 1 and the words' planes. Format 3 has no moved parts. Formats 1 and 2 have one part, whose counts of events and small
// columns stand behind the format.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/column.h"
#include "core/trace/predictor.h"
#include "core/trace/reader.h"

namespace lanescope::trace {

/// The events of one part, encoded.
struct ChunkColumns {
    uint32_t events = 0;
    std::array<ByteColumn, kSmallColumns> small;
    std::array<ByteColumn, kWordColumns> words;

    void clear();
};

/// Not thread-safe. Allocation-free once its columns have grown to their size.
class ChunkPacker {
public:
    /// The next part. \p back: of which part before this it has only the moves, counted back; 0: of none.
    void add(const ChunkColumns& part, size_t back = 0);
    /// Of values and offsets that are stored as they are.
    [[nodiscard]] size_t wordBytes() const { return m_wordBytes; }
    /// The packed chunk; what follows is the next one's.
    std::vector<uint8_t> finish();
    void clear();

private:
    Compressor m_compressor;
    ByteColumn m_counts;
    ByteColumn m_small;
    std::array<ByteColumn, kWordColumns> m_words;
    ByteColumn m_blob;
    uint32_t m_parts = 0;
    uint64_t m_events = 0;
    size_t m_wordBytes = 0;
};

/// A chunk's columns, unpacked. Takes any bytes: damage gives an Error.
class UnpackedChunk {
public:
    /// One part's columns. Spans are valid until the chunk is unpacked anew.
    struct Part {
        uint32_t events = 0;
        std::optional<size_t> movedFrom;  ///< the index of the part that this is, moved
        std::array<std::span<const uint8_t>, kSmallColumns> small;
        std::array<std::span<const uint8_t>, kWordColumns> words;
    };

    /// \p blob has \p parts parts with \p events events in all; it is not needed afterwards, nor is \p with, which is
    /// large: one does for many chunks. Columns that \p detail does not ask for stay empty.
    Result<void> unpack(Decompressor& with, std::span<const uint8_t> blob, uint32_t parts, uint32_t events,
                        Detail detail);
    [[nodiscard]] Part part(size_t index) const;
    /// Of the chunk.
    [[nodiscard]] uint8_t format() const { return m_format; }
    [[nodiscard]] Detail detail() const { return m_detail; }
    /// Memory that its columns have.
    [[nodiscard]] size_t bytes() const;

private:
    /// Of one part: its events, and where its columns end.
    struct Counts {
        uint32_t events = 0;
        uint32_t back = 0;
        std::array<uint32_t, kSmallColumns> small{};
        std::array<uint32_t, kWordColumns> words{};
    };

    bool fail(std::string what);
    bool readCounts(Decompressor& with, ByteReader& from, uint32_t parts, uint32_t events);
    bool readColumns(Decompressor& with, ByteReader& from, uint32_t events);

    uint8_t m_format = kChunkFormat;
    Detail m_detail = Detail::Everything;
    std::vector<Counts> m_parts;
    std::vector<uint8_t> m_small;
    std::array<std::vector<uint8_t>, kWordColumns> m_words;
    std::string m_failure;
};

}  // namespace lanescope::trace
