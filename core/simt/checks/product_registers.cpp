// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/product_registers.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/state/lane_memory.h"
#include "core/simt/state/lane_values.h"

namespace lanescope::simt {
namespace {

constexpr uint64_t kRegisterLaneBytes = 4;
constexpr unsigned kRegisterBits = kRegisterLaneBytes * 8;
/// Of a narrow register; a wide one is told by its first half.
constexpr size_t kRegisterBytes = kWarpSize * kRegisterLaneBytes;
constexpr uint64_t kCellBytes = 2;  ///< half a register: compilers take pairs of halves apart
constexpr unsigned kCellBits = kCellBytes * 8;
constexpr const char* kFenceHelp = "execute wgmma.fence.sync.aligned after the last ordinary instruction that writes "
                                   "sums or A's registers, and before the product";

const MemoryInfo& memoryOf(const Instr* instr)
{
    return *reinterpret_cast<const MemoryInfo*>(instr->imm);
}

/// What all lanes have in \p operand, if they have the same.
std::optional<uint64_t> constantOf(const Warp& warp, const FlowOperand& operand)
{
    const uint64_t first = valueOf(warp, operand, static_cast<size_t>(std::countr_zero(warp.mask)));
    bool isSame = true;
    forActive(warp.mask, [&](size_t lane) { isSame = isSame && valueOf(warp, operand, lane) == first; });
    return isSame ? std::optional(first) : std::nullopt;
}

/// Lanes access local variables side by side: the first one stands for all.
uint64_t firstAddress(const Warp& warp, const MemoryInfo& info)
{
    return laneAddress(warp, info, std::countr_zero(warp.mask));
}

}  // namespace

ProductRegisters::ProductRegisters(const Program& program)
    : m_program(program), m_registers(program.registerBytes / kRegisterBytes)
{
}

ProductRegisters::Writer ProductRegisters::cut(Writer writer, unsigned first, unsigned bits)
{
    if (!writer.product)
        return writer;
    Piece& piece = writer.piece;
    const unsigned begin = std::max<unsigned>(piece.to, first);
    const unsigned end = std::min<unsigned>(piece.to + piece.bits, first + bits);
    if (begin >= end)
        return Writer::ordinary(writer.flow, writer.fences);
    piece.from = static_cast<uint8_t>(piece.from + begin - piece.to);
    piece.bits = static_cast<uint8_t>(end - begin);
    piece.to = static_cast<uint8_t>(begin);
    return writer;
}

ProductRegisters::Writer ProductRegisters::moved(Writer writer, int by)
{
    constexpr int kBits = kRegisterBits;
    if (by >= kBits || by <= -kBits)
        return Writer::ordinary(writer.flow, writer.fences);
    writer =
        by < 0 ? cut(writer, static_cast<unsigned>(-by), kBits) : cut(writer, 0, static_cast<unsigned>(kBits - by));
    if (writer.product)
        writer.piece.to = static_cast<uint8_t>(writer.piece.to + by);
    return writer;
}

std::optional<ProductRegisters::Writer> ProductRegisters::joined(const Writer& a, const Writer& b)
{
    const bool isInPlace = a.piece.from == a.piece.to && b.piece.from == b.piece.to;
    if (!a.product || a.sum != b.sum || !isInPlace)
        return std::nullopt;
    const Writer& low = a.piece.from < b.piece.from ? a : b;
    const Writer& high = a.piece.from < b.piece.from ? b : a;
    if (low.piece.from + low.piece.bits != high.piece.from)
        return std::nullopt;
    Writer both = low;
    both.piece.bits = static_cast<uint8_t>(low.piece.bits + high.piece.bits);
    return both;
}

/// Of two ordinary values that are put together, who wrote last.
const ProductRegisters::Writer& ProductRegisters::laterOf(const Writer& a, const Writer& b)
{
    return !a.flow || (b.flow && b.fences > a.fences) ? b : a;
}

bool ProductRegisters::handOn(const Warp& warp, const FlowAssign& assign, uint32_t flowSlot, Pending& pending) const
{
    const std::vector<FlowOperand>& operands = assign.operands;
    const Writer& first = writerOf(operands[0]);
    const Writer* second = operands.size() > 1 ? &writerOf(operands[1]) : nullptr;
    const bool isCopy = assign.kind == FlowKind::Move && !second;
    const bool isJoin = assign.kind == FlowKind::Or ||
                        (assign.kind == FlowKind::Move && second && operands[0].bits < assign.result.bits);
    if (first.product || (second && second->product)) {
        if (isCopy && first.isWholeSum() && assign.result.bits == kRegisterBits) {
            pending.results.push_back({assign.result, first});
            return true;
        }
        std::optional<Writer> pieces = rearranged(warp, assign);
        if (!pieces)
            return false;
        pieces->flow = flowSlot;  // a piece is what this instruction has written
        pieces->fences = m_fences;
        pending.results.push_back({assign.result, *pieces});
        return true;
    }
    const bool isByConstant = second && !second->flow;  // what nobody has written
    if (!isCopy && !isByConstant && !(second && isJoin))
        return false;
    pending.results.push_back({assign.result, second && isJoin ? laterOf(first, *second) : first});
    return true;
}

std::optional<ProductRegisters::Writer> ProductRegisters::rearranged(const Warp& warp, const FlowAssign& assign) const
{
    const auto isNarrow = [](const FlowOperand& operand) { return !isWide(operand.bits); };
    const Writer& first = writerOf(assign.operands[0]);
    const bool isAllNarrow = isNarrow(assign.result) && std::ranges::all_of(assign.operands, isNarrow);
    const unsigned bits = assign.result.bits;
    if (assign.operands.size() == 1)
        return assign.kind != FlowKind::Move ? std::nullopt : std::optional(isAllNarrow ? cut(first, 0, bits) : first);
    if (!isAllNarrow || assign.operands.size() > 2)
        return std::nullopt;

    const FlowOperand& other = assign.operands[1];
    const Writer& second = writerOf(other);
    if (assign.kind == FlowKind::Or)
        return joined(first, second);
    if (assign.kind == FlowKind::Move && assign.operands[0].bits < bits)
        return joined(first, moved(second, assign.operands[0].bits));
    if (!first.product || second.product || second.flow)
        return std::nullopt;
    const std::optional<uint64_t> constant = constantOf(warp, other);
    if (!constant || (*constant >= bits && assign.kind != FlowKind::And))
        return std::nullopt;
    const auto by = static_cast<int>(*constant);
    switch (assign.kind) {
    case FlowKind::Move:
        return cut(moved(first, -by), 0, bits);
    case FlowKind::ShiftLeft:
        return cut(moved(first, by), 0, bits);
    case FlowKind::ShiftRight:
        return moved(first, -by);
    case FlowKind::And: {
        const auto low = static_cast<unsigned>(std::countr_zero(*constant));
        const auto ones = *constant ? static_cast<unsigned>(std::countr_one(*constant >> low)) : 0;
        return ones && *constant == maskOf(ones) << low ? std::optional(cut(first, low, ones)) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

void ProductRegisters::endBefore(uint32_t group)
{
    m_ended = std::max(m_ended, group);
    std::erase_if(m_late, [&](const auto& sum) { return sum.second.group < m_ended; });
}

const ProductRegisters::Writer& ProductRegisters::writerOf(const FlowOperand& operand) const
{
    static const Writer kNobody;
    return operand.at.form == Form::Vector ? m_registers[operand.at.reg / kRegisterBytes] : kNobody;
}

ProductRegisters::Writer* ProductRegisters::cellAt(const Warp& warp, uint64_t address)
{
    const ObjectEntry* object = objectOf(warp, address);
    const uint64_t offset = offsetIn(warp, address);
    if (!object || !object->laneStride || offset >= object->bytes)
        return nullptr;
    std::vector<Writer>& cells = m_locals[address >> 32];
    if (cells.empty())
        cells.resize(object->bytes / kCellBytes + 2);  // an access of 4 bytes may begin with the last one
    return &cells[offset / kCellBytes];
}

const ProductRegisters::Before* ProductRegisters::beforeOf(const Writer& writer) const
{
    const Before* found = nullptr;
    // Of products that add to each other's sums, the first that is still under way.
    for (auto at = m_late.find(writer.late); at != m_late.end(); at = m_late.find(at->second.late))
        found = &at->second;
    return found;
}

void ProductRegisters::showBefore(Warp& warp, uint32_t reg, const Before& before, const Piece& piece)
{
    if (std::ranges::any_of(m_shown, [&](const Shown& shown) { return shown.reg == reg; }))
        return;
    auto* const lanes = warp.vector<uint32_t>(reg);
    Shown& shown = m_shown.emplace_back(Shown{reg, warp.mask, {}});
    std::copy(lanes, lanes + kWarpSize, shown.values.begin());
    forActive(warp.mask, [&](size_t lane) {
        const uint64_t bits = before.values[lane] >> piece.from & maskOf(piece.bits);
        lanes[lane] = static_cast<uint32_t>(bits << piece.to);
    });
}

/// The instruction is done: registers that it has not written hold again what they held.
void ProductRegisters::showSums(Warp& warp)
{
    const auto isWritten = [&](uint32_t reg) {
        const auto writes = [&](const Pending& pending) {
            return pending.end && std::ranges::any_of(pending.results, [&](const Result& result) {
                       return result.to.at.form == Form::Vector && result.to.at.reg == reg;
                   });
        };
        return writes(m_outer) || writes(m_inner);
    };
    for (const Shown& shown : m_shown)
        if (!isWritten(shown.reg))
            forActive(shown.lanes, [&](size_t lane) { warp.vector<uint32_t>(shown.reg)[lane] = shown.values[lane]; });
    m_shown.clear();
}

void ProductRegisters::use(Warp& warp, const FlowOperand& operand, const trace::SourceLocation& where)
{
    const Writer& writer = writerOf(operand);
    if (!isUnderWay(writer))
        return;
    tell(warp, writer, where);
    if (const Before* before = isWide(operand.bits) ? nullptr : beforeOf(writer))
        showBefore(warp, operand.at.reg, *before, writer.piece);
}

void ProductRegisters::tell(Warp& warp, const Writer& writer, const trace::SourceLocation& where)
{
    const uint32_t site = writer.product - 1;
    device::ProgramFault& fault =
        reportProgramFault(warp, FindingKind::AsyncCopyNotAwaited, site, std::countr_zero(warp.mask),
                           fmt::format("what the product of line {} adds up is used before wgmma.wait_group: the "
                                       "product may still be at it",
                                       m_program.sites[site].where.line),
                           "wait by wgmma.wait_group for the product's group before its sums are used");
    if (fault.other.where.line == 0)
        fault.other = {where, "read", true};
    m_hasTold = true;
}

void ProductRegisters::checkFenced(Warp& warp, const Writer& writer, uint32_t staticSite) const
{
    if (m_fences == 0) {
        reportProgramFault(warp, FindingKind::AsyncCopyNotAwaited, staticSite, std::countr_zero(warp.mask),
                           "a product without a wgmma.fence before it: it may take its registers before what was "
                           "written there has come",
                           kFenceHelp);
        return;
    }
    if (writer.isWholeSum() || writer.flow == 0 || writer.fences != m_fences)
        return;
    const trace::SourceLocation& where = m_program.flows[writer.flow - 1].where;
    device::ProgramFault& fault =
        reportProgramFault(warp, FindingKind::AsyncCopyNotAwaited, staticSite, std::countr_zero(warp.mask),
                           fmt::format("the product takes a register that line {} has written, with no wgmma.fence "
                                       "in between: it may take what was there before",
                                       where.line),
                           kFenceHelp);
    if (fault.other.where.line == 0)
        fault.other = {where, "write", false};
}

void ProductRegisters::multiply(Warp& warp, const Product& product)
{
    const WarpCall& call = *product.call;
    const auto registerOf = [&](uint32_t at) -> Writer& { return m_registers[at / kRegisterBytes]; };
    for (unsigned i = 0; i < product.factors; ++i) {
        use(warp, {{call.in[i]}}, m_program.sites[call.staticSite].where);
        checkFenced(warp, registerOf(call.in[i]), call.staticSite);
    }
    for (unsigned i = 0; i < product.sums; ++i) {
        const uint32_t sum = call.in[product.firstSum + i];
        const Writer before = registerOf(sum);
        checkFenced(warp, before, call.staticSite);
        Writer& writer = registerOf(call.out[i]) = Writer{};
        writer.product = call.staticSite + 1;
        writer.group = product.group;
        writer.sum = ++m_lastSum;
        if (!product.isLate && !(isUnderWay(before) && before.late))
            continue;
        Before& late = m_late[++m_lastLate];
        const auto* const lanes = warp.vector<uint32_t>(sum);
        late = {product.group, {}, isUnderWay(before) ? before.late : 0};
        std::copy(lanes, lanes + kWarpSize, late.values.begin());
        writer.late = m_lastLate;
    }
}

/// Who wrote \p bytes of a local variable at \p address; none where there lies none.
std::optional<ProductRegisters::Writer> ProductRegisters::loaded(const Warp& warp, uint64_t address, uint64_t bytes)
{
    const Writer* cell = cellAt(warp, address);
    if (!cell)
        return std::nullopt;
    if (bytes != kRegisterLaneBytes)
        return *cell;
    if (!cell[0].product && !cell[1].product)
        return laterOf(cell[0], cell[1]);
    // Of what a compiler moves as one, but did not write as one, one half tells.
    return joined(cell[0], moved(cell[1], kCellBits)).value_or(cell[0].product ? cell[0] : cell[1]);
}

void ProductRegisters::beginLoad(const Warp& warp, const MemoryInfo& info, uint32_t flowSlot, Pending& pending)
{
    const uint64_t address = firstAddress(warp, info);
    const Writer other = Writer::ordinary(flowSlot, m_fences);
    for (unsigned c = 0; c < info.components; ++c)
        pending.results.push_back(
            {{info.values[c]}, loaded(warp, address + c * info.bytes, info.bytes).value_or(other)});
}

void ProductRegisters::store(Warp& warp, const MemoryInfo& info, const Flow& flow)
{
    const uint64_t address = firstAddress(warp, info);
    for (unsigned c = 0; c < info.components; ++c) {
        const FlowOperand value{info.values[c], static_cast<uint8_t>(info.bytes * 8)};
        const uint64_t at = address + c * info.bytes;
        const Writer writer = writerOf(value);
        Writer* cell = cellAt(warp, at);
        if (!cell)
            use(warp, value, flow.where);
        else
            *cell = info.bytes > kRegisterLaneBytes ? writer : cut(writer, 0, kCellBits);
        if (cell && info.bytes == kRegisterLaneBytes)
            cell[1] = moved(writer, -static_cast<int>(kCellBits));
    }
}

void ProductRegisters::copy(Warp& warp, uint64_t to, uint64_t from, uint64_t bytes, const trace::SourceLocation& where)
{
    const bool isLocal = cellAt(warp, to) != nullptr;
    for (uint64_t at = 0; at < bytes; at += kCellBytes) {
        const Writer* source = cellAt(warp, from + at);
        const Writer writer = source ? *source : Writer{};
        const bool isTold = at % kRegisterLaneBytes != 0 && source && isUnderWay(*(source - 1));
        if (!isLocal && isUnderWay(writer) && !isTold)
            tell(warp, writer, where);
        if (Writer* target = cellAt(warp, to + at))
            *target = writer;
    }
}

void ProductRegisters::begin(uint32_t flowSlot, const Instr* instr, Warp& warp, Pending& pending)
{
    const Flow& flow = m_program.flows[flowSlot - 1];
    pending.end = instr + flow.length;
    pending.results.clear();
    for (const FlowAssign& assign : flow.assigns) {
        Writer writer = Writer::ordinary(flowSlot, m_fences);
        switch (assign.kind) {
        case FlowKind::Product:
            continue;  // says itself what it writes
        case FlowKind::Load:
            beginLoad(warp, memoryOf(instr), flowSlot, pending);
            continue;
        case FlowKind::Store:
            store(warp, memoryOf(instr), flow);
            continue;
        case FlowKind::Undefined:
            writer = {};
            break;
        case FlowKind::Select: {
            use(warp, assign.operands[0], flow.where);
            const Writer ifTrue = writerOf(assign.operands[1]), ifFalse = writerOf(assign.operands[2]);
            writer = ifFalse.product ? ifFalse : ifTrue;
            break;
        }
        case FlowKind::Move:
        case FlowKind::And:
        case FlowKind::Or:
        case FlowKind::ShiftLeft:
        case FlowKind::ShiftRight:
            if (handOn(warp, assign, flowSlot, pending))
                continue;
            [[fallthrough]];
        default:
            for (const FlowOperand& operand : assign.operands)
                use(warp, operand, flow.where);
        }
        if (assign.hasResult || assign.kind == FlowKind::Gather)
            pending.results.push_back({assign.result, writer});
    }
}

void ProductRegisters::commit(Pending& pending)
{
    pending.end = nullptr;
    for (const Result& result : pending.results)
        if (result.to.at.form == Form::Vector)
            m_registers[result.to.at.reg / kRegisterBytes] = result.writer;
}

const Instr* ProductRegisters::step(const Instr* instr, Warp& warp)
{
    if (!m_span.holds(instr))
        m_span = m_program.spanOf(instr);
    const FlowSlots slots = m_span.slotsOf(instr);
    if (slots.outer)
        begin(slots.outer, instr, warp, m_outer);
    if (slots.inner)
        begin(slots.inner, instr, warp, m_inner);
    const Instr* next = warp.tracked ? warp.tracker->step(instr, warp) : instr->run(instr, warp);
    if (!m_shown.empty() && (next != instr + 1 || !m_outer.end || m_outer.end <= instr + 1))
        showSums(warp);
    if (slots.inner)
        commit(m_inner);
    if (m_outer.end == instr + 1)
        commit(m_outer);
    return next;
}

bool beginProducts(Warp& warp, const Instr* next)
{
    if (warp.products)
        return false;
    warp.products = std::make_shared<ProductRegisters>(*warp.block->program);
    warp.resumeAt = next;
    return true;
}

}  // namespace lanescope::simt
