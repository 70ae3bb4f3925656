// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: a warp's 16 rows of a warpgroup's product, 8 or 16 of its columns at a time. Of a matrix in shared memory each
// lane has 16 bytes: lane l those of row (of B: column) l % 16, the first of that row for lanes below 16 and the second
// for others; or, where it lies the other way round, of k = l % 16 the first or second eight rows. Of A in registers,
// and of C and D, a lane has what it has in mma.sync.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "core/simt/checks/definedness.h"
#include "core/simt/checks/product_registers.h"
#include "core/simt/checks/undefined_bits.h"
#include "core/simt/machine/late_copies.h"
#include "core/simt/machine/tensor_core.h"
#include "core/simt/machine/warp_functions.h"

namespace lanescope::simt {
namespace {

constexpr unsigned kRows = 16;
constexpr unsigned kMostDepth = 32;
constexpr unsigned kWords = 4;  ///< of a lane's 16 bytes

struct Product {
    unsigned depth = 0;
    unsigned columns = 0;
    Element d = Element::Float, a = Element::Half, b = Element::Half;
    bool aInRegisters = false;
    bool turns[2] = {};    ///< A, B: lies the other way round
    bool negates[2] = {};  ///< A, B
    bool saturates = false;
};

uint64_t packed(const Product& product)
{
    uint64_t flags = 0;
    for (const bool flag : {product.aInRegisters, product.turns[0], product.turns[1], product.negates[0],
                            product.negates[1], product.saturates})
        flags = flags << 1 | (flag ? 1 : 0);
    return product.depth | uint64_t{product.columns} << 8 | static_cast<uint64_t>(product.d) << 16 |
           static_cast<uint64_t>(product.a) << 24 | static_cast<uint64_t>(product.b) << 32 | flags << 40;
}

Product productOf(uint64_t imm)
{
    Product product;
    const auto byte = [&](unsigned index) { return static_cast<unsigned>(imm >> 8 * index & 0xff); };
    product.depth = byte(0);
    product.columns = byte(1);
    product.d = static_cast<Element>(byte(2));
    product.a = static_cast<Element>(byte(3));
    product.b = static_cast<Element>(byte(4));
    const auto flag = [&](unsigned index) { return (byte(5) >> (5 - index) & 1) != 0; };
    product.aInRegisters = flag(0);
    product.turns[0] = flag(1);
    product.turns[1] = flag(2);
    product.negates[0] = flag(3);
    product.negates[1] = flag(4);
    product.saturates = flag(5);
    return product;
}

/// A matrix of at most 16 rows (of B: columns), each along k.
struct Side {
    uint32_t bits[kRows][kMostDepth] = {};
    TensorFactor factors[kRows][kMostDepth];
};

uint32_t elementOf(const uint32_t (&words)[kWords], unsigned index, unsigned perWord)
{
    const unsigned width = 32 / perWord;
    const uint32_t word = words[index / perWord];
    return perWord == 1 ? word : word >> (width * (index % perWord)) & ((1u << width) - 1);
}

void readRows(const WarpCall& call, Warp& warp, unsigned first, Element element, bool turned, Side& side)
{
    const unsigned perWord = perRegister(element);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        uint32_t words[kWords];
        for (unsigned i = 0; i < kWords; ++i)
            words[i] = warp.vector<uint32_t>(call.in[first + i])[lane];
        const unsigned count = kWords * perWord;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned along = lane / 16 * count + i;
            (turned ? side.bits[along][lane % 16] : side.bits[lane % 16][along]) = elementOf(words, i, perWord);
        }
    }
}

void readFragments(const WarpCall& call, Warp& warp, Element element, Side& side)
{
    const unsigned perWord = perRegister(element);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned r = 0; r < kWords; ++r) {
            const uint32_t words[kWords] = {warp.vector<uint32_t>(call.in[r])[lane]};
            for (unsigned i = 0; i < perWord; ++i)
                side.bits[lane / 4 + 8 * (r % 2)][(r / 2 * 4 + lane % 4) * perWord + i] = elementOf(words, i, perWord);
        }
}

