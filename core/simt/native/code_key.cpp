// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/code_key.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/trace/content_hash.h"

namespace lanescope::simt {
namespace {

/// All that a key is made of, one after the other.
class KeyText {
public:
    template <typename Number>
        requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>)
    KeyText& operator<<(Number number)
    {
        return addBytes(&number, sizeof number);
    }
    KeyText& operator<<(const Operand& operand) { return *this << operand.reg << operand.form; }
    KeyText& operator<<(const AddressTerm& term) { return *this << term.operand << term.wide << term.scale; }
    KeyText& operator<<(SiteId site) { return *this << site.value; }
    KeyText& operator<<(const std::string& text)
    {
        *this << text.size();
        return addBytes(text.data(), text.size());
    }
    template <typename T>
    KeyText& operator<<(std::span<const T> all)
    {
        *this << all.size();
        for (const T& one : all)
            *this << one;
        return *this;
    }
    [[nodiscard]] std::array<uint64_t, 2> hash() const { return trace::contentHash(std::as_bytes(std::span(m_bytes))); }

private:
    KeyText& addBytes(const void* from, size_t bytes)
    {
        const auto* begin = static_cast<const uint8_t*>(from);
        m_bytes.insert(m_bytes.end(), begin, begin + bytes);
        return *this;
    }

    std::vector<uint8_t> m_bytes;
};

void add(KeyText& text, const MemoryInfo& info)
{
    text << info.base << info.offset << info.scalarTermCount << info.vectorTermCount << info.bytes << info.components
         << info.alignment << info.wide << info.isVolatile << info.isAtomic << info.isPlain << info.blockScope
         << info.clusterScope << info.isArrival << info.keptInCache << info.forHost << info.staticSite << info.raceSite
         << info.pattern << info.site << info.foreseen << info.foreseenGroup << info.isForeseenRow
         << (info.row ? info.row->length : 0);
    text << std::span<const Operand>(info.values) << std::span<const AddressTerm>(info.scalarTerms)
         << std::span<const AddressTerm>(info.vectorTerms);
}

void add(KeyText& text, const ShapeCheck& check)
{
    text << check.limits.count << check.limits.isFull;
    for (unsigned i = 0; i < check.limits.count; ++i)
        text << check.limits.limits[i].index << check.limits.limits[i].extent;
    for (const ShapeDim& dim : check.dims)
        text << dim.index.operand;
}

/// What side tables instructions have, by their handlers.
class Tables {
public:
    explicit Tables(const NativeJob& job) : m_job(job), m_kinds(kindsOf(job)) {}

    void add(KeyText& text, const Instr& instr) const
    {
        const auto known = m_kinds.find(m_job.handlerOf(instr));
        switch (known != m_kinds.end() ? known->second : Kind::Unlisted) {
        case Kind::Access:
            return simt::add(text, *reinterpret_cast<const MemoryInfo*>(instr.imm));
        case Kind::Check:
            return simt::add(text, *reinterpret_cast<const ShapeCheck*>(instr.imm));
        case Kind::Jump:
            return addPlace(text, reinterpret_cast<const Instr*>(instr.imm));
        case Kind::Terminator:
            return instr.imm ? addBranch(text, *reinterpret_cast<const BranchInfo*>(instr.imm)) : void();
        case Kind::Shuffle:
            text << reinterpret_cast<const WarpCall*>(instr.imm)->imm
                 << reinterpret_cast<const WarpCall*>(instr.imm)->members;
            return;
        case Kind::Call:
            return addCall(text, *reinterpret_cast<const LaneCall*>(instr.imm));
        case Kind::Atomic:
            return addAtomic(text, *reinterpret_cast<const AtomicInfo*>(instr.imm));
        case Kind::Switch:
            return addSwitch(text, *reinterpret_cast<const SwitchInfo*>(instr.imm));
        case Kind::Plain:
            text << instr.imm;
            return;
        case Kind::Unlisted:
            // A large number is mostly an address, of what making code does not look at.
            text << (instr.imm <= UINT32_MAX ? instr.imm : 0);
            return;
        }
    }

private:
    enum class Kind : uint8_t { Plain, Access, Check, Jump, Terminator, Shuffle, Call, Atomic, Switch, Unlisted };
    using Kinds = std::unordered_map<Handler, Kind>;

