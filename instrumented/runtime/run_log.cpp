// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace lanescope::runtime {

void RunLog::open(const std::string& path)
{
    if (path.empty())
        return;
    m_file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void RunLog::finding(const std::string& text)
{
    append(nlohmann::json({{"finding", text}}).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void RunLog::end(const std::string& status)
{
    append(status);
}

void RunLog::append(const std::string& line)
{
    if (m_file < 0)
        return;
    const std::string whole = line + '\n';
    [[maybe_unused]] const ssize_t written = write(m_file, whole.data(), whole.size());
}

}  // namespace lanescope::runtime
