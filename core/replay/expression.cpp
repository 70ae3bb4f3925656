// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/expression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "core/replay/expression_calls.h"
#include "core/replay/expression_node.h"
#include "core/replay/scalars.h"

namespace lanescope::replay {

using trace::ScalarKind;
using trace::ValueType;

namespace {

using Node = Expression::Node;

Error noValue(std::string why)
{
    return {Error::Code::NotFound, std::move(why), {}};
}

Value truth(bool on)
{
    Value value{{ScalarKind::Bool, 1, 1, "bool"}, {}};
    value.bytes[0] = on ? 1 : 0;
    return value;
}

class Evaluation {
public:
    explicit Evaluation(const LanePlace& place)
        : m_place(place), m_launch(place.catalog.launches[place.cursor.launch().value]),
          m_thread(uint64_t{place.warp} * kWarpSize + place.lane)
    {
    }

    Result<Value> operator()(const Node& node)
    {
        switch (node.kind) {
        case Node::Kind::Constant:
            return node.value;
        case Node::Kind::Name:
            return name(node.text);
        case Node::Kind::Member:
            return member(node);
        case Node::Kind::Index:
            return element(node);
        case Node::Kind::Unary:
            return node.text == "*" ? pointedAt(*node.operands[0], 0) : unary(node);
        case Node::Kind::Binary:
            return binary(node);
        case Node::Kind::Cast:
            return cast(node);
        case Node::Kind::Call:
            return call(node);
        case Node::Kind::SizeOf:
            return sizeOf(*node.operands[0]);
        case Node::Kind::Choice:
            break;
        }
        auto condition = (*this)(*node.operands[0]);
        return condition ? (*this)(*node.operands[condition.value().isTrue() ? 1 : 2]) : condition;
    }

private:
    Result<Value> name(const std::string& text)
    {
        if (auto value = variable(text); value || !m_unwritten.empty())
            return value ? Result<Value>(*value) : noValue(std::exchange(m_unwritten, {}));
        if (text == "lane")
            return integerValue(m_place.lane);
        if (text == "warp")
            return integerValue(m_place.warp);
        if (text == "epoch")
            return integerValue(m_place.cursor.warp(m_place.warp).epoch);
        if (text == "step")
            return integerValue(static_cast<int64_t>(m_place.cursor.step()));
        const trace::Buffer* buffer = bufferNamed(text);
        return buffer ? only(*buffer) : Result<Value>(noValue(fmt::format("there is no '{}' here", text)));
    }

    /// The one element of a buffer.
    Result<Value> only(const trace::Buffer& buffer)
    {
        if (buffer.bytes > buffer.element.totalBytes())
            return noValue(fmt::format("'{}' is a buffer: give an index, {}[0]", buffer.name, buffer.name));
        return elementOf(buffer, 0);
    }

    /// "p.in.data", as what a pointer in a parameter points to is called; empty: not only names are in it.
    static std::string dottedName(const Node& node)
    {
        if (node.kind == Node::Kind::Name)
            return node.text;
        const std::string base = node.kind == Node::Kind::Member ? dottedName(*node.operands[0]) : std::string();
        return base.empty() ? base : base + '.' + node.text;
    }

    /// Of the variables with this name the one that the lane wrote last; says in m_unwritten that none was.
    std::optional<Value> variable(const std::string& text)
    {
        std::optional<Value> value;
        StepIndex latest = 0;
        for (const trace::Variable& candidate : m_place.catalog.variables) {
            if (candidate.name != text)
                continue;
            const VariableImage& image = m_place.cursor.variable(candidate.id, m_place.warp);
            if (((image.written >> m_place.lane) & 1) == 0) {
                m_unwritten = fmt::format("'{}' has no value yet", text);
                continue;
            }
            if (value && image.lastWrite[m_place.lane] < latest)
                continue;
            latest = image.lastWrite[m_place.lane];
            value = Value{candidate.type, image.value[m_place.lane]};
        }
        if (value)
            m_unwritten.clear();
        return value;
    }

    Result<Value> member(const Node& node)
    {
        const Node& base = *node.operands[0];
        constexpr std::string_view kComponents = "xyzw";
        const size_t component = node.text.size() == 1 ? kComponents.find(node.text[0]) : std::string_view::npos;
        if (const auto position = positionNamed(dottedName(base)); position && component < 3)
            return integerValue(component == 0 ? position->x : component == 1 ? position->y : position->z);
        if (const std::string name = dottedName(node); !name.empty()) {
            if (auto whole = variable(name))
                return *whole;
            m_unwritten.clear();
            if (const trace::Buffer* buffer = bufferNamed(name))
                return only(*buffer);
        }
        auto whole = (*this)(base);
        if (!whole)
            return whole;
        const ValueType& type = whole.value().type;
        if (component >= type.components || type.components <= 1)
            return noValue(fmt::format("a value of type '{}' has no '.{}'", type.name, node.text));
        Value part{{type.kind, type.bytes, 1, type.name}, {}};
        std::memcpy(part.bytes.data(), whole.value().bytes.data() + component * type.bytes, type.bytes);
        return part;
    }

