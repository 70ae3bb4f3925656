// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thin owner of an SQLite connection and its statements, with our kind of errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lanescope::trace {

/// A prepared statement. Must not outlive its Database. Binding is 1-based in order of the calls.
class Statement {
public:
    Statement() = default;

    Statement& bind(int64_t value);
    Statement& bind(uint64_t value) { return bind(static_cast<int64_t>(value)); }
    Statement& bind(uint32_t value) { return bind(static_cast<int64_t>(value)); }
    Statement& bind(int value) { return bind(static_cast<int64_t>(value)); }
    Statement& bind(bool value) { return bind(static_cast<int64_t>(value)); }
    Statement& bind(std::string_view text);
    Statement& bind(const char* text) { return bind(std::string_view(text)); }
    /// The bytes must live until the statement has run.
    Statement& bindBlob(std::span<const uint8_t> bytes);
    Statement& bindNull();
    template <typename T>
    Statement& bind(const std::optional<T>& value)
    {
        return value ? bind(*value) : bindNull();
    }

    /// True: a row is there. False: done, and the statement can be bound anew.
    Result<bool> step();
    /// Runs to the end and makes it ready to be bound anew.
    Result<void> run();
    void reset();

    [[nodiscard]] int columns() const;
    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] bool isInteger(int column) const;
    [[nodiscard]] bool isText(int column) const;
    [[nodiscard]] int64_t integer(int column) const;
    [[nodiscard]] std::string text(int column) const;
    /// Valid until the next step.
    [[nodiscard]] std::span<const uint8_t> blob(int column) const;

private:
    friend class Database;
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalizer> m_statement;
    std::string m_path;
    int m_bound = 0;
};

/// One connection, for one thread.
class Database {
public:
    enum class Mode { Create, Read, Change };

    /// Create: a new, empty file (an existing one is replaced). Read: an existing one; a journal left by a
    /// killed writer is rolled back, which needs write permission for file and folder. Change: an existing one.
    static Result<Database> open(const std::string& path, Mode mode);

    Result<Statement> prepare(std::string_view sql);
    Result<void> run(const char* sql);
    /// First column of the first row, 0 when there is none.
    Result<int64_t> integer(const char* sql);
    /// Older files lack the tables that were added later.
    Result<bool> hasTable(const char* name);
    [[nodiscard]] bool inTransaction() const;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    struct Closer {
        void operator()(sqlite3* connection) const;
    };
    std::unique_ptr<sqlite3, Closer> m_connection;
    std::string m_path;
};

}  // namespace lanescope::trace
