// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/tensor_core.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/simt/machine/lane_functions.h"

namespace lanescope::simt {
namespace {

using Kind = TensorFactor::Kind;

struct Format {
    int bits;
    int fractionBits;
    int bias;
};

constexpr Format formatOf(Element element)
{
    switch (element) {
    case Element::BFloat:
        return {16, 7, 127};
    case Element::Tf32:
        return {19, 10, 127};
    case Element::E4M3:
        return {8, 3, 7};
    case Element::E5M2:
        return {8, 2, 15};
    case Element::Float:
        return {32, 23, 127};
    default:
        return {16, 10, 15};
    }
}

constexpr int kExponentOfZero = -100'000;
constexpr uint32_t kFloatNaN = 0x7fffffff, kHalfNaN = 0x7fff;

struct Specials {
    bool notANumber = false;
    bool infinity[2] = {};  ///< by sign

    void add(Kind kind, bool negative)
    {
        notANumber |= kind == Kind::NotANumber;
        infinity[negative] |= kind == Kind::Infinite;
    }
    void addProduct(const TensorFactor& x, const TensorFactor& y)
    {
        if (x.kind == Kind::Finite && y.kind == Kind::Finite)
            return;
        const auto isZero = [](const TensorFactor& factor) {
            return factor.kind == Kind::Finite && factor.significand == 0;
        };
        const bool hasNaN = x.kind == Kind::NotANumber || y.kind == Kind::NotANumber || isZero(x) || isZero(y);
        add(hasNaN ? Kind::NotANumber : Kind::Infinite, x.negative != y.negative);
    }
    [[nodiscard]] bool any() const { return notANumber || infinity[0] || infinity[1]; }
    [[nodiscard]] uint32_t result(Element element) const
    {
        const bool isHalf = element == Element::Half;
        if (notANumber || (infinity[0] && infinity[1]))
            return isHalf ? kHalfNaN : kFloatNaN;
        const uint32_t sign = infinity[1] ? 1 : 0;
        return isHalf ? sign << 15 | 0x7c00 : sign << 31 | 0x7f800000;
    }
};

/// \p term × 2^-places, cut towards zero.
int64_t shiftedDown(int64_t term, int places)
{
    const uint64_t sign = term < 0 ? ~uint64_t{0} : 0;
    const uint64_t magnitude = ((static_cast<uint64_t>(term) ^ sign) - sign) >> std::min(places, 63);
    return static_cast<int64_t>((magnitude ^ sign) - sign);
}

/// \p value is exact; the float next to it towards zero, infinite only where \p value is beyond all floats.
float towardsZero(double value)
{
    const auto nearest = static_cast<float>(value);
    if (std::isinf(nearest))
        return std::abs(value) < 0x1p128 ? std::copysign(std::numeric_limits<float>::max(), nearest) : nearest;
    return std::abs(static_cast<double>(nearest)) > std::abs(value) ? std::nextafter(nearest, 0.0F) : nearest;
}

uint32_t rounded(double sum, const TensorSum& rule)
{
    if (rule.result == Element::Half) {
        const auto bits = static_cast<uint32_t>(narrowed(sum, NarrowFloat::Half, RoundMode::Nearest));
        return bits == 0x8000 ? 0 : bits;
    }
    const auto bits = std::bit_cast<uint32_t>(towardsZero(sum));
    return rule.cutsResult ? bits & ~((1u << (formatOf(Element::Float).fractionBits - rule.alignedBits)) - 1) : bits;
}

}  // namespace

std::optional<Element> elementNamed(std::string_view name)
{
    constexpr std::pair<std::string_view, Element> kNames[] = {
        {"f16", Element::Half},  {"bf16", Element::BFloat}, {"tf32", Element::Tf32},  {"e4m3", Element::E4M3},
        {"e5m2", Element::E5M2}, {"f64", Element::Double},  {"s8", Element::Signed8}, {"u8", Element::Unsigned8},
        {"f32", Element::Float}, {"s32", Element::Signed32}};
    for (const auto& [known, element] : kNames)
        if (known == name)
            return element;
    return std::nullopt;
}

unsigned perRegister(Element element)
{
    switch (element) {
    case Element::Half:
    case Element::BFloat:
        return 2;
    case Element::E4M3:
    case Element::E5M2:
    case Element::Signed8:
    case Element::Unsigned8:
        return 4;
    default:
        return 1;
    }
}

bool isInteger(Element element)
{
    return element == Element::Signed8 || element == Element::Unsigned8 || element == Element::Signed32;
}

bool isByteFloat(Element element)
{
    return element == Element::E4M3 || element == Element::E5M2;
}

bool isFloatProduct(Element a, Element b, Element result)
{
    const auto isFactor = [](Element e) { return !isInteger(e) && e != Element::Float && e != Element::Double; };
    const bool mixes = a == b || (isByteFloat(a) && isByteFloat(b));
    const bool addsHalves = a == Element::Half || isByteFloat(a);
    return mixes && isFactor(a) && (result == Element::Float || (result == Element::Half && addsHalves));
}

TensorFactor factorOf(uint32_t bits, Element element)
{
    const Format format = formatOf(element);
    if (element == Element::Tf32)
        bits >>= 13;
    const int exponentBits = format.bits - 1 - format.fractionBits;
    const auto fraction = static_cast<int32_t>(bits & ((1u << format.fractionBits) - 1));
    const auto exponent = static_cast<int32_t>(bits >> format.fractionBits & ((1u << exponentBits) - 1));
    const int32_t all = (1 << exponentBits) - 1;
    TensorFactor factor;
    factor.negative = (bits >> (format.bits - 1) & 1) != 0;
    if (element == Element::E4M3 ? exponent == all && fraction == 7 : exponent == all) {
        factor.kind = element == Element::E4M3 || fraction != 0 ? Kind::NotANumber : Kind::Infinite;
        return factor;
    }
    const int32_t magnitude = exponent == 0 ? fraction : fraction | 1 << format.fractionBits;
    factor.significand = factor.negative ? -magnitude : magnitude;
    factor.exponent = magnitude == 0 ? kExponentOfZero : std::max(exponent, 1) - format.bias;
    return factor;
}

TensorFactor halfOf(const TensorFactor& factor, Element element)
{
    if (factor.kind != Kind::Finite || factor.significand == 0)
        return factor;
    const double value = std::ldexp(factor.significand, factor.exponent - formatOf(element).fractionBits);
    return factorOf(static_cast<uint32_t>(narrowed(value, NarrowFloat::Half, RoundMode::Nearest)), Element::Half);
}

uint32_t sumOfProducts(std::span<const TensorFactor> a, std::span<const TensorFactor> b, uint32_t addend,
                       const TensorSum& rule)
{
    const TensorFactor start = factorOf(addend, rule.result);
    Specials specials;
    specials.add(start.kind, start.negative);
    int32_t largest = start.exponent;
    for (size_t i = 0; i < a.size(); ++i) {
        specials.addProduct(a[i], b[i]);
        largest = std::max(largest, a[i].exponent + b[i].exponent);
    }
    if (specials.any()) [[unlikely]]
        return specials.result(rule.result);
    // As whole numbers of 2^(largest − alignedBits); each has at most alignedBits + 3 bits.
    const int spare = rule.alignedBits - formatOf(rule.a).fractionBits - formatOf(rule.b).fractionBits;
    int64_t sum = shiftedDown(int64_t{start.significand} << rule.alignedBits,
                              formatOf(rule.result).fractionBits + largest - start.exponent);
    for (size_t i = 0; i < a.size(); ++i)
        sum +=
            shiftedDown(int64_t{a[i].significand} * b[i].significand << spare, largest - a[i].exponent - b[i].exponent);
    return sum == 0 ? 0 : rounded(std::ldexp(static_cast<double>(sum), largest - rule.alignedBits), rule);
}

uint32_t sumOfByteProducts(std::span<const TensorFactor> a, std::span<const TensorFactor> b, uint32_t addend,
                           Element result)
{
    constexpr size_t kLongestHalf = 32;
    uint32_t sum = 0;
    TensorFactor left[kLongestHalf], right[kLongestHalf];
    const size_t half = a.size() / 2;
    for (size_t upper = 0; upper < 2; ++upper) {
        for (size_t i = 0; i < half; ++i) {
            const size_t at = i / 2 * 4 + upper * 2 + i % 2;
            left[i] = a[at];
            right[i] = b[at];
        }
        sum = sumOfProducts({left, half}, {right, half}, sum, {.result = result});
    }
    if (result == Element::Float) {
        const float total = std::bit_cast<float>(addend) + std::bit_cast<float>(sum);
        return std::isnan(total) ? kFloatNaN : std::bit_cast<uint32_t>(total);
    }
    const auto value = [](uint32_t bits) {
        return double{std::bit_cast<float>(static_cast<uint32_t>(widened(bits, NarrowFloat::Half)))};
    };
    const double total = value(addend) + value(sum);
    return std::isnan(total) ? kHalfNaN : static_cast<uint32_t>(narrowed(total, NarrowFloat::Half, RoundMode::Nearest));
}

}  // namespace lanescope::simt
