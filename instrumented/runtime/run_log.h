// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the `lanescope` command must know of a run however it ends: a file that LANESCOPE_STATUS names, written as
// things happen, by system calls, so that not even kill -9 takes anything back. Lines of JSON:
//   {"finding": "k.cu:3:5: error: … [out-of-bounds]"}  one line for each, when it is found
//   { "process": 17, "trace": "T.lanes",             of a program with children: a last line from each of them
//     "launches": 2, "findings": 1, "exit": 0,     the last line, when the run ended in order; no exit: by a signal
//     "stopped": { "code": "limit" | "unsupported" | "other", "kind": "step-limit", "message": "…" },   only when
//                                                                               something stopped us or a launch
//     "launchError": "cudaError…",                                              the last launch that was refused
//     "traceError": "…" }                                                         only when the trace is not whole
#pragma once

#include <string>

namespace lanescope::runtime {

/// Does nothing until it is opened. Not thread-safe: used under the runtime's lock.
class RunLog {
public:
    /// Empty: nobody asks.
    void open(const std::string& path);
    [[nodiscard]] bool isOpen() const { return m_file >= 0; }

    void finding(const std::string& text);
    /// \p status: the last line.
    void end(const std::string& status);

private:
    void append(const std::string& line);

    int m_file = -1;
};

}  // namespace lanescope::runtime
