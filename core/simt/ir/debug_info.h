// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What debug information says: where an instruction is, what a variable is called and how it is typed, and the
// text of the expression that an access comes from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include "core/device/module.h"
#include "core/simt/code/program.h"

namespace lanescope::simt {

/// Element type and dims (outermost first) of a declared type: float a[3][4] gives {float}, {3, 4}.
struct DeclaredShape {
    trace::ValueType element;
    std::vector<uint64_t> dims;
};

trace::ValueType valueTypeOf(const llvm::DIType* type);
DeclaredShape shapeOf(const llvm::DIType* type);
/// Fallback where there is no debug type.
DeclaredShape shapeOf(const llvm::Type* type, const llvm::DataLayout& layout);
/// Of an element of \p type, where that is a struct: its members and theirs, as "stages[1].full". What has one member
/// only is called by its own name; of large arrays only the beginning is there.
std::vector<ObjectPart> partsOf(const llvm::DIType* type);
/// Of one struct of \p type that is called \p name: its members, "ring.full", those of a struct in it likewise; an
/// array of structs is one. Empty: it is no struct, or has members that overlap, or more than a few.
std::vector<MemoryRegion> regionsOf(const llvm::DIType* type, const std::string& name);
/// What a pointer or reference type leads to; null: it is none, or of void.
const llvm::DIType* pointeeOf(const llvm::DIType* type);

struct PointerPart {
    uint64_t offset;  ///< bytes
    std::string name;
    std::string typeName;
    const llvm::DIType* pointee;  ///< null: void, or not known
};

/// The pointers in a value of \p type that is called \p name: itself, or members of it, "name.member[1]".
std::vector<PointerPart> pointersIn(const llvm::DIType* type, const std::string& name);
/// Source spelling, "const float*".
std::string typeName(const llvm::DIType* type);

/// As people write it: from the working folder on where it lies in there, else whole.
std::string pathOf(const llvm::DIFile* file);

/// The source files of a module, read from disk once.
class SourceTable {
public:
    /// Id of a file, adding it when new. Ids are indexes into files().
    SourceId idOf(const llvm::DIFile* file);
    [[nodiscard]] const std::vector<device::SourceFile>& files() const { return m_files; }
    trace::SourceLocation locationOf(const llvm::DILocation* location);
    /// The postfix expression that starts at (or is assigned to left of) a place: "a[i + 1]", "p->x".
    [[nodiscard]] std::string expressionAt(const trace::SourceLocation& where) const;

private:
    SourceId idOf(const std::string& name, const llvm::DIFile* file);

    std::map<const llvm::DIFile*, SourceId> m_byFile;
    std::map<std::string, SourceId> m_ids;
    std::vector<device::SourceFile> m_files;
    std::vector<std::vector<size_t>> m_lineStarts;
};

}  // namespace lanescope::simt
