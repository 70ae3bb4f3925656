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

/// \p magnitude / 2^\p unit, cut to the bits that a float has.
static inline float cutToFloat(uint64_t magnitude, int unit)
{
    const int drop = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 24);
    return std::ldexp(static_cast<float>(magnitude >> drop << drop), -unit);
}

/// The sine of x, a number of radians, and \p quarters of a turn: x is made turns, cut to a float and then to 25 bits
/// behind the point. Where the sine falls, the bits of the quarter's fraction are turned round.
static inline float sineOf(float x, uint64_t quarters)
{
    constexpr float kTurnsPerRadian = 0.15915494f;
    constexpr uint64_t kBehindAFloat = (uint64_t{1} << 29) - 1;
    constexpr double kMostTurns = 1 << 24;  ///< from there on a float has no fraction
    constexpr unsigned kTurnBits = 25;
    constexpr int kUnit = 37;
    const double product = double{std::fabs(x)} * double{kTurnsPerRadian};
    const auto turns = std::bit_cast<double>(std::bit_cast<uint64_t>(product) & ~kBehindAFloat);
    const uint64_t place = turns < kMostTurns ? static_cast<uint64_t>(turns * (1 << kTurnBits)) : 0;
    const uint64_t quarter = (place >> kFractionBits) + quarters;
    const auto fraction = static_cast<uint32_t>(place ^ (0 - (quarter & 1))) & kFractionMask;
    const float value = cutToFloat(static_cast<uint64_t>(evaluate(kSine, fraction)), kUnit);
    return (quarter & 2) != 0 ? -value : value;
}

static inline float approximateSine(float x)
{
    if (!(std::fabs(x) < kNoEnd))
        return kNaN;
    const float value = sineOf(x, 0);
    return std::signbit(x) ? -value : value;
}

static inline float approximateCosine(float x)
{
    return std::fabs(x) < kNoEnd ? sineOf(x, 1) : kNaN;
}

/// The segments of one octave of tanh's argument.
struct TanhOctave {
    uint8_t first;
    uint8_t countLog;
    uint8_t unit;  ///< log2 of what sums are divided by
};

constexpr int kFirstTanhOctave = -8;
constexpr TanhOctave kTanhOctaves[] = {{0, 0, 41},  {1, 0, 40},  {2, 0, 39},  {3, 1, 38},  {5, 1, 37}, {7, 2, 37},
                                       {11, 2, 37}, {15, 2, 36}, {19, 3, 37}, {27, 4, 39}, {43, 3, 37}};

