// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that work on each lane by itself and are too rare for handlers of their own; clocks; the registers that
// functions keep when they call themselves.
#include <bit>
#include <cstring>

#include "core/simt/checks/definedness.h"
#include "core/simt/checks/local_pointers.h"
#include "core/simt/code/program.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/grid_state.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

uint64_t laneBits(const Warp& warp, uint32_t reg, bool wide, int lane)
{
    if (wide)
        return reinterpret_cast<const uint64_t*>(warp.regs + reg)[lane];
    return reinterpret_cast<const uint32_t*>(warp.regs + reg)[lane];
}

void setLaneBits(Warp& warp, uint32_t reg, bool wide, int lane, uint64_t bits)
{
    if (wide)
        warp.vector<uint64_t>(reg)[lane] = bits;
    else
        warp.vector<uint32_t>(reg)[lane] = static_cast<uint32_t>(bits);
}

uint64_t argument(const LaneCall& call, const Warp& warp, unsigned index, int lane)
{
    const Operand& operand = call.in[index];
    if (operand.form == Form::Scalar)
        return call.wideIn[index] ? warp.scalars[operand.reg] : static_cast<uint32_t>(warp.scalars[operand.reg]);
    return laneBits(warp, operand.reg, call.wideIn[index], lane);
}

}  // namespace

const Instr* runLaneCall(const Instr* instr, Warp& warp)
{
    const auto& call = *reinterpret_cast<const LaneCall*>(instr->imm);
    bool scalar = call.outCount > 0 && call.out[0].form == Form::Scalar;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        uint64_t in[LaneCall::kMaxOperands], out[LaneCall::kMaxOperands];
        for (unsigned i = 0; i < call.inCount; ++i)
            in[i] = argument(call, warp, i, lane);
        call.function(in, out, call.imm);
        if (scalar) {
            for (unsigned i = 0; i < call.outCount; ++i)
                warp.scalars[call.out[i].reg] = out[i];
            break;
        }
        for (unsigned i = 0; i < call.outCount; ++i)
            setLaneBits(warp, call.out[i].reg, call.wideOut[i], lane, out[i]);
    }
    return instr + 1;
}

const Instr* runActiveMask(const Instr* instr, Warp& warp)
{
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        warp.vector<uint32_t>(instr->dst)[std::countr_zero(rest)] = warp.mask;
    return instr + 1;
}

/// Model time: cycles since the first launch, from counted instructions, so that it is the same in every run.
/// \p imm: 0 clock cycles, 1 nanoseconds. \p b: 64-bit result.
const Instr* runClock(const Instr* instr, Warp& warp)
{
    constexpr uint64_t kCyclesPerInstruction = 8;
    constexpr uint64_t kCyclesPerRead = 16;
    warp.slept += kCyclesPerRead;
    uint64_t cycles =
        (warp.block->grid ? warp.block->grid->clock() : 0) + warp.instructions * kCyclesPerInstruction + warp.slept;
    uint64_t time = instr->imm == 1 ? cycles / 2 : cycles;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        setLaneBits(warp, instr->dst, instr->b != 0, std::countr_zero(rest), time);
    return instr + 1;
}

const Instr* runNanosleep(const Instr* instr, Warp& warp)
{
    warp.slept += uint64_t{2} * warp.vector<uint32_t>(instr->a)[std::countr_zero(warp.mask)];
    warp.splits[warp.current].ip = instr + 1;
    warp.quantum = kQuantumOfSleep;
    warp.block->yields = true;
    return nullptr;
}

const Instr* runSpill(const Instr* instr, Warp& warp)
{
    const auto& list = *reinterpret_cast<const SpillList*>(instr->imm);
    if (warp.spilled.empty())
        warp.spilled.resize(kWarpSize);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        auto& stack = warp.spilled[static_cast<size_t>(lane)];
        for (auto [reg, wide] : list.registers)
            stack.push_back(laneBits(warp, reg, wide, lane));
    }
    return instr + 1;
}

const Instr* runUnspill(const Instr* instr, Warp& warp)
{
    const auto& list = *reinterpret_cast<const SpillList*>(instr->imm);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        auto& stack = warp.spilled[static_cast<size_t>(lane)];
        for (size_t i = list.registers.size(); i-- > 0;) {
            setLaneBits(warp, list.registers[i].first, list.registers[i].second, lane, stack.back());
            stack.pop_back();
        }
    }
    return instr + 1;
}

/// dst = the stack pointer, which then moves past the new frame of a (64-bit lanes) bytes.
const Instr* runEnterFrame(const Instr* instr, Warp& warp)
{
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        uint64_t& top = warp.vector<uint64_t>(kStackReg)[lane];
        uint64_t bytes = (warp.vector<uint64_t>(instr->a)[lane] + 15) / 16 * 16;
        warp.vector<uint64_t>(instr->dst)[lane] = top;
        const ObjectEntry& stack = warp.objects[(top >> 32) - kSlotBase];
        uint64_t offset = static_cast<uint32_t>(top);
        if (offset + bytes <= stack.bytes)
            // What an earlier frame left must not decide what a careless program reads.
            std::memset(stack.host + laneOffset(warp, stack, lane) + offset, 0, bytes);
        top += std::min<uint64_t>(bytes, 0xffff0000u);
    }
    return instr + 1;
}

const Instr* runCheckPointers(const Instr* instr, Warp& warp)
{
    checkLoadedPointers(warp, *reinterpret_cast<const MemoryInfo*>(instr->imm));
    return instr + 1;
}

/// imm: of Program::frames, local objects whose function returns or whose block has ended: nothing is there any more.
const Instr* runForgetObjects(const Instr* instr, Warp& warp)
{
    for (const uint64_t slot : *reinterpret_cast<const std::vector<uint64_t>*>(instr->imm))
        forgetLocal(warp, slot);
    return instr + 1;
}

/// imm: likewise, of objects that are there (again).
const Instr* runBeginObjects(const Instr* instr, Warp& warp)
{
    for (const uint64_t slot : *reinterpret_cast<const std::vector<uint64_t>*>(instr->imm))
        beginLocal(warp, slot);
    return instr + 1;
}

}  // namespace lanescope::simt
