// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instrumented kernels call. Compiled for nvptx64 as plain C++ and linked into each program's device code.
#include "instrumented/device/log_record.h"

using namespace lanescope::cuda;

/// Filled in by the host before the kernel runs. In constant memory: read on every call.
extern "C" {
LS_CONSTANT LogControl __lanescope_control = {};
}

namespace {

struct Control {
    const auto& get() const { return __lanescope_control; }
};

}  // namespace

#define LOGGER extern "C" __attribute__((LS_CONVERGENT noinline, used, visibility("default")))

/// Whether this thread's block is one of those that are recorded; the others run the program's own code.
LOGGER bool __lanescope_records()
{
    return recordedBlock(Control{}) != kNotRecorded;
}

/// An access of so many bytes that has been made, or is about to be.
LOGGER void __lanescope_access_1(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<1>(Control{}, RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_2(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<2>(Control{}, RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_4(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<4>(Control{}, RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_8(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<8>(Control{}, RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_16(uint32_t place, uint64_t address, uint64_t low, uint64_t high)
{
    logLanes<16>(Control{}, RecordKind::Access, place, address, low, high);
}

LOGGER void __lanescope_branch(uint32_t place, uint32_t taken)
{
    logMask(Control{}, RecordKind::Branch, place, taken != 0, false);
}

LOGGER void __lanescope_mark(uint32_t place)
{
    logMask(Control{}, RecordKind::Mark, place, false, false);
}

/// The calling lanes return from the kernel: what they have logged goes to the host at once.
LOGGER void __lanescope_return(uint32_t place)
{
    logMask(Control{}, RecordKind::Mark, place, false, true);
}

LOGGER void __lanescope_object(uint32_t key, uint64_t address)
{
    logLanes<0>(Control{}, RecordKind::Object, key, address, 0, 0);
}

namespace {

LS_INLINE void logPiece(uint32_t place, uint64_t address, uint64_t low, uint64_t high, uint32_t bytes)
{
    switch (bytes) {
    case 16:
        return __lanescope_access_16(place, address, low, high);
    case 8:
        return __lanescope_access_8(place, address, low);
    case 4:
        return __lanescope_access_4(place, address, low);
    case 2:
        return __lanescope_access_2(place, address, low);
    default:
        return __lanescope_access_1(place, address, low);
    }
}

}  // namespace

/// memcpy and memmove as the simulator makes them, piece by piece: `place` is the load's, the next one the store's.
LOGGER void __lanescope_copy(uint32_t place, unsigned char* to, const unsigned char* from, uint64_t length)
{
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        const uint64_t low = readBytes(from + done, bytes);
        const uint64_t high = bytes == 16 ? readBytes(from + done + 8, 8) : 0;
        logPiece(place, (uint64_t)(from + done), low, high, bytes);
        logPiece(place + 1, (uint64_t)(to + done), low, high, bytes);
        writeBytes(to + done, low, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, high, 8);
    });
}

LOGGER void __lanescope_set(uint32_t place, unsigned char* to, uint32_t byte, uint64_t length)
{
    const uint64_t word = (byte & 0xff) * 0x0101010101010101u;
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        logPiece(place, (uint64_t)(to + done), word, word, bytes);
        writeBytes(to + done, word, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, word, 8);
    });
}

/// The grid's barrier. All blocks are resident: the host sees to it.
LOGGER void __ls_grid_sync()
{
    blockBarrier();
    const bool first =
        __nvvm_read_ptx_sreg_tid_x() == 0 && __nvvm_read_ptx_sreg_tid_y() == 0 && __nvvm_read_ptx_sreg_tid_z() == 0;
    if (first) {
        auto* arrived = (uint32_t*)__lanescope_control.gridBarrier;
        uint32_t* generation = arrived + 1;
        const auto blocks = (uint32_t)(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
                                       __nvvm_read_ptx_sreg_nctaid_z());
        const uint32_t before = *(volatile uint32_t*)generation;
        fenceDevice();
        if (__atomic_fetch_add(arrived, 1u, __ATOMIC_RELAXED) + 1 == blocks) {
            __atomic_exchange_n(arrived, 0u, __ATOMIC_RELAXED);
            fenceDevice();
            __atomic_fetch_add(generation, 1u, __ATOMIC_RELAXED);
        } else {
            while (*(volatile uint32_t*)generation == before) {
            }
        }
        fenceDevice();
    }
    blockBarrier();
}
