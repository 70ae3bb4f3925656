// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/derivation.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace lanescope::trace {

namespace {

using Op = DerivationStep::Op;

/// What a step computes in, which says how many bits it may have.
enum class Of : uint8_t { Integers, Floats };

struct Word {
    Op op;
    std::string_view text;
    int takes;  ///< operands from the stack
    Of of = Of::Integers;
    bool hasOperand = false;
};

constexpr std::array kWords{Word{Op::Variable, "v", 0, Of::Integers, true},
                            Word{Op::Load, "l", 0, Of::Integers, true},
                            Word{Op::Constant, "c", 0, Of::Integers, true},
                            Word{Op::Coordinate, "t", 0, Of::Integers, true},
                            Word{Op::Add, "add", 2, Of::Floats},
                            Word{Op::Subtract, "sub", 2, Of::Floats},
                            Word{Op::Multiply, "mul", 2, Of::Floats},
                            Word{Op::Divide, "div", 2, Of::Floats},
                            Word{Op::Negate, "neg", 1, Of::Floats},
                            Word{Op::MultiplyAdd, "fma", 3, Of::Floats},
                            Word{Op::IntegerAdd, "iadd", 2},
                            Word{Op::IntegerSubtract, "isub", 2},
                            Word{Op::IntegerMultiply, "imul", 2},
                            Word{Op::UnsignedDivide, "udiv", 2},
                            Word{Op::SignedDivide, "sdiv", 2},
                            Word{Op::UnsignedRemainder, "urem", 2},
                            Word{Op::SignedRemainder, "srem", 2},
                            Word{Op::ShiftLeft, "shl", 2},
                            Word{Op::ShiftRight, "lshr", 2},
                            Word{Op::ShiftRightSigned, "ashr", 2},
                            Word{Op::And, "and", 2},
                            Word{Op::Or, "or", 2},
                            Word{Op::Xor, "xor", 2},
                            Word{Op::UnsignedMinimum, "umin", 2},
                            Word{Op::UnsignedMaximum, "umax", 2},
                            Word{Op::SignedMinimum, "smin", 2},
                            Word{Op::SignedMaximum, "smax", 2},
                            Word{Op::Truncate, "trunc", 1, Of::Integers, true},
                            Word{Op::SignExtend, "sext", 1, Of::Integers, true},
                            Word{Op::SignedToFloat, "sitof", 1, Of::Floats, true},
                            Word{Op::UnsignedToFloat, "uitof", 1, Of::Floats, true},
                            Word{Op::FloatToFloat, "ftof", 1, Of::Floats, true},
                            Word{Op::Equal, "eq", 2},
                            Word{Op::UnsignedLess, "ult", 2},
                            Word{Op::UnsignedLessEqual, "ule", 2},
                            Word{Op::SignedLess, "slt", 2},
                            Word{Op::SignedLessEqual, "sle", 2},
                            Word{Op::FloatEqual, "feq", 2, Of::Floats},
                            Word{Op::FloatLess, "flt", 2, Of::Floats},
                            Word{Op::FloatLessEqual, "fle", 2, Of::Floats},
                            Word{Op::Not, "not", 1},
                            Word{Op::Select, "select", 3}};

constexpr bool isInOrder()
{
    for (size_t i = 0; i < kWords.size(); ++i)
        if (static_cast<size_t>(kWords[i].op) != i)
            return false;
    return true;
}
static_assert(isInOrder() && kWords.size() == static_cast<size_t>(Op::Select) + 1);

bool isWidth(uint64_t bits)
{
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool isWidthOfFloats(uint64_t bits)
{
    return bits == 32 || bits == 64;
}

/// Takes a number off the front of \p text.
std::optional<uint64_t> numberFrom(std::string_view& text)
{
    uint64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<size_t>(at - text.data()));
    return number;
}

bool isPossible(const DerivationStep& step, const Word& word)
{
    // Of before schema 8, of floats.
    if (step.bits == 0)
        return step.op <= Op::MultiplyAdd && step.op != Op::Coordinate;
    const bool isRight = word.of == Of::Floats ? isWidthOfFloats(step.bits) : isWidth(step.bits);
    switch (step.op) {
    case Op::Coordinate:
        return isRight && step.operand < 12;
    case Op::Truncate:
    case Op::SignExtend:
    case Op::SignedToFloat:
    case Op::UnsignedToFloat:
        return isRight && isWidth(step.operand);
    case Op::FloatToFloat:
        return isRight && isWidthOfFloats(step.operand);
    default:
        return isRight;
    }
}

std::optional<DerivationStep> stepOf(std::string_view token)
{
    const size_t end = std::min(token.find_first_of("0123456789."), token.size());
    const auto word = std::ranges::find(kWords, token.substr(0, end), &Word::text);
    if (word == kWords.end())
        return std::nullopt;
    token.remove_prefix(end);
    DerivationStep step{word->op};
    if (word->hasOperand) {
        const std::optional<uint64_t> operand = numberFrom(token);
        if (!operand)
            return std::nullopt;
        step.operand = *operand;
    }
    if (token.starts_with('.')) {
        token.remove_prefix(1);
        const std::optional<uint64_t> bits = numberFrom(token);
        if (!bits || !isWidth(*bits))
            return std::nullopt;
        step.bits = static_cast<uint8_t>(*bits);
    }
    return token.empty() && isPossible(step, *word) ? std::optional(step) : std::nullopt;
}

}  // namespace

int operandCount(DerivationStep::Op op)
{
    return kWords[static_cast<size_t>(op)].takes;
}

std::string textOf(const Derivation& derivation)
{
    std::string text;
    for (const DerivationStep& step : derivation) {
        const Word& word = kWords[static_cast<size_t>(step.op)];
        text += fmt::format("{}{}", text.empty() ? "" : " ", word.text);
        if (word.hasOperand)
            text += std::to_string(step.operand);
        if (step.bits != 0)
            text += fmt::format(".{}", step.bits);
    }
    return text;
}

std::optional<Derivation> derivationOf(std::string_view text)
{
    Derivation derivation;
    int depth = 0;
    while (!text.empty()) {
        const size_t end = text.find(' ');
        const std::optional<DerivationStep> step = stepOf(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!step || depth < operandCount(step->op) || derivation.size() == kMaxDerivationSteps)
            return std::nullopt;
        depth += 1 - operandCount(step->op);
        derivation.push_back(*step);
    }
    if (!derivation.empty() && depth != 1)
        return std::nullopt;
    return derivation;
}

}  // namespace lanescope::trace
