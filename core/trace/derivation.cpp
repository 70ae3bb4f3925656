// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/derivation.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace lanescope::trace {

namespace {

using Op = DerivationStep::Op;

struct Word {
    Op op;
    std::string_view text;
    int takes;  ///< operands from the stack
};

constexpr std::array<Word, 9> kWords{{{Op::Variable, "v", 0},
                                      {Op::Load, "l", 0},
                                      {Op::Constant, "c", 0},
                                      {Op::Add, "add", 2},
                                      {Op::Subtract, "sub", 2},
                                      {Op::Multiply, "mul", 2},
                                      {Op::Divide, "div", 2},
                                      {Op::Negate, "neg", 1},
                                      {Op::MultiplyAdd, "fma", 3}}};

const Word* wordOf(std::string_view token)
{
    for (const Word& word : kWords)
        if (word.takes != 0 ? token == word.text : token.starts_with(word.text) && token.size() > 1)
            return &word;
    return nullptr;
}

}  // namespace

std::string textOf(const Derivation& derivation)
{
    std::string text;
    for (const DerivationStep& step : derivation) {
        if (!text.empty())
            text += ' ';
        const Word& word = kWords[static_cast<size_t>(step.op)];
        text += word.text;
        if (word.takes == 0)
            text += std::to_string(step.operand);
    }
    return text;
}

std::optional<Derivation> derivationOf(std::string_view text)
{
    Derivation derivation;
    int depth = 0;
    while (!text.empty()) {
        const size_t end = text.find(' ');
        const std::string_view token = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const Word* word = wordOf(token);
        if (word == nullptr || depth < word->takes || derivation.size() == kMaxDerivationSteps)
            return std::nullopt;
        DerivationStep step{word->op, 0};
        if (word->takes == 0) {
            const auto [at, error] = std::from_chars(token.data() + 1, token.data() + token.size(), step.operand);
            if (error != std::errc{} || at != token.data() + token.size())
                return std::nullopt;
        }
        depth += 1 - word->takes;
        derivation.push_back(step);
    }
    if (!derivation.empty() && depth != 1)
        return std::nullopt;
    return derivation;
}

}  // namespace lanescope::trace
