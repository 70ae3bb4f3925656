// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/expression_calls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/replay/scalars.h"

namespace lanescope::replay {

using trace::ScalarKind;
using trace::ValueType;

Value integerValue(int64_t number)
{
    Value value{{ScalarKind::Signed, 8, 1, "long"}, {}};
    std::memcpy(value.bytes.data(), &number, sizeof number);
    return value;
}

Value realValue(double number, bool isSingle)
{
    Value value{{ScalarKind::Float, isSingle ? 4U : 8U, 1, isSingle ? "float" : "double"}, {}};
    const auto narrow = static_cast<float>(number);
    if (isSingle)
        std::memcpy(value.bytes.data(), &narrow, sizeof narrow);
    else
        std::memcpy(value.bytes.data(), &number, sizeof number);
    return value;
}

bool isReal(const Value& value)
{
    return value.type.kind == ScalarKind::Float;
}

bool isNumber(const Value& value)
{
    return value.type.components <= 1 && value.type.kind != ScalarKind::Bytes;
}

namespace {

/// Cut towards zero and to what the type holds.
int64_t cut(double number, bool isSigned, uint32_t bytes)
{
    const uint32_t bits = bytes * 8 - (isSigned ? 1 : 0);
    const uint64_t most = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    const double span = std::ldexp(1.0, static_cast<int>(bits));
    if (std::isnan(number))
        return 0;
    if (number >= span)
        return static_cast<int64_t>(most);
    if (!isSigned)
        return number <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(number));
    return number < -span ? -static_cast<int64_t>(most) - 1 : static_cast<int64_t>(number);
}

}  // namespace

int64_t integerOf(const Value& value)
{
    if (isReal(value))
        return cut(realOf(value), true, 8);
    return value.type.kind == ScalarKind::Signed
               ? signedOf(value.bytes.data(), value.type.bytes)
               : static_cast<int64_t>(unsignedOf(value.bytes.data(), value.type.bytes));
}

double realOf(const Value& value)
{
    if (isReal(value))
        return realOf(value.type, value.bytes.data());
    const bool isUnsigned = value.type.kind != ScalarKind::Signed;
    return isUnsigned ? static_cast<double>(static_cast<uint64_t>(integerOf(value)))
                      : static_cast<double>(integerOf(value));
}

namespace {

struct NamedType {
    std::string_view name;
    ScalarKind kind;
    uint32_t bytes;
};

// As clang names them. Words in C's order; "unsigned" alone and the like are completed before the search.
constexpr std::array kTypes{
    NamedType{"bool", ScalarKind::Bool, 1},          NamedType{"char", ScalarKind::Signed, 1},
    NamedType{"signed char", ScalarKind::Signed, 1}, NamedType{"unsigned char", ScalarKind::Unsigned, 1},
    NamedType{"short", ScalarKind::Signed, 2},       NamedType{"unsigned short", ScalarKind::Unsigned, 2},
    NamedType{"int", ScalarKind::Signed, 4},         NamedType{"unsigned int", ScalarKind::Unsigned, 4},
    NamedType{"long", ScalarKind::Signed, 8},        NamedType{"unsigned long", ScalarKind::Unsigned, 8},
    NamedType{"long long", ScalarKind::Signed, 8},   NamedType{"unsigned long long", ScalarKind::Unsigned, 8},
    NamedType{"float", ScalarKind::Float, 4},        NamedType{"double", ScalarKind::Float, 8},
    NamedType{"size_t", ScalarKind::Unsigned, 8},    NamedType{"int8_t", ScalarKind::Signed, 1},
    NamedType{"int16_t", ScalarKind::Signed, 2},     NamedType{"int32_t", ScalarKind::Signed, 4},
    NamedType{"int64_t", ScalarKind::Signed, 8},     NamedType{"uint8_t", ScalarKind::Unsigned, 1},
    NamedType{"uint16_t", ScalarKind::Unsigned, 2},  NamedType{"uint32_t", ScalarKind::Unsigned, 4},
    NamedType{"uint64_t", ScalarKind::Unsigned, 8}};

}  // namespace

bool isTypeWord(std::string_view word)
{
    return word == "unsigned" || word == "signed" ||
           std::any_of(kTypes.begin(), kTypes.end(), [&](const NamedType& type) { return type.name == word; });
}

std::optional<ValueType> typeNamed(const std::vector<std::string>& words)
{
    bool isUnsigned = false, isSigned = false;
    std::vector<std::string> rest;
    for (const std::string& word : words) {
        isUnsigned = isUnsigned || word == "unsigned";
        isSigned = isSigned || word == "signed";
        if (word != "unsigned" && word != "signed")
            rest.push_back(word);
    }
    if (rest.size() > 1)  // "long int", "short int"
        std::erase(rest, "int");
    if (rest.empty() && (isUnsigned || isSigned))
        rest.emplace_back("int");
    std::string name = isUnsigned ? "unsigned" : isSigned && rest == std::vector<std::string>{"char"} ? "signed" : "";
    for (const std::string& word : rest)
        name += name.empty() ? word : ' ' + word;
    const auto found =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const NamedType& type) { return type.name == name; });
    if (found == kTypes.end() || (isUnsigned && isSigned))
        return std::nullopt;
    return ValueType{found->kind, found->bytes, 1, std::string(found->name)};
}

