// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as Mojo's compiler spells them in debug information: "pkg layout::module tile_tensor::struct TileTensor[…]<…>",
// with a layout that compilation knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/DIBuilder.h>

namespace lanescope::simt {

/// A `TileTensor`, `LayoutTensor` or pointer to numbers.
struct MojoTensor {
    std::string element;            ///< as Mojo's IR has it: "f32", "si32"
    std::vector<uint64_t> extents;  ///< as they lie in memory, outermost first; empty: not known, or with gaps
    bool isShared = false;          ///< in shared memory
};

/// None: \p type is something else.
std::optional<MojoTensor> mojoTensor(std::string_view type);

/// The types of a function's parameters; \p function: "module m::fn f(TYPE,TYPE)".
std::vector<std::string> mojoParameterTypes(std::string_view function);

/// The array that \p tensor is, or its element where the extents are not known; null: an element that has no name here.
llvm::DIType* typeOfMojoTensor(llvm::DIBuilder& build, const MojoTensor& tensor);

}  // namespace lanescope::simt
