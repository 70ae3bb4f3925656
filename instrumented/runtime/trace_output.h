// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run leaves behind: the trace file, the findings of all launches, progress lines.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/simt/simulator.h"
#include "core/trace/writer.h"
#include "instrumented/runtime/options.h"
#include "instrumented/runtime/run_log.h"

namespace lanescope::runtime {

/// Not thread-safe: used under the runtime's lock.
class TraceOutput {
public:
    /// \p log outlives this.
    void start(const Options& options, RunLog& log);
    /// Where a launch's findings are, by the ids that they have.
    using PathOf = std::function<std::string(SourceId)>;
    void setKernelPaths(PathOf pathOf) { m_kernelPaths = std::move(pathOf); }
    /// The GPU that runs the kernels. Before the first launch.
    void setDevice(const std::string& name, const trace::DeviceProperties& properties)
    {
        m_device = name;
        m_properties = properties;
    }

    /// Of the trace; empty: this process has written none.
    [[nodiscard]] const std::string& path() const { return m_path; }
    /// Creates the trace on first use, when one was asked for. Null: this run is not recorded.
    trace::TraceWriter* writer();
    /// Adds findings; those of earlier launches at the same places are counted on. New ones outlive the process from
    /// here on.
    void addFindings(const std::vector<trace::Finding>& findings);
    /// What a launch that still runs has found so far, all of it. The next call of this, or addFindings, takes its
    /// place.
    void putFindingsSoFar(const std::vector<trace::Finding>& findings);
    [[nodiscard]] const std::vector<trace::Finding>& findings() const { return m_findings; }
    /// "file:line:col: error: message [kind] (3 times)"
    [[nodiscard]] std::string textOf(size_t index) const { return textOf(m_findings[index]); }
    /// A launch has ended: it outlives the process, unless launches are so short that this would cost too much.
    void keepLaunch();
    /// What there is outlives the process. False: not within \p timeout. From any thread.
    bool keep(std::chrono::milliseconds timeout) const { return !m_writer || m_writer->keep(timeout); }
    /// The trace's id of a file of the host program, whose text it gets. Only for a run that is recorded.
    SourceId sourceOf(const std::string& path);
    /// Device printf: to stdout and into the trace.
    void print(std::string_view text);
    /// One JSON line about a launch on the progress descriptor, if there is one. \p event: "begin" or "end";
    /// \p seconds: that the kernel took.
    void progress(const char* event, uint32_t launch, const std::string& kernel, Dim3 grid, Dim3 block,
                  double seconds = 0);
    /// How far a launch has come, as progress() and, from the second second on, for people.
    void progressOf(uint32_t launch, const std::string& kernel, const device::LaunchProgress& progress);
    /// Closes the trace.
    void finish(const trace::ProgramEnd& programEnd, const StopReason& stopReason);
    /// Why the trace is missing or not whole.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    [[nodiscard]] std::string textOf(const trace::Finding& finding) const;
    [[nodiscard]] std::string pathOf(const trace::Finding& finding, const trace::FindingAccess& access) const;
    void log(const trace::Finding& finding);
    void writeProgress(const std::string& line);

    Options m_options;
    RunLog* m_log = nullptr;
    PathOf m_kernelPaths;
    std::string m_path;
    std::string m_device = "simulator";
    trace::DeviceProperties m_properties;
    std::unique_ptr<trace::TraceWriter> m_writer;
    std::vector<trace::Finding> m_findings;
    bool m_hasFindingsSoFar = false;
    std::set<std::string> m_logged;  ///< findings that the log has, by kind and places
    std::map<std::string, SourceId> m_sources;
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
    std::chrono::steady_clock::duration m_keeping{};  ///< time that the program has waited for the file
    uint32_t m_toldOf = UINT32_MAX;                   ///< launch of which people were told how far it is
    double m_nextTold = 0;                            ///< seconds of that launch
    std::optional<Error> m_failure;
};

}  // namespace lanescope::runtime
