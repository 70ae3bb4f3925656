// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap of the kernels themselves.
#pragma once

#include <cstdint>
#include <map>

namespace lanescope::simt {

/// The heap that malloc and new use in kernels: pieces of one global buffer, first fit. Pieces lie apart, and what was
/// freed is given out again only when there is nothing else, so that a stray pointer is seen to be one. Not
/// thread-safe: a kernel that allocates runs on one host thread, so that its addresses are the same in every run.
class DeviceHeap {
public:
    /// \p address, \p bytes: of the buffer; 0 bytes: no heap.
    void place(uint64_t address, uint64_t bytes);
    [[nodiscard]] bool placed() const { return m_bytes != 0; }
    [[nodiscard]] uint64_t address() const { return m_address; }
    /// Address of \p bytes new bytes, aligned to 16; 0 when the heap is full.
    uint64_t allocate(uint64_t bytes);
    /// False when \p address is not the start of a live piece.
    bool free(uint64_t address);
    /// Whether the bytes from \p offset on lie in one live piece.
    [[nodiscard]] bool holds(uint64_t offset, uint64_t bytes) const;
    /// Whether a piece that lay at \p offset has been freed.
    [[nodiscard]] bool wasFreed(uint64_t offset) const;

private:
    struct Piece {
        uint64_t bytes = 0;  ///< asked for
        uint64_t room = 0;   ///< taken
    };
    void makeFree(uint64_t offset, uint64_t bytes);

    uint64_t m_address = 0;
    uint64_t m_bytes = 0;
    std::map<uint64_t, uint64_t> m_free;  ///< offset, bytes; no two touch
    std::map<uint64_t, Piece> m_used;     ///< by offset
    std::map<uint64_t, Piece> m_freed;    ///< not to be given out yet
};

}  // namespace lanescope::simt
