// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses of a block are known before it runs. Whatever is said of a block is held against each of its threads.
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/IR/InstIterator.h>

#include "core/simt/ir/foreseen_reader.h"
#include "core/simt/launch/foreseen_blocks.h"
#include "ir_text.h"
#endif

#include "affine_text.h"

using namespace lanescope;
using namespace lanescope::simt;
using test::kDeclarations;
using test::kIndexes;
using test::RandomExpression;

namespace {

constexpr Dim3 kBlock{32, 4, 1}, kGrid{5, 3, 1};
constexpr uint64_t kOutSlot = 0x2000, kInSlot = 0x2001;
constexpr uint64_t kWidth = 160;  // of all threads of a row

/// A launch of f(ptr out, ptr in, i32 n), of buffers of so many bytes.
struct Launch {
    Launch(const std::string& body, int n, uint64_t bytes, uint64_t start = 0)
        : module(test::moduleOf(context, kDeclarations + "define void @f(ptr %out, ptr %in, i32 %n) {\n" + kIndexes +
                                             body + "}\n")),
          count(n), out((kOutSlot << 32) + start), memory(bytes)
    {
        if (!module)
            return;
        reader.emplace(*module->getFunction("f"));
        accesses = reader->take();
        for (const uint64_t slot : {kOutSlot, kInSlot}) {
            objects.place(slot).host = memory.data();
            objects[slot].bytes = bytes;
        }
    }
    [[nodiscard]] ForeseenBlocks blocks() const
    {
        const std::array<const void*, 3> arguments{&out, &in, &count};
        return {accesses, LaunchNumbers{kBlock, kGrid, arguments}, objects, [](uint64_t) { return false; }};
    }
    /// How many blocks are foreseen.
    [[nodiscard]] int foreseen() const
    {
        const ForeseenBlocks known = blocks();
        std::vector<ForeseenBlock::Place> places(known.places());
        int number = 0;
        for (uint64_t block = 0; !known.isEmpty() && block < kGrid.count(); ++block)
            number += known.look(positionOf(block, kGrid), places);
        return number;
    }

    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    int32_t count;
    uint64_t out, in = kInSlot << 32;
    std::vector<std::byte> memory;
    std::optional<ForeseenReader> reader;
    ForeseenAccesses accesses;
    ObjectTable objects;
};

std::string loadAt(const std::string& index, const std::string& type = "float")
{
    return "  %q = getelementptr " + type + ", ptr %in, i32 " + index + "\n  %l = load " + type + ", ptr %q\n";
}

/// What \p text of a thread's values computes.
std::optional<uint64_t> valueAt(const std::string& text, const std::string& result, const std::string& type,
                                Dim3 thread, Dim3 block, int n)
{
    const auto is = [](const char* name, int64_t number) {
        return std::string("  %") + name + " = add i32 0, " + std::to_string(number) + "\n";
    };
    llvm::LLVMContext context;
    const auto module =
        test::moduleOf(context, "define " + type + " @f() {\n" + is("t", thread.x) + is("ty", thread.y) +
                                    is("b", block.x) + is("by", block.y) + is("d", kBlock.x) + is("n", n) + text +
                                    "  ret " + type + " " + result + "\n}\n");
    return module ? test::returnedBits(*module->getFunction("f")) : std::nullopt;
}

}  // namespace

