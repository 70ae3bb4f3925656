// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precedence climbing over C's expression grammar, without assignment.
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/replay/expression_calls.h"
#include "core/replay/expression_node.h"

namespace lanescope::replay {

namespace {

using Node = Expression::Node;
using NodePointer = std::shared_ptr<const Node>;

constexpr int kDeepest = 64;        // nested parentheses and operators: the tree is walked recursively
constexpr size_t kLongest = 1'000;  // characters: bounds the length of a chain of operators, too

struct BinaryOperator {
    std::string_view text;
    int precedence;
};

// Longer ones first, so that "<=" is not read as "<".
constexpr std::array kBinary{BinaryOperator{"||", 1}, BinaryOperator{"&&", 2}, BinaryOperator{"==", 6},
                             BinaryOperator{"!=", 6}, BinaryOperator{"<=", 7}, BinaryOperator{">=", 7},
                             BinaryOperator{"<<", 8}, BinaryOperator{">>", 8}, BinaryOperator{"|", 3},
                             BinaryOperator{"^", 4},  BinaryOperator{"&", 5},  BinaryOperator{"<", 7},
                             BinaryOperator{">", 7},  BinaryOperator{"+", 9},  BinaryOperator{"-", 9},
                             BinaryOperator{"*", 10}, BinaryOperator{"/", 10}, BinaryOperator{"%", 10}};

class Parser {
public:
    explicit Parser(const std::string& text) : m_text(text) {}

    Result<NodePointer> all()
    {
        auto node = choice(0);
        if (!node)
            return node;
        skipSpace();
        return m_at == m_text.size() ? node : unexpected("an operator");
    }

private:
    Result<NodePointer> choice(int depth)
    {
        auto condition = binary(1, depth);
        if (!condition || !take("?"))
            return condition;
        auto then = choice(depth + 1);
        if (!then)
            return then;
        if (!take(":"))
            return unexpected("':'");
        auto otherwise = choice(depth + 1);
        if (!otherwise)
            return otherwise;
        return node(Node::Kind::Choice, "?", {condition.value(), then.value(), otherwise.value()});
    }

    Result<NodePointer> binary(int weakest, int depth)
    {
        auto left = unary(depth);
        while (left) {
            const BinaryOperator* found = peekBinary();
            if (found == nullptr || found->precedence < weakest)
                break;
            m_at += found->text.size();
            auto right = binary(found->precedence + 1, depth + 1);
            if (!right)
                return right;
            left = node(Node::Kind::Binary, std::string(found->text), {left.value(), right.value()});
        }
        return left;
    }

    Result<NodePointer> unary(int depth)
    {
        if (depth > kDeepest)
            return Error{Error::Code::Limit, fmt::format("more than {} operators nested", kDeepest), {}};
        skipSpace();
        for (const char* sign : {"-", "+", "!", "~", "*"})
            if (take(sign)) {
                auto operand = unary(depth + 1);
                return operand ? node(Node::Kind::Unary, sign, {operand.value()}) : operand;
            }
        if (const auto type = typeInParentheses())
            return castTo(*type, unary(depth + 1));
        return takeWord("sizeof") ? sizeOf(depth) : postfix(depth);
    }

    /// "(unsigned int)"; nothing is taken where no type stands between the parentheses.
    std::optional<trace::ValueType> typeInParentheses()
    {
        const size_t before = m_at;
        if (take("("))
            if (const auto type = typeNamed(typeWords()); type && take(")"))
                return type;
        m_at = before;
        return std::nullopt;
    }

    std::vector<std::string> typeWords()
    {
        std::vector<std::string> words;
        while (true) {
            skipSpace();
            const size_t before = m_at;
            std::string next = word();
            if (!isTypeWord(next)) {
                m_at = before;
                return words;
            }
            words.push_back(std::move(next));
        }
    }

    static Result<NodePointer> castTo(const trace::ValueType& type, const Result<NodePointer>& operand)
    {
        if (!operand)
            return operand;
        auto made = std::make_shared<Node>();
        made->kind = Node::Kind::Cast;
        made->value.type = type;
        made->operands = {operand.value()};
        return NodePointer(made);
    }

    Result<NodePointer> sizeOf(int depth)
    {
        if (const auto type = typeInParentheses())
            return constant({trace::ScalarKind::Signed, 8, 1, "long"}, type->totalBytes());
        auto operand = unary(depth + 1);
        return operand ? node(Node::Kind::SizeOf, "sizeof", {operand.value()}) : operand;
    }

    /// \p name and its opening parenthesis are taken: a function, or a type as in float(x).
    Result<NodePointer> call(std::string name, int depth)
    {
        std::vector<NodePointer> arguments;
        while (arguments.empty() || take(",")) {
            auto argument = choice(depth + 1);
            if (!argument)
                return argument;
            arguments.push_back(argument.value());
        }
        if (!take(")"))
            return unexpected("')'");
        const auto type = typeNamed({name});
        const auto wanted = type ? std::optional<size_t>(1) : argumentsOf(name);
        if (!wanted)
            return Error{Error::Code::BadInput, fmt::format("there is no function '{}' here", name), {}};
        if (arguments.size() != *wanted)
            return Error{Error::Code::BadInput,
                         fmt::format("'{}' takes {} argument{}, not {}", name, *wanted, *wanted == 1 ? "" : "s",
                                     arguments.size()),
                         {}};
        return type ? castTo(*type, arguments[0]) : node(Node::Kind::Call, std::move(name), std::move(arguments));
    }

