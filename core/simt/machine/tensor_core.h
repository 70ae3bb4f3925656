// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tensor cores multiply and add up, bit for bit as an H100 does it; measured (docs/decisions/040).
//
// The products and the addend are aligned to the largest of their exponents, of which products have the sum of their
// factors' (1.5 × 1.5 stays 2.25 × 2^0), and cut off so many bits below it, towards zero; then they are added up, in
// whatever order, and the sum is rounded once: towards zero to float, to the nearest to half.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lanescope::simt {

/// Types of a product's operands and results.
enum class Element : uint8_t { Half, BFloat, Tf32, E4M3, E5M2, Double, Signed8, Unsigned8, Float, Signed32 };

/// As PTX names it: "f16", "bf16", "e4m3" …
std::optional<Element> elementNamed(std::string_view name);
/// Of a 32-bit register; 1 for wider ones.
unsigned perRegister(Element element);
bool isInteger(Element element);
bool isByteFloat(Element element);

/// Whether the hardware has products of these floating-point types with such a result.
bool isFloatProduct(Element a, Element b, Element result);

/// A floating-point number of a narrow type, taken apart: significand × 2^(exponent − fraction bits of its type).
struct TensorFactor {
    enum class Kind : uint8_t { Finite, Infinite, NotANumber };
    int32_t significand = 0;  ///< with its sign
    int32_t exponent = 0;     ///< of subnormal numbers, the least; of zero one that is never the largest
    Kind kind = Kind::Finite;
    bool negative = false;
};

/// \p bits: the element's, lowest first. Of Tf32 the hardware ignores the lower 13.
TensorFactor factorOf(uint32_t bits, Element element);

/// The same number as a half, which holds every 8-bit float.
TensorFactor halfOf(const TensorFactor& factor, Element element);

/// How a sum of products is made.
struct TensorSum {
    Element a = Element::Half;
    Element b = Element::Half;
    Element result = Element::Float;  ///< or Half
    int alignedBits = 25;             ///< kept below the largest exponent; of 8-bit floats in a warpgroup's product, 13
    bool cutsResult = false;          ///< a float result keeps no more fraction bits than those
};

/// \p addend plus the sum of a[i] × b[i]; the result's bits. Both spans have the same length, of at most 64.
uint32_t sumOfProducts(std::span<const TensorFactor> a, std::span<const TensorFactor> b, uint32_t addend,
                       const TensorSum& rule);

/// mma.sync of 8-bit floats, given as halves (halfOf), which an H100 makes of two products of halves, from nothing:
/// first of those of which each register of four has the lower two. Their sum is added to \p addend as any two numbers
/// are.
uint32_t sumOfByteProducts(std::span<const TensorFactor> a, std::span<const TensorFactor> b, uint32_t addend,
                           Element result);

}  // namespace lanescope::simt
