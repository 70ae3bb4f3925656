// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What integers of kernels come to, and in which buffers no two threads touch the same byte. Whatever is said is held
// against all threads of small launches, one by one.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/IR/InstIterator.h>

#include "core/simt/ir/affine_reader.h"
#include "core/simt/ir/kept_apart.h"
#include "ir_text.h"
#endif

#include "affine_text.h"

using namespace lanescope;
using namespace lanescope::simt;
using test::kDeclarations;
using test::kIndexes;
using test::RandomExpression;

namespace {

constexpr Dim3 kBlock{8, 4, 1}, kGrid{5, 3, 1};
constexpr uint64_t kOut = uint64_t{0x2000} << 32, kIn = uint64_t{0x2001} << 32;

/// The slots that threads of f(ptr out, ptr in, i32 n, pair byval) keep apart in.
std::set<uint64_t> apartIn(const std::string& body, int n, Dim3 block, Dim3 grid, uint64_t in = kIn)
{
    llvm::LLVMContext context;
    const auto module = test::moduleOf(
        context, kDeclarations + "define void @f(ptr %out, ptr %in, i32 %n, ptr byval(%pair) %both) {\n" + kIndexes +
                     body + "}\n");
    if (!module)
        return {1};
    const KeptApart kept(*module->getFunction("f"));
    if (kept.unclear().anything || kept.atomics().anything)
        return {};
    const uint64_t out = kOut;
    struct {
        uint64_t pointer = kOut;
        int32_t count = 0;
    } both;
    both.count = n;
    const std::array<const void*, 4> arguments{&out, &in, &n, &both};
    std::set<uint64_t> slots = kept.slots({block, grid, arguments});
    for (const WrittenMemory* memory : {&kept.unclear(), &kept.atomics()})
        for (const unsigned parameter : memory->parameters)
            slots.erase((parameter == 0 ? kOut : in) >> 32);
    return slots;
}

bool isOutApart(const std::string& body, int n, Dim3 block = kBlock, Dim3 grid = kGrid)
{
    return apartIn(body, n, block, grid).contains(kOut >> 32);
}

std::string storeAt(const std::string& index, const std::string& type = "i32")
{
    return "  %p = getelementptr float, ptr %out, " + type + " " + index + "\n  store float 1.0, ptr %p\n";
}

}  // namespace

