// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations do to undefined bits: of one lane, and of the lanes of a warp together.
#include <algorithm>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/undefined_bits.h"
#include "core/simt/state/lane_values.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

UndefinedBits Tracker::combine(Warp& warp, const FlowAssign& assign, const Flow& flow)
{
    UndefinedBits out;
    for (const FlowOperand& operand : assign.operands) {
        UndefinedBits in = read(warp, operand);
        forActive(warp.mask, [&](size_t lane) {
            if (!in.bits[lane])
                return;
            consume(in.origin[lane], flow);
            out.bits[lane] = maskOf(assign.result.bits);
            out.origin[lane] = in.origin[lane] | kComputed;
        });
    }
    return out;
}

UndefinedBits Tracker::evaluate(Warp& warp, const FlowAssign& assign, const Flow& flow)
{
    UndefinedBits out;
    switch (assign.kind) {
    case FlowKind::Combine:
    case FlowKind::Branch:
        return combine(warp, assign, flow);
    case FlowKind::Move: {
        out = read(warp, assign.operands[0]);
        for (uint64_t& bits : out.bits)
            bits &= maskOf(assign.result.bits);
        return out;
    }
    case FlowKind::SignWiden: {
        out = read(warp, assign.operands[0]);
        unsigned from = assign.operands[0].bits;
        for (uint64_t& bits : out.bits)
            if (bits >> (from - 1) & 1)
                bits = (bits | ~maskOf(from)) & maskOf(assign.result.bits);
        return out;
    }
    case FlowKind::And:
    case FlowKind::Or:
    case FlowKind::Xor: {
        UndefinedBits a = read(warp, assign.operands[0]), b = read(warp, assign.operands[1]);
        forActive(warp.mask, [&](size_t lane) {
            uint64_t either = a.bits[lane] | b.bits[lane];
            if (!either)
                return;
            uint64_t left = valueOf(warp, assign.operands[0], lane), right = valueOf(warp, assign.operands[1], lane);
            if (assign.kind == FlowKind::And)
                either &= (left | a.bits[lane]) & (right | b.bits[lane]);
            if (assign.kind == FlowKind::Or)
                either &= (~left | a.bits[lane]) & (~right | b.bits[lane]);
            uint32_t origin = a.bits[lane] ? a.origin[lane] : b.origin[lane];
            out.bits[lane] = either & maskOf(assign.result.bits);
            // Setting a bit field keeps its neighbours' bits: still a copy of them.
            out.origin[lane] = a.bits[lane] && b.bits[lane] ? origin | kComputed : origin;
        });
        return out;
    }
    case FlowKind::ShiftLeft:
    case FlowKind::ShiftRight:
    case FlowKind::ShiftRightSigned: {
        UndefinedBits a = read(warp, assign.operands[0]), b = read(warp, assign.operands[1]);
        unsigned width = assign.result.bits;
        forActive(warp.mask, [&](size_t lane) {
            if (b.bits[lane]) {
                out.bits[lane] = maskOf(width);
                out.origin[lane] = b.origin[lane] | kComputed;
                return;
            }
            uint64_t amount = valueOf(warp, assign.operands[1], lane);
            uint64_t bits = a.bits[lane];
            if (assign.kind == FlowKind::ShiftLeft)
                bits = amount < width ? bits << amount : 0;
            else if (assign.kind == FlowKind::ShiftRightSigned && (bits >> (width - 1) & 1) && amount < width)
                bits = bits >> amount | (maskOf(width) & ~(maskOf(width) >> amount));
            else
                bits = amount < width ? bits >> amount : 0;
            out.bits[lane] = bits & maskOf(width);
            out.origin[lane] = a.origin[lane];
        });
        return out;
    }
    case FlowKind::Select: {
        UndefinedBits condition = read(warp, assign.operands[0]);
        UndefinedBits a = read(warp, assign.operands[1]), b = read(warp, assign.operands[2]);
        forActive(warp.mask, [&](size_t lane) {
            if (condition.bits[lane]) {
                consume(condition.origin[lane], flow);
                out.bits[lane] = maskOf(assign.result.bits);
                out.origin[lane] = condition.origin[lane] | kComputed;
                return;
            }
            const UndefinedBits& chosen = valueOf(warp, assign.operands[0], lane) ? a : b;
            out.bits[lane] = chosen.bits[lane];
            out.origin[lane] = chosen.origin[lane];
        });
        return out;
    }
    default:
        return out;
    }
}

