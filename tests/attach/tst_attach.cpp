// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording a program that we did not build: what its machine code says, and a whole session against a Sanitizer API
// that has no GPU.
#include <dlfcn.h>
#include <elf.h>

#include <QDir>
#include <QFile>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <random>

#include "core/attach/cubin.h"
#include "core/attach/memory_map.h"
#include "core/attach/names.h"
#include "core/attach/place.h"
#include "core/attach/sanitizer_api.h"
#include "core/attach/session.h"
#include "core/trace/reader.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::attach;

namespace {

/// An ELF file of named sections.
class ElfBuilder {
public:
    uint16_t add(const std::string& name, uint32_t type, const std::string& bytes, uint32_t link = 0)
    {
        Elf64_Shdr section = {};
        section.sh_name = static_cast<Elf64_Word>(m_names.size());
        section.sh_type = type;
        section.sh_offset = sizeof(Elf64_Ehdr) + m_bytes.size();
        section.sh_size = bytes.size();
        section.sh_link = link;
        m_names += name + '\0';
        m_bytes += bytes;
        m_sections.push_back(section);
        return static_cast<uint16_t>(m_sections.size() - 1);
    }
    std::string build()
    {
        const uint16_t names = add(".shstrtab", SHT_STRTAB, "");
        m_sections[names].sh_size = m_names.size();
        m_bytes += m_names;
        Elf64_Ehdr header = {};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_shentsize = sizeof(Elf64_Shdr);
        header.e_shnum = static_cast<uint16_t>(m_sections.size());
        header.e_shstrndx = names;
        header.e_shoff = sizeof header + m_bytes.size();
        std::string file(reinterpret_cast<const char*>(&header), sizeof header);
        file += m_bytes;
        file.append(reinterpret_cast<const char*>(m_sections.data()), m_sections.size() * sizeof(Elf64_Shdr));
        return file;
    }

private:
    std::string m_names{'\0'};
    std::string m_bytes;
    std::vector<Elf64_Shdr> m_sections{Elf64_Shdr{}};
};

std::string symbol(uint32_t name, unsigned char type, unsigned char other, uint16_t section, uint64_t bytes)
{
    Elf64_Sym value = {};
    value.st_name = name;
    value.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    value.st_other = other;
    value.st_shndx = section;
    value.st_size = bytes;
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string parameter(uint16_t ordinal, uint16_t offset, uint32_t bytes)
{
    const uint16_t words[] = {0x1704, 12, 0, 0, ordinal, offset};
    const uint32_t sizes = bytes << 18 | 0x1f000;
    return std::string(reinterpret_cast<const char*>(words), sizeof words) +
           std::string(reinterpret_cast<const char*>(&sizes), sizeof sizes);
}

/// A module with kernel scale(float*, int), 256 bytes of shared memory of its own and a variable of 16 bytes.
std::string cubinOfScale()
{
    ElfBuilder elf;
    const uint16_t text = elf.add(".text._Z5scalePfi", SHT_PROGBITS, std::string(512, 'i'));
    // As ptxas writes them: the last parameter first, other entries between.
    elf.add(".nv.info._Z5scalePfi", SHT_PROGBITS,
            std::string("\x03\x1b\xff\0", 4) + parameter(1, 8, 4) + parameter(0, 0, 8) + "\x04\x1c\x04");
    elf.add(".nv.shared._Z5scalePfi", SHT_NOBITS, std::string(1024 + 256, '\0'));
    const uint16_t global = elf.add(".nv.global", SHT_NOBITS, std::string(16, '\0'));
    const std::string names = std::string("\0_Z5scalePfi\0$inner\0", 20) + "table" + '\0';
    const uint16_t strings = elf.add(".strtab", SHT_STRTAB, names);
    elf.add(".symtab", SHT_SYMTAB,
            symbol(1, STT_FUNC, 0x10, text, 100) + symbol(13, STT_FUNC, 0, text, 50) +
                symbol(20, STT_OBJECT, 0, global, 16),
            strings);
    return elf.build();
}

std::span<const std::byte> bytesOf(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

}  // namespace

class AttachTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void placesKeepInstructionAndDeed();
    void cubinIsRead();
    void damagedCubinsAreSurvived();
    void namesAreTaken();
    void memoryIsFoundByAddress();
    void sessionRecords();
    void onlyWhatIsWanted_data();
    void onlyWhatIsWanted();
    void faultIsNamed();
    void whatGoesWrongIsSaid_data();
    void whatGoesWrongIsSaid();
    void missingToolkitIsNamed();
    void commandSaysWhatItLacks();

private:
    /// Runs the fake program in a session; the trace is in m_trace.
    AttachOutcome record(AttachOptions options = {});
    [[nodiscard]] std::vector<trace::Event> eventsOf(trace::TraceReader& reader, uint32_t launch, uint64_t block);

    QTemporaryDir m_folder;
    QString m_trace;
};

void AttachTest::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_trace = m_folder.filePath("t.lanes");
    QDir folder(m_folder.path());
    QVERIFY(folder.mkpath("toolkit/compute-sanitizer") && folder.mkpath("toolkit/bin"));
    QVERIFY(QFile::link(FAKE_SANITIZER, folder.filePath("toolkit/compute-sanitizer/libsanitizer-public.so")));
    QFile assembler(folder.filePath("toolkit/bin/ptxas"));
    QVERIFY(assembler.open(QIODevice::WriteOnly));
    assembler.write("#!/bin/sh\n"
                    "grep -q wrong \"$3\" && { echo \"line 1: wrong\" >&2; exit 1; }\n"
                    "echo \"assembled for ${2#-arch=}\" > \"$5\"\n");
    assembler.close();
    QVERIFY(assembler.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QFile source(folder.filePath("scale.cu"));
    QVERIFY(source.open(QIODevice::WriteOnly));
    source.write("// scale(a, b) is called below\n__global__ void scale(float* data, int count)\n{\n}\n");
    qputenv("LANESCOPE_TOOLKIT", folder.filePath("toolkit").toUtf8());
    qputenv("LANESCOPE_CUPTI", FAKE_SANITIZER);
    qputenv("FAKE_SOURCE", folder.filePath("scale.cu").toUtf8());
}

void AttachTest::placesKeepInstructionAndDeed()
{
    const uint64_t instruction = 0x7f12'3456'7890;
    for (uint32_t deed = 0; deed < kDeedCount; ++deed) {
        const uint32_t place = placeOf(static_cast<Deed>(deed), instruction);
        QCOMPARE(deedOf(place), deed);
        QCOMPARE(addressOf(place), instruction % kAddressSpan);
    }
}

void AttachTest::cubinIsRead()
{
    const std::string file = cubinOfScale();
    const CubinContents contents = readCubin(bytesOf(file));
    QCOMPARE(contents.functions.size(), size_t{1});
    const CubinFunction& scale = contents.functions[0];
    QCOMPARE(scale.name, std::string("_Z5scalePfi"));
    QVERIFY(scale.isKernel);
    QCOMPARE(scale.codeBytes, uint64_t{512});
    QCOMPARE(scale.sharedBytes, uint64_t{1280});
    QCOMPARE(scale.parameters.size(), size_t{2});
    QCOMPARE(scale.parameters[0].bytes, 8u);
    QCOMPARE(scale.parameters[1].offset, 8u);
    QCOMPARE(scale.parameters[1].bytes, 4u);
    QCOMPARE(contents.variables.size(), size_t{1});
    QCOMPARE(contents.variables[0].name, std::string("table"));
    QCOMPARE(contents.variables[0].bytes, uint64_t{16});
}

void AttachTest::damagedCubinsAreSurvived()
{
    const std::string whole = cubinOfScale();
    for (size_t length = 0; length < whole.size(); ++length) {
        const std::string cut = whole.substr(0, length);
        QVERIFY(readCubin(bytesOf(cut)).functions.empty());  // the table of sections comes last
    }
    std::mt19937 random(1);
    size_t read = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string damaged = whole;
        for (int i = 0; i < 4; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        read += readCubin(bytesOf(damaged)).functions.size();
    }
    QVERIFY(read > 0);
}

void AttachTest::namesAreTaken()
{
    QCOMPARE(plainName("void ns::matmul<int, (bool)1>(float const*, int)"), std::string("matmul"));
    QCOMPARE(plainName("scale"), std::string("scale"));
    QCOMPARE(parameterTypes("f(float const*, std::pair<int, int>, void (*)(int))"),
             (std::vector<std::string>{"float const*", "std::pair<int, int>", "void (*)(int)"}));
    QVERIFY(parameterTypes("f").empty());
    QCOMPARE(pointeeOf("float const* __restrict__")->name, std::string("float"));
    QCOMPARE(pointeeOf("float4*")->components, 4u);
    QVERIFY(!pointeeOf("int") && !pointeeOf("node*"));
    const std::string source = "void scale(int);\n scale(1, 2);\n__global__ void scale(const float* a = 0, int b[2])";
    QCOMPARE(parameterNames(source, "scale", 2), (std::vector<std::string>{"a", "b"}));
    QVERIFY(parameterNames(source, "scale", 3).empty());
    QVERIFY(parameterNames("f(int a, b]);", "f", 2).empty());
}

void AttachTest::memoryIsFoundByAddress()
{
    MemoryMap memory;
    memory.add({1000, 100, false}, "one");
    memory.add({1200, 100, false}, "two");
    memory.add({1210, 4, false}, "inside");
    const Regions before = memory.regions();
    memory.remove(1000);
    QCOMPARE(before.all().size(), size_t{2});
    QVERIFY(before.at(1000) && before.at(1099) && !before.at(1100) && !before.at(999));
    QCOMPARE(before.at(1250)->address, uint64_t{1200});
    QVERIFY(!memory.regions().at(1000));
    memory.describe(1200, "b", {trace::ScalarKind::Float, 4, 1, "float"});
    memory.describe(1200, "c", {trace::ScalarKind::Signed, 4, 1, "int"});
    const trace::Buffer buffer = memory.buffer(1200);
    QCOMPARE(buffer.name, std::string("b"));
    QCOMPARE(buffer.dims, std::vector<uint64_t>{25});
    QCOMPARE(buffer.id.value, 0u);
    QCOMPARE(memory.newBuffer().value, 1u);
    QCOMPARE(memory.buffer(1200).id.value, 0u);
}

AttachOutcome AttachTest::record(AttachOptions options)
{
    QFile::remove(m_trace);
    options.trace = m_trace.toStdString();
    options.program = "scale";
    if (options.patches.empty())
        options.patches = "// patches";
    Result<std::unique_ptr<Session>> session = Session::start(options);
    if (!session)
        return {0, session.error(), {}};
    void* fake = dlopen(FAKE_SANITIZER, RTLD_NOW | RTLD_NOLOAD);
    auto* run = reinterpret_cast<void (*)(const char*, size_t)>(fake ? dlsym(fake, "runFakeProgram") : nullptr);
    const std::string cubin = cubinOfScale();
    if (run)
        run(cubin.data(), cubin.size());
    return session.value()->finish(0);
}

std::vector<trace::Event> AttachTest::eventsOf(trace::TraceReader& reader, uint32_t launch, uint64_t block)
{
    std::vector<trace::Event> events;
    const auto steps = reader.stepCount(LaunchId{launch}, BlockIndex{block});
    for (StepIndex step = 0; steps && step < steps.value();) {
        const auto chunk = reader.chunkAt(LaunchId{launch}, BlockIndex{block}, step);
        if (!chunk)
            break;
        events.insert(events.end(), chunk.value().events.begin(), chunk.value().events.end());
        step = events.size();
    }
    return events;
}

void AttachTest::sessionRecords()
{
    const AttachOutcome outcome = record();
    QVERIFY2(!outcome.traceError, outcome.traceError ? outcome.traceError->text().c_str() : "");
    QCOMPARE(outcome.launches, 2u);
    const auto reader = trace::TraceReader::open(m_trace.toStdString());
    QVERIFY(reader);
    const trace::Catalog& catalog = reader.value()->catalog();
    QCOMPARE(catalog.session.device, std::string("Fake GPU"));
    QCOMPARE(catalog.launches.size(), size_t{2});
    const trace::Launch& launch = catalog.launches[0];
    QCOMPARE(launch.kernel, std::string("scale"));
    QCOMPARE(launch.where.line, 1u);
    QCOMPARE(launch.blocksRecorded, uint64_t{2});
    QVERIFY(launch.complete && launch.eventsDropped == 0);
    QCOMPARE(launch.arguments.size(), size_t{2});
    QCOMPARE(launch.arguments[0].name, std::string("data"));
    QCOMPARE(launch.arguments[1].text, std::string("128"));

    // What no kernel uses is no buffer.
    std::vector<std::string> names;
    for (const trace::Buffer& buffer : catalog.buffers)
        names.push_back(buffer.name);
    QCOMPARE(names, (std::vector<std::string>{"data", "shared memory", "table", "shared memory"}));
    QCOMPARE(catalog.buffers[0].element.name, std::string("float"));
    QCOMPARE(catalog.buffers[1].bytes, uint64_t{256});

    const std::vector<trace::Event> events = eventsOf(*reader.value(), 0, 1);
    // Two warps: load, store, barrier, load, store of half the lanes, atomic, the copy's two, exit.
    QCOMPARE(events.size(), size_t{18});
    const auto find = [&](trace::SiteKind kind, trace::Space space, uint32_t line) {
        return std::ranges::find_if(events, [&](const trace::Event& event) {
            const trace::Site& site = catalog.sites[event.site.value];
            return event.warp == 1 && event.kind == kind && site.space == space && site.where.line == line;
        });
    };
    const auto floatOf = [](const trace::Event& event, size_t lane) {
        float value = 0;
        std::memcpy(&value, event.value[lane].data(), sizeof value);
        return value;
    };
    const auto load = find(trace::SiteKind::Load, trace::Space::Global, 1);
    QVERIFY(load != events.end());
    QCOMPARE(load->buffer.value, 0u);
    QCOMPARE(load->offset[3], uint64_t{4 * (64 + 32 + 3)});
    QVERIFY(load->valuesKnown);
    QCOMPARE(floatOf(*load, 3), 99.0F);
    QCOMPARE(catalog.sites[load->site.value].type.name, std::string("float"));
    const auto store = find(trace::SiteKind::Store, trace::Space::Shared, 2);
    QVERIFY(store != events.end());
    QCOMPARE(store->offset[0], uint64_t{4 * 32});  // behind what the system keeps
    QCOMPARE(floatOf(*store, 0), 192.0F);
    QVERIFY(find(trace::SiteKind::Barrier, trace::Space::Global, 4) != events.end());
    const auto half = find(trace::SiteKind::Store, trace::Space::Global, 6);
    QVERIFY(half != events.end());
    QCOMPARE(half->mask, 0x55555555u);
    const auto atomic = find(trace::SiteKind::Atomic, trace::Space::Global, 7);
    QVERIFY(atomic != events.end());
    QVERIFY(!atomic->valuesKnown);
    QCOMPARE(atomic->offset[31], uint64_t{0});
    QVERIFY(find(trace::SiteKind::Load, trace::Space::Global, 8) != events.end());
    QVERIFY(find(trace::SiteKind::Store, trace::Space::Shared, 8) != events.end());
    QVERIFY(find(trace::SiteKind::Exit, trace::Space::Global, 10) != events.end());

    const auto contents = reader.value()->initialContents(LaunchId{0}, BufferId{0});
    QVERIFY(contents);
    float fifth = 0;
    std::memcpy(&fifth, contents.value().bytes.data() + 5 * sizeof fifth, sizeof fifth);
    QCOMPARE(fifth, 5.0F);
}

void AttachTest::onlyWhatIsWanted_data()
{
    QTest::addColumn<int>("launch");
    QTest::addColumn<uint32_t>("firstBlock");
    QTest::addColumn<QString>("recorded");
    QTest::newRow("second launch") << 1 << 0u << "0 2";
    QTest::newRow("second block") << -1 << 1u << "1 1";
    QTest::newRow("block that is not there") << -1 << 2u << "0 0";
}

void AttachTest::onlyWhatIsWanted()
{
    QFETCH(int, launch);
    QFETCH(uint32_t, firstBlock);
    QFETCH(QString, recorded);
    AttachOptions options;
    if (launch >= 0)
        options.launch = static_cast<uint32_t>(launch);
    options.firstBlock.x = firstBlock;
    record(options);
    const auto reader = trace::TraceReader::open(m_trace.toStdString());
    QVERIFY(reader);
    QStringList blocks;
    for (const trace::Launch& each : reader.value()->catalog().launches)
        blocks << QString::number(each.blocksRecorded);
    QCOMPARE(blocks.join(' '), recorded);
}

void AttachTest::faultIsNamed()
{
    qputenv("FAKE_SANITIZER", "fault");
    const AttachOutcome outcome = record();
    qunsetenv("FAKE_SANITIZER");
    QVERIFY(outcome.stopped);
    const auto reader = trace::TraceReader::open(m_trace.toStdString());
    QVERIFY(reader);
    const trace::Catalog& catalog = reader.value()->catalog();
    QVERIFY(QString::fromStdString(catalog.session.stopReason.text()).contains("the GPU stopped the kernel"));
    QCOMPARE(catalog.launches.size(), size_t{1});
    QVERIFY(!catalog.launches[0].complete);
    QCOMPARE(eventsOf(*reader.value(), 0, 0).size(), size_t{6});  // all up to the fault
    QCOMPARE(catalog.findings.size(), size_t{1});
    const trace::Finding& finding = catalog.findings[0];
    QCOMPARE(finding.kind, lanescope::FindingKind::OutOfBounds);
    QCOMPARE(finding.message, std::string("write to global memory at 0xdead0000, which the program has not allocated"));
    QCOMPARE(finding.accesses[0].where.line, 3u);
    QCOMPARE(finding.accesses[0].step, StepIndex{2});
}

void AttachTest::whatGoesWrongIsSaid_data()
{
    QTest::addColumn<QString>("wish");
    QTest::addColumn<QString>("patches");
    QTest::addColumn<QString>("message");
    QTest::newRow("no subscriber") << "no subscriber" << "" << "the Sanitizer API cannot be used: as wished";
    QTest::newRow("unpatchable") << "unpatchable" << "" << "a module cannot be patched (lanescope_global): as wished";
    QTest::newRow("no memory") << "no host memory" << "" << "the host has no memory for the log";
    QTest::newRow("wrong patches") << "" << "wrong" << "the patches cannot be assembled: line 1: wrong";
}

void AttachTest::whatGoesWrongIsSaid()
{
    QFETCH(QString, wish);
    QFETCH(QString, patches);
    QFETCH(QString, message);
    qputenv("FAKE_SANITIZER", wish.toUtf8());
    AttachOptions options;
    options.patches = patches.toStdString();
    const AttachOutcome outcome = record(options);
    qunsetenv("FAKE_SANITIZER");
    QCOMPARE(outcome.launches, 0u);
    QVERIFY(outcome.traceError);
    QVERIFY2(QString::fromStdString(outcome.traceError->text()).contains(message), outcome.traceError->text().c_str());
}

void AttachTest::missingToolkitIsNamed()
{
    const QByteArray before = qgetenv("LANESCOPE_TOOLKIT"), path = qgetenv("PATH");
    qputenv("LANESCOPE_TOOLKIT", "/nowhere");
    qputenv("PATH", "/nowhere");
    const Result<std::string> toolkit = findToolkit();
    qputenv("LANESCOPE_TOOLKIT", before);
    qputenv("PATH", path);
    if (toolkit)
        QSKIP("there is a toolkit with compute-sanitizer in /usr/local/cuda");
    QVERIFY(QString::fromStdString(toolkit.error().text()).contains("no /nowhere/compute-sanitizer/"));
}

void AttachTest::commandSaysWhatItLacks()
{
    const auto errorsOf = [](const QStringList& arguments) {
        const auto environment = test::environmentWith({{"LANESCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1"}});
        const test::ProcessResult ended = test::runProcess(LANESCOPE_EXE, arguments, environment);
        return ended.code == 2 ? ended.errors : QString("did not end with 2");
    };
    QVERIFY(errorsOf({"record", "--attach", "--as-compiled", "--", "/bin/true"})
                .contains("--as-compiled: is for programs that Lanescope builds, not for --attach"));
    QVERIFY(errorsOf({"record", "--attach", "--", "/bin/true"}).contains("there is no NVIDIA driver"));
}

QTEST_GUILESS_MAIN(AttachTest)
#include "tst_attach.moc"
