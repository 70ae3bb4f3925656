// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled programs and headers, found again by content. Layout under the cache folder:
//   requests/<hash of source text, flags and tools>   the files it included, with hashes, and the product's folder
//   programs/<hash of the above>/program, object.o or module, messages.txt (a header: header.pch)
// Everything is written aside and renamed into place, so that several processes can use one cache.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::compiler {

/// 128-bit FNV-1a, as 32 hex digits. Not for secrets.
std::string contentHash(const std::string& bytes);

class Cache {
public:
    /// $XDG_CACHE_HOME/lanescope, else ~/.cache/lanescope, else a folder of our own under the temporary folder.
    static Result<Cache> open();

    /// The folder of what was compiled for \p request, if what it included has not changed and \p product is in it.
    [[nodiscard]] std::optional<std::string> find(const std::string& request, const std::string& product) const;
    /// An empty folder in which to compile.
    [[nodiscard]] Result<std::string> workFolder() const;
    /// Takes over \p workFolder, with \p product in it, as the result for \p request; \p dependencies are the files it
    /// was made from. Returns the folder where the product now is.
    Result<std::string> store(const std::string& request, const std::vector<std::string>& dependencies,
                              const std::string& workFolder, const std::string& product) const;

private:
    explicit Cache(std::string root) : m_root(std::move(root)) {}
    void trim() const;

    std::string m_root;
};

/// Removes a work folder, if it is still there, when it goes out of scope.
class FolderGuard {
public:
    explicit FolderGuard(std::string path) : m_path(std::move(path)) {}
    ~FolderGuard();
    FolderGuard(const FolderGuard&) = delete;
    FolderGuard& operator=(const FolderGuard&) = delete;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

/// Adds the files named in a make-style dependency file to \p files.
void readDependencies(const std::string& path, std::set<std::string>& files);
/// Such a file, of what \p target was made from.
std::string dependencyText(const std::string& target, const std::set<std::string>& files);

/// Reads a whole file. Error NotFound or Io names it.
Result<std::string> readFile(const std::string& path);
/// The same; empty when it cannot be read.
std::string textOf(const std::string& path);
/// Writes a whole file, through a temporary one beside it; into what cannot be replaced.
Result<void> writeFile(const std::string& path, const std::string& bytes);
/// Whether another file may take the place of what is at \p path. Not where that is no file: /dev/null, a pipe.
bool canBeReplaced(const std::string& path);

}  // namespace lanescope::compiler
