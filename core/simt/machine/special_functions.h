// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a GPU of compute capability 9.0 computes with its special function unit, bit for bit: the approximations of PTX
// (ex2.approx and its kin), and the functions of single precision that NVIDIA's library makes of them and of fused
// multiply-adds. Measured on an H200, of all 2^32 inputs (decision 90).
//
// Functions are each file's own: handlers are compiled once for each instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lanescope::simt::special {

/// Whether subnormal results are zero (.ftz).
enum class Subnormals : bool { Kept, Flushed };

/// Of a piece of a function: constant + ofT t + ofSquare s, in units that each function has.
struct Segment {
    int64_t constant;
    int32_t ofT;
    int16_t ofSquare;
};

#include "core/simt/machine/special_function_tables.inl"

constexpr unsigned kFractionBits = 23;
constexpr uint32_t kFractionMask = (1u << kFractionBits) - 1;
constexpr uint32_t kSignBit = 1u << 31;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kNoEnd = std::numeric_limits<float>::infinity();
constexpr int kBias = 127;
constexpr float kSmallest = std::numeric_limits<float>::min();  ///< that is normal

constexpr unsigned kBitsOfT = 17;

constexpr unsigned kBitsOfPart = 7;

/// What bits 2 to 8 of t, \p lower, add to its cut square together with the seven highest, \p upper: bit i takes along
/// t 2^(i + 1), of which the columns that are there have bits above 17 - i.
constexpr auto kMixedRows = [] {
    constexpr unsigned kSize = 1u << kBitsOfPart;
    std::array<std::array<uint8_t, kSize>, kSize> rows{};
    for (unsigned lower = 1; lower < kSize; ++lower) {
        const auto bit = static_cast<unsigned>(std::countr_zero(lower));
        for (unsigned upper = 0; upper < kSize; ++upper)
            rows[lower][upper] =
                static_cast<uint8_t>(rows[lower & (lower - 1)][upper] + (upper >> (kBitsOfPart - 1 - bit)));
    }
    return rows;
}();

/// The square of \p t, of 17 bits, as a unit has it that lacks the columns below 2^19 of the partial products: of each
/// two different bits one, folded, and of each bit with itself. In units of 2^19.
static inline uint32_t cutSquare(uint32_t t)
{
    // Rows of bits from the ninth on lose but the lowest bit of their square.
    const uint32_t upper = t >> 9;
    return (upper * upper >> 1) + kMixedRows[t >> 2 & 0x7f][t >> 10];
}

/// The polynomial of the segment that the highest bits of a fraction of 23 bits name, at t, the others.
template <size_t kSegments>
static inline int64_t evaluate(const Segment (&segments)[kSegments], uint32_t fraction)
{
    constexpr unsigned kBits = kFractionBits - (std::bit_width(kSegments) - 1);
    const Segment& segment = segments[fraction >> kBits];
    const uint32_t t = fraction & ((1u << kBits) - 1);
    return segment.constant + int64_t{segment.ofT} * t + int64_t{segment.ofSquare} * cutSquare(t << (kBitsOfT - kBits));
}

static inline uint32_t magnitudeBits(float x)
{
    return std::bit_cast<uint32_t>(x) & ~kSignBit;
}

/// 2^\p exponent, of a normal number.
static inline float power(int exponent)
{
    return std::bit_cast<float>(static_cast<uint32_t>(exponent + kBias) << kFractionBits);
}

/// \p fraction, 1 + \p fraction / 2^23 or 2 where it is 2^23, times 2^\p exponent.
static inline float scaled(int64_t fraction, int exponent)
{
    return std::bit_cast<float>(static_cast<uint32_t>(((exponent + kBias) << kFractionBits) + fraction));
}

/// Of a normal x in [-126, 128).
static inline float exp2OfNormal(float x)
{
    const auto whole = static_cast<int>(x);  // towards zero
    const auto fraction = static_cast<uint32_t>(std::fabs(x - static_cast<float>(whole)) * (1u << kFractionBits));
    if (fraction == 0)
        return power(whole);
    // A negative number's bits are turned round, not negated.
    const uint32_t isNegative = std::bit_cast<uint32_t>(x) >> 31;
    return scaled(evaluate(kExp2, (fraction ^ (0 - isNegative)) & kFractionMask) >> 15,
                  whole - static_cast<int>(isNegative));
}

