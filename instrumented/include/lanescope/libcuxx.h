// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A subset of libcu++ for <cuda/atomic> and <cuda/std/atomic>: operations are relaxed, with fences around them where
// their memory order asks for more.
#pragma once

#include "../cuda_runtime.h"

#include "hide_macros.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

namespace std {

enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};

}  // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

#define LS_ATOMIC __attribute__((host, device, always_inline, nodebug))

namespace details {

LS_ATOMIC inline void fence(thread_scope scope)
{
#ifdef __CUDA_ARCH__
    if (scope == thread_scope_block || scope == thread_scope_thread)
        __nvvm_membar_cta();
    else if (scope == thread_scope_device)
        __nvvm_membar_gl();
    else
        __nvvm_membar_sys();
#else
    (void)scope;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
LS_ATOMIC inline bool acquires(memory_order order)
{
    return order != memory_order_relaxed && order != memory_order_release;
}
LS_ATOMIC inline bool releases(memory_order order)
{
    return order >= memory_order_release;
}

LS_ATOMIC inline void before(memory_order order, thread_scope scope)
{
    if (releases(order))
        fence(scope);
}
/// \p result, once what follows is ordered after it.
template <class T>
LS_ATOMIC inline T after(T result, memory_order order, thread_scope scope)
{
    if (acquires(order))
        fence(scope);
    return result;
}

/// What is added to a T, and how much of it one is.
template <class T>
struct Step {
    using type = T;
    static LS_ATOMIC T scaled(T count) { return count; }
};
template <class T>
struct Step<T*> {
    using type = long;
    static LS_ATOMIC type scaled(type count) { return count * (type)sizeof(T); }
};

template <class T, bool ByHost>
struct Seen {
    typedef T type;
};
template <class T>
struct Seen<T, true> {
    typedef volatile T type;
};

// The compiler's atomics are of device scope; CUDA has some of block scope.
#ifdef __CUDA_ARCH__
template <class T, class Value>
LS_ATOMIC inline auto addInBlock(T* at, Value value, int) -> decltype(atomicAdd_block(at, value))
{
    return atomicAdd_block(at, value);
}
template <class T>
LS_ATOMIC inline auto exchangeInBlock(T* at, T value, int) -> decltype(atomicExch_block(at, value))
{
    return atomicExch_block(at, value);
}
#endif
template <class T, class Value>
LS_ATOMIC inline T addInBlock(T* at, Value value, long)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <class T>
LS_ATOMIC inline T exchangeInBlock(T* at, T value, long)
{
    T old;
    __atomic_exchange(at, &value, &old, __ATOMIC_RELAXED);
    return old;
}

}  // namespace details

LS_ATOMIC inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{
    if (order != memory_order_relaxed)
        details::fence(scope);
}

/// Operations on a T that lies elsewhere.
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref {
public:
    using value_type = T;
    using difference_type = typename details::Step<T>::type;
    static constexpr bool is_always_lock_free = sizeof(T) <= 8;

    LS_ATOMIC explicit atomic_ref(T& object) : m_object(&object) {}
    LS_ATOMIC T load(memory_order order = memory_order_seq_cst) const
    {
        if (order == memory_order_seq_cst)
            details::fence(Scope);
        T value;
        __atomic_load(m_object, &value, __ATOMIC_RELAXED);
        return details::after(value, order, Scope);
    }
    LS_ATOMIC void store(T value, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        __atomic_store(m_object, &value, __ATOMIC_RELAXED);
        if (order == memory_order_seq_cst)
            details::fence(Scope);
    }
    LS_ATOMIC T exchange(T value, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        if (Scope == thread_scope_block)
            return details::after(details::exchangeInBlock(m_object, value, 0), order, Scope);
        T old;
        __atomic_exchange(place(), &value, &old, __ATOMIC_RELAXED);
        return details::after(old, order, Scope);
    }
    LS_ATOMIC bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        return details::after(
            __atomic_compare_exchange(place(), &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED), order,
            Scope);
    }
    LS_ATOMIC bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order) const
    {
        return compare_exchange_strong(expected, value, order);
    }
    LS_ATOMIC bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst) const
    {
        return compare_exchange_strong(expected, value, order);
    }
    LS_ATOMIC bool compare_exchange_weak(T& expected, T value, memory_order order, memory_order) const
    {
        return compare_exchange_strong(expected, value, order);
    }
    LS_ATOMIC T fetch_add(difference_type count, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        if (Scope == thread_scope_block)
            return details::after(details::addInBlock(m_object, details::Step<T>::scaled(count), 0), order, Scope);
        return details::after(__atomic_fetch_add(place(), details::Step<T>::scaled(count), __ATOMIC_RELAXED), order,
                              Scope);
    }
    LS_ATOMIC T fetch_sub(difference_type count, memory_order order = memory_order_seq_cst) const
    {
        return fetch_add(difference_type(-count), order);
    }
    LS_ATOMIC T fetch_and(T value, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        return details::after(__atomic_fetch_and(place(), value, __ATOMIC_RELAXED), order, Scope);
    }
    LS_ATOMIC T fetch_or(T value, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        return details::after(__atomic_fetch_or(place(), value, __ATOMIC_RELAXED), order, Scope);
    }
    LS_ATOMIC T fetch_xor(T value, memory_order order = memory_order_seq_cst) const
    {
        details::before(order, Scope);
        return details::after(__atomic_fetch_xor(place(), value, __ATOMIC_RELAXED), order, Scope);
    }
    LS_ATOMIC T fetch_max(T value, memory_order order = memory_order_seq_cst) const
    {
        return update([=](T old) { return old < value ? value : old; }, order);
    }
    LS_ATOMIC T fetch_min(T value, memory_order order = memory_order_seq_cst) const
    {
        return update([=](T old) { return value < old ? value : old; }, order);
    }
    LS_ATOMIC T operator++(int) const { return fetch_add(1); }
    LS_ATOMIC T operator--(int) const { return fetch_sub(1); }
    LS_ATOMIC T operator++() const { return fetch_add(1) + 1; }
    LS_ATOMIC T operator--() const { return fetch_sub(1) - 1; }
    LS_ATOMIC T operator+=(difference_type count) const { return fetch_add(count) + count; }
    LS_ATOMIC T operator-=(difference_type count) const { return fetch_sub(count) - count; }
    LS_ATOMIC T operator=(T value) const
    {
        store(value);
        return value;
    }
    LS_ATOMIC operator T() const { return load(); }
    LS_ATOMIC void wait(T old, memory_order order = memory_order_seq_cst) const
    {
        while (load(order) == old) {
        }
    }
    LS_ATOMIC void notify_one() const {}
    LS_ATOMIC void notify_all() const {}

