// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What NVIDIA's Sanitizer API calls before an instruction of a program that we did not build, once for each active
// lane. Compiled for nvptx64 as plain C++; ptxas makes patches of it on the machine that has the GPU. The parameters
// are the API's; the first one is the LogControl that the host set for the launch, or null: the launch is not recorded.
#include "core/attach/place.h"
#include "instrumented/device/log_record.h"

using namespace lanescope::cuda;
using lanescope::attach::Deed;
using lanescope::attach::placeOf;

namespace {

class Control {
public:
    explicit LS_INLINE Control(const void* at) : m_at((LS_GLOBAL const LogControl*)(const LogControl*)at) {}
    LS_INLINE const auto& get() const { return *m_at; }

private:
    LS_GLOBAL const LogControl* m_at;
};

enum AccessFlags : uint32_t { kReads = 1, kWrites = 2, kPrefetches = 8 };

struct Value {
    uint64_t low = 0;
    uint64_t high = 0;
};

LS_INLINE Value read(const void* from, uint32_t bytes)
{
    switch (bytes) {
    case 16:
        return {((const volatile uint64_t*)from)[0], ((const volatile uint64_t*)from)[1]};
    case 8:
        return {*(const volatile uint64_t*)from};
    case 4:
        return {*(const volatile uint32_t*)from};
    case 2:
        return {*(const volatile uint16_t*)from};
    default:
        return {*(const volatile uint8_t*)from};
    }
}

LS_INLINE void write(char* at, Value value, uint32_t bytes)
{
    switch (bytes) {
    case 16:
        return writeValue<16>(at, value.low, value.high);
    case 8:
        return writeValue<8>(at, value.low, 0);
    case 4:
        return writeValue<4>(at, value.low, 0);
    case 2:
        return writeValue<2>(at, value.low, 0);
    default:
        return writeValue<1>(at, value.low, 0);
    }
}

/// One record of an access that is about to be made. \p value(): what each lane stores, or what memory holds; asked for
/// when the rest of the record is written, so that a lane which faults there has left its address.
/// \p form: Each with values, None without.
template <typename GetValue>
LS_INLINE void logAccess(Control control, uint32_t place, uint64_t address, uint32_t bytes, Form form, GetValue value)
{
    const uint64_t clock = clock64();
    const uint32_t recorded = recordedBlock(control);
    if (recorded == kNotRecorded)
        return;
    const Group group(lanesWith(place));
    const Line line = lineOf(group, address);
    const uint32_t valuesAt = kHeaderUnits + addressUnits(line.form, group.count);
    Record record(control, group, recorded, valuesAt + (form == Form::Each ? unitsOf(bytes * group.count) : 0));
    char* at = record.at();
    if (line.form == Form::Each)
        global<uint64_t>(at + kHeaderUnits * kUnitBytes)[group.rank] = address;
    if (group.leads()) {
        if (line.form == Form::Affine)
            *global<Pair>(at + kHeaderUnits * kUnitBytes) = Pair{line.base, (uint64_t)(int64_t)line.stride};
        record.writeHeader(RecordKind::Access, formsOf(line.form, form), bytes, place, clock);
    }
    if (form == Form::Each)
        write(at + valuesAt * kUnitBytes + group.rank * bytes, value(), bytes);
    record.end(false);
}

/// The Sanitizer API's parameters of an access; \p memory(): a pointer to what the lane accesses.
template <typename Memory>
LS_INLINE void logMemory(const void* control, uint64_t instruction, uint64_t address, uint32_t bytes, uint32_t flags,
                         const void* stored, Deed load, Deed store, Deed atomic, Memory memory)
{
    if (!control || (flags & kPrefetches))
        return;
    const bool reads = (flags & kReads) != 0, writes = (flags & kWrites) != 0;
    const uint32_t place = placeOf(reads && writes ? atomic : writes ? store : load, instruction);
    // What an atomic leaves in memory is not known before it.
    const Form form = (reads && writes) || (writes && !stored) ? Form::None : Form::Each;
    logAccess(Control(control), place, address, bytes, form,
              [&] { return writes ? read(stored, bytes) : read(memory(), bytes); });
}

constexpr int kGoOn = 0;

}  // namespace

#define PATCH extern "C" __attribute__((LS_CONVERGENT noinline, used, visibility("default"))) int

PATCH lanescope_global(void* control, uint64_t instruction, void* address, uint32_t bytes, uint32_t flags,
                       const void* stored)
{
    logMemory(control, instruction, (uint64_t)address, bytes, flags, stored, Deed::GlobalLoad, Deed::GlobalStore,
              Deed::GlobalAtomic, [&] { return (const char*)address; });
    return kGoOn;
}

/// \p address: offset in the block's window of shared memory.
PATCH lanescope_shared(void* control, uint64_t instruction, void* address, uint32_t bytes, uint32_t flags,
                       const void* stored)
{
    const auto offset = (uint32_t)(uint64_t)address;
    logMemory(control, instruction, offset, bytes, flags, stored, Deed::SharedLoad, Deed::SharedStore,
              Deed::SharedAtomic, [&] { return sharedAt(offset); });
    return kGoOn;
}

/// \p address: offset in the thread's window of local memory.
PATCH lanescope_local(void* control, uint64_t instruction, void* address, uint32_t bytes, uint32_t flags,
                      const void* stored)
{
    const auto offset = (uint32_t)(uint64_t)address;
    logMemory(control, instruction, offset, bytes, flags, stored, Deed::LocalLoad, Deed::LocalStore, Deed::LocalStore,
              [&] { return localAt(offset); });
    return kGoOn;
}

/// A copy that goes on while the program does. Made where it is started.
PATCH lanescope_copy(void* control, uint64_t instruction, void* from, uint32_t to, uint32_t bytes)
{
    if (!control || !from)
        return kGoOn;
    const auto value = [&] { return read((const char*)from, bytes); };
    logAccess(Control(control), placeOf(Deed::GlobalLoad, instruction), (uint64_t)from, bytes, Form::Each, value);
    logAccess(Control(control), placeOf(Deed::SharedStore, instruction), to, bytes, Form::Each, value);
    return kGoOn;
}

/// Rows of matrices of 8 rows: lane i has the address of row i.
PATCH lanescope_matrix(void* control, uint64_t instruction, uint32_t address, uint32_t bytes, uint32_t flags,
                       uint32_t count, const void*)
{
    if (!control || laneId() >= 8 * count)
        return kGoOn;
    const bool writes = (flags & kWrites) != 0;
    logAccess(Control(control), placeOf(writes ? Deed::SharedStore : Deed::SharedLoad, instruction), address, bytes,
              writes ? Form::None : Form::Each, [&] { return read(sharedAt(address), bytes); });
    return kGoOn;
}

/// \p threads: that the barrier waits for; 0: all of the block.
PATCH lanescope_barrier(void* control, uint64_t instruction, uint32_t, uint32_t threads, uint32_t)
{
    const auto all =
        (uint32_t)(__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z());
    if (control && (threads == 0 || threads >= all))
        logMask(Control(control), RecordKind::Mark, placeOf(Deed::Barrier, instruction), false, false);
    return kGoOn;
}

PATCH lanescope_exit(void* control, uint64_t instruction)
{
    if (control)
        logMask(Control(control), RecordKind::Mark, placeOf(Deed::Exit, instruction), false, true);
    return kGoOn;
}
