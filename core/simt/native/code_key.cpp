// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/code_key.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
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

/// Handlers by what their side tables are.
class Tables {
public:
    explicit Tables(const NativeJob& job) : m_job(job), m_handlers(*job.handlers) {}

    void add(KeyText& text, const Instr& instr) const
    {
        const Handler own = m_job.handlerOf(instr);
        const auto isIn = [own](std::span<const Handler> list) { return std::ranges::find(list, own) != list.end(); };
        const CommonHandlers& common = m_job.common;
        if (isIn(m_handlers.lists.accesses) || own == m_handlers.fused.row || own == m_handlers.fused.loaded)
            simt::add(text, *reinterpret_cast<const MemoryInfo*>(instr.imm));
        else if (isIn(m_handlers.lists.checks))
            simt::add(text, *reinterpret_cast<const ShapeCheck*>(instr.imm));
        else if (own == m_handlers.jump(false) || own == m_handlers.jump(true))
            addPlace(text, reinterpret_cast<const Instr*>(instr.imm));
        else if (isIn(m_handlers.lists.terminators) && instr.imm != 0)
            addBranch(text, *reinterpret_cast<const BranchInfo*>(instr.imm));
        else if (isShuffle(own))
            text << reinterpret_cast<const WarpCall*>(instr.imm)->imm
                 << reinterpret_cast<const WarpCall*>(instr.imm)->members;
        else if (own == common.laneCall)
            addCall(text, *reinterpret_cast<const LaneCall*>(instr.imm));
        else if (own == common.atomic)
            addAtomic(text, *reinterpret_cast<const AtomicInfo*>(instr.imm));
        else if (own == m_handlers.switchLanes || own == common.anySwitch || own == common.scalarSwitch)
            addSwitch(text, *reinterpret_cast<const SwitchInfo*>(instr.imm));
        else if (isIn(m_handlers.lists.plain) || instr.imm <= UINT32_MAX)
            text << instr.imm;
    }

private:
    [[nodiscard]] bool isShuffle(Handler own) const
    {
        return std::ranges::any_of(
            std::array{ShuffleMode::Index, ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly},
            [&](ShuffleMode mode) {
                return own == m_handlers.shuffle(mode, true) || own == m_handlers.shuffle(mode, false);
            });
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
    const HandlerSet& m_handlers;
};

/// What instructions there are, and what they cost.
void addProcessor(KeyText& text)
{
#if defined(__x86_64__)
    for (const unsigned leaf : {1U, 7U, 0x80000001U}) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        (void)__get_cpuid_count(leaf, 0, &a, &b, &c, &d);
        // Of leaf 1, which of the processors it is, and what the system has switched on at the moment, is left out.
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
