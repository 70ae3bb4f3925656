// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instrumented kernels call. Compiled for nvptx64 as plain C++ and linked into each program's device code.
#include "core/cuda/device_log.h"
#include "core/cuda/ring.h"
#include "instrumented/device/warp.h"

using namespace lanescope::cuda;

/// Filled in by the host before the kernel runs. In constant memory: read on every call.
extern "C" __attribute__((address_space(4), visibility("default"))) LogControl __lanescope_control = {};

namespace {

struct DeviceMachine {
    uint64_t fetchAdd(uint64_t* at, uint64_t value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
    uint32_t add32(uint32_t* at, uint32_t value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED) + value; }
    void reset32(uint32_t* at) { __atomic_exchange_n(at, 0u, __ATOMIC_RELAXED); }
    uint64_t loadCached(const uint64_t* at) { return *at; }
    void storeCached(uint64_t* at, uint64_t value) { *at = value; }
    uint64_t loadHost(const uint64_t* at) { return *(const volatile uint64_t*)at; }
    void storeHost(uint64_t* at, uint64_t value) { *(volatile uint64_t*)at = value; }
    void fence() { __nvvm_membar_gl(); }
    void fenceHost() { __nvvm_membar_sys(); }
    void pad(char* at, uint32_t tag, uint8_t units)
    {
        auto* header = (RecordHeader*)at;
        header->kind = RecordKind::Pad;
        header->units = units;
        header->tag = tag;
    }
};

bool isRecorded()
{
    const auto& control = __lanescope_control;
    if (!control.enabled)
        return false;
    const auto x = (uint32_t)__nvvm_read_ptx_sreg_ctaid_x(), y = (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),
               z = (uint32_t)__nvvm_read_ptx_sreg_ctaid_z();
    return x >= control.firstBlock[0] && x < control.lastBlock[0] && y >= control.firstBlock[1] &&
           y < control.lastBlock[1] && z >= control.firstBlock[2] && z < control.lastBlock[2];
}

/// Lanes of one warp that log one record together: those that run together and mean the same place. Compilers may
/// make one call of several, so that lanes come with different places.
class Group {
public:
    explicit Group(uint32_t lanes)
        : mask(lanes), lane((uint32_t)__nvvm_read_ptx_sreg_laneid()), first(lowest(mask)),
          rank((uint32_t)__builtin_popcount(mask & ((1u << lane) - 1))), count((uint32_t)__builtin_popcount(mask))
    {
    }
    bool leads() const { return lane == first; }
    bool all(bool predicate) const { return __nvvm_vote_all_sync(mask, predicate); }
    void meet() const { __nvvm_bar_warp_sync(mask); }

