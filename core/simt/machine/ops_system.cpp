// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that leave the kernel: printf, assertions, the heap.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/launch_group.h"
#include "core/simt/checks/livelock.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/machine/device_printf.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/state/grid_state.h"
#include "core/simt/state/lane_memory.h"
#include "core/simt/state/lane_values.h"

namespace lanescope::simt {
namespace {

const SystemCall& callOf(const Instr* instr)
{
    return *reinterpret_cast<const SystemCall*>(instr->imm);
}

/// The C string at \p address, cut where readable memory ends.
std::string stringAt(const Warp& warp, int lane, uint64_t address)
{
    constexpr size_t kLongest = 1 << 16;
    std::string text;
    while (text.size() < kLongest) {
        const std::byte* at = hostAddress(warp, lane, address + text.size(), 1, false);
        if (!at || *at == std::byte{0})
            break;
        text += static_cast<char>(*at);
    }
    return text;
}

uint32_t lineOf(Warp& warp, const SystemCall& call, unsigned index, int lane)
{
    return warp.vector<uint32_t>(call.in[index])[lane];
}

uint64_t wideOf(Warp& warp, const SystemCall& call, unsigned index, int lane)
{
    return warp.vector<uint64_t>(call.in[index])[lane];
}

template <typename F>
void forActive(const Warp& warp, F f)
{
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        f(std::countr_zero(rest));
}

/// An array of \p count words of 8 bytes in a lane's memory; empty when it is not there.
std::vector<uint64_t> wordsAt(const Warp& warp, int lane, uint64_t address, size_t count)
{
    std::vector<uint64_t> words(count);
    for (size_t i = 0; i < count; ++i) {
        const std::byte* at = hostAddress(warp, lane, address + 8 * i, 8, false);
        if (!at)
            return {};
        std::memcpy(&words[i], at, 8);
    }
    return words;
}

std::vector<std::byte> bytesAt(const Warp& warp, int lane, uint64_t address, uint64_t count)
{
    std::vector<std::byte> bytes(count);
    for (uint64_t i = 0; i < count; ++i)
        if (const std::byte* at = hostAddress(warp, lane, address + i, 1, false))
            bytes[i] = *at;
    return bytes;
}

}  // namespace

/// vprintf(format, arguments): lane after lane.
const Instr* runPrint(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    forActive(warp, [&](int lane) {
        auto string = [&](uint64_t address) { return stringAt(warp, lane, address); };
        auto bytes = [&](uint64_t address, unsigned count, void* out) {
            const std::byte* at = hostAddress(warp, lane, address, count, false);
            if (at)
                std::memcpy(out, at, count);
            return at != nullptr;
        };
        PrintedText printed =
            formatPrintf(string(wideOf(warp, call, 0, lane)), wideOf(warp, call, 1, lane), string, bytes);
        warp.block->grid->print(warp.block->index, printed.text);
        if (call.out != UINT32_MAX)
            warp.vector<uint32_t>(call.out)[lane] = static_cast<uint32_t>(printed.arguments);
    });
    return instr + 1;
}

/// __assertfail(message, file, line, function, size): every failing lane is named, then the launch ends.
const Instr* runAssertFail(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    forActive(warp, [&](int lane) {
        std::string message = stringAt(warp, lane, wideOf(warp, call, 0, lane));
        reportProgramFault(warp, FindingKind::AssertFailed, call.staticSite, lane,
                           fmt::format("assertion `{}` failed", message));
        warp.block->grid->failAssertion(warp.block->index, uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane),
                                        stringAt(warp, lane, wideOf(warp, call, 1, lane)), lineOf(warp, call, 2, lane),
                                        stringAt(warp, lane, wideOf(warp, call, 3, lane)), message);
    });
    warp.block->stop = true;
    warp.block->trapped = true;
    warp.block->stopReason = {FindingKind::AssertFailed, {}};
    warp.splits[warp.current].ip = instr;
    return nullptr;
}

/// The kernel fails, as at __trap(): every lane that came here is named.
const Instr* runTrap(const Instr* instr, Warp& warp)
{
    const Trap& trap = *reinterpret_cast<const Trap*>(instr->imm);
    forActive(warp, [&](int lane) { reportProgramFault(warp, trap.kind, instr->c, lane, trap.message); });
    warp.block->stop = true;
    warp.block->trapped = true;
    warp.block->stopReason = {trap.kind, trap.message};
    warp.splits[warp.current].ip = instr;
    return nullptr;
}

