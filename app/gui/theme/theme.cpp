// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/theme/theme.h"

#include <QFile>
#include <QFontDatabase>
#include <QPainter>
#include <QSvgRenderer>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

static void initResources()
{
    Q_INIT_RESOURCE(lanescope);
}

namespace lanescope::gui {

namespace {

Theme darkTheme()
{
    Theme t;
    t.name = QStringLiteral("dark");
    t.window = QColor("#1a1e25");
    t.stage = QColor("#12151a");
    t.raised = QColor("#262c36");
    t.border = QColor("#2f3742");
    t.text = QColor("#e8ebf0");
    t.dim = QColor("#98a2b1");
    t.faint = QColor("#707b8a");
    t.accent = QColor("#56b4e9");
    t.strong = QColor("#ffffff");
    t.cell = QColor("#232932");
    t.cellText = QColor("#b9c1cc");
    t.hatch = QColor("#363f4b");
    t.read = QColor("#56b4e9");
    t.write = QColor("#e69f00");
    t.atomic = QColor("#cc79a7");
    t.branch = QColor("#009e73");
    t.arithmetic = QColor("#6b7686");
    t.barrier = QColor("#c9d1dc");
    t.warning = QColor("#f0b429");
    t.error = QColor("#ff7a3d");
    t.good = QColor("#2fc596");
    t.heatLow = QColor("#20262e");
    t.heatHigh = QColor("#c3ccd8");
    return t;
}

Theme lightTheme()
{
    Theme t;
    t.name = QStringLiteral("light");
    t.dark = false;
    t.window = QColor("#f5f6f8");
    t.stage = QColor("#ffffff");
    t.raised = QColor("#e6eaf0");
    t.border = QColor("#d5dae2");
    t.text = QColor("#171b21");
    t.dim = QColor("#596373");
    t.faint = QColor("#7c8796");
    t.accent = QColor("#0072b2");
    t.strong = QColor("#10141a");
    t.cell = QColor("#eef1f5");
    t.cellText = QColor("#3b4451");
    t.hatch = QColor("#d3d9e2");
    t.read = QColor("#0072b2");
    t.write = QColor("#d98c00");
    t.atomic = QColor("#b3568c");
    t.branch = QColor("#00805d");
    t.arithmetic = QColor("#9aa4b2");
    t.barrier = QColor("#3b4451");
    t.warning = QColor("#8f5b00");
    t.error = QColor("#c24e00");
    t.good = QColor("#00805d");
    t.heatLow = QColor("#eef1f5");
    t.heatHigh = QColor("#55606f");
    return t;
}

Theme projectorTheme()
{
    Theme t = lightTheme();
    t.name = QStringLiteral("projector");
    t.typeScale = 1.2;
    t.window = QColor("#ffffff");
    t.text = QColor("#000000");
    t.dim = QColor("#3a424e");
    t.faint = QColor("#66707e");
    t.cellText = QColor("#10141a");
    t.cell = QColor("#e9edf2");
    t.border = QColor("#b9c1cc");
    t.read = QColor("#005f99");
    t.accent = QColor("#005f99");
    t.write = QColor("#c77700");
    return t;
}

const std::array<Theme, 3>& themes()
{
    static const std::array<Theme, 3> all{darkTheme(), lightTheme(), projectorTheme()};
    return all;
}

QFont fontOf(const QString& family, QFont::StyleHint hint, double pixels, bool bold)
{
    QFont font(family);
    font.setStyleHint(hint);
    font.setPixelSize(std::max(1, qRound(pixels)));
    font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    return font;
}

}  // namespace

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto channel = [share](int x, int y) { return qRound(x * share + y * (1.0 - share)); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

QStringList themeNames()
{
    QStringList names;
    for (const Theme& theme : themes())
        names << theme.name;
    return names;
}

const Theme& themeNamed(const QString& name)
{
    const auto& all = themes();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Theme& t) { return t.name == name; });
    return found == all.end() ? all.front() : *found;
}

const Theme& lectureTheme(int height)
{
    static std::map<int, Theme> made;  // themes are referred to as long as the application runs
    if (const auto known = made.find(height); known != made.end())
        return known->second;
    constexpr double kUsualHeight = 1080, kCodeShare = 0.03, kCaptionShare = 0.032;
    Theme theme = themeNamed(QStringLiteral("projector"));
    theme.typeScale *= std::max(1.0, height / kUsualHeight);
    const auto scaleFor = [&](double share, double pixels) {
        return (std::ceil(share * height)) / (pixels * theme.typeScale);
    };
    theme.wordScale =
        std::max({1.0, scaleFor(kCodeShare, Theme::kCodePixels), scaleFor(kCaptionShare, Theme::kCaptionPixels)});
    return made.emplace(height, theme).first->second;
}

void loadFonts()
{
    static const bool once = [] {
        initResources();
        for (const char* file :
             {"Inter-Regular.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"})
            QFontDatabase::addApplicationFont(QStringLiteral(":/lanescope/fonts/") + QLatin1String(file));
        return true;
    }();
    Q_UNUSED(once);
}

QFont Theme::sans(double pixels, bool bold) const
{
    return fontOf(QStringLiteral("Inter"), QFont::SansSerif, pixels * typeScale, bold);
}

QFont Theme::mono(double pixels, bool bold) const
{
    QFont font = fontOf(QStringLiteral("JetBrains Mono"), QFont::Monospace, pixels * typeScale, false);
    font.setStyleStrategy(QFont::PreferNoShaping);  // no ligatures: "++" and "<<<" as typed
    if (bold)
        font.setBold(true);
    return font;
}

QFont Theme::codeLine() const
{
    return mono(kCodePixels * wordScale);
}

double Theme::captionHeight() const
{
    constexpr double kLine = 1.3, kAround = 10;  // of a line's type; pixels
    if (wordScale <= 1)
        return 0;
    return (kCodePixels + kCaptionPixels * captionLines()) * kLine * wordScale * typeScale + kAround;
}

QColor Theme::ofKind(trace::SiteKind kind) const
{
    switch (kind) {
    case trace::SiteKind::Load:
        return read;
    case trace::SiteKind::Store:
        return write;
    case trace::SiteKind::Atomic:
        return atomic;
    case trace::SiteKind::Branch:
        return branch;
    case trace::SiteKind::Barrier:
        return barrier;
    case trace::SiteKind::VariableWrite:
        return arithmetic;
    case trace::SiteKind::Exit:
    case trace::SiteKind::Call:
    case trace::SiteKind::Return:
        break;
    }
    return faint;
}

double barHeightOf(trace::SiteKind kind)
{
    switch (kind) {
    case trace::SiteKind::Load:
    case trace::SiteKind::Store:
    case trace::SiteKind::Atomic:
        return 0.72;
    case trace::SiteKind::Barrier:
        return 0.9;
    case trace::SiteKind::Branch:
        return 0.46;
    default:
        return 0.28;
    }
}

QIcon Theme::icon(const QString& iconName) const
{
    QFile file(QStringLiteral(":/lanescope/icons/%1.svg").arg(iconName));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray drawing = file.readAll();
    QIcon icon;
    for (const auto& [mode, colour] : {std::pair{QIcon::Normal, text}, std::pair{QIcon::Disabled, faint}}) {
        QSvgRenderer renderer(QByteArray(drawing).replace("currentColor", colour.name().toLatin1()));
        QPixmap pixmap(40, 40);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        painter.end();
        pixmap.setDevicePixelRatio(2);
        icon.addPixmap(pixmap, mode);
    }
    return icon;
}

}  // namespace lanescope::gui