class TestForeseen : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kernels_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("blocks");
        const std::string end = "  ret void\n";
        const int all = static_cast<int>(kGrid.count()), whole = static_cast<int>(kWidth * 12 * 4);
        const auto add = [&](const char* name, const std::string& body, int n, int bytes, int blocks) {
            QTest::newRow(name) << QString::fromStdString(body) << n << bytes << blocks;
        };
        add("a row behind the other", loadAt("%at") + end, kWidth, whole, all);
        add("where the last is too far", loadAt("%at") + end, kWidth, whole - 4, all - 1);
        add("of bytes", loadAt("%at", "i8") + end, kWidth, whole / 4, all);
        add("of doubles", loadAt("%at", "double") + end, kWidth, whole, 5);
        add("one element for all", loadAt("7") + end, kWidth, 32, all);
        add("one that is not there", loadAt("8") + end, kWidth, 32, 0);
        add("one for each row", loadAt("%y") + end, kWidth, 48, all);
        add("a column",
            loadAt("%t") + "  %z = mul i32 %t, %n\n  %r = getelementptr float, ptr %in, i32 %z\n" +
                "  %m = load float, ptr %r\n" + end,
            kWidth, 128, all);
        add("the one before", "  %e = add nsw i32 %at, -1\n" + loadAt("%e") + end, kWidth, whole, all - 1);
        add("mirrored", "  %e = sub i32 %n, %at\n" + loadAt("%e") + end, kWidth, whole, 0);
        add("half an element further",
            "  %r = getelementptr i8, ptr %in, i64 2\n  %q = getelementptr float, ptr %r, i32 %at\n"
            "  %l = load float, ptr %q\n" +
                end,
            kWidth, whole + 4, 0);
        const auto guarded = [&](const std::string& condition) {
            return condition + "  br i1 %c, label %do, label %done\ndo:\n" + loadAt("%at") +
                   "  br label %done\ndone:\n" + end;
        };
        add("left of the limit", guarded("  %c = icmp slt i32 %i, %n\n"), 100, whole, 9);
        add("up to the limit", guarded("  %c = icmp sle i32 %i, %n\n"), 95, whole, 9);
        add("without a sign", guarded("  %c = icmp ult i32 %i, %n\n"), 96, whole, 9);
        add("all below a large limit, without a sign, but some before the first element",
            guarded("  %c = icmp ult i32 %i, %n\n"), -1, whole, 12);
        add("not the first column", guarded("  %c = icmp ne i32 %i, 0\n"), kWidth, whole, 12);
        add("not the fifth row", guarded("  %c = icmp ne i32 %y, 4\n"), kWidth, whole, 10);
        add("inside",
            guarded("  %f = icmp eq i32 %i, 0\n  %m = sub nsw i32 %n, 1\n  %w = icmp sge i32 %i, %m\n"
                    "  %o = or i1 %f, %w\n  %h = icmp sgt i32 %y, 0\n  %k = xor i1 %o, true\n"
                    "  %c = select i1 %k, i1 %h, i1 false\n"),
            kWidth, whole, 6);
        add("one of two conditions",
            guarded("  %f = icmp slt i32 %i, 32\n  %h = icmp sgt i32 %y, 0\n"
                    "  %c = or i1 %f, %h\n"),
            kWidth, whole, all);  // the branch is left as it is
        add("what is read says where", "  %any = load i32, ptr %in\n  %e = add i32 %any, %at\n" + loadAt("%e") + end,
            kWidth, 4, all);  // but for that itself
    }
    void kernels()
    {
        QFETCH(QString, body);
        QFETCH(int, n);
        QFETCH(int, bytes);
        QFETCH(int, blocks);
        const Launch launch(body.toStdString(), n, static_cast<uint64_t>(bytes));
        QVERIFY(launch.module);
        QCOMPARE(launch.foreseen(), blocks);
    }

    /// What wraps around is another place, though it is said not to; the number that it stands for may be inside.
    void promisesOfTheCodeAreAsked()
    {
        const std::string body =
            "  %large = mul nsw i32 %n, 2\n  %e = add nsw i32 %large, %i\n" + loadAt("%e", "i8") + "  ret void\n";
        for (const auto& [n, blocks] :
             {std::pair{100, static_cast<int>(kGrid.count())}, std::pair{(1 << 30) + 128, 0}}) {
            Launch launch(body, n, 64);
            launch.objects[kInSlot].bytes = UINT32_MAX;
            QCOMPARE(launch.foreseen(), blocks);
        }
    }

    void buffersThatAreWatchedAreNot()
    {
        const std::string body = loadAt("%at") + "  %p = getelementptr float, ptr %out, i32 %at\n"
                                                 "  store float %l, ptr %p\n  ret void\n";
        Launch launch(body, kWidth, kWidth * 12 * 4);
        const int all = static_cast<int>(kGrid.count());
        QCOMPARE(launch.foreseen(), all);
        const auto changed = [&](uint64_t slot, auto change) {
            const ObjectEntry before = launch.objects[slot];
            change(launch.objects[slot]);
            const int number = launch.foreseen();
            launch.objects[slot] = before;
            return number;
        };
        QCOMPARE(changed(kInSlot, [](ObjectEntry& entry) { entry.partlyUndefined = true; }), 0);
        QCOMPARE(changed(kOutSlot, [](ObjectEntry& entry) { entry.partlyUndefined = true; }), all);
        QCOMPARE(changed(kOutSlot, [](ObjectEntry& entry) { entry.readOnly = true; }), 0);
        QCOMPARE(changed(kInSlot, [](ObjectEntry& entry) { entry.readOnly = true; }), all);
        QCOMPARE(changed(kInSlot, [](ObjectEntry& entry) { entry.freed = true; }), 0);
        QCOMPARE(changed(kOutSlot, [](ObjectEntry& entry) { entry.races = reinterpret_cast<RaceCells*>(64); }), 0);
        QCOMPARE(changed(kOutSlot, [](ObjectEntry& entry) { entry.bytes = 0; }), 0);
        launch.out = 0;
        QCOMPARE(launch.foreseen(), 0);
    }

    /// A load and a guard of random integers, of all threads that are foreseen.
    void whatIsForeseenIsSo()
    {
        std::mt19937 random(7);
        const char* const relations[] = {"slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "ne", "eq"};
        int foreseen = 0;
        for (int round = 0; round < 3000; ++round) {
            RandomExpression expression(random);
            const std::string a = expression.make(32, 3), b = expression.make(32, 2), rest = expression.make(32, 2);
            const std::string relation = relations[random() % 10], index = "%index";
            const std::string own = kIndexes.substr(kIndexes.find("  %first ="));
            const std::string text = own + expression.text() + "  %c = icmp " + relation + " i32 " + a + ", " + b +
                                     "\n  %index = add i32 " + (random() % 2 ? "%t" : "%i") + ", " + rest + "\n";
            const std::string body = expression.text() + text.substr(own.size() + expression.text().size()) +
                                     "  br i1 %c, label %do, label %done\ndo:\n" + loadAt("%index") +
                                     "  br label %done\ndone:\n  ret void\n";
            const int32_t n = static_cast<int32_t>(random() % 3000) - 500;
            const Launch launch(body, n, 1 << 14, 0);
            QVERIFY(launch.module);
            const ForeseenBlocks known = launch.blocks();
            if (known.isEmpty())
                continue;
            const llvm::Function& function = *launch.module->getFunction("f");
            bool isGuarded = false;
            for (const llvm::Instruction& instr : llvm::instructions(function))
                if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instr); branch && branch->isConditional())
                    isGuarded = launch.reader->wayOf(*branch).has_value();
            std::vector<ForeseenBlock::Place> places(known.places());
            for (uint64_t block = 0; block < kGrid.count(); ++block) {
                const Dim3 position = positionOf(block, kGrid);
                if (!known.look(position, places))
                    continue;
                ++foreseen;
                const auto warp = static_cast<uint32_t>(random() % 4), lane = static_cast<uint32_t>(random() % 32);
                const Dim3 thread{lane, warp, 0};
                const auto at = valueAt(text, index, "i32", thread, position, n);
                const auto goes = valueAt(text, "%c", "i1", thread, position, n);
                QVERIFY2(at && goes, text.c_str());
                const std::byte* const first = places[0].host + known.ways()[warp];
                const auto offset = int64_t{static_cast<int32_t>(*at)} * 4;
                const bool isRow = launch.accesses.accesses[0].offset.times.contains(0);
                QVERIFY2(first + (isRow ? lane * 4 : 0) == launch.memory.data() + offset, body.c_str());
                QVERIFY(offset >= 0 && offset + 4 <= 1 << 14);
                QVERIFY2(!isGuarded || (*goes & 1) == 1, body.c_str());
            }
        }
        QVERIFY2(foreseen > 300, qPrintable(QString("only %1 blocks were foreseen").arg(foreseen)));
    }
};

QTEST_APPLESS_MAIN(TestForeseen)
#include "tst_foreseen.moc"
