// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/register_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

namespace lanescope::analysis {

using trace::Event;
using trace::RegisterPlace;
using trace::SiteKind;
using trace::ValueType;

namespace {

using Kind = RegisterPlace::Kind;

/// Registers of a fragment that each lane has.
size_t registersOf(const Fragment& fragment)
{
    return fragment.elements.size() / kWarpSize / fragment.perRegister;
}

/// A place in the source that multiplies: of mma one site, of wgmma those of the columns that are done together.
struct Product {
    trace::SourceLocation where;
    std::vector<const trace::Site*> sites;  ///< in their order
    std::vector<RegisterPlace> operands;    ///< of the first: they all have the same
    std::vector<RegisterPlace> sums;
};

/// Sites of a product with the same sums follow each other; who has more is unrolled, and is several.
std::vector<Product> productsOf(const trace::Catalog& catalog, const std::string& instruction,
                                const MatrixInstruction& matrices)
{
    const size_t sums = registersOf(matrices.fragments.back());
    std::vector<Product> products;
    for (const trace::Site& site : catalog.sites) {
        if (site.kind != SiteKind::Call || site.instruction != instruction || site.registers.empty())
            continue;
        const bool isWhole = products.empty() || products.back().sums.size() >= sums ||
                             !(products.back().where == site.where) ||
                             products.back().sites.front()->function != site.function;
        // Operands of a wgmma are eight words, whatever there is of them in registers.
        constexpr size_t kWordsOfGroup = 8;
        const size_t operands = matrices.fragments.size() == 3
                                    ? registersOf(matrices.fragments[0]) + registersOf(matrices.fragments[1])
                                    : kWordsOfGroup;
        if (site.registers.size() < operands)
            continue;
        const auto middle = site.registers.begin() + static_cast<std::ptrdiff_t>(operands);
        if (isWhole)
            products.push_back({site.where, {}, {site.registers.begin(), middle}, {}});
        products.back().sites.push_back(&site);
        products.back().sums.insert(products.back().sums.end(), middle, site.registers.end());
    }
    return products;
}

/// The steps at which sites that products ask for had their latest event.
class LatestEvents {
public:
    LatestEvents(const trace::Catalog& catalog, const std::vector<Product>& products)
        : m_isAsked(catalog.sites.size()), m_latest(catalog.sites.size())
    {
        for (const Product& product : products)
            for (const auto* places : {&product.operands, &product.sums})
                for (const RegisterPlace& place : *places)
                    if (place.kind == Kind::Access)
                        m_isAsked[place.id] = true;
    }

    void add(StepIndex step, const Event& event)
    {
        if (m_isAsked[event.site.value])
            m_latest[event.site.value].push_back(step);
    }

    [[nodiscard]] std::optional<StepIndex> of(uint32_t site) const
    {
        return m_latest[site].empty() ? std::nullopt : std::optional(m_latest[site].back());
    }
    /// The latest one before \p step.
    [[nodiscard]] std::optional<StepIndex> before(uint32_t site, StepIndex step) const
    {
        const std::vector<StepIndex>& all = m_latest[site];
        const auto after = std::ranges::lower_bound(all, step);
        return after == all.begin() ? std::nullopt : std::optional(*(after - 1));
    }

private:
    std::vector<bool> m_isAsked;
    std::vector<std::vector<StepIndex>> m_latest;  ///< by site, ascending
};

/// When a product was executed last: the events of its sums are of [first, last].
struct Execution {
    const Product* product = nullptr;
    StepIndex first = 0;
    StepIndex last = 0;
};

std::optional<Execution> latestExecution(const std::vector<Product>& products, const LatestEvents& events)
{
    std::optional<Execution> latest;
    for (const Product& product : products) {
        const auto isTold = [](const RegisterPlace& place) { return place.kind == Kind::Access; };
        const auto last = std::find_if(product.sums.rbegin(), product.sums.rend(), isTold);
        const auto first = std::ranges::find_if(product.sums, isTold);
        if (first == product.sums.end())
            continue;
        const std::optional<StepIndex> end = events.of(last->id);
        if (!end || (latest && latest->last > *end))
            continue;
        // Of the execution that the last sum's event ends: events of the first before it are of this one or of others.
        const std::optional<StepIndex> begin = events.before(first->id, *end + 1);
        if (begin)
            latest = {&product, *begin, *end};
    }
    return latest;
}

/// Reads values where a cursor stands.
class ValueReader {
public:
    ValueReader(replay::BlockCursor& cursor, uint16_t warp, uint32_t bytes)
        : m_cursor(cursor), m_warp(warp), m_bytes(bytes)
    {
    }

    /// What \p place had by the latest event before \p limit; of a variable, what it holds there.
    Result<RegisterValue> valueOf(const RegisterPlace& place, const LatestEvents& events, StepIndex limit)
    {
        if (place.kind == Kind::Unknown)
            return RegisterValue{};
        const std::optional<StepIndex> step =
            place.kind == Kind::Access ? events.before(place.id, limit) : std::optional(limit);
        if (!step)
            return RegisterValue{};
        if (auto moved = m_cursor.seek(*step); !moved)
            return moved.error();
        return place.kind == Kind::Access ? ofEvent(*step, place.byte) : ofVariable(place);
    }

private:
    Result<RegisterValue> ofEvent(StepIndex step, uint32_t byte)
    {
        auto event = m_cursor.event(step);
        if (!event)
            return event.error();
        RegisterValue value;
        if (!event.value().valuesKnown || event.value().valueBytes < byte + m_bytes)
            return value;
        value.known = event.value().mask;
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            std::memcpy(&value.bits[lane], event.value().value[lane].data() + byte, m_bytes);
        return value;
    }

