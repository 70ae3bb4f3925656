// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A subset of libcu++ for <cuda/barrier>, <cuda/latch>, <cuda/semaphore> and their cuda::std forms, and the copies that
// a barrier awaits. All are words that threads change atomically and poll.
#pragma once

#include "../cuda_pipeline_primitives.h"
#include "libcuxx.h"

#include "hide_macros.h"

#define LS_SYNC inline __attribute__((host, device, always_inline, nodebug))

namespace cuda {

namespace details {

/// One turn of a loop that polls.
LS_SYNC void pause()
{
#ifdef __CUDA_ARCH__
    __nanosleep(20);
#endif
}
/// Waits for what the calling thread copies asynchronously.
LS_SYNC void awaitOwnCopies()
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

struct Nothing {
    LS_SYNC void operator()() const noexcept {}
};
struct OneThread {
    static constexpr LS_SYNC size_t size() { return 1; }
    static constexpr LS_SYNC size_t thread_rank() { return 0; }
};

}  // namespace details

/// A number of bytes that is a multiple of \p Alignment, as are the addresses that go with it.
template <size_t Alignment>
struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    LS_SYNC constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
    LS_SYNC constexpr operator size_t() const { return value; }
};

/// A phase is over when all expected threads have arrived; the last one calls \p Completion and begins the next.
/// A thread that arrives awaits its own asynchronous copies first: nobody sees the end of a phase before its copies.
template <thread_scope Scope, class Completion = details::Nothing>
class barrier {
public:
    class arrival_token {
        unsigned int m_phase;
        friend class barrier;
    };

    /// Not usable before init(): shared memory has no constructors.
    barrier() = default;
    LS_SYNC explicit barrier(ptrdiff_t expected, Completion completion = Completion())
        : m_pending((int)expected), m_expected((int)expected), m_phase(0), m_completion(completion)
    {
    }
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    friend LS_SYNC void init(barrier* object, ptrdiff_t expected, Completion completion = Completion())
    {
        new (object) barrier(expected, completion);
    }

    [[nodiscard]] LS_SYNC arrival_token arrive(ptrdiff_t count = 1)
    {
        details::awaitOwnCopies();
        arrival_token token;
        token.m_phase = phase().load(memory_order_relaxed);
        // Who arrives does not see what others have done; only the last one does, whose completion may use it.
        if (pending().fetch_sub((int)count, memory_order_release) == (int)count) {
            atomic_thread_fence(memory_order_acquire, Scope);
            beginPhase();
        }
        return token;
    }
    LS_SYNC void wait(arrival_token&& token) const
    {
        while (!try_wait(token))
            details::pause();
    }
    /// Waits for the end of the current phase when its number's lowest bit is \p parity.
    LS_SYNC void wait_parity(bool parity) const
    {
        while (!try_wait_parity(parity))
            details::pause();
    }
    [[nodiscard]] LS_SYNC bool try_wait(const arrival_token& token) const
    {
        return phase().load(memory_order_acquire) != token.m_phase;
    }
    template <class Duration>
    [[nodiscard]] LS_SYNC bool try_wait_for(const arrival_token& token, const Duration&) const
    {
        return try_wait(token);
    }
    [[nodiscard]] LS_SYNC bool try_wait_parity(bool parity) const
    {
        return (phase().load(memory_order_acquire) & 1u) != (unsigned int)parity;
    }
    LS_SYNC void arrive_and_wait() { wait(arrive()); }
    /// Arrives, and is expected in no later phase.
    LS_SYNC void arrive_and_drop()
    {
        atomic_ref<int, Scope>(m_expected).fetch_sub(1, memory_order_relaxed);
        (void)arrive();
    }
    static constexpr LS_SYNC ptrdiff_t max() { return (1 << 20) - 1; }

private:
    LS_SYNC atomic_ref<int, Scope> pending() { return atomic_ref<int, Scope>(m_pending); }
    LS_SYNC atomic_ref<unsigned int, Scope> phase() const { return atomic_ref<unsigned int, Scope>(m_phase); }
    LS_SYNC void beginPhase()
    {
        m_completion();
        pending().fetch_add(atomic_ref<int, Scope>(m_expected).load(memory_order_relaxed), memory_order_relaxed);
        phase().fetch_add(1, memory_order_release);
    }

    int m_pending;
    int m_expected;
    mutable unsigned int m_phase;
    [[no_unique_address]] Completion m_completion;
};

