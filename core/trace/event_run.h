// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of a whole warp that always come one after the other: what an unrolled inner loop records each time. Handed
// over at once, since most often a run is just what it was the last time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::trace {

struct EventRun {
    enum class Kind : uint8_t {
        Access,         ///< of values that replay can tell
        DerivedWrite,   ///< of a variable; the value follows from the site's derivation
        ConstantWrite,  ///< of a variable, the same value in all lanes
    };
    struct Event {
        SiteId site{};
        Kind kind = Kind::Access;
        uint8_t place = 0;       ///< Access: from which place
        uint8_t valueBytes = 0;  ///< ConstantWrite: 1 … 8
        uint32_t offset = 0;     ///< Access: bytes from the place
        uint64_t value = 0;      ///< ConstantWrite
    };
    /// Where accesses are counted from; moves from one time to the next.
    struct Place {
        BufferId buffer;
        EvenOffsets offsets;
    };
    static constexpr size_t kPlaces = 2;
    using Places = std::array<Place, kPlaces>;

    std::vector<Event> events;
    /// By place, the first access from there. Each place has one.
    std::array<uint32_t, kPlaces> firstFrom{};
};

}  // namespace lanescope::trace
