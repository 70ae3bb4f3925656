// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope remote: the far side of `lanescope record --host`. Makes a folder with copies of the sent files, at their
// paths within it, runs `lanescope record` there, and takes the folder's name out of all that it sends back.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/remote/frames.h"
#include "app/cli/remote/trace_sender.h"
#include "core/base/temporary_folder.h"

namespace lanescope::cli {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::chrono::seconds kPatience{3};

/// Takes a text out of a stream that comes in pieces.
class TextRemover {
public:
    explicit TextRemover(std::string text) : m_text(std::move(text)) {}

    std::string of(std::string_view bytes)
    {
        m_held += bytes;
        for (size_t at = m_held.find(m_text); at != std::string::npos; at = m_held.find(m_text, at))
            m_held.erase(at, m_text.size());
        // What may be its beginning waits for the rest.
        size_t kept = std::min(m_held.size(), m_text.size() - 1);
        while (kept > 0 && m_held.compare(m_held.size() - kept, kept, m_text, 0, kept) != 0)
            --kept;
        std::string ready = m_held.substr(0, m_held.size() - kept);
        m_held.erase(0, ready.size());
        return ready;
    }
    std::string rest() { return std::exchange(m_held, {}); }

private:
    std::string m_text;
    std::string m_held;
};

/// A stream of the recorder's, as frames.
struct Stream {
    int fd = -1;
    FrameKind kind;
    TextRemover remover;
};

class RemoteSide {
public:
    RemoteSide() : m_folder("remote") {}

    int run()
    {
        signal(SIGPIPE, SIG_IGN);
        const Json hello = {{"protocol", kRemoteProtocol}, {"version", kLanescopeVersion}};
        if (!m_folder.good() || !writeFrame(STDOUT_FILENO, FrameKind::Hello, hello.dump()))
            return kCouldNotRun;
        m_root = m_folder.file("files");
        fs::create_directories(m_folder.file("traces"));
        m_sender.emplace(m_folder.file("traces"), m_folder.file("moments"), m_root);
        if (!receive() || !start())
            return kCouldNotRun;
        const int code = follow();
        if (m_isAlone)
            return kCouldNotRun;
        (void)m_sender->sendRest();
        (void)writeFrame(STDOUT_FILENO, FrameKind::Exit, Json{{"code", code}}.dump());
        return kOk;
    }

private:
    /// False: nobody wants anything any more.
    bool receive()
    {
        FrameReader& reader = m_reader;
        for (;;) {
            while (const std::optional<Frame> frame = reader.next()) {
                if (frame->kind == FrameKind::Request)
                    m_request = Json::parse(frame->bytes, nullptr, false);
                else if (frame->kind == FrameKind::File)
                    write(*frame);
                else if (frame->kind == FrameKind::Go)
                    return m_request.is_object();
                else if (frame->kind == FrameKind::Cancel)
                    return false;
            }
            if (!reader.read(STDIN_FILENO))
                return false;
        }
    }

    [[nodiscard]] fs::path placeOf(const std::string& path) const
    {
        // Never outside of the folder, whatever somebody sends.
        return fs::path(m_root) / fs::path("/" + path).lexically_normal().relative_path();
    }

    void write(const Frame& frame) const
    {
        const size_t end = std::min(frame.bytes.find('\0'), frame.bytes.size());
        const fs::path place = placeOf(frame.bytes.substr(0, end));
        std::error_code ignored;
        fs::create_directories(place.parent_path(), ignored);
        std::ofstream file(place, std::ios::binary);
        if (end < frame.bytes.size())
            file.write(frame.bytes.data() + end + 1, static_cast<std::streamsize>(frame.bytes.size() - end - 1));
    }

    [[nodiscard]] std::vector<std::string> words(int progress) const
    {
        std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string()};
        for (const Json& word : m_request.value("words", Json::array())) {
            words.push_back(word.is_object() ? placeOf(word.value("path", std::string())).string()
                                             : word.get<std::string>());
            if (words.size() == 2) {  // behind "record"
                words.insert(words.end(), {"-o", m_folder.file("traces") + "/trace.lanes"});
                if (progress >= 0)
                    words.insert(words.end(), {"--progress-fd", std::to_string(progress)});
            }
        }
        return words;
    }

