// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every layout: its text means it, and slices show the elements that their definition names.
#include <set>

#include <fmt/format.h>

#include "core/layout/layout.h"
#include "tests/support/properties.h"

using namespace lanescope;

/// For counterexamples.
static void showValue(const Layout& layout, std::ostream& to)
{
    to << layout::text(layout);
}

namespace {

rc::Gen<Mode> modes()
{
    return rc::gen::apply(
        [](int inner, int outer, int stride, int outerStride) {
            return outer == 1 ? Mode{{inner, stride}} : Mode{{inner, stride}, {outer, outerStride}};
        },
        rc::gen::inRange(1, 9), rc::gen::inRange(1, 5), rc::gen::inRange(0, 70), rc::gen::inRange(0, 300));
}

rc::Gen<Layout> layouts()
{
    return rc::gen::apply([](const Mode& rows, const Mode& cols) { return Layout{rows, cols}; }, modes(), modes());
}

/// A number of indices that begin, or are spread over, whole parts of the mode.
int divisorOf(const Mode& mode)
{
    return *rc::gen::suchThat(rc::gen::inRange(1, mode.extent() + 1), [&](int count) { return mode.divides(count); });
}

layout::View shown(const std::string& expression)
{
    const auto view = layout::evaluate(expression);
    if (!view.ok())
        RC_FAIL(expression + ": " + view.error().text());
    return view.value();
}

/// Element (row, col) of the view is the whole's at (rowOf(row), colOf(col)).
template <typename RowOf, typename ColOf>
void compare(const layout::View& view, const Layout& whole, RowOf rowOf, ColOf colOf)
{
    for (int row = 0; row < view.rows(); ++row)
        for (int col = 0; col < view.cols(); ++col)
            RC_ASSERT(view.at(row, col) == whole(rowOf(row), colOf(col)));
}

}  // namespace

class TestLayoutProperties : public QObject {
    Q_OBJECT

private slots:
    static void initTestCase() { test::useFixedInputs(); }

    static void textsMeanTheirLayouts()
    {
        QVERIFY(rc::check([] {
            const Layout layout = *layouts();
            const std::string text = layout::text(layout);
            const layout::View view = shown(text);
            RC_ASSERT(view.rows() == layout.rows.extent());
            RC_ASSERT(view.cols() == layout.cols.extent());
            RC_ASSERT(view.offset == 0);
            RC_ASSERT(layout::text(view.layout) == text);
            const auto same = [](int i) { return i; };
            compare(view, layout, same, same);
        }));
    }

    static void tilesAreTheirPartOfTheWhole()
    {
        QVERIFY(rc::check([] {
            const Layout whole = *layouts();
            const int rows = divisorOf(whole.rows), cols = divisorOf(whole.cols);
            const int i = *rc::gen::inRange(0, whole.rows.extent() / rows);
            const int j = *rc::gen::inRange(0, whole.cols.extent() / cols);
            const layout::View view = shown(fmt::format("{}.tile({},{},{},{})", layout::text(whole), rows, cols, i, j));
            RC_ASSERT(view.rows() == rows);
            RC_ASSERT(view.cols() == cols);
            compare(view, whole, [=](int row) { return i * rows + row; }, [=](int col) { return j * cols + col; });
        }));
    }

    static void vectorsAreWhereTheirFirstElementIs()
    {
        QVERIFY(rc::check([] {
            const Layout whole = *layouts();
            const int rows = divisorOf(whole.rows), cols = divisorOf(whole.cols);
            const layout::View view = shown(fmt::format("{}.vectorize({},{})", layout::text(whole), rows, cols));
            RC_ASSERT(view.rows() == whole.rows.extent() / rows);
            RC_ASSERT(view.cols() == whole.cols.extent() / cols);
            compare(view, whole, [=](int row) { return row * rows; }, [=](int col) { return col * cols; });
        }));
    }

    static void threadsShareEveryElementOnce()
    {
        QVERIFY(rc::check([] {
            const Layout whole = *layouts();
            const int rows = divisorOf(whole.rows), cols = divisorOf(whole.cols);
            for (int row = 0; row < rows; ++row)
                for (int col = 0; col < cols; ++col) {
                    const layout::View share = shown(fmt::format("{}.distribute(column_major({},{}),{})",
                                                                 layout::text(whole), rows, cols, col * rows + row));
                    RC_ASSERT(share.rows() == whole.rows.extent() / rows);
                    RC_ASSERT(share.cols() == whole.cols.extent() / cols);
                    compare(share, whole, [=](int i) { return row + i * rows; }, [=](int j) { return col + j * cols; });
                }
        }));
    }

    /// The coordinates of an offset, the long way round: its tile, then its place in the tile.
    static void offsetsOfTiledLayoutsLeadBackToTheirCoordinates()
    {
        QVERIFY(rc::check([] {
            const int tileRows = *rc::gen::inRange(1, 9), tileCols = *rc::gen::inRange(1, 9);
            const int down = *rc::gen::inRange(1, 6), across = *rc::gen::inRange(1, 6);
            const layout::View view =
                shown(fmt::format("tiled({},{},{},{})", down * tileRows, across * tileCols, tileRows, tileCols));
            std::set<int> offsets;
            for (int row = 0; row < view.rows(); ++row)
                for (int col = 0; col < view.cols(); ++col) {
                    const int offset = view.at(row, col);
                    const int tile = offset / (tileRows * tileCols), within = offset % (tileRows * tileCols);
                    RC_ASSERT(tile / across * tileRows + within / tileCols == row);
                    RC_ASSERT(tile % across * tileCols + within % tileCols == col);
                    offsets.insert(offset);
                }
            RC_ASSERT(*offsets.rbegin() == view.rows() * view.cols() - 1);
            RC_ASSERT(offsets.size() == static_cast<size_t>(view.rows() * view.cols()));
        }));
    }
};

QTEST_GUILESS_MAIN(TestLayoutProperties)
#include "tst_layout_properties.moc"
