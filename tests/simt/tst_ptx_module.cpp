// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX modules from their text: what is known of kernels and variables, what kernels compute, and how damage and what is
// not known are told.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <QtTest>

#include "core/device/device_memory.h"
#include "core/simt/checks/race_memory.h"
#include "core/simt/simulator.h"

using namespace lanescope;

namespace {

const std::string kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A module, its memory, and launches of one kernel with buffers of words.
class Device {
public:
    Device() : m_memory(uint64_t{1} << 30), m_races(m_memory) {}

    /// Empty, or what is wrong.
    std::string load(const std::string& text)
    {
        auto loaded = simt::loadPtxModule(text, "module.ptx", m_memory, m_races);
        if (!loaded)
            return loaded.error().text();
        m_module = std::move(loaded).value();
        return {};
    }

    uint64_t buffer(const std::vector<uint32_t>& words)
    {
        const uint64_t bytes = words.size() * 4;
        const uint64_t address = m_memory.allocate(bytes, "test").value().address;
        std::memcpy(m_memory.hostView(address, bytes), words.data(), bytes);
        m_memory.markInitialised(address, bytes);
        return address;
    }

    std::vector<uint32_t> words(uint64_t address, size_t count)
    {
        std::vector<uint32_t> result(count);
        std::memcpy(result.data(), m_memory.hostView(address, count * 4), count * 4);
        return result;
    }

    /// What went wrong, and what was found: a line each.
    std::string launch(const std::string& kernel, uint32_t threads, const std::vector<uint64_t>& arguments,
                       uint64_t sharedBytes = 0)
    {
        std::vector<const void*> pointers;
        for (const uint64_t& each : arguments)
            pointers.push_back(&each);
        device::LaunchOptions options;
        options.output = [this](std::string_view text) { printed += text; };
        auto result =
            m_module->launch(kernel, LaunchId{m_next++}, {1, 1, 1}, {threads, 1, 1}, sharedBytes, pointers, options);
        if (!result)
            return result.error().text() + "\n";
        std::string text;
        for (const trace::Finding& finding : result.value().findings)
            text += finding.message + "\n";
        return text;
    }

    [[nodiscard]] const device::Module& module() const { return *m_module; }
    std::string printed;

private:
    device::DeviceMemory m_memory;
    simt::RaceMemory m_races;
    std::unique_ptr<device::Module> m_module;
    uint32_t m_next = 0;
};

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
    void computes()
    {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        Device device;
        QCOMPARE(device.load(kernelOf(body)), std::string());
        const uint64_t out = device.buffer({0, 0, 0, 0});
        QCOMPARE(device.launch("k", 4, {out}), std::string());
        QCOMPARE(textOf(device.words(out, 4)), expected);
    }
};

QTEST_APPLESS_MAIN(TestPtxModule)
#include "tst_ptx_module.moc"
