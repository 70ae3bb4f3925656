// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitcode as object files and modules that are loaded at run time carry it: bitcode itself does not say how long it is.
// Little-endian: "LSBC", flags, the bitcode's bytes, the text's bytes (8 each), the bitcode, the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lanescope {

struct DeviceImage {
    static constexpr uint32_t kMagic = 0x4342534C;  ///< "LSBC"
    static constexpr uint32_t kRelocatable = 1;     ///< one module with all such images of its executable or library
    static constexpr uint32_t kManagedVariables = 2;

    std::string_view bitcode;
    uint32_t flags = 0;
    std::string_view info;  ///< what the runtime wants to know of the file: lines "key value"

    [[nodiscard]] std::string packed() const
    {
        std::string bytes;
        const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
        put(kMagic);
        put(flags);
        put(uint64_t{bitcode.size()});
        put(uint64_t{info.size()});
        return bytes.append(bitcode).append(info);
    }

    /// The bitcode as text, for what expects PTX: a comment of PTX's, then hexadecimal digits.
    static constexpr std::string_view kTextBegin = "//LSBC\n";
    [[nodiscard]] std::string text() const
    {
        constexpr const char* kDigits = "0123456789abcdef";
        std::string text(kTextBegin);
        text.reserve(text.size() + 2 * bitcode.size());
        for (const char byte : bitcode) {
            text += kDigits[static_cast<unsigned char>(byte) >> 4];
            text += kDigits[static_cast<unsigned char>(byte) & 15];
        }
        return text;
    }

    /// Of what starts with kMagic; refers to it.
    static DeviceImage unpacked(const void* image)
    {
        const char* at = static_cast<const char*>(image) + sizeof(kMagic);
        const auto take = [&](auto& value) {
            std::memcpy(&value, at, sizeof(value));
            at += sizeof(value);
        };
        uint32_t flags = 0;
        uint64_t bitcodeBytes = 0;
        uint64_t infoBytes = 0;
        take(flags);
        take(bitcodeBytes);
        take(infoBytes);
        return {{at, bitcodeBytes}, flags, {at + bitcodeBytes, infoBytes}};
    }
};

}  // namespace lanescope