void findFactors(Side& side, unsigned rows, unsigned depth, Element element, bool negates)
{
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned k = 0; k < depth; ++k) {
            TensorFactor factor = factorOf(side.bits[row][k], element);
            if (negates) {
                factor.significand = -factor.significand;
                factor.negative = !factor.negative;
            }
            side.factors[row][k] = factor;
        }
}

int64_t integerOf(uint32_t bits, Element element)
{
    return element == Element::Signed8 ? int64_t{static_cast<int8_t>(bits)} : int64_t{bits};
}

uint32_t dot(const Product& product, const Side& a, unsigned row, const Side& b, unsigned column, uint32_t addend)
{
    if (!isInteger(product.a)) {
        const bool isByte = isByteFloat(product.a);
        return sumOfProducts({a.factors[row], product.depth}, {b.factors[column], product.depth}, addend,
                             {.a = product.a,
                              .b = product.b,
                              .result = product.d,
                              .alignedBits = isByte ? 13 : 25,
                              .cutsResult = isByte && product.d == Element::Float});
    }
    int64_t sum = static_cast<int32_t>(addend);
    for (unsigned k = 0; k < product.depth; ++k)
        sum += integerOf(a.bits[row][k], product.a) * integerOf(b.bits[column][k], product.b);
    return static_cast<uint32_t>(product.saturates ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
}

/// Where what is undefined of a matrix's row (of B: column) or of an addend came from; 0: all of it is defined.
using Origins = std::array<uint32_t, kRows>;

/// Of a matrix in shared memory, or of A in registers: the rows that have an undefined bit.
Origins undefinedRows(std::span<const UndefinedBits> words, Element element, bool turned, bool inRegisters)
{
    const unsigned perWord = perRegister(element);
    Origins rows{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned word = 0; word < kWords; ++word)
            for (unsigned i = 0; i < perWord; ++i) {
                const uint64_t mask = (uint64_t{1} << 32 / perWord) - 1;
                if ((words[word].bits[lane] >> (32 / perWord * i) & mask) == 0)
                    continue;
                const unsigned row = inRegisters ? lane / 4 + 8 * (word % 2)
                                     : turned    ? lane / 16 * kWords * perWord + word * perWord + i
                                                 : lane % 16;
                rows[row] = words[word].origin[lane] | kComputed;
            }
    return rows;
}

/// An element of the result is undefined where its row of A, its column of B or its addend is.
void noteUndefined(const WarpCall& call, Warp& warp, const Product& product)
{
    const unsigned perWord = product.d == Element::Half ? 2 : 1, sums = product.columns / 2 / perWord;
    const std::vector<UndefinedBits> operands = undefinedOperands(warp, call, 2 * kWords + sums);
    std::vector<UndefinedBits> results(sums);
    if (!operands.empty()) {
        const std::span all(operands);
        const Origins rows = undefinedRows(all.first(kWords), product.a, product.turns[0], product.aInRegisters);
        const Origins columns = undefinedRows(all.subspan(kWords, kWords), product.b, product.turns[1], false);
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            for (unsigned r = 0; r < sums; ++r) {
                const UndefinedBits& addend = operands[2 * kWords + r];
                for (unsigned i = 0; i < perWord; ++i) {
                    const unsigned index = r * perWord + i;
                    const unsigned row = lane / 4 + 8 * (index / 2 % 2);
                    const unsigned column = index / 4 * 8 + lane % 4 * 2 + index % 2;
                    const uint64_t mask = perWord == 1 ? UINT32_MAX : uint64_t{0xffff} << (16 * i);
                    const uint32_t before = (addend.bits[lane] & mask) != 0 ? addend.origin[lane] | kComputed : 0;
                    const uint32_t origin = rows[row] != 0         ? rows[row]
                                            : columns[column] != 0 ? columns[column]
                                                                   : before;
                    if (origin == 0)
                        continue;
                    results[r].bits[lane] |= mask;
                    results[r].origin[lane] = origin;
                }
            }
    }
    noteResults(warp, call, UINT32_MAX, results);
}

bool isComputed(const Product& product)
{
    if (isInteger(product.a) != isInteger(product.b) || 32 / perRegister(product.a) * product.depth != 256)
        return false;
    if (isInteger(product.a))
        return product.d == Element::Signed32;
    return product.a != Element::Double && !product.saturates && isFloatProduct(product.a, product.b, product.d);
}

}  // namespace

