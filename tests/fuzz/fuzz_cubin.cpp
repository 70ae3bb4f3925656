// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the reader of a module's machine code, and what it calls its functions to what reads such names. The
// bytes are a name and a source, too: the first line, and all of them.
#include <algorithm>

#include "core/attach/cubin.h"
#include "core/attach/names.h"
#include "core/base/assert.h"

namespace {

using namespace lanescope;

constexpr size_t kLongestText = 4096;  ///< demangling takes more than linear time

void readName(const std::string& name, const std::string& source)
{
    const std::string text = attach::demangled(name);
    LS_ASSERT(!text.empty() || name.empty());
    const std::string plain = attach::plainName(text);
    LS_ASSERT(plain.size() <= text.size());
    const std::vector<std::string> types = attach::parameterTypes(text);
    for (const std::string& type : types)
        LS_ASSERT(!attach::pointeeOf(type) || attach::pointeeOf(type)->totalBytes() > 0);
    const size_t found = attach::parameterNames(source, plain, types.size()).size();
    LS_ASSERT(found == 0 || found == types.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const attach::CubinContents contents = attach::readCubin(std::as_bytes(std::span(data, size)));
    for (const auto& function : contents.functions) {
        LS_ASSERT(!function.name.empty() && function.name.size() < size);
        readName(function.name, {});
    }
    for (const auto& variable : contents.variables)
        LS_ASSERT(!variable.name.empty() && variable.name.size() < size);
    const std::string text(reinterpret_cast<const char*>(data), std::min(size, kLongestText));
    readName(text.substr(0, text.find('\n')), text);
    return 0;
}
