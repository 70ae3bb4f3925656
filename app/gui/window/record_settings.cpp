// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/record_settings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QUrl>

namespace lanescope::gui {

namespace {

/// Of the settings; a slash would make groups of a path.
QString groupOf(const QString& program)
{
    const QString path = QFileInfo(program).absoluteFilePath();
    return QStringLiteral("record/") + QString::fromLatin1(QUrl::toPercentEncoding(path));
}

/// Each text with the key that it is kept under.
std::vector<std::pair<QString, QString RecordSettings::*>> texts()
{
    return {{QStringLiteral("arguments"), &RecordSettings::arguments},
            {QStringLiteral("definitions"), &RecordSettings::definitions},
            {QStringLiteral("includes"), &RecordSettings::includes},
            {QStringLiteral("stepInto"), &RecordSettings::stepInto},
            {QStringLiteral("blocks"), &RecordSettings::blocks},
            {QStringLiteral("launch"), &RecordSettings::launch},
            {QStringLiteral("maxSteps"), &RecordSettings::maxSteps},
            {QStringLiteral("maxBytes"), &RecordSettings::maxBytes},
            {QStringLiteral("host"), &RecordSettings::host},
            {QStringLiteral("hostCommand"), &RecordSettings::hostCommand}};
}

constexpr QLatin1String kHosts("hosts/names");

QString commandKey(const QString& host)
{
    return QStringLiteral("hosts/command/") + QString::fromLatin1(QUrl::toPercentEncoding(host));
}

/// How its lanescope is called, as it was said the last time.
QString commandOn(const QString& host)
{
    return QSettings().value(commandKey(host)).toString();
}

void rememberHost(const RecordSettings& settings)
{
    constexpr qsizetype kMostHosts = 10;
    QStringList hosts = knownHosts();
    hosts.removeAll(settings.host);
    hosts.prepend(settings.host);
    QSettings store;
    store.setValue(kHosts, QStringList(hosts.mid(0, kMostHosts)));
    store.setValue(commandKey(settings.host), settings.hostCommand);
}

}  // namespace

QStringList knownHosts()
{
    return QSettings().value(kHosts).toStringList();
}

QStringList RecordSettings::commandLine() const
{
    QStringList line;
    for (const QString& definition : QProcess::splitCommand(definitions))
        line << QStringLiteral("-D") << definition;
    for (const QString& folder : QProcess::splitCommand(includes))
        line << QStringLiteral("-I") << folder;
    for (const QString& path : QProcess::splitCommand(stepInto))
        line << QStringLiteral("--step-into") << path;
    for (const auto& [flag, value] :
         std::initializer_list<std::pair<QString, QString>>{{QStringLiteral("--blocks"), blocks},
                                                            {QStringLiteral("--launch"), launch},
                                                            {QStringLiteral("--max-steps"), maxSteps},
                                                            {QStringLiteral("--max-bytes"), maxBytes},
                                                            {QStringLiteral("--host"), host},
                                                            {QStringLiteral("--host-command"), hostCommand}})
        if (!value.isEmpty())
            line << flag << value;
    if (asCompiled)
        line << QStringLiteral("--as-compiled");
    const QStringList given = QProcess::splitCommand(arguments);
    return given.isEmpty() ? line : line << QStringLiteral("--") << given;
}

RecordSettings RecordSettings::of(const QString& program)
{
    QSettings store;
    store.beginGroup(groupOf(program));
    RecordSettings settings;
    for (const auto& [key, text] : texts())
        settings.*text = store.value(key).toString();
    settings.asCompiled = store.value(QStringLiteral("asCompiled"), false).toBool();
    return settings;
}

void RecordSettings::keepFor(const QString& program) const
{
    QSettings store;
    store.beginGroup(groupOf(program));
    store.remove(QString());
    for (const auto& [key, text] : texts())
        if (!(this->*text).isEmpty())
            store.setValue(key, this->*text);
    if (asCompiled)
        store.setValue(QStringLiteral("asCompiled"), true);
    if (!host.isEmpty())
        rememberHost(*this);
}

RecordDialog::RecordDialog(const QString& program, const RecordSettings& settings, QWidget* parent)
    : QDialog(parent), m_form(new QFormLayout(this))
{
    setWindowTitle(tr("Record %1").arg(QFileInfo(program).fileName()));
    m_arguments = addField(tr("Arguments of the program"), settings.arguments, tr("none; for example: 64 \"a b\""));
    m_definitions = addField(tr("Definitions (-D)"), settings.definitions, tr("none; for example: N=64 FAST"));
    m_includes = addField(tr("Include folders (-I)"), settings.includes, tr("none; for example: ../include"));
    m_stepInto = addField(tr("Step into (--step-into)"), settings.stepInto,
                          tr("own headers; for example a library's folder: ../include"));
    m_blocks = addField(tr("Blocks"), settings.blocks, tr("all; for example: 0:2,0:2"));
    m_launch = addField(tr("Launch"), settings.launch, tr("all; the first is 0"));
    m_maxSteps = addField(tr("Most warp instructions"), settings.maxSteps, tr("137 billion a launch"));
    m_maxBytes = addField(tr("Largest trace"), settings.maxBytes, tr("no limit; for example: 512M"));
    addHost(settings);
    m_asCompiled = new QCheckBox(tr("As compiled: optimised, the accesses that hardware sees"), this);
    m_asCompiled->setChecked(settings.asCompiled);
    m_form->addRow(QString(), m_asCompiled);
    auto* buttons =
        new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::Reset, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Record"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::Reset), &QPushButton::clicked, this, [this] {
        for (QLineEdit* field : findChildren<QLineEdit*>())
            field->clear();
        m_host->setEditText({});
        m_asCompiled->setChecked(false);
    });
    m_form->addRow(buttons);
    constexpr int kWidth = 560;
    resize(kWidth, sizeHint().height());
}

/// What was recorded on before is offered, with the command that was given for it.
void RecordDialog::addHost(const RecordSettings& settings)
{
    m_host = new QComboBox(this);
    m_host->setEditable(true);
    m_host->addItems(knownHosts());
    m_host->setEditText(settings.host);
    m_host->setAccessibleName(tr("Machine"));
    m_host->lineEdit()->setPlaceholderText(tr("this one; for example: me@gpu-node, by ssh"));
    m_form->addRow(m_host->accessibleName(), m_host);
    m_hostCommand =
        addField(tr("Lanescope there"), settings.hostCommand, tr("lanescope; for example: /opt/bin/lanescope"));
    connect(m_host, &QComboBox::activated, this, [this] { m_hostCommand->setText(commandOn(m_host->currentText())); });
}

QLineEdit* RecordDialog::addField(const QString& label, const QString& text, const QString& example)
{
    auto* field = new QLineEdit(text, this);
    field->setAccessibleName(label);
    field->setPlaceholderText(example);
    m_form->addRow(label, field);
    return field;
}

RecordSettings RecordDialog::settings() const
{
    return {m_arguments->text().trimmed(),   m_definitions->text().trimmed(), m_includes->text().trimmed(),
            m_stepInto->text().trimmed(),    m_blocks->text().trimmed(),      m_launch->text().trimmed(),
            m_maxSteps->text().trimmed(),    m_maxBytes->text().trimmed(),    m_host->currentText().trimmed(),
            m_hostCommand->text().trimmed(), m_asCompiled->isChecked()};
}

}  // namespace lanescope::gui