/// The barrier of a block that has nothing to do at the end of a phase: an mbarrier object, as hardware has it.
template <>
class barrier<thread_scope_block, details::Nothing> {
public:
    class arrival_token {
        unsigned long long m_state;
        friend class barrier;
    };

    barrier() = default;
    LS_SYNC explicit barrier(ptrdiff_t expected, details::Nothing = {})
    {
#ifdef __CUDA_ARCH__
        asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(&m_word), "r"((unsigned int)expected) : "memory");
#else
        m_word = (unsigned long long)expected;
#endif
    }
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    friend LS_SYNC void init(barrier* object, ptrdiff_t expected, details::Nothing = {})
    {
        new (object) barrier(expected);
    }

    [[nodiscard]] LS_SYNC arrival_token arrive(ptrdiff_t count = 1)
    {
        details::awaitOwnCopies();
        arrival_token token;
        token.m_state = 0;
#ifdef __CUDA_ARCH__
        asm volatile("mbarrier.arrive.b64 %0, [%1], %2;"
                     : "=l"(token.m_state)
                     : "l"(&m_word), "r"((unsigned int)count)
                     : "memory");
#endif
        return token;
    }
    LS_SYNC void wait(arrival_token&& token) const
    {
        while (!try_wait(token))
            details::pause();
    }
    /// Waits for the end of the current phase when its number's lowest bit is \p parity.
    LS_SYNC void wait_parity(bool parity) const
    {
        while (!try_wait_parity(parity))
            details::pause();
    }
    [[nodiscard]] LS_SYNC bool try_wait(const arrival_token& token) const
    {
        unsigned int isOver = 1;
#ifdef __CUDA_ARCH__
        asm volatile("{ .reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(isOver)
                     : "l"(&m_word), "l"(token.m_state)
                     : "memory");
#endif
        return isOver;
    }
    template <class Duration>
    [[nodiscard]] LS_SYNC bool try_wait_for(const arrival_token& token, const Duration&) const
    {
        return try_wait(token);
    }
    [[nodiscard]] LS_SYNC bool try_wait_parity(bool parity) const
    {
        unsigned int isOver = 1;
#ifdef __CUDA_ARCH__
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(isOver)
                     : "l"(&m_word), "r"((unsigned int)parity)
                     : "memory");
#endif
        return isOver;
    }
    LS_SYNC void arrive_and_wait() { wait(arrive()); }
    /// Arrives, and is expected in no later phase.
    LS_SYNC void arrive_and_drop()
    {
        details::awaitOwnCopies();
#ifdef __CUDA_ARCH__
        asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.b64 s, [%0]; }" ::"l"(&m_word) : "memory");
#endif
    }
    static constexpr LS_SYNC ptrdiff_t max() { return (1 << 20) - 1; }

    /// The object itself, for PTX.
    friend LS_SYNC unsigned long long* __ls_native_handle(barrier& object) { return &object.m_word; }
    friend LS_SYNC arrival_token __ls_arrival(barrier&, unsigned long long state)
    {
        arrival_token token;
        token.m_state = state;
        return token;
    }

private:
    unsigned long long m_word;
};

/// Opens once, when it has been counted down to zero.
template <thread_scope Scope>
class latch {
public:
    latch() = default;
    LS_SYNC constexpr explicit latch(ptrdiff_t count) : m_count((int)count) {}
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    LS_SYNC void count_down(ptrdiff_t count = 1) { counter().fetch_sub((int)count, memory_order_release); }
    LS_SYNC bool try_wait() const { return counter().load(memory_order_acquire) == 0; }
    LS_SYNC void wait() const
    {
        while (!try_wait())
            details::pause();
    }
    LS_SYNC void arrive_and_wait(ptrdiff_t count = 1)
    {
        count_down(count);
        wait();
    }

private:
    LS_SYNC atomic_ref<int, Scope> counter() const { return atomic_ref<int, Scope>(m_count); }

    mutable int m_count;
};

template <thread_scope Scope, ptrdiff_t LeastMax = 0x7fffffff>
class counting_semaphore {
public:
    counting_semaphore() = default;
    LS_SYNC constexpr explicit counting_semaphore(ptrdiff_t count) : m_count((int)count) {}
    counting_semaphore(const counting_semaphore&) = delete;
    counting_semaphore& operator=(const counting_semaphore&) = delete;

