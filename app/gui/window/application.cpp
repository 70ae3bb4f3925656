// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/application.h"

#include <QPalette>
#include <QStyleFactory>

#include <cstdio>

#include "app/gui/theme/theme.h"

namespace lanescope::gui {

namespace {

/// Qt's remarks about a machine without a desktop are of no use to the user of a command.
void showMessage(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    const bool noise =
        text.contains(QLatin1String("propagateSizeHints")) || text.contains(QLatin1String("XDG_RUNTIME_DIR"));
    if (type != QtDebugMsg && type != QtInfoMsg && !noise)
        std::fprintf(stderr, "lanescope: qt: %s\n", qPrintable(text));
}

}  // namespace

ApplicationGuard::ApplicationGuard(int& argc, char** argv)
{
    if (QCoreApplication::instance() == nullptr) {
        const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
        if (!display && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(showMessage);
        m_application = std::make_unique<QApplication>(argc, argv);
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        QCoreApplication::setOrganizationName(QStringLiteral("lanescope"));
        QCoreApplication::setApplicationName(QStringLiteral("lanescope"));
        QApplication::setApplicationDisplayName(QStringLiteral("Lanescope"));
        QApplication::setDesktopFileName(QStringLiteral("lanescope"));
    }
    loadFonts();
}

void applyTheme(const Theme& theme)
{
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::Base, theme.window);
    palette.setColor(QPalette::AlternateBase, theme.window);
    palette.setColor(QPalette::Button, theme.raised);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
        palette.setColor(role, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.faint);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.stage);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    QApplication::setPalette(palette);
    QApplication::setFont(theme.sans(13));
    qApp->setStyleSheet(theme.styleSheet());
}

}  // namespace lanescope::gui
