// SPDX-License-Identifier: GPL-3.0-or-later
// What views say of themselves, and what others make of it: settings, options, the command's help.
#include <QTest>

#include <set>

#include "app/gui/views/banks/banks_view.h"
#include "app/gui/views/sweep/sweep_view.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::gui;

class ViewsTest : public QObject {
    Q_OBJECT

private:
    static QString saidBy(const QStringList& arguments)
    {
        const test::ProcessResult command = test::runProcess(QStringLiteral(LANESCOPE_COMMAND), arguments);
        return command.code == 0 ? command.output : QString();
    }

    static ViewSettings settingsOfBanks(const OptionValues& values)
    {
        return settingsOf(viewNamed(QStringLiteral("banks"))->description().options, values);
    }

    static BanksSettings padded(uint32_t elements) { return {{elements, analysis::Swizzle::None}}; }

private slots:
    void ownSettingsAreWhatWasSet()
    {
        OwnSettings own;
        own.set(padded(3));
        QCOMPARE(own.as<BanksSettings>().layout.padElements, 3U);
    }

    void beforeTheFirstChoiceTheyAreTheTypesOwn()
    {
        const OwnSettings nothing;
        QVERIFY(nothing.as<BanksSettings>() == BanksSettings());
        QVERIFY(ViewSettings() == ViewSettings().with(BanksSettings()));
        QVERIFY(ViewSettings().with(BanksSettings()) == ViewSettings());
    }

    void theyAreComparedByValueAndType()
    {
        const ViewSettings settings;
        QVERIFY(settings.with(padded(3)) == settings.with(padded(3)));
        QVERIFY(!(settings.with(padded(3)) == settings.with(padded(4))));
        QVERIFY(!(settings.with(padded(3)) == settings));
        QVERIFY(!(settings == settings.with(padded(3))));
        QVERIFY(!(settings.with(padded(3)) == settings.with(SweepSettings{BufferId{3}})));
    }

    void anotherViewsSettingsAreNone()
    {
        OwnSettings own;
        own.set(SweepSettings{BufferId{3}});
        QVERIFY(own.as<BanksSettings>() == BanksSettings());
    }

    void noTwoViewsAreCalledTheSame()
    {
        std::set<std::string> names;
        std::set<std::string> titles;
        for (const ViewDescription& view : viewDescriptions()) {
            QVERIFY2(names.insert(view.name).second, view.name.c_str());
            QVERIFY2(titles.insert(view.title).second, view.title.c_str());
            QVERIFY2(!view.help.empty(), view.name.c_str());
        }
        QVERIFY(names.contains("stage") && names.contains("banks") && names.contains("compare"));
    }

    void everyTabIsDescribed()
    {
        std::set<std::string> names;
        for (const ViewDescription& view : viewDescriptions())
            names.insert(view.name);
        for (const auto& view : allViews())
            QVERIFY2(names.contains(view->description().name), view->description().name.c_str());
        QCOMPARE(viewNamed(QStringLiteral("stage")), nullptr);
    }

    /// The command has it once, with the help of the first.
    void anOptionOfSeveralViewsIsTheSameInEach()
    {
        std::map<std::string, const ViewOption*> known;
        for (const ViewDescription& view : viewDescriptions())
            for (const ViewOption& option : view.options) {
                const ViewOption& first = *known.try_emplace(option.flag, &option).first->second;
                QCOMPARE(option.help, first.help);
                QCOMPARE(option.takes.index(), first.takes.index());
            }
        QVERIFY(known.contains("--zoom") && known.contains("--pad"));
    }

    void optionsSetWhatTheViewDescribes()
    {
        const auto banks = settingsOfBanks({{"--pad", 3U}, {"--swizzle", "xor"}}).own.as<BanksSettings>();
        QCOMPARE(banks.layout.padElements, 3U);
        QVERIFY(banks.layout.swizzle == analysis::Swizzle::XorRow);
        const auto& sweep = viewNamed(QStringLiteral("sweep"))->description().options;
        const ViewSettings zoomed = settingsOf(sweep, {{"--zoom", 4.0}, {"--pan", 0.5}});
        QCOMPARE(zoomed.zoom, 4.0);
        QCOMPARE(zoomed.pan, 0.5);
    }

    void optionsOfOtherViewsAreLeftAlone()
    {
        QVERIFY(settingsOfBanks({{"--zoom", 4.0}}) == ViewSettings());
        QVERIFY(!(settingsOfBanks({{"--pad", 4U}}) == ViewSettings()));
    }

    void theCommandListsEveryView()
    {
        const QStringList lines = saidBy({"render", "--list-views"}).split(u'\n', Qt::SkipEmptyParts);
        QStringList names;
        for (const QString& line : lines)
            names << line.section(u' ', 0, 0);
        QStringList expected;
        for (const ViewDescription& view : viewDescriptions())
            expected << QString::fromStdString(view.name);
        QCOMPARE(names, expected);
        QVERIFY(lines[names.indexOf("banks")].endsWith("(--pad, --swizzle)"));
        QVERIFY(lines[names.indexOf("compare")].endsWith("(--compare)"));
    }

    void theHelpNamesEveryViewAndOption()
    {
        const QString help = saidBy({"render", "--help"}).simplified();
        QStringList names;
        for (const ViewDescription& view : viewDescriptions()) {
            names << QString::fromStdString(view.name);
            for (const ViewOption& option : view.options)
                QVERIFY2(help.contains(QString::fromStdString(option.flag + " ")), option.flag.c_str());
        }
        const QString last = names.takeLast();
        QVERIFY2(help.contains(names.join(", ") + " or " + last), qPrintable(help));
        QVERIFY2(help.contains("banks: what if rows"), qPrintable(help));
        QVERIFY2(help.contains("blocks, sweep: how many times"), qPrintable(help));
    }
};

QTEST_APPLESS_MAIN(ViewsTest)
#include "tst_views.moc"
