// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a recorded program ended, which its exit status alone does not say: a crash, a limit and `return 3` differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::trace {

struct ProgramEnd {
    enum class How : uint8_t {
        Unknown,      ///< it is still running, or nobody saw it end
        Exited,       ///< by itself, with a status
        Signal,       ///< it crashed, or was killed
        Limit,        ///< a limit of ours stopped a launch; then it ended with the status, or by the signal
        Interrupted,  ///< by somebody's Ctrl-C or a request to end
        NotStarted
    };
    How how = How::Unknown;
    std::optional<int> status;  ///< of its exit
    std::string signal;         ///< "SIGSEGV"; empty: none

    static ProgramEnd exited(int status) { return {How::Exited, status, {}}; }
    /// \p number: as in <signal.h>. SIGINT, SIGTERM and SIGHUP are requests.
    static ProgramEnd ofSignal(int number);

    /// By a signal that nobody asked for.
    [[nodiscard]] bool isCrash() const { return how == How::Signal; }
    /// By itself, with whatever status: all that it does has been done.
    [[nodiscard]] bool isOrderly() const { return how == How::Exited; }
    /// "exited 3", "signal SIGSEGV", as traces have it.
    [[nodiscard]] std::string text() const;
    /// Of such a text; Unknown when it is none.
    static ProgramEnd of(std::string_view text);
    /// "exited", "signal", "limit", "interrupted", "not-started"; empty when unknown.
    [[nodiscard]] const char* name() const;

    friend bool operator==(const ProgramEnd&, const ProgramEnd&) = default;
};

/// "SIGSEGV"; "signal 99" for one without a name.
std::string signalName(int number);

}  // namespace lanescope::trace
