// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/database.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lanescope::trace {

namespace {

/// How long to wait for the other side's commit or read, which take milliseconds.
constexpr int kBusyMilliseconds = 10000;
/// Longer than any text or blob we write in one piece, so that a damaged length cannot ask for gigabytes.
constexpr int kMaxValueBytes = 256 << 20;

Error errorOf(int code, const char* message, const std::string& path)
{
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        return {Error::Code::BadInput, "not a lanescope trace", path};
    case SQLITE_CORRUPT:
        return {Error::Code::BadInput, fmt::format("damaged: {}", message), path};
    case SQLITE_CANTOPEN:
        return {Error::Code::NotFound, "cannot be opened", path};
    case SQLITE_FULL:
        return {Error::Code::Io, "disk full", path};
    case SQLITE_IOERR:
        return {Error::Code::Io, fmt::format("{} (code {})", message, code), path};
    default:
        return {Error::Code::Io, message, path};
    }
}

void harden(sqlite3* connection)
{
    // A trace may come from anybody: no views, triggers or functions in the schema, no huge values.
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

void Database::Closer::operator()(sqlite3* connection) const
{
    sqlite3_close_v2(connection);
}

Statement& Statement::bind(int64_t value)
{
    sqlite3_bind_int64(m_statement.get(), ++m_bound, value);
    return *this;
}

Statement& Statement::bind(std::string_view text)
{
    sqlite3_bind_text64(m_statement.get(), ++m_bound, text.data() != nullptr ? text.data() : "", text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bindBlob(std::span<const uint8_t> bytes)
{
    if (bytes.empty())
        sqlite3_bind_zeroblob(m_statement.get(), ++m_bound, 0);
    else
        sqlite3_bind_blob64(m_statement.get(), ++m_bound, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
}

Statement& Statement::bindNull()
{
    sqlite3_bind_null(m_statement.get(), ++m_bound);
    return *this;
}

Result<bool> Statement::step()
{
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW)
        return true;
    sqlite3* connection = sqlite3_db_handle(m_statement.get());
    if (code != SQLITE_DONE) {
        Error error = errorOf(sqlite3_extended_errcode(connection), sqlite3_errmsg(connection), m_path);
        reset();
        return error;
    }
    reset();
    return false;
}

Result<void> Statement::run()
{
    const Result<bool> row = step();
    if (!row.ok())
        return row.error();
    reset();
    return {};
}

void Statement::reset()
{
    sqlite3_reset(m_statement.get());
    sqlite3_clear_bindings(m_statement.get());
    m_bound = 0;
}

int Statement::columns() const
{
    return sqlite3_column_count(m_statement.get());
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

bool Statement::isInteger(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_INTEGER;
}

bool Statement::isText(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_TEXT;
}

int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

std::string Statement::text(int column) const
{
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement.get(), column));
    const int bytes = sqlite3_column_bytes(m_statement.get(), column);
    return text != nullptr ? std::string(text, static_cast<size_t>(bytes)) : std::string();
}

std::span<const uint8_t> Statement::blob(int column) const
{
    const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(m_statement.get(), column));
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return bytes != nullptr ? std::span<const uint8_t>(bytes, static_cast<size_t>(size)) : std::span<const uint8_t>();
}

Result<Database> Database::open(const std::string& path, Mode mode)
{
    if (mode == Mode::Create) {
        // An empty file is a name that this process has reserved among several, and as good as none.
        std::error_code missing;
        if (std::filesystem::file_size(path, missing) != 0 || missing)
            std::remove(path.c_str());
        std::remove((path + "-journal").c_str());
    }
    // Read mode also opens for writing, where that is allowed: only then can SQLite roll back what a killed writer
    // left half done. We never write.
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == Mode::Create ? SQLITE_OPEN_CREATE : 0);
    sqlite3* connection = nullptr;
    int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
    if (code != SQLITE_OK && mode == Mode::Read) {
        sqlite3_close_v2(connection);
        code = sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    }
    Database database;
    database.m_connection.reset(connection);
    database.m_path = path;
    if (code != SQLITE_OK)
        return errorOf(code, connection != nullptr ? sqlite3_errmsg(connection) : "out of memory", path);
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_busy_timeout(connection, kBusyMilliseconds);
    harden(connection);
    return database;
}

Result<Statement> Database::prepare(std::string_view sql)
{
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(m_connection.get(), sql.data(), static_cast<int>(sql.size()), 0, &raw, nullptr);
    Statement statement;
    statement.m_statement.reset(raw);
    statement.m_path = m_path;
    if (code != SQLITE_OK)
        return errorOf(sqlite3_extended_errcode(m_connection.get()), sqlite3_errmsg(m_connection.get()), m_path);
    return statement;
}

Result<void> Database::run(const char* sql)
{
    if (sqlite3_exec(m_connection.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return errorOf(sqlite3_extended_errcode(m_connection.get()), sqlite3_errmsg(m_connection.get()), m_path);
    return {};
}

Result<int64_t> Database::integer(const char* sql)
{
    Result<Statement> statement = prepare(sql);
    if (!statement.ok())
        return statement.error();
    const Result<bool> row = statement.value().step();
    if (!row.ok())
        return row.error();
    return row.value() ? statement.value().integer(0) : int64_t{0};
}

Result<bool> Database::hasTable(const char* name)
{
    Result<Statement> statement = prepare("SELECT 1 FROM sqlite_schema WHERE name = ?");
    return statement.ok() ? statement.value().bind(name).step() : Result<bool>(statement.error());
}

bool Database::inTransaction() const
{
    return sqlite3_get_autocommit(m_connection.get()) == 0;
}

}  // namespace lanescope::trace
