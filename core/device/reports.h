// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device found wrong with the debuggee, in numbers: sites, blocks, threads, addresses. judge.h makes findings of
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/device/instances.h"
#include "core/trace/model.h"

namespace lanescope::device {

/// One subscript of an access outside the declared shape.
struct TriedSubscript {
    bool isKnown = false;
    int64_t value = 0;
    uint64_t extent = 0;  ///< declared; 0: none (a pointer's subscript)
};

/// A variable that begins its life without a value.
struct DeclaredVariable {
    std::string name;
    trace::SourceLocation where;
};

/// What a handler found wrong with the debuggee; kept per access site and merged in block order.
struct AccessFault {
    enum class Kind : uint8_t {
        OutOfBounds,
        OutOfShape,
        Misaligned,
        UseAfterFree,
        ReadOnly,
        NotDeviceMemory,
        NoPeerAccess
    };
    Kind kind = Kind::OutOfBounds;
    uint32_t staticSite = 0;
    bool isWrite = false;
    bool inHeap = false;  ///< of the kernels' malloc and new
    uint64_t address = 0;
    uint32_t bytes = 0;
    uint64_t block = 0;
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
    Instances instances;
    std::vector<TriedSubscript> subscripts;  ///< OutOfShape: those of the accessed array, outermost first
};

/// A barrier at which not all threads of the block met.
struct BarrierReport {
    /// The last two: of the grid's barrier.
    enum class Kind : uint8_t { WaitsElsewhere, RanPast, Exited, Deadlock, BlocksEnded, NotCooperative };
    Kind kind = Kind::Exited;
    SiteId sites[2] = {kNoSite, kNoSite};  ///< where one thread waits; where the other does, if it waits
    uint32_t threads[2] = {};
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
};

/// An undefined value that mattered.
struct UninitialisedUse {
    enum How : uint8_t { Branch, Address, Stored, Atomic, CopiedOut };
    How how = Branch;
    uint32_t site = UINT32_MAX;                  ///< static site of the load; none for a variable
    const DeclaredVariable* variable = nullptr;  ///< owned by the kernel's code
    trace::SourceLocation readAt;
    uint32_t useSite = UINT32_MAX;  ///< static site of the store or access; none for a branch
    trace::SourceLocation usedAt;
    uint64_t address = 0;  ///< of the load; of a shuffle: the lane that was read
    bool named = true;     ///< of a shuffle: its mask names that lane
    bool ended = false;    ///< a local variable whose block or function has ended
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
    Instances instances;
};

/// Another thing the debuggee did wrong, with the place and the first thread.
struct ProgramFault {
    FindingKind kind = FindingKind::Unknown;
    uint32_t staticSite = 0;
    std::string message;
    std::string help;  ///< empty: what the kind says
    uint64_t block = 0;
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
    bool isSurvived = false;  ///< a GPU goes on, too
    /// Another line that has its part in it; line 0: there is none.
    struct Other {
        trace::SourceLocation where;
        const char* access = "";  ///< as FindingAccess::access
        bool isFirst = false;     ///< it is what the finding is about
    } other;
};

/// Two unordered accesses; merged per pair of places while a block runs.
struct RaceReport {
    enum Hazard : uint8_t { ReadAfterWrite = 1, WriteAfterRead = 2, WriteAfterWrite = 4 };
    uint8_t hazards = 0;
    bool sameWarp = false;
    bool atomicSide = false;
    bool blockScope = false;         ///< atomics of two blocks, at least one of them of block scope
    bool fences = false;             ///< the kernel has some, but they do not order the two
    bool notAwaited = false;         ///< the first side is an asynchronous copy under way
    bool whileRead = false;          ///< the first side writes what the second, an asynchronous operation, still reads
    bool otherProxy = false;         ///< the second side is such an operation, for which the first was not fenced
    bool keptInCache = false;        ///< the later side reads by a cache that this launch's writes do not reach
    bool ofEarlier = false;          ///< the first side is of the launch before, which this one may overlap (Overlap)
    bool unfenced = false;           ///< a flag or lock would order them, had its taker fenced
    std::optional<LaunchId> beside;  ///< the first side is of this launch, which is under way beside that of the second
    uint32_t sites[2] = {};          ///< static sites: the earlier access of this run, the later one
    bool writes[2] = {};
    uint64_t blocks[2] = {};
    uint32_t threads[2] = {};
    uint32_t epoch = 0;  ///< of the later access
    uint64_t address = 0;
    StepIndex step = 0;
    uint64_t count = 0;
    Instances instances;
    uint64_t harmful = 0;  ///< of them, those in which the value written differs from what was there
};

}  // namespace lanescope::device
