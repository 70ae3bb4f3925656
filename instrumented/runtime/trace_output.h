// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run leaves behind: the trace file, the findings of all launches, progress lines.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/simt/simulator.h"
#include "core/trace/writer.h"
#include "instrumented/runtime/options.h"

namespace lanescope::runtime {

/// Not thread-safe: used under the runtime's lock.
class TraceOutput {
public:
    void setOptions(const Options& options) { m_options = options; }
    /// The GPU that runs the kernels. Before the first launch.
    void setDevice(const std::string& name, const trace::DeviceProperties& properties)
    {
        m_device = name;
        m_properties = properties;
    }

    /// Creates the trace on first use, when one was asked for. Null: this run is not recorded.
    trace::TraceWriter* writer();
    /// Adds a launch's findings; those of earlier launches at the same places are counted on.
    void addFindings(const std::vector<trace::Finding>& findings);
    [[nodiscard]] const std::vector<trace::Finding>& findings() const { return m_findings; }
    /// The trace's id of a file of the host program, whose text it gets. Only for a run that is recorded.
    SourceId sourceOf(const std::string& path);
    /// Device printf: to stdout and into the trace.
    void print(std::string_view text);
    /// One JSON line about a launch on the progress descriptor, if there is one. \p event: "begin" or "end";
    /// \p seconds: that the kernel took.
    void progress(const char* event, uint32_t launch, const std::string& kernel, Dim3 grid, Dim3 block,
                  double seconds = 0);
    /// Closes the trace. \p programExit: none when the program is dying of a signal.
    void finish(std::optional<int> programExit, const StopReason& stopReason);
    /// Why the trace is missing or not whole.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    Options m_options;
    std::string m_device = "simulator";
    trace::DeviceProperties m_properties;
    std::unique_ptr<trace::TraceWriter> m_writer;
    std::vector<trace::Finding> m_findings;
    std::map<std::string, SourceId> m_sources;
    std::optional<Error> m_failure;
};

/// "file:line:col: error: message [kind] (3 times)". \p file: of the first access, whose ids only the trace knows.
std::string findingText(const trace::Finding& finding, const std::string& file);

}  // namespace lanescope::runtime