    Result<NodePointer> postfix(int depth)
    {
        auto whole = primary(depth);
        while (whole) {
            if (take("[")) {
                auto index = choice(depth + 1);
                if (!index)
                    return index;
                if (!take("]"))
                    return unexpected("']'");
                whole = node(Node::Kind::Index, "[]", {whole.value(), index.value()});
            } else if (take(".")) {
                const std::string member = word();
                if (member.empty())
                    return unexpected("a member's name");
                whole = node(Node::Kind::Member, member, {whole.value()});
            } else {
                break;
            }
        }
        return whole;
    }

    Result<NodePointer> primary(int depth)
    {
        skipSpace();
        if (take("(")) {
            auto inner = choice(depth + 1);
            return !inner || take(")") ? inner : unexpected("')'");
        }
        const char next = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.')
            return number();
        std::string name = word();
        if (name.empty())
            return unexpected("a name or a number");
        if (name == "true" || name == "false")
            return constant({trace::ScalarKind::Bool, 1, 1, "bool"}, name == "true" ? 1 : 0);
        if (take("("))
            return call(std::move(name), depth);
        return node(Node::Kind::Name, std::move(name), {});
    }

    Result<NodePointer> number()
    {
        const char* const first = m_text.data() + m_at;
        const char* const last = m_text.data() + m_text.size();
        const bool hexadecimal = last - first > 2 && first[0] == '0' && (first[1] == 'x' || first[1] == 'X');
        uint64_t integer = 0;
        const auto whole = std::from_chars(first + (hexadecimal ? 2 : 0), last, integer, hexadecimal ? 16 : 10);
        double real = 0;
        const auto fraction = hexadecimal ? std::from_chars_result{first, std::errc::invalid_argument}
                                          : std::from_chars(first, last, real);
        const bool isReal = fraction.ec == std::errc{} && fraction.ptr > whole.ptr;
        if (!isReal && whole.ec != std::errc{})
            return unexpected("a number");
        m_at = static_cast<size_t>((isReal ? fraction.ptr : whole.ptr) - m_text.data());
        const std::string suffix = word();
        const bool single = isReal && (suffix == "f" || suffix == "F");
        const bool known = suffix.empty() || single ||
                           (!isReal && suffix.find_first_not_of("uUlL") == std::string::npos && suffix.size() <= 3);
        if (!known)
            return Error{Error::Code::BadInput, fmt::format("a number cannot end in '{}'", suffix), {}};
        if (single)
            return constant({trace::ScalarKind::Float, 4, 1, "float"},
                            std::bit_cast<uint32_t>(static_cast<float>(real)));
        if (isReal)
            return constant({trace::ScalarKind::Float, 8, 1, "double"}, std::bit_cast<uint64_t>(real));
        return constant({trace::ScalarKind::Signed, 8, 1, "long"}, integer);
    }

    static Result<NodePointer> constant(const trace::ValueType& type, uint64_t bits)
    {
        auto made = std::make_shared<Node>();
        made->value.type = type;
        std::memcpy(made->value.bytes.data(), &bits, sizeof bits);
        return NodePointer(made);
    }

    static Result<NodePointer> node(Node::Kind kind, std::string text, std::vector<NodePointer> operands)
    {
        auto made = std::make_shared<Node>();
        made->kind = kind;
        made->text = std::move(text);
        made->operands = std::move(operands);
        return NodePointer(made);
    }

    const BinaryOperator* peekBinary()
    {
        skipSpace();
        const auto* found = std::find_if(kBinary.begin(), kBinary.end(), [&](const BinaryOperator& candidate) {
            return m_text.compare(m_at, candidate.text.size(), candidate.text) == 0;
        });
        return found == kBinary.end() ? nullptr : found;
    }

    bool take(std::string_view token)
    {
        skipSpace();
        if (m_text.compare(m_at, token.size(), token) != 0)
            return false;
        m_at += token.size();
        return true;
    }

    bool takeWord(std::string_view wanted)
    {
        skipSpace();
        const size_t before = m_at;
        if (word() == wanted)
            return true;
        m_at = before;
        return false;
    }

    std::string word()
    {
        const size_t first = m_at;
        while (m_at < m_text.size() &&
               (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '_'))
            ++m_at;
        return m_text.substr(first, m_at - first);
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
            ++m_at;
    }

    Result<NodePointer> unexpected(const char* expected)
    {
        skipSpace();
        const std::string found = m_at < m_text.size() ? fmt::format("'{}'", m_text[m_at]) : "the end";
        return Error{
            Error::Code::BadInput, fmt::format("expected {}, found {} at character {}", expected, found, m_at + 1), {}};
    }

    const std::string& m_text;
    size_t m_at = 0;
};

}  // namespace

Result<Expression> Expression::parse(const std::string& text)
{
    if (text.size() > kLongest)
        return Error{Error::Code::Limit, fmt::format("an expression of more than {} characters", kLongest), {}};
    auto root = Parser(text).all();
    if (!root)
        return root.error();
    return Expression(root.value());
}

}  // namespace lanescope::replay
