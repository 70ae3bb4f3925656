// SPDX-License-Identifier: GPL-3.0-or-later
// The near side.
#include "app/cli/remote/remote_recording.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/remote/frames.h"
#include "app/cli/remote/sent_files.h"
#include "app/cli/remote/ssh_connection.h"
#include "core/trace/copy.h"

namespace lanescope::cli {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

// ---- Signals ----

std::atomic<int> g_interrupted = 0;

/// While a recording runs: what would end us ends it.
class InterruptScope {
public:
    InterruptScope()
    {
        struct sigaction action = {};
        action.sa_handler = [](int signal) { g_interrupted = signal; };
        for (size_t i = 0; i < std::size(kSignals); ++i)
            sigaction(kSignals[i], &action, &m_before[i]);
        ::signal(SIGPIPE, SIG_IGN);
        g_interrupted = 0;
    }
    ~InterruptScope()
    {
        for (size_t i = 0; i < std::size(kSignals); ++i)
            sigaction(kSignals[i], &m_before[i], nullptr);
        ::signal(SIGPIPE, SIG_DFL);
    }
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction m_before[std::size(kSignals)] = {};
};

// ---- What is asked for ----

/// A path that goes along: the other side puts its folder before it.
Json sentPath(const std::string& path)
{
    return {{"path", fs::absolute(path).lexically_normal().string()}};
}

/// The options that are not as they are by default.
void addOptions(const ProgramOptions& program, Json& words)
{
    const auto add = [&](const char* option, const std::string& value) {
        words.push_back(option);
        words.push_back(value);
    };
    const auto addNumber = [&](const char* option, auto value) {
        if (value != decltype(value){})
            add(option, fmt::format("{}", value));
    };
    const auto addFlag = [&](const char* option, bool isSet) {
        if (isSet)
            words.push_back(option);
    };
    add("--device", program.device);
    add("--schedule", program.schedule);
    if (!program.toolkit.empty())
        add("--cuda-path", program.toolkit);
    for (const std::string& definition : program.definitions)
        add("-D", definition);
    if (program.launch)
        add("--launch", std::to_string(*program.launch));
    if (!program.blocks.empty())
        add("--blocks", program.blocks);
    if (!program.maxBytes.empty())
        add("--max-bytes", program.maxBytes);
    addNumber("--devices", program.devices);
    addNumber("--max-steps", program.maxSteps);
    addNumber("--max-seconds", program.maxSeconds);
    addNumber("--threads", program.threads);
    addFlag("--as-compiled", program.asCompiled);
    addFlag("--sandbox", program.sandbox);
    addFlag("--count", program.count);
    addFlag("--races", program.races);
    addFlag("--counters", program.counters);
    addFlag("--no-variables", program.noVariables);
}

Json requestOf(const RemoteRecording& recording)
{
    const ProgramOptions& program = recording.program;
    Json words = Json::array({"record", "--quiet"});
    addOptions(program, words);
    const bool isCommand = recording.isForeign || recording.attach;
    if (recording.attach)
        words.push_back("--attach");
    for (const std::string& folder : program.includeDirectories) {
        words.push_back("-I");
        words.push_back(sentPath(folder));
    }
    // A command begins after the dashes, and so do a program's arguments.
    if (!isCommand)
        words.push_back(sentPath(program.source));
    words.push_back("--");
    if (isCommand)
        words.push_back(program.source);
    for (const std::string& argument : program.arguments)
        words.push_back(argument);
    Json request = {{"words", words}, {"progress", program.progressFd >= 0}};
    if (!isCommand)
        request["folder"] = fs::current_path().string();
    request["environment"] = {{"LANESCOPE_COMMAND_LINE", recording.commandLine}};
    for (const char* name : {"LANESCOPE_DEVICES", "LANESCOPE_PROGRESS"})
        if (const char* const value = std::getenv(name))
            request["environment"][name] = value;
    return request;
}

Result<std::string> contentsOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{Error::Code::NotFound, "cannot be read", path};
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// ---- The conversation ----

class Conversation {
public:
    Conversation(const RemoteRecording& recording, SshConnection connection)
        : m_recording(recording), m_connection(std::move(connection))
    {
    }

    int run()
    {
        if (!greet())
            return couldNotStart();
        if (const Result<void> sent = sendRequest(); !sent)
            return fail(sent.error());
        while (!m_code && take())
            ;
        if (!m_code) {
            std::error_code ignored;
            for (const auto& [trace, isPublished] : m_published)
                fs::remove(partOf(trace), ignored);
            return fail(fmt::format("{}: the connection has ended before the recording", host()));
        }
        (void)m_connection.wait();
        return finish();
    }

private:
    [[nodiscard]] const std::string& host() const { return m_recording.remote.host; }

