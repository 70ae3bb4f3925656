// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of single precision against what an H200 made of the same floats (special_functions/h200.txt).
#include <bit>
#include <fstream>
#include <sstream>
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN
#include "core/simt/machine/special_functions.h"
#endif

namespace special = lanescope::simt::special;

namespace {

using Function = float (*)(float);

Function functionNamed(const std::string& name)
{
    constexpr std::pair<const char*, Function> kFunctions[] = {
        {"ex2", [](float x) { return special::approximateExp2(x); }},
        {"ex2ftz", [](float x) { return special::approximateExp2(x, special::Subnormals::Flushed); }},
        {"lg2", special::approximateLog2},
        {"rcp", special::approximateReciprocal},
        {"rsqrt", special::approximateReciprocalRoot},
        {"sqrt", special::approximateRoot},
        {"expf", special::libraryExp},
        {"exp10f", special::libraryExp10},
        {"logf", special::libraryLog},
        {"log2f", special::libraryLog2},
        {"log10f", special::libraryLog10},
        {"tanhf", special::libraryTanh},
        {"sin", special::approximateSine},
        {"cos", special::approximateCosine},
        {"tanh", special::approximateTanh},
        {"sinf", special::librarySine},
        {"cosf", special::libraryCosine},
        {"erff", special::libraryErf},
        {"expm1f", special::libraryExpm1},
        {"log1pf", special::libraryLog1p},
    };
    for (const auto& [each, function] : kFunctions)
        if (name == each)
            return function;
    return nullptr;
}

uint64_t mixed(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

/// Of what the function makes of the 2^20 floats whose upper 12 bits are \p block. All NaNs are one.
uint64_t hashOf(Function function, uint32_t block)
{
    constexpr uint32_t kCount = 1u << 20, kInfinity = 0x7f800000, kNaN = 0x7fffffff;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
        auto result = std::bit_cast<uint32_t>(function(std::bit_cast<float>(block * kCount + i)));
        if ((result & kNaN) > kInfinity)
            result = kNaN;
        sum += mixed(uint64_t{i} << 32 | result);
    }
    return sum;
}

/// Of what powf makes of 2^20 pairs that \p seed leads to: of any bits, or, of an odd seed, of small numbers.
uint64_t hashOfPowers(uint32_t seed)
{
    constexpr uint32_t kCount = 1u << 20, kInfinity = 0x7f800000, kNaN = 0x7fffffff;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
        const uint64_t random = mixed(uint64_t{seed} << 32 | i);
        auto x = static_cast<uint32_t>(random), y = static_cast<uint32_t>(random >> 32);
        if (seed % 2 == 1) {
            x = 0x3d800000 + x % 0x05000000;
            y = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(y % (1u << 24)) - (1 << 23)) * 0x1p-19f);
        }
        auto result = std::bit_cast<uint32_t>(special::libraryPower(std::bit_cast<float>(x), std::bit_cast<float>(y)));
        if ((result & kNaN) > kInfinity)
            result = kNaN;
        sum += mixed(uint64_t{i} << 32 | result);
    }
    return sum;
}

class SpecialFunctionsTest : public QObject {
    Q_OBJECT

private slots:
    void giveTheBitsOfAnH200()
    {
        std::ifstream file(SOURCE_DIR "/tests/simt/special_functions/h200.txt");
        QVERIFY(file);
        size_t seen = 0;
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with('#'))
                continue;
            std::istringstream words(line);
            std::string name;
            uint32_t block = 0;
            uint64_t hash = 0;
            QVERIFY2(words >> name >> std::hex >> block >> hash, line.c_str());
            ++seen;
            if (name == "powf") {
                QVERIFY2(hashOfPowers(block) == hash, line.c_str());
                continue;
            }
            const Function function = functionNamed(name);
            QVERIFY2(function, line.c_str());
            QVERIFY2(hashOf(function, block) == hash, line.c_str());
        }
        QCOMPARE(seen, size_t{68});
    }
};

}  // namespace

QTEST_APPLESS_MAIN(SpecialFunctionsTest)
#include "tst_special_functions.moc"
