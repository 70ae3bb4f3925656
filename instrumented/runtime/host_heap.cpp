// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/host_heap.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

#include "instrumented/runtime/host_blocks.h"

namespace lanescope::runtime {

namespace {

HostBlocks& blocks()
{
    static auto* const all = new HostBlocks;  // outlives the program's own objects
    return *all;
}

void* taken(void* pointer, size_t bytes, const void* caller)
{
    // A library may have freed what was there, unseen.
    if (pointer)
        blocks().add({reinterpret_cast<uint64_t>(pointer), bytes, malloc_usable_size(pointer), caller});
    return pointer;
}

/// Before it is freed: afterwards another thread may have it.
void* given(void* pointer)
{
    if (pointer)
        blocks().remove(reinterpret_cast<uint64_t>(pointer));
    return pointer;
}

}  // namespace

std::optional<HostBlock> hostBlockAt(const void* pointer)
{
    const std::optional<HostBlocks::Block> block = blocks().at(reinterpret_cast<uint64_t>(pointer));
    // A library may have freed the block and taken another one there.
    if (!block || malloc_usable_size(reinterpret_cast<void*>(block->address)) != block->usable)
        return std::nullopt;
    return HostBlock{block->address, block->bytes, block->caller};
}

}  // namespace lanescope::runtime

using namespace lanescope::runtime;

// The names are the linker's: what it makes of malloc (--wrap=malloc), and of operator new as it is mangled.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define LS_WRAP extern "C" __attribute__((visibility("default")))
#define LS_CALLER __builtin_return_address(0)

LS_WRAP void* __wrap_malloc(size_t bytes)
{
    return taken(std::malloc(bytes), bytes, LS_CALLER);
}
LS_WRAP void* __wrap_calloc(size_t count, size_t each)
{
    return taken(std::calloc(count, each), count * each, LS_CALLER);
}
LS_WRAP void* __wrap_realloc(void* pointer, size_t bytes)
{
    return taken(std::realloc(given(pointer), bytes), bytes, LS_CALLER);
}
LS_WRAP void* __wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return taken(std::aligned_alloc(alignment, bytes), bytes, LS_CALLER);
}
LS_WRAP int __wrap_posix_memalign(void** pointer, size_t alignment, size_t bytes)
{
    const int error = posix_memalign(pointer, alignment, bytes);
    if (error == 0)
        taken(*pointer, bytes, LS_CALLER);
    return error;
}
LS_WRAP void __wrap_free(void* pointer)
{
    std::free(given(pointer));
}
LS_WRAP void* __wrap__Znwm(size_t bytes)
{
    return taken(::operator new(bytes), bytes, LS_CALLER);
}
LS_WRAP void* __wrap__Znam(size_t bytes)
{
    return taken(::operator new[](bytes), bytes, LS_CALLER);
}
LS_WRAP void* __wrap__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag)
{
    return taken(::operator new(bytes, tag), bytes, LS_CALLER);
}
LS_WRAP void* __wrap__ZnamRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag)
{
    return taken(::operator new[](bytes, tag), bytes, LS_CALLER);
}
LS_WRAP void __wrap__ZdlPv(void* pointer)
{
    ::operator delete(given(pointer));
}
LS_WRAP void __wrap__ZdaPv(void* pointer)
{
    ::operator delete[](given(pointer));
}
LS_WRAP void __wrap__ZdlPvm(void* pointer, size_t bytes)
{
    ::operator delete(given(pointer), bytes);
}
LS_WRAP void __wrap__ZdaPvm(void* pointer, size_t bytes)
{
    ::operator delete[](given(pointer), bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