    /// False: there will be no hello.
    bool greet()
    {
        while (wait()) {
            const std::optional<Frame> frame = m_reader.next();
            if (!frame)
                continue;
            const Json hello = Json::parse(frame->bytes, nullptr, false);
            m_isOther =
                frame->kind != FrameKind::Hello || !hello.is_object() || hello.value("protocol", 0) != kRemoteProtocol;
            m_version = hello.is_object() ? hello.value("version", std::string("?")) : "?";
            return !m_isOther;
        }
        return false;
    }

    /// What ssh said is the reason, or part of it.
    int couldNotStart()
    {
        if (m_isOther)
            return fail(
                fmt::format("{}: its lanescope is of another version ({}, this one is {}): install the same on both",
                            host(), m_version, kLanescopeVersion));
        if (g_interrupted != 0)
            return fail("interrupted");
        const int status = m_connection.wait();
        while (!m_ssh.empty() && m_ssh.back() == '\n')
            m_ssh.pop_back();
        const std::string said = m_ssh.empty() ? "" : "\n  " + m_ssh;
        constexpr int kSshFailed = 255, kNotFound = 127;
        if (status == kSshFailed && m_ssh.find("Host key verification") != std::string::npos)
            return fail(
                fmt::format("{}: its key is not known here: connect once by hand, ssh {}{}", host(), host(), said));
        if (status == kSshFailed && m_ssh.find("Permission denied") != std::string::npos)
            return fail(
                fmt::format("{}: no key of yours opens it, and nobody can be asked for a password: ssh-copy-id {}{}",
                            host(), host(), said));
        if (status == kSshFailed)
            return fail(fmt::format("{}: ssh cannot reach it; try ssh {} true{}", host(), host(), said));
        if (status == kNotFound)
            return fail(fmt::format("{}: no lanescope there: install it, or say where it is: --host-command PATH{}",
                                    host(), said));
        return fail(
            fmt::format("{}: what answers there is no lanescope that can record for others: install this version, {}{}",
                        host(), kLanescopeVersion, said));
    }

    Result<void> sendRequest()
    {
        const Json request = requestOf(m_recording);
        std::vector<std::string> files;
        if (!m_recording.isForeign && !m_recording.attach)
            files = filesOf(m_recording.program.source, m_recording.program.includeDirectories);
        for (const std::string& further : m_recording.remote.sent)
            files.push_back(fs::absolute(further).lexically_normal().string());
        (void)writeFrame(m_connection.input(), FrameKind::Request,
                         request.dump(-1, ' ', false, Json::error_handler_t::replace));
        for (const std::string& path : files) {
            const Result<std::string> contents = contentsOf(path);
            if (!contents)
                return contents.error();
            (void)writeFrame(m_connection.input(), FrameKind::File, path + '\0' + contents.value());
        }
        (void)writeFrame(m_connection.input(), FrameKind::Go);
        return {};
    }

    /// Reads something of either stream. False: the command's output has ended.
    bool wait()
    {
        pollfd streams[] = {{m_connection.output(), POLLIN, 0}, {m_connection.errors(), POLLIN, 0}};
        constexpr int kLookAgainMs = 200;  // for a signal that came just before
        if (poll(streams, 2, kLookAgainMs) < 0 && errno != EINTR)
            return false;
        if (g_interrupted != 0 && !m_isCancelled) {
            m_isCancelled = true;
            (void)writeFrame(m_connection.input(), FrameKind::Cancel);
        }
        if (streams[1].revents != 0)
            takeErrors();
        return streams[0].revents == 0 || m_reader.read(m_connection.output());
    }

    void takeErrors()
    {
        char bytes[4096];
        const ssize_t count = ::read(m_connection.errors(), bytes, sizeof bytes);
        if (count > 0)
            m_ssh.append(bytes, static_cast<size_t>(count));
        else
            m_connection.closeErrors();
    }

    bool take()
    {
        while (const std::optional<Frame> frame = m_reader.next())
            take(*frame);
        return m_code || wait();
    }

    void take(const Frame& frame)
    {
        switch (frame.kind) {
        case FrameKind::Output:
            (void)writeAll(STDOUT_FILENO, frame.bytes);
            break;
        case FrameKind::Errors:
            (void)writeAll(STDERR_FILENO, frame.bytes);
            break;
        case FrameKind::Progress:
            if (m_recording.program.progressFd >= 0)
                (void)writeAll(m_recording.program.progressFd, frame.bytes);
            break;
        case FrameKind::Trace:
            beginTrace(Json::parse(frame.bytes, nullptr, false));
            break;
        case FrameKind::Piece:
            addPiece(frame.bytes);
            break;
        case FrameKind::Moment:
            endTrace();
            break;
        case FrameKind::Exit:
            m_exit = Json::parse(frame.bytes, nullptr, false);
            m_code = m_exit.is_object() ? m_exit.value("code", int{kCouldNotRun}) : kCouldNotRun;
            break;
        default:
            break;
        }
    }

