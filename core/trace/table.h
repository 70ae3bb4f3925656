// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table as one list of columns: its CREATE TABLE text, storing a row and loading one all follow from the list.
// The lists themselves are in tables.cpp.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/result.h"
#include "core/trace/database.h"
#include "core/trace/model.h"
#include "core/trace/names.h"
#include "core/trace/row_reader.h"

namespace lanescope::trace {

/// What a table's CREATE TABLE statement says.
struct TableShape {
    std::string name;
    std::string columns;       ///< "id INTEGER PRIMARY KEY, path TEXT"
    std::string addedColumns;  ///< behind `columns`, with the comma; older traces lack them
    bool mayBeMissing = false;
};

/// Later: the table was added without a new schema, so that older traces lack it.
enum class Since { FirstSchema, Later };
/// What storing a row does where there is one of the same id.
enum class OnSameId { Fail, Replace };

/// The integer that a number or a strong id is.
template <typename T>
struct IntegerOf {
    using Type = T;
    static Type of(T value) { return value; }
};
template <typename Tag, typename Rep>
struct IntegerOf<StrongId<Tag, Rep>> {
    using Type = Rep;
    static Type of(StrongId<Tag, Rep> id) { return id.value; }
};

/// Describes the table of Row by chained calls, one for each column or group of columns, in their order. A field is a
/// pointer to a member of Row, or a function from a row to a reference into it. Names are literals.
template <typename Row>
class Table {
    template <typename Field>
    using Value = std::decay_t<std::invoke_result_t<Field, Row&>>;

public:
    /// A table that is never destroyed: a recording may end in an exit handler, after static objects are gone.
    static Table& make(const char* name, OnSameId onSameId = OnSameId::Fail, Since since = Since::FirstSchema)
    {
        return *new Table(name, onSameId, since);
    }

