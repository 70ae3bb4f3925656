// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmark_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

namespace lanescope::bench {

namespace {

std::string textOf(const std::string& path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The plot's measures, in pixels. Text is dark grey on white: a page shows it on any background.
constexpr double kLabels = 150, kPlot = 520, kRight = 30, kTop = 46, kRow = 22, kBar = 8;
constexpr std::array kColours{"#0072b2", "#e69f00", "#009e73"};

}  // namespace

std::string machineName()
{
    std::string name = "an unknown processor";
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) {
            name = line.substr(line.find(':') + 2);
            break;
        }
    return fmt::format("{}, {} threads", name, std::thread::hardware_concurrency());
}

void writePage(const std::string& page, const std::string& text)
{
    std::ofstream(page) << text;
}

void addSection(const std::string& page, const std::string& text)
{
    std::string whole = textOf(page);
    const std::string heading = text.substr(0, text.find('\n') + 1);
    if (const size_t old = whole.find("\n" + heading); old != std::string::npos) {
        const size_t next = whole.find("\n" + heading.substr(0, heading.find(' ') + 1), old + 1);
        whole.erase(old, next == std::string::npos ? next : next - old);
    }
    writePage(page, whole + "\n" + text);
}

std::string barPlot(const std::vector<std::string>& labels, const std::vector<Bars>& series,
                    const std::vector<double>& limits)
{
    double least = 1, most = 1;
    for (const Bars& bars : series)
        for (const double value : bars.values) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    for (const double limit : limits)
        most = std::max(most, limit);
    const double lowest = std::floor(std::log10(least)), highest = std::log10(most * 1.1);
    const auto x = [&](double value) { return kLabels + kPlot * (std::log10(value) - lowest) / (highest - lowest); };
    const double rowHeight = std::max(kRow, kBar * static_cast<double>(series.size()) + 6);
    const double bottom = kTop + rowHeight * static_cast<double>(labels.size());
    const double width = kLabels + kPlot + kRight, height = bottom + 28;
    std::string svg =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                    "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n<rect width=\"{0}\" height=\"{1}\" "
                    "fill=\"#fff\"/>\n",
                    width, height);
    double legend = kLabels;
    for (size_t i = 0; i < series.size(); ++i) {
        svg += fmt::format("<rect x=\"{}\" y=\"12\" width=\"12\" height=\"12\" fill=\"{}\"/>"
                           "<text x=\"{}\" y=\"22\">{}</text>\n",
                           legend, kColours[i % kColours.size()], legend + 17, series[i].name);
        legend += 40 + 6.5 * static_cast<double>(series[i].name.size());
    }
    const auto line = [&](double value, const char* stroke) {
        svg += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"{3}\"/>"
                           "<text x=\"{0:.1f}\" y=\"{4}\" text-anchor=\"middle\">{5:g}×</text>\n",
                           x(value), kTop - 4, bottom + 4, stroke, bottom + 18, value);
    };
    for (double decade = lowest; decade <= highest; ++decade)
        if (std::ranges::find(limits, std::pow(10, decade)) == limits.end())
            line(std::pow(10, decade), "#ddd");
    for (const double limit : limits)
        line(limit, "#999");
    for (size_t row = 0; row < labels.size(); ++row) {
        const double top = kTop + rowHeight * static_cast<double>(row);
        svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLabels - 8,
                           top + rowHeight / 2 + 4, labels[row]);
        for (size_t i = 0; i < series.size(); ++i) {
            const double from = x(std::min(1.0, series[i].values[row])), to = x(std::max(1.0, series[i].values[row]));
            svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", from,
                               top + 3 + kBar * static_cast<double>(i), std::max(1.0, to - from), kBar - 1,
                               kColours[i % kColours.size()]);
        }
    }
    return svg + "</svg>\n";
}

}  // namespace lanescope::bench
