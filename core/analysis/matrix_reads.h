// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warpgroup's product (wgmma) reads by its descriptors, over what was written there: each 16 bytes with the
// place in global memory that they were copied from. A descriptor that is for another layout than the copies' reads
// them in another order than they have there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::analysis {

/// 16 bytes as a descriptor leads to them.
struct MatrixChunk {
    struct Place {
        BufferId buffer = kNoBuffer;
        uint64_t offset = 0;  ///< bytes in the buffer

        friend bool operator==(const Place&, const Place&) = default;
    };
    Place at;                     ///< in shared memory
    bool isWritten = false;       ///< all of it, by this block
    std::optional<Place> source;  ///< that all of it was copied from; none: it was computed, or comes from several
    bool differs = false;         ///< the others of its matrix say that it should have come from elsewhere
};

/// One matrix of one execution by one warp: of A the warp's 16 rows, of B all columns.
struct MatrixRead {
    std::string name;  ///< "A", "B"
    /// Lines lie apart in memory, pieces of a line follow each other: lines are rows (of B columns) and pieces go along
    /// k, or, of a matrix that lies the other way round, lines are k and pieces go along the rows.
    uint32_t lines = 0;
    uint32_t pieces = 0;
    std::vector<MatrixChunk> chunks;  ///< [line][piece]
    StepIndex step = 0;               ///< of the first access

    [[nodiscard]] const MatrixChunk& at(uint32_t line, uint32_t piece) const
    {
        return chunks[uint64_t{line} * pieces + piece];
    }
    [[nodiscard]] uint64_t differing() const;
    [[nodiscard]] uint64_t unwritten() const;
};

/// Of the latest execution of \p instruction (an opcode, as trace::Site has it) by \p warp before \p step. Empty: there
/// is none, or it is no wgmma.mma_async. A is missing where it is in registers. Cost: decodes the block up to the step.
Result<std::vector<MatrixRead>> traceMatrixReads(replay::Session& session, LaunchId launch, BlockIndex block,
                                                 uint16_t warp, StepIndex step, const std::string& instruction);

}  // namespace lanescope::analysis
