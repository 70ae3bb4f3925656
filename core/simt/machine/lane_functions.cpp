// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/lane_functions.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "core/device/texture_table.h"
#include "core/simt/machine/narrow_bits.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {
namespace {

using Wide = unsigned __int128;
using SignedWide = __int128;

template <typename T>
T as(uint64_t bits)
{
    if constexpr (sizeof(T) == 4)
        return std::bit_cast<T>(static_cast<uint32_t>(bits));
    else
        return std::bit_cast<T>(bits);
}

template <typename T>
uint64_t bitsOf(T value)
{
    if constexpr (sizeof(T) == 4)
        return std::bit_cast<uint32_t>(value);
    else
        return std::bit_cast<uint64_t>(value);
}

uint64_t masked(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t extended(uint64_t value, unsigned bits)
{
    return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

Wide wideAt(const uint64_t* in)
{
    return Wide{in[1]} << 64 | in[0];
}

Wide maskedWide(Wide value, unsigned bits)
{
    return bits >= 128 ? value : value & ((Wide{1} << bits) - 1);
}

SignedWide extendedWide(Wide value, unsigned bits)
{
    return static_cast<SignedWide>(value << (128 - bits)) >> (128 - bits);
}

void putWide(uint64_t* out, Wide value, unsigned bits)
{
    value = maskedWide(value, bits);
    out[0] = static_cast<uint64_t>(value);
    out[1] = static_cast<uint64_t>(value >> 64);
}

// ---- Rounding modes ----

int hostMode(uint64_t mode)
{
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return kModes[mode & 3];
}

/// Computes in a rounding mode; values go through memory so that nothing is computed earlier or later.
template <typename F>
auto rounded(uint64_t mode, F f)
{
    int before = std::fegetround();
    std::fesetround(hostMode(mode));
    auto result = f();
    asm volatile("" : "+m"(result) : : "memory");
    std::fesetround(before);
    return result;
}

enum Arithmetic : uint64_t { kAdd, kSub, kMul, kDiv, kSqrt, kFma, kRcp };

/// imm: operation | mode << 8
template <typename T>
void arithmetic(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    volatile T a = as<T>(in[0]);
    volatile T b = (imm & 0xff) == kSqrt || (imm & 0xff) == kRcp ? T{1} : as<T>(in[1]);
    volatile T c = (imm & 0xff) == kFma ? as<T>(in[2]) : T{0};
    out[0] = bitsOf(rounded(imm >> 8, [&]() -> T {
        switch (imm & 0xff) {
        case kAdd:
            return a + b;
        case kSub:
            return a - b;
        case kMul:
            return a * b;
        case kDiv:
            return a / b;
        case kSqrt:
            return std::sqrt(a);
        case kRcp:
            return T{1} / a;
        default:
            return std::fma(a, b, c);
        }
    }));
}

constexpr uint64_t roundedOp(Arithmetic op, RoundMode mode)
{
    return op | static_cast<uint64_t>(mode) << 8;
}

template <typename From, typename To>
void convertRounded(const uint64_t* in, uint64_t* out, uint64_t mode)
{
    volatile From value;
    if constexpr (std::is_integral_v<From> && sizeof(From) == 4)
        value = static_cast<From>(in[0]);
    else
        value = as<From>(in[0]);
    // What compilers make of this for unsigned integers subtracts: rounded down, nothing would have a sign.
    if (std::is_integral_v<From> && value == From{0})
        out[0] = 0;
    else
        out[0] = bitsOf(rounded(mode, [&]() -> To { return static_cast<To>(value); }));
}

/// PTX cvt to an integer: rounds by mode, saturates. NaN gives the highest bit; from 32 bits to 32, 0 (as on an H200).
template <typename From, typename To>
void convertToInteger(const uint64_t* in, uint64_t* out, uint64_t mode)
{
    From value = as<From>(in[0]);
    From whole = mode == 0   ? std::nearbyint(value)
                 : mode == 1 ? std::trunc(value)
                 : mode == 2 ? std::floor(value)
                             : std::ceil(value);
    constexpr To kHalf = std::numeric_limits<To>::max() / 2 + 1;
    constexpr From kTooLarge = static_cast<From>(kHalf) * From{2};
    To result;
    if (value != value)
        result = sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(uint64_t{1} << (sizeof(To) * 8 - 1)) : To{0};
    else if (whole >= kTooLarge)
        result = std::numeric_limits<To>::max();
    else if (whole <= static_cast<From>(std::numeric_limits<To>::min()))
        result = std::numeric_limits<To>::min();
    else
        result = static_cast<To>(whole);
    if constexpr (sizeof(To) == 4)
        out[0] = static_cast<uint32_t>(result);
    else
        out[0] = static_cast<uint64_t>(result);
}

// ---- Integers ----

void permuteBytes(const uint64_t* in, uint64_t* out, uint64_t)
{
    uint64_t bytes = (in[1] << 32) | static_cast<uint32_t>(in[0]);
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned selector = in[2] >> (4 * i) & 0xf;
        auto byte = static_cast<uint32_t>(bytes >> (8 * (selector & 7)) & 0xff);
        if (selector & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    out[0] = result;
}

/// imm: bits | signed << 8
void multiplyHigh(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned bits = imm & 0xff;
    Wide product =
        imm >> 8 ? static_cast<Wide>(SignedWide{extended(in[0], bits)} * extended(in[1], bits)) : Wide{in[0]} * in[1];
    out[0] = masked(static_cast<uint64_t>(product >> bits), bits);
}

void absoluteDifference(const uint64_t* in, uint64_t* out, uint64_t isSigned)
{
    int64_t a = isSigned ? extended(in[0], 32) : static_cast<int64_t>(in[0]);
    int64_t b = isSigned ? extended(in[1], 32) : static_cast<int64_t>(in[1]);
    out[0] = static_cast<uint32_t>(static_cast<uint64_t>(a > b ? a - b : b - a) + in[2]);
}

void multiply24(const uint64_t* in, uint64_t* out, uint64_t isSigned)
{
    out[0] = isSigned ? static_cast<uint32_t>(extended(in[0], 24) * extended(in[1], 24))
                      : static_cast<uint32_t>((in[0] & 0xffffff) * (in[1] & 0xffffff));
}

enum Space : uint64_t { kGlobal, kShared, kConstant, kLocal, kSharedOfCluster };

void isSpace(const uint64_t* in, uint64_t* out, uint64_t space)
{
    uint64_t slot = in[0] >> 32;
    bool shared = slot >= kSharedSlot && slot < kParameterSlot;
    bool local = slot >= kLocalSlot && slot < kEndSlot;
    bool parameter = slot >= kParameterSlot && slot < kLocalSlot;
    out[0] = space == kShared            ? shared && namedRank(in[0]) == 0
             : space == kSharedOfCluster ? shared
             : space == kLocal           ? local
             : space == kConstant        ? parameter
                                         : !shared && !local;
}

/// The address of the same place in the block of that rank.
void mapRank(const uint64_t* in, uint64_t* out, uint64_t)
{
    const uint64_t rank = std::min<uint64_t>(static_cast<uint32_t>(in[1]), UINT32_MAX >> kRankShift) + 1;
    const uint64_t within = in[0] & ~(uint64_t{UINT32_MAX >> kRankShift} << kRankShift);
    out[0] = within | std::min<uint64_t>(rank, UINT32_MAX >> kRankShift) << kRankShift;
}

// ---- Math with integers ----

/// llvm.is.fpclass: the classes in LLVM's order, from signalling NaN (bit 0) to positive infinity (bit 9).
template <typename T>
void isOfClass(const uint64_t* in, uint64_t* out, uint64_t)
{
    T value = as<T>(in[0]);
    bool negative = std::signbit(value);
    unsigned bit = 0;
    switch (std::fpclassify(value)) {
    case FP_NAN:
        bit = in[0] >> (sizeof(T) == 8 ? 51 : 22) & 1 ? 1 : 0;
        break;
    case FP_INFINITE:
        bit = negative ? 2 : 9;
        break;
    case FP_NORMAL:
        bit = negative ? 3 : 8;
        break;
    case FP_SUBNORMAL:
        bit = negative ? 4 : 7;
        break;
    default:
        bit = negative ? 5 : 6;
    }
    out[0] = in[1] >> bit & 1;
}

template <typename T>
void scale(const uint64_t* in, uint64_t* out, uint64_t)
{
    out[0] = bitsOf(std::ldexp(as<T>(in[0]), static_cast<int32_t>(in[1])));
}

template <typename T>
void exponent(const uint64_t* in, uint64_t* out, uint64_t)
{
    out[0] = static_cast<uint32_t>(std::ilogb(as<T>(in[0])));
}

template <typename T>
void integerPower(const uint64_t* in, uint64_t* out, uint64_t)
{
    out[0] = bitsOf(static_cast<T>(std::pow(as<T>(in[0]), static_cast<int32_t>(in[1]))));
}

void readTextureWord(const uint64_t* in, uint64_t* out, uint64_t)
{
    out[0] = device::textureWord(in[0], static_cast<uint32_t>(in[1]));
}

template <typename T>
void bessel(const uint64_t* in, uint64_t* out, uint64_t second)
{
    int order = static_cast<int32_t>(in[0]);
    double x = static_cast<double>(as<T>(in[1]));
    out[0] = bitsOf(static_cast<T>(second ? ::yn(order, x) : ::jn(order, x)));
}

template <typename T>
void remainderQuotient(const uint64_t* in, uint64_t* out, uint64_t)
{
    int quotient = 0;
    (void)std::remquo(as<T>(in[0]), as<T>(in[1]), &quotient);
    out[0] = static_cast<uint32_t>(quotient);
}

constexpr auto kDown = RoundMode::Down, kUp = RoundMode::Up, kZero = RoundMode::Zero;

#define LS_ROUNDED(name, op)                                                                                           \
    {"llvm.nvvm." name ".rz.f", arithmetic<float>, roundedOp(op, kZero)},                                              \
        {"llvm.nvvm." name ".rm.f", arithmetic<float>, roundedOp(op, kDown)},                                          \
        {"llvm.nvvm." name ".rp.f", arithmetic<float>, roundedOp(op, kUp)},                                            \
        {"llvm.nvvm." name ".rz.d", arithmetic<double>, roundedOp(op, kZero)},                                         \
        {"llvm.nvvm." name ".rm.d", arithmetic<double>, roundedOp(op, kDown)},                                         \
    {                                                                                                                  \
        "llvm.nvvm." name ".rp.d", arithmetic<double>, roundedOp(op, kUp)                                              \
    }

#define LS_CONVERTED(name, function)                                                                                   \
    {"llvm.nvvm." name ".rn", function, 0}, {"llvm.nvvm." name ".rz", function, 1},                                    \
        {"llvm.nvvm." name ".rm", function, 2}, {"llvm.nvvm." name ".rp", function, 3}

constexpr NamedLaneFunction kFunctions[] = {
    LS_ROUNDED("add", kAdd),
    LS_ROUNDED("mul", kMul),
    LS_ROUNDED("div", kDiv),
    LS_ROUNDED("sqrt", kSqrt),
    LS_ROUNDED("rcp", kRcp),
    LS_ROUNDED("fma", kFma),
    LS_CONVERTED("d2f", (convertRounded<double, float>)),
    LS_CONVERTED("i2f", (convertRounded<int32_t, float>)),
    LS_CONVERTED("ui2f", (convertRounded<uint32_t, float>)),
    LS_CONVERTED("ll2f", (convertRounded<int64_t, float>)),
    LS_CONVERTED("ull2f", (convertRounded<uint64_t, float>)),
    LS_CONVERTED("i2d", (convertRounded<int32_t, double>)),
    LS_CONVERTED("ui2d", (convertRounded<uint32_t, double>)),
    LS_CONVERTED("ll2d", (convertRounded<int64_t, double>)),
    LS_CONVERTED("ull2d", (convertRounded<uint64_t, double>)),
    LS_CONVERTED("f2i", (convertToInteger<float, int32_t>)),
    LS_CONVERTED("f2ui", (convertToInteger<float, uint32_t>)),
    LS_CONVERTED("f2ll", (convertToInteger<float, int64_t>)),
    LS_CONVERTED("f2ull", (convertToInteger<float, uint64_t>)),
    LS_CONVERTED("d2i", (convertToInteger<double, int32_t>)),
    LS_CONVERTED("d2ui", (convertToInteger<double, uint32_t>)),
    LS_CONVERTED("d2ll", (convertToInteger<double, int64_t>)),
    LS_CONVERTED("d2ull", (convertToInteger<double, uint64_t>)),
    {"llvm.nvvm.fma.rn.bf16", fuseNarrow, static_cast<uint64_t>(NarrowFloat::BFloat)},
    {"llvm.nvvm.fma.rn.f16", fuseNarrow, static_cast<uint64_t>(NarrowFloat::Half)},
    {"llvm.nvvm.prmt", permuteBytes, 0},
    {"llvm.nvvm.mulhi.i", multiplyHigh, 32 | 256},
    {"llvm.nvvm.mulhi.ui", multiplyHigh, 32},
    {"llvm.nvvm.mulhi.ll", multiplyHigh, 64 | 256},
    {"llvm.nvvm.mulhi.ull", multiplyHigh, 64},
    {"llvm.nvvm.mulhi.s", multiplyHigh, 16 | 256},
    {"llvm.nvvm.mulhi.us", multiplyHigh, 16},
    {"llvm.nvvm.mul24.i", multiply24, 1},
    {"llvm.nvvm.mul24.ui", multiply24, 0},
    {"llvm.nvvm.sad.i", absoluteDifference, 1},
    {"llvm.nvvm.sad.ui", absoluteDifference, 0},
    {"llvm.nvvm.isspacep.global", isSpace, kGlobal},
    {"llvm.nvvm.isspacep.shared", isSpace, kShared},
    {"llvm.nvvm.isspacep.shared.cluster", isSpace, kSharedOfCluster},
    {"__ls_map_rank", mapRank, 0},
    {"llvm.nvvm.isspacep.const", isSpace, kConstant},
    {"llvm.nvvm.isspacep.local", isSpace, kLocal},
    {"llvm.is.fpclass.f32", isOfClass<float>, 0},
    {"llvm.is.fpclass.f64", isOfClass<double>, 0},
    {"__ls_math_ldexp", scale<double>, 0},
    {"__ls_math_ldexpf", scale<float>, 0},
    {"llvm.ldexp.f64.i32", scale<double>, 0},
    {"llvm.ldexp.f32.i32", scale<float>, 0},
    {"llvm.powi.f64.i32", integerPower<double>, 0},
    {"llvm.powi.f32.i32", integerPower<float>, 0},
    {"__ls_math_ilogb", exponent<double>, 0},
    {"__ls_math_ilogbf", exponent<float>, 0},
    {"__ls_math_jn", bessel<double>, 0},
    {"__ls_math_jnf", bessel<float>, 0},
    {"__ls_math_yn", bessel<double>, 1},
    {"__ls_math_ynf", bessel<float>, 1},
    {"__ls_math_remquo_quotient", remainderQuotient<double>, 0},
    {"__ls_math_remquo_quotientf", remainderQuotient<float>, 0},
    {"__ls_texture_word", readTextureWord, 0},
};
#undef LS_ROUNDED
#undef LS_CONVERTED

}  // namespace

const NamedLaneFunction* laneFunction(std::string_view name)
{
    for (const NamedLaneFunction& function : kFunctions)
        if (function.name == name)
            return &function;
    return nullptr;
}

// ---- Half precision ----

uint64_t widened(uint64_t bits, NarrowFloat kind)
{
    if (kind == NarrowFloat::BFloat)
        return (bits & 0xffff) << 16;
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 0x1f;
    uint32_t fraction = bits & 0x3ff;
    if (exponent == 0x1f)
        return sign | 0x7f800000u | fraction << 13;
    if (exponent != 0)
        return sign | (exponent + 112) << 23 | fraction << 13;
    float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign | std::bit_cast<uint32_t>(value);
}

/// \p value has at most 53 significant bits, so one rounding, from the double, is the right one.
uint64_t narrowed(double value, NarrowFloat kind, RoundMode mode)
{
    const int fractionBits = kind == NarrowFloat::Half ? 10 : 7;
    const int lowestExponent = kind == NarrowFloat::Half ? -14 : -126;
    const int highestExponent = kind == NarrowFloat::Half ? 15 : 127;
    const uint64_t infinity = kind == NarrowFloat::Half ? 0x7c00 : 0x7f80;
    uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    if (value != value)
        return 0x7fff;
    double magnitude = std::fabs(value);
    if (std::isinf(magnitude))
        return sign | infinity;
    if (magnitude == 0)
        return sign;
    int exponent = std::max(std::ilogb(magnitude), lowestExponent);
    double scaled = std::ldexp(magnitude, fractionBits - exponent);
    double whole = mode == RoundMode::Nearest               ? std::nearbyint(scaled)
                   : mode == RoundMode::Zero                ? std::floor(scaled)
                   : (mode == RoundMode::Up) == (sign == 0) ? std::ceil(scaled)
                                                            : std::floor(scaled);
    auto significand = static_cast<uint64_t>(whole);
    if (significand >= uint64_t{2} << fractionBits) {
        significand >>= 1;
        ++exponent;
    }
    if (exponent > highestExponent) {
        bool toInfinity = mode == RoundMode::Nearest || (mode == RoundMode::Up) == (sign == 0);
        return sign | (mode == RoundMode::Zero || !toInfinity ? infinity - 1 : infinity);
    }
    // A subnormal has no hidden bit; adding it as a number carries into the exponent where rounding made it normal.
    uint64_t biased = static_cast<uint64_t>(exponent - lowestExponent) << fractionBits;
    return sign | (biased + significand);
}

void widenToFloat(const uint64_t* in, uint64_t* out, uint64_t kind)
{
    // Halves that are no numbers become one on a GPU; in double they keep their bits, as a bfloat16 does.
    const auto bits = static_cast<uint32_t>(in[0]);
    out[0] = static_cast<NarrowFloat>(kind) == NarrowFloat::Half ? floatOfHalf(bits) : floatOfBFloat(bits);
}

void widenToDouble(const uint64_t* in, uint64_t* out, uint64_t kind)
{
    out[0] = bitsOf(static_cast<double>(as<float>(widened(in[0], static_cast<NarrowFloat>(kind)))));
}

void narrowFromFloat(const uint64_t* in, uint64_t* out, uint64_t kindAndMode)
{
    if (kindAndMode >> 8 == 0) {
        auto bits = static_cast<uint32_t>(in[0]);
        out[0] = kindAndMode == static_cast<uint64_t>(NarrowFloat::Half) ? halfOfFloat(bits) : bfloatOfFloat(bits);
        return;
    }
    out[0] = narrowed(static_cast<double>(as<float>(in[0])), static_cast<NarrowFloat>(kindAndMode & 0xff),
                      static_cast<RoundMode>(kindAndMode >> 8));
}

std::optional<UnaryOp> operationOf(LaneFunction function, uint64_t imm)
{
    constexpr auto kHalf = static_cast<uint64_t>(NarrowFloat::Half),
                   kBFloat = static_cast<uint64_t>(NarrowFloat::BFloat);
    if (function == widenToFloat && imm <= kBFloat)
        return imm == kHalf ? UnaryOp::HalfToFloat : UnaryOp::BFloatToFloat;
    if (function == narrowFromFloat && imm <= kBFloat)  // to nearest
        return imm == kHalf ? UnaryOp::FloatToHalf : UnaryOp::FloatToBFloat;
    return std::nullopt;
}

void narrowFromDouble(const uint64_t* in, uint64_t* out, uint64_t kindAndMode)
{
    out[0] = narrowed(as<double>(in[0]), static_cast<NarrowFloat>(kindAndMode & 0xff),
                      static_cast<RoundMode>(kindAndMode >> 8));
}

void fuseNarrow(const uint64_t* in, uint64_t* out, uint64_t kind)
{
    auto narrow = static_cast<NarrowFloat>(kind);
    auto value = [&](int i) { return static_cast<double>(as<float>(widened(in[i], narrow))); };
    double product = value(0) * value(1), addend = value(2);  // the product is exact
    double sum = product + addend;
    // Where the sum is not exact, its last bit is made odd: then rounding again, to fewer bits, is right.
    double back = sum - product;
    double lost = (product - (sum - back)) + (addend - back);
    auto bits = std::bit_cast<uint64_t>(sum);
    if (lost != 0 && std::isfinite(sum) && !(bits & 1))
        bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
    out[0] = narrowed(std::bit_cast<double>(bits), narrow, RoundMode::Nearest);
}

// ---- Wide integers ----

void wideBinary(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned bits = imm >> 8 & 0xff;
    Wide a = wideAt(in), b = wideAt(in + 2), result = 0;
    SignedWide sa = extendedWide(a, bits), sb = extendedWide(b, bits);
    switch (static_cast<WideOp>(imm & 0xff)) {
    case WideOp::Add:
        result = a + b;
        break;
    case WideOp::Sub:
        result = a - b;
        break;
    case WideOp::Mul:
        result = a * b;
        break;
    case WideOp::UDiv:
        result = b ? a / b : ~Wide{0};
        break;
    case WideOp::URem:
        result = b ? a % b : a;
        break;
    case WideOp::SDiv:
        result = sb == 0 ? ~Wide{0} : sb == -1 ? Wide{0} - static_cast<Wide>(sa) : static_cast<Wide>(sa / sb);
        break;
    case WideOp::SRem:
        result = sb == 0 ? a : sb == -1 ? Wide{0} : static_cast<Wide>(sa % sb);
        break;
    case WideOp::Shl:
        result = b >= bits ? Wide{0} : a << static_cast<unsigned>(b);
        break;
    case WideOp::LShr:
        result = b >= bits ? Wide{0} : a >> static_cast<unsigned>(b);
        break;
    case WideOp::AShr:
        result = static_cast<Wide>(sa >> (b >= bits ? bits - 1 : static_cast<unsigned>(b)));
        break;
    case WideOp::And:
        result = a & b;
        break;
    case WideOp::Or:
        result = a | b;
        break;
    case WideOp::Xor:
        result = a ^ b;
        break;
    case WideOp::UMin:
        result = a < b ? a : b;
        break;
    case WideOp::UMax:
        result = a > b ? a : b;
        break;
    case WideOp::SMin:
        result = sa < sb ? a : b;
        break;
    default:
        result = sa > sb ? a : b;
    }
    putWide(out, result, bits);
}

void wideCompare(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned bits = imm >> 8 & 0xff;
    Wide a = wideAt(in), b = wideAt(in + 2);
    SignedWide sa = extendedWide(a, bits), sb = extendedWide(b, bits);
    switch (static_cast<WideOp>(imm & 0xff)) {
    case WideOp::Eq:
        out[0] = a == b;
        return;
    case WideOp::Ne:
        out[0] = a != b;
        return;
    case WideOp::UGt:
        out[0] = a > b;
        return;
    case WideOp::UGe:
        out[0] = a >= b;
        return;
    case WideOp::ULt:
        out[0] = a < b;
        return;
    case WideOp::ULe:
        out[0] = a <= b;
        return;
    case WideOp::SGt:
        out[0] = sa > sb;
        return;
    case WideOp::SGe:
        out[0] = sa >= sb;
        return;
    case WideOp::SLt:
        out[0] = sa < sb;
        return;
    default:
        out[0] = sa <= sb;
    }
}

void wideExtend(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned from = imm & 0xff;
    Wide value = imm & 512 ? wideAt(in) : Wide{in[0]};
    if (imm & 256)
        value = static_cast<Wide>(extendedWide(value, from));
    putWide(out, value, imm >> 16 & 0xff);
}

void wideToFloat(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    Wide value = wideAt(in);
    bool isSigned = imm & 1;
    if (imm & 2)
        out[0] = bitsOf(isSigned ? static_cast<float>(static_cast<SignedWide>(value)) : static_cast<float>(value));
    else
        out[0] = bitsOf(isSigned ? static_cast<double>(static_cast<SignedWide>(value)) : static_cast<double>(value));
}

void wideFromDouble(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    double value = imm & 2 ? static_cast<double>(as<float>(in[0])) : as<double>(in[0]);
    putWide(out, imm & 1 ? static_cast<Wide>(static_cast<SignedWide>(value)) : static_cast<Wide>(value), 128);
}

void withOverflow(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned bits = imm >> 8 & 0xff;
    bool isSigned = imm & 4;
    SignedWide a = isSigned ? SignedWide{extended(in[0], bits)} : static_cast<SignedWide>(Wide{in[0]});
    SignedWide b = isSigned ? SignedWide{extended(in[1], bits)} : static_cast<SignedWide>(Wide{in[1]});
    // Unsigned 64-bit products fill 128 bits and may look negative, but their upper half tells all the same.
    SignedWide exact = (imm & 3) == 0   ? a + b
                       : (imm & 3) == 1 ? a - b
                                        : static_cast<SignedWide>(static_cast<Wide>(a) * static_cast<Wide>(b));
    out[0] = masked(static_cast<uint64_t>(exact), bits);
    SignedWide kept = isSigned ? SignedWide{extended(out[0], bits)} : static_cast<SignedWide>(Wide{out[0]});
    out[1] = kept != exact;
}

void saturating(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned bits = imm >> 8 & 0xff;
    bool isSigned = imm & 4;
    SignedWide highest = (SignedWide{1} << (isSigned ? bits - 1 : bits)) - 1;
    SignedWide lowest = isSigned ? -highest - 1 : SignedWide{0};
    SignedWide a = isSigned ? SignedWide{extended(in[0], bits)} : static_cast<SignedWide>(Wide{in[0]});
    SignedWide b = isSigned ? SignedWide{extended(in[1], bits)} : static_cast<SignedWide>(Wide{in[1]});
    SignedWide exact = (imm & 3) == 0 ? a + b : (imm & 3) == 1 ? a - b : a * (SignedWide{1} << (in[1] % bits));
    out[0] = masked(static_cast<uint64_t>(exact > highest ? highest : exact < lowest ? lowest : exact), bits);
}

void bitOperation(const uint64_t* in, uint64_t* out, uint64_t imm)
{
    unsigned bits = imm >> 8 & 0xff;
    uint64_t a = in[0];
    auto reversed = [&](unsigned unit) {
        uint64_t result = 0;
        for (unsigned i = 0; i < bits; i += unit)
            result |= (a >> i & ((uint64_t{1} << unit) - 1)) << (bits - unit - i);
        return result;
    };
    switch (static_cast<BitOp>(imm & 0xff)) {
    case BitOp::PopCount:
        out[0] = static_cast<uint64_t>(std::popcount(a));
        return;
    case BitOp::LeadingZeros:
        out[0] = static_cast<uint64_t>(std::countl_zero(a)) - (64 - bits);
        return;
    case BitOp::TrailingZeros:
        out[0] = std::min<uint64_t>(static_cast<uint64_t>(std::countr_zero(a)), bits);
        return;
    case BitOp::ByteSwap:
        out[0] = reversed(8);
        return;
    case BitOp::Reverse:
        out[0] = reversed(1);
        return;
    case BitOp::Abs:
        out[0] = masked(extended(a, bits) < 0 ? uint64_t{0} - a : a, bits);
        return;
    case BitOp::FunnelLeft:
    case BitOp::FunnelRight: {
        Wide both = Wide{in[0]} << bits | in[1];
        unsigned shift = static_cast<unsigned>(in[2] % bits);
        bool left = static_cast<BitOp>(imm & 0xff) == BitOp::FunnelLeft;
        out[0] = masked(static_cast<uint64_t>(left ? both >> (bits - shift) : both >> shift), bits);
        return;
    }
    }
}

}  // namespace lanescope::simt
