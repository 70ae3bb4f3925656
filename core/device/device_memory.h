// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated GPU's memory: device addresses that the host cannot touch, one slot of the address space per
// object, so that an address says which object it belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/trace/model.h"

namespace lanescope::device {

/// An address as the program sees it. Upper 32 bits: slot; lower 32 bits: byte offset in the slot.
using DeviceAddress = uint64_t;

/// Origin of the memory that kernels' own malloc and new take theirs from.
inline constexpr const char* kHeapOrigin = "the kernels' heap";

struct Allocation {
    DeviceAddress address = 0;
    uint64_t bytes = 0;
    BufferId buffer;
    std::string origin;  ///< "cudaMalloc #2" or a __device__ variable's name
    bool constant = false;
    bool live = true;
    uint32_t device = 0;      ///< whose memory it is
    bool everywhere = false;  ///< the host's, which every device reaches
    /// Source name and element type; empty until a kernel is given the buffer (see DeviceMemory::describe).
    std::string name;
    trace::ValueType element;
    /// Elements, outermost first, where the program has said (see DeviceMemory::declare).
    std::vector<uint64_t> dims = {};
};

/// Thread-safe. All host-side access to device memory goes through here.
class DeviceMemory {
public:
    /// Who keeps the host from mapping anything where device addresses point: we, or a GPU's driver, which gives out
    /// chosen addresses only in ranges that were free when it started.
    enum class Range : uint8_t { Reserved, LeftToDriver };

    /// \p capacity: bytes that may be allocated on each device.
    explicit DeviceMemory(uint64_t capacity, Range range = Range::Reserved);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// What is allocated from now on is of this device: addresses are those of one space, whichever device they are of.
    void useDevice(uint32_t device);
    /// Fresh, uninitialised (zero-filled backing, marked undefined) memory. Error Limit when out of memory.
    Result<Allocation> allocate(uint64_t bytes, const std::string& origin, bool constant = false);
    /// The same, where the host reads and writes it at the very same address (pinned and managed memory). Counts as
    /// initialised: nobody sees what the host writes.
    Result<Allocation> allocateHostVisible(uint64_t bytes, const std::string& origin);
    /// A device address for memory that the host owns, which must outlive the allocation. Counts as initialised.
    Result<Allocation> adopt(std::byte* host, uint64_t bytes, const std::string& origin);
    /// From now on the bytes of the live allocation at \p address are \p host's, which first takes over their values.
    void moveTo(DeviceAddress address, std::byte* host);
    /// Error NotFound unless \p address is the start of a live allocation.
    Result<void> free(DeviceAddress address);
    /// Frees the live allocation at \p address, but keeps its address for allocateAgain.
    Result<void> keepAddress(DeviceAddress address);
    /// As allocate, where the freed allocation at \p address was, whose address was kept.
    Result<Allocation> allocateAgain(DeviceAddress address);
    /// Addresses for \p bytes, where nothing is until mapReserved; whole slots. Error Limit when there are not as many
    /// side by side.
    Result<DeviceAddress> reserveAddresses(uint64_t bytes);
    /// Error NotFound unless reserveAddresses gave \p address, Unsupported while memory is mapped there.
    Result<void> releaseAddresses(DeviceAddress address, uint64_t bytes);
    /// Fresh memory for [\p address, address + \p bytes) of a reserved range: one allocation per slot, from the slot's
    /// beginning up to the last byte that is mapped. Errors: NotFound (not reserved), BadInput (something is there), as
    /// of allocate.
    Result<void> mapReserved(DeviceAddress address, uint64_t bytes, const std::string& origin);
    /// Frees the memory of whole allocations that mapReserved made. Error NotFound when it is not whole ones.
    Result<void> unmapReserved(DeviceAddress address, uint64_t bytes);
    /// The allocation whose slot \p address lies in, live or freed; none for an address that is not ours.
    [[nodiscard]] std::optional<Allocation> find(uint64_t address) const;
    [[nodiscard]] std::vector<Allocation> allocations() const;  ///< live and freed ones, by buffer id
    /// Names the buffer that \p address lies in; the first name stays. \p dims: as of declare; may be empty.
    void describe(DeviceAddress address, const std::string& name, const trace::ValueType& element,
                  const std::vector<uint64_t>& dims = {});
    /// What the program says that the live allocation at \p address holds; whoever describes it later adds the name
    /// only. Of \p dims that are not all of it, nothing is kept.
    void declare(DeviceAddress address, const trace::ValueType& element, const std::vector<uint64_t>& dims);
    /// An id for a buffer that is no allocation (shared and local arrays of a launch).
    BufferId newBufferId();
    /// True for every address of the reserved range (also between and past allocations).
    [[nodiscard]] static bool isDeviceAddress(uint64_t address);
    /// Host view of [address, address + bytes); null when not wholly inside one live allocation.
    [[nodiscard]] std::byte* hostView(DeviceAddress address, uint64_t bytes) const;
    /// One bit per byte, LSB first; grows with writes. Set by copies and memsets.
    void markInitialised(DeviceAddress address, uint64_t bytes);
    [[nodiscard]] std::vector<uint8_t> initialisedBits(const Allocation& allocation) const;
    /// How many of the first of [address, address + bytes), of a live allocation, have all been written. Where nobody
    /// keeps account of it, all count as written.
    [[nodiscard]] uint64_t writtenPrefix(DeviceAddress address, uint64_t bytes) const;
    /// How many of the first have none been written.
    [[nodiscard]] uint64_t unwrittenPrefix(DeviceAddress address, uint64_t bytes) const;
    /// What holds of the bytes from \p from on holds of those from \p to on.
    void copyInitialised(DeviceAddress to, DeviceAddress from, uint64_t bytes);
    /// Whether some byte of a live allocation holds no defined value. Remembered once all do.
    [[nodiscard]] bool isPartlyUndefined(DeviceAddress address);
    /// A kernel copied an undefined value to \p address; \p finding says where from.
    void noteUndefinedCopy(DeviceAddress address, const trace::Finding& finding);
    /// What the host gets to see of such copies when it reads [address, address + bytes); told once.
    std::vector<trace::Finding> takeUndefinedCopies(DeviceAddress address, uint64_t bytes);
    /// Kernels stored undefined bytes: what is remembered no longer holds.
    void forgetDefinedness();
    [[nodiscard]] uint64_t bytesInUse() const;  ///< of the device in use
    [[nodiscard]] uint64_t capacity() const { return m_capacity; }

