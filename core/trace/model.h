// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace holds: the session's tables (sources, launches, buffers, sites, variables, findings) and
// the events of each block. Read this header first; every producer and every view speaks these types.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/findings/kinds/finding_kinds.h"
#include "core/findings/kinds/stop_reason.h"
#include "core/trace/process_rank.h"
#include "core/trace/program_end.h"

namespace lanescope::trace {

/// Bumped when an older reader would misread a newer file.
/// 2: values of variable writes may follow from Site::derivation.
/// 3: chunks of format 2, whose slots begin with what another warp has there (predictor.h).
/// 4: checksums of chunks are xxHash's (content_hash.h).
/// 5: a chunk may have parts of several blocks (chunk_packer.h), a tally may be told by another (block_tally.h).
/// 6: runs of unevenly spaced accesses advance, as those of others do (block_tally.h).
/// 7: parts of a block may be told by those of another (told_part.h).
/// 8: Site::derivation computes with integers, too, and its steps have widths.
/// 9: what a buffer holds when a launch begins may be told by what it held before, and pages (kept_contents.h).
inline constexpr int kSchemaVersion = 9;

/// Byte offsets of a whole warp's lanes, each half evenly spaced: lane i of half h is at first[h] + i * step[h].
struct EvenOffsets {
    std::array<uint32_t, 2> first{};
    std::array<uint32_t, 2> step{};  ///< modulo 2^32
};

enum class Space : uint8_t { Global, Shared, Constant, Local };

enum class ScalarKind : uint8_t { Signed, Unsigned, Float, Bool, Char, Pointer, Bytes };

/// A scalar (or opaque) type as the source spells it: {Float, 4, "float"}, {Signed, 4, "int"}.
/// Vectors such as float4 are Float with `bytes` 4 and `components` 4.
struct ValueType {
    ScalarKind kind = ScalarKind::Bytes;
    uint32_t bytes = 1;  ///< of one component
    uint32_t components = 1;
    std::string name;

    [[nodiscard]] uint32_t totalBytes() const { return bytes * components; }
};

struct Source {
    SourceId id;
    std::string path;  ///< as given to the compiler
    std::string text;
};

struct SourceLocation {
    SourceId source;
    uint32_t line = 0;    ///< 1-based; 0 when unknown
    uint32_t column = 0;  ///< 1-based; 0 when unknown

    friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

enum class SiteKind : uint8_t { Load, Store, Atomic, VariableWrite, Branch, Barrier, Exit, Call, Return };

/// One step of a postfix expression over integers, floats and doubles. What is narrower than 64 bits is in the low
/// ones, below zeros.
struct DerivationStep {
    enum class Op : uint8_t {
        Variable,    ///< what variable `operand` holds in this lane
        Load,        ///< what this lane loaded last at site `operand`
        Constant,    ///< the bits in `operand`
        Coordinate,  ///< x, y, z of (operand 0 to 2) the thread, of (3 to 5) the block, sizes of (6 to 8) blocks, (9 to
                     ///< 11) the grid
        // Of floats (bits 32) and doubles (64), in the arithmetic of IEEE 754.
        Add,
        Subtract,
        Multiply,
        Divide,
        Negate,
        MultiplyAdd,  ///< a × b + c, rounded once
        // Of integers, modulo 2^bits. Shifts by `bits` or more leave nothing, or the sign. By 0, quotients are all ones
        // and remainders what was divided.
        IntegerAdd,
        IntegerSubtract,
        IntegerMultiply,
        UnsignedDivide,
        SignedDivide,
        UnsignedRemainder,
        SignedRemainder,
        ShiftLeft,
        ShiftRight,
        ShiftRightSigned,
        And,
        Or,
        Xor,
        UnsignedMinimum,
        UnsignedMaximum,
        SignedMinimum,
        SignedMaximum,
        // From `operand` bits.
        Truncate,
        SignExtend,
        SignedToFloat,
        UnsignedToFloat,
        FloatToFloat,
        // 1 or 0; `bits` are those of what is compared.
        Equal,
        UnsignedLess,
        UnsignedLessEqual,
        SignedLess,
        SignedLessEqual,
        FloatEqual,
        FloatLess,
        FloatLessEqual,
        Not,     ///< of 1 or 0
        Select,  ///< the second where the first is not 0, else the third
    };
    Op op = Op::Constant;
    uint8_t bits = 0;  ///< of the result, 1 to 64; as read from traces before schema 8, 0: those of the site's type
    uint64_t operand = 0;
};
using Derivation = std::vector<DerivationStep>;
inline constexpr size_t kMaxDerivationSteps = 32;

/// Where a register of a matrix product comes from or goes to, as far as events tell it.
struct RegisterPlace {
    enum class Kind : uint8_t {
        Unknown,
        Access,    ///< the value of the latest event of site `id`
        Variable,  ///< what variable `id` holds
    };
    Kind kind = Kind::Unknown;
    uint32_t id = 0;
    uint32_t byte = 0;  ///< in that value

