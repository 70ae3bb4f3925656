// SPDX-License-Identifier: GPL-3.0-or-later
// What two `lanescope` say to each other through ssh: frames, each a kind, a length and so many bytes.
//
// The far one begins with Hello; then comes the near one's Request, File after File, and Go. While the program runs the
// far one sends what it prints, how far it is, and the traces as they grow; after it the rest of them and Exit. Cancel,
// or the end of the near one, ends it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::cli {

/// Both sides must have the same.
inline constexpr int kRemoteProtocol = 2;

enum class FrameKind : char {
    Hello = 'H',     ///< JSON: protocol, version
    Request = 'R',   ///< JSON: words, folder, progress
    File = 'F',      ///< absolute path, a zero, the file's bytes
    Go = 'G',        ///< all files have been sent
    Cancel = 'C',    ///< end the program; what it has recorded is still wanted
    Output = 'O',    ///< of the program's stdout
    Errors = 'E',    ///< of its stderr
    Progress = 'P',  ///< lines of --progress-fd
    Trace =
        'T',  ///< JSON: name, size of the trace whose changed pieces follow, their bytes, whether it is the last time
    Piece = 'D',   ///< its place in the trace in eight bytes, then what is there
    Moment = 'M',  ///< with these pieces the trace is whole, as it was at one moment
    Exit = 'X',    ///< JSON: code
};

struct Frame {
    FrameKind kind = FrameKind::Go;
    std::string bytes;
};

/// Waits until all is written. False: nobody reads any more.
bool writeFrame(int fd, FrameKind kind, std::string_view bytes = {});
bool writeAll(int fd, std::string_view bytes);

/// Makes frames of what has come so far.
class FrameReader {
public:
    /// Reads what is there, waiting for at least one byte. False: the other side has ended, or says what is no frame.
    bool read(int fd);
    std::optional<Frame> next();

private:
    std::string m_bytes;
    bool m_damaged = false;
};

}  // namespace lanescope::cli
