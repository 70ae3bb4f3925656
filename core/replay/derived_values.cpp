// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/derived_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "core/trace/derivation.h"

namespace lanescope::replay {

namespace {

using Op = trace::DerivationStep::Op;
using trace::DerivationStep;

template <typename Float>
using BitsOf = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;

template <typename Float>
Float floatOf(uint64_t bits)
{
    return std::bit_cast<Float>(static_cast<BitsOf<Float>>(bits));
}

template <typename Float>
uint64_t bitsOf(Float value)
{
    return std::bit_cast<BitsOf<Float>>(value);
}

#if defined(__x86_64__)
/// The processor's own instruction; without it the library's function computes the same, one lane at a time.
template <typename Float>
__attribute__((target("avx2,fma"))) void multiplyAddFast(LaneBits& a, const LaneBits& b, const LaneBits& c)
{
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
        if constexpr (sizeof(Float) == 8)
            a[lane] =
                bitsOf<Float>(__builtin_fma(floatOf<Float>(a[lane]), floatOf<Float>(b[lane]), floatOf<Float>(c[lane])));
        else
            a[lane] = bitsOf<Float>(
                __builtin_fmaf(floatOf<Float>(a[lane]), floatOf<Float>(b[lane]), floatOf<Float>(c[lane])));
    }
}
#endif

template <typename Float>
void multiplyAdd(LaneBits& a, const LaneBits& b, const LaneBits& c)
{
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (fast)
        return multiplyAddFast<Float>(a, b, c);
#endif
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        a[lane] = bitsOf<Float>(std::fma(floatOf<Float>(a[lane]), floatOf<Float>(b[lane]), floatOf<Float>(c[lane])));
}

/// a = compute(a, b) in all lanes.
template <typename Compute>
void eachLane(LaneBits& a, const LaneBits& b, const Compute& compute)
{
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        a[lane] = compute(a[lane], b[lane]);
}

/// a = a op b, or of three operands. Every operation rounds to \p Float: nothing is kept in wider registers or
/// contracted.
template <typename Float>
void applyToFloats(Op op, LaneBits& a, const LaneBits& b, const LaneBits& c)
{
    const auto each = [&](auto compute) {
        eachLane(a, b, [&](uint64_t x, uint64_t y) {
            const auto result = compute(floatOf<Float>(x), floatOf<Float>(y));
            if constexpr (std::is_same_v<decltype(result), const bool>)
                return uint64_t{result};
            else
                return bitsOf<Float>(result);
        });
    };
    switch (op) {
    case Op::Add:
        return each([](Float x, Float y) { return x + y; });
    case Op::Subtract:
        return each([](Float x, Float y) { return x - y; });
    case Op::Multiply:
        return each([](Float x, Float y) { return x * y; });
    case Op::Divide:
        return each([](Float x, Float y) { return x / y; });
    case Op::Negate:
        return each([](Float x, Float) { return -x; });
    case Op::MultiplyAdd:
        return multiplyAdd<Float>(a, b, c);
    case Op::FloatEqual:
        return each([](Float x, Float y) { return x == y; });
    case Op::FloatLess:
        return each([](Float x, Float y) { return x < y; });
    case Op::FloatLessEqual:
        return each([](Float x, Float y) { return x <= y; });
    default:
        a.fill(0);
    }
}

uint64_t lowBits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t signedOf(uint64_t value, unsigned bits)
{
    return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// a = a op b, modulo 2^bits.
void applyToIntegers(Op op, unsigned bits, LaneBits& a, const LaneBits& b)
{
    const auto each = [&](auto compute) {
        eachLane(a, b, [&](uint64_t x, uint64_t y) { return lowBits(static_cast<uint64_t>(compute(x, y)), bits); });
    };
    const auto eachSigned = [&](auto compute) {
        each([&](uint64_t x, uint64_t y) { return compute(signedOf(x, bits), signedOf(y, bits)); });
    };
    switch (op) {
    case Op::IntegerAdd:
        return each([](uint64_t x, uint64_t y) { return x + y; });
    case Op::IntegerSubtract:
        return each([](uint64_t x, uint64_t y) { return x - y; });
    case Op::IntegerMultiply:
        return each([](uint64_t x, uint64_t y) { return x * y; });
    case Op::UnsignedDivide:
        return each([](uint64_t x, uint64_t y) { return y == 0 ? ~uint64_t{0} : x / y; });
    case Op::UnsignedRemainder:
        return each([](uint64_t x, uint64_t y) { return y == 0 ? x : x % y; });
    case Op::SignedDivide:
        return eachSigned([](int64_t x, int64_t y) {
            return y == 0 ? int64_t{-1} : y == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x / y;
        });
    case Op::SignedRemainder:
        return eachSigned([](int64_t x, int64_t y) { return y == 0 ? x : y == -1 ? int64_t{0} : x % y; });
    case Op::ShiftLeft:
        return each([bits](uint64_t x, uint64_t y) { return y >= bits ? 0 : x << y; });
    case Op::ShiftRight:
        return each([bits](uint64_t x, uint64_t y) { return y >= bits ? 0 : x >> y; });
    case Op::ShiftRightSigned:
        return each([bits](uint64_t x, uint64_t y) { return signedOf(x, bits) >> std::min<uint64_t>(y, bits - 1); });
    case Op::And:
        return each([](uint64_t x, uint64_t y) { return x & y; });
    case Op::Or:
        return each([](uint64_t x, uint64_t y) { return x | y; });
    case Op::Xor:
        return each([](uint64_t x, uint64_t y) { return x ^ y; });
    case Op::UnsignedMinimum:
        return each([](uint64_t x, uint64_t y) { return std::min(x, y); });
    case Op::UnsignedMaximum:
        return each([](uint64_t x, uint64_t y) { return std::max(x, y); });
    case Op::SignedMinimum:
        return eachSigned([](int64_t x, int64_t y) { return std::min(x, y); });
    case Op::SignedMaximum:
        return eachSigned([](int64_t x, int64_t y) { return std::max(x, y); });
    case Op::Equal:
        return each([](uint64_t x, uint64_t y) { return x == y; });
    case Op::UnsignedLess:
        return each([](uint64_t x, uint64_t y) { return x < y; });
    case Op::UnsignedLessEqual:
        return each([](uint64_t x, uint64_t y) { return x <= y; });
    case Op::SignedLess:
        return eachSigned([](int64_t x, int64_t y) { return x < y; });
    case Op::SignedLessEqual:
        return eachSigned([](int64_t x, int64_t y) { return x <= y; });
    default:
        a.fill(0);
    }
}

void convert(const DerivationStep& step, LaneBits& a)
{
    const auto from = static_cast<unsigned>(step.operand);
    const bool isDouble = step.bits == 64;
    const auto each = [&](auto compute) { eachLane(a, a, [&](uint64_t x, uint64_t) { return compute(x); }); };
    switch (step.op) {
    case Op::Truncate:
        return each([&](uint64_t x) { return lowBits(x, step.bits); });
    case Op::SignExtend:
        return each([&](uint64_t x) { return lowBits(static_cast<uint64_t>(signedOf(x, from)), step.bits); });
    case Op::SignedToFloat:
        return each([&](uint64_t x) {
            const int64_t value = signedOf(x, from);
            return isDouble ? bitsOf(static_cast<double>(value)) : bitsOf(static_cast<float>(value));
        });
    case Op::UnsignedToFloat:
        return each(
            [&](uint64_t x) { return isDouble ? bitsOf(static_cast<double>(x)) : bitsOf(static_cast<float>(x)); });
    case Op::FloatToFloat:
        if (from == step.bits)
            return;
        return each([&](uint64_t x) {
            return isDouble ? bitsOf(static_cast<double>(floatOf<float>(x)))
                            : bitsOf(static_cast<float>(floatOf<double>(x)));
        });
    default:
        a.fill(0);
    }
}

void select(LaneBits& condition, const LaneBits& a, const LaneBits& b)
{
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        condition[lane] = condition[lane] != 0 ? a[lane] : b[lane];
}

/// Computes the first operand's place to be what \p step makes of all of them.
void apply(const DerivationStep& step, LaneBits& a, const LaneBits& b, const LaneBits& c)
{
    switch (step.op) {
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Negate:
    case Op::MultiplyAdd:
    case Op::FloatEqual:
    case Op::FloatLess:
    case Op::FloatLessEqual:
        return step.bits == 64 ? applyToFloats<double>(step.op, a, b, c) : applyToFloats<float>(step.op, a, b, c);
    case Op::Truncate:
    case Op::SignExtend:
    case Op::SignedToFloat:
    case Op::UnsignedToFloat:
    case Op::FloatToFloat:
        return convert(step, a);
    case Op::Not:
        return eachLane(a, a, [](uint64_t x, uint64_t) { return uint64_t{x == 0}; });
    case Op::Select:
        return select(a, b, c);
    default:
        return applyToIntegers(step.op, step.bits, a, b);
    }
}

}  // namespace

LaneBits evaluate(const trace::Derivation& derivation, const OperandSource& operands)
{
    static thread_local std::vector<LaneBits> stack;  // every event asks: its memory stays
    stack.clear();
    for (const DerivationStep& step : derivation) {
        const auto count = static_cast<size_t>(trace::operandCount(step.op));
        if (step.op == Op::Constant) {
            stack.emplace_back().fill(step.operand);
        } else if (count == 0) {
            LaneBits& value = stack.emplace_back();
            operands(step, value);
            const uint64_t kept = lowBits(~uint64_t{0}, step.bits);
            for (uint64_t& lane : value)
                lane &= kept;
        } else {
            const size_t first = stack.size() - count;
            apply(step, stack[first], stack[first + (count > 1 ? 1 : 0)], stack[first + (count > 2 ? 2 : 0)]);
            stack.resize(first + 1);
        }
    }
    return stack.back();
}

LaneBits coordinates(const DerivationStep& step, const trace::Launch& launch, BlockIndex block, uint32_t warp)
{
    const auto partOf = [&](const Dim3& of) { return std::array{of.x, of.y, of.z}[step.operand % 3]; };
    LaneBits values{};
    if (launch.block.count() == 0 || launch.grid.count() == 0)
        return values;
    switch (step.operand / 3) {
    case 0:
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            values[lane] = partOf(positionOf(warp * uint64_t{kWarpSize} + lane, launch.block));
        break;
    case 1:
        values.fill(partOf(positionOf(block.value, launch.grid)));
        break;
    case 2:
        values.fill(partOf(launch.block));
        break;
    default:
        values.fill(partOf(launch.grid));
        break;
    }
    return values;
}

std::vector<uint8_t> derivationOperands(const trace::Catalog& catalog)
{
    std::vector<uint8_t> wanted(catalog.sites.size());
    for (const trace::Site& site : catalog.sites)
        for (const DerivationStep& step : site.derivation)
            if (step.op == Op::Load)
                wanted[step.operand] = 1;
    return wanted;
}

}  // namespace lanescope::replay
