// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exercises: a program of the gallery with a hole, tests, gates, hints. The grammar is in docs/exercises.md. Read this
// header first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope::exercise {

/// What a gate counts in a run's launches.
enum class Metric : uint8_t {
    SectorsPerRequest,  ///< sectors of 32 bytes that a warp's access of global memory touches: of the worst line
    ConflictDegree,     ///< lanes that one bank serves one after the other: of the worst line
    GlobalReads,        ///< by lanes, as are the following
    GlobalWrites,
    SharedReads,
    SharedWrites,
    Atomics,
};

/// A bound of a number: "global-reads of a <= 1 per thread".
struct Gate {
    enum class Per : uint8_t { Run, Block, Thread };

    Metric metric = Metric::SectorsPerRequest;
    std::string buffer;  ///< as the kernel calls it; empty: any
    bool atLeast = false;
    double bound = 0;
    Per per = Per::Run;
};

struct Test {
    std::string arguments;  ///< of the program, separated by blanks
    bool hidden = false;    ///< its arguments are not shown before it fails
    std::vector<Gate> gates;
};

/// Code for the hole, and what is wrong with it.
struct Attempt {
    std::string title;
    std::string code;                ///< whole lines
    std::vector<std::string> fails;  ///< ids of the checks that it fails (judge.h)
};

struct Exercise {
    std::string name;   ///< of its file, without the ending: "01_map"
    std::string title;  ///< "Map"
    bool isRepair = false;
    std::string summary;  ///< one line
    std::string program;  ///< file name in the gallery: "01_map.cu"
    std::string from;     ///< the hole begins with the program's first line that contains this
    std::string to;       ///< and ends with the first one from there on that contains this
    std::string text;     ///< paragraphs, each on one line
    std::vector<std::string> hints;
    std::vector<Test> tests;
    std::vector<Gate> gates;  ///< of every test
    Attempt start;            ///< what the hole holds at first
    std::string solution;     ///< code; empty: what the program has there
    std::vector<Attempt> wrong;
};

/// \p name: of the file, without folder and ending. Errors name the line, what was found and what is known.
Result<Exercise> parse(const std::string& text, const std::string& name);

/// Errors say what was found and what is expected.
Result<Gate> parseGate(const std::string& text);
/// "global-reads"
std::string_view nameOf(Metric metric);
/// As parseGate takes it.
std::string textOf(const Gate& gate);

}  // namespace lanescope::exercise
