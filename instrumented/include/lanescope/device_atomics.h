// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics: each is one LLVM atomicrmw or cmpxchg, or one NVVM intrinsic. The _block and _system forms differ in scope
// only; clang's own atomics have none, and are marked as of system scope by volatile.
#pragma once

#include "../host_defines.h"

// Of a block's minimum and maximum clang has one intrinsic for numbers with and without a sign.
#pragma push_macro("LS_UNSIGNED")
#define LS_UNSIGNED(operation, type, suffix, letter)                                                                   \
    LS_DEVICE type __ls_block_##operation(type* p, type v)                                                             \
    {                                                                                                                  \
        type old;                                                                                                      \
        asm volatile("atom.cta." #operation "." suffix " %0, [%1], %2;"                                                \
                     : "=" letter(old)                                                                                 \
                     : "l"(p), letter(v)                                                                               \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
LS_UNSIGNED(min, unsigned int, "u32", "r")
LS_UNSIGNED(max, unsigned int, "u32", "r")
LS_UNSIGNED(min, unsigned long long, "u64", "l")
LS_UNSIGNED(max, unsigned long long, "u64", "l")
#undef LS_UNSIGNED
#pragma pop_macro("LS_UNSIGNED")

#pragma push_macro("LS_ATOMIC")
#define LS_ATOMIC(name, type, expression, ofBlock, ofSystem)                                                           \
    LS_DEVICE type atomic##name(type* p, type v)                                                                       \
    {                                                                                                                  \
        return expression;                                                                                             \
    }                                                                                                                  \
    LS_DEVICE type atomic##name##_block(type* p, type v)                                                               \
    {                                                                                                                  \
        return ofBlock;                                                                                                \
    }                                                                                                                  \
    LS_DEVICE type atomic##name##_system(type* p, type v)                                                              \
    {                                                                                                                  \
        return ofSystem;                                                                                               \
    }

LS_ATOMIC(Add, int, __atomic_fetch_add(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_add_gen_i(p, v),
          __atomic_fetch_add((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Add, unsigned int, __atomic_fetch_add(p, v, __ATOMIC_RELAXED),
          (unsigned int)__nvvm_atom_cta_add_gen_i((int*)p, (int)v),
          __atomic_fetch_add((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Add, unsigned long long, __atomic_fetch_add(p, v, __ATOMIC_RELAXED),
          (unsigned long long)__nvvm_atom_cta_add_gen_ll((long long*)p, (long long)v),
          __atomic_fetch_add((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Add, float, __nvvm_atom_add_gen_f(p, v), __nvvm_atom_cta_add_gen_f(p, v), __nvvm_atom_sys_add_gen_f(p, v))
LS_ATOMIC(Add, double, __nvvm_atom_add_gen_d(p, v), __nvvm_atom_cta_add_gen_d(p, v), __nvvm_atom_sys_add_gen_d(p, v))
LS_ATOMIC(Sub, int, __atomic_fetch_sub(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_add_gen_i(p, -v),
          __atomic_fetch_sub((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Sub, unsigned int, __atomic_fetch_sub(p, v, __ATOMIC_RELAXED),
          (unsigned int)__nvvm_atom_cta_add_gen_i((int*)p, (int)-v),
          __atomic_fetch_sub((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Exch, int, __nvvm_atom_xchg_gen_i(p, v), __nvvm_atom_cta_xchg_gen_i(p, v), __nvvm_atom_sys_xchg_gen_i(p, v))
LS_ATOMIC(Exch, unsigned int, (unsigned int)__nvvm_atom_xchg_gen_i((int*)p, (int)v),
          (unsigned int)__nvvm_atom_cta_xchg_gen_i((int*)p, (int)v),
          (unsigned int)__nvvm_atom_sys_xchg_gen_i((int*)p, (int)v))
LS_ATOMIC(Exch, unsigned long long, (unsigned long long)__nvvm_atom_xchg_gen_ll((long long*)p, (long long)v),
          (unsigned long long)__nvvm_atom_cta_xchg_gen_ll((long long*)p, (long long)v),
          (unsigned long long)__nvvm_atom_sys_xchg_gen_ll((long long*)p, (long long)v))
LS_ATOMIC(Exch, double,
          __builtin_bit_cast(double, __nvvm_atom_xchg_gen_ll((long long*)p, __builtin_bit_cast(long long, v))),
          __builtin_bit_cast(double, __nvvm_atom_cta_xchg_gen_ll((long long*)p, __builtin_bit_cast(long long, v))),
          __builtin_bit_cast(double, __nvvm_atom_sys_xchg_gen_ll((long long*)p, __builtin_bit_cast(long long, v))))
LS_ATOMIC(Exch, float, __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int*)p, __builtin_bit_cast(int, v))),
          __builtin_bit_cast(float, __nvvm_atom_cta_xchg_gen_i((int*)p, __builtin_bit_cast(int, v))),
          __builtin_bit_cast(float, __nvvm_atom_sys_xchg_gen_i((int*)p, __builtin_bit_cast(int, v))))
LS_ATOMIC(Sub, unsigned long long, __atomic_fetch_sub(p, v, __ATOMIC_RELAXED),
          (unsigned long long)__nvvm_atom_cta_add_gen_ll((long long*)p, (long long)-v),
          __atomic_fetch_sub((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Min, int, __atomic_fetch_min(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_min_gen_i(p, v),
          __atomic_fetch_min((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Min, unsigned int, __atomic_fetch_min(p, v, __ATOMIC_RELAXED), __ls_block_min(p, v),
          __atomic_fetch_min((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Min, long long, __atomic_fetch_min(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_min_gen_ll(p, v),
          __atomic_fetch_min((volatile long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Min, unsigned long long, __atomic_fetch_min(p, v, __ATOMIC_RELAXED), __ls_block_min(p, v),
          __atomic_fetch_min((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Max, int, __atomic_fetch_max(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_max_gen_i(p, v),
          __atomic_fetch_max((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Max, unsigned int, __atomic_fetch_max(p, v, __ATOMIC_RELAXED), __ls_block_max(p, v),
          __atomic_fetch_max((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Max, long long, __atomic_fetch_max(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_max_gen_ll(p, v),
          __atomic_fetch_max((volatile long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Max, unsigned long long, __atomic_fetch_max(p, v, __ATOMIC_RELAXED), __ls_block_max(p, v),
          __atomic_fetch_max((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(And, int, __atomic_fetch_and(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_and_gen_i(p, v),
          __atomic_fetch_and((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(And, unsigned int, __atomic_fetch_and(p, v, __ATOMIC_RELAXED),
          (unsigned int)__nvvm_atom_cta_and_gen_i((int*)p, (int)v),
          __atomic_fetch_and((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(And, long long, __atomic_fetch_and(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_and_gen_ll(p, v),
          __atomic_fetch_and((volatile long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(And, unsigned long long, __atomic_fetch_and(p, v, __ATOMIC_RELAXED),
          (unsigned long long)__nvvm_atom_cta_and_gen_ll((long long*)p, (long long)v),
          __atomic_fetch_and((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Or, int, __atomic_fetch_or(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_or_gen_i(p, v),
          __atomic_fetch_or((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Or, unsigned int, __atomic_fetch_or(p, v, __ATOMIC_RELAXED),
          (unsigned int)__nvvm_atom_cta_or_gen_i((int*)p, (int)v),
          __atomic_fetch_or((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Or, long long, __atomic_fetch_or(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_or_gen_ll(p, v),
          __atomic_fetch_or((volatile long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Or, unsigned long long, __atomic_fetch_or(p, v, __ATOMIC_RELAXED),
          (unsigned long long)__nvvm_atom_cta_or_gen_ll((long long*)p, (long long)v),
          __atomic_fetch_or((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Xor, int, __atomic_fetch_xor(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_xor_gen_i(p, v),
          __atomic_fetch_xor((volatile int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Xor, unsigned int, __atomic_fetch_xor(p, v, __ATOMIC_RELAXED),
          (unsigned int)__nvvm_atom_cta_xor_gen_i((int*)p, (int)v),
          __atomic_fetch_xor((volatile unsigned int*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Xor, long long, __atomic_fetch_xor(p, v, __ATOMIC_RELAXED), __nvvm_atom_cta_xor_gen_ll(p, v),
          __atomic_fetch_xor((volatile long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Xor, unsigned long long, __atomic_fetch_xor(p, v, __ATOMIC_RELAXED),
          (unsigned long long)__nvvm_atom_cta_xor_gen_ll((long long*)p, (long long)v),
          __atomic_fetch_xor((volatile unsigned long long*)p, v, __ATOMIC_RELAXED))
LS_ATOMIC(Inc, unsigned int, __nvvm_atom_inc_gen_ui(p, v), __nvvm_atom_cta_inc_gen_ui(p, v),
          __nvvm_atom_sys_inc_gen_ui(p, v))
LS_ATOMIC(Dec, unsigned int, __nvvm_atom_dec_gen_ui(p, v), __nvvm_atom_cta_dec_gen_ui(p, v),
          __nvvm_atom_sys_dec_gen_ui(p, v))
#undef LS_ATOMIC

#define LS_ATOMIC(type, expression, ofBlock, ofSystem)                                                                 \
    LS_DEVICE type atomicCAS(type* p, type compare, type v)                                                            \
    {                                                                                                                  \
        return expression;                                                                                             \
    }                                                                                                                  \
    LS_DEVICE type atomicCAS_block(type* p, type compare, type v)                                                      \
    {                                                                                                                  \
        return ofBlock;                                                                                                \
    }                                                                                                                  \
    LS_DEVICE type atomicCAS_system(type* p, type compare, type v)                                                     \
    {                                                                                                                  \
        return ofSystem;                                                                                               \
    }

LS_ATOMIC(int, __nvvm_atom_cas_gen_i(p, compare, v), __nvvm_atom_cta_cas_gen_i(p, compare, v),
          __nvvm_atom_sys_cas_gen_i(p, compare, v))
LS_ATOMIC(unsigned int, (unsigned int)__nvvm_atom_cas_gen_i((int*)p, (int)compare, (int)v),
          (unsigned int)__nvvm_atom_cta_cas_gen_i((int*)p, (int)compare, (int)v),
          (unsigned int)__nvvm_atom_sys_cas_gen_i((int*)p, (int)compare, (int)v))
LS_ATOMIC(long long, __nvvm_atom_cas_gen_ll(p, compare, v), __nvvm_atom_cta_cas_gen_ll(p, compare, v),
          __nvvm_atom_sys_cas_gen_ll(p, compare, v))
LS_ATOMIC(unsigned short, ({
              __atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
              compare;
          }),
          atomicCAS(p, compare, v), ({
              __atomic_compare_exchange_n((volatile unsigned short*)p, &compare, v, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
              compare;
          }))
LS_ATOMIC(unsigned long long,
          (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)p, (long long)compare, (long long)v),
          (unsigned long long)__nvvm_atom_cta_cas_gen_ll((long long*)p, (long long)compare, (long long)v),
          (unsigned long long)__nvvm_atom_sys_cas_gen_ll((long long*)p, (long long)compare, (long long)v))
#undef LS_ATOMIC
#pragma pop_macro("LS_ATOMIC")
