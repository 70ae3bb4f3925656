// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stretches of code that one function of machine code can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/simt/native/native_job.h"

namespace lanescope::simt::native {

/// What machine code is made of, by where it stands in the lists (HandlerLists).
struct ListedHandler {
    /// Check: it writes nothing, and calls who looks at registers where something is wrong. Passed: it mostly does
    /// nothing that machine code cannot do; where it does, the function is left for it.
    enum class Kind : uint8_t { Plain, Access, Check, Terminator, Passed };
    Kind kind;
    size_t index;
};

class ListedHandlers {
public:
    explicit ListedHandlers(const NativeJob& job);
    [[nodiscard]] std::optional<ListedHandler> find(Handler handler) const;

private:
    std::unordered_map<Handler, ListedHandler> m_handlers;
};

/// Instructions that run one after the other, [begin, end) in the code.
struct Stretch {
    size_t begin;
    size_t end;
};

/// In order. They begin where a basic block does, or behind an instruction that is no part of any. Of one instruction
/// where that ends the block, as what a loop asks each time.
std::vector<Stretch> stretchesOf(const NativeJob& job, const ListedHandlers& handlers);

/// Stretches that one function runs, which begins with the first. Nobody comes to the others but from those before
/// them.
using Region = std::vector<Stretch>;

/// \p stretches, where turns are long (NativeJob) together with those that only they lead to. An instruction alone is
/// none: its own handler does as well.
std::vector<Region> regionsOf(const NativeJob& job, const std::vector<Stretch>& stretches);

/// Where an instruction goes on.
struct Successors {
    std::vector<const Instr*> targets;
    bool falls = true;  ///< on to the next one
};
Successors successorsOf(const NativeJob& job, const Instr& instr);

}  // namespace lanescope::simt::native