    /// The first that is said of a handler counts.
    static const Kinds& kindsOf(const NativeJob& job)
    {
        static const Kinds& all = *new Kinds([&] {  // who makes code may still ask when the process ends
            const HandlerSet& handlers = *job.handlers;
            const HandlerLists& lists = handlers.lists;
            Kinds kinds;
            const auto add = [&kinds](std::span<const Handler> of, Kind kind) {
                for (const Handler handler : of)
                    kinds.try_emplace(handler, kind);
            };
            add(lists.accesses, Kind::Access);
            add(std::array{handlers.fused.row, handlers.fused.loaded}, Kind::Access);
            add(lists.checks, Kind::Check);
            add(std::array{handlers.jump(false), handlers.jump(true)}, Kind::Jump);
            add(lists.terminators, Kind::Terminator);
            for (const ShuffleMode mode :
                 {ShuffleMode::Index, ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly})
                add(std::array{handlers.shuffle(mode, false), handlers.shuffle(mode, true)}, Kind::Shuffle);
            add(std::array{job.common.laneCall}, Kind::Call);
            add(std::array{job.common.atomic}, Kind::Atomic);
            add(std::array{handlers.switchLanes, job.common.anySwitch, job.common.scalarSwitch}, Kind::Switch);
            add(lists.plain, Kind::Plain);
            return kinds;
        }());
        return all;
    }
    void addPlace(KeyText& text, const Instr* instr) const { text << (instr ? instr - m_job.code : PTRDIFF_MIN); }
    void addBranch(KeyText& text, const BranchInfo& info) const
    {
        for (const Instr* place : {info.ifTrue, info.ifFalse, info.reconverge})
            addPlace(text, place);
        text << info.site << info.instructions << info.flops << info.foreseen;
    }
    void addSwitch(KeyText& text, const SwitchInfo& info) const
    {
        addPlace(text, info.fallback);
        for (const auto& [value, target] : info.cases)
            addPlace(text, target);
    }
    static void addCall(KeyText& text, const LaneCall& call)
    {
        text << call.inCount;
        for (size_t i = 0; i < call.inCount; ++i)
            text << call.in[i];
    }
    static void addAtomic(KeyText& text, const AtomicInfo& info)
    {
        simt::add(text, info.memory);
        text << info.operand << info.compare;
    }

    const NativeJob& m_job;
    const Kinds& m_kinds;
};

/// What instructions there are, and what they cost.
void addProcessor(KeyText& text)
{
#if defined(__x86_64__)
    for (const unsigned leaf : {1U, 7U, 0x80000001U}) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        (void)__get_cpuid_count(leaf, 0, &a, &b, &c, &d);
        // In leaf 1, b says which of several processors this thread is on.
        text << a << (leaf == 1 ? 0 : b) << c << d;
    }
#else
    (void)text;
#endif
}

}  // namespace

std::string keyOf(const NativeJob& job, const std::string& builds)
{
    KeyText text;
    text << builds << std::string(job.handlers->name);
    addProcessor(text);
    text << job.what << job.count << (job.entry ? job.entry - job.code : -1) << job.registerBytes << job.scalars
         << job.constantScalars << job.patterns << job.wholeRows << job.hasLongTurns << job.wideRegisters
         << (job.foresees != nullptr);
    const Tables tables(job);
    for (size_t i = 0; i < job.count; ++i) {
        const Instr& instr = job.code[i];
        // Of one build, which say where handlers lie to each other.
        text << reinterpret_cast<intptr_t>(job.own[i]) - reinterpret_cast<intptr_t>(job.common.exit);
        text << instr.dst << instr.a << instr.b << instr.c;
        tables.add(text, instr);
    }
    constexpr char kDigits[] = "0123456789abcdef";
    std::string key;
    for (const uint64_t half : text.hash())
        for (int shift = 60; shift >= 0; shift -= 4)
            key += kDigits[(half >> shift) & 15];
    return key;
}

}  // namespace lanescope::simt
