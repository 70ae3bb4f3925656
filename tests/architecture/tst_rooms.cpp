// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/architecture.md says which room may include which; this holds it against the include lines of the tree.
#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace {

/// The lines "name: word word" of the fenced block \p kind of a document, in their order; none without that block.
QList<std::pair<QString, QStringList>> blockOf(const QString& document, const QString& kind)
{
    QList<std::pair<QString, QStringList>> lines;
    const qsizetype begin = document.indexOf("```" + kind + "\n");
    const qsizetype first = document.indexOf('\n', begin) + 1;
    if (begin < 0)
        return lines;
    for (const QString& line :
         document.mid(first, document.indexOf("```", first) - first).split('\n', Qt::SkipEmptyParts))
        lines.push_back({line.section(':', 0, 0), line.section(':', 1).split(' ', Qt::SkipEmptyParts)});
    return lines;
}

/// What a tree includes, held against its map.
class Rooms {
public:
    using Arrow = std::pair<QString, QString>;  ///< from a room to one that it includes

    explicit Rooms(const QString& root) : m_root(root)
    {
        const QString map = textOf("docs/architecture.md");
        for (const auto& [room, others] : blockOf(map, "rooms"))
            addRoom(room, others);
        for (const auto& [library, rooms] : blockOf(map, "libraries"))
            m_libraries[library] = {rooms.begin(), rooms.end()};
        for (const char* top : {"app", "core", "instrumented"}) {
            QDirIterator files(m_root.filePath(top), {"*.h", "*.cpp", "*.inl", "*.c"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext())
                readFile(m_root.relativeFilePath(files.next()));
        }
        for (const auto& [room, allowed] : m_allowed) {
            if (!m_seen.contains(room))
                m_faults << room + " has a line, but no files";
            for (const QString& other : allowed)
                if (!m_arrows.contains({room, other}))
                    m_faults << room + " may include " + other + ", but does not";
        }
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
    [[nodiscard]] QString textOf(const QString& path) const
    {
        QFile file(m_root.filePath(path));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    /// Rooms stand below all that they may include, so that there are no cycles.
    void addRoom(const QString& room, const QStringList& others)
    {
        for (const QString& other : others)
            if (!m_allowed.contains(other))
                m_faults << room + " may include " + other + ", which does not stand above it";
        m_allowed[room] = {others.begin(), others.end()};
    }

    /// The innermost room that a path lies in; empty: none.
    [[nodiscard]] QString roomOf(const QString& path) const
    {
        QString found;
        for (const auto& [room, allowed] : m_allowed)
            if (path.startsWith(room + '/') && room.size() > found.size())
                found = room;
        return found;
    }

    /// From the root, of what is written between quotes.
    [[nodiscard]] QString pathOf(const QString& included, const QString& by) const
    {
        const QString beside = QDir::cleanPath(QFileInfo(by).path() + '/' + included);
        return m_root.exists(beside) ? beside : included;
    }

    void readFile(const QString& file)
    {
        static const QRegularExpression kInclude("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]",
                                                 QRegularExpression::MultilineOption);
        const QString room = roomOf(file);
        m_seen.insert(room);
        if (room.isEmpty())
            m_faults << file + " lies in no room";
        auto includes = kInclude.globalMatch(textOf(file));
        while (includes.hasNext()) {
            const QRegularExpressionMatch include = includes.next();
            if (include.captured(1) == "<")
                noteLibrary(file, room, include.captured(2));
            else
                noteArrow(file, room, pathOf(include.captured(2), file));
        }
    }

    void noteLibrary(const QString& file, const QString& room, const QString& header)
    {
        for (const auto& [library, rooms] : m_libraries)
            if (header.startsWith(library) &&
                std::none_of(rooms.begin(), rooms.end(), [&](const QString& in) { return isWithin(room, in); }))
                m_faults << file + " includes <" + header + ">, which " + room + " may not";
    }
    static bool isWithin(const QString& room, const QString& outer)
    {
        return room == outer || room.startsWith(outer + '/');
    }

    void noteArrow(const QString& file, const QString& room, const QString& included)
    {
        if (included.startsWith("tests/") || included.startsWith("kernels/"))
            m_faults << file + " includes " + included + ", which is no part of the product";
        const QString other = roomOf(included);
        if (other.isEmpty() || other == room)
            return;
        m_arrows.insert({room, other});
        if (m_allowed.contains(room) && !m_allowed[room].contains(other))
            m_faults << file + " includes " + included + ": " + room + " may not include " + other;
    }

    QDir m_root;
    std::map<QString, std::set<QString>> m_allowed;
    std::map<QString, std::set<QString>> m_libraries;  ///< by how their headers begin: the rooms that they are let into
    std::set<QString> m_seen;
    std::set<Arrow> m_arrows;
    QStringList m_faults;
};

using Files = std::map<QString, QByteArray>;  ///< by path

}  // namespace

class TstRooms : public QObject {
    Q_OBJECT

private:
    static QStringList faultsOf(const Files& files)
    {
        const QTemporaryDir folder;
        for (const auto& [path, text] : files) {
            const QString place = folder.filePath(path);
            QDir().mkpath(QFileInfo(place).path());
            QFile file(place);
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
                return {"cannot write " + place};
        }
        return Rooms(folder.path()).faults();
    }
    static QByteArray mapOf(const QByteArray& rooms)
    {
        return "# A map\n```rooms\n" + rooms + "```\n```libraries\nllvm/: core/low\n```\n";
    }

private slots:
    void roomsIncludeOnlyWhatTheyMay()
    {
        const Rooms rooms(SOURCE_DIR);
        QVERIFY2(rooms.faults().isEmpty(), qPrintable("docs/architecture.md:\n" + rooms.faults().join('\n')));
        QVERIFY(rooms.arrows().contains({"core/simt/machine", "core/simt/state"}));
        QVERIFY(rooms.arrows().contains({"app/gui/window", "app/gui/stage"}));
    }

    void whatIsAllowedIsNoFault()
    {
        QCOMPARE(faultsOf({{"docs/architecture.md", mapOf("core/low:\ncore/low/inner: core/low\n")},
                           {"core/low/a.h", "#include <vector>\n#include <llvm/IR/Module.h>\n"},
                           {"core/low/inner/b.cpp", "#include \"core/low/a.h\"\n#include \"core/low/inner/c.h\"\n"}}),
                 QStringList());
    }

    void faultsAreFound_data()
    {
        QTest::addColumn<Files>("files");
        QTest::addColumn<QString>("fault");
        const QByteArray map = mapOf("core/low:\ncore/high: core/low\n");
        const QByteArray down = "#include \"core/low/a.h\"\n";
        const auto row = [](const char* name, const Files& files, const char* fault) {
            QTest::newRow(name) << files << QString::fromLatin1(fault);
        };
        row("upwards",
            {{"docs/architecture.md", map}, {"core/high/b.h", down}, {"core/low/a.h", "#include \"core/high/b.h\"\n"}},
            "core/low/a.h includes core/high/b.h: core/low may not include core/high");
        row("upwards, by a relative path",
            {{"docs/architecture.md", map}, {"core/high/b.h", down}, {"core/low/a.h", "#  include \"../high/b.h\"\n"}},
            "core/low/a.h includes core/high/b.h: core/low may not include core/high");
        row("a cycle of permissions",
            {{"docs/architecture.md", mapOf("core/low: core/high\ncore/high: core/low\n")},
             {"core/high/b.h", down},
             {"core/low/a.h", "#include \"core/high/b.h\"\n"}},
            "core/low may include core/high, which does not stand above it");
        row("a file in no room",
            {{"docs/architecture.md", map}, {"core/high/b.h", down}, {"core/low/a.h", ""}, {"app/new/c.h", ""}},
            "app/new/c.h lies in no room");
        row("a line without a folder",
            {{"docs/architecture.md", mapOf("core/gone:\ncore/low:\ncore/high: core/low\n")},
             {"core/high/b.h", down},
             {"core/low/a.h", ""}},
            "core/gone has a line, but no files");
        row("a permission that nobody uses",
            {{"docs/architecture.md", map}, {"core/high/b.h", ""}, {"core/low/a.h", ""}},
            "core/high may include core/low, but does not");
        row("a library in a wrong room",
            {{"docs/architecture.md", map},
             {"core/high/b.h", down + "#include <llvm/IR/Module.h>\n"},
             {"core/low/a.h", ""}},
            "core/high/b.h includes <llvm/IR/Module.h>, which core/high may not");
        row("tests in the product",
            {{"docs/architecture.md", map}, {"core/high/b.h", down}, {"core/low/a.h", "#include \"tests/x.h\"\n"}},
            "core/low/a.h includes tests/x.h, which is no part of the product");
        row("no map", {{"core/low/a.h", ""}}, "core/low/a.h lies in no room");
    }
    void faultsAreFound()
    {
        QFETCH(Files, files);
        QFETCH(QString, fault);
        QCOMPARE(faultsOf(files).join('\n'), fault);
    }
};

QTEST_APPLESS_MAIN(TstRooms)
#include "tst_rooms.moc"
