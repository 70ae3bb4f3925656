// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_reader.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>

namespace lanescope::simt {
namespace {

bool isSpace(char c)
{
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool isAlphanumeric(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

void PtxReader::skipSpace()
{
    for (;;) {
        while (isSpace(peek()))
            ++m_at;
        if (peek() == '/' && peek(1) == '/') {
            skipComment();
        } else if (peek() == '/' && peek(1) == '*') {
            size_t end = m_text.find("*/", m_at);
            m_at = end == m_text.npos ? m_text.size() : end + 2;
        } else {
            return;
        }
    }
}

/// Up to the end of the line. Compilers say by comments where inline assembly begins and ends.
void PtxReader::skipComment()
{
    const size_t end = std::min(m_text.find('\n', m_at), m_text.size());
    const std::string_view comment = m_text.substr(m_at, end - m_at);
    if (comment.starts_with("// begin inline asm"))
        m_isInline = true;
    else if (comment.starts_with("// end inline asm"))
        m_isInline = false;
    m_at = end;
}

bool PtxReader::skipBehind(char wanted)
{
    const size_t found = m_text.find(wanted, m_at);
    m_at = found == m_text.npos ? m_text.size() : found + 1;
    return found != m_text.npos;
}

uint32_t PtxReader::line()
{
    skipSpace();
    if (m_at < m_counted) {
        m_counted = 0;
        m_line = 1;
    }
    for (; m_counted < m_at; ++m_counted)
        m_line += m_text[m_counted] == '\n';
    return m_line;
}

bool PtxReader::take(char wanted)
{
    skipSpace();
    if (atEnd() || peek() != wanted)
        return false;
    ++m_at;
    return true;
}

void PtxReader::expect(char wanted, const char* where)
{
    if (!take(wanted))
        fail(std::string(where) + " without '" + wanted + "'");
}

void PtxReader::fail(const std::string& what)
{
    if (m_problem.empty())
        m_problem = what;
    m_at = m_text.size();
}

void PtxReader::failHere()
{
    fail("'" + std::string(m_text.substr(m_at, 20)) + "'");
}

bool PtxReader::isNameStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
}

bool PtxReader::isName(char c)
{
    return isAlphanumeric(c) || c == '_' || c == '%' || c == '$';
}

std::string PtxReader::name()
{
    skipSpace();
    std::string result;
    bool special = peek() == '%';
    for (;;) {
        if (peek() == '$' && peek(1) == '{') {
            m_at += 2;
            size_t end = m_text.find('}', m_at);
            std::string_view inside = m_text.substr(m_at, end - m_at);
            m_at = end == m_text.npos ? m_text.size() : end + 1;
            result += '$';
            result += inside.substr(0, inside.find(':'));
        } else if (isName(peek()) || (special && peek() == '.')) {
            result += m_text[m_at++];
        } else {
            return result;
        }
    }
}

std::string PtxReader::word()
{
    std::string result;
    skipSpace();
    while (peek() == '.' || isName(peek()))
        result += m_text[m_at++];
    return result;
}

std::string PtxReader::opcode()
{
    std::string result;
    skipSpace();
    while (isAlphanumeric(peek()) || peek() == '.' || peek() == '_' || peek() == ':')
        result += m_text[m_at++];
    return result;
}

std::string PtxReader::quoted()
{
    if (!take('"')) {
        failHere();
        return {};
    }
    const size_t end = m_text.find('"', m_at);
    if (end == m_text.npos) {
        fail("a string without '\"'");
        return {};
    }
    std::string result(m_text.substr(m_at, end - m_at));
    m_at = end + 1;
    return result;
}

PtxOperand PtxReader::operand()
{
    PtxOperand first = simpleOperand();
    skipSpace();
    if (peek() != '|')
        return first;
    ++m_at;
    PtxOperand pair;
    pair.kind = PtxOperand::Kind::Pair;
    pair.elements = {std::move(first), simpleOperand()};
    return pair;
}

PtxOperand PtxReader::elements(PtxOperand::Kind kind, char end, int depth)
{
    PtxOperand result;
    result.kind = kind;
    if (kind == PtxOperand::Kind::List && take(end))
        return result;
    do
        result.elements.push_back(simpleOperand(depth + 1));
    while (take(','));
    if (!take(end))
        fail(std::string(kind == PtxOperand::Kind::List ? "a list" : "a vector") + " without '" + end + "'");
    return result;
}

PtxOperand PtxReader::simpleOperand(int depth)
{
    PtxOperand result;
    skipSpace();
    if (depth > kDeepest) {
        fail("an operand of more than " + std::to_string(kDeepest) + " levels");
        return result;
    }
    if (take('{'))
        return elements(PtxOperand::Kind::Vector, '}', depth);
    if (take('('))
        return elements(PtxOperand::Kind::List, ')', depth);
    if (take('['))
        return address(depth);
    if (take('!') || (peek() == '-' && isNameStart(peek(1)) && take('-'))) {
        result = simpleOperand(depth + 1);
        result.isNegated = true;
        return result;
    }
    if (peek() == '_' && !isName(peek(1))) {
        ++m_at;
        return result;
    }
    return isNameStart(peek()) ? named() : number();
}

/// A name, a part of one (r.h1), or a name with what is added to it (array+4).
PtxOperand PtxReader::named()
{
    PtxOperand result;
    result.kind = PtxOperand::Kind::Register;
    result.name = name();
    if (peek() == '.') {
        for (++m_at; isAlphanumeric(peek());)
            result.selector += m_text[m_at++];
    } else if (const size_t dot = result.name.rfind('.'); dot != std::string::npos && dot + 3 == result.name.size()) {
        const std::string_view part = std::string_view(result.name).substr(dot + 1);
        if ((part[0] == 'b' || part[0] == 'h') && part[1] >= '0' && part[1] <= '3') {
            result.selector = part;
            result.name.resize(dot);
        }
    }
    skipSpace();
    if ((peek() == '+' || peek() == '-') && std::isdigit(static_cast<unsigned char>(peek(1))))
        result.integer = number().integer;
    return result;
}

PtxOperand PtxReader::address(int depth)
{
    PtxOperand result;
    result.kind = PtxOperand::Kind::Address;
    skipSpace();
    if (isNameStart(peek()))
        result.name = name();
    else
        result.integer = number().integer;
    skipSpace();
    while (peek() == '+' || peek() == '-') {
        bool minus = peek() == '-';
        ++m_at;
        skipSpace();
        if (isNameStart(peek())) {
            PtxOperand offset;
            offset.kind = PtxOperand::Kind::Register;
            offset.name = name();
            result.elements.push_back(offset);
        } else {
            const auto offset = static_cast<uint64_t>(number().integer), before = static_cast<uint64_t>(result.integer);
            result.integer = static_cast<int64_t>(minus ? before - offset : before + offset);
        }
        skipSpace();
    }
    if (take(',')) {
        PtxOperand tensor;
        tensor.kind = PtxOperand::Kind::Tensor;
        tensor.elements = {std::move(result), simpleOperand(depth + 1)};
        result = std::move(tensor);
    }
    if (!take(']'))
        fail("an address without ']'");
    return result;
}

uint64_t PtxReader::count()
{
    const PtxOperand value = number();
    if (value.kind != PtxOperand::Kind::Integer || value.integer < 0)
        fail("a number that is no count");
    return static_cast<uint64_t>(value.integer);
}

PtxOperand PtxReader::number()
{
    skipSpace();
    std::string text;
    if (peek() == '-' || peek() == '+')
        text += m_text[m_at++];
    skipSpace();
    const char kind = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(1))));
    if (peek() == '0' && (kind == 'f' || kind == 'd'))
        return floatBits(kind == 'f', text == "-");
    bool isFloat = false;
    const bool isHex = peek() == '0' && kind == 'x';
    while (isAlphanumeric(peek()) || peek() == '.' ||
           (!isHex && (peek() == '-' || peek() == '+') && (text.ends_with('e') || text.ends_with('E')))) {
        isFloat |= peek() == '.' || (!isHex && (peek() == 'e' || peek() == 'E'));
        text += m_text[m_at++];
    }
    if (text.empty()) {
        failHere();
        return {};
    }
    return isFloat ? floatNumber(text) : integerNumber(text);
}

