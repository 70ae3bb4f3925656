// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/benchmarks.md, to which each benchmark that is given its path adds a section, and the plot beside it.
#pragma once

#include <string>
#include <vector>

namespace lanescope::bench {

/// The processor's name and the number of threads that it runs at once.
std::string machineName();

/// The text of \p page becomes \p text.
void writePage(const std::string& page, const std::string& text);

/// \p text follows what \p page has; a section of the same heading, which is \p text's first line, goes, with all up to
/// the next heading of its depth.
void addSection(const std::string& page, const std::string& text);

struct Bars {
    std::string name;
    std::vector<double> values;  ///< above 0, one for each label
};

/// An SVG: for each of \p labels a row with one bar of each of \p series, from 1 to its value, on a logarithmic axis.
/// \p limits: values at which lines stand.
std::string barPlot(const std::vector<std::string>& labels, const std::vector<Bars>& series,
                    const std::vector<double>& limits);

}  // namespace lanescope::bench
