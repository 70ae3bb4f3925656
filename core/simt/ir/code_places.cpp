// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/code_places.h"

#include <llvm/DebugInfo/Symbolize/Symbolize.h>

namespace lanescope::simt {

std::vector<CodePlace> codePlacesOf(const std::string& executable, uint64_t offset)
{
    // Kept: programs end with several questions about one executable. Never destroyed: asked while the program exits.
    static auto* const symbolizer = [] {
        llvm::symbolize::LLVMSymbolizer::Options options;
        options.PathStyle = llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath;
        return new llvm::symbolize::LLVMSymbolizer(options);
    }();
    llvm::Expected<llvm::DIInliningInfo> found =
        symbolizer->symbolizeInlinedCode(executable, {offset, llvm::object::SectionedAddress::UndefSection});
    if (!found) {
        llvm::consumeError(found.takeError());
        return {};
    }
    std::vector<CodePlace> places;
    for (uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
        const llvm::DILineInfo& frame = found->getFrame(i);
        if (frame)
            places.push_back({frame.FunctionName, frame.FileName, frame.Line, frame.Column});
    }
    return places;
}

}  // namespace lanescope::simt