    bool start()
    {
        int out[2], errors[2], progress[2] = {-1, -1};
        const bool wantsProgress = m_request.value("progress", false);
        if (pipe2(out, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0 ||
            (wantsProgress && pipe2(progress, O_CLOEXEC) != 0))
            return false;
        const std::vector<std::string> command = words(progress[1]);
        fs::path folder = fs::current_path();
        if (m_request.contains("folder"))
            folder = placeOf(m_request["folder"].get<std::string>());
        std::error_code ignored;
        fs::create_directories(folder, ignored);
        m_recorder = fork();
        if (m_recorder == 0) {
            setpgid(0, 0);
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            dup2(errors[1], STDERR_FILENO);
            if (progress[1] >= 0)
                fcntl(progress[1], F_SETFD, 0);
            runRecorder(command, folder);
        }
        for (const auto& [fd, kind] :
             {std::pair{out, FrameKind::Output}, {errors, FrameKind::Errors}, {progress, FrameKind::Progress}}) {
            if (fd[1] >= 0)
                ::close(fd[1]);
            if (fd[0] >= 0)
                m_streams.push_back({fd[0], kind, TextRemover(m_root)});
        }
        return m_recorder > 0;
    }

    [[noreturn]] void runRecorder(const std::vector<std::string>& command, const fs::path& folder) const
    {
        const Json given = m_request.value("environment", Json::object());
        for (const auto& [name, value] : given.items())
            setenv(name.c_str(), value.get<std::string>().c_str(), 1);
        std::vector<char*> arguments;
        for (const std::string& word : command)
            arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        if (chdir(folder.c_str()) == 0)
            execv(arguments[0], arguments.data());
        _exit(kCouldNotRun);
    }

    /// Until the recorder has ended; returns its exit status.
    int follow()
    {
        while (std::ranges::any_of(m_streams, [](const Stream& stream) { return stream.fd >= 0; }))
            step();
        int status = 0;
        while (waitpid(m_recorder, &status, 0) < 0 && errno == EINTR)
            ;
        return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
    }

    void step()
    {
        std::vector<pollfd> fds;
        for (const Stream& stream : m_streams)
            fds.push_back({stream.fd, POLLIN, 0});
        fds.push_back({m_isAlone ? -1 : STDIN_FILENO, POLLIN, 0});
        constexpr int kLookAgainMs = 500;
        if (poll(fds.data(), fds.size(), kLookAgainMs) < 0)
            return;
        for (size_t i = 0; i < m_streams.size(); ++i)
            if (fds[i].revents != 0)
                pass(m_streams[i]);
        if (fds.back().revents != 0)
            listen();
        if (!m_isAlone && !m_sender->sendGrowth())
            abandon();
        if (m_endBy && std::chrono::steady_clock::now() > *m_endBy)
            kill(-m_recorder, SIGKILL);
    }

    void pass(Stream& stream)
    {
        char bytes[1 << 14];
        const ssize_t count = ::read(stream.fd, bytes, sizeof bytes);
        std::string text = count > 0 ? stream.remover.of({bytes, static_cast<size_t>(count)}) : stream.remover.rest();
        if (!text.empty() && !m_isAlone && !writeFrame(STDOUT_FILENO, stream.kind, text))
            abandon();
        if (count <= 0)
            ::close(std::exchange(stream.fd, -1));
    }

    void listen()
    {
        if (!m_reader.read(STDIN_FILENO))
            return abandon();
        while (const std::optional<Frame> frame = m_reader.next())
            if (frame->kind == FrameKind::Cancel)
                end();
    }

    /// The near side has gone.
    void abandon()
    {
        m_isAlone = true;
        end();
    }

    void end()
    {
        if (m_endBy)
            return;
        kill(-m_recorder, SIGTERM);
        m_endBy = std::chrono::steady_clock::now() + kPatience;
    }

    static constexpr int kSignalBase = 128;

    TemporaryFolder m_folder;
    std::string m_root;
    FrameReader m_reader;
    Json m_request;
    pid_t m_recorder = -1;
    std::vector<Stream> m_streams;
    bool m_isAlone = false;
    std::optional<std::chrono::steady_clock::time_point> m_endBy;
    std::optional<TraceSender> m_sender;
};

}  // namespace

void addRemoteCommand(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("remote", "what record --host starts on the other machine");
    command->group("");  // not for people
    command->callback([&context] { context.run = [] { return RemoteSide().run(); }; });
}

}  // namespace lanescope::cli
