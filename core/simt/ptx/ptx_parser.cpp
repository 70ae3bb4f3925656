// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_parser.h"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace lanescope::simt {
namespace {

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    std::optional<PtxText> run(std::string& problem)
    {
        skipSpace();
        while (m_at < m_text.size() && m_problem.empty()) {
            statement();
            skipSpace();
        }
        if (m_problem.empty())
            return std::move(m_result);
        problem = m_problem;
        return std::nullopt;
    }

private:
    [[nodiscard]] char peek(size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    void skipSpace()
    {
        for (;;) {
            while (std::isspace(static_cast<unsigned char>(peek())))
                ++m_at;
            if (peek() == '/' && peek(1) == '/') {
                while (m_at < m_text.size() && peek() != '\n')
                    ++m_at;
            } else if (peek() == '/' && peek(1) == '*') {
                size_t end = m_text.find("*/", m_at);
                m_at = end == m_text.npos ? m_text.size() : end + 2;
            } else {
                return;
            }
        }
    }

    bool take(char wanted)
    {
        skipSpace();
        if (peek() != wanted)
            return false;
        ++m_at;
        return true;
    }

    void fail(const std::string& what)
    {
        if (m_problem.empty())
            m_problem = what;
        m_at = m_text.size();
    }

    /// Names what stands at this place.
    void failHere() { fail("'" + std::string(m_text.substr(m_at, 20)) + "'"); }

    static bool isNameStart(char c)
    {
        return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
    }
    static bool isName(char c)
    {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
    }

    /// A register's or a label's name; "${0:q}" and "${0}" are "$0", and what makes a label unique ("${:uid}") is "$".
    /// Dots belong to special registers (%tid.x).
    std::string name()
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

    /// "name:". A colon inside an opcode is double.
    bool label()
    {
        const size_t begin = m_at;
        PtxStatement place;
        place.label = name();
        if (take(':') && peek() != ':') {
            m_result.statements.push_back(std::move(place));
            return true;
        }
        m_at = begin;
        return false;
    }

    void statement()
    {
        if (take('{') || take('}') || take(';'))
            return;
        if (peek() == '.')
            return declaration();
        if (isNameStart(peek()) && label())
            return;
        PtxStatement next;
        if (take('@')) {
            next.predicateNegated = take('!');
            next.predicate = name();
            skipSpace();
        }
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.' || peek() == '_' || peek() == ':')
            next.text += m_text[m_at++];
        if (next.text.empty())
            return failHere();
        splitOpcode(next);
        if (next.opcode.empty())
            return fail("'" + next.text + "'");
        skipSpace();
        if (!take(';') && m_at < m_text.size()) {
            do
                next.operands.push_back(operand());
            while (take(','));
            if (!take(';') && m_at < m_text.size() && peek() != '}')
                return failHere();
        }
        m_result.statements.push_back(std::move(next));
    }

    static void splitOpcode(PtxStatement& statement)
    {
        std::string part;
        for (char c : statement.text + ".") {
            if (c != '.') {
                part += c;
                continue;
            }
            if (!part.empty())
                statement.opcode.push_back(part);
            part.clear();
        }
    }

    /// .reg .b32 a, b<4>; or a hint to the assembler, .pragma "…";
    void declaration()
    {
        std::string word;
        auto nextWord = [&] {
            word.clear();
            skipSpace();
            while (peek() == '.' || isName(peek()))
                word += m_text[m_at++];
        };
        nextWord();
        if (word == ".pragma") {
            size_t end = m_text.find(';', m_at);
            m_at = end == m_text.npos ? m_text.size() : end + 1;
            return;
        }
        if (word != ".reg")
            return fail("the directive '" + word + "'");
        nextWord();
        std::string type = word.size() > 1 ? word.substr(1) : word;
        do {
            std::string base = name();
            if (take('<')) {
                int count = std::atoi(std::string(m_text.substr(m_at, 8)).c_str());
                while (m_at < m_text.size() && peek() != '>')
                    ++m_at;
                take('>');
                if (count > kMostRegisters)
                    return fail("a declaration of " + std::to_string(count) + " registers");
                for (int i = 0; i < count; ++i)
                    m_result.registers.push_back({base + std::to_string(i), type});
            } else {
                m_result.registers.push_back({base, type});
            }
        } while (take(','));
        take(';');
    }

    PtxOperand operand()
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

    PtxOperand simpleOperand(int depth = 0)
    {
        PtxOperand result;
        skipSpace();
        if (depth > kDeepest) {
            fail("an operand of more than " + std::to_string(kDeepest) + " levels");
            return result;
        }
        if (take('{')) {
            result.kind = PtxOperand::Kind::Vector;
            do
                result.elements.push_back(simpleOperand(depth + 1));
            while (take(','));
            if (!take('}'))
                fail("a vector without '}'");
            return result;
        }
        if (take('['))
            return address();
        if (take('!') || (peek() == '-' && isNameStart(peek(1)) && take('-'))) {
            result = simpleOperand(depth + 1);
            result.isNegated = true;
            return result;
        }
        if (peek() == '_' && !isName(peek(1))) {
            ++m_at;
            return result;
        }
        if (isNameStart(peek())) {
            result.kind = PtxOperand::Kind::Register;
            result.name = name();
            if (peek() == '.')
                for (++m_at; std::isalnum(static_cast<unsigned char>(peek()));)
                    result.selector += m_text[m_at++];
            return result;
        }
        return number();
    }

    PtxOperand address()
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
                const auto offset = static_cast<uint64_t>(number().integer),
                           before = static_cast<uint64_t>(result.integer);
                result.integer = static_cast<int64_t>(minus ? before - offset : before + offset);
            }
            skipSpace();
        }
        if (!take(']'))
            fail("an address without ']'");
        return result;
    }

    PtxOperand number()
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
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.' ||
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
    PtxOperand floatBits(bool isSingle, bool isNegative)
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

    PtxOperand floatNumber(const std::string& text)
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
    PtxOperand integerNumber(const std::string& text)
    {
        PtxOperand result;
        const bool hasSign = text[0] == '-' || text[0] == '+';
        const char* digits = text.c_str() + (hasSign ? 1 : 0);
        const bool isBinary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
        digits += isBinary ? 2 : 0;
        char* end = nullptr;
        const uint64_t size = std::strtoull(digits, &end, isBinary ? 2 : 0);
        const bool isWhole = end != digits && (*end == 0 || std::string_view(end) == "U");
        if (!isWhole || !std::isalnum(static_cast<unsigned char>(*digits)))
            fail("the number '" + text + "'");
        result.kind = PtxOperand::Kind::Integer;
        result.integer = static_cast<int64_t>(text[0] == '-' ? 0 - size : size);
        return result;
    }

    static constexpr int kDeepest = 8;              ///< operands in operands
    static constexpr int kMostRegisters = 1 << 16;  ///< of one declaration
    std::string_view m_text;
    size_t m_at = 0;
    std::string m_problem;
    PtxText m_result;
};

}  // namespace

std::optional<PtxText> parsePtx(std::string_view text, std::string& problem)
{
    return Parser(text).run(problem);
}

}  // namespace lanescope::simt
