// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/code_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/attach/names.h"

namespace lanescope::attach {

using trace::SiteKind;
using trace::Space;

namespace {

struct Meaning {
    SiteKind kind;
    Space space;
};

Meaning meaningOf(uint32_t deed)
{
    switch (static_cast<Deed>(deed)) {
    case Deed::Barrier:
        return {SiteKind::Barrier, Space::Global};
    case Deed::GlobalLoad:
        return {SiteKind::Load, Space::Global};
    case Deed::GlobalStore:
        return {SiteKind::Store, Space::Global};
    case Deed::GlobalAtomic:
        return {SiteKind::Atomic, Space::Global};
    case Deed::SharedLoad:
        return {SiteKind::Load, Space::Shared};
    case Deed::SharedStore:
        return {SiteKind::Store, Space::Shared};
    case Deed::SharedAtomic:
        return {SiteKind::Atomic, Space::Shared};
    case Deed::LocalLoad:
        return {SiteKind::Load, Space::Local};
    case Deed::LocalStore:
        return {SiteKind::Store, Space::Local};
    case Deed::Exit:
        break;
    }
    return {SiteKind::Exit, Space::Global};
}

}  // namespace

void CodeMap::addModule(ModuleKey module, std::span<const std::byte> cubin)
{
    const std::lock_guard lock(m_lock);
    m_modules[module] = {{cubin.begin(), cubin.end()}, readCubin(cubin)};
}

void CodeMap::removeModule(ModuleKey module)
{
    const std::lock_guard lock(m_lock);
    m_modules.erase(module);
    std::erase_if(m_placed, [&](const auto& entry) { return entry.second.module == module; });
    // Its addresses may be given to other code.
    m_sites.clear();
}

const CodeMap::Module* CodeMap::find(ModuleKey module) const
{
    const auto found = m_modules.find(module);
    return found == m_modules.end() ? nullptr : &found->second;
}

CubinFunction CodeMap::function(ModuleKey module, const std::string& name) const
{
    const std::lock_guard lock(m_lock);
    if (const Module* known = find(module))
        if (const auto found = std::ranges::find(known->contents.functions, name, &CubinFunction::name);
            found != known->contents.functions.end())
            return *found;
    return {name, true, 0, 0, {}};
}

std::vector<CubinFunction> CodeMap::runnable(ModuleKey module, const std::string& kernel) const
{
    const std::lock_guard lock(m_lock);
    std::vector<CubinFunction> functions;
    if (const Module* known = find(module))
        std::ranges::copy_if(known->contents.functions, std::back_inserter(functions),
                             [&](const CubinFunction& f) { return !f.isKernel || f.name == kernel; });
    return functions;
}

std::vector<CubinVariable> CodeMap::takeVariables(ModuleKey module)
{
    const std::lock_guard lock(m_lock);
    const auto found = m_modules.find(module);
    return found == m_modules.end() ? std::vector<CubinVariable>()
                                    : std::exchange(found->second.contents.variables, {});
}

void CodeMap::place(ModuleKey module, const CubinFunction& function, uint64_t begin)
{
    const std::lock_guard lock(m_lock);
    const uint64_t address = begin % kAddressSpan;
    const auto known = m_placed.find(address);
    if (known != m_placed.end() && (known->second.module != module || known->second.function != function.name))
        m_sites.clear();
    m_placed[address] = {address, function.codeBytes, module, function.name};
}

const CodeMap::Placed* CodeMap::placedAt(uint32_t place) const
{
    const uint64_t address = addressOf(place);
    auto next = m_placed.upper_bound(address);
    if (next == m_placed.begin())
        return nullptr;
    const Placed& placed = std::prev(next)->second;
    return address - placed.address < placed.bytes ? &placed : nullptr;
}

trace::SourceLocation CodeMap::locate(ModuleKey module, const std::string& function, uint64_t offset,
                                      trace::TraceWriter& writer)
{
    const Module* known = find(module);
    const SourceLine line = known ? m_lines.at(known->cubin, function, offset) : SourceLine();
    trace::SourceLocation where;
    where.line = line.line;
    const auto [source, isNew] = m_sources.try_emplace(line.path);
    if (isNew) {
        std::ifstream file(line.path);
        m_texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        source->second = writer.addSource(line.path.empty() ? "(no line information)" : line.path, m_texts.back());
    }
    where.source = source->second;
    return where;
}

trace::SourceLocation CodeMap::beginOf(ModuleKey module, const std::string& function, trace::TraceWriter& writer)
{
    const std::lock_guard lock(m_lock);
    return locate(module, function, 0, writer);
}

std::string CodeMap::textOf(SourceId source) const
{
    const std::lock_guard lock(m_lock);
    return source.value < m_texts.size() ? m_texts[source.value] : std::string();
}

SiteId CodeMap::siteOf(uint32_t place, const trace::ValueType& type, trace::TraceWriter& writer)
{
    const std::lock_guard lock(m_lock);
    if (deedOf(place) >= kDeedCount)
        return kNoSite;
    const auto [known, isNew] = m_sites.try_emplace({place, type.name});
    if (!isNew)
        return known->second;
    const Meaning meaning = meaningOf(deedOf(place));
    trace::Site site;
    site.id = SiteId{static_cast<uint32_t>(m_where.size())};
    site.kind = meaning.kind;
    site.space = meaning.space;
    site.type = type;
    if (const Placed* placed = placedAt(place)) {
        const uint64_t offset = addressOf(place) - placed->address;
        site.where = locate(placed->module, placed->function, offset, writer);
        if (site.where.line == 0)
            site.expression = fmt::format("+{:#x}", offset);
        site.function = plainName(demangled(placed->function));
    } else {
        site.where = locate(nullptr, {}, 0, writer);
    }
    m_where.push_back(site.where);
    writer.addSites({&site, 1});
    known->second = site.id;
    return site.id;
}

trace::SourceLocation CodeMap::whereOf(SiteId site) const
{
    const std::lock_guard lock(m_lock);
    return m_where[site.value];
}

}  // namespace lanescope::attach
