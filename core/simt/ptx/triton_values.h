// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of a Triton program: block tensors and numbers. Its debug information says which registers hold them,
// but neither shapes nor which of a statement's intermediate values the variable is; a section of the text does, which
// Lanescope's Python modules add where Triton compiles.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "core/simt/ptx/ptx_debug_info.h"

namespace lanescope::simt {

class TritonValues {
public:
    static constexpr const char* kSection = ".lanescope_values";

    TritonValues() = default;
    /// \p section: lines of "name type extent…", types as Triton's IR has them: "values f32 16 64"; a number has no
    /// extents. Lines of another form say nothing.
    explicit TritonValues(std::string_view section);

    [[nodiscard]] bool isEmpty() const { return m_values.empty(); }

    /// The type of an element as one that tells the tensor's shape, "float32[16][64]"; null: what \p variable holds is
    /// an intermediate value of the variable's statement.
    [[nodiscard]] llvm::DIType* typeOf(llvm::DIBuilder& build, const PtxSourceVariable& variable) const;

private:
    struct Value {
        std::string element;
        std::string extents;  ///< "[16][64]"
    };
    std::multimap<std::string, Value, std::less<>> m_values;  ///< by the variable's name
};

}  // namespace lanescope::simt
