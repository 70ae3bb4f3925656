// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/architecture.md says which room may include which; this holds it against the include lines of the tree.
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

const QString kRoot = SOURCE_DIR "/";

QString textOf(const QString& path)
{
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The lines "name: word word" of the fenced block \p kind of a document.
QMap<QString, QStringList> tableOf(const QString& document, const QString& kind)
{
    QMap<QString, QStringList> table;
    const QString text = textOf(document);
    const qsizetype begin = text.indexOf("```" + kind + "\n");
    const qsizetype first = text.indexOf('\n', begin) + 1;
    if (begin < 0)
        return table;
    for (const QString& line : text.mid(first, text.indexOf("```", first) - first).split('\n', Qt::SkipEmptyParts)) {
        const qsizetype colon = line.indexOf(": ") < 0 ? line.lastIndexOf(':') : line.indexOf(": ");
        table[line.left(colon)] = line.mid(colon + 1).split(' ', Qt::SkipEmptyParts);
    }
    return table;
}

/// The longest room that a path lies in; empty: none.
QString roomOf(const QString& path, const QStringList& rooms)
{
    QString found;
    for (const QString& room : rooms)
        if (path.startsWith(room + '/') && room.size() > found.size())
            found = room;
    return found;
}

struct Include {
    QString from;  ///< path of the file, from the root
    QString to;    ///< as it is written
    bool isOurs = false;
};

QList<Include> includesOf(const QString& path)
{
    static const QRegularExpression line(R"(^\s*#\s*include\s*(["<])([^">]+)[">])",
                                         QRegularExpression::MultilineOption);
    QList<Include> found;
    QRegularExpressionMatchIterator matches = line.globalMatch(textOf(path));
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        found.push_back({path, match.captured(2), match.captured(1) == "\""});
    }
    return found;
}

QList<Include> allIncludes()
{
    QList<Include> found;
    for (const char* top : {"app", "core", "instrumented"}) {
        QDirIterator files(kRoot + top, {"*.h", "*.cpp", "*.inl", "*.c"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            found += includesOf(files.next().mid(kRoot.size()));
    }
    return found;
}

}  // namespace

class TstRooms : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_rooms = tableOf("docs/architecture.md", "rooms");
        m_includes = allIncludes();
        QVERIFY(m_rooms.size() > 10);
        QVERIFY(m_includes.size() > 1000);
    }

    void everyFileLiesInARoom()
    {
        for (const Include& include : m_includes)
            QVERIFY2(!roomOf(include.from, m_rooms.keys()).isEmpty(), qPrintable(include.from));
    }

    void everyIncludeIsAnArrowOfTheMap()
    {
        QStringList wrong;
        for (const Include& include : m_includes) {
            const QString from = roomOf(include.from, m_rooms.keys());
            const QString to = roomOf(include.to, m_rooms.keys());
            if (include.isOurs && !to.isEmpty() && to != from && !m_rooms[from].contains(to))
                wrong << include.from + " includes " + include.to;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable("not in docs/architecture.md:\n" + wrong.join('\n')));
    }

    void everyArrowOfTheMapIsUsed()
    {
        QSet<QString> used;
        for (const Include& include : m_includes)
            used << roomOf(include.from, m_rooms.keys()) + " -> " + roomOf(include.to, m_rooms.keys());
        QStringList idle;
        for (auto room = m_rooms.cbegin(); room != m_rooms.cend(); ++room)
            for (const QString& to : room.value())
                if (!used.contains(room.key() + " -> " + to))
                    idle << room.key() + " -> " + to;
        QVERIFY2(idle.isEmpty(), qPrintable("nobody uses " + idle.join(", ")));
    }

    void arrowsGoOneWay()
    {
        QSet<QString> done;
        QStringList left = m_rooms.keys();
        while (!left.isEmpty()) {
            const qsizetype before = left.size();
            for (const QString& room : QStringList(left)) {
                const QStringList& sees = m_rooms[room];
                if (!std::all_of(sees.begin(), sees.end(), [&](const QString& to) { return done.contains(to); }))
                    continue;
                done << room;
                left.removeOne(room);
            }
            QVERIFY2(left.size() < before, qPrintable("a cycle among " + left.join(", ")));
        }
    }

    void librariesAreLetIntoTheirRoomsOnly()
    {
        const QMap<QString, QStringList> libraries = tableOf("docs/architecture.md", "libraries");
        QVERIFY(!libraries.isEmpty());
        QStringList wrong;
        for (const Include& include : m_includes)
            for (auto library = libraries.cbegin(); library != libraries.cend(); ++library)
                if (!include.isOurs && include.to.startsWith(library.key()) &&
                    !library.value().contains(roomOf(include.from, m_rooms.keys())))
                    wrong << include.from + " includes " + include.to;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void noProductFileIncludesTestsOrTheGallery()
    {
        for (const Include& include : m_includes)
            QVERIFY2(!include.to.startsWith("tests/") && !include.to.startsWith("kernels/"),
                     qPrintable(include.from + " includes " + include.to));
    }

private:
    QMap<QString, QStringList> m_rooms;
    QList<Include> m_includes;
};

QTEST_GUILESS_MAIN(TstRooms)
#include "tst_rooms.moc"