    /// The other side calls them "trace.lanes", "trace.123.lanes".
    void beginTrace(const Json& header)
    {
        const std::string name = header.is_object() ? header.value("name", std::string()) : "";
        const fs::path wanted = m_recording.trace;
        const fs::path more = fs::path(name).stem().extension();
        fs::path path = wanted;
        path.replace_filename(wanted.stem().string() + more.string() + wanted.extension().string());
        m_coming = {path.string(), header.value("size", uint64_t{0}), header.value("bytes", uint64_t{0}),
                    header.value("last", true)};
        m_fetched = 0;
        const bool isNew = m_published.try_emplace(path.string(), false).second;
        std::error_code ignored;
        if (isNew)
            fs::remove(path, ignored);
        m_file.open(partOf(path),
                    std::ios::binary | std::ios::in | std::ios::out | (isNew ? std::ios::trunc : std::ios::openmode{}));
        m_couldNotWrite |= !m_file;
    }

    static std::string partOf(const fs::path& trace) { return trace.string() + ".part"; }

    void addPiece(const std::string& bytes)
    {
        uint64_t place = 0;
        if (bytes.size() < sizeof place)
            return;
        std::memcpy(&place, bytes.data(), sizeof place);
        m_file.seekp(static_cast<std::streamoff>(place));
        m_file.write(bytes.data() + sizeof place, static_cast<std::streamsize>(bytes.size() - sizeof place));
        m_fetched += bytes.size() - sizeof place;
        if (m_recording.program.progressFd >= 0 && m_coming.isLast)
            (void)writeAll(m_recording.program.progressFd,
                           Json{{"event", "transfer"}, {"bytes", m_fetched}, {"of", m_coming.bytes}}.dump() + "\n");
    }

    /// The pieces make a trace, which whoever has opened it sees grow.
    void endTrace()
    {
        m_file.close();
        m_couldNotWrite |= m_file.fail();
        m_file.clear();
        const std::string part = partOf(m_coming.path);
        bool& isPublished = m_published[m_coming.path];
        std::error_code error;
        fs::resize_file(part, m_coming.size, error);
        if (m_coming.isLast && !isPublished)
            fs::rename(part, m_coming.path, error);
        else if (trace::copyTrace(part, m_coming.path).ok())
            isPublished = true;
        else if (m_coming.isLast)  // damaged there: as it is
            fs::rename(part, m_coming.path, error);
        if (m_coming.isLast)
            fs::remove(part, error);
    }

    int finish()
    {
        if (m_couldNotWrite)
            return fail(Error{Error::Code::Io, "could not be written", m_recording.trace});
        std::error_code ignored;
        std::string names;
        for (const auto& [trace, isPublished] : m_published)
            names += (names.empty() ? "" : ", ") + fs::proximate(trace, ignored).string();
        if (!m_recording.quiet && !m_published.empty())
            fmt::print(stderr, "lanescope: recorded on {} to {}\n", host(), names);
        return *m_code;
    }

    const RemoteRecording& m_recording;
    SshConnection m_connection;
    FrameReader m_reader;
    std::string m_ssh;  ///< what ssh said
    std::string m_version;
    bool m_isOther = false;
    bool m_isCancelled = false;
    std::optional<int> m_code;
    Json m_exit;
    /// A trace as of one moment, of which pieces come.
    struct Coming {
        std::string path;
        uint64_t size = 0;   ///< of the trace
        uint64_t bytes = 0;  ///< that come
        bool isLast = true;
    };
    Coming m_coming;
    std::fstream m_file;
    bool m_couldNotWrite = false;
    uint64_t m_fetched = 0;
    std::map<std::string, bool> m_published;  ///< the traces; whether they are there already
};

std::string commandThere(const RemoteOptions& options)
{
    if (!options.lanescope.empty())
        return options.lanescope;
    const char* const chosen = std::getenv("LANESCOPE_HOST_COMMAND");
    return chosen && *chosen ? chosen : "lanescope";
}

}  // namespace

void addRemoteOptions(CLI::App& command, RemoteOptions& options)
{
    command
        .add_option("--host", options.host,
                    "record on another machine, by ssh, with the lanescope that is there; the program and what it "
                    "includes are sent, the trace is fetched")
        ->type_name("[USER@]HOST");
    command
        .add_option("--host-command", options.lanescope,
                    "how the other machine's lanescope is called (default: LANESCOPE_HOST_COMMAND, else lanescope)")
        ->type_name("COMMAND");
    command.add_option("--send", options.sent, "with --host: a further file that the program reads")
        ->allow_extra_args(false)
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
}

int recordRemotely(const RemoteRecording& recording)
{
    const InterruptScope interrupts;
    // What may follow it are words of its own: "env A=B lanescope".
    Result<SshConnection> connection =
        SshConnection::open(recording.remote.host, commandThere(recording.remote) + " remote");
    if (!connection)
        return fail(connection.error());
    const int code = Conversation(recording, std::move(connection).value()).run();
    return code;
}

}  // namespace lanescope::cli
