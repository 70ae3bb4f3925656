// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products against what an H100 made of the same bits (tensor_core/h100.txt), and properties that do not need
// one.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <QTest>

#ifndef Q_MOC_RUN
#include "core/simt/machine/tensor_core.h"
#endif

using namespace lanescope::simt;

namespace {

std::vector<TensorFactor> factors(const std::vector<uint32_t>& bits, size_t from, size_t count, Element element,
                                  bool asHalves)
{
    std::vector<TensorFactor> all;
    for (size_t i = 0; i < count; ++i) {
        const TensorFactor factor = factorOf(bits[from + i], element);
        all.push_back(asHalves ? halfOf(factor, element) : factor);
    }
    return all;
}

/// "wgmma.f32.e4m3" with a…, b…, addend, of an instruction of which the file speaks.
uint32_t computed(const std::string& instruction, const std::vector<uint32_t>& bits)
{
    const size_t dot = instruction.find('.'), last = instruction.rfind('.');
    const Element result = *elementNamed(instruction.substr(dot + 1, last - dot - 1));
    const Element element = *elementNamed(instruction.substr(last + 1));
    const bool ofWarpgroup = instruction.starts_with("wgmma");
    const bool asHalves = isByteFloat(element) && !ofWarpgroup;
    const size_t depth = (bits.size() - 2) / 2;
    const auto a = factors(bits, 0, depth, element, asHalves), b = factors(bits, depth, depth, element, asHalves);
    const uint32_t addend = bits[2 * depth];
    if (asHalves)
        return sumOfByteProducts(a, b, addend, result);
    const bool isByte = isByteFloat(element);
    return sumOfProducts(a, b, addend,
                         {.a = element,
                          .b = element,
                          .result = result,
                          .alignedBits = isByte ? 13 : 25,
                          .cutsResult = isByte && result == Element::Float});
}

class TensorCoreTest : public QObject {
    Q_OBJECT

private slots:
    void givesTheBitsOfAnH100()
    {
        std::ifstream file(SOURCE_DIR "/tests/simt/tensor_core/h100.txt");
        QVERIFY(file);
        size_t seen = 0;
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with('#'))
                continue;
            std::istringstream words(line);
            std::string instruction;
            words >> instruction >> std::hex;
            std::vector<uint32_t> bits;
            for (uint32_t word = 0; words >> word;)
                bits.push_back(word);
            QVERIFY2(computed(instruction, bits) == bits.back(), line.c_str());
            ++seen;
        }
        QVERIFY(seen > 1000);
    }

    /// 1 + 2^-25 − 1: what lies further below the largest number than an H100 looks is gone.
    void cutsOffWhatIsTooSmall()
    {
        const auto one = factorOf(0x3c00, Element::Half), minusOne = factorOf(0xbc00, Element::Half);
        const auto small = factorOf(0x0001, Element::Half), fraction = factorOf(0x3800, Element::Half);  // 2^-24, 1/2
        const std::vector<TensorFactor> a{one, small, minusOne}, b{one, fraction, one};
        QCOMPARE(sumOfProducts(a, b, 0, {}), 0x33000000u);                                   // 2^-25
        const std::vector<TensorFactor> smaller{one, factorOf(0x3400, Element::Half), one};  // 2^-26
        QCOMPARE(sumOfProducts(a, smaller, 0, {}), 0u);
    }

    void doesNotDependOnTheOrder()
    {
        std::vector<TensorFactor> a, b;
        for (uint32_t i = 0; i < 16; ++i) {
            a.push_back(factorOf((i * 2654435761u >> 16 & 0xbfff) | 0x2000, Element::Half));
            b.push_back(factorOf((i * 40503u & 0xbfff) | 0x2000, Element::Half));
        }
        const uint32_t forwards = sumOfProducts(a, b, 0x41200000, {});
        std::vector<TensorFactor> left(a.rbegin(), a.rend()), right(b.rbegin(), b.rend());
        QCOMPARE(sumOfProducts(left, right, 0x41200000, {}), forwards);
    }

    void knowsNamesOfTypes()
    {
        QVERIFY(elementNamed("bf16") == Element::BFloat);
        QVERIFY(!elementNamed("f8"));
    }
};

}  // namespace

QTEST_APPLESS_MAIN(TensorCoreTest)
#include "tst_tensor_core.moc"