/// x as 2^exponent times 1.fraction, of a positive number that is no infinity.
struct Parts {
    int exponent;
    uint32_t fraction;
};

static inline Parts partsOf(float x)
{
    uint32_t bits = std::bit_cast<uint32_t>(x);
    if (bits > kFractionMask)
        return {static_cast<int>(bits >> kFractionBits) - kBias, bits & kFractionMask};
    const auto places = static_cast<unsigned>(std::countl_zero(bits)) - (31 - kFractionBits);
    bits <<= places;
    return {1 - kBias - static_cast<int>(places), bits & kFractionMask};
}

// ex2.approx and its kin. Flushed, inputs that are subnormal must be zero already.

static inline float approximateExp2(float x, Subnormals subnormals = Subnormals::Kept)
{
    if (std::isnan(x))
        return kNaN;
    if (x >= 128)
        return kNoEnd;
    if (magnitudeBits(x) <= kFractionMask)
        return 1;
    if (x >= -126)
        return exp2OfNormal(x);
    if (subnormals == Subnormals::Flushed || x < -252)
        return 0;
    const float half = exp2OfNormal(x * 0.5f);
    return half * half;
}

static inline float approximateLog2(float x)
{
    if (x == 0)
        return -kNoEnd;
    if (!(x > 0))
        return kNaN;
    if (std::isinf(x))
        return x;
    if (x == 1)
        return 0;
    const bool isSmall = x < kSmallest;
    const Parts parts = partsOf(isSmall ? x * 0x1p24f : x);
    // In units of 2^-38. The bits of a negative sum are turned round, without the last two.
    constexpr int kBits = 38;
    const int64_t sum = (int64_t{parts.exponent} << kBits) + evaluate(kLog2, parts.fraction);
    auto magnitude = static_cast<uint64_t>(sum < 0 ? ~(sum | 3) : sum);
    const int drop = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 24);
    magnitude = magnitude >> drop << drop;
    const auto value = static_cast<float>(static_cast<double>(magnitude) * 0x1p-38);
    return (sum < 0 ? -value : value) - (isSmall ? 24.0f : 0.0f);
}

static inline float approximateReciprocal(float x)
{
    if (std::isnan(x))
        return kNaN;
    const float magnitude = std::fabs(x);
    if (magnitude == 0 || std::isinf(x))
        return std::copysign(magnitude == 0 ? kNoEnd : 0.0f, x);
    const Parts parts = partsOf(magnitude);
    const int64_t fraction = evaluate(kReciprocal, parts.fraction) >> 15;
    constexpr int kDoubleBias = 1023, kDoubleBits = 52;
    const int exponent = -static_cast<int>(kFractionBits) - 1 - parts.exponent;
    const auto unit = std::bit_cast<double>(static_cast<uint64_t>(exponent + kDoubleBias) << kDoubleBits);
    return std::copysign(static_cast<float>(static_cast<double>((int64_t{1} << kFractionBits) + fraction) * unit), x);
}

static inline float approximateReciprocalRoot(float x)
{
    if (x == 0)
        return std::copysign(kNoEnd, x);
    if (!(x > 0))
        return kNaN;
    if (std::isinf(x))
        return 0;
    const Parts parts = partsOf(x);
    const bool isOdd = (parts.exponent & 1) != 0;
    const int exponent = -(parts.exponent >> 1);
    if (parts.fraction == 0 && !isOdd)
        return power(exponent);
    const int64_t fraction =
        (isOdd ? evaluate(kRootReciprocalOfDouble, parts.fraction) : evaluate(kRootReciprocal, parts.fraction)) >> 16;
    return scaled(fraction, exponent - 1);
}

static inline float approximateRoot(float x)
{
    if (x == 0)
        return x;
    if (!(x > 0))
        return kNaN;
    if (std::isinf(x))
        return x;
    const Parts parts = partsOf(x);
    const bool isOdd = (parts.exponent & 1) != 0;
    const int64_t fraction =
        isOdd ? evaluate(kRootOfDouble, parts.fraction) >> 16 : evaluate(kRoot, parts.fraction) >> 17;
    return scaled(fraction, parts.exponent >> 1);
}

