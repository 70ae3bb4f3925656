// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX modules from their text: what is known of kernels and variables, what kernels compute, and how damage and what is
// not known are told.
#include <QTest>

#include "ptx_device.h"

using namespace lanescope;
using test::PtxDevice;

namespace {

const std::string kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A kernel "k" of one pointer, whose thread t leaves %r1 in word t.
std::string kernelOf(const QString& body)
{
    return kHead +
           ".visible .entry k(.param .u64 k_param_0) {\n"
           ".reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 "
           "%fd<8>;\n"
           "ld.param.u64 %rd1, [k_param_0]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r2, %tid.x;\n"
           "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3;\n" +
           body.toStdString() + "\nst.global.u32 [%rd4], %r1; ret;\n}\n";
}

QString textOf(const std::vector<uint32_t>& words)
{
    QStringList all;
    for (const uint32_t word : words)
        all << QString::number(static_cast<int32_t>(word));
    return all.join(' ');
}

}  // namespace

class TestPtxModule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computes_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");  // of four threads
        const auto row = [](const char* name, const char* body, const char* expected) {
            QTest::newRow(name) << QString(body) << QString(expected);
        };
        row("thread", "mov.u32 %r1, %r2;", "0 1 2 3");
        row("branches",
            "mov.u32 %r1, 0; setp.eq.u32 %p1, %r2, 2; @%p1 bra $two; mov.u32 %r1, 7; bra.uni $end;\n"
            "$two: mov.u32 %r1, 9;\n$end:",
            "7 7 9 7");
        row("a loop",
            "mov.u32 %r1, 0; mov.u32 %r3, 0;\n$again: add.s32 %r1, %r1, %r3; add.s32 %r3, %r3, 1;\n"
            "setp.le.u32 %p1, %r3, %r2; @%p1 bra $again;",
            "0 1 3 6");
        row("a half as a bfloat16 and back",
            "mov.b16 %rs1, 0x4200; cvt.rn.bf16.f16 %rs2, %rs1; cvt.rn.f16.bf16 %rs3, %rs2;\n"
            "cvt.u32.u16 %r1, %rs2; cvt.u32.u16 %r3, %rs3; sub.u32 %r3, %r3, 0x4200; add.u32 %r1, %r1, %r3;",
            "16448 16448 16448 16448");
        row("a predicate", "mov.u32 %r1, 5; setp.gt.u32 %p1, %r2, 1; @!%p1 mov.u32 %r1, 6;", "6 6 5 5");
        row("a return under a predicate",
            "mov.u32 %r1, 1; st.global.u32 [%rd4], %r1; setp.eq.u32 %p1, %r2, 0;\n"
            "@%p1 ret; mov.u32 %r1, 2;",
            "1 2 2 2");
        row("registers of inner blocks",
            "{ .reg .b32 %x; mov.u32 %x, 3; { .reg .b32 %x; mov.u32 %x, 4; } add.s32 %r1, %x, %r2; }\n"
            "{ .reg .b32 %x; mov.u32 %x, 10; add.s32 %r1, %r1, %x; }",
            "13 14 15 16");
        row("labels of inner blocks",
            "mov.u32 %r1, 0;\n{ bra.uni DONE; mov.u32 %r1, 1; DONE: }\n{ bra.uni DONE; mov.u32 %r1, 1; DONE: }\n"
            "add.s32 %r1, %r1, %r2;",
            "0 1 2 3");
        row("a table",
            "$table: .branchtargets $a, $b, $c;\nmin.u32 %r3, %r2, 2; mov.u32 %r1, 0; brx.idx %r3, $table;\n"
            "$a: mov.u32 %r1, 10; bra $out;\n$b: mov.u32 %r1, 20; bra $out;\n$c: mov.u32 %r1, 30;\n$out:",
            "10 20 30 30");
        row("shared memory",
            ".shared .align 4 .b8 tile[16];\nshl.b32 %r3, %r2, 2; mov.u32 %r4, tile; add.s32 %r5, %r4, %r3;\n"
            "st.shared.u32 [%r5], %r2; bar.sync 0; xor.b32 %r6, %r3, 4; add.s32 %r7, %r6, %r4;\n"
            "ld.shared.u32 %r1, [%r7];",
            "1 0 3 2");
        row("shared memory by generic addresses",
            ".shared .align 4 .b8 tile[16];\nmov.u64 %rd5, tile; cvta.shared.u64 %rd6, %rd5;\n"
            "add.s64 %rd7, %rd6, %rd3; st.u32 [%rd7], %r2; ld.u32 %r1, [%rd7];",
            "0 1 2 3");
        row("local memory",
            ".local .align 8 .b8 depot[16]; .reg .b64 %SP; .reg .b64 %SPL; mov.u64 %SPL, depot;\n"
            "cvta.local.u64 %SP, %SPL; st.local.u32 [%SPL+4], %r2; ld.u32 %r1, [%SP+4];",
            "0 1 2 3");
        row("local memory by addresses of 32 bits",
            ".local .align 8 .b8 depot[16]; mov.b32 %r3, depot; add.s32 %r3, %r3, 8; cvt.u64.u32 %rd7, %r3;\n"
            "cvta.local.u64 %rd6, %rd7; st.u32 [%rd6], %r2; ld.local.u32 %r1, [depot+8];",
            "0 1 2 3");
        row("vectors",
            ".local .align 16 .b8 depot[16]; st.local.v4.u32 [depot], {%r2, 7, 8, %r2};\n"
            "ld.local.v2.u32 {%r3, %r4}, [depot+8]; add.s32 %r1, %r3, %r4;",
            "8 9 10 11");
        row("halves of words",
            "mov.b32 %r3, 0x00050003; mov.b32 {%rs1, %rs2}, %r3; cvt.u32.u16 %r1, %rs2;\n"
            "add.s32 %r1, %r1, %r2;",
            "5 6 7 8");
        row("carries", "mov.u32 %r3, -1; add.cc.u32 %r4, %r3, %r2; addc.u32 %r1, 0, 0;", "0 1 1 1");
        row("floats", "cvt.rn.f32.u32 %f1, %r2; fma.rn.f32 %f2, %f1, 0f40000000, 0f3F800000; cvt.rzi.s32.f32 %r1, %f2;",
            "1 3 5 7");
        row("lanes", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, 15;", "1 0 3 2");
    }
    void kernelsKnowTheirSharedMemory()
    {
        PtxDevice device;
        QCOMPARE(device.load(kernelOf(".shared .align 4 .b8 tile[24]; st.shared.u32 [tile], %r2;\n"
                                      "mov.u32 %r1, %total_smem_size; mov.u32 %r3, %dynamic_smem_size;\n"
                                      "mul.lo.u32 %r1, %r1, 1000; add.u32 %r1, %r1, %r3;")),
                 std::string());
        const uint64_t out = device.buffer(std::vector<uint32_t>(1));
        QCOMPARE(device.launch("k", {1, 1, 1}, {1, 1, 1}, {out}, 64), std::string());
        QCOMPARE(textOf(device.values<uint32_t>(out, 1)), QString("88064"));
    }
    void computes()
    {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        PtxDevice device;
        QCOMPARE(device.load(kernelOf(body)), std::string());
        const uint64_t out = device.buffer(std::vector<uint32_t>(4));
        QCOMPARE(device.launch("k", {1, 1, 1}, {4, 1, 1}, {out}), std::string());
        QCOMPARE(textOf(device.values<uint32_t>(out, 4)), expected);
    }

    void functionsAreCalled_data()
    {
        QTest::addColumn<QString>("functions");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const QString twice = ".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.u32 %x, [a];\n"
                              "add.s32 %x, %x, %x; st.param.b32 [r], %x; ret; }\n";
        const QString call = "{ .param .b32 param0; .param .b32 retval0; st.param.b32 [param0], %r2;\n";
        QTest::newRow("by name") << twice
                                 << call + "call.uni (retval0), twice, (param0); ld.param.b32 %r1, [retval0]; }"
                                 << "0 2 4 6";
        QTest::newRow("by another name") << twice + ".alias other, twice;\n"
                                         << call + "call.uni (retval0), other, (param0); ld.param.b32 %r1, [retval0]; }"
                                         << "0 2 4 6";
        QTest::newRow("through a register")
            << twice + ".global .align 8 .u64 table[2] = {0, twice};\n"
            << call + "p : .callprototype (.param .b32 _) _ (.param .b32 _); ld.global.u64 %rd5, [table+8];\n"
                      "call (retval0), %rd5, (param0), p; ld.param.b32 %r1, [retval0]; }"
            << "0 2 4 6";
        QTest::newRow("with a struct")
            << ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16]) { .reg .b64 %x<2>;\n"
               "ld.param.v2.b64 {%x0, %x1}, [a]; st.param.b64 [r], %x1; st.param.b64 [r+8], %x0; ret; }\n"
            << "cvt.u64.u32 %rd5, %r2; { .param .align 8 .b8 param0[16]; .param .align 8 .b8 retval0[16];\n"
               "st.param.b64 [param0], 7; st.param.b64 [param0+8], %rd5; call.uni (retval0), swap, (param0);\n"
               "ld.param.b64 %rd6, [retval0]; } cvt.u32.u64 %r1, %rd6;"
            << "0 1 2 3";
        QTest::newRow("of the device runtime, for a barrier of the grid")
            << ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
               ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
            << "{ .param .b32 param0; .param .b64 retval0; st.param.b32 [param0], 1;\n"
               "call.uni (retval0), cudaCGGetIntrinsicHandle, (param0); ld.param.b64 %rd5, [retval0]; }\n"
               "{ .param .b64 param0; .param .b32 param1; .param .b32 retval0; st.param.b64 [param0], %rd5;\n"
               "st.param.b32 [param1], 0; call.uni (retval0), cudaCGSynchronize, (param0, param1);\n"
               "ld.param.b32 %r3, [retval0]; } add.s32 %r1, %r2, %r3;"
            << "0 1 2 3";
        QTest::newRow("by itself")
            << ".func (.param .b32 r) sum(.param .b32 a) { .reg .b32 %x<4>; .reg .pred %p; ld.param.u32 %x0, [a];\n"
               "setp.eq.u32 %p, %x0, 0; mov.u32 %x3, 0; @%p bra $end; sub.s32 %x1, %x0, 1;\n"
               "{ .param .b32 param0; .param .b32 retval0; st.param.b32 [param0], %x1; call (retval0), sum, (param0);\n"
               "ld.param.b32 %x2, [retval0]; } add.s32 %x3, %x2, %x0; $end: st.param.b32 [r], %x3; ret; }\n"
            << call + "call.uni (retval0), sum, (param0); ld.param.b32 %r1, [retval0]; }" << "0 1 3 6";
    }
    void functionsAreCalled()
    {
        QFETCH(QString, functions);
        QFETCH(QString, body);
        QFETCH(QString, expected);
        PtxDevice device;
        device.isCooperative = true;
        const std::string kernel = kernelOf(body);
        QCOMPARE(device.load(kHead + functions.toStdString() + kernel.substr(kHead.size())), std::string());
        const uint64_t out = device.buffer(std::vector<uint32_t>(4));
        QCOMPARE(device.launch("k", {1, 1, 1}, {4, 1, 1}, {out}), std::string());
        QCOMPARE(textOf(device.values<uint32_t>(out, 4)), expected);
    }

    void printsByTheHostsPrintf()
    {
        PtxDevice device;
        const std::string text =
            kHead +
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
            ".global .align 1 .b8 $str[6] = {61, 37, 100, 33, 10};\n" +
            kernelOf(".local .align 8 .b8 values[8]; .reg .b64 %V; mov.u64 %V, values; st.local.u32 [%V], 42;\n"
                     "mov.u64 %rd5, $str; cvta.global.u64 %rd6, %rd5; cvta.local.u64 %rd7, %V;\n"
                     "{ .param .b64 param0; .param .b64 param1; .param .b32 retval0; st.param.b64 [param0], %rd6;\n"
                     "st.param.b64 [param1], %rd7; call.uni (retval0), vprintf, (param0, param1);\n"
                     "ld.param.b32 %r1, [retval0]; }")
                .substr(kHead.size());
        QCOMPARE(device.load(text), std::string());
        QCOMPARE(device.launch("k", {1, 1, 1}, {1, 1, 1}, {device.buffer(std::vector<uint32_t>(1))}), std::string());
        QCOMPARE(device.printed, std::string("=42!\n"));
    }

    void kernelsAndVariablesAreDescribed()
    {
        PtxDevice device;
        QCOMPARE(device.load(kHead + ".const .align 4 .f32 weights[3] = {0f3f800000, 0f40000000};\n"
                                     ".global .align 8 .u64 place = generic(weights)+4;\n"
                                     ".visible .entry _Z5scalePfPKif(.param .u64 _Z5scalePfPKif_param_0,\n"
                                     ".param .u64 .ptr .global .align 4 _Z5scalePfPKif_param_1,\n"
                                     ".param .f32 factor, .param .align 8 .b8 whole[24])\n"
                                     ".maxntid 64, 2 .minnctapersm 3 { .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
                                     ".shared .align 8 .b8 tile[48]; ld.param.u64 %rd1, [_Z5scalePfPKif_param_0];\n"
                                     "ld.param.f32 %f1, [factor]; st.global.f32 [%rd1], %f1;\n"
                                     "st.shared.f32 [tile], %f1; ret; }\n"),
                 std::string());
        const device::KernelInfo& kernel = device.module().kernels().at(0);
        QCOMPARE(kernel.name, std::string("_Z5scalePfPKif"));
        QCOMPARE(kernel.displayName, std::string("scale"));
        QCOMPARE(kernel.where.line, 6u);
        QCOMPARE(device.module().sourcePath(kernel.where.source), std::string("module.ptx"));
        std::string parameters;
        for (const device::KernelParameter& each : kernel.parameters)
            parameters += each.typeName + " " + each.name + " " + std::to_string(each.bytes) + "/" +
                          std::to_string(each.alignment) + (!each.pointers.empty() ? " pointer\n" : "\n");
        QCOMPARE(parameters, std::string("float* param_0 8/8 pointer\nvoid* param_1 8/8 pointer\nfloat factor 4/4\n"
                                         "bytes whole 24/1\n"));
        QCOMPARE(kernel.resources.staticSharedBytes, uint64_t{48});
        QCOMPARE(kernel.resources.maxThreads, 128u);
        QCOMPARE(kernel.resources.minBlocks, 3u);
        const auto& variables = device.module().variables();
        QCOMPARE(variables.size(), size_t{2});
        QCOMPARE(variables[0].bytes, uint64_t{12});
        QVERIFY(variables[0].constant);
        // No code uses it: it has its memory once the host asks.
        QCOMPARE(variables[1].address, uint64_t{0});
        const auto place = device.variable("place");
        QVERIFY(place);
        QCOMPARE(device.values<float>(variables[0].address, 3), (std::vector<float>{1, 2, 0}));
        QCOMPARE(device.values<uint64_t>(place.value().address, 1), std::vector<uint64_t>{variables[0].address + 4});
    }

    void kernelsAreCalledAsInTheSource()
    {
        PtxDevice device;
        QCOMPARE(
            device.load(kHead +
                        ".visible .entry _ZN12_GLOBAL__N_15scaleEPf() { ret; }\n"
                        ".visible .entry _Z3runI3AddIfEfEvT0_PFviE() { ret; }\n.visible .entry plain() { ret; }\n"),
            std::string());
        std::string names;
        for (const device::KernelInfo& kernel : device.module().kernels())
            names += kernel.displayName + "\n";
        QCOMPARE(names, std::string("(anonymous namespace)::scale\nrun<Add<float>, float>\nplain\n"));
    }

    /// Debug information says nothing of them, but what the kernel does with what it loads does.
    void pointersInStructsAreKnown()
    {
        PtxDevice device;
        QCOMPARE(device.load(kHead +
                             ".visible .entry k(.param .align 8 .b8 k_pair[24], .param .align 8 .b8 k_one[16]) {\n"
                             ".reg .b64 %rd<8>; .reg .f32 %f<4>; ld.param.u64 %rd1, [k_pair];\n"
                             "ld.param.u64 %rd2, [k_pair+16]; ld.param.u64 %rd3, [k_one];\n"
                             "ld.param.u64 %rd7, [k_one+8]; cvta.to.global.u64 %rd4, %rd1;\n"
                             "ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd2], %f1; st.u64 [%rd3], %rd7;\n"
                             "ret; }\n"),
                 std::string());
        std::string pointers;
        for (const device::KernelParameter& parameter : device.module().kernels().at(0).parameters)
            for (const device::GivenPointer& each : parameter.pointers)
                pointers += each.typeName + " " + each.name + " at " + std::to_string(each.offset) + "\n";
        QCOMPARE(pointers, std::string("float* pair.0 at 0\nfloat* pair.16 at 16\nlong long* one at 0\n"));
    }

    /// The kernel itself does nothing with it but pass it on.
    void pointersThatArePassedOnAreKnown()
    {
        PtxDevice device;
        QCOMPARE(device.load(kHead +
                             ".func put(.param .b64 where, .param .b64 count) { .reg .b64 %rd<4>; .reg .f32 %f<2>;\n"
                             "ld.param.u64 %rd1, [where]; ld.param.u64 %rd2, [count]; shl.b64 %rd2, %rd2, 2;\n"
                             "add.s64 %rd3, %rd1, %rd2; mov.f32 %f1, 0f3f800000; st.f32 [%rd3], %f1; ret; }\n"
                             ".visible .entry k(.param .u64 k_out, .param .u64 k_count) { .reg .b64 %rd<4>;\n"
                             "ld.param.u64 %rd1, [k_out]; ld.param.u64 %rd2, [k_count];\n"
                             "{ .param .b64 p0; .param .b64 p1; st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2;\n"
                             "call.uni put, (p0, p1); } ret; }\n"),
                 std::string());
        std::string parameters;
        for (const device::KernelParameter& each : device.module().kernels().at(0).parameters)
            parameters += each.typeName + " " + each.name + (each.pointers.empty() ? "\n" : " pointer\n");
        QCOMPARE(parameters, std::string("float* out pointer\nlong long count\n"));
        const uint64_t out = device.buffer(std::vector<float>(4));
        QCOMPARE(device.launch("k", {1, 1, 1}, {1, 1, 1}, {out, 2}), std::string());
        QCOMPARE(device.values<float>(out, 4), (std::vector<float>{0, 0, 1, 0}));
    }

    /// A kernel that nobody launches may hold what it likes.
    void whatIsNotKnownStopsItsKernelOnly_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* body, const char* problem) {
            QTest::newRow(body) << QString(body) << QString(problem);
        };
        row("frobnicate.b32 %r1, %r2;", "the PTX instruction 'frobnicate.b32' (module.ptx:9)");
        row("add.s32 %r1, %r2;", "the PTX instruction 'add.s32' (module.ptx:9)");
        row("add.s32 %r1, %r2, %unknown;", "the PTX, register '%unknown' (module.ptx:9)");
        row("mov.b32 %r1, {%r2, %r2;", "the PTX, a vector without '}' (module.ptx:9)");
        row("bra away;", "the PTX, branch to 'away', which is no label of the function (module.ptx:9)");
        row("call nowhere;", "the PTX, call of 'nowhere', which is no function of the module (module.ptx:9)");
        row(".reg .b32 %w<70000>;", "the PTX, a declaration of 70000 registers (module.ptx:9)");
        row(".frobnicate 3;", "the PTX, the directive '.frobnicate' (module.ptx:9)");
        row("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r1, %r1, %r1, %r1}, %rd1, %rd1, %r1, 0, 1, 1, 1, "
            "0, 0;",
            "the PTX instruction 'wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16' (module.ptx:9)");
        row("tensormap.replace.tile.rank.global.b1024.b32 [%rd1], %r1;",
            "the PTX instruction 'tensormap.replace.tile.rank.global.b1024.b32' (module.ptx:9)");
        row("discard.global.L2 [%rd2], 128;", "the PTX instruction 'discard.global.L2' (module.ptx:9)");
        row("griddepcontrol.trigger;", "the PTX instruction 'griddepcontrol.trigger' (module.ptx:9)");
    }
    void whatIsNotKnownStopsItsKernelOnly()
    {
        QFETCH(QString, body);
        QFETCH(QString, problem);
        PtxDevice device;
        const std::string good = kHead + ".visible .entry good() { ret; }\n";
        QString kernel = QString::fromStdString(kernelOf("%BODY%").substr(kHead.size()));
        kernel.replace("%BODY%", body);
        QCOMPARE(device.load(good + kernel.toStdString()), std::string());
        const uint64_t out = device.buffer(std::vector<uint32_t>(1));
        QCOMPARE(device.launch("good", {1, 1, 1}, {1, 1, 1}, {}), std::string());
        const QString said = QString::fromStdString(device.launch("k", {1, 1, 1}, {1, 1, 1}, {out}));
        QVERIFY2(said.contains("the simulator does not support " + problem), qPrintable(said));
    }

    void baseOffsetOfMatrixStopsItsProduct()
    {
        PtxDevice device;
        QCOMPARE(
            device.load(kernelOf("mov.b64 %rd5, 0x4006000000000000; setp.eq.u32 %p1, 0, 0; mov.f32 %f1, 0f00000000;\n"
                                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f1, %f1, %f1}, %rd5, "
                                 "%rd5, %p1, 1, 1, 0, 0;")),
            std::string());
        const uint64_t out = device.buffer(std::vector<uint32_t>(128));
        const QString said = QString::fromStdString(device.launch("k", {1, 1, 1}, {128, 1, 1}, {out}));
        QVERIFY2(said.contains("wgmma in line 9: the descriptor of a matrix has the base offset 3"), qPrintable(said));
    }

    void damageIsNamedWithItsLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* text, const char* problem) {
            QTest::newRow(problem) << QString(text) << QString(problem);
        };
        row(".entry k() {\nret;\n", "module.ptx:4: the PTX is damaged or not known here: a function without '}'");
        row("\nnonsense", "module.ptx:5: the PTX is damaged or not known here: the directive 'nonsense' is not known");
        row(".global .b8 x[3] = {1, 2", "module.ptx:4: the PTX is damaged or not known here: values without '}'");
        row(".global .b8 x[2] = {1, 2, 3};", "module.ptx:4: the variable 'x' has more values than elements");
        row(".global .u64 x = y;", "module.ptx:4: the variable 'x' has the value 'y', which is not known");
        row(".file 1 \"unterminated", "module.ptx:4: the PTX is damaged or not known here: a string without '\"'");
        row(".section .debug_info { .b8 1",
            "module.ptx:4: the PTX is damaged or not known here: a section without '}'");
        row(".address_size 32", "module.ptx:4: the PTX is damaged or not known here: addresses of other than 64 bits");
        row(".entry k(.param .b8 a[99999999999999])",
            "module.ptx:4: the PTX is damaged or not known here: an array of that size");
    }
    void damageIsNamedWithItsLine()
    {
        QFETCH(QString, text);
        QFETCH(QString, problem);
        PtxDevice device;
        QCOMPARE(QString::fromStdString(device.load(kHead + text.toStdString())), problem);
    }

    /// Buffers have their parameters' names, and a place that was inlined is that of the source.
    void findingsNameParametersAndPlaces()
    {
        PtxDevice device;
        QCOMPARE(device.load(kHead +
                             ".file 1 \"kernel.py\"\n"
                             ".visible .entry k(.param .u64 .ptr .global values) { .reg .b64 %rd<3>; .reg .f32 %f1;\n"
                             ".loc 1 9 2\nld.param.u64 %rd1, [values]; mov.f32 %f1, 0f00000000;\n"
                             ".loc 1 3 5, function_name $name, inlined_at 1 9 2\n"
                             "st.global.f32 [%rd1+16], %f1; ret; }\n"
                             ".section .debug_str { $name: .b8 95, 90, 51, 102, 111, 111, 118, 0 }\n"),
                 std::string());
        const uint64_t values = device.buffer(std::vector<float>(4));
        QCOMPARE(QString::fromStdString(device.launch("k", {1, 1, 1}, {1, 1, 1}, {values})),
                 "write of values[4] is out of bounds: values is float[4] @kernel.py:3\n");
        QCOMPARE(device.module().kernels().at(0).where.line, 9u);
    }
};

QTEST_APPLESS_MAIN(TestPtxModule)
#include "tst_ptx_module.moc"
