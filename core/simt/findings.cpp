// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/findings.h"

#include <algorithm>

#include <fmt/format.h>

namespace lanescope::simt {
namespace {

const char* kindName(AccessFault::Kind kind)
{
    switch (kind) {
    case AccessFault::Kind::Misaligned:
        return "misaligned";
    case AccessFault::Kind::UseAfterFree:
        return "use-after-free";
    default:
        return "out-of-bounds";
    }
}

std::string shapeText(const trace::Buffer& buffer)
{
    std::string text = buffer.element.name.empty() ? "char" : buffer.element.name;
    for (uint64_t extent : buffer.dims)
        text += fmt::format("[{}]", extent);
    return text;
}

/// "a[3][1]" of a flat element index; an index past the end keeps the outermost one growing.
std::string cellText(const trace::Buffer& buffer, uint64_t index)
{
    std::string subscripts;
    for (size_t i = buffer.dims.size(); i-- > 1;) {
        uint64_t extent = std::max<uint64_t>(buffer.dims[i], 1);
        subscripts = fmt::format("[{}]", index % extent) + subscripts;
        index /= extent;
    }
    return fmt::format("{}[{}]{}", buffer.name, index, subscripts);
}

/// Offsets in the upper half of a slot come from negative indexes.
int64_t signedOffset(uint64_t address)
{
    return static_cast<int32_t>(static_cast<uint32_t>(address));
}

std::string message(const AccessFault& fault, const trace::Buffer* buffer)
{
    const char* verb = fault.isWrite ? "write" : "read";
    if (!buffer)
        return fmt::format("{} of {} bytes at 0x{:x}, which is no device memory{}", verb, fault.bytes, fault.address,
                           fault.address < 4096 ? " (a null pointer)" : " (a host pointer?)");
    int64_t offset = signedOffset(fault.address);
    uint32_t element = std::max<uint32_t>(buffer->element.totalBytes(), 1);
    std::string cell = offset < 0
                           ? fmt::format("{}[{}]", buffer->name, (offset - int64_t{element} + 1) / int64_t{element})
                           : cellText(*buffer, static_cast<uint64_t>(offset) / element);
    switch (fault.kind) {
    case AccessFault::Kind::UseAfterFree:
        return fmt::format("{} of {} after {} was freed ({})", verb, cell, buffer->name, buffer->allocatedAt);
    case AccessFault::Kind::ReadOnly:
        return fmt::format("write to {}, which is constant memory", cell);
    case AccessFault::Kind::Misaligned:
        return fmt::format("misaligned {} of {} bytes at byte {} of {}", verb, fault.bytes, offset, buffer->name);
    default:
        return fmt::format("{} of {} is out of bounds: {} is {}", verb, cell, buffer->name, shapeText(*buffer));
    }
}

trace::FindingAccess accessOf(const AccessFault& fault, const FindingContext& context)
{
    const trace::Site& site = context.program.sites[fault.staticSite];
    trace::FindingAccess access;
    access.where = site.where;
    access.expression = site.expression;
    access.access = fault.isWrite ? "write" : "read";
    access.block = positionOf(fault.block, context.launch.grid);
    access.thread = positionOf(fault.thread, context.launch.block);
    access.epoch = fault.epoch;
    access.step = fault.step;
    return access;
}

trace::Finding findingOf(const AccessFault& fault, const FindingContext& context)
{
    const trace::Buffer* buffer = context.bufferAt(context.table, fault.address >> 32);
    trace::Finding finding;
    finding.kind = kindName(fault.kind);
    finding.severity = "error";
    finding.message = message(fault, buffer);
    finding.count = fault.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    finding.buffer = buffer ? buffer->name : "";
    if (buffer)
        finding.cell = {signedOffset(fault.address) / int64_t{std::max<uint32_t>(buffer->element.totalBytes(), 1)}};
    finding.accesses = {accessOf(fault, context)};
    return finding;
}

bool sameFinding(const AccessFault& a, const AccessFault& b)
{
    return a.kind == b.kind && a.staticSite == b.staticSite && a.isWrite == b.isWrite;
}

}  // namespace

std::vector<trace::Finding> findingsOf(const std::vector<AccessFault>& faults, const FindingContext& context)
{
    std::vector<AccessFault> merged;
    for (const AccessFault& fault : faults) {
        auto known = std::find_if(merged.begin(), merged.end(),
                                  [&](const AccessFault& other) { return sameFinding(fault, other); });
        if (known == merged.end())
            merged.push_back(fault);
        else
            known->count += fault.count;
    }
    std::vector<trace::Finding> findings;
    for (const AccessFault& fault : merged)
        findings.push_back(findingOf(fault, context));
    return findings;
}

}  // namespace lanescope::simt