    /// Ids count from 0: a row's id is the number of rows before it.
    template <typename Field>
    Table& denseId(Field field)
    {
        return column("id", kPrimaryKey, field, storeInteger<Value<Field>>, [](RowReader& from, Value<Field>& id) {
            const uint64_t found = from.integer("id");
            if (found != from.index())
                from.fail("id", std::to_string(found), std::to_string(from.index()));
            id = as<Value<Field>>(found);
        });
    }
    /// An id that the writer chooses.
    template <typename Field>
    Table& id(Field field)
    {
        return column("id", kPrimaryKey, field, storeInteger<Value<Field>>,
                      [](RowReader& from, Value<Field>& id) { id = as<Value<Field>>(from.integer("id")); });
    }
    /// An id that SQLite chooses when it stores the row.
    template <typename Field>
    Table& newId(Field field)
    {
        return column(
            "id", kPrimaryKey, field, [](Statement& to, const Value<Field>&) { to.bindNull(); },
            [](RowReader& from, Value<Field>& id) { id = as<Value<Field>>(from.integer("id")); });
    }
    /// The same, where nobody asks for it.
    Table& newId()
    {
        return column(
            "id", kPrimaryKey, std::identity(), [](Statement& to, const Row&) { to.bindNull(); },
            [](RowReader& from, Row&) { from.integer("id"); });
    }
    /// A number, a flag or a strong id.
    template <typename Field>
    Table& number(const char* name, Field field)
    {
        using Integer = typename IntegerOf<Value<Field>>::Type;
        return number(name, field, std::min<uint64_t>(std::numeric_limits<Integer>::max(), INT64_MAX));
    }
    template <typename Field>
    Table& number(const char* name, Field field, uint64_t most)
    {
        return column(name, "INTEGER", field, storeInteger<Value<Field>>, [=](RowReader& from, Value<Field>& value) {
            value = as<Value<Field>>(from.integer(name, most));
        });
    }
    /// Any 64 bits.
    template <typename Field>
    Table& bits(const char* name, Field field)
    {
        return column(name, "INTEGER", field, storeInteger<uint64_t>,
                      [=](RowReader& from, uint64_t& value) { value = from.bits(name); });
    }
    /// A strong id that is \p none where the table has NULL.
    template <typename Field, typename Id>
    Table& idOrNone(const char* name, Field field, Id none)
    {
        return column(
            name, "INTEGER", field, [=](Statement& to, Id id) { id == none ? to.bindNull() : to.bind(id.value); },
            [=](RowReader& from, Id& id) { id = as<Id>(from.optionalInteger(name, UINT32_MAX).value_or(none.value)); });
    }
    template <typename Field>
    Table& optionalId(const char* name, Field field)
    {
        using Id = typename Value<Field>::value_type;
        return column(
            name, "INTEGER", field,
            [](Statement& to, const std::optional<Id>& id) { id ? to.bind(id->value) : to.bindNull(); },
            [=](RowReader& from, std::optional<Id>& id) {
                if (const std::optional<uint64_t> found = from.optionalInteger(name, UINT32_MAX))
                    id = as<Id>(*found);
            });
    }
    /// A std::vector of at most \p most numbers.
    template <typename Field>
    Table& numbers(const char* name, Field field, size_t most)
    {
        using List = Value<Field>;
        return column(
            name, "TEXT", field,
            [](Statement& to, const List& values) { to.bind(fmt::format("{}", fmt::join(values, ","))); },
            [=](RowReader& from, List& values) { values = from.numbers<typename List::value_type>(name, most); });
    }
    template <typename Field>
    Table& text(const char* name, Field field)
    {
        return column(
            name, "TEXT", field, [](Statement& to, const std::string& text) { to.bind(text); },
            [=](RowReader& from, std::string& text) { text = from.text(name); });
    }
    /// What has a text: \p write gives it, \p read gives none for a text that is not \p expected.
    template <typename Field, typename Write, typename Read>
    Table& spelled(const char* name, Field field, Write write, Read read, const char* expected)
    {
        return column(
            name, "TEXT", field, [=](Statement& to, const Value<Field>& value) { to.bind(write(value)); },
            [=](RowReader& from, Value<Field>& value) {
                const std::string text = from.text(name);
                if (std::optional<Value<Field>> found = read(text))
                    value = std::move(*found);
                else
                    from.fail(name, fmt::format("\"{}\"", text), expected);
            });
    }
    /// An enumerator by its name (names.h).
    template <typename Field, typename Enum>
    Table& enumerator(const char* name, Field field, std::optional<Enum> (*read)(std::string_view))
    {
        return spelled(name, field, [](Enum value) { return nameOf(value); }, read, "a known name");
    }
    /// \p read fills in the field from \p write's JSON; false where the text is none.
    template <typename Field, typename Write, typename Read>
    Table& json(const char* name, Field field, Write write, Read read)
    {
        return column(
            name, "TEXT", field, [=](Statement& to, const Value<Field>& value) { to.bind(write(value)); },
            [=](RowReader& from, Value<Field>& value) {
                if (!read(from.text(name), value))
                    from.fail(name, "damaged JSON", "an array");
            });
    }
    /// A std::vector of bytes, or a std::span, which on loading is valid until the next row.
    template <typename Field>
    Table& blob(const char* name, Field field)
    {
        return column(
            name, "BLOB", field, [](Statement& to, std::span<const uint8_t> bytes) { to.bindBlob(bytes); },
            [](RowReader& from, Value<Field>& bytes) {
                const std::span<const uint8_t> found = from.blob();
                bytes = {found.begin(), found.end()};
            });
    }
    /// The columns of a ValueType.
    template <typename Field>
    Table& type(Field field)
    {
        // Structs passed by value are the largest things that have a type; CUDA's limit on parameters is 32 KB.
        return enumerator("type_kind", within(field, &ValueType::kind), scalarKindOf)
            .number("type_bytes", within(field, &ValueType::bytes), 1 << 20)
            .number("type_components", within(field, &ValueType::components), 1 << 10)
            .text("type_name", within(field, &ValueType::name));
    }
    /// The columns of a SourceLocation.
    template <typename Field>
    Table& where(Field field)
    {
        return number("source", within(field, &SourceLocation::source))
            .number("line", within(field, &SourceLocation::line))
            .number("column", within(field, &SourceLocation::column));
    }
    /// The columns of a Dim3 that is at least one in each direction.
    template <typename Field>
    Table& extent(const char* name, Field field)
    {
        // CUDA: at most 2^31-1 in x, 65535 in y and z; so that counts fit in 64 bits.
        return extentPart(name, "_x", within(field, &Dim3::x), INT32_MAX)
            .extentPart(name, "_y", within(field, &Dim3::y), 65535)
            .extentPart(name, "_z", within(field, &Dim3::z), 65535);
    }
    /// The columns behind this were added after the first schema: rows of traces that lack them keep their defaults.
    Table& addedLater()
    {
        m_firstAdded = m_columns.size();
        return *this;
    }

