// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements and declarations of PTX.
#include "core/simt/ptx/ptx_parser.h"

#include <algorithm>
#include <set>

#include "core/simt/ptx/ptx_reader.h"

namespace lanescope::simt {
namespace {

constexpr uint64_t kMostOfDeclaration = 1 << 16;
constexpr size_t kMostRegisters = 1 << 18;
constexpr uint64_t kMostOfArray = uint64_t{1} << 31;  ///< of an array

void splitOpcode(PtxStatement& statement)
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

bool isSpaceOfVariables(const std::string& word)
{
    return word == ".local" || word == ".shared" || word == ".param" || word == ".global" || word == ".const";
}

/// .loc's  , function_name LABEL+offset, inlined_at file line column
void readInlining(PtxReader& reader, PtxPlace& place)
{
    while (reader.take(',')) {
        const std::string word = reader.word();
        if (word == "function_name") {
            const PtxOperand label = reader.operand();
            place.function = label.name;
            place.functionOffset = label.integer;
        } else if (word == "inlined_at") {
            place.callerFile = static_cast<uint32_t>(reader.count());
            place.callerLine = static_cast<uint32_t>(reader.count());
            place.callerColumn = static_cast<uint32_t>(reader.count());
        } else {
            return reader.fail("the place '" + word + "'");
        }
    }
}

}  // namespace

void checkPtxName(PtxReader& reader, const std::string& name)
{
    if (name.starts_with("__ls_") || name.starts_with("llvm"))
        reader.fail("the name '" + name + "', which is taken");
}

PtxVariable readPtxVariable(PtxReader& reader, const std::string& space)
{
    PtxVariable variable;
    variable.space = space;
    variable.line = reader.line();
    for (std::string word = reader.word(); word.size() > 1 && word[0] == '.'; word = reader.word()) {
        if (word == ".align" && variable.type.empty())
            variable.alignment = reader.count();
        else if (word == ".ptr")
            variable.isPointer = true;
        else if (word == ".align")
            reader.count();  // of what a pointer leads to
        else if (word == ".attribute" && reader.take('(')) {
            variable.isManaged = reader.word() == ".managed";
            reader.skipBehind(')');
        } else if (!isSpaceOfVariables(word) && !word.starts_with(".v"))
            variable.type = word.substr(1);
        else if (word == ".v2" || word == ".v4" || word == ".v8")
            variable.count = static_cast<uint64_t>(word[2] - '0');
        reader.skipSpace();
        if (reader.atEnd() || reader.peek() != '.')
            break;
    }
    variable.name = reader.name();
    if (variable.name.empty() || variable.type.empty()) {
        reader.failHere();
        return variable;
    }
    checkPtxName(reader, variable.name);
    while (reader.take('[')) {
        variable.isArray = true;
        const uint64_t extent = reader.take(']') ? 0 : reader.count();
        if (extent > kMostOfArray || variable.count * extent > kMostOfArray)
            reader.fail("an array of that size");
        variable.count = std::min(variable.count * extent, kMostOfArray);
        if (extent != 0)
            reader.expect(']', "an extent");
    }
    return variable;
}

std::vector<PtxVariable> readPtxParameters(PtxReader& reader)
{
    std::vector<PtxVariable> parameters;
    if (!reader.take('('))
        return parameters;
    if (reader.take(')'))
        return parameters;
    do {
        const std::string space = reader.word();
        if (space != ".param")
            reader.fail("a parameter in '" + space + "'");
        else
            parameters.push_back(readPtxVariable(reader, "param"));
        if (!parameters.empty() && parameters.back().count > kMostOfDeclaration)
            reader.fail("a parameter of that size");
    } while (reader.take(','));
    reader.expect(')', "parameters");
    return parameters;
}

PtxText PtxStatementReader::all()
{
    for (m_reader.skipSpace(); !m_reader.atEnd(); m_reader.skipSpace())
        statement();
    resolveScopes();
    return std::move(m_text);
}

PtxText PtxStatementReader::body()
{
    m_recovers = true;
    for (m_reader.skipSpace(); !m_closed && !m_reader.atEnd(); m_reader.skipSpace())
        statement();
    if (!m_closed)
        m_reader.fail("a function without '}'");
    resolveScopes();
    return std::move(m_text);
}

void PtxStatementReader::open()
{
    m_parents.push_back(m_scope);
    m_scope = static_cast<uint32_t>(m_parents.size() - 1);
}

void PtxStatementReader::close()
{
    if (m_scope == 0)
        m_closed = true;
    m_scope = m_parents[m_scope];
}

void PtxStatementReader::statement()
{
    if (m_reader.take('{'))
        return open();
    if (m_reader.take('}'))
        return close();
    if (m_reader.take(';'))
        return;
    const size_t begin = m_reader.position();
    if (m_reader.peek() == '.') {
        PtxStatement unread;
        if (!directive() && !m_reader.problem().empty())
            recover(begin, unread);
        return;
    }
    if (PtxReader::isNameStart(m_reader.peek()) && label())
        return;
    instruction();
}

/// What was not understood ends at the next semicolon, and is nobody's business until it is used.
void PtxStatementReader::recover(size_t begin, PtxStatement& statement)
{
    if (!m_recovers)
        return;
    statement.problem = m_reader.problem();
    if (statement.opcode.empty())
        statement.opcode.push_back("?");
    m_reader.backTo(begin);
    statement.line = m_reader.line();
    statement.place = static_cast<int32_t>(m_text.places.size()) - 1;
    if (!m_reader.skipBehind(';'))
        return m_reader.fail(statement.problem);
    m_text.statements.push_back(std::move(statement));
}

/// "name:". A colon inside an opcode is double.
bool PtxStatementReader::label()
{
    const size_t begin = m_reader.position();
    PtxStatement place;
    place.label = m_reader.name();
    place.scope = m_scope;
    if (!m_reader.take(':') || m_reader.peek() == ':') {
        m_reader.backTo(begin);
        return false;
    }
    m_reader.skipSpace();
    const size_t behind = m_reader.position();
    if (m_reader.peek() == '.') {
        const std::string word = m_reader.word();
        if (word == ".branchtargets" || word == ".calltargets") {
            table(place.label);
            return true;
        }
        if (word == ".callprototype") {
            prototype(place.label);
            return true;
        }
        m_reader.backTo(behind);
    }
    m_scoped[place.label].push_back(m_scope);
    m_text.statements.push_back(std::move(place));
    return true;
}

void PtxStatementReader::table(const std::string& label)
{
    std::vector<std::string>& names = m_text.tables[label];
    do
        names.push_back(m_reader.name());
    while (m_reader.take(','));
    m_reader.expect(';', "a table");
}

void PtxStatementReader::prototype(const std::string& label)
{
    PtxPrototype& prototype = m_text.prototypes[label];
    prototype.results = readPtxParameters(m_reader);
    m_reader.name();
    prototype.parameters = readPtxParameters(m_reader);
    if (!m_reader.skipBehind(';'))
        m_reader.fail("a prototype without ';'");
}

/// False when there is a problem.
bool PtxStatementReader::directive()
{
    std::string word = m_reader.word();
    bool isExternal = false;
    while (m_recovers && (word == ".extern" || word == ".visible" || word == ".weak")) {
        isExternal |= word == ".extern";
        word = m_reader.word();
    }
    if (word == ".pragma") {
        m_reader.skipBehind(';');
    } else if (word == ".loc") {
        place();
    } else if (word == ".reg") {
        registers();
    } else if (m_recovers && isSpaceOfVariables(word)) {
        PtxVariable variable = readPtxVariable(m_reader, word.substr(1));
        variable.isExternal = isExternal;
        if (variable.name.empty())
            m_reader.failHere();
        m_reader.expect(';', "a variable");
        m_scoped[variable.name].push_back(m_scope);
        variable.scope = m_scope;
        m_text.variables.push_back(std::move(variable));
    } else {
        m_reader.fail("the directive '" + word + "'");
    }
    return m_reader.problem().empty();
}

/// .reg .b32 a, b<4>;
void PtxStatementReader::registers()
{
    const std::string word = m_reader.word();
    const std::string type = word.size() > 1 ? word.substr(1) : word;
    const auto add = [&](const std::string& name) {
        m_scoped[name].push_back(m_scope);
        m_text.registers.push_back({name, type, m_scope});
    };
    do {
        const std::string base = m_reader.name();
        if (base.empty())
            return m_reader.failHere();
        if (!m_reader.take('<')) {
            add(base);
            continue;
        }
        const uint64_t count = m_reader.count();
        m_reader.expect('>', "a declaration");
        if (count > kMostOfDeclaration || m_text.registers.size() > kMostRegisters)
            return m_reader.fail("a declaration of " + std::to_string(count) + " registers");
        for (uint64_t i = 0; i < count; ++i)
            add(base + std::to_string(i));
    } while (m_reader.take(','));
    m_reader.take(';');
}

void PtxStatementReader::place()
{
    PtxPlace place;
    place.file = static_cast<uint32_t>(m_reader.count());
    place.line = static_cast<uint32_t>(m_reader.count());
    place.column = static_cast<uint32_t>(m_reader.count());
    const bool isInline = m_reader.isInline();
    readInlining(m_reader, place);
    // Inline assembly has the place of its statement, which came before; what is said inside counts its lines.
    if (isInline && !m_text.places.empty())
        return;
    m_text.places.push_back(std::move(place));
}

void PtxStatementReader::instruction()
{
    const size_t begin = m_reader.position();
    PtxStatement next;
    next.line = m_reader.line();
    next.scope = m_scope;
    next.place = static_cast<int32_t>(m_text.places.size()) - 1;
    if (m_reader.take('@')) {
        next.predicateNegated = m_reader.take('!');
        next.predicate = m_reader.name();
    }
    next.text = m_reader.opcode();
    splitOpcode(next);
    if (next.text.empty())
        m_reader.failHere();
    else if (next.opcode.empty())
        m_reader.fail("'" + next.text + "'");
    else if (!m_reader.take(';') && !m_reader.atEnd()) {
        do
            next.operands.push_back(m_reader.operand());
        while (m_reader.take(','));
        if (!m_reader.take(';') && !m_reader.atEnd() && m_reader.peek() != '}')
            m_reader.failHere();
    }
    if (!m_reader.problem().empty())
        return recover(begin, next);
    m_text.statements.push_back(std::move(next));
}

namespace {

/// A name that several blocks declare belongs to the innermost around who uses it.
class Scopes {
public:
    Scopes(const std::vector<uint32_t>& parents, const std::map<std::string, std::vector<uint32_t>>& declared)
        : m_parents(parents)
    {
        for (const auto& [name, scopes] : declared)
            if (std::set<uint32_t> different(scopes.begin(), scopes.end()); different.size() > 1)
                m_ambiguous.emplace(name, std::move(different));
    }