    const uint32_t mask;
    const uint32_t lane;
    const uint32_t first;
    const uint32_t rank;  ///< among the active lanes
    const uint32_t count;
};

/// The active lanes whose \p what is this lane's.
uint32_t lanesWith(uint32_t what)
{
    for (auto rest = (uint32_t)__nvvm_activemask();;) {
        const uint32_t firstWhat = shuffle32(rest, what, lowest(rest));
        const auto same = (uint32_t)__nvvm_vote_ballot_sync(rest, what == firstWhat);
        if (what == firstWhat)
            return same;
        rest &= ~same;
    }
}

Ring<DeviceMachine> ownRing(DeviceMachine& machine)
{
    const auto& control = __lanescope_control;
    auto* rings = (RingDevice*)control.rings;
    return {machine, rings + linearBlock() % control.ringCount, control.pageUnits, control.pageCount};
}

void writeHeader(char* at, uint64_t position, uint32_t units, RecordKind kind, uint8_t forms, uint32_t valueBytes,
                 uint32_t place, uint32_t mask, uint64_t clock)
{
    RecordHeader header = {};
    header.tag = tagOf(position);
    header.units = (uint8_t)units;
    header.kind = kind;
    header.forms = forms;
    header.valueBytes = (uint8_t)valueBytes;
    header.place = place;
    header.mask = mask;
    header.clock = clock;
    header.block = linearBlock();
    header.warp = (uint16_t)(linearThread() / 32);
    *(RecordHeader*)at = header;
}

/// Bytes that the lanes' addresses take in that form.
uint32_t addressUnits(Form form, uint32_t lanes)
{
    return form == Form::Affine ? 1 : unitsOf(8 * lanes);
}

void writeAddresses(char* at, Form form, const Group& group, uint64_t address, uint64_t stride)
{
    auto* to = (uint64_t*)at;
    if (form == Form::Each) {
        to[group.rank] = address;
    } else if (group.leads()) {
        to[0] = address;
        to[1] = stride;
    }
}

void writeValue(char* at, uint64_t low, uint64_t high, uint32_t bytes)
{
    switch (bytes) {
    case 16:
        ((uint64_t*)at)[0] = low;
        ((uint64_t*)at)[1] = high;
        break;
    case 8:
        *(uint64_t*)at = low;
        break;
    case 4:
        *(uint32_t*)at = (uint32_t)low;
        break;
    case 2:
        *(uint16_t*)at = (uint16_t)low;
        break;
    default:
        *at = (char)low;
        break;
    }
}

/// One record with addresses, and with values when \p valueBytes is not 0.
void logLanes(RecordKind kind, uint32_t place, uint64_t address, uint64_t low, uint64_t high, uint32_t valueBytes)
{
    const uint64_t clock = (uint64_t)__nvvm_read_ptx_sreg_clock64();
    // Pieces of one access have one place and different sizes.
    const Group group(lanesWith(place << 5 | valueBytes));
    const uint64_t base = shuffle64(group.mask, address, group.first);
    // The stride shows between the first lane and the next one; lanes further on must agree.
    const uint32_t others = group.mask & (group.mask - 1);
    const uint32_t second = others ? lowest(others) : group.first;
    uint64_t stride = shuffle64(group.mask, address, second) - base;
    if (second > group.first + 1)
        stride = (uint64_t)((int64_t)stride / (int64_t)(second - group.first));
    const bool affine = group.all(address == base + stride * (group.lane - group.first));
    const Form addresses = affine ? Form::Affine : Form::Each;

    Form values = Form::None;
    uint32_t valueUnits = 0;
    if (valueBytes) {
        // Both shuffles are for all lanes: neither may depend on what the other gave.
        const uint64_t firstLow = shuffle64(group.mask, low, group.first);
        const uint64_t firstHigh = shuffle64(group.mask, high, group.first);
        const bool same = group.all((low == firstLow) & (high == firstHigh));
        values = same ? Form::Uniform : Form::Each;
        valueUnits = same ? 1 : unitsOf(valueBytes * group.count);
    }
    const uint32_t valuesAt = kHeaderUnits + addressUnits(addresses, group.count);
    const uint32_t units = valuesAt + valueUnits;

    DeviceMachine machine;
    Ring<DeviceMachine> ring = ownRing(machine);
    uint64_t position = 0;
    if (group.leads())
        position = ring.reserve(units);
    position = shuffle64(group.mask, position, group.first);
    char* at = ring.at(position);
    writeAddresses(at + kHeaderUnits * kUnitBytes, addresses, group, address, stride);
    if (values == Form::Each)
        writeValue(at + valuesAt * kUnitBytes + group.rank * valueBytes, low, high, valueBytes);
    else if (values == Form::Uniform && group.leads())
        writeValue(at + valuesAt * kUnitBytes, low, high, valueBytes);
    if (group.leads())
        writeHeader(at, position, units, kind, formsOf(addresses, values), valueBytes, place, group.mask, clock);
    group.meet();
    if (group.leads())
        ring.commit(position, units);
    group.meet();
}

/// A record without lanes' data; \p extra only for a branch.
void logMask(RecordKind kind, uint32_t place, bool taken)
{
    const uint64_t clock = (uint64_t)__nvvm_read_ptx_sreg_clock64();
    const Group group(lanesWith(place));
    const auto lanes = (uint32_t)__nvvm_vote_ballot_sync(group.mask, taken);
    if (group.leads()) {
        const uint32_t units = kHeaderUnits + (kind == RecordKind::Branch ? 1 : 0);
        DeviceMachine machine;
        Ring<DeviceMachine> ring = ownRing(machine);
        const uint64_t position = ring.reserve(units);
        char* at = ring.at(position);
        if (kind == RecordKind::Branch)
            *(uint32_t*)(at + kHeaderUnits * kUnitBytes) = lanes;
        writeHeader(at, position, units, kind, 0, 0, place, group.mask, clock);
        ring.commit(position, units);
    }
    group.meet();
}

}  // namespace

