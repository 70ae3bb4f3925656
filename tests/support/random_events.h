// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random events, and whether those that were read are those that were recorded: bodies of loops that go round some
// times.
#pragma once

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "core/trace/model.h"
#include "core/trace/reader.h"
#include "tests/support/properties.h"

namespace lanescope::test {

using trace::Detail;
using trace::Event;
using trace::Site;
using trace::SiteKind;

inline constexpr uint32_t kBuffers = 3, kWarps = 4, kSites = 18;

enum class Lanes : uint8_t { Uniform, Even, TwoHalves, Noise };

/// One event of a loop's body.
struct Part {
    uint32_t site = 0;
    uint16_t warp = 0;
    LaneMask mask = kAllLanes;
    LaneMask taken = 0;
    bool isMixed = false;
    uint32_t buffer = 0;
    Lanes places = Lanes::Even;
    uint32_t base = 0;
    uint32_t step = 4;
    uint8_t valueBytes = 0;  ///< 0: none
    Lanes values = Lanes::Even;
    uint64_t value = 0;
    uint64_t perTurn = 0;  ///< added to places and values at each turn of the loop
};

inline void showValue(const Part& part, std::ostream& to)
{
    to << fmt::format("{{site {} warp {} mask {:x} taken {:x} {}buffer {} places {} base {} step {} values {} of {} "
                      "bytes from {} per turn {}}}",
                      part.site, part.warp, part.mask, part.taken, part.isMixed ? "mixed " : "", part.buffer,
                      static_cast<int>(part.places), part.base, part.step, static_cast<int>(part.values),
                      part.valueBytes, part.value, part.perTurn);
}

inline rc::Gen<Part> parts()
{
    using namespace rc;
    const auto lanes = gen::element(Lanes::Uniform, Lanes::Even, Lanes::TwoHalves, Lanes::Noise);
    return gen::build<Part>(
        gen::set(&Part::site, gen::inRange<uint32_t>(0, kSites)),
        gen::set(&Part::warp, gen::inRange<uint16_t>(0, kWarps)),
        gen::set(&Part::mask, gen::weightedOneOf<LaneMask>({{4, gen::just(kAllLanes)},
                                                            {2, gen::arbitrary<LaneMask>()},
                                                            {1, gen::element<LaneMask>(0, 1, 0xffff, 0x80000000)}})),
        gen::set(&Part::taken, gen::arbitrary<LaneMask>()),
        gen::set(&Part::isMixed, gen::map(gen::inRange(0, 6), [](int i) { return i == 5; })),
        gen::set(&Part::buffer, gen::inRange<uint32_t>(0, kBuffers)), gen::set(&Part::places, lanes),
        gen::set(&Part::base, gen::inRange<uint32_t>(0, 1 << 20)),
        gen::set(&Part::step, gen::element<uint32_t>(0, 1, 4, 8, 1024, 4096)),
        gen::set(&Part::valueBytes, gen::element<uint8_t>(0, 1, 2, 4, 4, 8, 16)), gen::set(&Part::values, lanes),
        gen::set(&Part::value, gen::arbitrary<uint64_t>()),
        gen::set(&Part::perTurn, gen::element<uint64_t>(0, 4, 64, UINT64_MAX)));
}

/// Mixes the bits of a number: what stands for noise.
inline uint64_t noise(uint64_t of)
{
    of = (of ^ (of >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return (of ^ (of >> 27)) * 0x94d049bb133111ebULL;
}

inline uint64_t laneNumber(Lanes form, uint64_t base, uint64_t step, size_t lane)
{
    switch (form) {
    case Lanes::Uniform:
        return base;
    case Lanes::Even:
        return base + step * lane;
    case Lanes::TwoHalves:
        return base + step * (lane % 16) + (lane / 16) * 4096;
    case Lanes::Noise:
        return noise(base + lane);
    }
    return 0;
}

inline SiteKind kindOf(uint32_t site)
{
    return static_cast<SiteKind>(site % 9);
}

/// What the part is at a turn of its loop.
inline Event eventOf(const Part& part, uint64_t turn)
{
    Event event;
    event.site = SiteId{part.site};
    event.kind = kindOf(part.site);
    event.warp = part.warp;
    event.mask = part.mask;
    event.buffer = BufferId{part.buffer};
    event.taken = event.kind == SiteKind::Branch ? part.taken & part.mask : 0;
    if (event.isAccess() || event.kind == SiteKind::VariableWrite)
        event.valueBytes = part.valueBytes;
    if (event.isAccess() && part.isMixed)
        event.laneBuffer.resize(kWarpSize);
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
        const uint64_t place = laneNumber(part.places, part.base + turn * part.perTurn, part.step, lane);
        event.offset[lane] = part.isMixed ? place : static_cast<uint32_t>(place);
        if (!event.laneBuffer.empty())
            event.laneBuffer[lane] = lane % 5 == 0 ? kNoBuffer : BufferId{static_cast<uint32_t>(lane) % kBuffers};
        const uint64_t words[2] = {laneNumber(part.values, part.value + turn * part.perTurn, part.step, lane),
                                   noise(lane)};
        std::memcpy(event.value[lane].data(), words, event.valueBytes);
    }
    return event;
}

inline std::vector<Site> sites()
{
    std::vector<Site> all(kSites);
    for (uint32_t i = 0; i < kSites; ++i) {
        all[i].id = SiteId{i};
        all[i].kind = kindOf(i);
    }
    return all;
}

inline void compareLanes(const Event& found, const Event& expected, Detail detail)
{
    const bool values = expected.valueBytes != 0 && detail == Detail::Everything;
    for (LaneMask rest = expected.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        if (expected.isAccess()) {
            RC_ASSERT(found.bufferOf(lane) == expected.bufferOf(lane));
            RC_ASSERT(found.offset[at] == expected.offset[at]);
        }
        RC_ASSERT(!values || std::memcmp(found.value[at].data(), expected.value[at].data(), expected.valueBytes) == 0);
    }
}

inline void compare(const Event& found, const Event& expected, Detail detail)
{
    RC_ASSERT(found.site == expected.site);
    RC_ASSERT(found.kind == expected.kind);
    RC_ASSERT(found.warp == expected.warp);
    RC_ASSERT(found.mask == expected.mask);
    RC_ASSERT(found.taken == expected.taken);
    if (expected.mask == 0)
        return;
    RC_ASSERT(found.valueBytes == expected.valueBytes);
    RC_ASSERT(found.valuesKnown == (expected.valueBytes != 0 && detail == Detail::Everything));
    if (detail != Detail::Headers)
        compareLanes(found, expected, detail);
}

}  // namespace lanescope::test