class TestKeptApart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integersComeToWhatTheyAreRead()
    {
        std::mt19937 random(1);
        int read = 0;
        for (int round = 0; round < 400; ++round) {
            const unsigned bits = random() % 2 == 0 ? 32 : 64;
            RandomExpression expression(random);
            const std::string result = expression.make(bits, 4), type = "i" + std::to_string(bits);
            if (result.front() != '%' || result == "%n")
                continue;
            const std::string head = "define " + type + " @f(i32 %n) {\n";
            const std::string end = expression.text() + "  ret " + type + " " + result + "\n}\n";
            llvm::LLVMContext context;
            const auto module = test::moduleOf(context, kDeclarations + head + kIndexes + end);
            QVERIFY(module);
            llvm::Function& function = *module->getFunction("f");
            AffineReader reader(function);
            const bool isSigned = random() % 2 == 0;
            const AffineReading reading = reader.read(*function.back().getTerminator()->getOperand(0), isSigned);
            const ComputedNumbers computed = reader.takeComputed();
            const int32_t n = static_cast<int32_t>(random() % 3000) - 500;
            const std::array<const void*, 1> arguments{&n};
            const LaunchNumbers launch{kBlock, kGrid, arguments, &computed};
            const auto value = placed(reading.value, launch);
            if (!value || !value->others.empty() ||
                !std::ranges::all_of(reading.provided, [&](const Fits& fits) { return fits.holdsIn(launch); }))
                continue;
            ++read;
            for (int thread = 0; thread < 6; ++thread) {
                const std::array<uint32_t, 4> at{
                    static_cast<uint32_t>(random() % kBlock.x), static_cast<uint32_t>(random() % kBlock.y),
                    static_cast<uint32_t>(random() % kGrid.x), static_cast<uint32_t>(random() % kGrid.y)};
                const auto is = [](const char* name, uint32_t number) {
                    return std::string("  %") + name + " = add i32 0, " + std::to_string(number) + "\n";
                };
                const auto plain =
                    test::moduleOf(context, "define " + type + " @f() {\n" + is("t", at[0]) + is("ty", at[1]) +
                                                is("b", at[2]) + is("by", at[3]) + is("d", kBlock.x) +
                                                "  %n = add i32 0, " + std::to_string(n) + "\n" + end);
                QVERIFY(plain);
                const std::optional<uint64_t> expected = test::returnedBits(*plain->getFunction("f"));
                QVERIFY(expected);
                const int64_t come = value->constant + value->times[0] * at[0] + value->times[1] * at[1] +
                                     value->times[3] * at[2] + value->times[4] * at[3];
                const auto wanted =
                    bits == 32 ? isSigned ? int64_t{static_cast<int32_t>(*expected)} : static_cast<int64_t>(*expected)
                               : static_cast<int64_t>(*expected);
                QVERIFY2(come == wanted, (head + kIndexes + end).c_str());
            }
        }
        QVERIFY2(read > 100, qPrintable(QString("only %1 could be read").arg(read)));
    }

    /// Accesses of small launches, whose threads are gone through one by one.
    void threadsThatAreSaidToBeApartAre()
    {
        std::mt19937 random(2);
        const auto pick = [&](int from, int to) { return from + static_cast<int>(random() % (to - from + 1)); };
        const std::array<Coordinate, 3> used{0, 1, 3};
        int apart = 0, together = 0, ofSeveralForms = 0;
        for (int round = 0; round < 40'000; ++round) {
            LastCoordinates last{};
            for (const Coordinate i : used)
                last[i] = pick(0, 3);
            const auto someTimes = [&] {
                std::array<int64_t, kOthers> times{};
                for (const Coordinate i : used)
                    times[i] =
                        std::array<int64_t, 10>{0, 1, 2, 4, -4, 6, 8, 12, 16, 32}[static_cast<size_t>(pick(0, 9))];
                if (pick(0, 2) == 0)  // blocks one behind the other
                    times[3] = times[0] * (last[0] + 1);
                return times;
            };
            const std::array<int64_t, kOthers> times = someTimes();
            const int64_t any = pick(0, 3) == 0 ? pick(8, 40) : 0, rounds = pick(0, 3) == 0 ? pick(1, 20) : 0;
            const auto someBounds = [&] {
                std::vector<PlacedBound> bounds;
                for (int k = pick(0, 2); k > 0; --k) {
                    PlacedBound bound;
                    const int form = pick(0, 2);
                    for (const Coordinate i : used)
                        bound.times[i] = pick(0, 1) == 0 ? 0
                                         : form == 0     ? std::abs(times[i]) / pick(1, 2)
                                                         : pick(-1, 1);
                    if (form == 2) {
                        bound.times = {pick(0, 1) == 0 ? 1 : -1};
                        bound.times[3] = bound.times[0] * (last[0] + 1);
                    }
                    bound.most = pick(-6, 20);
                    bounds.push_back(bound);
                }
                return bounds;
            };
            const bool isOneForm = pick(0, 1) == 0;
            const std::vector<PlacedBound> bounds = someBounds();
            std::vector<PlacedAccess> accesses;
            for (int k = pick(1, 3); k > 0; --k) {
                PlacedAffine at{isOneForm ? times : someTimes(), {}, pick(-6, 30) * 2};
                if (any != 0 && pick(0, 1) == 0)
                    at.others.push_back({kOthers, any, std::nullopt});
                if (rounds != 0 && pick(0, 1) == 0)
                    at.others.push_back({kOthers + 1, rounds * (pick(0, 3) == 0 ? -1 : 1), pick(0, 3)});
                accesses.push_back(
                    {at, static_cast<uint32_t>(pick(1, 4)), pick(0, 2) != 0, isOneForm ? bounds : someBounds()});
            }
            if (!areApart(accesses, last)) {
                ++together;
                continue;
            }
            ++apart;
            ofSeveralForms += !isOneForm && accesses.size() > 1 ? 1 : 0;
            // By byte: who writes it, and who touches it.
            std::map<int64_t, std::set<int>> writers, touchers;
            int thread = 0;
            for (int64_t x = 0; x <= last[0]; ++x)
                for (int64_t y = 0; y <= last[1]; ++y)
                    for (int64_t block = 0; block <= last[3]; ++block, ++thread)
                        for (const PlacedAccess& access : accesses) {
                            const auto sum = [&](const std::array<int64_t, kOthers>& factors) {
                                return factors[0] * x + factors[1] * y + factors[3] * block;
                            };
                            if (std::ranges::any_of(access.bounds, [&](const PlacedBound& bound) {
                                    return sum(bound.times) > bound.most;
                                }))
                                continue;
                            std::set<int64_t> places{access.offset.constant + sum(access.offset.times)};
                            for (const PlacedOther& other : access.offset.others) {
                                std::set<int64_t> more;
                                for (const int64_t place : places)
                                    for (int64_t number = other.last ? 0 : -4; number <= other.last.value_or(4);
                                         ++number)
                                        more.insert(place + number * other.times);
                                places = more;
                            }
                            for (const int64_t place : places)
                                for (uint32_t byte = 0; byte < access.bytes; ++byte) {
                                    touchers[place + byte].insert(thread);
                                    if (access.isWrite)
                                        writers[place + byte].insert(thread);
                                }
                        }
            for (const auto& [byte, who] : writers)
                QCOMPARE(touchers[byte].size(), size_t{1});
        }
        QVERIFY2(apart > 3000 && together > 3000 && ofSeveralForms > 300,
                 qPrintable(QString("%1, %2 and %3").arg(apart).arg(together).arg(ofSeveralForms)));
    }

    /// As parameters may be anything.
    void numbersOfAnySizeAreSurvived()
    {
        std::mt19937 random(3);
        const std::array<int64_t, 9> numbers{INT64_MIN,        INT64_MIN + 1, -(int64_t{1} << 40), -1, 0, 1, 4,
                                             int64_t{1} << 40, INT64_MAX};
        const auto any = [&] { return numbers[random() % numbers.size()]; };
        LastCoordinates last{};
        last[0] = last[3] = 31;
        for (int round = 0; round < 20'000; ++round) {
            std::vector<PlacedAccess> accesses;
            for (int i = 0; i < 2; ++i) {
                PlacedAffine at{
                    {any(), 0, 0, any()}, {{kOthers, any(), std::nullopt}, {kOthers + 1, any(), any()}}, any()};
                std::erase_if(at.others, [](const PlacedOther& other) { return other.times == 0; });
                for (PlacedOther& other : at.others)
                    if (other.last)
                        other.last = std::max<int64_t>(*other.last, 0);
                accesses.push_back({at, 4, true, {{{any(), 0, 0, any()}, any()}, {{any()}, any()}}});
            }
            (void)areApart(accesses, last);
        }
    }

    void whatIsOnlyReadIsNobodys()
    {
        const std::string reads = "  %q = getelementptr float, ptr %in, i32 %i\n  %r = load float, ptr %q\n"
                                  "  %u = getelementptr i8, ptr %q, i64 4\n  %v = load float, ptr %u\n"
                                  "  %any = load i32, ptr %in\n  %w = getelementptr float, ptr %in, i32 %any\n"
                                  "  %x = load float, ptr %w\n";
        const auto isInApart = [&](const std::string& more) {
            return apartIn(reads + more + "  ret void\n", 40, kBlock, kGrid).contains(kIn >> 32);
        };
        QVERIFY(isInApart(""));
        QVERIFY(isInApart(storeAt("%at")));
        QVERIFY(!isInApart("  store float 1.0, ptr %in\n"));
        QVERIFY(!isInApart("  %o = atomicrmw add ptr %in, i32 1 seq_cst\n"));
        QVERIFY(!isInApart("  call void @llvm.memcpy.p0.p0.i64(ptr %in, ptr %out, i64 4, i1 false)\n"));
        // The same buffer by its other name.
        QVERIFY(!apartIn(reads + storeAt("%at") + "  ret void\n", 40, kBlock, kGrid, kOut).contains(kOut >> 32));
    }

    void kernels_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("n");
        QTest::addColumn<bool>("apart");
        const std::string end = "  ret void\n";
        const auto add = [&](const char* name, const std::string& body, int n, bool isApart) {
            QTest::newRow(name) << QString::fromStdString(body) << n << isApart;
        };
        add("a matrix as wide as the grid", storeAt("%at") + end, 40, true);
        add("wider", storeAt("%at") + end, 41, true);
        add("narrower", storeAt("%at") + end, 39, false);
        add("one row for all", storeAt("%i") + end, 40, false);
        add("the same place for all", storeAt("0") + end, 40, false);
        const auto guarded = [&](const std::string& condition) {
            return condition + "  br i1 %c, label %do, label %done\ndo:\n" + storeAt("%at") +
                   "  br label %done\ndone:\n" + end;
        };
        add("narrower, and nobody beyond its rows", guarded("  %c = icmp slt i32 %i, %n\n"), 33, true);
        add("without a sign", guarded("  %c = icmp ult i32 %i, %n\n"), 33, true);
        add("from 1 on, as compilers ask it",
            guarded("  %back = add nsw i32 %i, -1\n  %m = sub nsw i32 %n, 1\n  %c = icmp ult i32 %back, 32\n"), 33,
            true);
        add("beyond by one", guarded("  %c = icmp sle i32 %i, %n\n"), 33, false);
        add("nobody but beyond", guarded("  %c = icmp sge i32 %i, %n\n"), 33, true);
        add("more than a row of those beyond", guarded("  %c = icmp sge i32 %i, %n\n"), 17, false);
        add("one of two conditions",
            guarded("  %a = icmp slt i32 %i, %n\n  %e = icmp slt i32 %y, 5\n"
                    "  %c = or i1 %a, %e\n"),
            33, false);
        add("both", guarded("  %a = icmp slt i32 %i, %n\n  %e = icmp slt i32 %y, 5\n  %c = and i1 %a, %e\n"), 33, true);
        add("the greater of both",
            guarded("  %m = call i32 @llvm.smax.i32(i32 %i, i32 %y)\n  %c = icmp slt i32 %m, %n\n"), 33, true);
        add("transposed",
            "  %column = mul nsw i32 %i, 12\n  %across = add nsw i32 %column, %y\n" + storeAt("%across") + end, 40,
            true);
        add("four elements for each",
            "  %four = shl i32 %at, 2\n" + storeAt("%four") +
                "  %p3 = getelementptr i8, ptr %p, i64 12\n  store float 1.0, ptr %p3\n" + end,
            40, true);
        add("and one of the next",
            "  %four = shl i32 %at, 2\n" + storeAt("%four") +
                "  %p3 = getelementptr i8, ptr %p, i64 13\n  store float 1.0, ptr %p3\n" + end,
            40, false);
        add("read by a neighbour",
            storeAt("%at") + "  %q = getelementptr i8, ptr %p, i64 4\n  %r = load float, ptr %q\n" + end, 40, false);
        add("all of a column",
            "  %any = load i32, ptr %in\n  %down = mul nsw i32 %any, 40\n  %e = add nsw i32 %down, %at\n" +
                storeAt("%e") + end,
            40, false);
        add("of a column each, in blocks of one row",
            "  %any = load i32, ptr %in\n  %down = mul nsw i32 %any, %n\n  %e = add nsw i32 %down, %i\n" +
                storeAt("%e") + end,
            40, false);
        add("by a half",
            "  %half = sdiv i32 %n, 2\n  %rows = mul nsw i32 %y, %half\n  %e = add nsw i32 %rows, %i\n" +
                storeAt("%e") + end,
            80, true);
        add("by half of too little",
            "  %half = sdiv i32 %n, 2\n  %rows = mul nsw i32 %y, %half\n  %e = add nsw i32 %rows, %i\n" +
                storeAt("%e") + end,
            78, false);
        const auto merged = [&](const std::string& other) {
            return "  %c = icmp slt i32 %n, 7\n  br i1 %c, label %do, label %meet\ndo:\n  %again = add nsw i32 %at, " +
                   other + "\n  br label %meet\nmeet:\n  %e = phi i32 [ %at, %0 ], [ %again, %do ]\n" + storeAt("%e") +
                   end;
        };
        add("the same by two ways", merged("0"), 40, true);
        add("another by one of them", merged("1"), 40, false);
        add("an atomic",
            "  %p = getelementptr float, ptr %out, i32 %at\n"
            "  %o = atomicrmw add ptr %p, i32 1 seq_cst\n" +
                end,
            40, false);
        add("a volatile write",
            "  %p = getelementptr float, ptr %out, i32 %at\n  store volatile float 1.0, ptr %p\n" + end, 40, false);
        add("beside a function that could do anything",
            storeAt("%at") + "  %e = call i32 @elsewhere(i32 0, ptr %in)\n" + end, 40, false);
        add("beside a barrier", storeAt("%at") + "  call void @llvm.nvvm.barrier0()\n" + end, 40, true);
        add("beside a pointer from memory",
            storeAt("%at") + "  %who = load ptr, ptr %in\n  store i32 1, ptr %who\n" + end, 40, false);
        add("by a struct's pointer, too",
            storeAt("%at") +
                "  %member = load ptr, ptr %both\n  %q = getelementptr float, ptr %member, i32 %at\n"
                "  %r = load float, ptr %q\n" +
                end,
            40, true);
        const std::string byMember =
            "  %member = load ptr, ptr %both\n  %q = getelementptr float, ptr %member, i32 %at\n"
            "  store float 1.0, ptr %q\n" +
            end;
        add("by a pointer of a struct that is copied",
            "  %own = alloca %pair\n  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %both, i64 16, i1 false)\n" +
                byMember,
            40, true);
        add("by a pointer of a struct that is written over",
            "  call void @llvm.memcpy.p0.p0.i64(ptr %both, ptr %in, i64 16, i1 false)\n" + byMember, 40, false);
        add("by a struct's pointer, elsewhere",
            storeAt("%at") +
                "  %member = load ptr, ptr %both\n  %q = getelementptr float, ptr %member, i32 %i\n"
                "  %r = load float, ptr %q\n" +
                end,
            40, false);
        add("what wraps around", "  %far = mul i32 %at, 1073741824\n" + storeAt("%far") + end, 40, false);
        add("of bits that are cut off",
            "  %wide = sext i32 %at to i64\n  %far = mul i64 %wide, 1073741824\n  %cut = trunc i64 %far to i32\n" +
                storeAt("%cut") + end,
            40, false);
    }
    void kernels()
    {
        QFETCH(QString, body);
        QFETCH(int, n);
        QFETCH(bool, apart);
        QCOMPARE(isOutApart(body.toStdString(), n), apart);
    }

    void blocksOfOneRowNeedNoWidth()
    {
        QVERIFY(isOutApart(storeAt("%i") + "  ret void\n", 0, {64, 1, 1}, {7, 1, 1}));
        QVERIFY2(!isOutApart(storeAt("%t") + "  ret void\n", 0, {64, 1, 1}, {7, 1, 1}), "blocks share it");
        QVERIFY(isOutApart(storeAt("%t") + "  ret void\n", 0, {64, 1, 1}, {1, 1, 1}));
        QVERIFY(isOutApart(storeAt("0") + "  ret void\n", 0, {1, 1, 1}, {1, 1, 1}));
    }

    void oneThreadOfManyIsAlone()
    {
        const std::string body = "  %c = icmp eq i32 %i, 0\n  br i1 %c, label %do, label %done\ndo:\n" + storeAt("5") +
                                 "  br label %done\ndone:\n  ret void\n";
        QVERIFY(isOutApart(body, 0, {64, 1, 1}, {1, 1, 1}));
        QVERIFY2(!isOutApart("  br label %do\ndo:\n" + storeAt("5") + "  ret void\n", 0, {64, 1, 1}, {1, 1, 1}),
                 "all of them are there");
    }

    /// \p compare: of the loop's condition, and \p next what is added to the index.
    static std::string stridedLoop(const std::string& compare, const std::string& addition)
    {
        return "  %stride = mul i32 %d, %g\n  br label %head\nhead:\n"
               "  %k = phi i32 [ %i, %0 ], [ %later, %do ]\n  %c = icmp " +
               compare + " i32 %k, %n\n  br i1 %c, label %do, label %done\ndo:\n  %far = zext i32 %k to i64\n" +
               storeAt("%far", "i64") + "  %later = " + addition +
               " i32 %k, %stride\n  br label %head\ndone:\n  ret void\n";
    }

    void loopsThatStrideOverTheGrid()
    {
        const Dim3 block{64, 1, 1}, grid{7, 1, 1};
        QVERIFY(isOutApart(stridedLoop("ult", "add"), 10'000, block, grid));
        QVERIFY(isOutApart(stridedLoop("slt", "add nuw nsw"), 10'000, block, grid));
        QVERIFY2(!isOutApart(stridedLoop("ult", "add"), -10, block, grid), "it comes round to the beginning");
        QVERIFY2(!isOutApart(stridedLoop("ult", "sub"), 10'000, block, grid), "it goes down");
        // As compilers turn it round: asked before it, and at its end.
        const std::string rotated =
            "  %stride = mul i32 %d, %g\n  %c = icmp ult i32 %i, %n\n  br i1 %c, label %do, label %done\ndo:\n"
            "  %k = phi i32 [ %i, %0 ], [ %later, %do ]\n  %far = zext i32 %k to i64\n" +
            storeAt("%far", "i64") +
            "  %later = add i32 %k, %stride\n  %more = icmp ult i32 %later, %n\n  br i1 %more, label %do, label %done\n"
            "done:\n  ret void\n";
        QVERIFY(isOutApart(rotated, 10'000, block, grid));
        QVERIFY(!isOutApart(rotated, -10, block, grid));
    }

    void columnsOfAMatrix()
    {
        const std::string body = "  br label %do\ndo:\n  %k = phi i32 [ 0, %0 ], [ %later, %do ]\n"
                                 "  %down = mul nsw i32 %k, %n\n  %e = add nsw i32 %down, %i\n" +
                                 storeAt("%e") +
                                 "  %later = add nsw i32 %k, 1\n  %more = icmp slt i32 %later, 100\n"
                                 "  br i1 %more, label %do, label %done\ndone:\n  ret void\n";
        QVERIFY(isOutApart(body, 448, {64, 1, 1}, {7, 1, 1}));
        QVERIFY2(!isOutApart(body, 447, {64, 1, 1}, {7, 1, 1}), "the last writes to the next row");
    }

    /// Rows of \p width, n long, each of a thread's own; \p index: what is added to where a row begins.
    static std::string rowsOf(const std::string& width, const std::string& loop)
    {
        return "  %begin = mul nsw i32 %i, " + width + "\n" + loop;
    }

    void rowsThatAreGoneAlong()
    {
        const Dim3 block{64, 1, 1}, grid{7, 1, 1};
        const auto isApart = [&](const std::string& body, int n) { return isOutApart(body, n, block, grid); };
        const auto asksAtItsEnd = [](const std::string& compare, const std::string& step) {
            return "  %c = icmp sgt i32 %n, 0\n  br i1 %c, label %do, label %done\ndo:\n"
                   "  %k = phi i32 [ 0, %0 ], [ %later, %do ]\n  %e = add i32 %begin, %k\n" +
                   storeAt("%e") + "  %later = add nuw nsw i32 %k, " + step + "\n  %more = icmp " + compare +
                   " i32 %later, %n\n  br i1 %more, label %do, label %done\ndone:\n  ret void\n";
        };
        QVERIFY(isApart(rowsOf("%n", asksAtItsEnd("ne", "1")), 50));
        QVERIFY(isApart(rowsOf("50", asksAtItsEnd("ne", "1")), 50));
        QVERIFY2(!isApart(rowsOf("49", asksAtItsEnd("ne", "1")), 50), "the last is the next one's first");
        QVERIFY2(!isApart(rowsOf("50", asksAtItsEnd("ne", "1")), 0), "it would never end");
        QVERIFY2(!isApart(rowsOf("50", asksAtItsEnd("ne", "2")), 50), "nobody says that it meets the end");
        QVERIFY(isApart(rowsOf("50", asksAtItsEnd("slt", "2")), 50));
        QVERIFY(isApart(rowsOf("51", asksAtItsEnd("sle", "1")), 50));
        QVERIFY2(!isApart(rowsOf("50", asksAtItsEnd("sle", "1")), 50), "51 of them");
        QVERIFY2(!isApart(rowsOf("50", asksAtItsEnd("sgt", "1")), 50), "it goes away from the end");

        const auto asksAtItsBeginning = [](const std::string& compare, const std::string& first) {
            return "  br label %head\nhead:\n  %k = phi i32 [ " + first + ", %0 ], [ %later, %do ]\n  %c = icmp " +
                   compare + " i32 %k, %n\n  br i1 %c, label %do, label %done\ndo:\n  %e = add nsw i32 %begin, %k\n" +
                   storeAt("%e") + "  %later = add nsw i32 %k, 1\n  br label %head\ndone:\n  ret void\n";
        };
        QVERIFY(isApart(rowsOf("%n", asksAtItsBeginning("slt", "0")), 50));
        QVERIFY(!isApart(rowsOf("49", asksAtItsBeginning("slt", "0")), 50));
        QVERIFY(isApart(rowsOf("51", asksAtItsBeginning("slt", "-1")), 50));
        QVERIFY(!isApart(rowsOf("50", asksAtItsBeginning("slt", "-1")), 50));
        QVERIFY2(!isApart(rowsOf("100", asksAtItsBeginning("slt", "%i")), 500), "rows reach into the next");
        QVERIFY(isApart(rowsOf("500", asksAtItsBeginning("slt", "%i")), 500));

        const std::string any = "  %k = load i32, ptr %in\n  %c = icmp slt i32 %k, %n\n"
                                "  br i1 %c, label %do, label %done\ndo:\n  %e = add nsw i32 %begin, %k\n" +
                                storeAt("%e") + "  br label %done\ndone:\n  ret void\n";
        QVERIFY2(!isApart(rowsOf("%n", any), 50), "what is read may be below 0");
    }

    void placesOfSeveralForms_data()
    {
        QTest::addColumn<QString>("condition");
        QTest::addColumn<QString>("read");
        QTest::addColumn<bool>("apart");
        // Who is to the right of column 3 and below row 2 writes to its own place in rows of 40.
        const QString inside = "  %a = icmp sgt i32 %i, 3\n  %z = icmp sgt i32 %y, 2\n  %c = and i1 %a, %z\n";
        const auto at = [](const QString& index) {
            return "  %from = " + index +
                   "\n  %q = getelementptr float, ptr %out, i32 %from\n  %r = load float, ptr %q\n";
        };
        const QString across = "  %across = mul nsw i32 %y, 40\n";
        QTest::newRow("its row's part of the column") << inside << across + at("add nsw i32 %across, 3") << true;
        QTest::newRow("a column that is written") << inside << across + at("add nsw i32 %across, 4") << false;
        QTest::newRow("its column's part of the row") << inside << at("add nsw i32 %i, 80") << true;
        QTest::newRow("a row that is written") << inside << at("add nsw i32 %i, 120") << false;
        QTest::newRow("one cell") << inside << at("add nsw i32 83, 0") << true;
        QTest::newRow("one cell that is written") << inside << at("add nsw i32 124, 0") << false;
        QTest::newRow("the lesser of both")
            << "  %m = call i32 @llvm.smin.i32(i32 %i, i32 %y)\n  %c = icmp sgt i32 %m, 3\n"
            << across + at("add nsw i32 %across, 3") << true;
        QTest::newRow("everybody writes") << "  %c = icmp sge i32 %i, 0\n"
                                          << across + at("add nsw i32 %across, 3") << false;
        QTest::newRow("the first row, which is its own") << "  %c = icmp eq i32 %y, 0\n"
                                                         << at("add nsw i32 %i, 0") << true;
        QTest::newRow("the row behind all") << inside << at("add nsw i32 %i, 480") << true;
        QTest::newRow("the last row") << inside << at("add nsw i32 %i, 440") << false;
    }
    void placesOfSeveralForms()
    {
        QFETCH(QString, condition);
        QFETCH(QString, read);
        QFETCH(bool, apart);
        const std::string body = condition.toStdString() + "  br i1 %c, label %do, label %done\ndo:\n" +
                                 read.toStdString() + storeAt("%at40") + "  br label %done\ndone:\n  ret void\n";
        QCOMPARE(isOutApart("  %rows = mul nsw i32 %y, 40\n  %at40 = add nsw i32 %rows, %i\n" + body, 40), apart);
    }

    /// fdtd's first step: threads of the first row write to it in another branch.
    void anotherFormForTheFirstRow()
    {
        const auto body = [](const std::string& first) {
            return "  %rows = mul nsw i32 %y, 40\n  %own = add nsw i32 %rows, %i\n  %c = icmp eq i32 %y, " + first +
                   "\n  br i1 %c, label %one, label %other\none:\n" + storeAt("%i") +
                   "  br label %done\nother:\n  %p2 = getelementptr float, ptr %out, i32 %own\n"
                   "  store float 2.0, ptr %p2\n  br label %done\ndone:\n  ret void\n";
        };
        QVERIFY(isOutApart(body("0"), 40));
        QVERIFY2(!isOutApart(body("1"), 40), "threads of the second row write to the first");
    }

    void parametersThatAreOneBuffer()
    {
        const std::string body = storeAt("%i") + "  %q = getelementptr float, ptr %in, i32 %i\n"
                                                 "  %r = load float, ptr %q\n  ret void\n";
        const Dim3 block{64, 1, 1}, grid{7, 1, 1};
        QCOMPARE(apartIn(body, 0, block, grid).size(), size_t{2});
        QCOMPARE(apartIn(body, 0, block, grid, kOut).size(), size_t{1});
        QVERIFY2(apartIn(body, 0, block, grid, kOut + 4).empty(), "each reads what the next one writes");
        QVERIFY2(apartIn(body, 0, block, grid, kOut + 4 * 447).empty(), "the last writes what the first one reads");
        QCOMPARE(apartIn(body, 0, block, grid, kOut + 4 * 448).size(), size_t{1});
    }
};

QTEST_MAIN(TestKeptApart)
#include "tst_kept_apart.moc"
