// SPDX-License-Identifier: GPL-3.0-or-later
// Every text in every view can be read, at the sizes of a small and a large screen.
#include <QApplication>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "app/gui/export/text_proof.h"
#include "app/gui/theme/theme.h"
#include "tests/support/process.h"
#include "tests/support/sampling.h"

using namespace lanescope;
using namespace lanescope::gui;

class LegibilityTest : public QObject {
    Q_OBJECT

private:
    using Kind = TextFault::Kind;

    QTemporaryDir m_folder;

    /// What of the picture cannot be read, a line for each.
    static std::string faultsOf(RenderRequest request, QSize size)
    {
        request.width = size.width();
        request.height = size.height();
        int argc = 0;
        char* argv[] = {nullptr};
        const auto faults = proofread(argc, argv, request);
        if (!faults)
            return faults.error().text();
        std::string found;
        for (const TextFault& fault : faults.value())
            found += std::to_string(size.width()) + " " + request.theme + " " + describe(fault) + "\n";
        return found;
    }

    QString traceOf(const QString& program, const QStringList& arguments = {})
    {
        const QString trace = m_folder.filePath(program.section(u'/', -1) + QStringLiteral(".lanes"));
        if (QFile::exists(trace))
            return trace;
        test::runProcess(QStringLiteral(LANESCOPE_COMMAND),
                         QStringList{QStringLiteral("record"),
                                     QStringLiteral(LANESCOPE_KERNELS_FOLDER "/%1.cu").arg(program),
                                     QStringLiteral("-o"), trace} +
                             arguments);
        return trace;
    }

    /// What \p paint's painter writes on a picture of 200 × 100 pixels, of which some cannot be read.
    template <typename Paint>
    static std::vector<TextFault> faultsOf(const Paint& paint)
    {
        TextProof proof(QSize(200, 100));
        QPainter painter(&proof);
        QFont font = themeNamed({}).mono(12);
        painter.setFont(font);
        paint(painter);
        painter.end();
        return proof.faults();
    }

private slots:
    void initTestCase() { loadFonts(); }

    void whatCanBeReadIsNoFault()
    {
        QVERIFY(faultsOf([](QPainter& painter) {
                    painter.drawText(QPointF(10, 20), QStringLiteral("above"));
                    painter.drawText(QPointF(10, 36), QStringLiteral("below"));
                    painter.setClipRect(QRectF(0, 0, 190, 70));
                    painter.drawText(QPointF(10, 60), QStringLiteral("in the clip"));
                    painter.drawText(QPointF(10, 90), QStringLiteral("scrolled away"));
                }).empty());
    }

    void faultsAreFound_data()
    {
        using Paint = std::function<void(QPainter&)>;
        QTest::addColumn<int>("kind");
        QTest::addColumn<Paint>("paint");
        const auto row = [](const char* name, Kind kind, const Paint& paint) {
            QTest::newRow(name) << static_cast<int>(kind) << paint;
        };
        const QString text = QStringLiteral("a text");
        row("edge of the picture", Kind::Cut, [=](QPainter& p) { p.drawText(QPointF(180, 50), text); });
        row("outside the picture", Kind::Cut, [=](QPainter& p) { p.drawText(QPointF(20, 150), text); });
        row("edge of a clip", Kind::Cut, [=](QPainter& p) {
            p.setClipRect(QRectF(0, 0, 40, 100));
            p.drawText(QPointF(20, 50), text);
        });
        row("clip in a clip", Kind::Cut, [=](QPainter& p) {
            p.setClipRect(QRectF(0, 0, 40, 100));
            p.setClipRect(QRectF(0, 0, 100, 100), Qt::IntersectClip);
            p.drawText(QPointF(20, 50), text);
        });
        row("another text", Kind::Overlaps, [=](QPainter& p) {
            p.drawText(QPointF(20, 50), text);
            p.drawText(QPointF(40, 54), text);
        });
        row("something painted over it", Kind::Covered, [=](QPainter& p) {
            p.drawText(QPointF(20, 50), text);
            p.fillRect(QRectF(30, 30, 100, 40), Qt::red);
        });
        row("too small", Kind::Small, [=](QPainter& p) {
            p.scale(0.5, 0.5);
            p.drawText(QPointF(20, 50), text);
        });
        row("elided", Kind::Elided, [](QPainter& p) { p.drawText(QPointF(20, 50), QStringLiteral("a…")); });
        row("elided number", Kind::Elided,
            [](QPainter& p) { p.drawText(QPointF(20, 50), QStringLiteral("898,105,3…")); });
    }
    void faultsAreFound()
    {
        QFETCH(int, kind);
        QFETCH(std::function<void(QPainter&)>, paint);
        const std::vector<TextFault> faults = faultsOf(paint);
        QCOMPARE(faults.size(), size_t{1});
        QCOMPARE(static_cast<int>(faults.front().kind), kind);
    }

    void everyViewCanBeRead_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("view");
        for (const char* program : {"14_matmul_tiled", "11_conv_1d_block_boundary", "17_transpose_shared",
                                    "as_published/prefix_sum_in_place"})
            for (const ViewDescription& view : viewDescriptions())
                if (view.traces == 1)
                    QTest::addRow("%s, %s", program, view.name.c_str()) << program << QString::fromStdString(view.name);
    }
    void everyViewCanBeRead()
    {
        QFETCH(QString, program);
        QFETCH(QString, view);
        RenderRequest request;
        request.trace = traceOf(program).toStdString();
        request.view = view.toStdString();
        std::string found;
        for (const QSize size : {QSize(1280, 720), QSize(1920, 1080), QSize(3840, 2160)}) {
            for (const char* theme : {"dark", "projector"}) {
                request.theme = theme;
                if (test::sampled())
                    found += faultsOf(request, size);
            }
        }
        QVERIFY2(found.empty(), found.c_str());
    }

    void largeDataCanBeRead_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("view");
        for (const char* view : {"stage", "timeline", "sweep", "blocks", "roofline", "lines"})
            QTest::addRow("product, %s", view) << "14_matmul_tiled_32" << QString(view);
        for (const char* view : {"stage", "blocks"})
            QTest::addRow("volume, %s", view) << "22_stencil_3d" << QString(view);
        for (const char* view : {"stage", "lines"})
            QTest::addRow("shuffles, %s", view) << "21_reduce_shuffle" << QString(view);
    }
    /// Some blocks of 32x32 threads of a product of 256x256 matrices; 16x16x16 cells; 16,384 elements in a row.
    void largeDataCanBeRead()
    {
        QFETCH(QString, program);
        QFETCH(QString, view);
        RenderRequest request;
        const bool isProduct = program == "14_matmul_tiled_32";
        request.trace =
            traceOf(program, isProduct ? QStringList{"--blocks", "2:4,1:3", "--", "256"} : QStringList{}).toStdString();
        request.view = view.toStdString();
        std::string found;
        for (const QSize size : {QSize(1280, 720), QSize(3840, 2160)})
            for (const char* theme : {"dark", "light", "projector"}) {
                request.theme = theme;
                if (test::sampled())
                    found += faultsOf(request, size);
            }
        QVERIFY2(found.empty(), found.c_str());
    }
};

QTEST_MAIN(LegibilityTest)
#include "tst_legibility.moc"
