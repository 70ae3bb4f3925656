// SPDX-License-Identifier: GPL-3.0-or-later
// What `lanescope nvcc` knows of files: which language a source is in, which libraries are NVIDIA's, rules for make.
#pragma once

#include <string>
#include <vector>

namespace lanescope::cli {

enum class Language { Cuda, Cxx, C, Object, Unknown };

/// By the ending of \p file; \p given: what -x says of sources, "cu", "c++" or "c"; empty: nothing.
Language languageOf(const std::string& file, const std::string& given);

/// Whether \p library is one of NVIDIA's that a program of ours is not linked to: what is there of it is in the runtime
/// and in headers.
bool isInTheRuntime(const std::string& library);

/// The file of the stand-in of a library of NVIDIA's that programs link to by its name; empty: there is none.
std::string standIn(const std::string& library);

/// A rule for make. \p target: as it is to be written; \p addsPhonyTargets: an empty rule for each file, too.
std::string makeRule(const std::string& target, const std::vector<std::string>& files, bool addsPhonyTargets);

/// \p file as a rule for make has it.
std::string escapedForMake(const std::string& file);

}  // namespace lanescope::cli
