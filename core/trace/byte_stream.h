// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Little-endian integers and varints in byte columns: an appender for the hot path and a bounds-checked reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace lanescope::trace {

/// Maps small negative and positive numbers to small unsigned ones: 0, -1, 1, -2 … to 0, 1, 2, 3 …
constexpr uint64_t zigzag(uint64_t v)
{
    return (v << 1) ^ (uint64_t{0} - (v >> 63));
}
constexpr uint64_t unzigzag(uint64_t v)
{
    return (v >> 1) ^ (uint64_t{0} - (v & 1));
}

/// A growing run of bytes. Writers reserve once per event and then append without checks.
class ByteColumn {
public:
    /// Makes room for \p bytes more. Amortised O(1).
    void reserve(size_t bytes)
    {
        if (m_capacity - m_size < bytes) [[unlikely]]
            grow(bytes);
    }
    void putByte(uint8_t v) { m_data[m_size++] = v; }
    void putU32(uint32_t v)
    {
        std::memcpy(m_data.get() + m_size, &v, sizeof v);
        m_size += sizeof v;
    }
    void putBytes(const void* from, size_t bytes)
    {
        std::memcpy(m_data.get() + m_size, from, bytes);
        m_size += bytes;
    }
    /// At most kMaxVarint bytes.
    void putVarint(uint64_t v)
    {
        while (v >= 0x80) {
            m_data[m_size++] = static_cast<uint8_t>(v | 0x80);
            v >>= 7;
        }
        m_data[m_size++] = static_cast<uint8_t>(v);
    }
    /// \p bytes uninitialised bytes, reserved and counted, for the caller to fill in.
    uint8_t* extend(size_t bytes)
    {
        reserve(bytes);
        uint8_t* at = m_data.get() + m_size;
        m_size += bytes;
        return at;
    }

    [[nodiscard]] size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] const uint8_t* data() const { return m_data.get(); }
    [[nodiscard]] std::span<const uint8_t> bytes() const { return {m_data.get(), m_size}; }
    void clear() { m_size = 0; }
    void shrinkTo(size_t bytes) { m_size = bytes; }

    static constexpr size_t kMaxVarint = 10;

private:
    void grow(size_t bytes);

    std::unique_ptr<uint8_t[]> m_data;
    size_t m_size = 0;
    size_t m_capacity = 0;
};

/// Reads what ByteColumn wrote. Reading past the end gives zeros and sets failed(); it never reads outside.
class ByteReader {
public:
    ByteReader() = default;
    explicit ByteReader(std::span<const uint8_t> bytes) : m_at(bytes.data()), m_end(bytes.data() + bytes.size()) {}

    uint8_t byte()
    {
        if (m_at == m_end) [[unlikely]]
            return fail();
        return *m_at++;
    }
    uint32_t u32()
    {
        uint32_t v = 0;
        if (const uint8_t* from = take(sizeof v))
            std::memcpy(&v, from, sizeof v);
        return v;
    }
    uint64_t varint()
    {
        uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const uint8_t b = byte();
            v |= uint64_t{b & 0x7fU} << shift;
            if (b < 0x80)
                return v;
        }
        return fail();
    }
    /// The next \p bytes bytes, or null (and failed()) when there are fewer.
    const uint8_t* take(size_t bytes)
    {
        if (static_cast<size_t>(m_end - m_at) < bytes) [[unlikely]] {
            fail();
            return nullptr;
        }
        const uint8_t* from = m_at;
        m_at += bytes;
        return from;
    }

    [[nodiscard]] bool failed() const { return m_failed; }
    [[nodiscard]] size_t left() const { return static_cast<size_t>(m_end - m_at); }

private:
    uint8_t fail()
    {
        m_failed = true;
        m_at = m_end;
        return 0;
    }

    const uint8_t* m_at = nullptr;
    const uint8_t* m_end = nullptr;
    bool m_failed = false;
};

}  // namespace lanescope::trace
