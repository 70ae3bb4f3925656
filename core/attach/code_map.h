// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's machine code: which function an instruction belongs to, and the trace's site of what it does.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/attach/cubin.h"
#include "core/attach/place.h"
#include "core/attach/source_lines.h"
#include "core/trace/writer.h"

namespace lanescope::attach {

using ModuleKey = const void*;

/// Thread-safe.
class CodeMap {
public:
    explicit CodeMap(const std::string& toolkit) : m_lines(toolkit) {}

    void addModule(ModuleKey module, std::span<const std::byte> cubin);
    void removeModule(ModuleKey module);

    /// The function with that mangled name, as the module's code describes it; one without anything if it does not.
    [[nodiscard]] CubinFunction function(ModuleKey module, const std::string& name) const;
    /// What \p kernel may run: itself and the functions that are no kernels.
    [[nodiscard]] std::vector<CubinFunction> runnable(ModuleKey module, const std::string& kernel) const;
    /// A module's variables, to who asks first.
    [[nodiscard]] std::vector<CubinVariable> takeVariables(ModuleKey module);
    /// A function's instructions lie from \p begin on.
    void place(ModuleKey module, const CubinFunction& function, uint64_t begin);
    /// Of a function's first instruction.
    [[nodiscard]] trace::SourceLocation beginOf(ModuleKey module, const std::string& function,
                                                trace::TraceWriter& writer);
    /// Text of a source that has been asked for; empty: it cannot be read.
    [[nodiscard]] std::string textOf(SourceId source) const;

    /// The site of a record's place, which the trace gets when it is new. \p type: of the values there.
    [[nodiscard]] SiteId siteOf(uint32_t place, const trace::ValueType& type, trace::TraceWriter& writer);

    [[nodiscard]] trace::SourceLocation whereOf(SiteId site) const;

private:
    struct Module {
        std::vector<std::byte> cubin;
        CubinContents contents;
    };
    struct Placed {
        uint64_t address = 0;
        uint64_t bytes = 0;
        ModuleKey module = nullptr;
        std::string function;
    };

    [[nodiscard]] const Module* find(ModuleKey module) const;
    [[nodiscard]] const Placed* placedAt(uint32_t place) const;
    [[nodiscard]] trace::SourceLocation locate(ModuleKey module, const std::string& function, uint64_t offset,
                                               trace::TraceWriter& writer);

    mutable std::mutex m_lock;
    SourceLines m_lines;
    std::map<ModuleKey, Module> m_modules;
    std::map<uint64_t, Placed> m_placed;                         ///< by address modulo kAddressSpan
    std::map<std::pair<uint32_t, std::string>, SiteId> m_sites;  ///< by place and type
    std::vector<trace::SourceLocation> m_where;                  ///< by site
    std::map<std::string, SourceId> m_sources;
    std::vector<std::string> m_texts;  ///< by source
};

}  // namespace lanescope::attach
