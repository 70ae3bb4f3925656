// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/sobol.h"

#include <cstddef>
#include <cstdint>

// LS_JOE_KUO: joe_kuo.bin, which joe_kuo.py has packed.
asm(".section .rodata\n"
    "lanescope_joe_kuo: .incbin \"" LS_JOE_KUO "\"\n"
    ".previous\n");
extern "C" [[gnu::visibility("hidden")]] const unsigned char lanescope_joe_kuo[];

namespace lanescope::math {

namespace {

/// The packed list: fields of some bits each, the lowest first.
class Fields {
public:
    unsigned next(unsigned bits)
    {
        unsigned value = 0;
        for (unsigned i = 0; i < bits; ++i, ++m_at)
            value |= (lanescope_joe_kuo[m_at / 8] >> m_at % 8 & 1u) << i;
        return value;
    }

private:
    size_t m_at = 0;
};

template <class Word>
constexpr unsigned kBits = 8 * sizeof(Word);

/// A dimension's numbers V of its primitive polynomial and first numbers m, by Bratley and Fox's recurrence.
template <class Word>
void addDimension(Fields& fields, std::vector<Word>& all)
{
    const unsigned degree = fields.next(5);
    const unsigned coefficients = fields.next(degree - 1);
    Word v[kBits<Word>];
    for (unsigned i = 0; i < degree; ++i)
        v[i] = (Word{fields.next(i)} * 2 + 1) << (kBits<Word> - 1 - i);
    for (unsigned i = degree; i < kBits<Word>; ++i) {
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (unsigned k = 1; k < degree; ++k)
            if (coefficients >> (degree - 1 - k) & 1)
                v[i] ^= v[i - k];
    }
    all.insert(all.end(), v, v + kBits<Word>);
}

template <class Word>
std::vector<Word> madeDirectionVectors()
{
    std::vector<Word> all;
    all.reserve(size_t{kSobolDimensions} * kBits<Word>);
    for (unsigned i = 0; i < kBits<Word>; ++i)
        all.push_back(Word{1} << (kBits<Word> - 1 - i));
    Fields fields;
    for (unsigned dimension = 1; dimension < kSobolDimensions; ++dimension)
        addDimension(fields, all);
    return all;
}

/// SplitMix64: G. L. Steele and others, "Fast splittable pseudorandom number generators" (2014).
class Random {
public:
    explicit Random(uint64_t seed) : m_state(seed) {}
    uint64_t operator()()
    {
        uint64_t z = m_state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }

private:
    uint64_t m_state;
};

template <class Word>
std::vector<Word> madeScrambled()
{
    std::vector<Word> all = directionVectors<Word>();
    Random random(kBits<Word>);
    for (size_t first = 0; first < all.size(); first += kBits<Word>) {
        // A column of the matrix for each bit, the highest first: that bit, and any of those below it.
        Word columns[kBits<Word>];
        for (unsigned bit = 0; bit < kBits<Word>; ++bit) {
            const Word own = Word{1} << (kBits<Word> - 1 - bit);
            columns[bit] = own | (static_cast<Word>(random()) & (own - 1));
        }
        for (unsigned i = 0; i < kBits<Word>; ++i) {
            const Word plain = all[first + i];
            Word& scrambled = all[first + i];
            scrambled = 0;
            for (unsigned bit = 0; bit < kBits<Word>; ++bit)
                if (plain >> (kBits<Word> - 1 - bit) & 1)
                    scrambled ^= columns[bit];
        }
    }
    return all;
}

template <class Word>
std::vector<Word> madeConstants()
{
    Random random(~uint64_t{kBits<Word>});
    std::vector<Word> constants(kSobolDimensions);
    for (Word& constant : constants)
        constant = static_cast<Word>(random());
    return constants;
}

}  // namespace

template <class Word>
const std::vector<Word>& directionVectors()
{
    static const std::vector<Word> vectors = madeDirectionVectors<Word>();
    return vectors;
}

template <class Word>
const std::vector<Word>& scrambledDirectionVectors()
{
    static const std::vector<Word> vectors = madeScrambled<Word>();
    return vectors;
}

template <class Word>
const std::vector<Word>& scrambleConstants()
{
    static const std::vector<Word> constants = madeConstants<Word>();
    return constants;
}

template const std::vector<unsigned>& directionVectors();
template const std::vector<unsigned>& scrambledDirectionVectors();
template const std::vector<unsigned>& scrambleConstants();
template const std::vector<unsigned long long>& directionVectors();
template const std::vector<unsigned long long>& scrambledDirectionVectors();
template const std::vector<unsigned long long>& scrambleConstants();

}  // namespace lanescope::math
