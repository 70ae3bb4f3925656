// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What expressions take from the language besides operators: the names of scalar types, conversions between them, and
// the functions that kernels call most.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/replay/expression.h"

namespace lanescope::replay {

/// An integer as C's long, a float or double as wide as asked.
Value integerValue(int64_t number);
Value realValue(double number, bool isSingle);
bool isReal(const Value& value);
/// One value, and not raw bytes.
bool isNumber(const Value& value);
/// Of a number; floats are cut towards zero, those that no integer holds become the nearest, NaN becomes 0.
int64_t integerOf(const Value& value);
double realOf(const Value& value);

/// Whether the word may be part of a type's name: "unsigned", "float", "uint32_t".
bool isTypeWord(std::string_view word);
/// The type that \p words name, such as {"unsigned", "int"}; none when they name none.
std::optional<trace::ValueType> typeNamed(const std::vector<std::string>& words);
/// \p value as \p type, as a GPU converts it: floats that are too large give the largest integer.
Value converted(const Value& value, const trace::ValueType& type);

/// How many arguments the function takes; none where there is no such function.
std::optional<size_t> argumentsOf(std::string_view function);
/// \p arguments as many as the function takes, all numbers. In float, where no argument is wider and the name does not
/// say otherwise; min, max and abs of integers are integers.
Value called(std::string_view function, const std::vector<Value>& arguments);

}  // namespace lanescope::replay
