// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What machine code refers to that lies elsewhere each time: an object file has symbols for it, so that it can be kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/simt/native/native_job.h"

namespace lanescope::simt {

enum class JobSymbol : uint8_t {
    Code,            ///< the job's instructions
    Table,           ///< of an instruction: its side table
    Own,             ///< of an instruction: its own handler
    Before,          ///< of an instruction: what stands in it when the code is made, or read
    Callee,          ///< by its place in HandlerLists::callees
    PartlyExecuted,  ///< NativeJob::partlyExecuted
};

std::string symbolOf(JobSymbol symbol, size_t index = 0);

/// What the object has: a handler for the stretch that begins with instruction \p begin.
std::string symbolOfStretch(size_t begin);
/// The instruction where the stretch begins that \p name is the handler of; none: it is no such name.
std::optional<size_t> stretchOf(std::string_view name);

/// What a symbol stands for in \p job; none: \p name is none of these, or says more than there is.
std::optional<const void*> addressOf(const NativeJob& job, std::string_view name);

}  // namespace lanescope::simt
