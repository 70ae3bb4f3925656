// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/device_printf.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace lanescope::simt {
namespace {

/// The host's printf does the work, one conversion at a time, with a format that we have checked.
template <typename... T>
std::string formatted(const std::string& format, T... values)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = std::snprintf(nullptr, 0, format.c_str(), values...);
    if (length < 0)
        return {};
    std::string text(static_cast<size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), values...);
#pragma GCC diagnostic pop
    text.pop_back();
    return text;
}

class Formatter {
public:
    Formatter(const std::string& format, uint64_t arguments, const std::function<std::string(uint64_t)>& string,
              const std::function<bool(uint64_t, unsigned, void*)>& bytes)
        : m_format(format), m_next(arguments), m_string(string), m_bytes(bytes)
    {
    }

    PrintedText run()
    {
        while (m_at < m_format.size()) {
            if (m_format[m_at] != '%')
                m_result.text += m_format[m_at++];
            else if (!conversion()) {
                m_result.arguments = -1;
                return m_result;
            }
        }
        return m_result;
    }

private:
    template <typename T>
    T take()
    {
        T value{};
        m_next = (m_next + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        m_bytes(m_next, sizeof(T), &value);
        m_next += sizeof(T);
        return value;
    }

    bool is(std::string_view set) const { return m_at < m_format.size() && set.find(m_format[m_at]) != set.npos; }

    /// Digits, or '*' for an int argument, which is put in its place.
    void number(std::string& spec)
    {
        if (is("*")) {
            spec += std::to_string(take<int>());
            ++m_at;
        }
        while (is("0123456789"))
            spec += m_format[m_at++];
    }

    bool conversion()
    {
        std::string spec = "%";
        ++m_at;
        while (is("-+ #0"))
            spec += m_format[m_at++];
        number(spec);
        if (is(".")) {
            spec += m_format[m_at++];
            number(spec);
        }
        std::string length;
        while (is("hljztL"))
            length += m_format[m_at++];
        if (m_at >= m_format.size())
            return false;
        char kind = m_format[m_at++];
        if (kind == '%') {
            m_result.text += '%';
            return true;
        }
        ++m_result.arguments;
        return value(spec, length, kind);
    }

    bool value(const std::string& spec, const std::string& length, char kind)
    {
        bool wide = !length.empty() && length != "h" && length != "hh";
        std::string_view integers = "diouxX";
        std::string_view reals = "eEfFgGaA";
        if (integers.find(kind) != integers.npos) {
            if (wide)
                m_result.text += formatted(spec + "ll" + kind, take<long long>());
            else
                m_result.text += formatted(spec + length + kind, take<int>());
        } else if (reals.find(kind) != reals.npos) {
            m_result.text += formatted(spec + kind, take<double>());
        } else if (kind == 'c') {
            m_result.text += formatted(spec + 'c', take<int>());
        } else if (kind == 's') {
            uint64_t address = take<uint64_t>();
            m_result.text += formatted(spec + 's', address ? m_string(address).c_str() : "(null)");
        } else if (kind == 'p') {
            m_result.text += formatted(spec + 'p', reinterpret_cast<void*>(take<uint64_t>()));
        } else {
            return false;
        }
        return true;
    }

    const std::string& m_format;
    size_t m_at = 0;
    uint64_t m_next;
    const std::function<std::string(uint64_t)>& m_string;
    const std::function<bool(uint64_t, unsigned, void*)>& m_bytes;
    PrintedText m_result;
};

}  // namespace

PrintedText formatPrintf(const std::string& format, uint64_t arguments,
                         const std::function<std::string(uint64_t)>& string,
                         const std::function<bool(uint64_t, unsigned, void*)>& bytes)
{
    return Formatter(format, arguments, string, bytes).run();
}

}  // namespace lanescope::simt