    [[nodiscard]] std::optional<Dim3> positionNamed(const std::string& text) const
    {
        if (text == "threadIdx")
            return positionOf(m_thread, m_launch.block);
        if (text == "blockIdx")
            return positionOf(m_place.cursor.block().value, m_launch.grid);
        if (text == "blockDim")
            return m_launch.block;
        return text == "gridDim" ? std::optional(m_launch.grid) : std::nullopt;
    }

    [[nodiscard]] const trace::Buffer* bufferNamed(const std::string& text) const
    {
        const auto found = std::find_if(m_place.buffers.begin(), m_place.buffers.end(),
                                        [&](const trace::Buffer& buffer) { return buffer.name == text; });
        return found == m_place.buffers.end() ? nullptr : &*found;
    }

    /// base[i] or base[i][j]: all indices at once, since only the whole names an element.
    Result<Value> element(const Node& node)
    {
        std::vector<int64_t> indices;
        const Node* base = &node;
        for (; base->kind == Node::Kind::Index; base = base->operands[0].get()) {
            auto index = (*this)(*base->operands[1]);
            if (!index)
                return index;
            if (!isNumber(index.value()) || isReal(index.value()))
                return noValue("an index is an integer");
            indices.insert(indices.begin(), integerOf(index.value()));
        }
        const trace::Buffer* buffer = nullptr;
        if (const std::string name = dottedName(*base); !name.empty() && !variable(name))
            buffer = bufferNamed(name);
        if (buffer == nullptr && indices.size() == 1)
            return pointedAt(*base, indices[0]);
        if (buffer == nullptr)
            return noValue("only a buffer has more than one index");
        m_unwritten.clear();
        return elementAt(*buffer, indices);
    }

    Result<Value> elementAt(const trace::Buffer& buffer, const std::vector<int64_t>& indices)
    {
        if (indices.size() != 1 && indices.size() != buffer.dims.size())
            return noValue(fmt::format("'{}' has {} dimensions", buffer.name, buffer.dims.size()));
        uint64_t flat = 0;
        const uint64_t count = buffer.bytes / std::max(1U, buffer.element.totalBytes());
        for (size_t i = 0; i < indices.size(); ++i) {
            const uint64_t extent = indices.size() == 1 ? count : buffer.dims[i];
            if (indices[i] < 0 || static_cast<uint64_t>(indices[i]) >= extent)
                return noValue(fmt::format("index {} of '{}' is outside 0 to {}", indices[i], buffer.name,
                                           static_cast<int64_t>(extent) - 1));
            flat = flat * extent + static_cast<uint64_t>(indices[i]);
        }
        return elementOf(buffer, flat);
    }

    Result<Value> pointedAt(const Node& pointer, int64_t index)
    {
        auto base = (*this)(pointer);
        if (!base)
            return base;
        if (base.value().type.kind != ScalarKind::Pointer)
            return noValue("only buffers and pointers have elements");
        const uint64_t address = unsignedOf(base.value().bytes.data(), base.value().type.bytes);
        for (const trace::Buffer& buffer : m_place.buffers) {
            if (buffer.space != trace::Space::Global || address < buffer.deviceAddress ||
                address - buffer.deviceAddress > buffer.bytes)
                continue;
            const uint32_t size = std::max(1U, buffer.element.totalBytes());
            const auto first = static_cast<int64_t>((address - buffer.deviceAddress) / size);
            return elementAt(buffer, {first + index});
        }
        return noValue("the pointer leads to no recorded buffer of global memory");
    }

    Result<Value> elementOf(const trace::Buffer& buffer, uint64_t flat)
    {
        const uint32_t size = std::max(1U, buffer.element.totalBytes());
        const BufferImage& image = buffer.space == trace::Space::Local
                                       ? m_place.cursor.localBuffer(buffer.id, static_cast<uint32_t>(m_thread))
                                       : m_place.cursor.buffer(buffer.id);
        Value value{buffer.element, {}};
        if ((flat + 1) * size > image.bytes.size() || size > value.bytes.size())
            return noValue(fmt::format("'{}' was not recorded so far", buffer.name));
        for (uint32_t byte = 0; byte < size; ++byte)
            if (!image.isInitialised(flat * size + byte))
                return noValue(fmt::format("element {} of '{}' is not initialised", flat, buffer.name));
        std::memcpy(value.bytes.data(), image.bytes.data() + flat * size, size);
        return value;
    }

    Result<Value> unary(const Node& node)
    {
        auto operand = (*this)(*node.operands[0]);
        if (!operand)
            return operand;
        const Value& value = operand.value();
        if (!isNumber(value))
            return noValue(fmt::format("'{}' of a value of type '{}'", node.text, value.type.name));
        switch (node.text[0]) {
        case '!':
            return truth(!value.isTrue());
        case '~':
            return isReal(value) ? Result<Value>(noValue("'~' of a float")) : integerValue(~integerOf(value));
        case '-':
            return isReal(value) ? realValue(-realOf(value), value.type.bytes <= 4)
                                 : integerValue(static_cast<int64_t>(-static_cast<uint64_t>(integerOf(value))));
        default:
            return value;
        }
    }

