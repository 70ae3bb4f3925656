// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of a parallel job's processes this is: each writes a trace of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lanescope::trace {

struct ProcessRank {
    uint32_t rank = 0;
    uint32_t of = 0;  ///< processes of the job; 0: not known
    friend bool operator==(const ProcessRank&, const ProcessRank&) = default;
};

/// As mpirun (Open MPI, MPICH and their like) or srun have put it into the environment; nothing outside of them.
std::optional<ProcessRank> processRank();

/// Whether \p path has a place for the rank: "%r" in its last part.
bool isOfRanks(const std::string& path);

/// \p path with the rank for each "%r" of its last part.
std::string pathOfRank(const std::string& path, const ProcessRank& rank);

/// Whether pathOfRank() gives \p path for \p pattern and some rank.
bool isPathOfRank(const std::string& path, const std::string& pattern);

/// "3/8", "3" where the number of processes is not known.
std::string rankText(const ProcessRank& rank);
/// The reverse; nothing for another text.
std::optional<ProcessRank> rankFrom(const std::string& text);

}  // namespace lanescope::trace
