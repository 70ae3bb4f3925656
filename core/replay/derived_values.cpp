// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/derived_values.h"

#include <bit>
#include <cmath>

namespace lanescope::replay {

namespace {

using Op = trace::DerivationStep::Op;

template <typename Float>
using Lanes = std::array<Float, kWarpSize>;

#if defined(__x86_64__)
/// The processor's own instruction; without it the library's function computes the same, one lane at a time.
template <typename Float>
__attribute__((target("avx2,fma"))) void multiplyAddFast(Lanes<Float>& a, const Lanes<Float>& b, const Lanes<Float>& c)
{
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        a[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
}

template <>
__attribute__((target("avx2,fma"))) void multiplyAddFast(Lanes<float>& a, const Lanes<float>& b, const Lanes<float>& c)
{
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        a[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
}
#endif

template <typename Float>
void multiplyAdd(Lanes<Float>& a, const Lanes<Float>& b, const Lanes<Float>& c)
{
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (fast)
        return multiplyAddFast(a, b, c);
#endif
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        a[lane] = std::fma(a[lane], b[lane], c[lane]);
}

/// a = a op b, or of three operands.
template <typename Float>
void apply(Op op, Lanes<Float>& a, const Lanes<Float>& b, const Lanes<Float>& c)
{
    const auto eachLane = [&](auto compute) {
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            a[lane] = compute(a[lane], b[lane]);
    };
    switch (op) {
    case Op::Add:
        return eachLane([](Float x, Float y) { return x + y; });
    case Op::Subtract:
        return eachLane([](Float x, Float y) { return x - y; });
    case Op::Multiply:
        return eachLane([](Float x, Float y) { return x * y; });
    case Op::Divide:
        return eachLane([](Float x, Float y) { return x / y; });
    case Op::Negate:
        return eachLane([](Float x, Float) { return -x; });
    case Op::MultiplyAdd:
        return multiplyAdd(a, b, c);
    case Op::Variable:
    case Op::Load:
    case Op::Constant:
        break;
    }
    a.fill(0);
}

size_t operandCount(Op op)
{
    return op == Op::MultiplyAdd ? 3 : op == Op::Negate ? 1 : 2;
}

template <typename Float, typename Bits>
Lanes<Float> valuesOf(const LaneBits& bits)
{
    Lanes<Float> values;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        values[lane] = std::bit_cast<Float>(static_cast<Bits>(bits[lane]));
    return values;
}

/// Every operation rounds to \p Float: nothing is kept in wider registers or contracted.
template <typename Float, typename Bits>
LaneBits evaluateAs(const trace::Derivation& derivation, const OperandSource& operands)
{
    std::vector<Lanes<Float>> stack;
    stack.reserve(derivation.size());
    for (const trace::DerivationStep& step : derivation) {
        if (step.op == Op::Variable || step.op == Op::Load) {
            stack.push_back(valuesOf<Float, Bits>(operands(step)));
            continue;
        }
        if (step.op == Op::Constant) {
            stack.emplace_back().fill(std::bit_cast<Float>(static_cast<Bits>(step.operand)));
            continue;
        }
        const size_t count = operandCount(step.op);
        const size_t first = stack.size() - count;
        apply(step.op, stack[first], stack[first + (count > 1 ? 1 : 0)], stack[first + (count > 2 ? 2 : 0)]);
        stack.resize(first + 1);
    }
    LaneBits bits{};
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        bits[lane] = std::bit_cast<Bits>(stack.back()[lane]);
    return bits;
}

}  // namespace

LaneBits evaluate(const trace::Derivation& derivation, uint32_t bytes, const OperandSource& operands)
{
    return bytes == 8 ? evaluateAs<double, uint64_t>(derivation, operands)
                      : evaluateAs<float, uint32_t>(derivation, operands);
}

std::vector<uint8_t> derivationOperands(const trace::Catalog& catalog)
{
    std::vector<uint8_t> wanted(catalog.sites.size());
    for (const trace::Site& site : catalog.sites)
        for (const trace::DerivationStep& step : site.derivation)
            if (step.op == Op::Load)
                wanted[step.operand] = 1;
    return wanted;
}

}  // namespace lanescope::replay