#define LOGGER extern "C" __attribute__((noinline, convergent, used, visibility("default")))

/// Whether this thread's block is one of those that are recorded; the others run the program's own code.
LOGGER bool __lanescope_records()
{
    return isRecorded();
}

/// An access of `valueBytes` bytes that has been made, or is about to be.
LOGGER void __lanescope_access(uint32_t place, uint64_t address, uint64_t low, uint64_t high, uint32_t valueBytes)
{
    logLanes(RecordKind::Access, place, address, low, high, valueBytes);
}

LOGGER void __lanescope_branch(uint32_t place, uint32_t taken)
{
    logMask(RecordKind::Branch, place, taken != 0);
}

LOGGER void __lanescope_mark(uint32_t place)
{
    logMask(RecordKind::Mark, place, false);
}

LOGGER void __lanescope_object(uint32_t key, uint64_t address)
{
    logLanes(RecordKind::Object, key, address, 0, 0, 0);
}

/// memcpy and memmove as the simulator makes them, piece by piece: `place` is the load's, the next one the store's.
LOGGER void __lanescope_copy(uint32_t place, unsigned char* to, const unsigned char* from, uint64_t length)
{
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        const uint64_t low = readBytes(from + done, bytes);
        const uint64_t high = bytes == 16 ? readBytes(from + done + 8, 8) : 0;
        __lanescope_access(place, (uint64_t)(from + done), low, high, bytes);
        __lanescope_access(place + 1, (uint64_t)(to + done), low, high, bytes);
        writeBytes(to + done, low, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, high, 8);
    });
}

LOGGER void __lanescope_set(uint32_t place, unsigned char* to, uint32_t byte, uint64_t length)
{
    const uint64_t word = (byte & 0xff) * 0x0101010101010101u;
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        __lanescope_access(place, (uint64_t)(to + done), word, bytes == 16 ? word : 0, bytes);
        writeBytes(to + done, word, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, word, 8);
    });
}

/// The grid's barrier. All blocks are resident: the host sees to it.
LOGGER void __ls_grid_sync()
{
    __syncthreads();
    const bool first =
        __nvvm_read_ptx_sreg_tid_x() == 0 && __nvvm_read_ptx_sreg_tid_y() == 0 && __nvvm_read_ptx_sreg_tid_z() == 0;
    if (first) {
        auto* arrived = (uint32_t*)__lanescope_control.gridBarrier;
        uint32_t* generation = arrived + 1;
        const auto blocks = (uint32_t)(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
                                       __nvvm_read_ptx_sreg_nctaid_z());
        const uint32_t before = *(volatile uint32_t*)generation;
        __nvvm_membar_gl();
        if (__atomic_fetch_add(arrived, 1u, __ATOMIC_RELAXED) + 1 == blocks) {
            __atomic_exchange_n(arrived, 0u, __ATOMIC_RELAXED);
            __nvvm_membar_gl();
            __atomic_fetch_add(generation, 1u, __ATOMIC_RELAXED);
        } else {
            while (*(volatile uint32_t*)generation == before) {
            }
        }
        __nvvm_membar_gl();
    }
    __syncthreads();
}