/// 0f3f800000 and 0d3ff0000000000000.
PtxOperand PtxReader::floatBits(bool isSingle, bool isNegative)
{
    PtxOperand result;
    m_at += 2;
    std::string digits;
    while (std::isxdigit(static_cast<unsigned char>(peek())))
        digits += m_text[m_at++];
    if (digits.size() != (isSingle ? 8 : 16))
        fail("a number of " + std::to_string(digits.size()) + " digits");
    result.kind = PtxOperand::Kind::Float;
    result.isSingle = isSingle;
    const uint64_t sign = isNegative ? uint64_t{1} << (isSingle ? 31 : 63) : 0;
    result.integer = static_cast<int64_t>(std::strtoull(digits.c_str(), nullptr, 16) ^ sign);
    return result;
}

PtxOperand PtxReader::floatNumber(const std::string& text)
{
    PtxOperand result;
    char* end = nullptr;
    result.kind = PtxOperand::Kind::Float;
    result.integer = std::bit_cast<int64_t>(std::strtod(text.c_str(), &end));
    if (*end)
        fail("the number '" + text + "'");
    return result;
}

/// Decimal, 0x…, 0b… or octal 0…; U may follow.
PtxOperand PtxReader::integerNumber(const std::string& text)
{
    PtxOperand result;
    const bool hasSign = text[0] == '-' || text[0] == '+';
    const char* digits = text.c_str() + (hasSign ? 1 : 0);
    const bool isBinary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    digits += isBinary ? 2 : 0;
    char* end = nullptr;
    const uint64_t size = std::strtoull(digits, &end, isBinary ? 2 : 0);
    const bool isWhole = end != digits && (*end == 0 || std::string_view(end) == "U");
    if (!isWhole || !isAlphanumeric(*digits))
        fail("the number '" + text + "'");
    result.kind = PtxOperand::Kind::Integer;
    result.integer = static_cast<int64_t>(text[0] == '-' ? 0 - size : size);
    return result;
}

}  // namespace lanescope::simt
