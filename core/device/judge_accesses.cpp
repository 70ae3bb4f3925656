// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses outside of what they may touch, as findings: one per (kind, site).

#include <algorithm>
#include <cstdlib>
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
    case AccessFault::Kind::NoPeerAccess:
        return FindingKind::NoPeerAccess;
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

/// The indices that were tried, in the array's own dimensions; empty where not all of them are known.
std::vector<int64_t> triedCell(const AccessFault& fault)
{
    std::vector<int64_t> cell;
    for (const TriedSubscript& subscript : fault.subscripts) {
        if (!subscript.isKnown)
            return {};
        cell.push_back(subscript.value);
    }
    return cell;
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

/// A buffer and where it begins.
struct PlacedBuffer {
    const trace::Buffer* buffer = nullptr;
    uint64_t begin = 0;

    [[nodiscard]] int64_t elementBytes() const { return std::max<uint32_t>(buffer->element.totalBytes(), 1); }
    /// Rounded down; negative before the buffer. An index that wrapped at 32 bits is gigabytes behind it, and is -1,
    /// too.
    [[nodiscard]] int64_t indexOf(uint64_t address) const
    {
        constexpr int64_t kWrap = int64_t{1} << 32;
        const auto distance = static_cast<int64_t>(address - begin);
        const int64_t index = (distance < 0 ? distance - elementBytes() + 1 : distance) / elementBytes();
        return index >= kWrap / 2 && index < kWrap ? index - kWrap : index;
    }
    /// Whether some index of 32 bits leads there.
    [[nodiscard]] bool reaches(uint64_t address) const
    {
        constexpr int64_t kMost = int64_t{1} << 31;
        const int64_t index = indexOf(address);
        return index >= -kMost && index < kMost;
    }
};

/// The buffer that the program meant where the address is in none, or in another that is gigabytes away: that of `in`
/// of "in[i - 1]" if it is an argument of the launch, or else the nearest by index. None where no index leads there.
PlacedBuffer meantFarAway(const AccessFault& fault, const JudgeContext& context)
{
    if (fault.kind != AccessFault::Kind::OutOfBounds && fault.kind != AccessFault::Kind::NotDeviceMemory)
        return {};
    const std::string& expression = context.sites[fault.staticSite].expression;
    const std::string name = expression.substr(0, expression.find('['));
    const auto isNamed = [&](const trace::Buffer& buffer) {
        return std::ranges::any_of(context.launch.arguments, [&](const trace::LaunchArgument& argument) {
            return argument.name == name && argument.buffer == buffer.id;
        });
    };
    const bool isNowhere = !context.bufferAt(fault.address >> 32);
    PlacedBuffer nearest;
    for (const auto& [slot, buffer] : context.buffers) {
        const PlacedBuffer candidate{&buffer, slot << 32};
        if (slot == fault.address >> 32 || buffer.space != trace::Space::Global || !candidate.reaches(fault.address))
            continue;
        if (isNamed(buffer))
            return candidate;
        const auto isNearer = [&] {
            return std::abs(candidate.indexOf(fault.address)) < std::abs(nearest.indexOf(fault.address));
        };
        if (isNowhere && (!nearest.buffer || isNearer()))
            nearest = candidate;
    }
    return nearest;
}

std::string message(const AccessFault& fault, const trace::Buffer* buffer, const trace::Launch& launch)
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
    case AccessFault::Kind::NoPeerAccess:
        return fmt::format("{} of {}, memory of device {}, by a kernel on device {}, which has no access to it", verb,
                           cell, buffer->device, launch.device);
    case AccessFault::Kind::ReadOnly:
        return fmt::format("write to {}, which is constant memory", cell);
    case AccessFault::Kind::Misaligned:
        return fmt::format("misaligned {} of {} bytes at byte {} of {}", verb, fault.bytes, offset, buffer->name);
    default:
        return fmt::format("{} of {} is out of bounds: {} is {}", verb, cell, buffer->name, shapeText(*buffer));
    }
}

std::string farMessage(const AccessFault& fault, const PlacedBuffer& meant)
{
    return fmt::format("{} of {}[{}] is out of bounds: {} is {}", fault.isWrite ? "write" : "read", meant.buffer->name,
                       meant.indexOf(fault.address), meant.buffer->name, shapeText(*meant.buffer));
}

bool isOfShape(const AccessFault& fault)
{
    return fault.kind == AccessFault::Kind::OutOfShape;
}

/// The array and the indices that were tried in it. What the compiler folded into the address, "a[0]" of "a[0][i + 8]",
/// is an index as well where it is written as a number.
void placeOfShape(trace::Finding& finding, const AccessFault& fault, const trace::Site& site)
{
    finding.buffer = arrayName(fault, site);
    finding.cell = triedCell(fault);
    const auto [name, folded] = splitSubscripts(finding.buffer, finding.buffer.size());
    const auto isNumber = [](const std::string& text) {
        return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (finding.cell.empty() || !std::ranges::all_of(folded, isNumber))
        return;
    finding.buffer = name;
    for (auto subscript = folded.rbegin(); subscript != folded.rend(); ++subscript)
        finding.cell.insert(finding.cell.begin(), std::stoll(*subscript));
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
    const PlacedBuffer meant = meantFarAway(fault, context);
    const trace::Buffer* const buffer = meant.buffer ? meant.buffer : context.bufferAt(fault.address >> 32);
    const auto indexOf = [&](uint64_t address) {
        return meant.buffer ? meant.indexOf(address) : cellOf(address, *buffer);
    };
    trace::Finding finding;
    finding.kind = kindOf(fault.kind);
    finding.severity = Severity::Error;
    finding.message = meant.buffer       ? farMessage(fault, meant)
                      : isOfShape(fault) ? shapeMessage(fault, context.sites[fault.staticSite])
                                         : message(fault, buffer, context.launch);
    finding.count = fault.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    finding.buffer = buffer ? buffer->name : "";
    if (buffer) {
        finding.cell = {indexOf(fault.address)};
    } else if (isOfShape(fault)) {
        placeOfShape(finding, fault, context.sites[fault.staticSite]);
    }
    finding.accesses = {accessOf(fault, context)};
    addInstances(finding, fault.instances, buffer ? CellOfAddress(indexOf) : nullptr, false, context);
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
        if (fault.kind == AccessFault::Kind::NoPeerAccess)
            return LaunchError::IllegalAddress;
        const bool isNowhere = !context.bufferAt(fault.address >> 32) || meantFarAway(fault, context).buffer;
        if (kindOf(fault.kind) == FindingKind::OutOfBounds && isNowhere)
            return LaunchError::IllegalAddress;
    }
    // Calls through what is no function.
    for (const ProgramFault& fault : outcome.programFaults)
        if (fault.kind == FindingKind::OutOfBounds && !fault.isSurvived)
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
