// SPDX-License-Identifier: GPL-3.0-or-later
// A command on another machine, started by the system's ssh.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/base/result.h"

namespace lanescope::cli {

class SshConnection {
public:
    /// LANESCOPE_SSH holds the words to begin with, if it is not "ssh". ssh asks nothing: keys must be there.
    static Result<SshConnection> open(const std::string& host, const std::string& command);
    SshConnection(SshConnection&& other) noexcept;
    SshConnection(const SshConnection&) = delete;
    SshConnection& operator=(const SshConnection&) = delete;
    SshConnection& operator=(SshConnection&&) = delete;
    ~SshConnection();  ///< ends it

    [[nodiscard]] int input() const { return m_input; }    ///< of the command
    [[nodiscard]] int output() const { return m_output; }  ///< of the command
    [[nodiscard]] int errors() const { return m_errors; }  ///< ssh's own, and the command's
    void closeErrors();
    /// Closes the command's input and waits for ssh. Returns its exit status: 255 when it is ssh that failed.
    int wait();

private:
    SshConnection(pid_t process, int input, int output, int errors)
        : m_process(process), m_input(input), m_output(output), m_errors(errors)
    {
    }

    pid_t m_process;
    int m_input;
    int m_output;
    int m_errors;
};

}  // namespace lanescope::cli
