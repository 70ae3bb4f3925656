// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: CUDA's rules, which a driver for an H100 decides alike, and the 128 bytes in which they are kept.
#include <array>

#include <QTest>

#include "core/device/tensor_map.h"

using lanescope::device::readTensorMap;
using lanescope::device::TensorMap;
using lanescope::device::tensorMapProblem;
using lanescope::device::writeTensorMap;

namespace {

/// 64x32 halves of a matrix of 1000x200, swizzled by 64 bytes.
TensorMap tile()
{
    TensorMap map;
    map.type = TensorMap::Type::Float16;
    map.rank = 2;
    map.swizzle = TensorMap::Swizzle::Bytes64;
    map.address = 0x200000100;
    map.extents = {200, 1000};
    map.strides = {400};
    map.box = {32, 64};
    map.elementStrides = {1, 1};
    return map;
}

class TensorMapTest : public QObject {
    Q_OBJECT

private slots:
    void keepsWhatItSays()
    {
        TensorMap map = tile();
        map.fillsWithNaN = true;
        map.extents[1] = uint64_t{1} << 32;
        std::array<std::byte, TensorMap::kBytes> bytes;
        writeTensorMap(map, bytes);
        const auto read = readTensorMap(bytes);
        QVERIFY(read);
        QCOMPARE(read->address, map.address);
        QVERIFY(read->extents == map.extents && read->strides == map.strides);
        QCOMPARE(read->box[0], 32u);
        QCOMPARE(read->box[1], 64u);
        QVERIFY(read->type == map.type && read->swizzle == map.swizzle && read->fillsWithNaN && !read->isIm2col);
    }

    void knowsWhatIsNone()
    {
        std::array<std::byte, TensorMap::kBytes> bytes{};
        QVERIFY(!readTensorMap(bytes));
        writeTensorMap(tile(), bytes);
        for (size_t i = 0; i < 96; ++i) {
            auto damaged = bytes;
            damaged[i] ^= std::byte{4};
            QVERIFY2(!readTensorMap(damaged), qPrintable(QString::number(i)));
        }
        QVERIFY(!readTensorMap(std::span(bytes).first(20)));
    }

    /// For the sake of drivers of CUDA 13.1 and before, in maps of small tensors.
    void keepsWhatItSaysWhenCutlassClearsABit()
    {
        TensorMap map = tile();
        for (unsigned i = 0; i < 16; ++i) {
            map.address = (i + 1) << 12;
            std::array<std::byte, TensorMap::kBytes> bytes;
            writeTensorMap(map, bytes);
            bytes[8 + 21 / 8] &= ~(std::byte{1} << 21 % 8);
            const auto read = readTensorMap(bytes);
            QVERIFY(read);
            QCOMPARE(read->address, map.address);
        }
    }

    void namesTheRuleThatIsBroken_data()
    {
        QTest::addColumn<QString>("problem");
        QTest::addColumn<int>("change");
        QTest::newRow("none") << "" << 0;
        QTest::newRow("address") << "globalAddress is 0x200000108, not a multiple of 16 bytes" << 1;
        QTest::newRow("stride") << "globalStrides[0] is 402 bytes, not a multiple of 16 below 2^40" << 2;
        QTest::newRow("piece") << "boxDim[0] is 31 elements of 2 bytes, together 62, not a multiple of 16 bytes" << 3;
        QTest::newRow("swizzle") << "boxDim[0] is 128 bytes, more than the 64 that are swizzled" << 4;
        QTest::newRow("box") << "boxDim[1] is 257, not 1 to 256" << 5;
        QTest::newRow("NaN") << "oobFill asks for NaN, which only floating-point types have" << 6;
        QTest::newRow("steps") << "elementStrides[1] is 9, not 1 to 8" << 7;
        QTest::newRow("rank") << "the rank is 2: interleaved and im2col tensors have at least 3 dimensions" << 8;
        QTest::newRow("whole") << "the box is 524288 bytes, more than the 232448 that a block's shared memory can have"
                               << 9;
    }
    void namesTheRuleThatIsBroken()
    {
        QFETCH(QString, problem);
        QFETCH(int, change);
        TensorMap map = tile();
        switch (change) {
        case 1:
            map.address += 8;
            break;
        case 2:
            map.strides[0] += 2;
            break;
        case 3:
            map.box[0] = 31;
            break;
        case 4:
            map.box[0] = 64;
            break;
        case 5:
            map.box[1] = 257;
            break;
        case 6:
            map.type = TensorMap::Type::UInt16;
            map.fillsWithNaN = true;
            break;
        case 7:
            map.elementStrides[1] = 9;
            break;
        case 8:
            map.interleave = TensorMap::Interleave::Bytes16;
            break;
        case 9:
            map.rank = 3;
            map.extents[2] = 32;
            map.elementStrides[2] = 1;
            map.box = {32, 256, 32};
            break;
        default:
            break;
        }
        QCOMPARE(QString::fromStdString(tensorMapProblem(map)), problem);
    }
};

}  // namespace

QTEST_APPLESS_MAIN(TensorMapTest)
#include "tst_tensor_map.moc"
