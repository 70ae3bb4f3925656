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

    void threadsThatAreSaidToBeApartAre()
    {
        std::mt19937 random(2);
        const auto pick = [&](int from, int to) { return from + static_cast<int>(random() % (to - from + 1)); };
        int apart = 0, together = 0;
        for (int round = 0; round < 20'000; ++round) {
            LastCoordinates last{};
            std::array<int64_t, kOthers> times{};
            const std::array<Coordinate, 3> used{0, 1, 3};
            for (const Coordinate i : used) {
                last[i] = pick(0, 3);
                times[i] = std::array<int64_t, 9>{0, 1, 2, 4, -4, 6, 8, 12, 16}[static_cast<size_t>(pick(0, 8))];
            }
            const int64_t other = pick(0, 2) == 0 ? pick(8, 40) : 0;
            std::vector<PlacedBound> bounds;
            if (pick(0, 1) == 0) {
                PlacedBound bound;
                for (const Coordinate i : used)
                    bound.times[i] = pick(0, 1) == 0 ? 0 : std::abs(times[i]) / pick(1, 2);
                bound.most = pick(0, 20);
                bounds.push_back(bound);
            }
            std::vector<PlacedAccess> accesses;
            for (int k = pick(1, 3); k > 0; --k) {
                PlacedAffine at{times, {}, pick(0, 2) * 2};
                if (other != 0 && pick(0, 1) == 0)
                    at.others.push_back(other);
                accesses.push_back({at, static_cast<uint32_t>(pick(1, 4)), bounds});
            }
            if (!areApart(accesses, last)) {
                ++together;
                continue;
            }
            ++apart;
            std::map<int64_t, int> owners;
            int thread = 0;
            for (int64_t x = 0; x <= last[0]; ++x)
                for (int64_t y = 0; y <= last[1]; ++y)
                    for (int64_t block = 0; block <= last[3]; ++block, ++thread) {
                        const auto sum = [&](const std::array<int64_t, kOthers>& factors) {
                            return factors[0] * x + factors[1] * y + factors[3] * block;
                        };
                        if (!bounds.empty() && sum(bounds[0].times) > bounds[0].most)
                            continue;
                        for (const PlacedAccess& access : accesses)
                            for (int64_t any = access.offset.others.empty() ? 0 : -4;
                                 any <= (access.offset.others.empty() ? 0 : 4); ++any)
                                for (uint32_t byte = 0; byte < access.bytes; ++byte) {
                                    const int64_t at = access.offset.constant + sum(times) + any * other + byte;
                                    QCOMPARE(owners.try_emplace(at, thread).first->second, thread);
                                }
                    }
        }
        QVERIFY2(apart > 1000 && together > 1000, qPrintable(QString("%1 and %2").arg(apart).arg(together)));
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
        add("the other way round", guarded("  %c = icmp sge i32 %i, %n\n"), 33, false);
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

    void parametersThatAreOneBuffer()
    {
        const std::string body = storeAt("%i") + "  %q = getelementptr float, ptr %in, i32 %i\n"
                                                 "  %r = load float, ptr %q\n  ret void\n";
        const Dim3 block{64, 1, 1}, grid{7, 1, 1};
        QCOMPARE(apartIn(body, 0, block, grid).size(), size_t{2});
        QCOMPARE(apartIn(body, 0, block, grid, kOut).size(), size_t{1});
        QVERIFY2(apartIn(body, 0, block, grid, kOut + 4).empty(), "each reads what the next one writes");
        QVERIFY2(apartIn(body, 0, block, grid, kOut + 4 * 448).empty(), "that is not seen to be elsewhere");
    }
};

QTEST_MAIN(TestKeptApart)
#include "tst_kept_apart.moc"
