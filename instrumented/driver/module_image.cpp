// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/driver/module_image.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/base/device_image.h"
#include "instrumented/driver/fat_binary.h"

namespace lanescope::driver {

namespace {

using Kind = runtime::DeviceCode::Kind;

constexpr uint32_t kElfMagic = 0x464C457F;
constexpr uint32_t kBitcodeMagic = 0xDEC04342;
/// The model GPU's, and what of later ones is told to be for all.
constexpr uint32_t kArchitecture = 90;

std::vector<std::byte> bytesOf(std::string_view text)
{
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

Error machineCodeOnly()
{
    return {Error::Code::Unsupported,
            "machine code only, and the simulator runs PTX: build with PTX in it, nvcc -gencode "
            "arch=compute_90,code=compute_90 (or -arch=compute_90)",
            "module"};
}

Result<ModuleImage> fromFatBinary(const void* image)
{
    const Result<std::vector<FatBinaryEntry>> entries = fatBinaryEntries(image);
    if (!entries)
        return entries.error();
    const FatBinaryEntry* best = nullptr;
    for (const FatBinaryEntry& entry : entries.value())
        if (entry.kind == FatBinaryEntry::Kind::Ptx && entry.architecture <= kArchitecture &&
            (!best || entry.architecture > best->architecture))
            best = &entry;
    if (!best) {
        const bool isLater = std::ranges::any_of(
            entries.value(), [](const FatBinaryEntry& entry) { return entry.kind == FatBinaryEntry::Kind::Ptx; });
        if (!isLater)
            return machineCodeOnly();
        return Error{Error::Code::Unsupported,
                     "PTX for architectures after sm_90 only, which is what the simulator models: build for "
                     "compute_90 or an earlier one",
                     "module"};
    }
    Result<std::string> text = ptxOf(*best);
    if (!text)
        return text.error();
    return ModuleImage{Kind::Ptx, bytesOf(text.value())};
}

/// \p digits: hexadecimal, small letters.
Result<ModuleImage> fromDigits(std::string_view digits)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    ModuleImage image{Kind::Bitcode, {}};
    for (size_t i = 0; i + 1 < digits.size(); i += 2) {
        const size_t high = kDigits.find(digits[i]);
        const size_t low = kDigits.find(digits[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos)
            return Error{Error::Code::BadInput, "is damaged", "module of libnvrtc"};
        image.bytes.push_back(static_cast<std::byte>(high << 4 | low));
    }
    return image;
}

bool looksLikeText(const char* text)
{
    const size_t spaces = std::strspn(text, " \t\r\n");
    return text[spaces] == '.' || text[spaces] == '/';
}

}  // namespace

Result<ModuleImage> readImage(const void* image)
{
    uint32_t magic = 0;
    std::memcpy(&magic, image, std::min(sizeof(magic), strnlen(static_cast<const char*>(image), sizeof(magic)) + 1));
    switch (magic) {
    case kFatBinaryMagic:
        return fromFatBinary(image);
    case kFatBinaryWrapperMagic: {
        const void* inner = nullptr;
        std::memcpy(static_cast<void*>(&inner), static_cast<const std::byte*>(image) + 8, sizeof(inner));
        return fromFatBinary(inner);
    }
    case kElfMagic:
        return machineCodeOnly();
    case DeviceImage::kMagic:
        return ModuleImage{Kind::Bitcode, bytesOf(DeviceImage::unpacked(image).bitcode)};
    default:
        break;
    }
    const char* text = static_cast<const char*>(image);
    if (magic == kBitcodeMagic || !looksLikeText(text))
        return Error{Error::Code::BadInput, "found neither PTX text nor a fat binary with PTX in it", "module"};
    if (const std::string_view all = text; all.starts_with(DeviceImage::kTextBegin))
        return fromDigits(all.substr(DeviceImage::kTextBegin.size()));
    return ModuleImage{Kind::Ptx, bytesOf(text)};
}

}  // namespace lanescope::driver