    static constexpr LS_SYNC ptrdiff_t max() { return LeastMax; }
    LS_SYNC void release(ptrdiff_t count = 1) { counter().fetch_add((int)count, memory_order_release); }
    LS_SYNC bool try_acquire()
    {
        int count = counter().load(memory_order_relaxed);
        while (count > 0)
            if (counter().compare_exchange_weak(count, count - 1, memory_order_acquire))
                return true;
        return false;
    }
    LS_SYNC void acquire()
    {
        while (!try_acquire())
            details::pause();
    }

private:
    LS_SYNC atomic_ref<int, Scope> counter() { return atomic_ref<int, Scope>(m_count); }

    int m_count;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

namespace device {

LS_SYNC unsigned long long* barrier_native_handle(barrier<thread_scope_block>& object)
{
    return __ls_native_handle(object);
}

}  // namespace device

namespace details {

template <class T>
struct AlignmentOf {
    static constexpr size_t value = alignof(T);
};
template <>
struct AlignmentOf<void> {
    static constexpr size_t value = 1;
};
template <class Size>
struct PromisedBy {
    static constexpr size_t value = 1;
};
template <size_t Alignment>
struct PromisedBy<aligned_size_t<Alignment>> {
    static constexpr size_t value = Alignment;
};

#if defined(__CUDA__)
template <class Word, class Group>
LS_SYNC void copyWords(const Group& group, Word* to, const Word* from, size_t count)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Word) >= 4) {
        if (__isShared(to) && __isGlobal(from)) {
            for (size_t i = group.thread_rank(); i < count; i += group.size())
                __pipeline_memcpy_async(to + i, from + i, sizeof(Word));
            return;
        }
    }
#endif
    for (size_t i = group.thread_rank(); i < count; i += group.size())
        to[i] = from[i];
}
/// In the widest words that the alignment, known when it is compiled, allows.
template <size_t Alignment, class Group>
LS_SYNC void copyBytes(const Group& group, void* to, const void* from, size_t bytes)
{
    if (Alignment % 16 == 0 && bytes % 16 == 0)
        copyWords(group, (uint4*)to, (const uint4*)from, bytes / 16);
    else if (Alignment % 8 == 0 && bytes % 8 == 0)
        copyWords(group, (unsigned long long*)to, (const unsigned long long*)from, bytes / 8);
    else if (Alignment % 4 == 0 && bytes % 4 == 0)
        copyWords(group, (unsigned int*)to, (const unsigned int*)from, bytes / 4);
    else
        copyWords(group, (unsigned char*)to, (const unsigned char*)from, bytes);
}
#endif

}  // namespace details

#if defined(__CUDA__)
/// The group's threads copy \p size bytes in turns. The copy is part of the current phase of \p sync, a barrier, or of
/// the stage of a pipeline that its producer commits next.
template <class Group, class T, class Size, class Sync>
LS_SYNC void memcpy_async(const Group& group, T* to, const T* from, Size size, Sync&)
{
    constexpr size_t kOfType = details::AlignmentOf<T>::value;
    constexpr size_t kPromised = details::PromisedBy<Size>::value;
    details::copyBytes<(kOfType > kPromised ? kOfType : kPromised)>(group, to, from, (size_t)size);
}
template <class Group, class Size, class Sync>
LS_SYNC void memcpy_async(const Group& group, void* to, const void* from, Size size, Sync&)
{
    details::copyBytes<details::PromisedBy<Size>::value>(group, to, from, (size_t)size);
}
template <class T, class Size, class Sync>
LS_SYNC void memcpy_async(T* to, const T* from, Size size, Sync& sync)
{
    memcpy_async(details::OneThread(), to, from, size, sync);
}
template <class Size, class Sync>
LS_SYNC void memcpy_async(void* to, const void* from, Size size, Sync& sync)
{
    memcpy_async(details::OneThread(), to, from, size, sync);
}
#endif

namespace std {

template <class Completion = ::cuda::details::Nothing>
using barrier = ::cuda::barrier<::cuda::thread_scope_system, Completion>;
using latch = ::cuda::latch<::cuda::thread_scope_system>;
template <ptrdiff_t LeastMax = 0x7fffffff>
using counting_semaphore = ::cuda::counting_semaphore<::cuda::thread_scope_system, LeastMax>;
using binary_semaphore = ::cuda::binary_semaphore<::cuda::thread_scope_system>;

}  // namespace std
}  // namespace cuda

#undef LS_SYNC

#include "restore_macros.h"
