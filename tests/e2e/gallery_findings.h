// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lanescope check` must find in each program of the gallery: gallery_findings.txt, held against what it found.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>

namespace lanescope::test {

/// Of one program; a finding is a line of text, as findingLines() makes it.
struct ExpectedFindings {
    QStringList lines;  ///< sorted
    bool pending = false;
};

/// By program: its path in kernels/ without ".cu". Programs that are not in the file have no findings.
QHash<QString, ExpectedFindings> readExpectedFindings(const QString& path);

/// "error shared-race | shared[local_i] += shared[local_i - offset];": severity, kind, numbers of advice, and the
/// source line of each place, in order and without repetition. Sorted.
QStringList findingLines(const nlohmann::json& document);

}  // namespace lanescope::test
