// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which vector registers somebody may still read: what nobody does needs not be in the register file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <llvm/ADT/BitVector.h>

#include "core/simt/native/basic_blocks.h"

namespace lanescope::simt::native {

/// Registers by pieces of so many bytes: half a row of 4-byte lanes.
inline constexpr uint32_t kPieceBytes = 64;

/// Of a register of narrow lanes; what all registers are aligned to.
inline constexpr uint32_t kRegisterBytes = 128;

/// Patterns and scalars by what has a value of its own.
inline constexpr uint32_t kPatternPieceBytes = 4;
inline constexpr uint32_t kScalarPieceBytes = 8;

/// Pieces of a register file.
using Pieces = llvm::BitVector;

/// [begin, end) in the register file, as pieces of \p pieces.
void addBytes(Pieces& pieces, uint64_t begin, uint64_t end);

class RegisterUses {
public:
    /// \p exposed: by stretch, what it reads before it writes it.
    RegisterUses(const NativeJob& job, const ListedHandlers& handlers, const std::vector<Stretch>& stretches,
                 const std::vector<Pieces>& exposed);

    /// What may be read by who goes on behind instruction \p index of \p stretch, by itself or where that leads.
    [[nodiscard]] Pieces behind(const Stretch& stretch, size_t index) const;

private:
    [[nodiscard]] Pieces atTargets(size_t index) const;

    const NativeJob& m_job;
    const ListedHandlers& m_handlers;
    std::vector<Pieces> m_live;  ///< by instruction, when it begins
};

/// Whether \p handler is a shuffle that looks at its members' register.
bool asksMembers(const NativeJob& job, Handler handler);
/// All that instruction \p index may read as long as its handler is listed, or more.
Pieces usesOf(const NativeJob& job, const ListedHandlers& handlers, size_t index);
/// An access's values.
Pieces valuesOf(const NativeJob& job, const MemoryInfo& info);
/// The registers of its addresses.
Pieces addressesOf(const NativeJob& job, const MemoryInfo& info);
/// What of the register file it may read or write: those, and its addresses' registers.
Pieces registersOf(const NativeJob& job, const MemoryInfo& info);

}  // namespace lanescope::simt::native
