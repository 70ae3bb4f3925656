// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA 12.8's built-in atomics with an order and a scope (__nv_atomic_add and its kin). Both are literals there, here
// arguments of a template, so that each call is one relaxed operation with the fences that its order asks for.
#pragma once

#include "device_atomics.h"

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

/// The type that the classic atomics have for numbers of T's kind and size.
template <class T, unsigned long Size = sizeof(T), bool IsSigned = (T(-1) < T(0)), bool IsFloat = (T(0.5) != T(0))>
struct __ls_atomic_number {};
// clang-format off
template <class T> struct __ls_atomic_number<T, 4, true, false> { typedef int type; typedef unsigned int bits; };
template <class T> struct __ls_atomic_number<T, 4, false, false> { typedef unsigned int type; typedef unsigned int bits; };
template <class T> struct __ls_atomic_number<T, 8, true, false> { typedef long long type; typedef unsigned long long bits; };
template <class T> struct __ls_atomic_number<T, 8, false, false> { typedef unsigned long long type; typedef unsigned long long bits; };
template <class T> struct __ls_atomic_number<T, 4, true, true> { typedef float type; typedef float bits; };
template <class T> struct __ls_atomic_number<T, 8, true, true> { typedef double type; typedef double bits; };
template <class T> struct __ls_same { typedef T type; };
template <class T> struct __ls_same<const T> { typedef T type; };
template <class T> struct __ls_same<volatile T> { typedef T type; };
template <class T> struct __ls_same<const volatile T> { typedef T type; };
// clang-format on

#define LS_SCOPED static __inline__ __attribute__((device, always_inline, nodebug, unused))

template <int Order, int Scope = __NV_THREAD_SCOPE_SYSTEM>
struct __ls_scoped {
    static constexpr bool kOfBlock = Scope <= __NV_THREAD_SCOPE_BLOCK;
    static constexpr bool kAcquires = Order != __NV_ATOMIC_RELAXED && Order != __NV_ATOMIC_RELEASE;
    static constexpr bool kReleases = Order >= __NV_ATOMIC_RELEASE;

    LS_SCOPED void fence()
    {
        if constexpr (kOfBlock)
            __nvvm_membar_cta();
        else if constexpr (Scope == __NV_THREAD_SCOPE_SYSTEM)
            __nvvm_membar_sys();
        else
            __nvvm_membar_gl();
    }
    LS_SCOPED void orderedFence()
    {
        if constexpr (Order != __NV_ATOMIC_RELAXED)
            fence();
    }
    LS_SCOPED void before()
    {
        if constexpr (kReleases)
            fence();
    }
    LS_SCOPED void after()
    {
        if constexpr (kAcquires)
            fence();
    }

