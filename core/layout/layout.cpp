// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/layout/layout.h"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace lanescope::layout {

namespace {

/// Thrown inside the parser only.
struct BadExpression {
    std::string message;
    size_t column;  ///< 0-based
};

/// Strides of slices fit an int as well.
constexpr int64_t kMostSpan = int64_t{1} << 30;

/// One or two numbers: "4" or "(2,2)".
using Numbers = std::vector<int>;

class Parser {
public:
    explicit Parser(const std::string& text) : m_text(text) {}

    View run()
    {
        View view{layout()};
        while (take('.'))
            operation(view);
        if (m_at < m_text.size())
            bad("an operation (.tile, .vectorize, .distribute) or the end");
        return view;
    }

private:
    [[noreturn]] void bad(const std::string& expected)
    {
        skipSpace();
        const std::string rest = m_text.substr(m_at, 12);
        throw BadExpression{
            fmt::format("found {}, expected {}", rest.empty() ? "the end" : "\"" + rest + "\"", expected), m_at};
    }
    [[noreturn]] void wrong(const std::string& message) const { throw BadExpression{message, m_at}; }

    void skipSpace()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])))
            ++m_at;
    }
    bool take(char wanted)
    {
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != wanted)
            return false;
        ++m_at;
        return true;
    }
    void need(char wanted)
    {
        if (!take(wanted))
            bad(fmt::format("'{}'", wanted));
    }
    [[nodiscard]] char peek()
    {
        skipSpace();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

    int number(const char* what, int least)
    {
        skipSpace();
        int value = 0;
        const char* begin = m_text.data() + m_at;
        const auto [end, status] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (status != std::errc() || value < least || value > kMostElements)
            bad(fmt::format("{} ({} to {})", what, least, kMostElements));
        m_at += static_cast<size_t>(end - begin);
        return value;
    }

    std::string word()
    {
        skipSpace();
        const size_t start = m_at;
        while (m_at < m_text.size() && (std::isalpha(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_'))
            ++m_at;
        return m_text.substr(start, m_at - start);
    }

    /// "(a,b,…)" of \p least to \p most numbers.
    Numbers arguments(size_t least, size_t most, const char* what)
    {
        Numbers all;
        need('(');
        do
            all.push_back(number("a number", all.size() < 2 ? 1 : 0));
        while (take(','));
        need(')');
        if (all.size() < least || all.size() > most || (all.size() != least && all.size() != most))
            wrong(fmt::format("found {} numbers, expected {}", all.size(), what));
        return all;
    }

    void checkCount(int64_t rows, int64_t cols) const
    {
        if (rows > kMostElements || cols > kMostElements || rows * cols > kMostElements)
            wrong(fmt::format("a layout of {} x {} elements, expected at most {}", rows, cols, kMostElements));
    }

    ::Layout checked(const ::Layout& layout) const
    {
        checkCount(int64_t{layout.rows.inner.extent} * layout.rows.outer.extent,
                   int64_t{layout.cols.inner.extent} * layout.cols.outer.extent);
        int64_t last = 0;
        for (const Part& part : {layout.rows.inner, layout.rows.outer, layout.cols.inner, layout.cols.outer})
            last += (int64_t{part.extent} - 1) * part.stride;
        if (last > kMostSpan)
            wrong(fmt::format("a layout that spans {} elements, expected at most {}", last + 1, kMostSpan));
        return layout;
    }

    ::Layout layout()
    {
        const char next = peek();
        if (next == '(' || std::isdigit(static_cast<unsigned char>(next)))
            return shapeAndStride();
        const size_t start = m_at;
        const std::string name = word();
        if (name == "row_major" || name == "column_major") {
            const Numbers n = arguments(2, 2, "rows and columns");
            checkCount(n[0], n[1]);
            return name == "row_major" ? row_major(n[0], n[1]) : column_major(n[0], n[1]);
        }
        if (name == "tiled") {
            const Numbers n = arguments(4, 4, "rows, columns, and those of a tile");
            checkCount(n[0], n[1]);
            if (n[2] == 0 || n[3] == 0 || n[0] % n[2] != 0 || n[1] % n[3] != 0)
                wrong(fmt::format("tiles of {} x {} do not divide {} x {}", n[2], n[3], n[0], n[1]));
            return tiled(n[0], n[1], n[2], n[3]);
        }
        m_at = start;
        bad("row_major(…), column_major(…), tiled(…) or shape:stride, as in (8,4):(4,1)");
    }

    Numbers mode(const char* what, int least)
    {
        if (!take('('))
            return {number(what, least)};
        Numbers parts{number(what, least)};
        while (take(','))
            parts.push_back(number(what, least));
        need(')');
        if (parts.size() > 2)
            wrong(fmt::format("found a mode of {} parts, expected at most two", parts.size()));
        return parts;
    }

    /// "8", "(8,4)", "((2,2),4)": one or two modes.
    std::vector<Numbers> modes(const char* what, int least)
    {
        if (!take('('))
            return {{number(what, least)}};
        std::vector<Numbers> all{mode(what, least)};
        while (take(','))
            all.push_back(mode(what, least));
        need(')');
        if (all.size() > 2)
            wrong(fmt::format("found {} modes, expected rows and columns", all.size()));
        return all;
    }

    ::Layout shapeAndStride()
    {
        const std::vector<Numbers> shape = modes("an extent", 1);
        need(':');
        const std::vector<Numbers> stride = modes("a stride", 0);
        bool fits = shape.size() == stride.size();
        for (size_t i = 0; fits && i < shape.size(); ++i)
            fits = shape[i].size() == stride[i].size();
        if (!fits)
            wrong("shape and stride have different forms, expected the same, as in ((2,2),4):((1,8),2)");
        const auto modeOf = [&](size_t i) {
            ::Mode mode{{shape[i][0], stride[i][0]}};
            if (shape[i].size() > 1)
                mode.outer = {shape[i][1], stride[i][1]};
            return mode;
        };
        if (shape.size() == 1)
            return checked({{{1, 0}}, modeOf(0)});
        return checked({modeOf(0), modeOf(1)});
    }

    void operation(View& view)
    {
        const size_t start = m_at;
        const std::string name = word();
        if (name == "tile")
            return tile(view);
        if (name == "vectorize")
            return vectorize(view);
        if (name == "distribute")
            return distribute(view);
        m_at = start;
        bad("tile, vectorize or distribute");
    }

    void needDivides(const View& view, int rows, int cols, const char* what) const
    {
        if (!view.layout.rows.divides(rows) || !view.layout.cols.divides(cols))
            wrong(fmt::format("{} of {} x {} do not divide {}", what, rows, cols, text(view.layout)));
    }

    void tile(View& view)
    {
        const Numbers n = arguments(2, 4, "rows and columns of a tile, and perhaps its place i, j");
        needDivides(view, n[0], n[1], "tiles");
        const int i = n.size() > 2 ? n[2] : 0, j = n.size() > 2 ? n[3] : 0;
        if (i >= view.rows() / n[0] || j >= view.cols() / n[1])
            wrong(fmt::format("tile ({},{}), expected up to ({},{})", i, j, view.rows() / n[0] - 1,
                              view.cols() / n[1] - 1));
        narrow(view, tile_of(view.layout, n[0], n[1], i, j));
    }

    void vectorize(View& view)
    {
        const Numbers n = arguments(2, 2, "rows and columns of a vector");
        needDivides(view, n[0], n[1], "vectors");
        narrow(view, vectors_of(view.layout, n[0], n[1]));
    }

    void distribute(View& view)
    {
        need('(');
        const ::Layout threads = layout();
        need(',');
        const int thread = number("a thread", 0);
        need(')');
        needDivides(view, threads.rows.extent(), threads.cols.extent(), "threads");
        bool known = false;
        for (int row = 0; row < threads.rows.extent() && !known; ++row)
            for (int col = 0; col < threads.cols.extent() && !known; ++col)
                known = threads(row, col) == thread;
        if (!known)
            wrong(fmt::format("there is no thread {} in {}", thread, text(threads)));
        narrow(view, share_of(view.layout, threads, thread));
    }

    /// A slice of what the view shows is a slice of the buffer.
    static void narrow(View& view, const ::Slice& slice) { view = {slice.layout, view.offset + slice.offset}; }

    const std::string& m_text;
    size_t m_at = 0;
};

std::string partsText(const ::Mode& mode, int Part::* number)
{
    if (!mode.is_split())
        return std::to_string(mode.inner.*number);
    return fmt::format("({},{})", mode.inner.*number, mode.outer.*number);
}

}  // namespace

Result<View> evaluate(const std::string& expression)
{
    try {
        return Parser(expression).run();
    } catch (const BadExpression& problem) {
        return Error{Error::Code::BadInput, problem.message, fmt::format("layout, column {}", problem.column + 1)};
    }
}

std::string text(const ::Layout& layout)
{
    return fmt::format("({},{}):({},{})", partsText(layout.rows, &Part::extent), partsText(layout.cols, &Part::extent),
                       partsText(layout.rows, &Part::stride), partsText(layout.cols, &Part::stride));
}

}  // namespace lanescope::layout
