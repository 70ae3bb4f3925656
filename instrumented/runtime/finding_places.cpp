// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/finding_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "instrumented/runtime/allocated_name.h"
#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/host_frames.h"

namespace lanescope::runtime {

namespace {

/// The one of \p all that \p finding is about; null: more than one could be.
const device::Allocation* meantBy(const trace::Finding& finding, const std::vector<device::Allocation>& all,
                                  const std::vector<uint64_t>& given)
{
    std::vector<const device::Allocation*> named, passed;
    for (const device::Allocation& allocation : all) {
        if ((allocation.name.empty() ? allocation.origin : allocation.name) != finding.buffer)
            continue;
        named.push_back(&allocation);
        if (std::any_of(given.begin(), given.end(), [&](uint64_t address) {
                return address >= allocation.address && address - allocation.address < allocation.bytes;
            }))
            passed.push_back(&allocation);
    }
    // An index outside an inner dimension is known by its array's name only, which may be that of a shared array, too.
    const bool byNameAlone = passed.empty() && finding.kind != FindingKind::IndexOutOfShape;
    const std::vector<const device::Allocation*>& meant = byNameAlone ? named : passed;
    return meant.size() == 1 ? meant.front() : nullptr;
}

/// ", allocated in line 5 as d_out"; of a race only if the host has another name for it. Empty when not known.
std::string allocationText(const trace::Finding& finding, const simt::CodePlace& place)
{
    const std::string name = allocatedNameAt(place);
    const bool differs = !name.empty() && name != finding.buffer;
    if (familyOf(finding.kind) == Family::Bounds)
        return fmt::format(", allocated in line {}{}", place.line, differs ? " as " + name : "");
    return differs ? fmt::format("; {} is {} of line {}", finding.buffer, name, place.line) : "";
}

}  // namespace

void addAllocationPlaces(Runtime& runtime, std::vector<trace::Finding>& findings, const std::vector<uint64_t>& given)
{
    const std::vector<device::Allocation> all = runtime.memory().allocations();
    for (trace::Finding& finding : findings) {
        if (familyOf(finding.kind) != Family::Bounds && finding.kind != FindingKind::GlobalRace)
            continue;
        const device::Allocation* meant = meantBy(finding, all, given);
        const HostFrames* frames = meant ? framesOf(*meant) : nullptr;
        if (!frames)
            continue;
        const simt::CodePlace place = hostCallOf(*frames, runtime.options().headers).place();
        if (place.line != 0)
            finding.message += allocationText(finding, place);
    }
}

void addHostCalls(Runtime& runtime, std::vector<trace::Finding>& findings)
{
    for (trace::Finding& finding : findings) {
        if (finding.accesses.empty() || !finding.calls.empty() ||
            !isBelow(runtime.kernelSource(finding.accesses[0].where.source), runtime.options().headers))
            continue;
        const simt::CodePlace place = hostCallOf(callFrames(), runtime.options().headers).place();
        if (place.line == 0)
            continue;
        trace::FindingAccess call;
        const SourceId source =
            runtime.trace().writer() ? runtime.trace().sourceOf(place.file) : runtime.kernelSourceId(place.file);
        call.where = {source, place.line, place.column};
        call.access = "call";
        finding.calls = {call};
    }
}

}  // namespace lanescope::runtime