    friend bool operator==(const RegisterPlace&, const RegisterPlace&) = default;
};
inline constexpr size_t kMaxRegisterPlaces = 64;

/// One static place in the program that produces events.
struct Site {
    SiteId id;
    SiteKind kind = SiteKind::Load;
    SourceLocation where;
    std::string expression;              ///< text of the accessed expression, "a_shared[local_row][k]"; may be empty
    std::string function;                ///< source name of the enclosing device function
    Space space = Space::Global;         ///< of an access whose space is static; else Global
    ValueType type;                      ///< of the accessed or written value
    std::optional<VariableId> variable;  ///< VariableWrite: which
    /// VariableWrite: the value of events that carry none. Empty: always recorded.
    /// The loads' values are recorded, or follow from the block's own events and what the launch found.
    Derivation derivation = {};
    /// The PTX instruction that the access is a part of, "mbarrier.arrive.expect_tx.shared::cta.b64", where it is one
    /// of asynchronous copies, their barriers or matrices; else empty, as in traces of before.
    std::string instruction = {};
    /// Call, of a product of matrices (mma, wgmma), or of some columns of one: its operands' registers without the
    /// addends, A's first, and behind them those of its sums, of which Access names who writes them. Of a matrix in
    /// shared memory Unknown. Not in traces of before.
    std::vector<RegisterPlace> registers = {};
};

/// A source variable or parameter of a device function that lives in registers.
struct Variable {
    VariableId id;
    std::string name;
    std::string function;
    ValueType type;
    SourceLocation declared;
    uint32_t scopeFirstLine = 0;  ///< [first, last] lines in which it can be seen; 0,0 when unknown
    uint32_t scopeLastLine = 0;
    bool isParameter = false;
};

/// A named allocation. Global and Constant live for the session; Shared exists once per block and
/// Local once per thread of a launch.
struct Buffer {
    BufferId id;
    std::string name;  ///< source name; for cudaMalloc'd memory the first parameter it was passed as
    Space space = Space::Global;
    ValueType element;
    std::vector<uint64_t> dims;  ///< elements, outermost first; {count} when only the size is known
    uint64_t bytes = 0;
    std::optional<LaunchId> launch;  ///< Shared and Local: the launch they belong to
    uint64_t sharedOffset = 0;       ///< Shared: byte offset in the block's shared memory (banks)
    uint64_t deviceAddress = 0;      ///< Global: what the program sees; alignment for sectors
    std::string allocatedAt;         ///< "cudaMalloc #2", a declaration's file:line, or empty
    uint32_t device = 0;             ///< Global: whose memory it is
};

/// One kernel argument as passed.
struct LaunchArgument {
    std::string name;
    std::string type;  ///< source spelling
    std::string text;  ///< value for people: "9", "0.5", "a" for a pointer into buffer a
    std::optional<BufferId> buffer;
};

struct Launch {
    LaunchId id;
    std::string kernel;  ///< source name, demangled without parameters
    SourceLocation where;
    Dim3 grid;
    Dim3 block;
    uint64_t dynamicSharedBytes = 0;
    std::vector<LaunchArgument> arguments;
    uint64_t blocksRecorded = 0;
    uint64_t blocksDropped = 0;  ///< not selected, or over the byte budget
    uint64_t eventsDropped = 0;
    uint64_t warpInstructions = 0;
    Dim3 cluster;           ///< blocks that see each other's shared memory; 1 x 1 x 1 where there are none
    uint64_t flops = 0;     ///< floating-point operations of all lanes, as the producer counted them; an FMA is two
    bool complete = false;  ///< false: the recording ended inside this launch
    std::string blockWord = "block";  ///< what the kernel's language calls a thread block; Triton: "program"
    uint32_t device = 0;              ///< that it ran on

