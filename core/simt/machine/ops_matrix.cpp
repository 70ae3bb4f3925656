// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync: what a warp's tensor core computes, with the fragment layouts of the PTX manual.
//
// Lane l is thread t = l % 4 of group g = l / 4. A register of A holds p elements (32 bits' worth, or one double):
// register r has row g + 8 (r mod rows/8), columns p t … of column block r / (rows/8), which is 4 p wide. B likewise
// with rows and columns exchanged; C and D have two neighbours of row g + 8 i in columns 2 t and 2 t + 1.
#include <bit>
#include <charconv>
#include <optional>

#include "core/simt/machine/lane_functions.h"
#include "core/simt/machine/warp_functions.h"
#include "core/simt/state/lane_values.h"

namespace lanescope::simt {
namespace {

enum class Element : uint8_t { Half, BFloat, Tf32, Double, Signed8, Unsigned8, Float, Signed32 };

struct MatrixShape {
    unsigned m, n, k;
    Element d, a, b;
};

uint64_t pack(const MatrixShape& shape)
{
    return shape.m | shape.n << 8 | shape.k << 16 | uint64_t(shape.d) << 24 | uint64_t(shape.a) << 32 |
           uint64_t(shape.b) << 40;
}

MatrixShape unpack(uint64_t imm)
{
    return {static_cast<unsigned>(imm & 0xff),       static_cast<unsigned>(imm >> 8 & 0xff),
            static_cast<unsigned>(imm >> 16 & 0xff), static_cast<Element>(imm >> 24 & 0xff),
            static_cast<Element>(imm >> 32 & 0xff),  static_cast<Element>(imm >> 40 & 0xff)};
}

unsigned perRegister(Element element)
{
    switch (element) {
    case Element::Half:
    case Element::BFloat:
        return 2;
    case Element::Signed8:
    case Element::Unsigned8:
        return 4;
    default:
        return 1;
    }
}

double valueOf(uint64_t word, unsigned index, Element element)
{
    switch (element) {
    case Element::Half:
    case Element::BFloat: {
        auto kind = element == Element::Half ? NarrowFloat::Half : NarrowFloat::BFloat;
        return std::bit_cast<float>(static_cast<uint32_t>(widened(word >> (16 * index) & 0xffff, kind)));
    }
    case Element::Tf32:  // the hardware ignores the lower 13 bits
        return std::bit_cast<float>(static_cast<uint32_t>(word) & 0xffffe000u);
    case Element::Double:
        return std::bit_cast<double>(word);
    case Element::Signed8:
        return static_cast<int8_t>(word >> (8 * index));
    case Element::Unsigned8:
        return static_cast<uint8_t>(word >> (8 * index));
    case Element::Signed32:
        return static_cast<int32_t>(word);
    default:
        return std::bit_cast<float>(static_cast<uint32_t>(word));
    }
}

constexpr unsigned kLargestSide = 32;  ///< rows, columns and depth are at most this

struct Operands {
    double a[kLargestSide][kLargestSide];
    double b[kLargestSide][kLargestSide];
};

uint64_t word(const WarpCall& call, Warp& warp, unsigned index, int lane)
{
    return call.wideIn[index] ? warp.vector<uint64_t>(call.in[index])[lane]
                              : warp.vector<uint32_t>(call.in[index])[lane];
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
                    valueOf(word(call, warp, r, lane), i, shape.a);
        for (unsigned r = 0; r < bRegisters; ++r)
            for (unsigned i = 0; i < pb; ++i)
                out.b[r * 4 * pb + pb * t + i][g] = valueOf(word(call, warp, aRegisters + r, lane), i, shape.b);
    }
}

/// Sums are exact to double's precision and rounded once; hardware keeps a few bits fewer.
double dot(const Operands& operands, unsigned row, unsigned column, unsigned depth, double start)
{
    double sum = start;
    for (unsigned i = 0; i < depth; ++i)
        sum += operands.a[row][i] * operands.b[i][column];
    return sum;
}

uint64_t bitsOf(double value, Element element)
{
    switch (element) {
    case Element::Double:
        return std::bit_cast<uint64_t>(value);
    case Element::Signed32:
        return static_cast<uint32_t>(static_cast<int64_t>(value));
    case Element::Half:
        return narrowed(value, NarrowFloat::Half, RoundMode::Nearest);
    default:
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    }
}

bool parseNumber(std::string_view& text, unsigned& out)
{
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc())
        return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

bool elementNamed(std::string_view name, Element& out)
{
    constexpr std::pair<std::string_view, Element> kNames[] = {
        {"f16", Element::Half},   {"bf16", Element::BFloat},  {"tf32", Element::Tf32}, {"f64", Element::Double},
        {"s8", Element::Signed8}, {"u8", Element::Unsigned8}, {"f32", Element::Float}, {"s32", Element::Signed32}};
    for (const auto& [known, element] : kNames)
        if (known == name) {
            out = element;
            return true;
        }
    return false;
}

}  // namespace

void multiplyMatrices(const WarpCall& call, Warp& warp, LaneMask)
{
    MatrixShape shape = unpack(call.imm);
    if (shape.d != Element::Signed32)
        warp.flops += uint64_t{2} * shape.m * shape.n * shape.k;
    Operands operands;
    gather(call, warp, shape, operands);
    unsigned rowBlocks = shape.m / 8;
    unsigned first = rowBlocks * shape.k / (4 * perRegister(shape.a)) + shape.k / (4 * perRegister(shape.b));
    unsigned perWord = shape.d == Element::Half ? 2 : 1;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        unsigned g = static_cast<unsigned>(lane) / 4, t = static_cast<unsigned>(lane) % 4;
        for (unsigned r = 0; r < rowBlocks * 2 / perWord; ++r) {
            uint64_t addend = word(call, warp, first + r, lane), result = 0;
            for (unsigned i = 0; i < perWord; ++i) {
                unsigned index = r * perWord + i;
                double sum =
                    dot(operands, g + 8 * (index / 2), 2 * t + index % 2, shape.k, valueOf(addend, i, shape.d));
                result |= bitsOf(sum, shape.d) << (16 * i);
            }
            if (call.wideOut[r])
                warp.vector<uint64_t>(call.out[r])[lane] = result;
            else
                warp.vector<uint32_t>(call.out[r])[lane] = static_cast<uint32_t>(result);
        }
    }
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
    if (rest.starts_with(".satfinite"))
        rest.remove_prefix(10);
    Element types[4];
    for (Element& type : types) {
        if (!skip('.'))
            return std::nullopt;
        std::string_view part = rest.substr(0, rest.find('.'));
        if (!elementNamed(part, type))
            return std::nullopt;
        rest.remove_prefix(part.size());
    }
    shape.d = types[0];
    shape.a = types[1];
    shape.b = types[2];
    bool known = (shape.m == 16 || shape.m == 8) && shape.n == 8 && shape.k >= 4 && shape.k <= kLargestSide &&
                 types[0] == types[3] && shape.k % (4 * perRegister(shape.a)) == 0;
    return known && rest.empty() ? std::optional(pack(shape)) : std::nullopt;
}

}  // namespace lanescope::simt
