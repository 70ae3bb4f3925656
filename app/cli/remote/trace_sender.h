// SPDX-License-Identifier: GPL-3.0-or-later
// Sends traces while they grow: of each moment only the pieces that have changed since the one before.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lanescope::cli {

class TraceSender {
public:
    /// \p folder: where traces appear; \p scratch: for copies of them; \p prefix: taken out of the paths that they
    /// name.
    TraceSender(std::filesystem::path folder, std::filesystem::path scratch, std::string prefix);

    /// What there is by now, if it is time to look again. False: nobody reads any more.
    bool sendGrowth();
    /// All that is missing of the finished traces.
    bool sendRest();

private:
    [[nodiscard]] std::vector<std::filesystem::path> traces() const;
    bool send(const std::filesystem::path& trace, bool isLast);

    std::filesystem::path m_folder;
    std::filesystem::path m_scratch;
    std::string m_prefix;
    std::map<std::string, std::vector<uint64_t>> m_sent;  ///< hashes of each trace's pieces
    std::chrono::steady_clock::time_point m_nextLook;
};

}  // namespace lanescope::cli
