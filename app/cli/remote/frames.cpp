// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/remote/frames.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lanescope::cli {

namespace {

/// The kind and the length, lowest byte first.
constexpr size_t kHeader = 1 + sizeof(uint64_t);
/// Traces are sent in pieces, and no source is that large.
constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr std::string_view kKinds = "HRFGCOEPTDMX";

uint64_t lengthIn(std::string_view header)
{
    uint64_t length = 0;
    for (size_t i = sizeof(length); i-- > 0;)
        length = length << 8 | static_cast<uint8_t>(header[1 + i]);
    return length;
}

}  // namespace

bool writeAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

bool writeFrame(int fd, FrameKind kind, std::string_view bytes)
{
    std::string header(1, static_cast<char>(kind));
    for (size_t i = 0; i < sizeof(uint64_t); ++i)
        header += static_cast<char>(bytes.size() >> 8 * i & 0xff);
    return writeAll(fd, header) && writeAll(fd, bytes);
}

bool FrameReader::read(int fd)
{
    char bytes[1 << 16];
    ssize_t count = 0;
    do
        count = ::read(fd, bytes, sizeof bytes);
    while (count < 0 && errno == EINTR);
    if (count <= 0)
        return false;
    m_bytes.append(bytes, static_cast<size_t>(count));
    if (!m_bytes.empty() && kKinds.find(m_bytes.front()) == std::string_view::npos)
        m_damaged = true;
    return !m_damaged;
}

std::optional<Frame> FrameReader::next()
{
    if (m_damaged || m_bytes.size() < kHeader)
        return std::nullopt;
    const uint64_t length = lengthIn(m_bytes);
    m_damaged = length > kMostBytes || kKinds.find(m_bytes.front()) == std::string_view::npos;
    if (m_damaged || m_bytes.size() - kHeader < length)
        return std::nullopt;
    Frame frame{static_cast<FrameKind>(m_bytes.front()), m_bytes.substr(kHeader, length)};
    m_bytes.erase(0, kHeader + length);
    return frame;
}

}  // namespace lanescope::cli
