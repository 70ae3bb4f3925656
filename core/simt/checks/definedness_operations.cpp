// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations do to undefined bits: of one lane, and of the lanes of a warp together.
#include <algorithm>
#include <optional>
#include <vector>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/undefined_bits.h"
#include "core/simt/state/lane_values.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

namespace {

/// Of a value that is shifted by a defined amount.
uint64_t shifted(FlowKind kind, const PartlyDefined& value, uint64_t amount, unsigned bits)
{
    if (amount >= bits)
        return 0;
    if (kind == FlowKind::ShiftLeft)
        return value.undefined << amount;
    const bool isSignCopied = kind == FlowKind::ShiftRightSigned && (value.undefined >> (bits - 1) & 1) != 0;
    return value.undefined >> amount | (isSignCopied ? ~(maskOf(bits) >> amount) : 0);
}

/// Whether an undefined bit of operand number \p operand makes all of the result undefined.
bool decidesAll(FlowKind kind, size_t operand)
{
    switch (kind) {
    case FlowKind::Combine:
    case FlowKind::Branch:
        return true;
    case FlowKind::ShiftLeft:
    case FlowKind::ShiftRight:
    case FlowKind::ShiftRightSigned:
        return operand == 1;
    case FlowKind::Select:
        return operand == 0;
    default:
        return false;
    }
}

/// Where the undefined bits of a result come from, unless an operand decides all of it. \p origins: of the operands.
uint32_t originOfResult(FlowKind kind, std::span<const PartlyDefined> operands, std::span<const uint32_t> origins)
{
    switch (kind) {
    case FlowKind::And:
    case FlowKind::Or:
    case FlowKind::Xor:
        // Setting a bit field keeps its neighbours' bits: still a copy of them.
        if (operands[0].undefined && operands[1].undefined)
            return origins[0] | kComputed;
        return origins[operands[0].undefined ? 0 : 1];
    case FlowKind::Select:
        return origins[operands[0].value ? 1 : 2];
    default:
        return origins[0];
    }
}

}  // namespace

uint64_t undefinedResult(FlowKind kind, std::span<const PartlyDefined> operands, unsigned bits)
{
    for (size_t i = 0; i < operands.size(); ++i)
        if (decidesAll(kind, i) && operands[i].undefined)
            return maskOf(bits);
    const auto undefined = [&] {
        switch (kind) {
        case FlowKind::Move:
            return operands[0].undefined;
        case FlowKind::SignWiden: {
            const bool isSignUndefined = (operands[0].undefined >> (operands[0].bits - 1) & 1) != 0;
            return operands[0].undefined | (isSignUndefined ? ~maskOf(operands[0].bits) : 0);
        }
        case FlowKind::And:
            return (operands[0].undefined | operands[1].undefined) & (operands[0].value | operands[0].undefined) &
                   (operands[1].value | operands[1].undefined);
        case FlowKind::Or:
            return (operands[0].undefined | operands[1].undefined) & (~operands[0].value | operands[0].undefined) &
                   (~operands[1].value | operands[1].undefined);
        case FlowKind::Xor:
            return operands[0].undefined | operands[1].undefined;
        case FlowKind::ShiftLeft:
        case FlowKind::ShiftRight:
        case FlowKind::ShiftRightSigned:
            return shifted(kind, operands[0], operands[1].value, bits);
        case FlowKind::Select:
            return operands[operands[0].value ? 1 : 2].undefined;
        default:
            return uint64_t{0};
        }
    };
    return undefined() & maskOf(bits);
}

UndefinedBits Tracker::evaluate(Warp& warp, const FlowAssign& assign, const Flow& flow)
{
    const size_t count = assign.operands.size();
    m_read.resize(count);
    for (size_t i = 0; i < count; ++i)
        m_read[i] = read(warp, assign.operands[i]);
    std::vector<PartlyDefined>& operands = m_operands;
    std::vector<uint32_t>& origins = m_operandOrigins;
    operands.resize(count);
    origins.resize(count);
    UndefinedBits out;
    forActive(warp.mask, [&](size_t lane) {
        const auto isUndefined = [&](const UndefinedBits& each) { return each.bits[lane] != 0; };
        if (std::none_of(m_read.begin(), m_read.end(), isUndefined))
            return;
        std::optional<uint32_t> decisive;
        for (size_t i = 0; i < count; ++i) {
            const FlowOperand& operand = assign.operands[i];
            operands[i] = {valueOf(warp, operand, lane), m_read[i].bits[lane], operand.bits};
            origins[i] = m_read[i].origin[lane];
            if (!operands[i].undefined || !decidesAll(assign.kind, i))
                continue;
            consume(origins[i], flow);
            decisive = origins[i] | kComputed;
        }
        out.bits[lane] = undefinedResult(assign.kind, operands, assign.result.bits);
        out.origin[lane] = decisive ? *decisive : originOfResult(assign.kind, operands, origins);
    });
    return out;
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

std::vector<UndefinedBits> Tracker::undefinedOperands(const Warp& warp, const WarpCall& call, unsigned count) const
{
    const auto operand = [&](unsigned i) {
        return FlowOperand{{call.in[i], Form::Vector}, static_cast<uint8_t>(call.wideIn[i] ? 64 : 32)};
    };
    std::vector<UndefinedBits> all;
    for (unsigned i = 0; i < count; ++i)
        if (isUndefined(warp, operand(i))) {
            all.resize(count);
            all[i] = read(warp, operand(i));
        }
    return all;
}

void Tracker::setResults(Warp& warp, const WarpCall& call, LaneMask lanes, std::span<const UndefinedBits> results)
{
    for (unsigned i = 0; i < results.size(); ++i)
        write(warp, {{call.out[i], Form::Vector}, static_cast<uint8_t>(call.wideOut[i] ? 64 : 32)}, lanes, results[i]);
}

void Tracker::setShuffled(Warp& warp, const WarpCall& call, LaneMask lanes, const uint32_t* sources)
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