    [[nodiscard]] uint64_t threadsPerBlock() const { return block.count(); }
    [[nodiscard]] uint32_t warpsPerBlock() const
    {
        return static_cast<uint32_t>((block.count() + kWarpSize - 1) / kWarpSize);
    }
};

/// One side of a finding.
struct FindingAccess {
    SourceLocation where;
    std::string expression;
    std::string access;  ///< "read", "write", "atomic", "barrier"
    Dim3 block;
    Dim3 thread;
    uint32_t epoch = 0;
    StepIndex step = 0;
};

/// Another occurrence of a finding that is worth a look.
struct FindingInstance {
    std::string which;  ///< "smallest", "typical"
    std::vector<int64_t> cell;
    std::vector<FindingAccess> accesses;
};

struct Finding {
    FindingKind kind = FindingKind::Unknown;
    Severity severity = Severity::Error;
    std::string message;
    uint64_t count = 1;
    std::string kernel;
    LaunchId launch;
    std::string buffer;
    std::vector<int64_t> cell;
    std::vector<FindingAccess> accesses;     ///< of the first occurrence
    std::vector<FindingInstance> instances;  ///< those that differ from the first one
    /// Where accesses are in a library's header: the program's own calls that lead there; `access` is "call".
    std::vector<FindingAccess> calls;
    std::string help;  ///< where what the kind says does not fit
    /// Numbers of a piece of advice by the contract's names: {"degree", 32}, {"bytes", 4096}.
    std::vector<std::pair<std::string, double>> numbers;
};

/// What one site's accesses (or branches, or arrivals at a barrier) of a launch came to, where the device that ran the
/// launch counted them instead of recording each. A site that uses two spaces has two.
struct SiteCounts {
    LaunchId launch;
    SiteId site;
    Space space = Space::Global;
    uint32_t bytes = 0;         ///< of each lane's access; 0: no access
    uint64_t requests = 0;      ///< executions by a warp with at least one active lane
    uint64_t laneAccesses = 0;  ///< active lanes of them
    uint64_t sectors = 0;       ///< Global only, as is idealSectors
    uint64_t idealSectors = 0;
    uint64_t wavefronts = 0;  ///< Shared only, as is idealWavefronts
    uint64_t idealWavefronts = 0;
    uint64_t divergent = 0;         ///< Branch: executions in which the lanes went both ways
    std::vector<uint64_t> degrees;  ///< Shared: [conflict degree - 1], requests; 32 entries
    BufferId buffer = kNoBuffer;    ///< Global: that of the lowest address
    uint64_t firstByte = 0;         ///< Global: the footprint, as offsets in that buffer; half-open
    uint64_t endByte = 0;
};

/// What an instruction does that is no access, branch, barrier or call.
enum class OperationKind : uint8_t {
    Integer,  ///< arithmetic, comparisons, addresses; conversions, too
    Float,
    Shuffle,  ///< one lane reads another's register
    Vote,
    Match,
    Reduction,  ///< of a warp's integers (redux)
    Matrix
};

/// How often warps ran the operations of one kind that one place of the source is compiled to, in the recorded blocks
/// of a launch. Operations are those of the code that ran: unoptimised or as compiled.
struct LineOperations {
    LaunchId launch;
    SourceLocation where;  ///< Integer and Float: of a whole line, column 0
    std::string function;  ///< as Site::function
    OperationKind kind = OperationKind::Integer;
    uint64_t executions = 0;  ///< by a warp with at least one active lane
    uint64_t lanes = 0;       ///< active lanes of them
    friend bool operator==(const LineOperations&, const LineOperations&) = default;
};

/// A number that hardware gave for a launch, in a run without instrumentation.
struct Measurement {
    LaunchId launch;
    std::string name;    ///< "kernel time", "shared wavefronts", …
    uint64_t value = 0;  ///< ns for times
};

/// What the driver says of the GPU that ran the program. Zeros: unknown, or no GPU did.
struct DeviceProperties {
    uint32_t capability = 0;  ///< 90: compute capability 9.0
    uint32_t multiprocessors = 0;
    uint32_t clockKilohertz = 0;        ///< of the multiprocessors, the highest
    uint32_t memoryClockKilohertz = 0;  ///< two transfers each
    uint32_t memoryBusBits = 0;
    friend bool operator==(const DeviceProperties&, const DeviceProperties&) = default;
};

struct SessionInfo {
    std::string program;  ///< path of the .cu
    std::string commandLine;
    std::string device = "simulator";  ///< or the GPU's name
    DeviceProperties properties;       ///< of that GPU; older traces have none
    std::string mode = "-O0";          ///< or "as-compiled"
    std::string schedule = "lockstep";
    std::string producer;   ///< "lanescope 0.1"
    std::string libraries;  ///< whose Thrust, CUB and libcu++ it was compiled with: "CCCL 2.8.2 of /usr/include"
    bool variablesRecorded = true;
    std::optional<ProcessRank> rank;  ///< of a parallel job's process
    ProgramEnd programEnd;
    bool finished = false;  ///< the writer closed the file in order
    StopReason stopReason;  ///< when a limit or an unsupported instruction stopped it

