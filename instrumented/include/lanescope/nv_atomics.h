// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The __nv_atomic functions that nvcc knows since CUDA 12.8. As in libcu++ here, operations are relaxed, with fences
// around them where their memory order asks for more.
#pragma once

#include "../host_defines.h"

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

LS_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_RELAXED)
        return;
    if (scope <= __NV_THREAD_SCOPE_BLOCK)
        __nvvm_membar_cta();
    else if (scope <= __NV_THREAD_SCOPE_DEVICE)
        __nvvm_membar_gl();
    else
        __nvvm_membar_sys();
}

/// Before and after an operation of that order.
LS_DEVICE void __ls_nv_atomic_before(int order, int scope)
{
    if (order >= __NV_ATOMIC_RELEASE)
        __nv_atomic_thread_fence(order, scope);
}
LS_DEVICE void __ls_nv_atomic_after(int order, int scope)
{
    if (order != __NV_ATOMIC_RELEASE)
        __nv_atomic_thread_fence(order, scope);
}

/// The other way round: no load is released, and no store acquired, but one that is sequentially consistent is both.
template <class T>
LS_DEVICE void __nv_atomic_load(T* from, T* to, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_SEQ_CST)
        __nv_atomic_thread_fence(order, scope);
    __atomic_load(from, to, __ATOMIC_RELAXED);
    __ls_nv_atomic_after(order, scope);
}
template <class T>
LS_DEVICE T __nv_atomic_load_n(T* from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T value;
    __nv_atomic_load(from, &value, order, scope);
    return value;
}
template <class T>
LS_DEVICE void __nv_atomic_store(T* to, T* from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __ls_nv_atomic_before(order, scope);
    __atomic_store(to, from, __ATOMIC_RELAXED);
    if (order == __NV_ATOMIC_SEQ_CST)
        __nv_atomic_thread_fence(order, scope);
}
template <class T, class Value>
LS_DEVICE void __nv_atomic_store_n(T* to, Value value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T stored = (T)value;
    __nv_atomic_store(to, &stored, order, scope);
}
template <class T>
LS_DEVICE void __nv_atomic_exchange(T* at, T* value, T* old, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __ls_nv_atomic_before(order, scope);
    __atomic_exchange(at, value, old, __ATOMIC_RELAXED);
    __ls_nv_atomic_after(order, scope);
}
template <class T, class Value>
LS_DEVICE T __nv_atomic_exchange_n(T* at, Value value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T stored = (T)value, old;
    __nv_atomic_exchange(at, &stored, &old, order, scope);
    return old;
}
template <class T>
LS_DEVICE bool __nv_atomic_compare_exchange(T* at, T* expected, T* desired, bool, int success, int failure,
                                            int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __ls_nv_atomic_before(success, scope);
    const bool done = __atomic_compare_exchange(at, expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __ls_nv_atomic_after(done ? success : failure, scope);
    return done;
}
template <class T, class Value>
LS_DEVICE bool __nv_atomic_compare_exchange_n(T* at, T* expected, Value desired, bool weak, int success, int failure,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T stored = (T)desired;
    return __nv_atomic_compare_exchange(at, expected, &stored, weak, success, failure, scope);
}

#pragma push_macro("LS_NV_ATOMIC")
#define LS_NV_ATOMIC(name)                                                                                             \
    template <class T, class Value>                                                                                    \
    LS_DEVICE T __nv_atomic_fetch_##name(T* at, Value value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)          \
    {                                                                                                                  \
        __ls_nv_atomic_before(order, scope);                                                                           \
        const T old = __atomic_fetch_##name(at, (T)value, __ATOMIC_RELAXED);                                           \
        __ls_nv_atomic_after(order, scope);                                                                            \
        return old;                                                                                                    \
    }                                                                                                                  \
    template <class T, class Value>                                                                                    \
    LS_DEVICE void __nv_atomic_##name(T* at, Value value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)             \
    {                                                                                                                  \
        __nv_atomic_fetch_##name(at, value, order, scope);                                                             \
    }

LS_NV_ATOMIC(add)
LS_NV_ATOMIC(sub)
LS_NV_ATOMIC(min)
LS_NV_ATOMIC(max)
LS_NV_ATOMIC(and)
LS_NV_ATOMIC(or)
LS_NV_ATOMIC(xor)
#undef LS_NV_ATOMIC
#pragma pop_macro("LS_NV_ATOMIC")
