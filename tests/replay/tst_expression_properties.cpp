// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random expressions, written with as few parentheses as C allows, come to what the host computes for their trees.
#include <cstring>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <QTemporaryDir>

#include "core/replay/expression.h"
#include "tests/support/properties.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::replay;

namespace {

constexpr uint32_t kLane = 4;

using Number = std::variant<bool, int64_t, float, double>;

struct Operator {
    const char* sign;
    int precedence;
};
constexpr Operator kBinary[] = {{"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
                                {"!=", 7}, {"<", 8},  {"<=", 8}, {">", 8},  {">=", 8}, {"<<", 9},
                                {">>", 9}, {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};
constexpr const char* kUnary[] = {"-", "+", "!", "~", "(float)", "(double)"};
constexpr int kChoice = 1, kUnaryPrecedence = 12, kPrimary = 13;

struct Leaf {
    const char* text;
    Number value;
};
const Leaf kLeaves[] = {{"0", int64_t{0}},
                        {"1", int64_t{1}},
                        {"2", int64_t{2}},
                        {"7", int64_t{7}},
                        {"63", int64_t{63}},
                        {"0x7fffffff", int64_t{0x7fffffff}},
                        {"9223372036854775807", INT64_MAX},
                        {"true", true},
                        {"0.5f", 0.5F},
                        {"3.1f", 3.1F},
                        {"1e30f", 1e30F},
                        {"0.1", 0.1},
                        {"2.5", 2.5},
                        {"lane", int64_t{kLane}},
                        {"blockDim.x", int64_t{3}},
                        {"threadIdx.y", int64_t{1}}};

/// An expression and what it comes to; nothing where C++ has no value for it.
struct Tree {
    std::string text;
    int precedence = kPrimary;
    std::optional<Number> value;
};

bool isReal(const Number& number)
{
    return number.index() >= 2;
}
double realOf(const Number& number)
{
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}
int64_t integerOf(const Number& number)
{
    return std::visit([](auto value) { return static_cast<int64_t>(value); }, number);
}
bool truthOf(const Number& number)
{
    return std::visit([](auto value) { return value != 0; }, number);
}

template <typename T>
std::optional<Number> compared(const std::string& sign, T a, T b)
{
    if (sign == "==")
        return a == b;
    if (sign == "!=")
        return a != b;
    if (sign == "<")
        return a < b;
    if (sign == "<=")
        return a <= b;
    if (sign == ">")
        return a > b;
    if (sign == ">=")
        return a >= b;
    return std::nullopt;
}

template <typename T>
std::optional<Number> ofReals(char sign, T a, T b)
{
    switch (sign) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return std::nullopt;
    }
}

/// In 128 bits, so that what wraps is cut off in the end.
std::optional<Number> ofIntegers(const std::string& sign, int64_t a, int64_t b)
{
    const auto wrapped = [](__int128 value) { return Number(static_cast<int64_t>(value)); };
    const __int128 x = a, y = b;
    if (sign == "<<" || sign == ">>") {
        if (b < 0 || b > 63)
            return std::nullopt;
        return sign == "<<" ? wrapped(static_cast<__int128>(static_cast<uint64_t>(a)) << b) : wrapped(x >> b);
    }
    switch (sign[0]) {
    case '+':
        return wrapped(x + y);
    case '-':
        return wrapped(x - y);
    case '*':
        return wrapped(x * y);
    case '&':
        return wrapped(a & b);
    case '|':
        return wrapped(a | b);
    case '^':
        return wrapped(a ^ b);
    case '/':
        return b == 0 ? std::nullopt : std::optional(wrapped(x / y));
    default:
        return b == 0 ? std::nullopt : std::optional(wrapped(x % y));
    }
}

std::optional<Number> binary(const std::string& sign, const std::optional<Number>& a, const std::optional<Number>& b)
{
    if (!a || ((sign == "&&" || sign == "||") && truthOf(*a) == (sign == "||")))
        return a ? std::optional<Number>(sign == "||") : a;
    if (!b || sign == "&&" || sign == "||")
        return b ? std::optional<Number>(truthOf(*b)) : b;
    if (!isReal(*a) && !isReal(*b)) {
        const auto truth = compared(sign, integerOf(*a), integerOf(*b));
        return truth ? truth : ofIntegers(sign, integerOf(*a), integerOf(*b));
    }
    if (const auto truth = compared(sign, realOf(*a), realOf(*b)))
        return truth;
    if (std::holds_alternative<double>(*a) || std::holds_alternative<double>(*b))
        return sign.size() == 1 ? ofReals(sign[0], realOf(*a), realOf(*b)) : std::nullopt;
    return sign.size() == 1 ? ofReals(sign[0], static_cast<float>(realOf(*a)), static_cast<float>(realOf(*b)))
                            : std::nullopt;
}

std::optional<Number> unary(const std::string& sign, const Number& a)
{
    if (sign == "!")
        return !truthOf(a);
    if (sign == "(float)")
        return std::visit([](auto value) { return static_cast<float>(value); }, a);
    if (sign == "(double)")
        return realOf(a);
    if (sign == "~")
        return isReal(a) ? std::nullopt : std::optional<Number>(~integerOf(a));
    if (sign == "+")
        return a;
    if (const float* single = std::get_if<float>(&a))
        return -*single;
    return isReal(a) ? Number(-realOf(a)) : *ofIntegers("-", 0, integerOf(a));
}

/// Reads a tree off a list of choices: when the list is at its end, leaves are what is left to choose.
class TreeMaker {
public:
    explicit TreeMaker(const std::vector<uint8_t>& choices) : m_choices(choices) {}

    Tree make(int depth = 0)
    {
        const uint8_t kind = depth > 7 ? 0 : next() % 8;
        if (kind < 2)
            return leaf();
        if (kind == 2)
            return unaryOf(kUnary[next() % std::size(kUnary)], make(depth + 1));
        if (kind == 3)
            return choiceOf(make(depth + 1), make(depth + 1), make(depth + 1));
        const Operator& op = kBinary[next() % std::size(kBinary)];
        Tree left = make(depth + 1);
        return binaryOf(op, left, make(depth + 1));
    }

private:
    uint8_t next() { return m_at < m_choices.size() ? m_choices[m_at++] : 0; }

    Tree leaf()
    {
        const Leaf& leaf = kLeaves[next() % std::size(kLeaves)];
        return {leaf.text, kPrimary, leaf.value};
    }
    /// The text of an operand of an operator that takes what binds at least as tightly as \p precedence.
    std::string operand(const Tree& tree, int precedence)
    {
        return tree.precedence < precedence || next() % 8 == 7 ? "(" + tree.text + ")" : tree.text;
    }
    Tree unaryOf(const std::string& sign, const Tree& of)
    {
        // The blank keeps "- -1" from being one sign.
        return {sign + " " + operand(of, kUnaryPrecedence), kUnaryPrecedence,
                of.value ? unary(sign, *of.value) : std::nullopt};
    }
    Tree binaryOf(const Operator& op, const Tree& left, const Tree& right)
    {
        return {fmt::format("{} {} {}", operand(left, op.precedence), op.sign, operand(right, op.precedence + 1)),
                op.precedence, binary(op.sign, left.value, right.value)};
    }
    Tree choiceOf(const Tree& condition, const Tree& yes, const Tree& no)
    {
        return {fmt::format("{} ? {} : {}", operand(condition, kChoice + 1), yes.text, operand(no, kChoice)), kChoice,
                !condition.value            ? std::nullopt
                : truthOf(*condition.value) ? yes.value
                                            : no.value};
    }

    const std::vector<uint8_t>& m_choices;
    size_t m_at = 0;
};

template <typename T>
T read(const Value& value)
{
    T number{};
    std::memcpy(&number, value.bytes.data(), sizeof number);
    return number;
}

/// Any NaN is as good as another.
template <typename T>
bool same(T a, T b)
{
    return a == b || (a != a && b != b);
}

bool isThe(const Value& found, const Number& expected)
{
    if (const auto* truth = std::get_if<bool>(&expected))
        return found.type.kind == trace::ScalarKind::Bool && (found.bytes[0] != 0) == *truth;
    if (const auto* integer = std::get_if<int64_t>(&expected))
        return found.type.kind == trace::ScalarKind::Signed && found.type.bytes == 8 &&
               read<int64_t>(found) == *integer;
    if (const auto* single = std::get_if<float>(&expected))
        return found.type.kind == trace::ScalarKind::Float && found.type.bytes == 4 &&
               same(read<float>(found), *single);
    return found.type.kind == trace::ScalarKind::Float && found.type.bytes == 8 &&
           same(read<double>(found), std::get<double>(expected));
}

}  // namespace

class TestExpressionProperties : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<BlockCursor> m_cursor;
    std::vector<trace::Buffer> m_buffers;

private slots:
    void initTestCase()
    {
        test::useFixedInputs(20'000);
        const std::string path = m_folder.filePath("t.lanes").toStdString();
        QVERIFY(test::writeSyntheticTrace(path).ok());
        m_session = Session::open(path).value();
        m_cursor = m_session->cursor(LaunchId{0}, BlockIndex{4}).value();
        m_buffers = m_session->buffersOf(LaunchId{0}).value();
    }

    void expressionsComeToWhatTheHostComputes()
    {
        int values = 0;
        QVERIFY(rc::check([&](const std::vector<uint8_t>& choices) {
            const Tree tree = TreeMaker(choices).make();
            RC_LOG() << tree.text << std::endl;
            const auto expression = Expression::parse(tree.text);
            if (!expression.ok())
                RC_FAIL(expression.error().text());
            const auto found = expression.value().evaluate({*m_cursor, m_session->catalog(), m_buffers, 0, kLane});
            RC_ASSERT(found.ok() == tree.value.has_value());
            if (found.ok())
                RC_ASSERT(isThe(found.value(), *tree.value));
            values += found.ok() ? 1 : 0;
        }));
        // Otherwise the property says little.
        QVERIFY2(values > 10'000, qPrintable(QString::number(values)));
    }
};

QTEST_GUILESS_MAIN(TestExpressionProperties)
#include "tst_expression_properties.moc"