    [[nodiscard]] bool isOfGpu() const { return device != "simulator"; }
    /// Nothing will be added: the writer closed the file, or somebody saw the program end.
    [[nodiscard]] bool hasEnded() const { return finished || programEnd.how != ProgramEnd::How::Unknown; }
};

/// All small tables. Vectors are indexed by the dense ids.
struct Catalog {
    SessionInfo session;
    std::vector<Source> sources;
    std::vector<Launch> launches;
    std::vector<Buffer> buffers;
    std::vector<Site> sites;
    std::vector<Variable> variables;
    std::vector<Finding> findings;
    std::vector<SiteCounts> counts;          ///< by launch; empty unless a device counted
    std::vector<Measurement> measurements;   ///< by launch; empty unless hardware was asked
    std::vector<LineOperations> operations;  ///< by launch; of the simulator's launches, not in older traces
};

/// The path of a source; "" for one that is not in the catalog.
inline std::string pathOf(const Catalog& catalog, SourceId source)
{
    return source.value < catalog.sources.size() ? catalog.sources[source.value].path : std::string();
}

/// One site run by one warp. Lanes outside `mask` hold unspecified values.
struct Event {
    SiteId site;
    uint16_t warp = 0;
    SiteKind kind = SiteKind::Load;  ///< the site's kind, repeated for convenience
    LaneMask mask = 0;
    LaneMask taken = 0;           ///< Branch: lanes that took the first successor ("true")
    uint8_t valueBytes = 0;       ///< per lane: 0 (no values), 1, 2, 4, 8 or 16
    bool valuesKnown = false;     ///< the values below are filled (recorded, or derived by replay)
    BufferId buffer = kNoBuffer;  ///< accesses: common buffer of all lanes, or kNoBuffer if `laneBuffer` counts
    std::array<uint64_t, kWarpSize>
        offset{};                      ///< accesses: byte offset in the lane's buffer (raw address if it has none)
    std::vector<BufferId> laneBuffer;  ///< size 32 when lanes touch different buffers, else empty
    std::array<std::array<uint8_t, 16>, kWarpSize> value{};  ///< little-endian, first valueBytes count; [lane][byte]

    [[nodiscard]] BufferId bufferOf(int lane) const
    {
        return laneBuffer.empty() ? buffer : laneBuffer[static_cast<size_t>(lane)];
    }
    [[nodiscard]] bool isAccess() const
    {
        return kind == SiteKind::Load || kind == SiteKind::Store || kind == SiteKind::Atomic;
    }
    /// Atomic: `value` is what memory holds afterwards.
};

}  // namespace lanescope::trace
