// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/remote/trace_sender.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/cli/remote/frames.h"
#include "core/trace/copy.h"
#include "core/trace/path_prefix.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

constexpr size_t kPieceBytes = size_t{1} << 18;
constexpr std::chrono::seconds kLookEvery{1};
constexpr int kShareOfTime = 10;  ///< looking takes no more than one part of so many

/// Calls \p use with each piece's number and bytes until it says no.
bool forEachPiece(const fs::path& path, const std::function<bool(size_t, std::string_view)>& use)
{
    std::ifstream file(path, std::ios::binary);
    std::string piece(kPieceBytes, '\0');
    for (size_t i = 0; file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0; ++i)
        if (!use(i, {piece.data(), static_cast<size_t>(file.gcount())}))
            return false;
    return true;
}

}  // namespace

TraceSender::TraceSender(fs::path folder, fs::path scratch, std::string prefix)
    : m_folder(std::move(folder)), m_scratch(std::move(scratch)), m_prefix(std::move(prefix)),
      m_nextLook(std::chrono::steady_clock::now() + kLookEvery)
{
}

std::vector<fs::path> TraceSender::traces() const
{
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, ignored))
        if (entry.path().extension() == ".lanes")
            found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

bool TraceSender::sendGrowth()
{
    const auto before = std::chrono::steady_clock::now();
    if (before < m_nextLook)
        return true;
    bool isHeard = true;
    for (const fs::path& trace : traces())
        isHeard = isHeard && send(trace, false);
    const auto now = std::chrono::steady_clock::now();
    m_nextLook = now + std::max<std::chrono::steady_clock::duration>(kLookEvery, (now - before) * kShareOfTime);
    return isHeard;
}

bool TraceSender::sendRest()
{
    return std::ranges::all_of(traces(), [this](const fs::path& trace) { return send(trace, true); });
}

bool TraceSender::send(const fs::path& trace, bool isLast)
{
    fs::path moment = m_scratch / trace.filename();
    std::error_code ignored;
    fs::create_directories(m_scratch, ignored);
    if (!trace::copyTrace(trace.string(), moment.string()).ok()) {
        if (!isLast)
            return true;  // nothing is in it yet
        moment = trace;   // damaged as it may be
    }
    (void)trace::removePathPrefix(moment.string(), m_prefix);
    std::vector<uint64_t>& sent = m_sent[trace.filename().string()];
    std::vector<uint64_t> hashes;
    uint64_t changed = 0;
    (void)forEachPiece(moment, [&](size_t i, std::string_view bytes) {
        hashes.push_back(std::hash<std::string_view>{}(bytes));
        if (i >= sent.size() || sent[i] != hashes[i])
            changed += bytes.size();
        return true;
    });
    if (changed == 0 && !isLast)
        return true;
    const nlohmann::json header = {{"name", trace.filename().string()},
                                   {"size", fs::file_size(moment, ignored)},
                                   {"bytes", changed},
                                   {"last", isLast}};
    if (!writeFrame(STDOUT_FILENO, FrameKind::Trace, header.dump()))
        return false;
    const bool isHeard = forEachPiece(moment, [&](size_t i, std::string_view bytes) {
        if (i < sent.size() && sent[i] == hashes[i])
            return true;
        const uint64_t place = i * kPieceBytes;
        std::string piece(sizeof place, '\0');
        std::memcpy(piece.data(), &place, sizeof place);
        return writeFrame(STDOUT_FILENO, FrameKind::Piece, piece.append(bytes));
    });
    sent = std::move(hashes);
    return isHeard && writeFrame(STDOUT_FILENO, FrameKind::Moment);
}

}  // namespace lanescope::cli