    Result<Value> cast(const Node& node)
    {
        auto operand = (*this)(*node.operands[0]);
        if (!operand || isNumber(operand.value()))
            return operand ? converted(operand.value(), node.value.type) : operand;
        return noValue(fmt::format("a value of type '{}' as '{}'", operand.value().type.name, node.value.type.name));
    }

    Result<Value> call(const Node& node)
    {
        std::vector<Value> arguments;
        for (const auto& operand : node.operands) {
            auto argument = (*this)(*operand);
            if (!argument)
                return argument;
            if (!isNumber(argument.value()))
                return noValue(fmt::format("'{}' of a value of type '{}'", node.text, argument.value().type.name));
            arguments.push_back(std::move(argument).value());
        }
        return called(node.text, arguments);
    }

    Result<Value> sizeOf(const Node& operand)
    {
        if (operand.kind == Node::Kind::Name && !variable(operand.text))
            if (const trace::Buffer* buffer = bufferNamed(operand.text)) {
                m_unwritten.clear();
                return integerValue(static_cast<int64_t>(buffer->bytes));
            }
        auto value = (*this)(operand);
        return value ? integerValue(value.value().type.totalBytes()) : value;
    }

    Result<Value> binary(const Node& node)
    {
        auto left = (*this)(*node.operands[0]);
        if (!left)
            return left;
        if (node.text == "&&" || node.text == "||") {
            if (left.value().isTrue() == (node.text == "||"))
                return truth(node.text == "||");
            auto right = (*this)(*node.operands[1]);
            return right ? truth(right.value().isTrue()) : right;
        }
        auto right = (*this)(*node.operands[1]);
        if (!right)
            return right;
        if (!isNumber(left.value()) || !isNumber(right.value()))
            return noValue(fmt::format("'{}' of values that are no numbers", node.text));
        return isReal(left.value()) || isReal(right.value()) ? real(node.text, left.value(), right.value())
                                                             : integer(node.text, left.value(), right.value());
    }

    static Result<Value> real(const std::string& sign, const Value& left, const Value& right)
    {
        const double a = realOf(left);
        const double b = realOf(right);
        // One operation on two floats in double, rounded once more, is what it would be in float.
        const bool isSingle = !(isReal(left) && left.type.bytes == 8) && !(isReal(right) && right.type.bytes == 8);
        if (const auto compared = comparison(sign, a, b))
            return truth(*compared);
        switch (sign[0]) {
        case '+':
            return realValue(a + b, isSingle);
        case '-':
            return realValue(a - b, isSingle);
        case '*':
            return realValue(a * b, isSingle);
        case '/':
            return realValue(a / b, isSingle);
        default:
            return noValue(fmt::format("'{}' of a float", sign));
        }
    }

    static Result<Value> integer(const std::string& sign, const Value& left, const Value& right)
    {
        const int64_t a = integerOf(left);
        const int64_t b = integerOf(right);
        if (const auto compared = comparison(sign, a, b))
            return truth(*compared);
        const auto x = static_cast<uint64_t>(a);  // wraps instead of overflowing
        const auto y = static_cast<uint64_t>(b);
        if (sign == "<<" || sign == ">>") {
            if (y >= 64)
                return noValue(fmt::format("a shift by {}", b));
            return integerValue(sign == "<<" ? static_cast<int64_t>(x << y) : a >> y);
        }
        switch (sign[0]) {
        case '+':
            return integerValue(static_cast<int64_t>(x + y));
        case '-':
            return integerValue(static_cast<int64_t>(x - y));
        case '*':
            return integerValue(static_cast<int64_t>(x * y));
        case '&':
            return integerValue(a & b);
        case '|':
            return integerValue(a | b);
        case '^':
            return integerValue(a ^ b);
        default:
            break;
        }
        if (b == 0)
            return noValue("a division by zero");
        if (b == -1)  // the smallest number has no counterpart
            return integerValue(sign == "/" ? static_cast<int64_t>(-x) : 0);
        return integerValue(sign == "/" ? a / b : a % b);
    }

    template <typename Number>
    static std::optional<bool> comparison(const std::string& sign, Number a, Number b)
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
        return sign == ">=" ? std::optional(a >= b) : std::nullopt;
    }

    const LanePlace& m_place;
    const trace::Launch& m_launch;
    uint64_t m_thread;
    std::string m_unwritten;  ///< why variable() gave nothing, when there is such a variable
};

}  // namespace

bool Value::isTrue() const
{
    return isNumber(*this) && (isReal(*this) ? realOf(*this) != 0 : integerOf(*this) != 0);
}

std::string Value::text(const trace::Catalog& catalog) const
{
    return valueText(type, bytes.data(), catalog);
}

Result<Value> Expression::evaluate(const LanePlace& place) const
{
    return Evaluation(place)(*m_root);
}

}  // namespace lanescope::replay
