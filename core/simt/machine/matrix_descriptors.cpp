// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/matrix_descriptors.h"

#include "core/simt/code/program.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {
namespace {

constexpr uint64_t kPiece = 16;  ///< bytes

const Program& programOf(uint64_t imm)
{
    return *reinterpret_cast<const Program*>(imm);
}

uint64_t baseOf(const Program& program, const MemoryObject& object)
{
    return object.dynamic ? program.dynamicSharedOffset() : object.offset;
}

/// Outside of all arrays: behind, or before, the one that comes nearest before it, so that the access says so.
uint64_t genericAddress(const Program& program, uint64_t place)
{
    const MemoryObject* found = nullptr;
    for (const MemoryObject& object : program.shared)
        if (!found || (baseOf(program, object) <= place && baseOf(program, object) >= baseOf(program, *found)))
            found = &object;
    if (!found)
        return place;
    return slotAddress(found->slot) + static_cast<uint32_t>(place - baseOf(program, *found));
}

struct Descriptor {
    uint64_t start, leading, stride;
    uint64_t width;  ///< pieces that follow each other
    bool exchanges;

    explicit Descriptor(uint64_t bits)
        : start((bits & 0x3fff) * kPiece), leading((bits >> 16 & 0x3fff) * kPiece),
          stride((bits >> 32 & 0x3fff) * kPiece), width(bits >> 62 == 0 ? 1 : 16 >> (bits >> 62)),
          exchanges(bits >> 62 != 0)
    {
    }
    /// Bits 4 to 6 of an address, as far as there are pieces, are exchanged by bits 7 to 9.
    [[nodiscard]] uint64_t place(uint64_t offset) const
    {
        const uint64_t straight = start + offset;
        return straight ^ ((straight >> 7 & (width - 1)) << 4);
    }
};

}  // namespace

void sharedBase(const uint64_t* in, uint64_t* out, uint64_t program)
{
    const Program& code = programOf(program);
    out[0] = in[0] < code.shared.size() ? baseOf(code, code.shared[in[0]]) : 0;
}

void matrixRowAlongK(const uint64_t* in, uint64_t* out, uint64_t program)
{
    const Descriptor matrix(in[0]);
    const uint64_t row = in[1], piece = in[2];
    const uint64_t offset = row / 8 * matrix.stride + row % 8 * matrix.width * kPiece +
                            piece * (matrix.exchanges ? kPiece : matrix.leading);
    out[0] = genericAddress(programOf(program), matrix.place(offset));
}

void matrixRowAcrossK(const uint64_t* in, uint64_t* out, uint64_t program)
{
    const Descriptor matrix(in[0]);
    const uint64_t piece = in[1], k = in[2];
    const uint64_t pieces = piece / matrix.width * (matrix.exchanges ? matrix.leading : matrix.stride);
    const uint64_t depth = k / 8 * (matrix.exchanges ? matrix.stride : matrix.leading);
    const uint64_t offset = piece % matrix.width * kPiece + pieces + k % 8 * matrix.width * kPiece + depth;
    out[0] = genericAddress(programOf(program), matrix.place(offset));
}

}  // namespace lanescope::simt
