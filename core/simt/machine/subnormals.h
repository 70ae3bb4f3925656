// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subnormal numbers of kernels that are compiled with -ftz=true.
#pragma once

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace lanescope::simt {

/// While it lives, subnormal operands and results of this thread are zeros that keep their sign, or are what IEEE says.
/// Handlers and machine code alike compute with the processor's vector instructions, whose control word says so; it
/// holds for float and double together. On processors without that word floats stay IEEE's.
class SubnormalScope {
public:
    explicit SubnormalScope(bool flush)
    {
#ifdef __SSE__
        constexpr unsigned kFlush = 0x8040;  // results, operands
        _mm_setcsr(flush ? m_before | kFlush : m_before & ~kFlush);
#else
        (void)flush;
#endif
    }
    SubnormalScope(const SubnormalScope&) = delete;
    SubnormalScope& operator=(const SubnormalScope&) = delete;
#ifdef __SSE__
    ~SubnormalScope() { _mm_setcsr(m_before); }

private:
    unsigned m_before = _mm_getcsr();
#endif
};

}  // namespace lanescope::simt
