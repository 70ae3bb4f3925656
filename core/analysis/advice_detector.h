// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the detectors of advice share. Each sees the events of some blocks of one kernel, in the order in which they
// ran, and says at the end what it found.
#pragma once

#include <bit>
#include <memory>
#include <vector>

#include "core/analysis/advice.h"

namespace lanescope::analysis {

/// Calls \p visit with each active lane.
template <typename Visit>
void forEachLane(LaneMask mask, Visit visit)
{
    for (; mask != 0; mask &= mask - 1)
        visit(std::countr_zero(mask));
}

/// Where each site ran first in the blocks that were looked at.
class FirstPlaces {
public:
    explicit FirstPlaces(const trace::Catalog& catalog) : m_places(catalog.sites.size()) {}

    void beginBlock(const trace::Launch& launch, BlockIndex block);
    void add(StepIndex step, const trace::Event& event);
    /// Fills in block, thread, epoch and step.
    void describe(SiteId site, trace::FindingAccess& access) const;

private:
    struct Place {
        bool known = false;
        Dim3 block{0, 0, 0};
        Dim3 thread{0, 0, 0};
        uint32_t epoch = 0;
        StepIndex step = 0;
    };
    std::vector<Place> m_places;     ///< by site
    std::vector<uint32_t> m_epochs;  ///< of this block, by warp
    Dim3 m_block;
    Dim3 m_extent;  ///< threads of a block
};

class AdviceDetector {
public:
    AdviceDetector(const trace::Catalog& catalog, const FirstPlaces& places) : m_catalog(catalog), m_places(places) {}
    virtual ~AdviceDetector() = default;
    AdviceDetector(const AdviceDetector&) = delete;
    AdviceDetector& operator=(const AdviceDetector&) = delete;

    virtual void beginBlock(const trace::Launch& /*launch*/) {}
    virtual void add(StepIndex step, const trace::Event& event) = 0;
    virtual void endBlock() {}
    /// Kernel, launch and the remark on how much was looked at are added by the caller.
    virtual void finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings) = 0;

protected:
    [[nodiscard]] const trace::Site& site(SiteId id) const { return m_catalog.sites[id.value]; }
    [[nodiscard]] const trace::Buffer* bufferOf(const trace::Event& event, int lane) const;
    /// Bytes that each lane accesses, 1 to 16.
    [[nodiscard]] uint32_t widthOf(const trace::Event& event) const;
    /// Advice with one access: the site.
    [[nodiscard]] trace::Finding adviceAt(FindingKind kind, SiteId site, uint64_t count, std::string message) const;

    const trace::Catalog& m_catalog;
    const FirstPlaces& m_places;
};

std::unique_ptr<AdviceDetector> makeAccessCostDetector(const trace::Catalog& catalog, const FirstPlaces& places);
std::unique_ptr<AdviceDetector> makeSharedUseDetector(const trace::Catalog& catalog, const FirstPlaces& places);
std::unique_ptr<AdviceDetector> makeBarrierDetector(const trace::Catalog& catalog, const FirstPlaces& places);
std::unique_ptr<AdviceDetector> makeDivergenceDetector(const trace::Catalog& catalog, const FirstPlaces& places);

}  // namespace lanescope::analysis