    template <class T, class To>
    LS_SCOPED void load(T* at, To* out)
    {
        if constexpr (Order == __NV_ATOMIC_SEQ_CST)
            fence();
        __atomic_load(at, out, __ATOMIC_RELAXED);
        after();
    }
    template <class T>
    LS_SCOPED typename __ls_same<T>::type loaded(T* at)
    {
        typename __ls_same<T>::type value;
        load(at, &value);
        return value;
    }
    template <class T>
    LS_SCOPED void store(T* at, typename __ls_same<T>::type value)
    {
        before();
        __atomic_store(at, &value, __ATOMIC_RELAXED);
        if constexpr (Order == __NV_ATOMIC_SEQ_CST)
            fence();
    }
    template <class T>
    LS_SCOPED typename __ls_same<T>::type exchange(T* at, typename __ls_same<T>::type value)
    {
        typename __ls_same<T>::type old;
        before();
        __atomic_exchange(at, &value, &old, __ATOMIC_RELAXED);
        after();
        return old;
    }
    template <class T>
    LS_SCOPED bool compareExchange(T* at, typename __ls_same<T>::type* expected, typename __ls_same<T>::type desired)
    {
        before();
        const bool exchanged =
            __atomic_compare_exchange(at, expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        after();
        return exchanged;
    }

#define LS_FETCH(name, classic, as)                                                                                    \
    template <class T>                                                                                                 \
    LS_SCOPED typename __ls_same<T>::type name(T* at, typename __ls_same<T>::type value)                               \
    {                                                                                                                  \
        typedef typename __ls_same<T>::type Value;                                                                     \
        typedef typename __ls_atomic_number<Value>::as Number;                                                         \
        Number old;                                                                                                    \
        before();                                                                                                      \
        if constexpr (kOfBlock)                                                                                        \
            old = classic##_block((Number*)at, (Number)value);                                                         \
        else if constexpr (Scope == __NV_THREAD_SCOPE_SYSTEM)                                                          \
            old = classic##_system((Number*)at, (Number)value);                                                        \
        else                                                                                                           \
            old = classic((Number*)at, (Number)value);                                                                 \
        after();                                                                                                       \
        return (Value)old;                                                                                             \
    }
    LS_FETCH(add, atomicAdd, bits)
    LS_FETCH(bitAnd, atomicAnd, type)
    LS_FETCH(bitOr, atomicOr, type)
    LS_FETCH(bitXor, atomicXor, type)
    LS_FETCH(greatest, atomicMax, type)
    LS_FETCH(least, atomicMin, type)
#undef LS_FETCH
    template <class T>
    LS_SCOPED typename __ls_same<T>::type subtract(T* at, typename __ls_same<T>::type value)
    {
        return add(at, (typename __ls_same<T>::type) - value);
    }
};
/// An exchange that fails is ordered as one that succeeds, which is at least as strict.
template <int Success, int Failure, int Scope = __NV_THREAD_SCOPE_SYSTEM>
struct __ls_scoped_exchange : __ls_scoped<Success, Scope> {};

#undef LS_SCOPED

// clang-format off
#define __nv_atomic_load(at, out, ...) __ls_scoped<__VA_ARGS__>::load(at, out)
#define __nv_atomic_load_n(at, ...) __ls_scoped<__VA_ARGS__>::loaded(at)
#define __nv_atomic_store(at, value, ...) __ls_scoped<__VA_ARGS__>::store(at, *(value))
#define __nv_atomic_store_n(at, value, ...) __ls_scoped<__VA_ARGS__>::store(at, value)
#define __nv_atomic_exchange(at, value, old, ...) ((void)(*(old) = __ls_scoped<__VA_ARGS__>::exchange(at, *(value))))
#define __nv_atomic_exchange_n(at, value, ...) __ls_scoped<__VA_ARGS__>::exchange(at, value)
#define __nv_atomic_compare_exchange(at, expected, desired, weak, ...) __ls_scoped_exchange<__VA_ARGS__>::compareExchange(at, expected, *(desired))
#define __nv_atomic_compare_exchange_n(at, expected, desired, weak, ...) __ls_scoped_exchange<__VA_ARGS__>::compareExchange(at, expected, desired)
#define __nv_atomic_fetch_add(at, value, ...) __ls_scoped<__VA_ARGS__>::add(at, value)
#define __nv_atomic_fetch_sub(at, value, ...) __ls_scoped<__VA_ARGS__>::subtract(at, value)
#define __nv_atomic_fetch_and(at, value, ...) __ls_scoped<__VA_ARGS__>::bitAnd(at, value)
#define __nv_atomic_fetch_or(at, value, ...) __ls_scoped<__VA_ARGS__>::bitOr(at, value)
#define __nv_atomic_fetch_xor(at, value, ...) __ls_scoped<__VA_ARGS__>::bitXor(at, value)
#define __nv_atomic_fetch_max(at, value, ...) __ls_scoped<__VA_ARGS__>::greatest(at, value)
#define __nv_atomic_fetch_min(at, value, ...) __ls_scoped<__VA_ARGS__>::least(at, value)
#define __nv_atomic_add(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::add(at, value))
#define __nv_atomic_sub(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::subtract(at, value))
#define __nv_atomic_and(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::bitAnd(at, value))
#define __nv_atomic_or(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::bitOr(at, value))
#define __nv_atomic_xor(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::bitXor(at, value))
#define __nv_atomic_max(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::greatest(at, value))
#define __nv_atomic_min(at, value, ...) ((void)__ls_scoped<__VA_ARGS__>::least(at, value))
#define __nv_atomic_thread_fence(...) __ls_scoped<__VA_ARGS__>::orderedFence()
// clang-format on
