// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

/// Above this many programs, and host sides of programs, the oldest that nobody used for a day are removed.
constexpr size_t kMaxPrograms = 600;

struct FileStamp {
    int64_t size = -1;
    int64_t seconds = 0;
    int64_t nanoseconds = 0;
};

FileStamp stampOf(const std::string& path)
{
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0)
        return {};
    return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

/// The file is as it was: same size and time, or at least the same content.
bool isUnchanged(const std::string& path, const FileStamp& then, const std::string& hash)
{
    const FileStamp now = stampOf(path);
    if (now.size != then.size)
        return false;
    if (now.seconds == then.seconds && now.nanoseconds == then.nanoseconds)
        return true;
    const Result<std::string> bytes = readFile(path);
    return bytes.ok() && contentHash(bytes.value()) == hash;
}

bool createFolders(const std::string& root)
{
    std::error_code error;
    for (const char* folder : {"requests", "programs", "work"})
        if (fs::create_directories(fs::path(root) / folder, error); error)
            return false;
    return access((root + "/work").c_str(), W_OK) == 0;
}

std::string environmentOr(const char* name, const std::string& otherwise)
{
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

}  // namespace

std::string contentHash(const std::string& bytes)
{
    // Offset basis and prime of FNV-1a, 128 bits (Fowler, Noll, Vo).
    using Wide = unsigned __int128;
    constexpr Wide kBasis = (Wide{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
    constexpr Wide kPrime = (Wide{0x0000000001000000} << 64) | 0x000000000000013b;
    Wide hash = kBasis;
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
    return fmt::format("{:016x}{:016x}", static_cast<uint64_t>(hash >> 64), static_cast<uint64_t>(hash));
}

Result<std::string> readFile(const std::string& path)
{
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        return Error{Error::Code::BadInput, "is a folder, expected a file", path};
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{Error::Code::NotFound, std::strerror(errno), path};
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return std::move(bytes).str();
}

std::string textOf(const std::string& path)
{
    const Result<std::string> bytes = readFile(path);
    return bytes.ok() ? bytes.value() : std::string();
}

bool canBeReplaced(const std::string& path)
{
    std::error_code unknown;
    const fs::file_status there = fs::status(path, unknown);
    return !fs::exists(there) || !fs::is_other(there);
}

Result<void> writeFile(const std::string& path, const std::string& bytes)
{
    const bool isReplaced = canBeReplaced(path);
    const std::string temporary = isReplaced ? fmt::format("{}.{}", path, getpid()) : path;
    std::ofstream file(temporary, std::ios::binary);
    file << bytes;
    file.close();
    std::error_code error;
    if (!isReplaced && file)
        return {};
    if (file)
        fs::rename(temporary, path, error);
    if (!file || error) {
        const std::string reason = error ? error.message() : std::strerror(errno);
        if (isReplaced)
            fs::remove(temporary, error);
        return Error{Error::Code::Io, fmt::format("cannot be written: {}", reason), path};
    }
    return {};
}

FolderGuard::~FolderGuard()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

void readDependencies(const std::string& path, std::set<std::string>& files)
{
    const std::string text = textOf(path);
    std::string name;
    const auto take = [&] {
        if (!name.empty() && name.back() != ':')
            files.insert(name);
        name.clear();
    };
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '#'))
            name += text[++i];
        else if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '$')
            name += text[++i];
        else if (text[i] == ' ' || text[i] == '\n' || (text[i] == '\\' && text[i + 1] == '\n'))
            take();
        else
            name += text[i];
    }
    take();
}

std::string dependencyText(const std::string& target, const std::set<std::string>& files)
{
    std::string text = target + ':';
    for (const std::string& file : files) {
        text += ' ';
        for (const char c : file) {
            if (c == ' ' || c == '#' || c == '$')
                text += c == '$' ? '$' : '\\';
            text += c;
        }
    }
    return text + '\n';
}

Result<Cache> Cache::open()
{
    const std::string home = environmentOr("HOME", "");
    const std::string preferred = environmentOr("XDG_CACHE_HOME", home.empty() ? "" : home + "/.cache");
    if (!preferred.empty() && createFolders(preferred + "/lanescope"))
        return Cache(preferred + "/lanescope");
    std::error_code ignored;
    const std::string other = fmt::format("{}/lanescope-{}", fs::temp_directory_path(ignored).string(), getuid());
    if (createFolders(other))
        return Cache(other);
    return Error{Error::Code::Io, fmt::format("neither '{}/lanescope' nor '{}' can be written", preferred, other),
                 "compile cache"};
}

std::optional<std::string> Cache::find(const std::string& request, const std::string& product) const
{
    std::ifstream entry(fmt::format("{}/requests/{}", m_root, request));
    std::string name;
    if (!entry || !std::getline(entry, name))
        return std::nullopt;
    for (std::string line; std::getline(entry, line);) {
        std::istringstream fields(line);
        FileStamp stamp;
        std::string hash;
        std::string path;
        fields >> stamp.size >> stamp.seconds >> stamp.nanoseconds >> hash;
        fields.ignore(1);
        if (!std::getline(fields, path) || !isUnchanged(path, stamp, hash))
            return std::nullopt;
    }
    std::string folder = fmt::format("{}/programs/{}", m_root, name);
    if (access(fmt::format("{}/{}", folder, product).c_str(), R_OK) != 0)
        return std::nullopt;
    std::error_code ignored;
    fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);  // for trim()
    return folder;
}

Result<std::string> Cache::workFolder() const
{
    std::string path = m_root + "/work/XXXXXX";
    if (!mkdtemp(path.data()))
        return Error{Error::Code::Io, fmt::format("cannot be created: {}", std::strerror(errno)), path};
    return path;
}

Result<std::string> Cache::store(const std::string& request, const std::vector<std::string>& dependencies,
                                 const std::string& workFolder, const std::string& product) const
{
    std::string list;
    for (const std::string& path : dependencies) {
        const FileStamp stamp = stampOf(path);
        const Result<std::string> bytes = readFile(path);
        if (!bytes)
            return bytes.error();
        list += fmt::format("{} {} {} {} {}\n", stamp.size, stamp.seconds, stamp.nanoseconds,
                            contentHash(bytes.value()), path);
    }
    const std::string name = contentHash(request + list);
    const std::string folder = fmt::format("{}/programs/{}", m_root, name);
    std::error_code error;
    fs::rename(workFolder, folder, error);
    if (error) {  // somebody else made the same meanwhile; theirs is as good
        fs::remove_all(workFolder, error);
        if (access(fmt::format("{}/{}", folder, product).c_str(), R_OK) != 0)
            return Error{Error::Code::Io, "cannot be created", folder};
    }
    if (Result<void> written = writeFile(fmt::format("{}/requests/{}", m_root, request), name + "\n" + list); !written)
        return written.error();
    trim();
    return folder;
}

void Cache::trim() const
{
    std::error_code ignored;
    std::vector<std::pair<fs::file_time_type, fs::path>> programs;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_root + "/programs", ignored))
        programs.emplace_back(entry.last_write_time(ignored), entry.path());
    if (programs.size() <= kMaxPrograms)
        return;
    std::sort(programs.begin(), programs.end());
    const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
    for (size_t i = 0; i < programs.size() - kMaxPrograms / 2; ++i)
        if (programs[i].first < yesterday)
            fs::remove_all(programs[i].second, ignored);
}

}  // namespace lanescope::compiler
