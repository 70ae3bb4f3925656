// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout expressions: what they mean, and what is said about mistakes.
#include <QTest>
#include <random>

#include "core/layout/cute_type.h"
#include "core/layout/layout.h"

using namespace lanescope;

class TestLayout : public QObject {
    Q_OBJECT

    /// Offsets, row after row: "0 1 2 3 / 4 5 6 7".
    static QString offsets(const layout::View& view)
    {
        QStringList rows;
        for (int row = 0; row < view.rows(); ++row) {
            QStringList cells;
            for (int col = 0; col < view.cols(); ++col)
                cells << QString::number(view.at(row, col));
            rows << cells.join(' ');
        }
        return rows.join(" / ");
    }

private slots:
    void readsTypesOfCute_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("layout");  ///< empty: it is none
        QTest::addColumn<QString>("row");     ///< offsets of the second row, as far as 4 columns
        const QString matrix =
            "cute::Layout<cute::tuple<cute::C<8>, cute::C<32> >, cute::tuple<cute::C<36>, cute::C<1> > >";
        QTest::newRow("layout") << matrix << "(8,32):(36,1)" << "36 37 38 39";
        QTest::newRow("tensor") << "Tensor<cute::ViewEngine<cute::smem_ptr<float *> >, " + matrix + " >"
                                << "(8,32):(36,1)"
                                << "36 37 38 39";
        QTest::newRow("swizzled")
            << "ComposedLayout<cute::Swizzle<3, 3, 3>, cute::C<0>, cute::Layout<cute::tuple<cute::C<8>, "
               "cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > > >"
            << "Swizzle<3,3,3> o (8,64):(64,1)" << "72 73 74 75";
        QTest::newRow("nested") << "Layout<cute::tuple<cute::tuple<cute::C<2>, cute::C<4> >, cute::C<4> >, "
                                   "cute::tuple<cute::tuple<cute::C<16>, cute::C<1> >, cute::C<4> > >"
                                << "((2,4),4):((16,1),4)" << "16 20 24 28";
        QTest::newRow("of the run") << "Layout<cute::tuple<int, cute::C<32> >, cute::tuple<cute::C<32>, cute::C<1> > >"
                                    << "(?,32):(32,1)" << "";
        QTest::newRow("pointer swizzled")
            << "Tensor<cute::ViewEngine<cute::smem_ptr<cute::swizzle_ptr<cute::Swizzle<3, 4, 3>, half *> > >, " +
                   matrix + " >"
            << "(8,32):(36,1), its pointer swizzled" << "";
        QTest::newRow("coordinates")
            << "Layout<cute::tuple<cute::C<8> >, cute::tuple<cute::ScaledBasis<cute::C<1>, 0> > >"
            << "" << "";
        QTest::newRow("other") << "MyLayout<int, int>" << "" << "";
        QTest::newRow("unfinished") << "Layout<cute::tuple<cute::C<8>" << "" << "";
        // What no compiler writes, but a damaged trace may.
        QTest::newRow("of nothing") << "Layout<tuple<tuple<C<0>, C<2> >, C<4> >, tuple<tuple<C<1>, C<1> >, C<2> > >"
                                    << "((0,2),4):((1,1),2)" << "";
        QTest::newRow("too large") << "Layout<tuple<C<1073741824>, C<1073741824> >, tuple<C<1>, C<1> > >"
                                   << "(1073741824,1073741824):(1,1)" << "";
        QTest::newRow("number too large") << "Layout<C<9223372036854775807>, C<1> >" << "" << "";
        QTest::newRow("swizzle of negative bits")
            << "ComposedLayout<Swizzle<-1, 3, 3>, C<0>, Layout<C<8>, C<1> > >" << "" << "";
        const QString deep = QStringLiteral("tuple<").repeated(1000) + "C<1>" + QStringLiteral(">").repeated(1000);
        QTest::newRow("too deep") << "Layout<" + deep + ", " + deep + ">" << "" << "";
    }
    void readsTypesOfCute()
    {
        QFETCH(QString, type);
        QFETCH(QString, layout);
        QFETCH(QString, row);
        const auto read = lanescope::layout::cuteLayoutOf(type.toStdString());
        QCOMPARE(read ? QString::fromStdString(read->text()) : QString(), layout);
        QStringList offsets;
        for (int64_t col = 0; read && read->rows() && col < std::min<int64_t>(4, *read->cols()); ++col)
            offsets << QString::number(read->at(1, col));
        QCOMPARE(offsets.join(' '), row);
    }
    void meansWhatTensorHeaderDoes_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("offsets");
        QTest::newRow("row-major") << "row_major(2,4)" << "(2,4):(4,1)" << "0 1 2 3 / 4 5 6 7";
        QTest::newRow("column-major") << " column_major ( 4 , 4 ) " << "(4,4):(1,4)"
                                      << "0 4 8 12 / 1 5 9 13 / 2 6 10 14 / 3 7 11 15";
        QTest::newRow("one mode") << "4:2" << "(1,4):(0,2)" << "0 2 4 6";
        QTest::newRow("broadcast") << "(2,3):(0,1)" << "(2,3):(0,1)" << "0 1 2 / 0 1 2";
        QTest::newRow("padded") << "(2,2):(33,1)" << "(2,2):(33,1)" << "0 1 / 33 34";
        const QString tiles = "0 1 4 5 / 2 3 6 7 / 8 9 12 13 / 10 11 14 15";
        QTest::newRow("tiled") << "tiled(4,4,2,2)" << "((2,2),(2,2)):((2,8),(1,4))" << tiles;
        QTest::newRow("tiled, written out") << "((2,2),(2,2)):((2,8),(1,4))" << "((2,2),(2,2)):((2,8),(1,4))" << tiles;
        QTest::newRow("tile") << "row_major(8,8).tile(2,2,1,3)" << "(2,2):(8,1)" << "22 23 / 30 31";
        QTest::newRow("tile of a tile") << "row_major(8,8).tile(4,4,1,0).tile(2,2,0,1)" << "(2,2):(8,1)"
                                        << "34 35 / 42 43";
        QTest::newRow("tile of a tiled one") << "tiled(4,4,2,2).tile(2,2,1,0)" << "(2,2):(2,1)" << "8 9 / 10 11";
        QTest::newRow("several tiles") << "tiled(4,4,2,2).tile(4,2,0,1)" << "((2,2),2):((2,8),1)"
                                       << "4 5 / 6 7 / 12 13 / 14 15";
        QTest::newRow("vectorize") << "row_major(2,8).vectorize(1,4)" << "(2,2):(8,4)" << "0 4 / 8 12";
        QTest::newRow("vectorize whole tiles") << "tiled(4,4,2,2).vectorize(2,2)" << "(2,2):(8,4)" << "0 4 / 8 12";
        // The talk's picture: 8x8, threads (2,2):(1,2), thread 1.
        QTest::newRow("distribute") << "(8,8):(8,1).distribute((2,2):(1,2),1)" << "(4,4):(16,2)"
                                    << "8 10 12 14 / 24 26 28 30 / 40 42 44 46 / 56 58 60 62";
        QTest::newRow("distribute to row-major threads")
            << "row_major(4,4).distribute(row_major(2,2),1)" << "(2,2):(8,2)" << "1 3 / 9 11";
    }
    void meansWhatTensorHeaderDoes()
    {
        QFETCH(QString, expression);
        const auto view = layout::evaluate(expression.toStdString());
        QVERIFY2(view.ok(), view ? "" : view.error().text().c_str());
        QTEST(QString::fromStdString(layout::text(view.value().layout)), "layout");
        QTEST(offsets(view.value()), "offsets");
    }

    void sharesCoverEachElementOnce()
    {
        for (const char* threads : {"row_major(2,4)", "column_major(2,4)", "tiled(4,4,2,2)"}) {
            const int count = layout::evaluate(threads).value().rows() * layout::evaluate(threads).value().cols();
            QList<int> found;
            for (int thread = 0; thread < count; ++thread) {
                const auto share = layout::evaluate("tiled(8,8,4,4).distribute(" + std::string(threads) + "," +
                                                    std::to_string(thread) + ")");
                QVERIFY2(share.ok(), share ? "" : share.error().text().c_str());
                for (int row = 0; row < share.value().rows(); ++row)
                    for (int col = 0; col < share.value().cols(); ++col)
                        found << share.value().at(row, col);
            }
            std::sort(found.begin(), found.end());
            QCOMPARE(found.size(), qsizetype(64));
            for (int i = 0; i < 64; ++i)
                QCOMPARE(found[i], i);
        }
    }

    void staticLayoutsAreLayouts()
    {
        float data[32] = {};
        const Tensor<float, StaticLayout<4, 8>> known{data, {}};
        const Tensor<float> same{data, row_major(4, 8)};
        for (int row = 0; row < 4; ++row)
            for (int col = 0; col < 8; ++col)
                QCOMPARE(&known(row, col), &same(row, col));
        QCOMPARE(&known.tile(2, 2, 1, 3)(1, 1), data + 31);
        static_assert(row_major(4, 8)(3, 7) == 31);
        static_assert(tile_of(StaticLayout<4, 8>(), 2, 2, 1, 3).offset == 22);
    }

    /// Any text gives an error, or a layout all of whose elements can be asked for.
    void survivesAnyText()
    {
        const std::string characters = "0123456789(),:.tiledrow_majorvectorizeb ";
        const std::string whole[] = {"row_major(8,8).tile(4,4,1,0)", "((2,2),(2,2)):((2,8),(1,4)).vectorize(2,1)",
                                     "tiled(8,8,4,2).distribute((2,2):(1,2),3)"};
        std::mt19937 random(7);
        for (int i = 0; i < 20'000; ++i) {
            std::string text = whole[random() % 3];
            for (uint32_t edits = random() % 4 + 1; edits > 0 && !text.empty(); --edits) {
                const size_t at = random() % text.size();
                if (random() % 3 == 0)
                    text.erase(at, 1);
                else
                    text[at] = characters[random() % characters.size()];
            }
            const auto view = layout::evaluate(text);
            if (!view)
                continue;
            QVERIFY(view.value().rows() > 0 && view.value().cols() > 0);
            QVERIFY2(view.value().at(view.value().rows() - 1, view.value().cols() - 1) >= 0, text.c_str());
        }
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("message");
        const QString layouts = "row_major(…), column_major(…), tiled(…) or shape:stride, as in (8,4):(4,1)";
        QTest::newRow("empty") << "" << "layout, column 1: found the end, expected " + layouts;
        QTest::newRow("unknown") << "diagonal(2)" << "layout, column 1: found \"diagonal(2)\", expected " + layouts;
        QTest::newRow("forms") << "(2,2):1"
                               << "layout, column 8: shape and stride have different forms, expected the "
                                  "same, as in ((2,2),4):((1,8),2)";
        QTest::newRow("zero") << "row_major(0,4)"
                              << "layout, column 11: found \"0,4)\", expected a number (1 to 1048576)";
        QTest::newRow("rest") << "row_major(2,2)x"
                              << "layout, column 15: found \"x\", expected an operation (.tile, .vectorize, "
                                 ".distribute) or the end";
        QTest::newRow("operation") << "row_major(2,2).turn()"
                                   << "layout, column 16: found \"turn()\", expected tile, vectorize or distribute";
        QTest::newRow("does not divide") << "row_major(8,8).tile(3,3,0,0)"
                                         << "layout, column 29: tiles of 3 x 3 do not divide (8,8):(8,1)";
        QTest::newRow("outside") << "row_major(8,8).tile(4,4,2,0)"
                                 << "layout, column 29: tile (2,0), expected up to (1,1)";
        QTest::newRow("thread") << "row_major(8,8).distribute((2,2):(1,2),4)"
                                << "layout, column 41: there is no thread 4 in (2,2):(1,2)";
        QTest::newRow("large") << "row_major(1048576,1048576)"
                               << "layout, column 27: a layout of 1048576 x 1048576 elements, expected at most 1048576";
        QTest::newRow("deep") << "((2,2,2),1):((1,2,4),8)"
                              << "layout, column 9: found a mode of 3 parts, expected at most two";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QString, expression);
        const auto view = layout::evaluate(expression.toStdString());
        QVERIFY(!view.ok());
        QTEST(QString::fromStdString(view.error().text()), "message");
    }
};

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
