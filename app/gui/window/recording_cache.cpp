// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/recording_cache.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace lanescope::gui {

namespace {

constexpr qint64 kLargest = qint64{32} << 20;  // bytes; an example's recording takes far less
constexpr int kMost = 64;

QDir cacheFolder()
{
    return {QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + QStringLiteral("/recordings")};
}

}  // namespace

RecordingCache::RecordingCache(QString gallery, QString executable)
    : m_gallery(gallery.isEmpty() ? gallery : QFileInfo(gallery).canonicalFilePath()),
      m_executable(std::move(executable))
{
}

QString RecordingCache::placeFor(const QString& program) const
{
    const QString path = QFileInfo(program).canonicalFilePath();
    if (m_gallery.isEmpty() || !path.startsWith(m_gallery + u'/'))
        return {};
    QCryptographicHash hash(QCryptographicHash::Sha1);
    const QFileInfo recorder(m_executable);
    hash.addData(QStringLiteral("%1 %2 %3")
                     .arg(path)
                     .arg(recorder.lastModified().toMSecsSinceEpoch())
                     .arg(recorder.size())
                     .toUtf8());
    QStringList parts{path};
    const QDir folder(m_gallery);
    for (const QString& header : folder.entryList({QStringLiteral("*.h"), QStringLiteral("*.cuh")}, QDir::Files))
        parts << folder.filePath(header);
    for (const QString& part : parts)
        if (QFile file(part); file.open(QIODevice::ReadOnly))
            hash.addData(file.readAll());
    return cacheFolder().filePath(QFileInfo(path).completeBaseName() + u'-' +
                                  QString::fromLatin1(hash.result().toHex()) + QStringLiteral(".lanes"));
}

QString RecordingCache::find(const QString& program) const
{
    const QString place = placeFor(program);
    return !place.isEmpty() && QFileInfo::exists(place) ? place : QString();
}

void RecordingCache::keep(const QString& program, const QString& trace) const
{
    const QString place = placeFor(program);
    if (place.isEmpty() || QFileInfo(trace).size() > kLargest || !QDir().mkpath(cacheFolder().path()))
        return;
    QStringList old = cacheFolder().entryList({QStringLiteral("*.lanes")}, QDir::Files, QDir::Time | QDir::Reversed);
    while (old.size() >= kMost)
        cacheFolder().remove(old.takeFirst());
    const QString partial = place + QStringLiteral(".partial");
    QFile::remove(partial);
    QFile::remove(place);
    if (!QFile::copy(trace, partial) || !QFile::rename(partial, place))
        QFile::remove(partial);  // no room: the next start records again
}

void RecordingCache::drop(const QString& trace)
{
    if (QFileInfo(trace).absolutePath() == QFileInfo(cacheFolder().path()).absoluteFilePath())
        QFile::remove(trace);
}

}  // namespace lanescope::gui
