// SPDX-License-Identifier: GPL-3.0-or-later
// Folders include each other in one direction only: app/gui/rooms.txt says in which.
#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace {

/// Reads lines "folder: folders that it may include", and what is included.
class Rooms {
public:
    using Arrow = std::pair<QString, QString>;  ///< from a folder to one that it includes

    /// \p root: the folder with rooms.txt. \p prefix: how includes begin that are about it, "app/gui/".
    Rooms(const QString& root, QString prefix) : m_root(root), m_prefix(std::move(prefix))
    {
        QFile file(m_root.filePath(QStringLiteral("rooms.txt")));
        const bool isThere = file.open(QIODevice::ReadOnly);
        if (!isThere)
            m_faults << QStringLiteral("rooms.txt cannot be read");
        for (const QString& line : QString::fromUtf8(isThere ? file.readAll() : QByteArray()).split(u'\n'))
            if (!line.isEmpty() && !line.startsWith(u'#'))
                readLine(line);
        QDirIterator all(m_root.path(), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                         QDirIterator::Subdirectories);
        while (all.hasNext())
            readIncludes(all.next());
        for (const auto& [room, allowed] : m_allowed)
            if (!m_seen.contains(room))
                m_faults << QStringLiteral("%1 has a line, but no files").arg(room);
        for (const auto& [room, allowed] : m_allowed)
            for (const QString& other : allowed)
                if (!m_arrows.contains({room, other}))
                    m_faults << QStringLiteral("%1 may include %2, but does not").arg(room, other);
    }

    /// Sorted sentences.
    [[nodiscard]] QStringList faults() const
    {
        QStringList sorted = m_faults;
        sorted.sort();
        return sorted;
    }
    [[nodiscard]] const std::set<Arrow>& arrows() const { return m_arrows; }

private:
    void readLine(const QString& line)
    {
        const QString room = line.section(u':', 0, 0);
        const QStringList others = line.section(u':', 1).split(u' ', Qt::SkipEmptyParts);
        for (const QString& other : others)
            if (!m_allowed.contains(other))
                m_faults << QStringLiteral("%1 may include %2, which does not stand above it").arg(room, other);
        m_allowed[room] = {others.begin(), others.end()};
    }

    /// \p path: relative to the root. Of a folder in a folder, the outer one.
    static QString roomOf(const QString& path)
    {
        return path.contains(u'/') ? path.section(u'/', 0, 0) : QStringLiteral(".");
    }

    /// Relative to the root; none for what lies elsewhere.
    [[nodiscard]] std::optional<QString> placeOf(const QString& included, const QString& by) const
    {
        if (included.startsWith(m_prefix))
            return included.mid(m_prefix.size());
        const QFileInfo beside(QFileInfo(by).dir(), included);
        return beside.exists() ? std::optional(QDir::cleanPath(m_root.relativeFilePath(beside.filePath())))
                               : std::nullopt;
    }

    void readIncludes(const QString& path)
    {
        static const QRegularExpression kInclude(QStringLiteral("^\\s*#\\s*include\\s*\"([^\"]+)\""),
                                                 QRegularExpression::MultilineOption);
        const QString file = m_root.relativeFilePath(path);
        const QString room = roomOf(file);
        m_seen.insert(room);
        if (!m_allowed.contains(room))
            m_faults << QStringLiteral("%1 lies in a folder without a line").arg(file);
        QFile source(path);
        if (!source.open(QIODevice::ReadOnly))
            m_faults << QStringLiteral("%1 cannot be read").arg(file);
        auto includes = kInclude.globalMatch(QString::fromUtf8(source.readAll()));
        while (includes.hasNext())
            if (const auto included = placeOf(includes.next().captured(1), path))
                noteArrow(file, room, *included);
    }

    void noteArrow(const QString& file, const QString& room, const QString& included)
    {
        const QString other = roomOf(included);
        if (other == room)
            return;
        m_arrows.insert({room, other});
        if (m_allowed.contains(room) && !m_allowed[room].contains(other))
            m_faults << QStringLiteral("%1 includes %2: %3 may not include %4").arg(file, included, room, other);
    }

