// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses outside of what they may touch, as findings: one per (kind, site).

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <sys/mman.h>

#include "core/device/device_memory.h"
#include "core/device/judge.h"
#include "core/device/judge_text.h"
#include "core/device/reports.h"

namespace lanescope::device {
namespace {

FindingKind kindOf(AccessFault::Kind kind)
{
    switch (kind) {
    case AccessFault::Kind::OutOfShape:
        return FindingKind::IndexOutOfShape;
    case AccessFault::Kind::Misaligned:
        return FindingKind::Misaligned;
    case AccessFault::Kind::UseAfterFree:
        return FindingKind::UseAfterFree;
    default:
        return FindingKind::OutOfBounds;
    }
}

std::string shapeText(const trace::Buffer& buffer)
{
    std::string text = buffer.element.name.empty() ? "char" : buffer.element.name;
    for (uint64_t extent : buffer.dims)
        text += fmt::format("[{}]", extent);
    return text;
}

/// "s" and {"r", "k"} of "s[r][k]": at most \p most subscripts, from the right.
std::pair<std::string, std::vector<std::string>> splitSubscripts(std::string expression, size_t most)
{
    std::vector<std::string> subscripts;
    while (subscripts.size() < most && !expression.empty() && expression.back() == ']') {
        int depth = 0;
        size_t at = expression.size();
        do {
            --at;
            depth += expression[at] == ']' ? 1 : expression[at] == '[' ? -1 : 0;
        } while (depth > 0 && at > 0);
        subscripts.insert(subscripts.begin(), expression.substr(at + 1, expression.size() - at - 2));
        expression.erase(at);
    }
    return {expression, subscripts};
}

std::string shapeMessage(const AccessFault& fault, const trace::Site& site)
{
    const size_t count = fault.subscripts.size();
    auto [name, written] = splitSubscripts(site.expression, count);
    std::string tried = name;
    std::string shape;
    for (size_t i = 0; i < count; ++i) {
        const TriedSubscript& subscript = fault.subscripts[i];
        const size_t fromRight = count - i;
        tried += fmt::format("[{}]", subscript.isKnown             ? std::to_string(subscript.value)
                                     : fromRight <= written.size() ? written[written.size() - fromRight]
                                                                   : "");
        shape += subscript.extent ? fmt::format("[{}]", subscript.extent) : "[]";
    }
    return fmt::format("{} of {} is outside the declared shape: {} is {}{}", fault.isWrite ? "write" : "read", tried,
                       name, site.type.name, shape);
}

std::string arrayName(const AccessFault& fault, const trace::Site& site)
{
    return splitSubscripts(site.expression, fault.subscripts.size()).first;
}

/// Where the host's memory lies differs from run to run, and what is said of it should not.
std::string foreignPlace(uint64_t address)
{
    constexpr uint64_t kHostPage = 4096;
    if (address < kHostPage)
        return fmt::format("0x{:x}, which is no device memory (a null pointer)", address);
    const bool isHosts = !DeviceMemory::isDeviceAddress(address) &&
                         msync(reinterpret_cast<void*>(address / kHostPage * kHostPage), kHostPage, MS_ASYNC) == 0;
    return isHosts ? "an address of the host's memory" : fmt::format("0x{:x}, which is no device memory", address);
}

/// The buffer that the program meant by `in` of "in[i - 1]", an argument of the launch, though the address is nowhere
/// near it: an index that wrapped takes an address gigabytes away, where another buffer may be. Null when there is
/// none.
const trace::Buffer* meantFarAway(const AccessFault& fault, const JudgeContext& context)
{
    if (fault.kind != AccessFault::Kind::OutOfBounds && fault.kind != AccessFault::Kind::NotDeviceMemory)
        return nullptr;
    const std::string& expression = context.sites[fault.staticSite].expression;
    const std::string name = expression.substr(0, expression.find('['));
    for (const trace::LaunchArgument& argument : context.launch.arguments) {
        if (argument.name != name || !argument.buffer)
            continue;
        for (const auto& [slot, buffer] : context.buffers)
            if (buffer.id == *argument.buffer && slot != fault.address >> 32 && fault.address > slot << 32 &&
                fault.address - (slot << 32) < uint64_t{buffer.element.totalBytes()} << 32)
                return &buffer;
    }
    return nullptr;
}

/// The index that leads from the beginning of \p buffer to a far address: -1 where it wrapped at 32 bits.
int64_t farIndex(const AccessFault& fault, const trace::Buffer& buffer, const JudgeContext& context)
{
    constexpr int64_t kWrap = int64_t{1} << 32;
    int64_t distance = 0;
    for (const auto& [slot, other] : context.buffers)
        if (other.id == buffer.id)
            distance = static_cast<int64_t>(fault.address - (slot << 32));
    const int64_t index = distance / int64_t{std::max<uint32_t>(buffer.element.totalBytes(), 1)};
    return index >= kWrap / 2 && index < kWrap ? index - kWrap : index;
}

std::string message(const AccessFault& fault, const trace::Buffer* buffer)
{
    const char* verb = fault.isWrite ? "write" : "read";
    if (!buffer)
        return fmt::format("{} of {} bytes at {}", verb, fault.bytes, foreignPlace(fault.address));
    int64_t offset = signedOffset(fault.address);
    uint32_t element = std::max<uint32_t>(buffer->element.totalBytes(), 1);
    std::string cell = offset < 0
                           ? fmt::format("{}[{}]", buffer->name, (offset - int64_t{element} + 1) / int64_t{element})
                           : cellText(*buffer, static_cast<uint64_t>(offset) / element);
    if (fault.inHeap)
        return fmt::format("{} of {} bytes at byte {} of {}, {}", verb, fault.bytes, offset, buffer->name,
                           fault.kind == AccessFault::Kind::UseAfterFree ? "in a piece that has been freed"
                           : fault.kind == AccessFault::Kind::Misaligned ? "which is misaligned"
                                                                         : "outside what malloc and new gave");
    switch (fault.kind) {
    case AccessFault::Kind::UseAfterFree:
        return fmt::format("{} of {} after {} was freed{}", verb, cell, buffer->name,
                           buffer->name == buffer->allocatedAt ? "" : fmt::format(" ({})", buffer->allocatedAt));
    case AccessFault::Kind::ReadOnly:
        return fmt::format("write to {}, which is constant memory", cell);
    case AccessFault::Kind::Misaligned:
        return fmt::format("misaligned {} of {} bytes at byte {} of {}", verb, fault.bytes, offset, buffer->name);
    default:
        return fmt::format("{} of {} is out of bounds: {} is {}", verb, cell, buffer->name, shapeText(*buffer));
    }
}

bool isOfShape(const AccessFault& fault)
{
    return fault.kind == AccessFault::Kind::OutOfShape;
}

trace::FindingAccess accessOf(const AccessFault& fault, const JudgeContext& context)
{
    const trace::Site& site = context.sites[fault.staticSite];
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

trace::Finding findingOf(const AccessFault& fault, const JudgeContext& context)
{
    const trace::Buffer* const meant = meantFarAway(fault, context);
    const trace::Buffer* const buffer = meant ? meant : context.bufferAt(fault.address >> 32);
    const int64_t far = meant ? farIndex(fault, *meant, context) : 0;
    trace::Finding finding;
    finding.kind = kindOf(fault.kind);
    finding.severity = Severity::Error;
    finding.message = meant ? fmt::format("{} of {}[{}] is out of bounds: {} is {}", fault.isWrite ? "write" : "read",
                                          meant->name, far, meant->name, shapeText(*meant))
                      : isOfShape(fault) ? shapeMessage(fault, context.sites[fault.staticSite])
                                         : message(fault, buffer);
    finding.count = fault.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    finding.buffer = buffer ? buffer->name : "";
    if (buffer)
        finding.cell = {meant ? far : cellOf(fault.address, *buffer)};
    else if (isOfShape(fault))
        finding.buffer = arrayName(fault, context.sites[fault.staticSite]);
    finding.accesses = {accessOf(fault, context)};
    // Cells of a far address would be those of whatever is there.
    if (!meant)
        addInstances(finding, fault.instances, buffer, false, context);
    return finding;
}

bool sameFinding(const AccessFault& a, const AccessFault& b)
{
    return a.kind == b.kind && a.staticSite == b.staticSite && a.isWrite == b.isWrite;
}

}  // namespace

LaunchError errorOf(const DeviceOutcome& outcome, const JudgeContext& context)
{
    for (const AccessFault& fault : outcome.faults) {
        if (fault.kind == AccessFault::Kind::Misaligned)
            return LaunchError::Misaligned;
        const bool isNowhere = !context.bufferAt(fault.address >> 32) || meantFarAway(fault, context);
        if (kindOf(fault.kind) == FindingKind::OutOfBounds && isNowhere)
            return LaunchError::IllegalAddress;
    }
    // Calls through what is no function.
    for (const ProgramFault& fault : outcome.programFaults)
        if (fault.kind == FindingKind::OutOfBounds)
            return LaunchError::IllegalAddress;
    return LaunchError::None;
}

std::vector<trace::Finding> findingsOf(const std::vector<AccessFault>& faults, const JudgeContext& context)
{
    std::vector<AccessFault> merged;
    for (const AccessFault& fault : faults) {
        auto known = std::find_if(merged.begin(), merged.end(),
                                  [&](const AccessFault& other) { return sameFinding(fault, other); });
        if (known == merged.end()) {
            merged.push_back(fault);
        } else {
            known->count += fault.count;
            known->instances.merge(fault.instances, false);
        }
    }
    // Where some threads leave the object, it is one mistake and the worse one that is told.
    std::set<uint32_t> outOfBounds;
    for (const AccessFault& fault : merged)
        if (fault.kind == AccessFault::Kind::OutOfBounds)
            outOfBounds.insert(fault.staticSite);
    std::erase_if(merged,
                  [&](const AccessFault& fault) { return isOfShape(fault) && outOfBounds.contains(fault.staticSite); });
    std::vector<trace::Finding> findings;
    for (const AccessFault& fault : merged)
        findings.push_back(findingOf(fault, context));
    return findings;
}

}  // namespace lanescope::device
