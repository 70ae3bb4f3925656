// SPDX-License-Identifier: GPL-3.0-or-later
// What language a source is in, as far as its looks go: where comments begin and statements end, which words stand out.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::gui {

/// Mojo looks like Python.
enum class SourceLanguage : uint8_t { Cuda, Python };

inline SourceLanguage languageOf(std::string_view path)
{
    return path.ends_with(".py") || path.ends_with(".mojo") || path.ends_with(".🔥") ? SourceLanguage::Python
                                                                                     : SourceLanguage::Cuda;
}

}  // namespace lanescope::gui
