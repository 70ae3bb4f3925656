// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that is gone, with all in it, when its object is.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace lanescope {

class TemporaryFolder {
public:
    /// \p purpose: a word in its name.
    explicit TemporaryFolder(const std::string& purpose)
        : m_path(std::filesystem::temp_directory_path().string() + "/lanescope-" + purpose + "-XXXXXX"),
          m_good(mkdtemp(m_path.data()) != nullptr)
    {
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        if (m_good)
            std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::string file(const char* name) const { return m_path + "/" + name; }

private:
    std::string m_path;
    bool m_good;
};

}  // namespace lanescope
