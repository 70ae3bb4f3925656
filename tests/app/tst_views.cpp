// SPDX-License-Identifier: GPL-3.0-or-later
// What a view says of itself: its settings.
#include <QTest>

#include "app/gui/views/banks/banks_view.h"
#include "app/gui/views/sweep/sweep_view.h"

using namespace lanescope;
using namespace lanescope::gui;

class ViewsTest : public QObject {
    Q_OBJECT

private:
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
};

QTEST_APPLESS_MAIN(ViewsTest)
#include "tst_views.moc"