    QDir m_root;
    QString m_prefix;
    std::map<QString, std::set<QString>> m_allowed;
    std::set<QString> m_seen;
    std::set<Arrow> m_arrows;
    QStringList m_faults;
};

}  // namespace

class GuiRoomsTest : public QObject {
    Q_OBJECT

private:
    /// The faults of a folder with \p files, by their paths.
    static QStringList faultsOf(const std::map<QString, QByteArray>& files)
    {
        const QTemporaryDir folder;
        for (const auto& [path, text] : files) {
            const QString place = folder.filePath(path);
            QDir().mkpath(QFileInfo(place).path());
            QFile file(place);
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
                return {QStringLiteral("cannot write %1").arg(place)};
        }
        return Rooms(folder.path(), QStringLiteral("app/")).faults();
    }

private slots:
    void foldersIncludeOnlyWhatTheyMay()
    {
        const Rooms rooms(QStringLiteral(LANESCOPE_GUI_FOLDER), QStringLiteral("app/gui/"));
        QVERIFY2(rooms.faults().isEmpty(), qPrintable(rooms.faults().join(u'\n')));
        QVERIFY(rooms.arrows().contains({QStringLiteral("window"), QStringLiteral("stage")}));
    }

    void whatIsAllowedIsNoFault()
    {
        QCOMPARE(faultsOf({{"rooms.txt", "# a comment\nlow:\nhigh: low\n"},
                           {"low/a.h", "#include <vector>\n#include \"core/base/ids.h\"\n"},
                           {"high/inner/b.cpp", "#include \"app/low/a.h\"\n#include \"app/high/c.h\"\n"}}),
                 QStringList());
    }

    void faultsAreFound_data()
    {
        using Files = std::map<QString, QByteArray>;
        QTest::addColumn<Files>("files");
        QTest::addColumn<QString>("fault");
        const QByteArray rooms = "low:\nhigh: low\n";
        const QByteArray down = "#include \"app/low/a.h\"\n";
        const auto row = [](const char* name, const Files& files, const char* fault) {
            QTest::newRow(name) << files << QString::fromLatin1(fault);
        };
        row("upwards", {{"rooms.txt", rooms}, {"high/b.h", down}, {"low/a.h", "#include \"app/high/b.h\"\n"}},
            "low/a.h includes high/b.h: low may not include high");
        row("upwards, by a relative path",
            {{"rooms.txt", rooms}, {"high/b.h", down}, {"low/a.h", "#  include \"../high/b.h\"\n"}},
            "low/a.h includes high/b.h: low may not include high");
        row("a cycle of permissions",
            {{"rooms.txt", "low: high\nhigh: low\n"}, {"high/b.h", down}, {"low/a.h", "#include \"app/high/b.h\"\n"}},
            "low may include high, which does not stand above it");
        row("a folder without a line", {{"rooms.txt", rooms}, {"high/b.h", down}, {"low/a.h", ""}, {"new/c.h", ""}},
            "new/c.h lies in a folder without a line");
        row("a line without a folder", {{"rooms.txt", "gone:\n" + rooms}, {"high/b.h", down}, {"low/a.h", ""}},
            "gone has a line, but no files");
        row("a permission that nobody uses", {{"rooms.txt", rooms}, {"high/b.h", ""}, {"low/a.h", ""}},
            "high may include low, but does not");
        row("no list", {{"low/a.h", ""}}, "low/a.h lies in a folder without a line\nrooms.txt cannot be read");
    }
    void faultsAreFound()
    {
        using Files = std::map<QString, QByteArray>;
        QFETCH(Files, files);
        QFETCH(QString, fault);
        QCOMPARE(faultsOf(files).join(u'\n'), fault);
    }
};

QTEST_APPLESS_MAIN(GuiRoomsTest)
#include "tst_gui_rooms.moc"