static inline float approximateTanh(float x)
{
    if (std::isnan(x))
        return kNaN;
    const uint32_t bits = magnitudeBits(x);
    const int octave = static_cast<int>(bits >> kFractionBits) - kBias;
    if (octave < kFirstTanhOctave)
        return x;
    if (octave >= kFirstTanhOctave + static_cast<int>(std::size(kTanhOctaves)))
        return std::copysign(1.0f, x);
    const TanhOctave& own = kTanhOctaves[octave - kFirstTanhOctave];
    const unsigned rest = kFractionBits - own.countLog;
    const Segment& segment = kTanh[own.first + ((bits & kFractionMask) >> rest)];
    const uint32_t t = (bits & ((1u << rest) - 1)) >> (rest - kBitsOfT);
    const int64_t sum = segment.constant + int64_t{segment.ofT} * t + int64_t{segment.ofSquare} * cutSquare(t);
    return std::copysign(cutToFloat(static_cast<uint64_t>(sum), own.unit), x);
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

/// A number of radians as quarters of a turn, a whole number and the radians that are left.
struct Quarters {
    int32_t whole = 0;
    float left = 0;
};

/// Of numbers from 105615 on: their product with the bits of 2 / pi from where they matter.
static inline Quarters reduceLarge(float x)
{
    constexpr uint32_t kTwoByPi[] = {0x3c439041, 0xdb629599, 0xf534ddc0, 0xfc2757d1, 0x4e441529, 0xa2f9836e};
    constexpr size_t kWords = std::size(kTwoByPi);
    const auto bits = std::bit_cast<uint32_t>(x);
    const uint32_t exponent = (bits >> kFractionBits & 0xff) - 128;
    const uint32_t mantissa = bits << 8 | kSignBit;
    std::array<uint32_t, kWords + 1> product{};
    uint64_t carry = 0;
    for (size_t i = 0; i < kWords; ++i) {
        carry += uint64_t{kTwoByPi[i]} * mantissa;
        product[i] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
    product[kWords] = static_cast<uint32_t>(carry);
    const uint32_t word = exponent >> 5, shift = exponent & 31;
    uint64_t high = uint64_t{product[kWords - word]} << 32 | product[kWords - 1 - word];
    if (shift != 0)
        high = high << shift | product[kWords - 2 - word] >> (32 - shift);
    const bool isNegative = (bits & kSignBit) != 0;
    const auto fraction = static_cast<int64_t>(high << 2);
    const auto whole = static_cast<int32_t>((high >> 62) + (static_cast<uint64_t>(fraction) >> 63));
    const auto left = static_cast<float>(static_cast<double>(fraction < 0 ? ~fraction : fraction) *
                                         std::bit_cast<double>(uint64_t{0x3bf921fb54442d19}));
    return {isNegative ? -whole : whole, (fraction < 0) != isNegative ? -left : left};
}

static inline Quarters quartersOf(float x)
{
    if (std::fabs(x) >= hex(0x47ce4780))
        return std::isinf(x) ? Quarters{0, kNaN} : reduceLarge(x);
    const auto whole = static_cast<int32_t>(std::nearbyint(std::isnan(x) ? 0.0f : x * hex(0x3f22f983)));
    float left = x;
    for (const uint32_t part : {0xbfc90fdau, 0xb3a22168u, 0xa7c234c5u})
        left = std::fma(static_cast<float>(whole), hex(part), left);
    return {whole, left};
}

/// The sine of what is left, or, of odd quarters, the cosine.
static inline float sineOfQuarters(float left, int32_t quarters)
{
    const bool isCosine = (quarters & 1) != 0;
    const float square = left * left;
    const float factor = isCosine ? 1.0f : left;
    float sum = isCosine ? std::fma(hex(0x37cbac00), square, hex(0xbab607ed)) : hex(0xb94d4153);
    sum = std::fma(sum, square, hex(isCosine ? 0x3d2aaabb : 0x3c0885e4));
    sum = std::fma(sum, square, hex(isCosine ? 0xbeffffff : 0xbe2aaaa8));
    sum = std::fma(sum, std::fma(square, factor, 0.0f), factor);
    return (quarters & 2) != 0 ? std::fma(sum, -1.0f, 0.0f) : sum;
}

static inline float librarySine(float x)
{
    const Quarters quarters = quartersOf(x);
    return sineOfQuarters(quarters.left, quarters.whole);
}

static inline float libraryCosine(float x)
{
    const Quarters quarters = quartersOf(x);
    return sineOfQuarters(quarters.left, quarters.whole + 1);
}

static inline float libraryErf(float x)
{
    constexpr uint32_t kNear[] = {0x38b1e96a, 0xba574d20, 0x3baad5ea, 0xbcdc1be7, 0x3de718af, 0xbec093ac, 0x3e0375d3};
    constexpr uint32_t kFar[] = {0x38eb4c3a, 0xbaae005b, 0x3c09919f, 0xbd24d99a, 0x3e235519, 0x3f69b4f9, 0x3f210a14};
    const float magnitude = std::fabs(x);
    if (!(magnitude >= hex(0x3f8060fe)))
        return std::fma(horner(kNear, x * x), x, x);
    const float power = std::fma(horner(kFar, magnitude), -magnitude, -magnitude);
    return std::copysign(1.0f - approximateExp2(power, Subnormals::Flushed), x);
}

static inline float libraryExpm1(float x)
{
    constexpr uint32_t kSeries[] = {0x3ab5ebe6, 0x3c095663, 0x3d2aabe3, 0x3e2aa9f6, 0x3efffffe};
    const float whole = std::fabs(x) < hex(0x3ed1eb85) ? 0.0f : std::nearbyint(x * hex(0x3fb8aa3b));
    const float left = std::fma(-whole, hex(0x35bfbe8e), std::fma(-whole, hex(0x3f317200), x));
    const bool isLast = whole == 128;
    const float exponent = isLast ? whole - 1.0f : whole;
    const float series = std::fma(left * horner(kSeries, left), left, left);
    const float power = approximateExp2(exponent);
    const float sum = std::fma(series, power, power - 1.0f);
    if (x == 0)
        return x + x;
    if (exponent < -25)
        return -1;
    return exponent > 128 ? kNoEnd : isLast ? sum + sum : sum;
}

/// \p x + 1 towards zero.
static inline float afterCut(float x)
{
    const double sum = double{x} + 1.0;
    const auto nearest = static_cast<float>(sum);
    return std::fabs(double{nearest}) > std::fabs(sum) ? std::bit_cast<float>(std::bit_cast<uint32_t>(nearest) - 1)
                                                       : nearest;
}

static inline float libraryLog1p(float x)
{
    constexpr uint32_t kSeries[] = {0xbd39bf78, 0x3dd80012, 0xbe0778e0, 0x3e146475, 0xbe2a68dd,
                                    0x3e4caf9e, 0xbe800042, 0x3eaaaae6, 0xbf000000};
    if (std::isnan(x) || x < -1)
        return kNaN;
    if (x == kNoEnd)
        return x;
    if (x == 0)
        return x;
    constexpr uint32_t kThreeQuarters = 0x3f400000;
    const uint32_t exponent = (std::bit_cast<uint32_t>(afterCut(x)) - kThreeQuarters) & 0xff800000;
    const float scale = hex(0x40800000 - exponent);
    const float part = std::fma(0.25f, scale, -1.0f) + hex(std::bit_cast<uint32_t>(x) - exponent);
    const float series = std::fma(part * horner(kSeries, part), part, part);
    const float sum =
        std::fma(static_cast<float>(static_cast<int32_t>(exponent)) * hex(0x34000000), hex(0x3f317218), series);
    return x == -1 ? -kNoEnd : sum;
}

/// log2 of a positive number in two floats, the larger first.
struct TwoFloats {
    float high;
    float low;
};

static inline TwoFloats log2InTwo(float magnitude)
{
    constexpr uint32_t kSeries[] = {0x3a2c32e4, 0x3b52e7db, 0x3c93bb73, 0x3df6384f};
    constexpr uint32_t kRootOfHalf = 0x3f3504f3;
    const float toBase2 = hex(0x3fb8aa3b), toBase2Low = hex(0x32a55e34);
    const bool isSmall = magnitude < kSmallest;
    const auto bits = std::bit_cast<uint32_t>(isSmall ? magnitude * 0x1p24f : magnitude);
    const uint32_t exponent = (bits - kRootOfHalf) & 0xff800000;
    const float whole = std::fma(static_cast<float>(static_cast<int32_t>(exponent)), 0x1p-23f, isSmall ? -24.0f : 0.0f);
    // ln m = 2 atanh(s) with s = (m - 1) / (m + 1), and what s lacks.
    const float part = hex(bits - exponent);
    const float below = part - 1.0f;
    const float inverse = approximateReciprocal(part + 1.0f);
    const float ratio = (below + below) * inverse;
    const float square = ratio * ratio;
    const float difference = below - ratio;
    const float lacks = inverse * std::fma(-ratio, below, difference + difference);
    const float series = horner(kSeries, square) * square;
    const float first = std::fma(ratio, toBase2, whole);
    float rest = std::fma(ratio, toBase2, whole - first);
    rest = std::fma(lacks, toBase2, rest);
    rest = std::fma(ratio, toBase2Low, rest);
    rest = std::fma(series * 3.0f, lacks, rest);
    rest = std::fma(series, ratio, rest);
    const float high = first + rest;
    return {high, rest - (high - first)};
}

/// 2^(high + low), where that is far from where floats end.
static inline float exp2OfTwo(float high, float low)
{
    constexpr uint32_t kSeries[] = {0x391fcb8e, 0x3aaf85ed, 0x3c1d9856, 0x3d6357bb, 0x3e75fdec, 0x3f317218, 0x3f800000};
    const float whole = std::nearbyint(high);
    const float sum = horner(kSeries, low + (high - whole));
    const auto exponent = static_cast<uint32_t>(static_cast<int32_t>(whole)) << kFractionBits;
    const uint32_t first = whole > 0 ? 0u : 0x83000000;
    return sum * hex(first + 0x7f000000) * hex(exponent - first);
}

static inline float libraryPower(float x, float y)
{
    constexpr float kFarthest = 152;  ///< of exponents: beyond, nothing but zero or infinity
    if (x == 1 || y == 0)
        return 1;
    if (std::isnan(x) || std::isnan(y))
        return x + y;
    const bool isOdd = std::fabs(y - 2.0f * std::trunc(y * 0.5f)) == 1;
    if (x == 0 || std::isinf(x)) {
        uint32_t bits = std::bit_cast<uint32_t>(x + x);
        bits = y < 0 ? bits ^ kInfinity : bits;
        return hex(isOdd ? bits : bits & ~kSignBit);
    }
    if (x == -1 && std::isinf(y))
        return 1;
    const TwoFloats log = log2InTwo(std::fabs(x));
    const float high = log.high * y;
    const float low = std::fma(log.low, y, std::fma(log.high, y, -high));
    const float power = std::fabs(high) > kFarthest ? (high < 0 ? 0.0f : kNoEnd) : exp2OfTwo(high, low);
    if (x >= 0)
        return power;
    return std::floor(y) != y ? kNaN : isOdd ? -power : power;
}

}  // namespace lanescope::simt::special
