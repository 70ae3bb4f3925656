// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/exercise_runner.h"

#include <csignal>

#include <sys/prctl.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lanescope::gui {

namespace {

constexpr int kWaitAtEndMs = 1000;
constexpr QLatin1String kProgress("lanescope: ");
constexpr QLatin1String kError("lanescope: error: ");

ExerciseTest testOf(const QJsonObject& json)
{
    ExerciseTest test{json[QStringLiteral("title")].toString(),
                      json[QStringLiteral("ran")].toBool(),
                      json[QStringLiteral("passed")].toBool(),
                      json[QStringLiteral("trace")].toString(),
                      {}};
    for (const QJsonValue each : json[QStringLiteral("checks")].toArray()) {
        const QJsonObject check = each.toObject();
        test.checks.push_back({check[QStringLiteral("passed")].toBool(), check[QStringLiteral("message")].toString(),
                               test.trace, check[QStringLiteral("focus")].toString()});
    }
    return test;
}

}  // namespace

std::optional<ExerciseVerdict> ExerciseVerdict::of(const QByteArray& document)
{
    const QJsonDocument json = QJsonDocument::fromJson(document);
    if (!json.isObject() || !json.object().contains(QStringLiteral("tests")))
        return std::nullopt;
    ExerciseVerdict verdict;
    verdict.solved = json.object()[QStringLiteral("solved")].toBool();
    for (const QJsonValue test : json.object()[QStringLiteral("tests")].toArray())
        verdict.tests.push_back(testOf(test.toObject()));
    return verdict;
}

const ExerciseCheck* ExerciseVerdict::firstFailure() const
{
    const ExerciseCheck* first = nullptr;
    for (const ExerciseTest& test : tests)
        for (const ExerciseCheck& check : test.checks) {
            if (!check.passed && !check.focus.isEmpty())
                return &check;
            if (!check.passed && first == nullptr)
                first = &check;
        }
    return first;
}

ExerciseRunner::ExerciseRunner(QString executable, const QString& folder, QObject* parent)
    : QObject(parent), m_executable(std::move(executable)), m_folder(folder + QStringLiteral("/exercise-XXXXXX"))
{
    m_process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
    connect(&m_process, &QProcess::readyReadStandardError, this, &ExerciseRunner::readProgress);
    connect(&m_process, &QProcess::finished, this, &ExerciseRunner::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            emit failed(tr("'%1' could not be started: %2").arg(m_executable, m_process.errorString()));
    });
}

ExerciseRunner::~ExerciseRunner()
{
    m_process.disconnect(this);
    cancel();
}

void ExerciseRunner::start(const QString& file)
{
    cancel();
    m_cancelled = false;
    m_said.clear();
    // A folder for each check: the recordings of the one before may be on screen.
    const QString traces = m_folder.filePath(QStringLiteral("check%1").arg(++m_count));
    m_process.start(m_executable,
                    {QStringLiteral("exercise"), QStringLiteral("check"), file, QStringLiteral("--traces"), traces,
                     QStringLiteral("--format"), QStringLiteral("json")});
}

void ExerciseRunner::cancel()
{
    if (!isRunning())
        return;
    m_cancelled = true;
    m_process.terminate();
    if (m_process.waitForFinished(kWaitAtEndMs))
        return;
    m_process.kill();
    m_process.waitForFinished(kWaitAtEndMs);
}

void ExerciseRunner::readProgress()
{
    m_said += m_process.readAllStandardError();
    const QString last = QString::fromUtf8(m_said).trimmed().section(u'\n', -1);
    if (last.startsWith(kProgress) && !last.startsWith(kError))
        emit progressed(last.mid(kProgress.size()));
}

void ExerciseRunner::end(int, QProcess::ExitStatus)
{
    m_said += m_process.readAllStandardError();
    if (m_cancelled) {
        emit failed({});
        return;
    }
    if (const auto verdict = ExerciseVerdict::of(m_process.readAllStandardOutput()))
        emit judged(*verdict);
    else
        emit failed(QString::fromUtf8(m_said).trimmed());
}

}  // namespace lanescope::gui
