// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/device_choice.h"

#include <QAction>
#include <QActionGroup>
#include <QLibrary>
#include <QMenu>

#include "app/gui/window/record_settings.h"

namespace lanescope::gui {

namespace {

/// Whether the library that the recorder would use can be loaded; nothing is started.
bool isDriverThere()
{
    const QString chosen = qEnvironmentVariable("LANESCOPE_CUDA_DRIVER");
    QLibrary driver(chosen.isEmpty() ? QStringLiteral("libcuda.so.1") : chosen);
    const bool found = driver.load();
    driver.unload();
    return found;
}

QAction* addDevice(QMenu& menu, QActionGroup& group, const QString& text)
{
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    group.addAction(action);
    return action;
}

}  // namespace

DeviceChoice::DeviceChoice(QMenu& menu, QObject* parent) : QObject(parent)
{
    auto* group = new QActionGroup(this);
    m_simulator = addDevice(menu, *group, tr("Simulator"));
    m_simulator->setStatusTip(tr("Everything is recorded: accesses, values, variables"));
    m_simulator->setChecked(true);
    m_gpu = addDevice(menu, *group, tr("NVIDIA GPU"));
    m_gpu->setStatusTip(tr("What the GPU itself does, without variables and with fewer checks"));
    menu.setToolTipsVisible(true);
    connect(&menu, &QMenu::aboutToShow, this, &DeviceChoice::lookForDriver);
}

QString DeviceChoice::device() const
{
    return m_gpu->isChecked() ? QStringLiteral("cuda") : QStringLiteral("simulator");
}

/// When somebody is about to choose: a driver costs milliseconds to load, and may come or go.
void DeviceChoice::lookForDriver()
{
    const bool found = isDriverThere();
    const bool elsewhere = !found && !knownHosts().isEmpty();
    m_gpu->setEnabled(found || elsewhere);
    m_gpu->setText(found       ? tr("NVIDIA GPU")
                   : elsewhere ? tr("NVIDIA GPU (of another machine)")
                               : tr("NVIDIA GPU (no driver on this machine)"));
    if (!found && !elsewhere)
        m_simulator->setChecked(true);
}

}  // namespace lanescope::gui
