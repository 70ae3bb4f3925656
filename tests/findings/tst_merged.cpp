// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is the same finding in several runs, and what is not.
#include "core/findings/merged.h"

#include <QTest>

using namespace lanescope;

namespace {

trace::Finding findingOf(FindingKind kind, const std::vector<uint32_t>& lines, uint64_t count = 1)
{
    trace::Finding finding;
    finding.kind = kind;
    finding.kernel = "k";
    finding.count = count;
    for (const uint32_t line : lines) {
        finding.accesses.emplace_back();
        finding.accesses.back().where = {SourceId{0}, line, 5};
        finding.accesses.back().access = "write";
    }
    return finding;
}

trace::Catalog catalogOf(const std::string& path)
{
    trace::Catalog catalog;
    catalog.sources.push_back({SourceId{0}, path, ""});
    return catalog;
}

}  // namespace

class TestMerged : public QObject {
    Q_OBJECT

private slots:
    void isToldOnceWithItsRuns()
    {
        const trace::Catalog a = catalogOf("a.cu");
        const auto merged = merge(
            {{&a, {{findingOf(FindingKind::OutOfBounds, {3}, 5), {}}}},
             {&a, {}},
             {&a, {{findingOf(FindingKind::OutOfBounds, {4}), {}}, {findingOf(FindingKind::OutOfBounds, {3}, 2), {}}}}},
            findings::Counts::Added);
        QCOMPARE(merged.size(), size_t{2});
        QCOMPARE(merged[0].runs, (std::vector<size_t>{0, 2}));
        QCOMPARE(merged[0].finding.count, uint64_t{7});
        QCOMPARE(merged[1].runs, (std::vector<size_t>{2}));
    }

    void runsOfTheSameWorkDoNotAddUp()
    {
        const trace::Catalog a = catalogOf("a.cu");
        const std::vector<findings::ToldFinding> one{{findingOf(FindingKind::OutOfBounds, {3}, 5), {}}};
        QCOMPARE(merge({{&a, one}, {&a, one}}, findings::Counts::Largest)[0].finding.count, uint64_t{5});
    }

    void sidesOfARaceMayChangePlaces()
    {
        const trace::Catalog a = catalogOf("a.cu");
        const auto merged = merge({{&a, {{findingOf(FindingKind::SharedRace, {3, 9}), {}}}},
                                   {&a, {{findingOf(FindingKind::SharedRace, {9, 3}), {}}}}},
                                  findings::Counts::Added);
        QCOMPARE(merged.size(), size_t{1});
    }

    void aPairInCommonIsEnough()
    {
        const trace::Catalog a = catalogOf("a.cu");
        const trace::Finding first = findingOf(FindingKind::SharedRace, {3, 9});
        const trace::Finding second = findingOf(FindingKind::SharedRace, {3, 10});
        const auto merged = merge({{&a, {{first, {first, second}}}}, {&a, {{second, {}}}}}, findings::Counts::Added);
        QCOMPARE(merged.size(), size_t{1});
        QCOMPARE(merged[0].runs, (std::vector<size_t>{0, 1}));
    }

    void otherFilesAndKindsAreOthers()
    {
        const trace::Catalog a = catalogOf("a.cu");
        const trace::Catalog b = catalogOf("b.cu");
        const auto merged = merge({{&a, {{findingOf(FindingKind::OutOfBounds, {3}), {}}}},
                                   {&b, {{findingOf(FindingKind::OutOfBounds, {3}), {}}}},
                                   {&a, {{findingOf(FindingKind::Misaligned, {3}), {}}}}},
                                  findings::Counts::Added);
        QCOMPARE(merged.size(), size_t{3});
    }

    void withoutPlacesTheWordsDecide()
    {
        const trace::Catalog a = catalogOf("a.cu");
        trace::Finding leak = findingOf(FindingKind::Leak, {});
        leak.message = "x is never freed";
        trace::Finding other = leak;
        other.message = "y is never freed";
        QCOMPARE(merge({{&a, {{leak, {}}}}, {&a, {{leak, {}}, {other, {}}}}}, findings::Counts::Added).size(),
                 size_t{2});
    }
};

QTEST_APPLESS_MAIN(TestMerged)
#include "tst_merged.moc"