Value converted(const Value& value, const ValueType& type)
{
    if (type.kind == ScalarKind::Float)
        return realValue(realOf(value), type.bytes == 4);
    Value result{type, {}};
    if (type.kind == ScalarKind::Bool) {
        result.bytes[0] = value.isTrue() ? 1 : 0;
        return result;
    }
    const int64_t bits =
        isReal(value) ? cut(realOf(value), type.kind == ScalarKind::Signed, type.bytes) : integerOf(value);
    std::memcpy(result.bytes.data(), &bits, type.bytes);  // little-endian: the low bytes
    return result;
}

namespace {

using OfOne = double (*)(double);
using OfTwo = double (*)(double, double);

struct Function {
    std::string_view name;  ///< with an "f" behind it, too, in float
    OfOne one;
    OfTwo two;
};

double reciprocalRoot(double x)
{
    return 1 / std::sqrt(x);
}

constexpr std::array<Function, 22> kFunctions{{
    {"fabs", +[](double x) { return std::fabs(x); }, nullptr},
    {"sqrt", +[](double x) { return std::sqrt(x); }, nullptr},
    {"rsqrt", reciprocalRoot, nullptr},
    {"cbrt", +[](double x) { return std::cbrt(x); }, nullptr},
    {"exp", +[](double x) { return std::exp(x); }, nullptr},
    {"exp2", +[](double x) { return std::exp2(x); }, nullptr},
    {"log", +[](double x) { return std::log(x); }, nullptr},
    {"log2", +[](double x) { return std::log2(x); }, nullptr},
    {"log10", +[](double x) { return std::log10(x); }, nullptr},
    {"sin", +[](double x) { return std::sin(x); }, nullptr},
    {"cos", +[](double x) { return std::cos(x); }, nullptr},
    {"tan", +[](double x) { return std::tan(x); }, nullptr},
    {"tanh", +[](double x) { return std::tanh(x); }, nullptr},
    {"floor", +[](double x) { return std::floor(x); }, nullptr},
    {"ceil", +[](double x) { return std::ceil(x); }, nullptr},
    {"round", +[](double x) { return std::round(x); }, nullptr},
    {"trunc", +[](double x) { return std::trunc(x); }, nullptr},
    {"pow", nullptr, +[](double x, double y) { return std::pow(x, y); }},
    {"fmod", nullptr, +[](double x, double y) { return std::fmod(x, y); }},
    {"fmin", nullptr, +[](double x, double y) { return std::fmin(x, y); }},
    {"fmax", nullptr, +[](double x, double y) { return std::fmax(x, y); }},
    {"atan2", nullptr, +[](double x, double y) { return std::atan2(x, y); }},
}};

/// Those that keep integers, and those of CUDA's bits.
constexpr std::array<std::pair<std::string_view, size_t>, 6> kOthers{
    {{"abs", 1}, {"min", 2}, {"max", 2}, {"__popc", 1}, {"__clz", 1}, {"__ffs", 1}}};

const Function* functionNamed(std::string_view name)
{
    const auto found = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& function) {
        return function.name == name || (name.ends_with('f') && function.name == name.substr(0, name.size() - 1));
    });
    return found == kFunctions.end() ? nullptr : &*found;
}

Value calledOther(std::string_view name, const std::vector<Value>& arguments, bool anyReal, bool isSingle)
{
    const Value& first = arguments[0];
    const auto word = static_cast<uint32_t>(integerOf(first));
    if (name == "__popc")
        return integerValue(std::popcount(word));
    if (name == "__clz")
        return integerValue(std::countl_zero(word));
    if (name == "__ffs")
        return integerValue(word == 0 ? 0 : std::countr_zero(word) + 1);
    if (name == "abs")
        return anyReal
                   ? realValue(std::fabs(realOf(first)), isSingle)
                   : integerValue(integerOf(first) < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(integerOf(first)))
                                                       : integerOf(first));
    const bool smaller = name == "min";
    if (anyReal)
        return realValue(smaller ? std::fmin(realOf(first), realOf(arguments[1]))
                                 : std::fmax(realOf(first), realOf(arguments[1])),
                         isSingle);
    return integerValue(smaller ? std::min(integerOf(first), integerOf(arguments[1]))
                                : std::max(integerOf(first), integerOf(arguments[1])));
}

}  // namespace

std::optional<size_t> argumentsOf(std::string_view function)
{
    const auto other = std::find_if(kOthers.begin(), kOthers.end(), [&](const auto& o) { return o.first == function; });
    if (other != kOthers.end())
        return other->second;
    const Function* found = functionNamed(function);
    return found == nullptr ? std::nullopt : std::optional<size_t>(found->one != nullptr ? 1 : 2);
}

Value called(std::string_view name, const std::vector<Value>& arguments)
{
    const bool anyReal = std::any_of(arguments.begin(), arguments.end(), isReal);
    const bool isDouble = std::any_of(arguments.begin(), arguments.end(),
                                      [](const Value& value) { return isReal(value) && value.type.bytes == 8; });
    const Function* function = functionNamed(name);
    if (function == nullptr)
        return calledOther(name, arguments, anyReal, !isDouble);
    const bool isSingle = name != function->name || (anyReal && !isDouble);
    return realValue(function->one != nullptr ? function->one(realOf(arguments[0]))
                                              : function->two(realOf(arguments[0]), realOf(arguments[1])),
                     isSingle);
}

}  // namespace lanescope::replay
