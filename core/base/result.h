// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result<T>: a value or an Error that says what was found, what was expected, and where.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/base/assert.h"

namespace lanescope {

/// Why an operation on outside input (file, program, argument) did not work.
struct Error {
    enum class Code { BadInput, Io, Unsupported, Limit, NotFound, Cancelled };

    Code code = Code::BadInput;
    /// Lower case, no final period; names what was found and what was expected.
    std::string message;
    /// The file, chunk, line or argument it is about; empty when the message says it.
    std::string where;

    /// "where: message", or the message alone.
    [[nodiscard]] std::string text() const { return where.empty() ? message : where + ": " + message; }
};

/// A value or an Error. Asking for the one that is not there is our bug and asserts.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] T& value() &
    {
        LS_ASSERT(ok());
        return std::get<0>(m_state);
    }
    [[nodiscard]] const T& value() const&
    {
        LS_ASSERT(ok());
        return std::get<0>(m_state);
    }
    [[nodiscard]] T&& value() &&
    {
        LS_ASSERT(ok());
        return std::get<0>(std::move(m_state));
    }
    [[nodiscard]] const Error& error() const
    {
        LS_ASSERT(!ok());
        return std::get<1>(m_state);
    }

private:
    std::variant<T, Error> m_state;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_ok(false) {}

    [[nodiscard]] bool ok() const { return m_ok; }
    explicit operator bool() const { return m_ok; }
    [[nodiscard]] const Error& error() const
    {
        LS_ASSERT(!m_ok);
        return m_error;
    }

private:
    Error m_error;
    bool m_ok = true;
};

}  // namespace lanescope
