// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync: what a warp's tensor core computes, with the fragment layouts of the PTX manual.
//
// Lane l is thread t = l % 4 of group g = l / 4. A register of A holds p elements (32 bits' worth, or one double):
// register r has row g + 8 (r mod rows/8), columns p t … of column block r / (rows/8), which is 4 p wide. B likewise
// with rows and columns exchanged; C and D have two neighbours of row g + 8 i in columns 2 t and 2 t + 1.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/simt/checks/definedness.h"
#include "core/simt/checks/undefined_bits.h"
#include "core/simt/machine/lane_functions.h"
#include "core/simt/machine/tensor_core.h"
#include "core/simt/machine/warp_functions.h"
#include "core/simt/state/lane_values.h"

namespace lanescope::simt {
namespace {

struct MatrixShape {
    unsigned m, n, k;
    Element d, a, b;
    bool saturates;  ///< integers stay at their limits
};

uint64_t pack(const MatrixShape& shape)
{
    return shape.m | shape.n << 8 | shape.k << 16 | uint64_t(shape.d) << 24 | uint64_t(shape.a) << 32 |
           uint64_t(shape.b) << 40 | uint64_t(shape.saturates) << 48;
}

MatrixShape unpack(uint64_t imm)
{
    return {static_cast<unsigned>(imm & 0xff),
            static_cast<unsigned>(imm >> 8 & 0xff),
            static_cast<unsigned>(imm >> 16 & 0xff),
            static_cast<Element>(imm >> 24 & 0xff),
            static_cast<Element>(imm >> 32 & 0xff),
            static_cast<Element>(imm >> 40 & 0xff),
            (imm >> 48 & 1) != 0};
}

constexpr unsigned kLargestSide = 32;  ///< rows, columns and depth are at most this

/// Elements of both matrices, as they come from registers; B turned, so that what is multiplied lies side by side.
struct Operands {
    uint64_t a[kLargestSide][kLargestSide];
    uint64_t b[kLargestSide][kLargestSide];
};

uint64_t word(const WarpCall& call, Warp& warp, unsigned index, int lane)
{
    return call.wideIn[index] ? warp.vector<uint64_t>(call.in[index])[lane]
                              : warp.vector<uint32_t>(call.in[index])[lane];
}

uint64_t elementAt(uint64_t word, unsigned index, unsigned perWord)
{
    return perWord == 1 ? word : word >> (32 / perWord * index) & ((uint64_t{1} << (32 / perWord)) - 1);
}

void gather(const WarpCall& call, Warp& warp, const MatrixShape& shape, Operands& out)
{
    unsigned pa = perRegister(shape.a), pb = perRegister(shape.b);
    unsigned rowBlocks = shape.m / 8;
    unsigned aRegisters = rowBlocks * shape.k / (4 * pa), bRegisters = shape.k / (4 * pb);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        unsigned g = static_cast<unsigned>(lane) / 4, t = static_cast<unsigned>(lane) % 4;
        for (unsigned r = 0; r < aRegisters; ++r)
            for (unsigned i = 0; i < pa; ++i)
                out.a[g + 8 * (r % rowBlocks)][r / rowBlocks * 4 * pa + pa * t + i] =
                    elementAt(word(call, warp, r, lane), i, pa);
        for (unsigned r = 0; r < bRegisters; ++r)
            for (unsigned i = 0; i < pb; ++i)
                out.b[g][r * 4 * pb + pb * t + i] = elementAt(word(call, warp, aRegisters + r, lane), i, pb);
    }
}

/// One after the other, each rounded.
uint64_t dotOfDoubles(const uint64_t* a, const uint64_t* b, unsigned depth, uint64_t addend)
{
    auto sum = std::bit_cast<double>(addend);
    for (unsigned i = 0; i < depth; ++i)
        sum = std::fma(std::bit_cast<double>(a[i]), std::bit_cast<double>(b[i]), sum);
    return std::bit_cast<uint64_t>(sum);
}

uint64_t dotOfIntegers(const uint64_t* a, const uint64_t* b, const MatrixShape& shape, uint64_t addend)
{
    const auto value = [](uint64_t bits, Element element) {
        return element == Element::Signed8 ? int64_t{static_cast<int8_t>(bits)} : static_cast<int64_t>(bits);
    };
    int64_t sum = static_cast<int32_t>(addend);
    for (unsigned i = 0; i < shape.k; ++i)
        sum += value(a[i], shape.a) * value(b[i], shape.b);
    return static_cast<uint32_t>(shape.saturates ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
}

/// What the matrices' elements are multiplied as.
class Products {
public:
    Products(const Operands& operands, const MatrixShape& shape) : m_operands(operands), m_shape(shape)
    {
        if (isInteger(shape.a) || shape.a == Element::Double)
            return;
        for (unsigned k = 0; k < shape.k; ++k) {
            for (unsigned i = 0; i < shape.m; ++i)
                m_a[i][k] = factor(operands.a[i][k], shape.a);
            for (unsigned i = 0; i < shape.n; ++i)
                m_b[i][k] = factor(operands.b[i][k], shape.b);
        }
    }

    [[nodiscard]] uint64_t dot(unsigned row, unsigned column, uint64_t addend) const
    {
        if (m_shape.a == Element::Double)
            return dotOfDoubles(m_operands.a[row], m_operands.b[column], m_shape.k, addend);
        if (isInteger(m_shape.a))
            return dotOfIntegers(m_operands.a[row], m_operands.b[column], m_shape, addend);
        const auto start = static_cast<uint32_t>(addend);
        if (isByteFloat(m_shape.a))
            return sumOfByteProducts({m_a[row], m_shape.k}, {m_b[column], m_shape.k}, start, m_shape.d);
        return sumOfProducts({m_a[row], m_shape.k}, {m_b[column], m_shape.k}, start,
                             {.a = m_shape.a, .b = m_shape.b, .result = m_shape.d});
    }

private:
    static TensorFactor factor(uint64_t bits, Element element)
    {
        const TensorFactor itself = factorOf(static_cast<uint32_t>(bits), element);
        return isByteFloat(element) ? halfOf(itself, element) : itself;
    }

    const Operands& m_operands;
    const MatrixShape& m_shape;
    TensorFactor m_a[kLargestSide][kLargestSide];
    TensorFactor m_b[kLargestSide][kLargestSide];
};

/// Where what is undefined of each row of A, or column of B, came from; 0: all of it is defined.
using Origins = std::array<uint32_t, kLargestSide>;

/// Registers from \p first on hold \p perWord elements; the r-th is of block \p r modulo \p blocks of eight rows.
Origins undefinedRows(std::span<const UndefinedBits> words, unsigned perWord, unsigned blocks)
{
    Origins rows{};
    for (unsigned r = 0; r < words.size(); ++r)
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            for (unsigned i = 0; i < perWord; ++i)
                if (elementAt(words[r].bits[lane], i, perWord) != 0)
                    rows[lane / 4 + 8 * (r % blocks)] = words[r].origin[lane] | kComputed;
    return rows;
}

/// An element of the result is undefined where its row of A, its column of B or its addend is.
void noteUndefined(const WarpCall& call, Warp& warp, const MatrixShape& shape)
{
    const unsigned rowBlocks = shape.m / 8, perWord = shape.d == Element::Half ? 2 : 1;
    const unsigned aWords = rowBlocks * shape.k / (4 * perRegister(shape.a));
    const unsigned bWords = shape.k / (4 * perRegister(shape.b)), sums = rowBlocks * 2 / perWord;
    const std::vector<UndefinedBits> operands = undefinedOperands(warp, call, aWords + bWords + sums);
    std::vector<UndefinedBits> results(sums);
    if (!operands.empty()) {
        const std::span all(operands);
        const Origins rows = undefinedRows(all.first(aWords), perRegister(shape.a), rowBlocks);
        const Origins columns = undefinedRows(all.subspan(aWords, bWords), perRegister(shape.b), 1);
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            for (unsigned index = 0; index < sums * perWord; ++index) {
                const unsigned r = index / perWord, i = index % perWord;
                const UndefinedBits& addend = all[aWords + bWords + r];
                const uint32_t row = rows[lane / 4 + 8 * (index / 2)], column = columns[lane % 4 * 2 + index % 2];
                const uint64_t mask = shape.d == Element::Double ? ~uint64_t{0}
                                      : perWord == 1             ? uint64_t{UINT32_MAX}
                                                                 : uint64_t{0xffff} << 16 * i;
                const uint32_t before = (addend.bits[lane] & mask) != 0 ? addend.origin[lane] | kComputed : 0;
                const uint32_t origin = row != 0 ? row : column != 0 ? column : before;
                if (origin == 0)
                    continue;
                results[r].bits[lane] |= mask;
                results[r].origin[lane] = origin;
            }
    }
    noteResults(warp, call, UINT32_MAX, results);
}

bool parseNumber(std::string_view& text, unsigned& out)
{
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc())
        return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

/// Whether the hardware has a product of these types.
bool isComputed(const MatrixShape& shape)
{
    if (isInteger(shape.a) || shape.a == Element::Double)
        return shape.d == (isInteger(shape.a) ? Element::Signed32 : Element::Double) &&
               isInteger(shape.a) == isInteger(shape.b);
    return !shape.saturates && isFloatProduct(shape.a, shape.b, shape.d);
}

}  // namespace

void multiplyMatrices(const WarpCall& call, Warp& warp, LaneMask)
{
    MatrixShape shape = unpack(call.imm);
    if (shape.d != Element::Signed32)
        warp.flops += uint64_t{2} * shape.m * shape.n * shape.k;
    Operands operands;
    gather(call, warp, shape, operands);
    const Products products(operands, shape);
    unsigned rowBlocks = shape.m / 8;
    unsigned first = rowBlocks * shape.k / (4 * perRegister(shape.a)) + shape.k / (4 * perRegister(shape.b));
    unsigned perWord = shape.d == Element::Half ? 2 : 1;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        unsigned g = static_cast<unsigned>(lane) / 4, t = static_cast<unsigned>(lane) % 4;
        for (unsigned r = 0; r < rowBlocks * 2 / perWord; ++r) {
            uint64_t addend = word(call, warp, first + r, lane), result = 0;
            for (unsigned i = 0; i < perWord; ++i) {
                unsigned index = r * perWord + i;
                result |= products.dot(g + 8 * (index / 2), 2 * t + index % 2, elementAt(addend, i, perWord))
                          << (16 * i);
            }
            if (call.wideOut[r])
                warp.vector<uint64_t>(call.out[r])[lane] = result;
            else
                warp.vector<uint32_t>(call.out[r])[lane] = static_cast<uint32_t>(result);
        }
    }
    if (warp.tracked)
        noteUndefined(call, warp, shape);
}