void multiplyWarpgroup(const WarpCall& call, Warp& warp, LaneMask)
{
    const Product product = productOf(call.imm);
    const unsigned perWord = product.d == Element::Half ? 2 : 1;
    if (const auto& issued = warp.asyncReads[static_cast<size_t>(AsyncStream::Products)]; warp.products && issued)
        warp.products->multiply(warp, {.call = &call,
                                       .factors = product.aInRegisters ? kWords : 0,
                                       .firstSum = 2 * kWords,
                                       .sums = product.columns / 2 / perWord,
                                       .group = issued->committed[static_cast<size_t>(std::countr_zero(warp.mask))],
                                       .isLate = warp.block->late && warp.block->late->isNextLate()});
    if (!isInteger(product.a))
        warp.flops += uint64_t{2} * kRows * product.columns * product.depth;
    Side a, b;
    if (product.aInRegisters)
        readFragments(call, warp, product.a, a);
    else
        readRows(call, warp, 0, product.a, product.turns[0], a);
    readRows(call, warp, kWords, product.b, product.turns[1], b);
    if (!isInteger(product.a)) {
        findFactors(a, kRows, product.depth, product.a, product.negates[0]);
        findFactors(b, product.columns, product.depth, product.b, product.negates[1]);
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned r = 0; r < product.columns / 2 / perWord; ++r) {
            const uint32_t addend = warp.vector<uint32_t>(call.in[2 * kWords + r])[lane];
            uint32_t result = 0;
            for (unsigned i = 0; i < perWord; ++i) {
                const unsigned index = r * perWord + i;
                const unsigned row = lane / 4 + 8 * (index / 2 % 2), column = index / 4 * 8 + lane % 4 * 2 + index % 2;
                const uint32_t start = perWord == 1 ? addend : addend >> (16 * i) & 0xffff;
                result |= dot(product, a, row, b, column, start) << (16 * i);
            }
            warp.vector<uint32_t>(call.out[r])[lane] = result;
        }
    if (warp.tracked)
        noteUndefined(call, warp, product);
}

std::optional<uint64_t> warpgroupOperation(std::string_view name)
{
    // n16k16.f32.f16.f16[.regs][.ta][.tb][.na][.nb][.satfinite]
    Product product;
    const auto number = [&](char letter, unsigned& out) {
        if (!name.starts_with(letter))
            return false;
        const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), out);
        name.remove_prefix(static_cast<size_t>(end - name.data()));
        return error == std::errc();
    };
    if (!number('n', product.columns) || !number('k', product.depth))
        return std::nullopt;
    std::optional<Element> types[3];
    for (unsigned i = 0; name.starts_with('.'); ++i) {
        name.remove_prefix(1);
        const std::string_view part = name.substr(0, name.find('.'));
        name.remove_prefix(part.size());
        constexpr std::string_view kFlags[] = {"regs", "ta", "tb", "na", "nb", "satfinite"};
        bool* const flags[] = {&product.aInRegisters, &product.turns[0],   &product.turns[1],
                               &product.negates[0],   &product.negates[1], &product.saturates};
        if (const auto* flag = std::ranges::find(kFlags, part); flag != std::end(kFlags))
            *flags[flag - kFlags] = true;
        else if (i < 3)
            types[i] = elementNamed(part);
        else
            return std::nullopt;
    }
    if (!types[0] || !types[1] || !types[2])
        return std::nullopt;
    product.d = *types[0];
    product.a = *types[1];
    product.b = *types[2];
    return isComputed(product) ? std::optional(packed(product)) : std::nullopt;
}

}  // namespace lanescope::simt
