// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/remote/ssh_connection.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "instrumented/compiler/process.h"

namespace lanescope::cli {

namespace {

/// Closed when nobody has taken its ends.
struct Pipe {
    int ends[2] = {-1, -1};

    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe()
    {
        for (const int end : ends)
            if (end >= 0)
                ::close(end);
    }
    [[nodiscard]] bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
    int take(size_t end) { return std::exchange(ends[end], -1); }
};

std::vector<std::string> sshWords()
{
    const char* const chosen = std::getenv("LANESCOPE_SSH");
    std::istringstream text(chosen && *chosen ? chosen : "ssh");
    std::vector<std::string> words;
    for (std::string word; text >> word;)
        words.push_back(word);
    return words;
}

[[noreturn]] void runSsh(const std::vector<std::string>& words, const Pipe& in, const Pipe& out, const Pipe& errors)
{
    setpgid(0, 0);  // Ctrl-C is for us: the other side is told to end, and what it has is fetched
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(errors.ends[1], STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(255);
}

}  // namespace

Result<SshConnection> SshConnection::open(const std::string& host, const std::string& command)
{
    if (host.empty() || host.front() == '-')
        return Error{Error::Code::BadInput, "is no name of a machine, expected [USER@]HOST", "--host " + host};
    std::vector<std::string> words = sshWords();
    if (words.empty() || compiler::findProgram(words.front()).empty())
        return Error{Error::Code::NotFound, "no such program in PATH; install OpenSSH's client",
                     words.empty() ? "ssh" : words.front()};
    words.insert(words.end(), {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", host, command});
    Pipe in, out, errors;
    if (!in.open() || !out.open() || !errors.open())
        return Error{Error::Code::Io, std::strerror(errno), "pipe"};
    const pid_t process = fork();
    if (process < 0)
        return Error{Error::Code::Io, std::strerror(errno), words.front()};
    if (process == 0)
        runSsh(words, in, out, errors);
    return SshConnection(process, in.take(1), out.take(0), errors.take(0));
}

SshConnection::SshConnection(SshConnection&& other) noexcept
    : m_process(std::exchange(other.m_process, -1)), m_input(std::exchange(other.m_input, -1)),
      m_output(std::exchange(other.m_output, -1)), m_errors(std::exchange(other.m_errors, -1))
{
}

SshConnection::~SshConnection()
{
    if (m_process > 0)
        ::kill(m_process, SIGTERM);
    (void)wait();
    for (const int fd : {m_output, m_errors})
        if (fd >= 0)
            ::close(fd);
}

void SshConnection::closeErrors()
{
    if (m_errors >= 0)
        ::close(std::exchange(m_errors, -1));
}

int SshConnection::wait()
{
    if (m_input >= 0)
        ::close(std::exchange(m_input, -1));
    if (m_process <= 0)
        return 0;
    int status = 0;
    while (waitpid(m_process, &status, 0) < 0 && errno == EINTR)
        ;
    m_process = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace lanescope::cli