    RegisterValue ofVariable(const RegisterPlace& place)
    {
        const replay::VariableImage& image = m_cursor.variable(VariableId{place.id}, m_warp);
        RegisterValue value;
        value.known = image.written;
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            std::memcpy(&value.bits[lane], image.value[lane].data(), m_bytes);
        return value;
    }

    replay::BlockCursor& m_cursor;
    uint16_t m_warp;
    uint32_t m_bytes;  ///< of a register
};

}  // namespace

std::optional<uint64_t> RegisterValues::bitsOf(const MatrixInstruction& matrices, size_t fragment,
                                               const FragmentElement& element) const
{
    if (fragment >= fragments.size() || element.reg >= fragments[fragment].size())
        return std::nullopt;
    const RegisterValue& value = fragments[fragment][element.reg];
    if ((value.known >> element.lane & 1) == 0)
        return std::nullopt;
    const uint32_t packed = matrices.fragments[fragment].perRegister, width = 32 / packed;
    const uint64_t bits = value.bits[element.lane];
    return packed == 1 ? bits : bits >> (width * element.part) & ((uint64_t{1} << width) - 1);
}

Result<RegisterValues> traceRegisterValues(replay::Session& session, LaunchId launch, BlockIndex block, uint16_t warp,
                                           StepIndex step, const std::string& instruction)
{
    RegisterValues values;
    const trace::Catalog& catalog = session.catalog();
    const MatrixInstruction matrices = fragmentsOf(instruction);
    if (matrices.fragments.empty() || matrices.movesMemory)
        return values;
    const std::vector<Product> products = productsOf(catalog, instruction, matrices);
    if (products.empty())
        return values;
    constexpr StepIndex kFarthest = 1 << 16;
    LatestEvents events(catalog, products);
    const Result<void> done = session.reader().visit(launch, block, step > kFarthest ? step - kFarthest : 0, step,
                                                     trace::Detail::Headers, [&](StepIndex at, const Event& event) {
                                                         if (event.warp == warp)
                                                             events.add(at, event);
                                                         return true;
                                                     });
    if (!done)
        return done.error();
    const std::optional<Execution> execution = latestExecution(products, events);
    if (!execution)
        return values;
    auto cursor = session.cursor(launch, block);
    if (!cursor)
        return cursor.error();
    values.where = execution->product->where;
    values.step = execution->last;
    const auto read = [&](const Fragment& fragment, const std::vector<RegisterPlace>& places, size_t first,
                          StepIndex limit) -> Result<void> {
        ValueReader reader(*cursor.value(), warp, fragment.type == "f64" ? 8 : 4);
        std::vector<RegisterValue>& registers = values.fragments.emplace_back();
        for (size_t i = 0; i < registersOf(fragment) && first + i < places.size(); ++i) {
            auto value = reader.valueOf(places[first + i], events, limit);
            if (!value)
                return value.error();
            registers.push_back(std::move(value).value());
        }
        return {};
    };
    size_t first = 0;
    for (size_t i = 0; i + 1 < matrices.fragments.size(); ++i) {
        if (auto ok = read(matrices.fragments[i], execution->product->operands, first, execution->first); !ok)
            return ok.error();
        first += registersOf(matrices.fragments[i]);
    }
    if (auto ok = read(matrices.fragments.back(), execution->product->sums, 0, execution->last + 1); !ok)
        return ok.error();
    return values;
}

namespace {

/// An 8-bit float as OCP's specification has it: e4m3 has no infinities, e5m2 is the upper half of a half.
double byteFloat(uint64_t bits, int exponentBits)
{
    const int fractionBits = 7 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
    const auto exponent = static_cast<int>(bits >> fractionBits & ((1U << exponentBits) - 1));
    const auto fraction = static_cast<int>(bits & ((1U << fractionBits) - 1));
    const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
    const int most = (1 << exponentBits) - 1;
    if (exponent == most && exponentBits == 5)
        return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    if (exponent == most && fraction == (1 << fractionBits) - 1)
        return std::nan("");
    return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias - fractionBits)
                                 : std::ldexp((1 << fractionBits) + fraction, exponent - bias - fractionBits));
}

int64_t signExtended(uint64_t bits, uint32_t width)
{
    const uint32_t unused = 64 - width;
    return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

std::string elementText(const std::string& type, uint64_t bits)
{
    const auto real = [&](uint32_t bytes, const char* name) {
        return replay::valueText(ValueType{trace::ScalarKind::Float, bytes, 1, name}, &bits);
    };
    if (type == "f16")
        return real(2, "half");
    if (type == "bf16")
        return real(2, "bfloat16");
    if (type == "f32" || type == "tf32")
        return real(4, "float");
    if (type == "f64")
        return real(8, "double");
    if (type == "e4m3" || type == "e5m2")
        return fmt::format("{:.9g}", byteFloat(bits, type == "e4m3" ? 4 : 5));
    if (type == "s32" || type == "s8" || type == "s4")
        return std::to_string(signExtended(bits, type == "s32" ? 32 : type == "s8" ? 8 : 4));
    return type == "u8" || type == "u4" || type == "b1" ? std::to_string(bits) : std::string();
}

}  // namespace lanescope::analysis