/// __ls_launch(kernel, shape, arguments, count): shape is grid, block, shared bytes, stream; an argument is an address
/// and a number of bytes. See child_launch.h.
const Instr* runLaunch(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    forActive(warp, [&](int lane) {
        const std::vector<uint64_t> shape = wordsAt(warp, lane, wideOf(warp, call, 1, lane), 8);
        const uint32_t count = lineOf(warp, call, 3, lane);
        const std::vector<uint64_t> arguments =
            wordsAt(warp, lane, wideOf(warp, call, 2, lane), 2 * static_cast<size_t>(count));
        if (shape.empty() || arguments.size() != 2 * static_cast<size_t>(count))
            return;
        const auto dim = [&](size_t at) {
            return Dim3{static_cast<uint32_t>(shape[at]), static_cast<uint32_t>(shape[at + 1]),
                        static_cast<uint32_t>(shape[at + 2])};
        };
        RequestedLaunch launch{warp.block->index, wideOf(warp, call, 0, lane), dim(0), dim(3), shape[6], shape[7], {}};
        for (uint32_t i = 0; i < count; ++i)
            launch.arguments.push_back(bytesAt(warp, lane, arguments[2 * i], arguments[2 * i + 1]));
        warp.block->grid->request(std::move(launch));
        if (call.out != UINT32_MAX)
            warp.vector<uint32_t>(call.out)[lane] = 0;
    });
    return instr + 1;
}

/// cudaDeviceSynchronize of a kernel: what its block has launched runs now. All that the block has done so far comes
/// before that, and that before all that follows.
const Instr* runWaitForChildren(const Instr* instr, Warp& warp)
{
    Block& block = *warp.block;
    std::vector<RequestedLaunch> launches = block.grid->takeRequested(block.index);
    if (launches.empty() || !block.grid->runNow)
        return instr + 1;
    block.checks->time = block.grid->runNow(std::move(launches), block.checks->time);
    if (const LaunchPeers* const peers = block.checks->peers)
        peers->group->lose();  // its members count times from where it began
    else
        block.checks->launchStart = block.checks->time + 1;
    meetBlock(block);
    return instr + 1;
}

/// __ls_matrix_descriptor(descriptor): a product is about to read the matrix. Its base offset says where the pattern of
/// a swizzle begins that does not begin where its length has it begin; what is then exchanged is documented nowhere.
const Instr* runMatrixDescriptor(const Instr* instr, Warp& warp)
{
    constexpr unsigned kBaseOffset = 49;
    const uint64_t* descriptors = warp.vector<uint64_t>(callOf(instr).in[0]);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t offset = descriptors[lane] >> kBaseOffset & 7;
        if (offset == 0)
            continue;
        const uint32_t thread = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
        warp.splits[warp.current].ip = instr;
        warp.block->stop = true;
        warp.block->stopReason = {
            std::nullopt, fmt::format("wgmma in {}: the descriptor of a matrix has the base offset {}, which the "
                                      "simulator does not support: let each swizzled tile begin where its pattern does",
                                      placeOfThread(*warp.block, thread), offset)};
        return nullptr;
    }
    return instr + 1;
}

/// __ls_grid_wait()
const Instr* runGridWait(const Instr* instr, Warp& warp)
{
    waitForEarlierLaunch(warp, warp.mask);
    return instr + 1;
}

const Instr* runDeviceMalloc(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    forActive(warp, [&](int lane) {
        const uint64_t bytes = wideOf(warp, call, 0, lane);
        const uint64_t address = warp.block->grid->heap().allocate(bytes);
        // Whatever an earlier piece left there is no value.
        for (uint64_t at = 0; address && at < bytes; at += 8)
            setDefinedBits(warp, lane, address + at, static_cast<unsigned>(std::min<uint64_t>(bytes - at, 8)),
                           ~uint64_t{0});
        if (call.out != UINT32_MAX)
            warp.vector<uint64_t>(call.out)[lane] = address;
    });
    return instr + 1;
}

const Instr* runDeviceFree(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    forActive(warp, [&](int lane) {
        uint64_t address = wideOf(warp, call, 0, lane);
        if (address && !warp.block->grid->heap().free(address))
            reportProgramFault(
                warp, FindingKind::InvalidFree, call.staticSite, lane,
                fmt::format("free of 0x{:x}, which no live malloc or new of a kernel returned", address));
    });
    return instr + 1;
}

}  // namespace lanescope::simt
