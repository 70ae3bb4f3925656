// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers that products of a warpgroup (wgmma) add to or read: from the product on until wait_group covers it nobody
// may use them but the next product, and what ordinary instructions write in them needs wgmma.fence before the next
// one. From its first product on, a warp runs instruction by instruction, and every register and cell of a local
// variable knows what it was last written by. Copies hand that on: compilers move values as they like, and only a use
// of one tells that it was there too early.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/simt/code/program.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {

class ProductRegisters {
public:
    explicit ProductRegisters(const Program& program);

    /// Runs one instruction and follows the values.
    const Instr* step(const Instr* instr, Warp& warp);
    /// The warp has executed wgmma.fence.
    void fence() { ++m_fences; }
    /// The warp has waited for its groups of products before \p group, counted as they were committed.
    void endBefore(uint32_t group);
    /// A product is issued, as one of group \p group: it reads the registers \p factors (of A; none when that lies in
    /// shared memory), adds to \p sums and writes \p results.
    struct Product {
        const WarpCall* call = nullptr;
        unsigned factors = 0;   ///< of call->in, from the first on
        unsigned firstSum = 0;  ///< of call->in
        unsigned sums = 0;      ///< from there on; as many as results
        uint32_t group = 0;
    };
    void multiply(Warp& warp, const Product& product);
    /// \p bytes are copied from one address of each lane to another, those of the first lane.
    void copy(Warp& warp, uint64_t to, uint64_t from, uint64_t bytes);
    /// Whether sums were found used too early.
    [[nodiscard]] bool hasTold() const { return m_hasTold; }

private:
    /// What wrote a register of all lanes, or a cell of a local variable.
    struct Writer {
        uint32_t product = 0;  ///< its static site + 1; 0: none
        uint32_t flow = 0;     ///< of an ordinary instruction: index in Program::flows + 1; 0: nobody knows
        uint32_t number = 0;   ///< the product's group; fences that came before the instruction
    };
    struct Result {
        FlowOperand to;
        Writer writer;
    };
    struct Pending {
        const Instr* end = nullptr;
        std::vector<Result> results;
    };

    void begin(uint32_t flowSlot, const Instr* instr, Warp& warp, Pending& pending);
    void beginLoad(const Warp& warp, const MemoryInfo& info, uint32_t flowSlot, Pending& pending);
    void store(Warp& warp, const MemoryInfo& info, const Flow& flow);
    void commit(Pending& pending);
    [[nodiscard]] Writer writerOf(const FlowOperand& operand) const;
    /// Who wrote the cell of a local variable at \p address; null: there lies no local variable.
    Writer* cellAt(const Warp& warp, uint64_t address);
    [[nodiscard]] bool isUnderWay(const Writer& writer) const { return writer.product && writer.number >= m_ended; }
    void use(Warp& warp, const Writer& writer, const trace::SourceLocation& where);
    void checkFenced(Warp& warp, const Writer& writer, uint32_t staticSite) const;

    const Program& m_program;
    std::vector<Writer> m_registers;                             ///< by register
    std::unordered_map<uint64_t, std::vector<Writer>> m_locals;  ///< by address slot, of each 4 bytes
    uint32_t m_fences = 0;
    uint32_t m_ended = 0;  ///< groups
    bool m_hasTold = false;
    Pending m_outer, m_inner;
    CodeSpan m_span;  ///< of the latest instruction
};

/// From now on the registers of \p warp are looked after; true when they were not before: the caller must hand back to
/// the scheduler with nullptr, to go on at \p next.
bool beginProducts(Warp& warp, const Instr* next);

}  // namespace lanescope::simt
