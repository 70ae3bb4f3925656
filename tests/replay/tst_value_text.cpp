// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <QTest>

#include "core/replay/replay.h"

using namespace lanescope;
using namespace lanescope::trace;

namespace {

template <typename T>
QString textOf(ScalarKind kind, T value, const char* name = "")
{
    return QString::fromStdString(replay::valueText({kind, sizeof value, 1, name}, &value));
}

}  // namespace

class TestValueText : public QObject {
    Q_OBJECT

private slots:
    void numbers()
    {
        QCOMPARE(textOf(ScalarKind::Float, 3.5F), QString("3.5"));
        QCOMPARE(textOf(ScalarKind::Float, 0.1F), QString("0.1"));
        QCOMPARE(textOf(ScalarKind::Float, 1.0F / 3.0F), QString("0.33333334"));
        QCOMPARE(textOf(ScalarKind::Float, 1e30F), QString("1e+30"));
        QCOMPARE(textOf(ScalarKind::Float, 1.0 / 3.0), QString("0.333333333"));
        QCOMPARE(textOf(ScalarKind::Float, -0.0F), QString("-0"));
        QCOMPARE(textOf(ScalarKind::Float, -std::numeric_limits<float>::infinity()), QString("-inf"));
        QCOMPARE(textOf(ScalarKind::Float, std::numeric_limits<float>::quiet_NaN()), QString("nan"));
        QCOMPARE(textOf(ScalarKind::Float, uint16_t{0x3c00}, "half"), QString("1"));
        QCOMPARE(textOf(ScalarKind::Float, uint16_t{0x3f80}, "__nv_bfloat16"), QString("1"));
        QCOMPARE(textOf(ScalarKind::Signed, int32_t{-4}), QString("-4"));
        QCOMPARE(textOf(ScalarKind::Signed, int8_t{-128}), QString("-128"));
        QCOMPARE(textOf(ScalarKind::Signed, std::numeric_limits<int64_t>::min()), QString("-9223372036854775808"));
        QCOMPARE(textOf(ScalarKind::Unsigned, uint32_t{4000000000U}), QString("4000000000"));
        QCOMPARE(textOf(ScalarKind::Bool, uint8_t{1}), QString("true"));
    }

    void charactersAndBytes()
    {
        QCOMPARE(textOf(ScalarKind::Char, 'c'), QString("'c'"));
        QCOMPARE(textOf(ScalarKind::Char, '\n'), QString("'\\n'"));
        QCOMPARE(textOf(ScalarKind::Char, '\x01'), QString("'\\x01'"));
        QCOMPARE(textOf(ScalarKind::Bytes, uint32_t{0x01020304}), QString("0x01020304"));
    }

    void vectors()
    {
        const float values[] = {1, 2.5F, -3, 4};
        QCOMPARE(replay::valueText({ScalarKind::Float, 4, 4, "float4"}, values), std::string("(1, 2.5, -3, 4)"));
    }

    void pointersNameTheirBuffer()
    {
        Catalog catalog;
        Buffer buffer;
        buffer.name = "a";
        buffer.deviceAddress = 0x100000000000;
        buffer.bytes = 64;
        catalog.buffers.push_back(buffer);
        const ValueType pointer{ScalarKind::Pointer, 8, 1, "float *"};
        const auto text = [&](uint64_t address) { return replay::valueText(pointer, &address, catalog); };
        QCOMPARE(text(0x100000000000), std::string("a"));
        QCOMPARE(text(0x100000000010), std::string("a+0x10"));
        QCOMPARE(text(0x100000000041), std::string("0x100000000041"));
        QCOMPARE(text(0), std::string("0x0"));
    }
};

QTEST_GUILESS_MAIN(TestValueText)
#include "tst_value_text.moc"
