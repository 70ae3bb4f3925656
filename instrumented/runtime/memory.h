// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a pointer of the program points, and the allocations behind it.
#pragma once

#include <optional>

#include "instrumented/runtime/work.h"

namespace lanescope::runtime {

enum class Place {
    Host,     ///< the program's own memory: the device cannot reach it
    Pinned,   ///< cudaHostAlloc, cudaHostRegister: both can
    Managed,  ///< cudaMallocManaged: both can
    Device
};

/// Whether the process has a device of that number.
bool isDevice(Runtime& runtime, int device);

/// \p pointer need not point to a live buffer.
Place placeOf(Runtime& runtime, const void* pointer);
/// Whether memory shares its first and last page with other memory of the program.
enum class Pages { Shared, Own };
/// Where host code finds the first byte of memory that it can touch as well as the device; none: nowhere.
struct HostPlace {
    uint64_t address = 0;
    Pages pages = Pages::Own;
};
std::optional<HostPlace> hostPlaceOf(Runtime& runtime, const device::Allocation& allocation);
/// Where host code can reach \p bytes at \p pointer; null when that is not wholly inside a live buffer, or when a
/// host pointer is null.
std::byte* reachable(Runtime& runtime, const void* pointer, size_t bytes);

/// Device memory, called "function #number" in messages. Remembers an error as the thread's last one.
cudaError_t allocate(Call& call, const char* function, void** pointer, size_t bytes);

/// The device's address of memory that the host owns and registered (cudaHostRegister, __managed__ variables), or
/// \p address itself.
uint64_t deviceAliasOf(uint64_t address);
/// Registers such memory. \p device: its device address.
void addAlias(uint64_t host, uint64_t bytes, uint64_t device, Pages pages);
/// The device address of the range that starts at \p host, which is forgotten; 0 when there is none.
uint64_t removeAlias(uint64_t host);

CopyWork plainCopy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
/// Error InvalidValue: neither or both of pointer and array given.
cudaError_t copyWork(const cudaMemcpy3DParms& parameters, CopyWork& work);

}  // namespace lanescope::runtime