std::optional<uint64_t> matrixOperation(std::string_view name)
{
    // mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    size_t shapeAt = name.find("aligned.m");
    if (shapeAt == name.npos)
        return std::nullopt;
    std::string_view rest = name.substr(shapeAt + 9);
    MatrixShape shape{};
    auto skip = [&](char c) {
        bool there = !rest.empty() && rest.front() == c;
        if (there)
            rest.remove_prefix(1);
        return there;
    };
    if (!parseNumber(rest, shape.m) || !skip('n') || !parseNumber(rest, shape.n) || !skip('k') ||
        !parseNumber(rest, shape.k))
        return std::nullopt;
    constexpr std::string_view kLayout = ".row.col";
    if (!rest.starts_with(kLayout))
        return std::nullopt;
    rest.remove_prefix(kLayout.size());
    constexpr std::string_view kSaturates = ".satfinite";
    shape.saturates = rest.starts_with(kSaturates);
    if (shape.saturates)
        rest.remove_prefix(kSaturates.size());
    Element types[4];
    for (Element& type : types) {
        if (!skip('.'))
            return std::nullopt;
        std::string_view part = rest.substr(0, rest.find('.'));
        std::optional<Element> element = elementNamed(part);
        if (!element)
            return std::nullopt;
        type = *element;
        rest.remove_prefix(part.size());
    }
    shape.d = types[0];
    shape.a = types[1];
    shape.b = types[2];
    bool known = (shape.m == 16 || shape.m == 8) && shape.n == 8 && shape.k >= 4 && shape.k <= kLargestSide &&
                 types[0] == types[3] && shape.k % (4 * perRegister(shape.a)) == 0 && isComputed(shape);
    return known && rest.empty() ? std::optional(pack(shape)) : std::nullopt;
}

}  // namespace lanescope::simt
