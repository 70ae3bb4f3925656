// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer that a program gives to MPI, where MPI can reach it.
#pragma once

#include <memory>

#include "instrumented/mpi/interface.h"

namespace lanescope::mpi {

/// Whether \p buffer is memory of the device that the host cannot reach.
bool isOnDevice(const void* buffer);

/// Says that \p call cannot have a buffer of the device, and why, and ends the job.
[[noreturn]] void refuse(const char* call, const char* why);

/// Bytes from the first to the last of \p count elements; those that do not lie close together are refused.
size_t bytesOf(const char* call, long long count, Handle type);

enum class Use { Read, Written, Both };

/// A buffer's bytes, of the host: the buffer itself, or a copy. Copies of the runtime fill it and give it back, with
/// their checks.
class Staged {
public:
    Staged() = default;
    /// \p call: MPI's name, for what is refused.
    Staged(const char* call, const void* buffer, long long count, Handle type, Use use);
    Staged(const char* call, const void* buffer, size_t bytes, Use use);

    /// What MPI is given.
    [[nodiscard]] void* get() const { return m_copy ? m_copy.get() : m_buffer; }
    [[nodiscard]] bool isCopied() const { return m_copy != nullptr; }
    /// To the device, the first \p bytes of what was written.
    void giveBack(size_t bytes = SIZE_MAX) const;

private:
    void stage(Use use);

    void* m_buffer = nullptr;
    size_t m_bytes = 0;
    bool m_isWritten = false;
    std::shared_ptr<std::byte[]> m_copy;
};

}  // namespace lanescope::mpi
