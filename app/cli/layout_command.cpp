// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope layout: what a layout expression means, element by element.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "app/cli/run_layout.h"
#include "core/layout/layout.h"

namespace lanescope::cli {

namespace {

/// What the offsets of a layout say about it.
struct Span {
    int first = 0;  ///< smallest and largest offset
    int last = 0;
    int distinct = 0;
};

Span spanOf(const layout::View& view)
{
    std::set<int> offsets;
    for (int row = 0; row < view.rows(); ++row)
        for (int col = 0; col < view.cols(); ++col)
            offsets.insert(view.at(row, col));
    return {*offsets.begin(), *offsets.rbegin(), static_cast<int>(offsets.size())};
}

Json toJson(const std::string& expression, const layout::View& view)
{
    const Span span = spanOf(view);
    Json offsets = Json::array();
    for (int row = 0; row < view.rows(); ++row) {
        Json line = Json::array();
        for (int col = 0; col < view.cols(); ++col)
            line.push_back(view.at(row, col));
        offsets.push_back(std::move(line));
    }
    return {{"schema", 1},
            {"expression", expression},
            {"layout", layout::text(view.layout)},
            {"rows", view.rows()},
            {"cols", view.cols()},
            {"offset", view.offset},
            {"firstOffset", span.first},
            {"lastOffset", span.last},
            {"distinct", span.distinct},
            {"offsets", std::move(offsets)}};
}

void printText(const layout::View& view)
{
    const Span span = spanOf(view);
    const int elements = view.rows() * view.cols();
    fmt::print("{}", layout::text(view.layout));
    if (view.offset != 0)
        fmt::print(" + {}", view.offset);
    fmt::print("\n{} {} at offsets {} to {}", elements, elements == 1 ? "element" : "elements", span.first, span.last);
    if (span.distinct < elements)
        fmt::print(", {} of them different: several indices share an element", span.distinct);
    fmt::print("\n\n");
    constexpr int kMostShown = 64;  // rows and columns
    const size_t width = std::to_string(span.last).size();
    for (int row = 0; row < std::min(view.rows(), kMostShown); ++row) {
        for (int col = 0; col < std::min(view.cols(), kMostShown); ++col)
            fmt::print("{}{:>{}}", col ? " " : "", view.at(row, col), width);
        fmt::print("{}\n", view.cols() > kMostShown ? " ..." : "");
    }
    if (view.rows() > kMostShown)
        fmt::print("...\n");
}

int layoutOf(const std::string& expression, const std::string& format)
{
    const Result<layout::View> view = layout::evaluate(expression);
    if (!view)
        return fail(view.error());
    if (format == "json")
        fmt::print("{}\n", toJson(expression, view.value()).dump(2));
    else
        printText(view.value());
    return kOk;
}

}  // namespace

void addLayoutCommand(CLI::App& app, Context& context)
{
    auto words = std::make_shared<std::vector<std::string>>();
    auto run = std::make_shared<RunLayoutOptions>();
    CLI::App* command = app.add_subcommand("layout", "what a layout of a matrix means: where each element lies");
    command
        ->add_option(
            "expression", *words,
            "row_major(8,8), column_major(8,8), tiled(4,4,2,2) or shape:stride as in ((2,2),(2,2)):((2,8),(1,4)); "
            "then .tile(rows,cols,i,j), .vectorize(rows,cols), .distribute(threads,thread). With --of: the trace, "
            "after "
            "a layout to compare with, if any")
        ->required()
        ->expected(1, 2)
        ->type_name("EXPR|TRACE");
    command->add_option("--of", run->buffer, "the layout of this array, as the accesses of a trace show it")
        ->type_name("BUFFER");
    command->add_option("--at", run->at, "with --of: launch and block to look at")->type_name("FOCUS");
    command->add_option("--format", run->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([=, &context] {
        context.run = [=] {
            if (run->buffer.empty() && words->size() > 1)
                return fail(fmt::format("layout: two words, '{}' and '{}', expected one expression, or --of BUFFER",
                                        words->front(), words->back()));
            if (run->buffer.empty())
                return layoutOf(words->front(), run->format);
            run->trace = words->back();
            run->expression = words->size() > 1 ? words->front() : "";
            return printRunLayout(*run);
        };
    });
}

}  // namespace lanescope::cli
