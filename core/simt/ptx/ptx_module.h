// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a PTX module, as its functions, variables and sections.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/simt/ptx/ptx_parser.h"

namespace lanescope::simt {

struct PtxFunction {
    std::string name;
    bool isEntry = false;
    bool hasBody = false;
    std::vector<PtxVariable> results, parameters;
    std::vector<uint64_t> maxThreads;  ///< .maxntid or .reqntid, x first; empty: not stated
    uint64_t minBlocks = 0;            ///< .minnctapersm
    std::vector<uint64_t> cluster;     ///< .reqnctapercluster, x first; empty: not stated
    PtxText body;
    uint32_t line = 0;
};

/// Bytes with names in them: debug information.
struct PtxSection {
    struct Reference {
        uint64_t offset = 0;
        unsigned bytes = 0;
        std::string name;  ///< of a label or of a section
        std::string less;  ///< a label that is subtracted; empty: none
        int64_t addend = 0;
    };
    std::string bytes;
    std::map<std::string, uint64_t> labels;
    std::vector<Reference> references;
};

struct PtxModule {
    std::string target;
    std::map<uint32_t, std::string> files;  ///< .file, by number
    std::vector<PtxVariable> variables;
    std::vector<PtxFunction> functions;          ///< of one name: the declaration and the definition may both be there
    std::map<std::string, std::string> aliases;  ///< .alias: the function that a name stands for
    std::map<std::string, PtxSection> sections;
};

/// None when the text is damaged; \p problem then says what, and \p line where.
std::optional<PtxModule> parsePtxModule(std::string_view text, std::string& problem, uint32_t& line);

/// Bytes of an element of a type, "b32"; 0: there is no such type.
uint64_t bytesOfPtxType(std::string_view type);

}  // namespace lanescope::simt
