// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/record.h"

#include <bit>
#include <cstring>

namespace lanescope::cuda {

namespace {

Form addressForm(const RecordHeader& record)
{
    return static_cast<Form>(record.forms & 15);
}

Form valueForm(const RecordHeader& record)
{
    return static_cast<Form>(record.forms >> 4);
}

uint32_t lanesOf(const RecordHeader& record)
{
    return static_cast<uint32_t>(std::popcount(record.mask));
}

uint32_t addressUnits(const RecordHeader& record)
{
    switch (addressForm(record)) {
    case Form::None:
        return 0;
    case Form::Each:
        return unitsOf(8 * lanesOf(record));
    default:
        return 1;
    }
}

uint32_t valueUnits(const RecordHeader& record)
{
    switch (valueForm(record)) {
    case Form::None:
        return 0;
    case Form::Each:
        return unitsOf(record.valueBytes * lanesOf(record));
    default:
        return 1;
    }
}

const std::byte* payload(const RecordHeader& record)
{
    return reinterpret_cast<const std::byte*>(&record) + sizeof(RecordHeader);
}

}  // namespace

bool isSound(const RecordHeader& record)
{
    const uint32_t extra = record.kind == RecordKind::Branch ? 1 : 0;
    return record.mask != 0 && record.kind <= RecordKind::Object && record.valueBytes <= 16 &&
           (record.valueBytes & (record.valueBytes - 1)) == 0 && addressForm(record) <= Form::Each &&
           valueForm(record) <= Form::Each &&
           record.units == kHeaderUnits + extra + addressUnits(record) + valueUnits(record) &&
           ((record.kind == RecordKind::Access || record.kind == RecordKind::Object) == (addressUnits(record) != 0));
}

std::optional<AffineAddresses> affineAddresses(const RecordHeader& record)
{
    if (record.mask != UINT32_MAX || addressForm(record) != Form::Affine)
        return std::nullopt;
    AffineAddresses addresses;
    std::memcpy(&addresses, payload(record), sizeof addresses);
    return addresses;
}

void readAddresses(const RecordHeader& record, std::array<uint64_t, kWarpSize>& addresses)
{
    std::array<uint64_t, kWarpSize> stored{};
    std::memcpy(stored.data(), payload(record), size_t{addressUnits(record)} * kUnitBytes);
    const bool each = addressForm(record) == Form::Each;
    if (record.mask == UINT32_MAX) {
        for (uint64_t lane = 0; lane < kWarpSize; ++lane)
            addresses[lane] = each ? stored[lane] : stored[0] + stored[1] * lane;
        return;
    }
    const auto first = static_cast<uint64_t>(std::countr_zero(record.mask));
    size_t rank = 0;
    for (LaneMask rest = record.mask; rest != 0; rest &= rest - 1, ++rank) {
        const auto lane = static_cast<uint64_t>(std::countr_zero(rest));
        addresses[lane] = each ? stored[rank] : stored[0] + stored[1] * (lane - first);
    }
}

bool hasValues(const RecordHeader& record)
{
    return valueForm(record) != Form::None;
}

namespace {

template <typename Value>
void repeat(const std::byte* from, LaneBytes& to)
{
    Value value;
    std::memcpy(&value, from, sizeof value);
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        std::memcpy(to.data() + lane * sizeof value, &value, sizeof value);
}

}  // namespace

const std::byte* readValues(const RecordHeader& record, LaneBytes& values)
{
    if (!hasValues(record)) {
        values.fill({});
        return values.data();
    }
    const std::byte* from = payload(record) + size_t{addressUnits(record)} * kUnitBytes;
    const bool each = valueForm(record) == Form::Each;
    if (each && record.mask == UINT32_MAX)
        return from;
    if (!each && record.valueBytes == 4) {
        repeat<uint32_t>(from, values);
        return values.data();
    }
    if (!each && record.valueBytes == 8) {
        repeat<uint64_t>(from, values);
        return values.data();
    }
    const size_t bytes = record.valueBytes;
    const size_t step = each ? bytes : 0;
    for (LaneMask rest = record.mask; rest != 0; rest &= rest - 1, from += step)
        std::memcpy(values.data() + static_cast<size_t>(std::countr_zero(rest)) * bytes, from, bytes);
    return values.data();
}

uint32_t extraOf(const RecordHeader& record)
{
    uint32_t extra = 0;
    std::memcpy(&extra, payload(record), sizeof extra);
    return extra;
}

}  // namespace lanescope::cuda
