// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into a program (LD_PRELOAD): what it allocates ends where memory that nobody may touch begins, and what it
// has freed nobody may touch for long. So the first access that is wrong ends it, also one of machine code that no
// sanitizer has seen. Only of middling sizes, and not all at once: a process may have some 65,000 mappings.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(size_t count, size_t bytes);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, size_t bytes);       // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void* memory);                         // NOLINT(bugprone-reserved-identifier)
}

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kSlot = 4 * kPage;  ///< of one allocation: its size, two pages, and one that nobody may touch
constexpr size_t kLeast = 128, kMost = 2 * kPage;
constexpr size_t kSlots = 20'000;

/// Gives out slots: first those that were never used, then what was freed, longest ago first.
class Slots {
public:
    char* take()
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_start) {
            void* const fresh =
                mmap(nullptr, kSlots * kSlot, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (fresh == MAP_FAILED)
                return nullptr;
            m_start = static_cast<char*>(fresh);
        }
        if (m_used < kSlots)
            return m_start.load() + kSlot * m_used++;
        if (m_freed == m_taken)
            return nullptr;
        char* const slot = m_start.load() + kSlot * m_free[m_taken++ % kSlots];
        madvise(slot, kSlot, MADV_DONTNEED);  // as new
        return slot;
    }
    void give(char* slot)
    {
        const std::scoped_lock lock(m_mutex);
        m_free[m_freed++ % kSlots] = static_cast<size_t>(slot - m_start) / kSlot;
    }
    /// Null: \p memory is in none.
    char* of(void* memory) const
    {
        char* const start = m_start;
        auto* const at = static_cast<char*>(memory);
        return start && at >= start && at < start + kSlots * kSlot ? at - static_cast<size_t>(at - start) % kSlot
                                                                   : nullptr;
    }

private:
    std::mutex m_mutex;
    std::atomic<char*> m_start = nullptr;
    size_t m_used = 0, m_freed = 0, m_taken = 0;
    size_t m_free[kSlots] = {};
};

constinit Slots slots;

/// Null: it is not to be guarded.
void* guarded(size_t alignment, size_t bytes)
{
    if (bytes < kLeast || bytes > kMost || alignment > kPage)
        return nullptr;
    char* const slot = slots.take();
    if (!slot || mprotect(slot, kSlot - kPage, PROT_READ | PROT_WRITE) != 0)
        return nullptr;
    std::memcpy(slot, &bytes, sizeof bytes);
    return slot + kSlot - kPage - (bytes + alignment - 1) / alignment * alignment;
}

constexpr size_t kUsual = alignof(std::max_align_t);

}  // namespace

extern "C" {

void* malloc(size_t bytes)
{
    void* const memory = guarded(kUsual, bytes);
    return memory ? memory : __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes)
{
    void* const memory = bytes == 0 || count <= kMost / bytes ? guarded(kUsual, count * bytes) : nullptr;
    return memory ? memory : __libc_calloc(count, bytes);  // pages are zero when they are new
}

void free(void* memory)
{
    char* const slot = slots.of(memory);
    if (!slot) {
        __libc_free(memory);
        return;
    }
    mprotect(slot, kSlot, PROT_NONE);
    slots.give(slot);
}

void* realloc(void* memory, size_t bytes)
{
    const char* const slot = slots.of(memory);
    if (!slot)
        return __libc_realloc(memory, bytes);
    size_t before = 0;
    std::memcpy(&before, slot, sizeof before);
    void* const moved = malloc(bytes);
    if (moved) {
        std::memcpy(moved, memory, std::min(bytes, before));
        free(memory);
    }
    return moved;
}

void* memalign(size_t alignment, size_t bytes)
{
    void* const memory = guarded(alignment < kUsual ? kUsual : alignment, bytes);
    return memory ? memory : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void** memory, size_t alignment, size_t bytes)
{
    *memory = memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

}  // extern "C"
