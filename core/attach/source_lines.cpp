// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/source_lines.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "core/cuda/cupti.h"

namespace lanescope::attach {

/// CUpti_GetSassToSourceCorrelationParams. The two texts are the caller's to free.
struct SourceLines::Question {
    size_t structBytes = offsetof(Question, folder) + sizeof(char*);
    const void* cubin = nullptr;
    const char* function = nullptr;
    size_t cubinBytes = 0;
    uint32_t line = 0;
    uint64_t offset = 0;
    char* file = nullptr;
    char* folder = nullptr;
};

SourceLine SourceLines::at(std::span<const std::byte> cubin, const std::string& function, uint64_t offset)
{
    if (!m_looked) {
        m_looked = true;
        if (void* library = cuda::openCupti(m_toolkit))
            m_ask = reinterpret_cast<Ask>(dlsym(library, "cuptiGetSassToSourceCorrelation"));
    }
    Question question;
    question.cubin = cubin.data();
    question.cubinBytes = cubin.size();
    question.function = function.c_str();
    question.offset = offset;
    SourceLine found;
    if (m_ask && !cubin.empty() && m_ask(&question) == 0 && question.file && question.line > 0) {
        const std::filesystem::path file = question.file;
        found.path = file.is_absolute() || !question.folder ? file.string() : (question.folder / file).string();
        found.line = question.line;
    }
    std::free(question.file);
    std::free(question.folder);
    return found;
}

}  // namespace lanescope::attach