void Tracker::consume(uint32_t origin, const Flow& flow)
{
    Origin& from = m_table[(origin & kOriginMask) - 1];
    if (from.variable && from.where.line == 0)
        from.where = flow.where;
}

void Tracker::setUndefined(Warp& warp, const Flow& flow)
{
    m_table.push_back({});
    m_table.back().variable = &flow.variable;
    m_table.back().epoch = warp.block->epoch;
    UndefinedBits all;
    all.origin.fill(static_cast<uint32_t>(m_table.size()));
    for (const FlowAssign& assign : flow.assigns) {
        all.bits.fill(maskOf(assign.result.bits));
        write(warp, assign.result, warp.mask, all);
    }
}

LaneMask Tracker::undefinedInputs(const Warp& warp, const WarpCall& call, LaneMask lanes) const
{
    const UndefinedBits values =
        read(warp, {{call.in[0], Form::Vector}, static_cast<uint8_t>(call.wideIn[0] ? 64 : 32)});
    LaneMask undefined = 0;
    forActive(lanes, [&](size_t lane) { undefined |= LaneMask{values.bits[lane] != 0} << lane; });
    return undefined;
}

void Tracker::setGathered(Warp& warp, const WarpCall& call, LaneMask lanes, LaneMask from, uint32_t bits)
{
    UndefinedBits out;
    if (bits) {
        const UndefinedBits values =
            read(warp, {{call.in[0], Form::Vector}, static_cast<uint8_t>(call.wideIn[0] ? 64 : 32)});
        out.bits.fill(bits);
        out.origin.fill(values.origin[static_cast<size_t>(std::countr_zero(from))] | kComputed);
    }
    write(warp, {{call.out[0], Form::Vector}, 32}, lanes, out);
}

void Tracker::setShuffled(Warp& warp, const WarpCall& call, LaneMask lanes,
                          const std::array<uint8_t, kWarpSize>& sources)
{
    const FlowOperand value{{call.in[0], Form::Vector}, 32}, place{{call.in[1], Form::Vector}, 32};
    const FlowOperand result{{call.out[0], Form::Vector}, 32}, inRange{{call.out[1], Form::Vector}, 32};
    if (call.imm & kShuffleTellsRange)
        setDefined(warp, inRange, lanes);
    LaneMask asked = 0;
    forActive(lanes, [&](size_t lane) { asked |= LaneMask{1} << sources[lane]; });
    if ((asked & ~lanes) == 0 && !isUndefined(warp, value) && !isUndefined(warp, place)) {
        setDefined(warp, result, lanes);
        return;
    }
    const UndefinedBits values = read(warp, value), places = read(warp, place);
    const uint32_t* members = warp.vector<uint32_t>(call.members);
    // Lanes that never came have been reported.
    const auto& faults = warp.block->checks->programFaults;
    const bool isTold = std::any_of(faults.begin(), faults.end(), [&](const device::ProgramFault& fault) {
        return fault.staticSite == call.staticSite;
    });
    UndefinedBits out;
    forActive(lanes, [&](size_t lane) {
        const size_t source = sources[lane];
        out.bits[lane] = values.bits[source];
        out.origin[lane] = values.origin[source];
        if (places.bits[lane]) {
            out.bits[lane] = UINT32_MAX;
            out.origin[lane] = places.origin[lane] | kComputed;
        }
        if ((lanes >> source & 1u) || isTold)
            return;
        const uint64_t key = uint64_t{call.staticSite} * kWarpSize + lane;
        auto [known, isNew] = m_known.try_emplace(key, 0);
        if (isNew) {
            m_table.push_back({});
            known->second = static_cast<uint32_t>(m_table.size());
        }
        m_table[known->second - 1] = {call.staticSite,
                                      nullptr,
                                      {},
                                      source,
                                      warp.block->epoch,
                                      warp.recorder ? warp.recorder->steps() : 0,
                                      (members[lane] >> source & 1u) != 0,
                                      std::nullopt};
        out.bits[lane] = UINT32_MAX;
        out.origin[lane] = known->second | kComputed;
    });
    write(warp, result, lanes, out);
}

}  // namespace lanescope::simt
