// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program under other legal schedules and compares what its launches leave in memory.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/model.h"

namespace lanescope::cli {

struct Exploration {
    std::string executable;
    std::string name;  ///< argv[0]
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::string options;     ///< LANESCOPE_OPTIONS of the run that others are compared with
    std::string trace;       ///< of that run, for names, types and who wrote
    std::string folder;      ///< for files that are needed on the way
    unsigned schedules = 0;  ///< how many others
    unsigned shard = 1;      ///< runs each shards-th of them, from this one on (from 1)
    unsigned shards = 1;
};

struct ExploredRun {
    std::vector<trace::Finding> findings;
    std::vector<std::string> schedules;  ///< that were run
};

/// One finding "result-depends-on-schedule" per kernel and buffer, with the first cell that differs, its two values and
/// the threads that wrote it. Later launches than the first that differs are not looked at: they start from different
/// data. Says on stderr how far it is, from the second second on.
Result<ExploredRun> explore(const Exploration& exploration);

}  // namespace lanescope::cli
