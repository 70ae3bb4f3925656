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

constexpr size_t kRegisterBytes = kWarpSize * 4;  ///< of a narrow register; a wide one is told by its first half
constexpr uint64_t kCellBytes = 4;
constexpr const char* kFenceHelp = "execute wgmma.fence.sync.aligned after the last ordinary instruction that writes "
                                   "sums or A's registers, and before the product";

const MemoryInfo& memoryOf(const Instr* instr)
{
    return *reinterpret_cast<const MemoryInfo*>(instr->imm);
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

void ProductRegisters::endBefore(uint32_t group)
{
    m_ended = std::max(m_ended, group);
    std::erase_if(m_late, [&](const auto& sum) { return sum.second.group < m_ended; });
}

ProductRegisters::Writer ProductRegisters::writerOf(const FlowOperand& operand) const
{
    return operand.at.form == Form::Vector ? m_registers[operand.at.reg / kRegisterBytes] : Writer{};
}

ProductRegisters::Writer* ProductRegisters::cellAt(const Warp& warp, uint64_t address)
{
    const ObjectEntry* object = objectOf(warp, address);
    const uint64_t offset = offsetIn(warp, address);
    if (!object || !object->laneStride || offset >= object->bytes)
        return nullptr;
    std::vector<Writer>& cells = m_locals[address >> 32];
    if (cells.empty())
        cells.resize((object->bytes + kCellBytes - 1) / kCellBytes);
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

void ProductRegisters::showBefore(Warp& warp, uint32_t reg, const Before& before)
{
    if (std::ranges::any_of(m_shown, [&](const Shown& shown) { return shown.reg == reg; }))
        return;
    auto* const lanes = warp.vector<uint32_t>(reg);
    Shown& shown = m_shown.emplace_back(Shown{reg, warp.mask, {}});
    std::copy(lanes, lanes + kWarpSize, shown.values.begin());
    forActive(warp.mask, [&](size_t lane) { lanes[lane] = before.values[lane]; });
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
    const Writer writer = writerOf(operand);
    if (!isUnderWay(writer))
        return;
    tell(warp, writer, where);
    if (const Before* before = isWide(operand.bits) ? nullptr : beforeOf(writer))
        showBefore(warp, operand.at.reg, *before);
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
    if (writer.product || writer.flow == 0 || writer.number != m_fences)
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
        registerOf(call.out[i]) = {call.staticSite + 1, 0, product.group};
        if (!product.isLate && !(isUnderWay(before) && before.late))
            continue;
        Before& late = m_late[++m_lastLate];
        const auto* const lanes = warp.vector<uint32_t>(sum);
        late = {product.group, {}, isUnderWay(before) ? before.late : 0};
        std::copy(lanes, lanes + kWarpSize, late.values.begin());
        registerOf(call.out[i]).late = m_lastLate;
    }
}

void ProductRegisters::beginLoad(const Warp& warp, const MemoryInfo& info, uint32_t flowSlot, Pending& pending)
{
    const uint64_t address = firstAddress(warp, info);
    for (unsigned c = 0; c < info.components; ++c) {
        const Writer* cell = cellAt(warp, address + c * info.bytes);
        pending.results.push_back({{info.values[c]}, cell ? *cell : Writer{0, flowSlot, m_fences}});
    }
}

void ProductRegisters::store(Warp& warp, const MemoryInfo& info, const Flow& flow)
{
    const uint64_t address = firstAddress(warp, info);
    for (unsigned c = 0; c < info.components; ++c) {
        const FlowOperand value{info.values[c], static_cast<uint8_t>(info.bytes * 8)};
        if (Writer* cell = cellAt(warp, address + c * info.bytes))
            *cell = writerOf(value);
        else
            use(warp, value, flow.where);
    }
}

void ProductRegisters::copy(Warp& warp, uint64_t to, uint64_t from, uint64_t bytes, const trace::SourceLocation& where)
{
    const bool isLocal = cellAt(warp, to) != nullptr;
    for (uint64_t at = 0; at < bytes; at += kCellBytes) {
        const Writer* source = cellAt(warp, from + at);
        const Writer writer = source ? *source : Writer{};
        if (!isLocal && isUnderWay(writer))
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
        Writer writer{0, flowSlot, m_fences};
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
        case FlowKind::Move:
            writer = writerOf(assign.operands[0]);
            break;
        case FlowKind::Select: {
            use(warp, assign.operands[0], flow.where);
            const Writer ifTrue = writerOf(assign.operands[1]), ifFalse = writerOf(assign.operands[2]);
            writer = ifFalse.product ? ifFalse : ifTrue;
            break;
        }
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