private:
    template <class F>
    LS_ATOMIC T update(F change, memory_order order) const
    {
        T old = load(memory_order_relaxed);
        while (!compare_exchange_strong(old, change(old), order)) {
        }
        return old;
    }

    /// Where updates go: volatile says that the host may see them (device_atomics.h).
    LS_ATOMIC typename details::Seen<T, Scope == thread_scope_system>::type* place() const { return m_object; }

    T* m_object;
};

/// A T of its own.
template <class T, thread_scope Scope = thread_scope_system>
class atomic {
public:
    using value_type = T;
    using difference_type = typename details::Step<T>::type;

    /// Leaves the value as it is: shared memory has no constructors.
    atomic() noexcept = default;
    LS_ATOMIC constexpr atomic(T value) noexcept : m_value(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    // clang-format off
    LS_ATOMIC T load(memory_order order = memory_order_seq_cst) const { return Ref(m_value).load(order); }
    LS_ATOMIC void store(T value, memory_order order = memory_order_seq_cst) { Ref(m_value).store(value, order); }
    LS_ATOMIC T exchange(T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).exchange(value, order); }
    LS_ATOMIC T fetch_add(difference_type count, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_add(count, order); }
    LS_ATOMIC T fetch_sub(difference_type count, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_sub(count, order); }
    LS_ATOMIC T fetch_and(T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_and(value, order); }
    LS_ATOMIC T fetch_or(T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_or(value, order); }
    LS_ATOMIC T fetch_xor(T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_xor(value, order); }
    LS_ATOMIC T fetch_max(T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_max(value, order); }
    LS_ATOMIC T fetch_min(T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).fetch_min(value, order); }
    LS_ATOMIC bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).compare_exchange_strong(expected, value, order); }
    LS_ATOMIC bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order) { return Ref(m_value).compare_exchange_strong(expected, value, order); }
    LS_ATOMIC bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst) { return Ref(m_value).compare_exchange_strong(expected, value, order); }
    LS_ATOMIC bool compare_exchange_weak(T& expected, T value, memory_order order, memory_order) { return Ref(m_value).compare_exchange_strong(expected, value, order); }
    LS_ATOMIC T operator++(int) { return Ref(m_value)++; }
    LS_ATOMIC T operator--(int) { return Ref(m_value)--; }
    LS_ATOMIC T operator++() { return ++Ref(m_value); }
    LS_ATOMIC T operator--() { return --Ref(m_value); }
    LS_ATOMIC T operator+=(difference_type count) { return Ref(m_value) += count; }
    LS_ATOMIC T operator-=(difference_type count) { return Ref(m_value) -= count; }
    LS_ATOMIC T operator=(T value) { return Ref(m_value) = value; }
    LS_ATOMIC operator T() const { return load(); }
    LS_ATOMIC void wait(T old, memory_order order = memory_order_seq_cst) const { Ref(m_value).wait(old, order); }
    LS_ATOMIC void notify_one() {}
    LS_ATOMIC void notify_all() {}
    // clang-format on

private:
    using Ref = atomic_ref<T, Scope>;

    mutable T m_value;
};

template <thread_scope Scope = thread_scope_system>
class atomic_flag {
public:
    atomic_flag() noexcept = default;
    LS_ATOMIC constexpr atomic_flag(bool value) noexcept : m_value(value) {}
    atomic_flag(const atomic_flag&) = delete;
    atomic_flag& operator=(const atomic_flag&) = delete;

    LS_ATOMIC bool test(memory_order order = memory_order_seq_cst) const { return m_value.load(order) != 0; }
    LS_ATOMIC bool test_and_set(memory_order order = memory_order_seq_cst) { return m_value.exchange(1, order) != 0; }
    LS_ATOMIC void clear(memory_order order = memory_order_seq_cst) { m_value.store(0, order); }
    LS_ATOMIC void wait(bool old, memory_order order = memory_order_seq_cst) const { m_value.wait(old, order); }
    LS_ATOMIC void notify_one() {}
    LS_ATOMIC void notify_all() {}

private:
    atomic<unsigned int, Scope> m_value;
};

namespace std {

using atomic_flag = ::cuda::atomic_flag<thread_scope_system>;
template <class T>
using atomic = ::cuda::atomic<T, ::cuda::thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
using ::cuda::atomic_thread_fence;

}  // namespace std
}  // namespace cuda

#undef LS_ATOMIC
#define LIBCUDACXX_ATOMIC_VAR_INIT(value) {value}
#define LIBCUDACXX_ATOMIC_FLAG_INIT {0}
#ifndef ATOMIC_VAR_INIT
#define ATOMIC_VAR_INIT(value) {value}
#endif
#ifndef ATOMIC_FLAG_INIT
#define ATOMIC_FLAG_INIT {0}
#endif

#include "restore_macros.h"