    [[nodiscard]] const char* name() const { return m_name; }
    [[nodiscard]] bool mayBeMissing() const { return m_since == Since::Later; }
    [[nodiscard]] TableShape shape() const
    {
        TableShape shape{m_name, {}, {}, mayBeMissing()};
        for (size_t i = 0; i < m_columns.size(); ++i)
            (i < m_firstAdded ? shape.columns : shape.addedColumns) += (i == 0 ? "" : ", ") + m_columns[i].declaration;
        return shape;
    }
    /// With a parameter for each column.
    [[nodiscard]] std::string insertion() const
    {
        const std::vector<const char*> parameters(m_columns.size(), "?");
        return fmt::format("INSERT {}INTO {} VALUES ({})", m_onSameId == OnSameId::Replace ? "OR REPLACE " : "", m_name,
                           fmt::join(parameters, ","));
    }
    void store(const Row& row, Statement& to) const
    {
        for (const Column& column : m_columns)
            column.store(to, row);
    }
    /// \p from keeps what is wrong with the row.
    void load(RowReader& from, Row& row) const
    {
        for (size_t i = 0; i < m_columns.size(); ++i)
            if (i < m_firstAdded || from.hasColumn())
                m_columns[i].load(from, row);
    }

private:
    struct Column {
        std::string declaration;
        std::function<void(Statement&, const Row&)> store;
        std::function<void(RowReader&, Row&)> load;
    };

    Table(const char* name, OnSameId onSameId, Since since) : m_name(name), m_onSameId(onSameId), m_since(since) {}

    static constexpr const char* kPrimaryKey = "INTEGER PRIMARY KEY";

    /// \p put takes a statement and the field's value, \p take a reader and a reference to the field.
    template <typename Field, typename Put, typename Take>
    Table& column(const std::string& name, const char* sqlType, Field field, Put put, Take take)
    {
        m_columns.push_back({name + " " + sqlType,
                             [=](Statement& to, const Row& row) { put(to, std::invoke(field, row)); },
                             [=](RowReader& from, Row& row) { take(from, std::invoke(field, row)); }});
        return *this;
    }
    template <typename Field>
    Table& extentPart(const char* name, const char* suffix, Field field, uint64_t most)
    {
        return column(std::string(name) + suffix, "INTEGER", field, storeInteger<uint32_t>,
                      [=](RowReader& from, uint32_t& value) {
                          value = static_cast<uint32_t>(from.integer(name, most));
                          if (value == 0)
                              from.fail(name, "0", "at least 1");
                      });
    }
    /// The field \p inner of the field \p outer.
    template <typename Outer, typename Inner>
    static auto within(Outer outer, Inner inner)
    {
        return [=](auto& row) -> auto& { return std::invoke(inner, std::invoke(outer, row)); };
    }
    template <typename T>
    static void storeInteger(Statement& to, const T& value)
    {
        to.bind(static_cast<int64_t>(IntegerOf<T>::of(value)));
    }
    template <typename T>
    static T as(uint64_t value)
    {
        return T(static_cast<typename IntegerOf<T>::Type>(value));
    }

    const char* m_name;
    OnSameId m_onSameId;
    Since m_since;
    size_t m_firstAdded = SIZE_MAX;  ///< column
    std::vector<Column> m_columns;
};

/// Calls \p take with each row that `SELECT * FROM table` and \p rest give, until one is damaged or \p take says by the
/// RowReader that it is. \p parameters: numbers for the question marks in \p rest.
template <typename Row, typename Take>
Result<void> readRows(Database& database, const Table<Row>& table, const char* rest,
                      std::initializer_list<int64_t> parameters, Take take)
{
    Result<Statement> statement = database.prepare(fmt::format("SELECT * FROM {} {}", table.name(), rest));
    if (!statement.ok())
        return statement.error();
    for (const int64_t parameter : parameters)
        statement.value().bind(parameter);
    RowReader reader(statement.value(), table.name(), database.path());
    while (reader.next()) {
        Row row;
        table.load(reader, row);
        if (reader.ok())
            take(std::move(row), reader);
    }
    return reader.result();
}

}  // namespace lanescope::trace
