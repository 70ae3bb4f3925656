// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/replay/replay.h"
#include "core/replay/scalars.h"

namespace lanescope::replay {

using trace::ScalarKind;
using trace::ValueType;

uint64_t unsignedOf(const uint8_t* bytes, uint32_t size)
{
    uint64_t value = 0;
    // The stage asks for every cell that it tints: a copy of a known size is one instruction.
    if (size == 4)
        std::memcpy(&value, bytes, 4);
    else
        std::memcpy(&value, bytes, std::min<uint32_t>(size, 8));
    return value;
}

int64_t signedOf(const uint8_t* bytes, uint32_t size)
{
    const uint64_t value = unsignedOf(bytes, size);
    if (size == 0 || size >= 8)
        return static_cast<int64_t>(value);
    const uint64_t sign = uint64_t{1} << (8 * size - 1);
    return static_cast<int64_t>((value ^ sign) - sign);
}

namespace {

/// IEEE 754 binary16.
double halfOf(uint64_t bits)
{
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    const auto exponent = static_cast<int>((bits >> 10) & 0x1f);
    const auto fraction = static_cast<double>(bits & 0x3ff);
    if (exponent == 31)
        return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace

double realOf(const ValueType& type, const uint8_t* bytes)
{
    if (type.bytes == 4) {
        float value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }
    const uint64_t bits = unsignedOf(bytes, type.bytes);
    if (type.bytes == 8)
        return std::bit_cast<double>(bits);
    if (type.bytes != 2)
        return 0;
    const bool brain = type.name.find("bfloat") != std::string::npos;
    return brain ? std::bit_cast<float>(static_cast<uint32_t>(bits) << 16) : halfOf(bits);
}

namespace {

template <typename Float>
std::string floatText(Float value)
{
    if (std::isnan(value))
        return "nan";
    char buffer[64];
    const auto shortest = std::to_chars(buffer, buffer + sizeof buffer, value);
    const std::string text(buffer, shortest.ptr);
    const auto digits = std::count_if(text.begin(), std::find(text.begin(), text.end(), 'e'),
                                      [](char c) { return c >= '0' && c <= '9'; });
    return digits <= 9 ? text : fmt::format("{:.9g}", value);
}

std::string charText(uint64_t value)
{
    const auto c = static_cast<char>(value);
    switch (c) {
    case '\0':
        return "'\\0'";
    case '\n':
        return "'\\n'";
    case '\t':
        return "'\\t'";
    case '\r':
        return "'\\r'";
    case '\'':
    case '\\':
        return fmt::format("'\\{}'", c);
    default:
        return value >= 0x20 && value < 0x7f ? fmt::format("'{}'", c) : fmt::format("'\\x{:02x}'", value & 0xff);
    }
}

std::string scalarText(const ValueType& type, const uint8_t* bytes)
{
    switch (type.kind) {
    case ScalarKind::Signed:
        return std::to_string(signedOf(bytes, type.bytes));
    case ScalarKind::Unsigned:
        return std::to_string(unsignedOf(bytes, type.bytes));
    case ScalarKind::Bool:
        return unsignedOf(bytes, type.bytes) != 0 ? "true" : "false";
    case ScalarKind::Char:
        return charText(unsignedOf(bytes, 1));
    case ScalarKind::Pointer:
        return fmt::format("0x{:x}", unsignedOf(bytes, type.bytes));
    case ScalarKind::Float:
        if (type.bytes == 8)
            return floatText(realOf(type, bytes));
        if (type.bytes == 4 || type.bytes == 2)
            return floatText(static_cast<float>(realOf(type, bytes)));
        break;
    case ScalarKind::Bytes:
        break;
    }
    std::string text = "0x";
    for (uint32_t i = std::min(type.bytes, 16U); i-- > 0;)
        text += fmt::format("{:02x}", bytes[i]);
    return text;
}

}  // namespace

std::string valueText(const ValueType& type, const void* bytes)
{
    const auto* at = static_cast<const uint8_t*>(bytes);
    if (type.components <= 1)
        return scalarText(type, at);
    std::string text = "(";
    for (uint32_t i = 0; i < type.components; ++i) {
        if (i != 0)
            text += ", ";
        text += scalarText(type, at + size_t{i} * type.bytes);
    }
    text += ')';
    return text;
}

std::string valueText(const ValueType& type, const void* bytes, const trace::Catalog& catalog)
{
    if (type.kind != ScalarKind::Pointer || type.components > 1)
        return valueText(type, bytes);
    const uint64_t address = unsignedOf(static_cast<const uint8_t*>(bytes), type.bytes);
    for (const trace::Buffer& buffer : catalog.buffers) {
        // One past the end is still that buffer's: loops end there.
        if (buffer.space != trace::Space::Global || buffer.deviceAddress == 0 || address < buffer.deviceAddress ||
            address - buffer.deviceAddress > buffer.bytes)
            continue;
        const uint64_t offset = address - buffer.deviceAddress;
        return offset == 0 ? buffer.name : fmt::format("{}+0x{:x}", buffer.name, offset);
    }
    return valueText(type, bytes);
}

}  // namespace lanescope::replay