    [[nodiscard]] bool empty() const { return m_ambiguous.empty(); }

    void resolve(std::string& name, uint32_t scope) const
    {
        const auto found = m_ambiguous.find(name);
        if (found == m_ambiguous.end())
            return;
        while (!found->second.contains(scope) && scope != 0)
            scope = m_parents[scope];
        if (scope != 0)
            name += "#" + std::to_string(scope);
    }

    void resolve(PtxOperand& operand, uint32_t scope) const
    {
        resolve(operand.name, scope);
        for (PtxOperand& each : operand.elements)
            resolve(each, scope);
    }

private:
    const std::vector<uint32_t>& m_parents;
    std::map<std::string, std::set<uint32_t>> m_ambiguous;
};

}  // namespace

void PtxStatementReader::resolveScopes()
{
    const Scopes scopes(m_parents, m_scoped);
    if (scopes.empty())
        return;
    for (PtxRegister& each : m_text.registers)
        scopes.resolve(each.name, each.scope);
    for (PtxVariable& each : m_text.variables)
        scopes.resolve(each.name, each.scope);
    for (PtxStatement& each : m_text.statements) {
        scopes.resolve(each.label, each.scope);
        scopes.resolve(each.predicate, each.scope);
        for (PtxOperand& operand : each.operands)
            scopes.resolve(operand, each.scope);
    }
}

std::optional<PtxText> parsePtx(std::string_view text, std::string& problem)
{
    PtxReader reader(text);
    PtxText result = PtxStatementReader(reader).all();
    problem = reader.problem();
    if (!problem.empty())
        return std::nullopt;
    return result;
}

}  // namespace lanescope::simt
