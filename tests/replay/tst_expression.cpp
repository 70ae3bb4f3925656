// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions over the synthetic tiled matmul: 9 x 9, tiles of 3 x 3, so a block is nine lanes of one warp.
#include <QTemporaryDir>
#include <QTest>

#include "core/replay/expression.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::replay;
using lanescope::test::SyntheticMatmul;

class TestExpression : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<BlockCursor> m_cursor;
    std::vector<trace::Buffer> m_buffers;

    /// Of lane \p lane of block (1,1); errors as "!message".
    QString valueOf(const char* text, uint32_t lane = 4)
    {
        const auto expression = Expression::parse(text);
        if (!expression)
            return '?' + QString::fromStdString(expression.error().text());
        const auto value = expression.value().evaluate({*m_cursor, m_session->catalog(), m_buffers, 0, lane});
        return value ? QString::fromStdString(value.value().text(m_session->catalog()))
                     : '!' + QString::fromStdString(value.error().text());
    }

private slots:
    void initTestCase()
    {
        const std::string path = m_folder.filePath("t.lanes").toStdString();
        QVERIFY(test::writeSyntheticTrace(path).ok());
        auto session = Session::open(path);
        QVERIFY(session.ok());
        m_session = std::move(session).value();
        auto cursor = m_session->cursor(LaunchId{0}, BlockIndex{4});
        QVERIFY(cursor.ok());
        m_cursor = std::move(cursor).value();
        m_buffers = m_session->buffersOf(LaunchId{0}).value();
    }

    /// C's precedence and types, without a program.
    void arithmetic_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        for (const auto& [text, value] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"1 + 2 * 3", "7"},
                 {"(1 + 2) * 3", "9"},
                 {"10 - 4 - 3", "3"},
                 {"7 / 2", "3"},
                 {"-7 / 2", "-3"},
                 {"-7 % 3", "-1"},
                 {"7 / 2.0", "3.5"},
                 {"1.0f / 3", "0.33333334"},
                 {"1.0 / 3", "0.333333333"},
                 {"0x10 << 2 | 3", "67"},
                 {"6 & 3 ^ 1", "3"},
                 {"~0 >> 1", "-1"},
                 {"1 < 2 == 1", "true"},
                 {"1 == 1 && 2 != 2 || !0", "true"},
                 {"0 && 1 / 0", "false"},
                 {"1 ? 2 : 3 ? 4 : 5", "2"},
                 {"- -3", "3"},
                 {"1e3 + .5", "1000.5"},
                 {"4294967296u * 2", "8589934592"},
                 {"9223372036854775807 + 1", "-9223372036854775808"},
                 {"(0 - 9223372036854775807 - 1) / -1", "-9223372036854775808"},
                 {"true + true", "2"},
                 {"(float)7 / 2", "3.5"},
                 {"(int)3.9 + 1", "4"},
                 {"(int)-3.9", "-3"},
                 {"(int)3e9", "2147483647"},
                 {"(unsigned)-1", "4294967295"},
                 {"(unsigned int)-1.5", "0"},
                 {"(unsigned char)300", "44"},
                 {"(signed char)200", "-56"},
                 {"(long long int)1 << 40", "1099511627776"},
                 {"(bool)0.5", "true"},
                 {"-(double)1 / 3", "-0.333333333"},
                 {"float(1) / 3", "0.33333334"},
                 {"(2) + 1", "3"},
                 {"sizeof(int) + sizeof(unsigned long long)", "12"},
                 {"sizeof 1.0f * 2", "8"},
                 {"abs(-3)", "3"},
                 {"abs(-2.5)", "2.5"},
                 {"min(3, 2) + max(1, 4)", "6"},
                 {"min(1, 0.5f)", "0.5"},
                 {"sqrt(16)", "4"},
                 {"sqrtf(2)", "1.4142135"},
                 {"sqrt(2.0)", "1.41421356"},
                 {"floor(-1.5) + ceilf(1.2f)", "0"},
                 {"fmodf(7, 4)", "3"},
                 {"pow(2, 10) == exp2(10)", "true"},
                 {"__popc(255) + __clz(1) + __ffs(8)", "43"},
             })
            QTest::newRow(text) << text << value;
    }
    void arithmetic()
    {
        QFETCH(QString, text);
        QFETCH(QString, value);
        QCOMPARE(valueOf(text.toUtf8().constData()), value);
    }

    /// What pointers in a parameter point to is called by the way to them.
    void buffersOfMembers()
    {
        const std::string name = std::exchange(m_buffers[0].name, "p.in.data");
        QCOMPARE(valueOf("p.in.data[3] + p.in.data[1][1]"), valueOf("p.in.data[3] + p.in.data[10]"));
        QVERIFY(!valueOf("p.in.data[3]").startsWith('!'));
        QCOMPARE(valueOf("p.in.data"), QString("!'p.in.data' is a buffer: give an index, p.in.data[0]"));
        QVERIFY(valueOf("p.out.data[3]").startsWith('!'));
        m_buffers[0].name = name;
    }

    void whatALaneSees()
    {
        QVERIFY(m_cursor->seek(m_cursor->stepCount()).ok());
        QCOMPARE(valueOf("threadIdx.x"), QString("1"));
        QCOMPARE(valueOf("threadIdx.y * blockDim.x + threadIdx.x == lane"), QString("true"));
        QCOMPARE(valueOf("blockIdx.x + gridDim.y", 0), QString("4"));
        QCOMPARE(valueOf("row * size + col"), QString::number(4 * 9 + 4));
        QCOMPARE(valueOf("row", 8), QString("5"));
        QCOMPARE(valueOf("step > 0 && warp == 0"), QString("true"));
        QCOMPARE(valueOf("acc == out[row * size + col]"), QString("true"));
        QCOMPARE(valueOf("a[7]").toFloat(), SyntheticMatmul::elementA(7));
        QCOMPARE(valueOf("a[min(7, 80)] == a[(int)7.5]"), QString("true"));
        QCOMPARE(valueOf("sizeof(a)"), QString::number(9 * 9 * sizeof(float)));
        QCOMPARE(valueOf("sizeof a[0] + sizeof(row)"), QString("8"));
        QCOMPARE(valueOf("sqrt((double)row * row) == row"), QString("true"));
    }

    void namesHaveNoValueBeforeTheyAreWritten()
    {
        QVERIFY(m_cursor->seek(0).ok());
        QCOMPARE(valueOf("acc"), QString("!'acc' has no value yet"));
        QCOMPARE(valueOf("acc + 1 > 0"), QString("!'acc' has no value yet"));
        QCOMPARE(valueOf("nothing"), QString("!there is no 'nothing' here"));
    }

    void whyThereIsNoValue()
    {
        QVERIFY(m_cursor->seek(m_cursor->stepCount()).ok());
        QCOMPARE(valueOf("a"), QString("!'a' is a buffer: give an index, a[0]"));
        QCOMPARE(valueOf("a[81]"), QString("!index 81 of 'a' is outside 0 to 80"));
        QCOMPARE(valueOf("a[-1]"), QString("!index -1 of 'a' is outside 0 to 80"));
        QCOMPARE(valueOf("a[1.5]"), QString("!an index is an integer"));
        QCOMPARE(valueOf("row[0]"), QString("!only buffers and pointers have elements"));
        QCOMPARE(valueOf("row.x"), QString("!a value of type 'int' has no '.x'"));
        QCOMPARE(valueOf("row / 0"), QString("!a division by zero"));
        QCOMPARE(valueOf("1 << 64"), QString("!a shift by 64"));
        QCOMPARE(valueOf("acc % 2"), QString("!'%' of a float"));
    }

    void whatCannotBeParsedSaysWhere_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"", "expected a name or a number, found the end at character 1"},
                 {"acc >", "expected a name or a number, found the end at character 6"},
                 {"acc = 5", "expected an operator, found '=' at character 5"},
                 {"a b > 1", "expected an operator, found 'b' at character 3"},
                 {"a[1", "expected ']', found the end at character 4"},
                 {"(1", "expected ')', found the end at character 3"},
                 {"1 ? 2", "expected ':', found the end at character 6"},
                 {"a.", "expected a member's name, found the end at character 3"},
                 {"3x", "a number cannot end in 'x'"},
                 {"f(1)", "there is no function 'f' here"},
                 {"min(1)", "'min' takes 2 arguments, not 1"},
                 {"sqrt(1, 2)", "'sqrt' takes 1 argument, not 2"},
                 {"sqrt(1", "expected ')', found the end at character 7"},
                 {"sqrt()", "expected a name or a number, found ')' at character 6"},
                 {"(float)", "expected a name or a number, found the end at character 8"},
                 {"(float", "expected ')', found the end at character 7"},
             })
            QTest::newRow(text) << text << message;
    }
    void whatCannotBeParsedSaysWhere()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QCOMPARE(valueOf(text.toUtf8().constData()), '?' + message);
    }

    /// What somebody pastes by mistake must not exhaust the stack.
    void hugeExpressionsAreRefused()
    {
        QVERIFY(!Expression::parse(std::string(100'000, '(')).ok());
        QVERIFY(!Expression::parse(std::string(900, '-') + '1').ok());
        QVERIFY(!Expression::parse(std::string(900, '(') + '1').ok());
        std::string chain = "1";
        for (int i = 0; i < 450; ++i)
            chain += "+1";
        QCOMPARE(valueOf(chain.c_str()), QString("451"));
    }
};

QTEST_APPLESS_MAIN(TestExpression)
#include "tst_expression.moc"
