// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is linked runs; what is damaged is told, and harms nobody.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <QFile>
#include <QTest>

#include "core/simt/native/job_symbols.h"
#include "core/simt/native/object_linker.h"

using namespace lanescope;

class ObjectLinkerTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void whatIsLinkedRuns();
    void whatNobodyKnowsIsNamed();
    void whatIsDamagedHarmsNobody();
    void stretchesHaveNames();

private:
    std::vector<std::byte> m_object;
};

namespace {

int twiceOf(int value)
{
    return 2 * value;
}
constexpr int kNumber = 100;

std::optional<const void*> find(std::string_view name)
{
    if (name == "twice")
        return reinterpret_cast<const void*>(&twiceOf);
    if (name == "lanescope_number")
        return &kNumber;
    return std::nullopt;
}

std::map<std::string, const void*> linked(std::span<const std::byte> object, std::string& trouble)
{
    std::map<std::string, const void*> functions;
    trouble = simt::linkObject(object, find,
                               [&](std::string_view name, const void* at) { functions[std::string(name)] = at; });
    return functions;
}

template <typename Function>
Function* asFunction(const void* at)
{
    return reinterpret_cast<Function*>(reinterpret_cast<uintptr_t>(at));
}

}  // namespace

void ObjectLinkerTest::initTestCase()
{
    QFile file(QStringLiteral(LINKED_OBJECT));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    m_object.resize(static_cast<size_t>(bytes.size()));
    std::memcpy(m_object.data(), bytes.constData(), m_object.size());
}

void ObjectLinkerTest::whatIsLinkedRuns()
{
    std::string trouble;
    const auto functions = linked(m_object, trouble);
    QCOMPARE(trouble, std::string());
    QCOMPARE(functions.size(), size_t{2});
    const auto stretch = asFunction<int(int)>(functions.at("stretch_7"));
    QCOMPARE(stretch(1), 2 + 100 + 1);
    QCOMPARE(stretch(6), 12 + 100 + 4);
    QCOMPARE(asFunction<double(double)>(functions.at("half"))(7.0), 3.5);
}

void ObjectLinkerTest::whatNobodyKnowsIsNamed()
{
    bool isCalled = false;
    const std::string trouble = simt::linkObject(
        m_object, [](std::string_view name) { return name == "twice" ? std::nullopt : find(name); },
        [&](std::string_view, const void*) { isCalled = true; });
    QCOMPARE(trouble, std::string("nobody knows twice"));
    QVERIFY(!isCalled);
}

/// Nothing of it is called. The sanitizers see what is read and written beside it.
void ObjectLinkerTest::whatIsDamagedHarmsNobody()
{
    std::string trouble;
    for (size_t bytes = 0; bytes < m_object.size(); bytes += 1 + bytes / 64) {
        // In memory of its own, so that what is read behind its end is seen.
        const std::vector<std::byte> cut(m_object.begin(), m_object.begin() + static_cast<ptrdiff_t>(bytes));
        linked(cut, trouble);
        QVERIFY2(!trouble.empty(), qPrintable(QString::number(bytes)));
    }
    for (size_t i = 0; i < m_object.size(); ++i)
        for (const int flipped : {0x01, 0x80, 0xff}) {
            std::vector<std::byte> damaged = m_object;
            damaged[i] ^= static_cast<std::byte>(flipped);
            linked(damaged, trouble);
        }
}

void ObjectLinkerTest::stretchesHaveNames()
{
    QCOMPARE(simt::symbolOfStretch(12), std::string("stretch_12"));
    QVERIFY(simt::stretchOf("stretch_12") == std::optional<size_t>(12));
    QVERIFY(!simt::stretchOf("stretch_12_whole"));
    QVERIFY(!simt::stretchOf("stretch_"));
    QVERIFY(!simt::stretchOf("half"));
}

QTEST_GUILESS_MAIN(ObjectLinkerTest)
#include "tst_object_linker.moc"
