// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/register_uses.h"

#include <algorithm>
#include <array>

namespace lanescope::simt::native {
namespace {

constexpr uint32_t kWidestBytes = 256;

/// An operand that may be a vector register. Scalars' numbers that look like one make more of it, never less.
void addIfRegister(Pieces& pieces, const NativeJob& job, uint64_t operand)
{
    if (operand % kRegisterBytes == 0 && operand < job.registerBytes)
        addBytes(pieces, operand, operand + kWidestBytes);
}

void add(Pieces& pieces, const Operand& operand)
{
    if (operand.form == Form::Vector)
        addBytes(pieces, operand.reg, uint64_t{operand.reg} + kWidestBytes);
}

/// Of a handler that is not listed; false: it may read anything.
bool addUnlisted(Pieces& pieces, const NativeJob& job, const Instr& instr)
{
    const HandlerSet& handlers = *job.handlers;
    const CommonHandlers& common = job.common;
    const Handler run = job.handlerOf(instr);
    if (run == common.exit || run == common.joinPoint || run == common.passedMark)
        return true;
    const bool isFused = run == handlers.fused.row || run == handlers.fused.loaded;
    if (handlers.fused.loaded && isFused) {
        pieces |= registersOf(job, *reinterpret_cast<const MemoryInfo*>(instr.imm));
        return true;
    }
    if (run == common.laneCall) {
        const auto& call = *reinterpret_cast<const LaneCall*>(instr.imm);
        for (size_t i = 0; i < call.inCount; ++i)
            add(pieces, call.in[i]);
        return true;
    }
    if (run == common.atomic) {
        const auto& info = *reinterpret_cast<const AtomicInfo*>(instr.imm);
        addIfRegister(pieces, job, instr.a);
        pieces |= registersOf(job, info.memory);
        add(pieces, info.operand);
        add(pieces, info.compare);
        return true;
    }
    if (run == common.barrier)
        addIfRegister(pieces, job, instr.dst);  // which barrier
    if (run == common.barrier || run == handlers.switchLanes || run == job.common.anySwitch ||
        run == job.common.scalarSwitch) {
        for (const uint64_t operand : {uint64_t{instr.a}, uint64_t{instr.b}, uint64_t{instr.c}, instr.imm})
            addIfRegister(pieces, job, operand);
        return true;
    }
    return false;
}

}  // namespace

void addBytes(Pieces& pieces, uint64_t begin, uint64_t end)
{
    const uint64_t last = std::min<uint64_t>((end + kPieceBytes - 1) / kPieceBytes, pieces.size());
    for (uint64_t piece = begin / kPieceBytes; piece < last; ++piece)
        pieces.set(static_cast<unsigned>(piece));
}

Pieces valuesOf(const NativeJob& job, const MemoryInfo& info)
{
    Pieces pieces(job.registerBytes / kPieceBytes);
    const uint32_t bytes = info.wide || info.bytes == 8 ? kWidestBytes : kRegisterBytes;
    for (unsigned i = 0; i < info.components; ++i)
        if (info.values[i].form == Form::Vector)
            addBytes(pieces, info.values[i].reg, uint64_t{info.values[i].reg} + bytes);
    return pieces;
}

Pieces addressesOf(const NativeJob& job, const MemoryInfo& info)
{
    Pieces pieces(job.registerBytes / kPieceBytes);
    add(pieces, info.base);
    for (unsigned i = 0; i < info.vectorTermCount; ++i)
        add(pieces, info.vectorTerms[i].operand);
    return pieces;
}

Pieces registersOf(const NativeJob& job, const MemoryInfo& info)
{
    Pieces pieces = valuesOf(job, info);
    pieces |= addressesOf(job, info);
    return pieces;
}

bool asksMembers(const NativeJob& job, Handler handler)
{
    return std::ranges::any_of(
        std::array{ShuffleMode::Index, ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly},
        [&](ShuffleMode mode) { return handler == job.handlers->shuffle(mode, true); });
}

Pieces usesOf(const NativeJob& job, const ListedHandlers& handlers, size_t index)
{
    const Instr& instr = job.code[index];
    Pieces pieces(job.registerBytes / kPieceBytes);
    const std::optional<ListedHandler> listed = handlers.find(job.own[index]);
    if (!listed) {
        if (!addUnlisted(pieces, job, instr))
            pieces.set();
        return pieces;
    }
    if (listed->kind == ListedHandler::Kind::Passed)
        return pieces;
    if (listed->kind == ListedHandler::Kind::Check) {
        for (const ShapeDim& dim : reinterpret_cast<const ShapeCheck*>(instr.imm)->dims)
            add(pieces, dim.index.operand);
        return pieces;
    }
    for (const uint32_t operand : {instr.a, instr.b, instr.c})
        addIfRegister(pieces, job, operand);
    if (asksMembers(job, job.own[index]))
        addIfRegister(pieces, job, reinterpret_cast<const WarpCall*>(instr.imm)->members);
    if (listed->kind == ListedHandler::Kind::Access)
        pieces |= registersOf(job, *reinterpret_cast<const MemoryInfo*>(instr.imm));
    return pieces;
}

RegisterUses::RegisterUses(const NativeJob& job, const ListedHandlers& handlers, const std::vector<Stretch>& stretches,
                           const std::vector<Pieces>& exposed)
    : m_job(job), m_handlers(handlers), m_live(job.count + 1, Pieces(job.registerBytes / kPieceBytes))
{
    // Instructions inside a stretch are only passed where it is not run as a whole; then they are looked at by
    // themselves (behind()).
    std::vector<size_t> behindStretch(job.count, 0);
    for (size_t i = 0; i < stretches.size(); ++i) {
        behindStretch[stretches[i].begin] = stretches[i].end;
        m_live[stretches[i].begin] = exposed[i];
    }
    for (size_t i = 0; i < job.count; ++i)
        if (behindStretch[i] == 0)
            m_live[i] = usesOf(job, handlers, i);
    m_live[job.count].set();
    for (bool changes = true; changes;) {
        changes = false;
        for (size_t i = job.count; i-- > 0;) {
            Pieces live = m_live[i];
            live |= atTargets(behindStretch[i] ? behindStretch[i] - 1 : i);
            changes |= live != m_live[i];
            m_live[i] = std::move(live);
        }
    }
}

/// At all places where instruction \p index may lead to.
Pieces RegisterUses::atTargets(size_t index) const
{
    const Instr& instr = m_job.code[index];
    const Successors next = successorsOf(m_job, instr);
    Pieces live(m_job.registerBytes / kPieceBytes);
    if (next.falls)
        live |= m_live[index + 1];
    for (const Instr* target : next.targets) {
        if (target < m_job.code || target >= m_job.code + m_job.count)
            live.set();
        else
            live |= m_live[static_cast<size_t>(target - m_job.code)];
    }
    return live;
}

Pieces RegisterUses::behind(const Stretch& stretch, size_t index) const
{
    Pieces live = atTargets(stretch.end - 1);
    for (size_t i = index + 1; i < stretch.end; ++i)
        live |= usesOf(m_job, m_handlers, i);
    return live;
}

}  // namespace lanescope::simt::native
