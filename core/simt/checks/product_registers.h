// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers that products of a warpgroup (wgmma) add to or read: from the product on until wait_group covers it nobody
// may use them but the next product, and what ordinary instructions write in them needs wgmma.fence before the next
// one. From its first product on, a warp runs instruction by instruction, and every register and cell of a local
// variable knows what it was last written by. Copies hand that on: compilers move values as they like, take the halves
// of a register apart and put them together again, and only a use of one tells that it was there too early.
//
// Sums that are late (late_copies.h) are in their registers at once like any others, so that copies and later products
// find them; who uses them before the wait is given what was there before the product, for that instruction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
    /// shared memory), adds to \p sums and writes \p results. \p isLate: who uses those too early gets what was there.
    struct Product {
        const WarpCall* call = nullptr;
        unsigned factors = 0;   ///< of call->in, from the first on
        unsigned firstSum = 0;  ///< of call->in
        unsigned sums = 0;      ///< from there on; as many as results
        uint32_t group = 0;
        bool isLate = false;
    };
    void multiply(Warp& warp, const Product& product);
    /// \p bytes are copied from one address of each lane to another, those of the first lane, at \p where. To memory
    /// that is no local variable, that is a use.
    void copy(Warp& warp, uint64_t to, uint64_t from, uint64_t bytes, const trace::SourceLocation& where);
    /// Whether sums were found used too early.
    [[nodiscard]] bool hasTold() const { return m_hasTold; }

private:
    /// Which bits of a sum are in a register, and where; the others there are 0.
    struct Piece {
        uint8_t from = 0;  ///< of the sum
        uint8_t bits = 32;
        uint8_t to = 0;  ///< of the register
        bool operator==(const Piece&) const = default;
    };
    /// What wrote a register of all lanes, or a cell of a local variable.
    struct Writer {
        uint32_t product = 0;  ///< its static site + 1; 0: none
        uint32_t flow = 0;     ///< of an ordinary instruction: index in Program::flows + 1; 0: nobody knows
        uint32_t fences = 0;   ///< that came before the instruction
        uint32_t group = 0;    ///< the product's
        uint32_t sum = 0;      ///< which one of all products' sums; 0: none
        uint32_t late = 0;     ///< the product's sum: key of m_late; 0: it is not late
        Piece piece{};

        static Writer ordinary(uint32_t flow, uint32_t fences)
        {
            Writer writer;
            writer.flow = flow;
            writer.fences = fences;
            return writer;
        }
        [[nodiscard]] bool isWholeSum() const { return product != 0 && piece == Piece{}; }
    };
    /// What is left of \p writer's piece in the \p bits from bit \p first on; an ordinary writer where nothing is.
    static Writer cut(Writer writer, unsigned first, unsigned bits);
    /// Moved up by \p by bits (down, where that is negative), those that fall out left behind.
    static Writer moved(Writer writer, int by);
    /// Two pieces of one sum that lie where they belong, side by side, are one.
    static std::optional<Writer> joined(const Writer& a, const Writer& b);
    static const Writer& laterOf(const Writer& a, const Writer& b);
    /// Who wrote the result of an operation that only moves bits of a product, by constants; none: it does more.
    [[nodiscard]] std::optional<Writer> rearranged(const Warp& warp, const FlowAssign& assign) const;
    using Lanes = std::array<uint32_t, kWarpSize>;
    /// What a late sum was before its product.
    struct Before {
        uint32_t group = 0;  ///< the product's
        Lanes values{};
        uint32_t late = 0;  ///< what was there was itself a late sum: key of m_late
    };
    /// A register that shows an instruction what was there before a product.
    struct Shown {
        uint32_t reg = 0;
        LaneMask lanes = 0;
        Lanes values{};  ///< what it holds
    };
    struct Result {
        FlowOperand to;
        Writer writer;
    };
    struct Pending {
        const Instr* end = nullptr;
        std::vector<Result> results;
    };

    /// Hands on who wrote the result of an operation that only moves bits, by constants; false: it does more. Nearly
    /// all have to do with no product.
    bool handOn(const Warp& warp, const FlowAssign& assign, uint32_t flowSlot, Pending& pending) const;
    void begin(uint32_t flowSlot, const Instr* instr, Warp& warp, Pending& pending);
    void beginLoad(const Warp& warp, const MemoryInfo& info, uint32_t flowSlot, Pending& pending);
    void store(Warp& warp, const MemoryInfo& info, const Flow& flow);
    void commit(Pending& pending);
    [[nodiscard]] const Writer& writerOf(const FlowOperand& operand) const;
    /// Who wrote the cell of a local variable at \p address; null: there lies no local variable.
    Writer* cellAt(const Warp& warp, uint64_t address);
    std::optional<Writer> loaded(const Warp& warp, uint64_t address, uint64_t bytes);
    [[nodiscard]] bool isUnderWay(const Writer& writer) const { return writer.product && writer.group >= m_ended; }
    void use(Warp& warp, const FlowOperand& operand, const trace::SourceLocation& where);
    void tell(Warp& warp, const Writer& writer, const trace::SourceLocation& where);
    [[nodiscard]] const Before* beforeOf(const Writer& writer) const;
    void showBefore(Warp& warp, uint32_t reg, const Before& before, const Piece& piece);
    void showSums(Warp& warp);
    void checkFenced(Warp& warp, const Writer& writer, uint32_t staticSite) const;

    const Program& m_program;
    std::vector<Writer> m_registers;                             ///< by register
    std::unordered_map<uint64_t, std::vector<Writer>> m_locals;  ///< by address slot, of each 2 bytes
    uint32_t m_fences = 0;
    uint32_t m_ended = 0;  ///< groups
    bool m_hasTold = false;
    std::unordered_map<uint32_t, Before> m_late;
    uint32_t m_lastLate = 0;
    uint32_t m_lastSum = 0;
    std::vector<Shown> m_shown;  ///< by the instruction that runs
    Pending m_outer, m_inner;
    CodeSpan m_span;  ///< of the latest instruction
};

/// From now on the registers of \p warp are looked after; true when they were not before: the caller must hand back to
/// the scheduler with nullptr, to go on at \p next.
bool beginProducts(Warp& warp, const Instr* next);

}  // namespace lanescope::simt
