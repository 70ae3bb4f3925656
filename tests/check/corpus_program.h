// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of the corpus: what its comments expect of `lanescope check`, held against what was found.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>

namespace lanescope::test {

struct Expectation {
    int line = 0;  ///< 1-based
    QString kind;
    QString severity;                         ///< empty: any
    QList<QPair<QString, QString>> fields{};  ///< of the finding, as JSON text

    [[nodiscard]] QString text() const;
};

struct CorpusProgram {
    QString name;  ///< "shared_race/scan.cu", with " FIXED" for a clean twin
    QString path;
    bool fixed = false;
    QStringList options;    ///< of the command
    QStringList arguments;  ///< of the program
    QList<Expectation> expected;

    /// Differences between \p document (of check --format json) and what is expected, one a line; empty when none.
    [[nodiscard]] QString compare(const nlohmann::json& document) const;
};

/// The program in \p path, and its clean twin when it has one. \p name: relative to the corpus.
QList<CorpusProgram> readProgram(const QString& path, const QString& name);

}  // namespace lanescope::test