/// The base's power: 2^(x \p high + x \p low), by whole powers of two, of which x \p steps + 1/2 says the share of 252.
static inline float raise(float x, float steps, float high, float low)
{
    const float share = std::fma(x, steps, 0.5f);
    const float clamped = share > 0 ? std::min(share, 1.0f) : 0.0f;
    const auto whole = static_cast<int>(static_cast<double>(clamped) * 252.0) - 126;
    const float part = std::fma(x, low, std::fma(x, high, -static_cast<float>(whole)));
    return approximateExp2(part, Subnormals::Flushed) * power(whole);
}

/// x as m 2^exponent with m from a lower bound to its double, as the library's logarithms have it.
struct LogParts {
    float exponent = 0;
    float part = 0;  ///< m - 1
    bool isPositive = true;
};

static inline LogParts logPartsOf(float x, uint32_t lowerBound)
{
    const bool isSmall = x < kSmallest;
    const auto bits = std::bit_cast<uint32_t>(isSmall ? x * 0x1p23f : x);
    const uint32_t exponent = (bits - lowerBound) & 0xff800000;
    const float shift = isSmall ? -23.0f : 0.0f;
    return {std::fma(static_cast<float>(static_cast<int32_t>(exponent)), 1.1920928955078125e-7f, shift),
            std::bit_cast<float>(bits - exponent) - 1.0f, bits < kInfinity};
}

static inline float hex(uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

template <size_t kCount>
static inline float horner(const uint32_t (&coefficients)[kCount], float at)
{
    float sum = hex(coefficients[0]);
    for (size_t i = 1; i < kCount; ++i)
        sum = std::fma(sum, at, hex(coefficients[i]));
    return sum;
}

/// \p value, but for zeroes, negative numbers and infinity.
static inline float logOr(float x, const LogParts& parts, float value)
{
    const float scaledX = x < kSmallest ? x * 0x1p23f : x;
    if (scaledX == 0)
        return -kNoEnd;
    return parts.isPositive ? value : std::fma(scaledX, kNoEnd, kNoEnd);
}

// As expf, exp10f, logf, log2f, log10f and tanhf of CUDA 13 do it without -ftz and -use_fast_math.

static inline float libraryExp(float x)
{
    return raise(x, hex(0x3bbb989d), hex(0x3fb8aa3b), hex(0x32a57060));
}

static inline float libraryExp10(float x)
{
    return raise(x, hex(0x3c57fa62), hex(0x40549a78), hex(0x33979a37));
}

static inline float libraryLog(float x)
{
    constexpr uint32_t kSeries[] = {0xbe055027, 0x3e1039f6, 0xbdf8cdcc, 0x3e0f2955, 0xbe2ad8b9,
                                    0x3e4ced0b, 0xbe7fff22, 0x3eaaaa78, 0xbf000000};
    constexpr uint32_t kTwoThirds = 0x3f2aaaab;
    const LogParts parts = logPartsOf(x, kTwoThirds);
    const float sum = std::fma(parts.part * horner(kSeries, parts.part), parts.part, parts.part);
    return logOr(x, parts, std::fma(parts.exponent, hex(0x3f317218), sum));
}

static inline float libraryLog2(float x)
{
    constexpr uint32_t kSeries[] = {0x3dc6b27f, 0xbe2c7f30, 0x3e2fcf2a, 0xbe374e43, 0x3e520bf4,
                                    0xbe763c8b, 0x3e93bf99, 0xbeb8aa49, 0x3ef6384a, 0xbf38aa3b};
    constexpr uint32_t kRootOfHalf = 0x3f3504f3;
    const LogParts parts = logPartsOf(x, kRootOfHalf);
    const float square = parts.part * (parts.part * horner(kSeries, parts.part));
    return logOr(x, parts, parts.exponent + std::fma(parts.part, hex(0x3fb8aa3b), square));
}

static inline float libraryLog10(float x)
{
    return libraryLog(x) * hex(0x3ede5bd9);
}

static inline float libraryTanh(float x)
{
    constexpr uint32_t kSeries[] = {0x3c80f082, 0xbd563cae, 0x3e085941, 0xbeaaa9ed, 0};
    const float magnitude = std::fabs(x);
    if (!(magnitude >= hex(0x3f19999a)))
        return std::fma(horner(kSeries, x * x), x, x);
    const float grown = approximateExp2(magnitude * hex(0x4038aa3b), Subnormals::Flushed) + 1.0f;
    const float value = std::fma(approximateReciprocal(grown), -2.0f, 1.0f);
    return std::copysign(magnitude >= hex(0x41102cb4) ? 1.0f : value, x);
}

}  // namespace lanescope::simt::special
