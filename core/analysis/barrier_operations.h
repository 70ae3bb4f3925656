// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block's recorded events do to mbarrier objects.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::analysis {

/// What PTX instruction an access is a part of, as far as it matters here.
enum class AsyncKind : uint8_t {
    None,
    Init,     ///< mbarrier.init
    Barrier,  ///< another mbarrier operation but a wait
    Wait,     ///< mbarrier.test_wait, .try_wait
    Copy,     ///< cp.async, in bulk or not, of a tensor or not
    Product,  ///< wgmma
    Matrix,   ///< ldmatrix, stmatrix
};
AsyncKind asyncKindOf(const trace::Site& site);

struct BarrierOperation {
    enum class Kind : uint8_t { Init, Arrive, Expect, Came, Flip, Poll };
    Kind kind = Kind::Poll;
    uint32_t barrier = 0;  ///< number, by first use
    int lane = 0;
    uint64_t amount = 0;  ///< of arrivals or bytes
    uint32_t phase = 0;   ///< that runs when it happens; of Flip: that ends
};

/// Follows the words of a block's barriers through its events, in order. An object is pending arrivals in bits 0 to 15,
/// those of each phase from 16 on, the phase from 32 on, bytes to come from 43 on (core/simt/ptx/ptx_barriers.cpp).
class BarrierOperations {
public:
    explicit BarrierOperations(const trace::Catalog& catalog);

    struct Object {
        BufferId buffer;
        uint64_t offset = 0;
        uint64_t word = 0;

        [[nodiscard]] uint32_t pending() const { return static_cast<uint32_t>(word & 0xffff); }
        [[nodiscard]] uint32_t expected() const { return static_cast<uint32_t>(word >> 16 & 0xffff); }
        [[nodiscard]] uint32_t phase() const { return static_cast<uint32_t>(word >> 32 & 0x7ff); }
        [[nodiscard]] int64_t bytes() const { return static_cast<int64_t>(word) >> 43; }
    };

    /// Of one event, which must have its values if it writes. Valid until the next call.
    std::span<const BarrierOperation> of(const trace::Event& event);
    [[nodiscard]] const std::vector<Object>& objects() const { return m_objects; }
    [[nodiscard]] AsyncKind kindOf(SiteId site) const { return m_kinds[site.value]; }
    /// Whether bytes of \p buffer from \p offset on are a barrier's.
    [[nodiscard]] bool isBarrier(BufferId buffer, uint64_t offset) const;

private:
    void update(Object& object, uint32_t number, int lane, uint64_t word);

    std::vector<AsyncKind> m_kinds;  ///< by site
    std::vector<Object> m_objects;
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> m_numbers;  ///< by buffer and offset
    std::vector<BarrierOperation> m_found;
};

}  // namespace lanescope::analysis
