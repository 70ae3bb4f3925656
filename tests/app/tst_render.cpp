// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

#include <cmath>
#include <set>

#include "app/gui/gui.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/theme/theme.h"
#include "core/analysis/analysis.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

class RenderTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    RenderRequest m_request;

    Result<void> render(const RenderRequest& request)
    {
        int argc = 0;
        char* argv[] = {nullptr};
        return gui::render(argc, argv, request);
    }

    QString path(const char* name) { return m_folder.filePath(name); }

    static QByteArray read(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    static int countOf(const QImage& image, const QColor& colour)
    {
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == colour ? 1 : 0;
        return count;
    }

    /// What the page unpacks: a long text in base64 that zlib packed.
    static QJsonObject dataOf(const QByteArray& html)
    {
        const QByteArray mark("const packed = \"");
        const qsizetype start = html.indexOf(mark) + mark.size();
        const QByteArray packed = QByteArray::fromBase64(html.mid(start, html.indexOf('"', start) - start));
        constexpr quint32 kGuess = 1 << 20;  // Qt grows it where it is too little
        QByteArray length(4, 0);
        qToBigEndian(kGuess, length.data());
        return QJsonDocument::fromJson(qUncompress(length + packed)).object();
    }

private slots:
    void initTestCase()
    {
        m_request.trace = path("t.lanes").toStdString();
        test::writeTrace(m_request.trace, [](auto& writer) { test::writeTiledMatmul(writer, 9, 3); });
        m_request.view = "stage";
        m_request.focus = "block=1,1 step=10 thread=2,1";
        m_request.output = path("p.svg").toStdString();
    }

    void stageShowsTheTilesValues()
    {
        QVERIFY(render(m_request).ok());
        const QByteArray svg = read(path("p.svg"));
        for (const char* text : {">a_shared<", ">b_shared<", ">13.43<", ">13.8<", ">14.17<", ">35.1<", "(2,1)",
                                 "reads a[4][2] = 14.17", "writes a_shared[1][2] = 14.17"})
            QVERIFY2(svg.contains(text), text);
    }

    void divergenceIsToldByLine()
    {
        RenderRequest request = m_request;
        request.trace = path("map.lanes").toStdString();
        test::writeTrace(request.trace, [](auto& writer) { test::writeMap(writer, 15, 8, 2); });
        request.view = "lines";
        request.focus.clear();
        QVERIFY(render(request).ok());
        const QByteArray svg = read(path("p.svg"));
        QVERIFY(svg.contains(">branch<") && svg.contains(">divergent<"));
        auto reader = trace::TraceReader::open(request.trace);
        QVERIFY(reader.ok());
        const auto metrics = analysis::measureLaunch(*reader.value(), LaunchId{0});
        QVERIFY(metrics.ok());
        uint64_t divergent = 0;
        for (const analysis::LineMetrics& branch : metrics.value().branches)
            divergent += branch.divergent;
        QCOMPARE(divergent, uint64_t{1});  // the second block has one thread too many
        QCOMPARE(metrics.value().divergentBranches, divergent);
    }

    /// Three lines fill a picture as well as thirty; nothing is cut for that.
    void typeIsAsLargeAsTheContentAllows()
    {
        const auto sizeOf = [&](const char* view, const char* text) {
            RenderRequest request = m_request;
            request.view = view;
            if (!render(request).ok())
                return 0.0;
            const QString svg = QString::fromUtf8(read(path("p.svg")));
            const qsizetype at = svg.indexOf(QString::fromLatin1(text));
            const qsizetype size = svg.lastIndexOf(QStringLiteral("font-size=\""), at) + 11;
            return at < 0 ? 0.0 : svg.mid(size, svg.indexOf(u'"', size) - size).toDouble();
        };
        const double nothing = sizeOf("findings", ">Findings<");
        const double table = sizeOf("lines", ">Lines<");
        QVERIFY(table > 0);
        QVERIFY2(nothing > 1.2 * table, qPrintable(QStringLiteral("%1, %2").arg(nothing).arg(table)));
    }

    void writtenCellsAreTinted()
    {
        RenderRequest request = m_request;
        request.output = path("p.png").toStdString();
        QVERIFY(render(request).ok());
        const QImage image(path("p.png"));
        QCOMPARE(image.size(), QSize(1600, 1000));
        const Theme& theme = themeNamed("dark");
        QVERIFY(countOf(image, mixed(theme.write, theme.cell, 0.34)) > 9 * 200);
        QVERIFY(countOf(image, theme.strong) > 200);
    }

    void everyViewInEveryThemeAndFormat()
    {
        for (const ViewDescription& view : viewDescriptions()) {
            if (view.traces > 1)
                continue;
            for (const QString& theme : themeNames()) {
                for (const char* file : {"v.png", "v.svg", "v.pdf"}) {
                    RenderRequest request = m_request;
                    request.view = view.name;
                    request.theme = theme.toStdString();
                    request.output = path(file).toStdString();
                    request.width = 1000;
                    request.height = 700;
                    QFile::remove(path(file));
                    const auto done = render(request);
                    QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
                    QVERIFY(read(path(file)).size() > 900);
                }
            }
        }
    }

    void aSequenceIsOnePagePerStep()
    {
        RenderRequest request = m_request;
        request.from = "block=1,1 step=0 thread=0,0";
        request.to = "block=1,1 step=20 thread=0,0";
        request.by = "access";
        request.output = path("s.pdf").toStdString();
        QVERIFY(render(request).ok());
        QVERIFY(read(path("s.pdf")).count("/Type /Page\n") > 3);
    }

    void manyBlocksAreShownByWhatTheyDo()
    {
        RenderRequest request = m_request;
        request.trace = path("many.lanes").toStdString();
        // Of 1000 elements the last of 126 blocks of eight have none, and no block has only some.
        test::writeTrace(request.trace, [](auto& writer) { test::writeMap(writer, 1000, 8, 126); });
        request.view = "blocks";
        request.focus.clear();
        QVERIFY(render(request).ok());
        QByteArray svg = read(path("p.svg"));
        for (const char* text : {"126 recorded, 2 patterns", ">(125)<", ">125 blocks<"})
            QVERIFY2(svg.contains(text), text);
        QVERIFY(svg.indexOf(">(125)<") < svg.indexOf(">125 blocks<"));  // the outlier first
        request.trace = m_request.trace;
        QVERIFY(render(request).ok());
        svg = read(path("p.svg"));
        for (const char* text : {"9 recorded, 1 pattern ", ">(0,0)<", ">(2,2)<"})  // a few: each by itself
            QVERIFY2(svg.contains(text), text);
    }

    void aPageHoldsEveryStepInEveryTheme()
    {
        RenderRequest request = m_request;
        request.output = path("steps.html").toStdString();
        request.from = "block=1,1 step=0 thread=2,1";
        request.to = "step=30";
        request.theme = "light";
        QVERIFY(render(request).ok());
        const QByteArray html = read(path("steps.html"));
        QVERIFY2(html.size() < (qsizetype{2} << 20), qPrintable(QString::number(html.size())));
        for (const char* outside : {"http:", "https:", "src=", "@data@", "@fonts@", "@title@"})
            QVERIFY2(!QByteArray(html).replace("http://www.w3.org/2000/svg", "").contains(outside), outside);
        const QJsonObject page = dataOf(html);
        QCOMPARE(page["theme"].toString(), QString("light"));
        QCOMPARE(page["title"].toString(), QString("matmul_tiled in sample.cu"));
        const QJsonArray steps = page["steps"].toArray();
        QVERIFY(steps.size() > 5);
        QVERIFY(steps[0].toObject()["place"].toString().startsWith("block (1,1), step 0 of "));
        const QString source = page["sources"].toObject()[steps[0].toObject()["source"].toString()].toString();
        QVERIFY(source.contains("__global__"));
        QVERIFY(steps[3].toObject()["line"].toInt() > 0);
        std::set<QString> sets;
        for (const QJsonValue& set : page["sets"].toArray()) {
            sets.insert(set["theme"].toString() + u' ' + QString::number(set["width"].toInt()));
            QCOMPARE(set["steps"].toArray().size(), steps.size());
        }
        QCOMPARE(sets, (std::set<QString>{"dark 480", "dark 1600", "light 480", "light 1600", "projector 480",
                                          "projector 1600"}));
        // Put together again, a step is the picture that `render` draws of it.
        request.output = path("p.svg").toStdString();
        request.focus = request.from;
        request.from.clear();
        request.to.clear();
        QVERIFY(render(request).ok());
        QByteArray first;
        for (const QJsonValue& set : page["sets"].toArray())
            if (set["theme"] == "light" && set["width"] == 1600)
                for (const QJsonValue& part : set["steps"].toArray()[0].toArray())
                    first += page["parts"].toArray()[part.toInt()].toString().toUtf8();
        QVERIFY(!first.isEmpty());
        QVERIFY(read(path("p.svg")).contains(first));
    }

    /// By keys, to and fro, in a browser that gets nothing from anywhere; narrow, too.
    void aPageStepsInABrowser()
    {
        const QString browser = QStandardPaths::findExecutable(QStringLiteral("chromium"));
        if (browser.isEmpty())
            QSKIP("no Chromium here");
        RenderRequest request = m_request;
        request.output = path("steps.html").toStdString();
        request.from = "block=1,1 step=0 thread=2,1";
        request.to = "step=30";
        QVERIFY(render(request).ok());
        // Pressed as somebody would; what there was to see becomes the page's text.
        const QByteArray audience = R"(<script>
const errors = [];
addEventListener("error", (event) => errors.push(event.message));
const seen = [];
const look = () => { seen.push([get("where").textContent, get("caption").textContent, get("picture").innerHTML].join()); };
const press = (key) => { dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true})); look(); };
const watch = setInterval(() => {
  if (!get("where").textContent) return;
  clearInterval(watch);
  look();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "End", "Home"]) press(key);
  const style = () => getComputedStyle(document.body).backgroundColor;
  const before = style();
  press("t");
  document.body.textContent = JSON.stringify({errors, steps: new Set(seen.slice(0, 3)).size,
    back: seen[3] === seen[1] && seen[4] === seen[0], end: seen[5] !== seen[4], home: seen[6] === seen[0],
    theme: style() !== before, svg: seen.every((one) => one.includes("<svg")),
    wide: document.documentElement.scrollWidth > innerWidth});
}, 20);
</script></body>)";
        QByteArray page = read(path("steps.html"));
        QCOMPARE(page.count("</body>"), 1);
        page.replace("</body>", audience);
        QFile file(path("tried.html"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(page) == page.size());
        file.close();
        for (const char* size : {"1600,1000", "390,840"}) {
            QProcess process;
            process.start(browser,
                          {"--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND",
                           "--user-data-dir=" + path("profile"), QString("--window-size=") + size,
                           "--virtual-time-budget=30000", "--dump-dom", "file://" + path("tried.html")});
            QVERIFY(process.waitForFinished(300'000));
            const QByteArray text = process.readAllStandardOutput();
            const qsizetype start = text.indexOf("{\"errors\"");
            QVERIFY2(start > 0, text.right(400).constData());
            QCOMPARE(text.mid(start, text.indexOf('}', start) + 1 - start),
                     QByteArray(R"({"errors":[],"steps":3,"back":true,"end":true,"home":true,"theme":true,"svg":true,)"
                                R"("wide":false})"));
        }
    }

    void analysesShowTheRun()
    {
        const auto svgOf = [&](const char* view) {
            RenderRequest request = m_request;
            request.view = view;
            request.output = path("a.svg").toStdString();
            return render(request).ok() ? read(path("a.svg")) : QByteArray();
        };
        const QByteArray sweep = svgOf("sweep");
        QVERIFY(sweep.contains(">epoch 0<") && sweep.contains(">a_shared<"));
        const QByteArray banks = svgOf("banks");
        QVERIFY(banks.contains("No conflict") && banks.contains(">column XOR row<"));
        QVERIFY(svgOf("lines").contains(">shared store<"));
        QVERIFY(svgOf("coalescing").contains("sectors for 9 lanes, ideal 2"));
        QVERIFY(svgOf("roofline").contains("Roofline"));
        QVERIFY(svgOf("why").contains("written by thread (2,1) at step"));
    }

    /// 132 multiprocessors × 128 multiply-adds × 1.98 GHz; 6,144 bits twice a clock of 3.2 GHz.
    void theRooflineIsThatOfTheDeviceThatRecorded()
    {
        RenderRequest request = m_request;
        request.view = "roofline";
        QVERIFY(render(request).ok());
        QVERIFY(read(path("p.svg")).contains("modelled device: 66.9 Tflop/s, 4.8 TB/s"));
        request.trace = path("gpu.lanes").toStdString();
        trace::SessionInfo session = test::sampleSession("sample.cu");
        session.device = "NVIDIA H200";
        session.properties = {90, 132, 1'980'000, 3'201'000, 6144};
        {
            auto writer = trace::TraceWriter::create(request.trace, session, {});
            QVERIFY(writer.ok());
            test::writeTiledMatmul(*writer.value(), 9, 3);
            QVERIFY(writer.value()->finish(trace::ProgramEnd::exited(0), {}).ok());
        }
        QVERIFY(render(request).ok());
        QVERIFY(read(path("p.svg")).contains("NVIDIA H200: 66.9 Tflop/s, 4.92 TB/s"));
    }

    void overlaysColourTheirCells_data()
    {
        QTest::addColumn<QString>("overlay");
        QTest::addColumn<QColor>("colour");
        const Theme& theme = themeNamed("dark");
        QTest::newRow("mapping") << "mapping" << numberedColour(theme, 4);
        QTest::newRow("halo") << "halo" << mixed(theme.accent, theme.stage, 0.4);
        // Epoch 1 of the sample: the tiles were written in epoch 0.
        QTest::newRow("age") << "age" << mixed(theme.good, theme.stage, 0.12 + 0.5 / 2);
    }
    void overlaysColourTheirCells()
    {
        QFETCH(QString, overlay);
        QFETCH(QColor, colour);
        RenderRequest request = m_request;
        request.output = path("o.png").toStdString();
        request.focus = "block=1,1 epoch=1";
        QVERIFY(render(request).ok());
        const int before = countOf(QImage(path("o.png")), colour);
        request.overlays = {overlay.toStdString()};
        QVERIFY(render(request).ok());
        QVERIFY(countOf(QImage(path("o.png")), colour) > before + 500);
    }

    void moviesGoThroughFfmpeg()
    {
        if (QStandardPaths::findExecutable("ffmpeg").isEmpty())
            QSKIP("no ffmpeg here");
        for (const char* file : {"m.gif", "m.mp4"}) {
            RenderRequest request = m_request;
            request.from = "block=1,1 step=0 thread=0,0";
            request.to = "block=1,1 step=10 thread=0,0";
            request.width = 401;
            request.height = 301;
            request.output = path(file).toStdString();
            const auto done = render(request);
            QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
            QVERIFY(read(path(file)).size() > 2000);
        }
    }

    void badRequestsNameWhatIsKnown_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("known");
        QTest::newRow("view") << "view" << "stagee" << "timeline";
        QTest::newRow("theme") << "theme" << "blue" << "projector";
        QTest::newRow("overlay") << "overlay" << "haloo" << "tiles";
        QTest::newRow("ending") << "output" << "x.bmp" << ".svg";
        QTest::newRow("trace") << "trace" << "/nowhere.lanes" << "/nowhere.lanes";
        QTest::newRow("focus") << "focus" << "spam=1" << "spam";
    }
    void badRequestsNameWhatIsKnown()
    {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QString, known);
        RenderRequest request = m_request;
        const std::string text = value.toStdString();
        (field == "view"     ? request.view
         : field == "theme"  ? request.theme
         : field == "output" ? request.output
         : field == "trace"  ? request.trace
                             : request.focus) = field == "overlay" ? request.focus : text;
        if (field == "overlay")
            request.overlays = {text};
        const auto done = render(request);
        QVERIFY(!done.ok());
        QVERIFY2(QString::fromStdString(done.error().text()).contains(known), done.error().text().c_str());
    }
};

QTEST_MAIN(RenderTest)
#include "tst_render.moc"