    /// Memory that is kept to know which bytes of live allocations are defined.
    [[nodiscard]] uint64_t shadowBytes() const;

    /// Who the bytes behind a slot belong to.
    enum class Backing : uint8_t { Separate, InPlace, Adopted };

    /// What the interpreter reads without locks while a launch runs (no allocation happens meanwhile).
    struct Slot {
        std::byte* host = nullptr;       ///< backing of offset 0
        uint64_t bytes = 0;              ///< 0: nothing there
        uint8_t* initialised = nullptr;  ///< bit per byte
        BufferId buffer = kNoBuffer;
        bool freed = false;
        bool kept = false;  ///< its address is some graph node's, or reserved
        bool constant = false;
        Backing backing = Backing::Separate;
        bool wholeDefined = false;  ///< seen to be: every byte was written
    };
    static constexpr uint64_t kFirstSlot =
        0x2000;  ///< of the first allocation: address 0x2000'0000'0000, past the shadow memory of the sanitizers
    static constexpr uint64_t kSlotCount = 0x2000;
    [[nodiscard]] const Slot* slots() const { return m_slots.data(); }

private:
    /// A slot for \p bytes, its bookkeeping done but for the backing. \p host: adopted memory; \p wantedSlot: none for
    /// any that is free.
    Result<Allocation> place(uint64_t bytes, const std::string& origin, bool constant, Backing backing, std::byte* host,
                             std::optional<uint32_t> wantedSlot = {});
    [[nodiscard]] std::optional<uint32_t> freeSlot();
    /// The allocation in \p slot, which must be there, reaches to \p bytes from now on. A new buffer for all who know
    /// the shorter one.
    Result<void> grow(Slot& slot, DeviceAddress address, uint64_t bytes);

    uint64_t m_capacity;
    mutable std::mutex m_mutex;
    std::vector<Slot> m_slots;
    std::vector<Allocation> m_allocations;
    /// Of the device in use.
    [[nodiscard]] uint64_t freeBytes() const { return m_capacity - m_inUse[m_device]; }

    std::vector<uint64_t> m_inUse{0};  ///< by device
    uint32_t m_device = 0;
    uint32_t m_nextSlot = 0;
    uint32_t m_nextBuffer = 0;
    std::map<DeviceAddress, trace::Finding> m_undefinedCopies;
};

}  // namespace lanescope::device
