// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of an instrumented kernel: host threads take the part of the device's warps; then the logger itself, run by a
// warp on the host.
#include <QTest>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "core/cuda/log_drain.h"
#include "core/cuda/page_pool.h"
#include "core/cuda/record.h"
#include "tests/cuda/host_warp.h"

using namespace lanescope;
using namespace lanescope::cuda;

extern "C" {
extern LogControl __lanescope_control;
bool __lanescope_records();
void __lanescope_access_1(uint32_t place, uint64_t address, uint64_t value);
void __lanescope_access_4(uint32_t place, uint64_t address, uint64_t value);
void __lanescope_access_16(uint32_t place, uint64_t address, uint64_t low, uint64_t high);
void __lanescope_branch(uint32_t place, uint32_t taken);
void __lanescope_return(uint32_t place);
void __lanescope_copy(uint32_t place, unsigned char* to, const unsigned char* from, uint64_t length);
}

namespace {

/// The device's atomics, by the host's.
struct HostMachine {
    const PagePool* memory;
    [[nodiscard]] const PagePool& pool() const { return *memory; }
    uint64_t fetchAdd(uint64_t* at, uint64_t value) { return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST); }
    uint64_t exchange(uint64_t* at, uint64_t value) { return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); }
    bool compareExchange(uint64_t* at, uint64_t expected, uint64_t value)
    {
        return __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    uint64_t loadHost(const uint64_t* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
    void storeHost(uint64_t* at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
    void fenceHost() { std::atomic_thread_fence(std::memory_order_seq_cst); }
    /// The others have their turn.
    void pause() { std::this_thread::yield(); }
};

/// A pool in the host's memory.
struct HostPool {
    explicit HostPool(const LogShape& logShape, uint64_t firstUse = 0)
        : shape(logShape), pages(size_t{shape.pageCount} * shape.pageUnits), freed(size_t{2} * shape.pageCount),
          written(size_t{shape.queueCount} * shape.pageCount), writtenEnd(shape.queueCount), first(firstUse)
    {
    }
    PagePool device()
    {
        return {reinterpret_cast<uint64_t>(pages.data()),
                reinterpret_cast<uint64_t>(&taken),
                reinterpret_cast<uint64_t>(freed.data()),
                reinterpret_cast<uint64_t>(written.data()),
                reinterpret_cast<uint64_t>(writtenEnd.data()),
                first,
                shape.pageUnits,
                shape.pageCount,
                static_cast<uint32_t>(freed.size()),
                shape.queueCount};
    }
    PoolView view() { return {shape, reinterpret_cast<std::byte*>(pages.data()), freed, written, first}; }
    RecordHeader& at(OpenPage page)
    {
        return *reinterpret_cast<RecordHeader*>(pages.data() + page.number() * shape.pageUnits + page.units());
    }

    struct alignas(16) Unit {
        std::byte bytes[kUnitBytes];
    };
    LogShape shape;
    std::vector<Unit> pages;
    std::vector<uint64_t> freed;
    std::vector<uint64_t> written;
    std::vector<uint64_t> writtenEnd;
    uint64_t taken = 0;
    uint64_t first;
};

/// A record of \p units whose block and clock say who wrote it as which. What is left of the page.
OpenPage writeRecord(HostPool& memory, OpenPage page, uint32_t units, uint32_t writer, uint64_t number)
{
    RecordHeader& header = memory.at(page);
    header = {};
    header.units = static_cast<uint8_t>(units);
    header.kind = RecordKind::Mark;
    header.mask = 1;
    header.block = writer;
    header.clock = number;
    header.tag = tagOf(page.use(), page.units());
    return {page.word + units};
}

struct Seen {
    RecordHeader header;
    std::array<uint64_t, kWarpSize> addresses{};
    LaneBytes values{};
};

/// The logger's memory for one block of some warps, and what arrives from it.
class Logger {
public:
    explicit Logger(uint32_t warps, uint32_t pageUnits = 64)
        : m_memory({pageUnits, 512, 1}), m_device(m_memory.device()), m_openPages(warps)
    {
        __lanescope_control = {m_device, reinterpret_cast<uint64_t>(m_openPages.data()), warps, 1, {1, 0, 0}, {2, 1, 1},
                               0};
        m_place.block = 1;
        m_place.blocks = 3;
        m_place.warps = warps;
    }
    ~Logger() { __lanescope_control = {}; }

    bool run(uint32_t mask, const std::function<void(uint32_t)>& lane, uint32_t warp = 0)
    {
        m_place.warp = warp;
        return runWarp(mask, lane, m_place);
    }
    /// Pages that have been handed over.
    [[nodiscard]] uint64_t handedOver() const { return m_memory.writtenEnd[0]; }
    std::vector<Seen> records()
    {
        std::vector<Seen> seen;
        LogDrain drain(m_memory.view(), 1, [&](size_t, const RecordHeader& record) {
            Seen& one = seen.emplace_back(Seen{record});
            if (!isSound(record) || record.kind != RecordKind::Access)
                return;
            readAddresses(record, one.addresses);
            const std::byte* values = readValues(record, one.values);
            std::copy_n(values, size_t{kWarpSize} * record.valueBytes, one.values.begin());
        });
        drain.finish({reinterpret_cast<const OpenPage*>(m_openPages.data()), m_openPages.size()});
        m_torn = drain.tornPages();
        return seen;
    }
    [[nodiscard]] uint64_t torn() const { return m_torn; }
    HostPlace& place() { return m_place; }

private:
    HostPool m_memory;
    PagePool m_device;
    std::vector<uint64_t> m_openPages;
    HostPlace m_place;
    uint64_t m_torn = 0;
};

uint32_t wordAt(const Seen& record, size_t lane)
{
    uint32_t word = 0;
    std::memcpy(&word, record.values.data() + lane * 4, sizeof word);
    return word;
}

struct Bytes {
    alignas(RecordHeader) std::array<std::byte, size_t{kMaxRecordUnits} * kUnitBytes> raw{};
    RecordHeader& header() { return *reinterpret_cast<RecordHeader*>(raw.data()); }
    std::byte* payload() { return raw.data() + sizeof(RecordHeader); }
};

}  // namespace

class DeviceLogTest : public QObject {
    Q_OBJECT

private slots:
    void everyRecordArrivesOnceAndInItsWritersOrder();
    void writersThatShareASlotLoseNothing();
    void whatWarpsHaveInHandIsTakenAtTheEnd();
    void afterAFaultWholeRecordsAreFound();
    void pageWithLessThanSaidIsCounted();
    void wholeAndPartedWarpsLogWhatTheyDo();
    void manyRecordsFillManyPages();
    void returningLanesHandTheirPageOver();
    void copiesAreMadeAndLogged();
    void otherBlocksLogNothing();
    void affineAddressesAreExpanded();
    void eachLanesAddressesAndValuesAreExpanded();
    void uniformValueGoesToAllLanes();
    void unsoundRecordsAreSeen();
    void headersAreWrittenAsTheyAreRead();
};

void DeviceLogTest::everyRecordArrivesOnceAndInItsWritersOrder()
{
    constexpr uint32_t kWriters = 4;
    constexpr uint64_t kRecords = 3000;
    // Hardly more pages than writers, which wait for the drain again and again; uses that no longer fit in 32 bits.
    HostPool memory({64, kWriters + 1, 2}, (uint64_t{1} << 32) - 100);
    const PagePool device = memory.device();
    std::array<uint64_t, kWriters> next{};
    std::atomic<uint64_t> wrong = 0;
    LogDrain drain(memory.view(), 2,
                   [&](size_t, const RecordHeader& record) { wrong += record.clock != next[record.block]++; });
    std::array<OpenPage, kWriters> left{};
    std::vector<std::thread> writers;
    for (uint32_t writer = 0; writer < kWriters; ++writer)
        writers.emplace_back([&, writer] {
            std::mt19937 random(writer);
            PageWriter<HostMachine> pages({&device}, writer % 2);
            OpenPage page;
            for (uint64_t i = 0; i < kRecords; ++i) {
                const auto units = static_cast<uint32_t>(2 + random() % 48);
                page = writeRecord(memory, pages.withRoomFor(units, page), units, writer, i);
            }
            left[writer] = page;
        });
    for (std::thread& writer : writers)
        writer.join();
    drain.finish(left);
    QCOMPARE(wrong.load(), uint64_t{0});
    QCOMPARE(drain.tornPages(), uint64_t{0});
    for (uint32_t writer = 0; writer < kWriters; ++writer)
        QCOMPARE(next[writer], kRecords);
}

void DeviceLogTest::writersThatShareASlotLoseNothing()
{
    constexpr uint32_t kWriters = 4;
    constexpr uint64_t kRecords = 3000;
    HostPool memory({64, kWriters + 1, 1});
    const PagePool device = memory.device();
    std::array<std::vector<bool>, kWriters> seen;
    seen.fill(std::vector<bool>(kRecords));
    uint64_t arrived = 0;
    LogDrain drain(memory.view(), 1, [&](size_t, const RecordHeader& record) {
        ++arrived;
        seen[record.block][record.clock] = true;
    });
    uint64_t slot = 0;
    std::vector<std::thread> writers;
    for (uint32_t writer = 0; writer < kWriters; ++writer)
        writers.emplace_back([&, writer] {
            std::mt19937 random(writer);
            PageWriter<HostMachine> pages({&device}, 0);
            for (uint64_t i = 0; i < kRecords; ++i) {
                const auto units = static_cast<uint32_t>(2 + random() % 20);
                const OpenPage page = pages.withRoomFor(units, pages.takeFrom(&slot));
                pages.putBack(&slot, writeRecord(memory, page, units, writer, i));
            }
        });
    for (std::thread& writer : writers)
        writer.join();
    const OpenPage left{slot};
    drain.finish({&left, 1});
    QCOMPARE(arrived, kWriters * kRecords);
    QCOMPARE(drain.tornPages(), uint64_t{0});
    for (const std::vector<bool>& one : seen)
        QCOMPARE(std::count(one.begin(), one.end(), true), static_cast<std::ptrdiff_t>(kRecords));
}

void DeviceLogTest::whatWarpsHaveInHandIsTakenAtTheEnd()
{
    HostPool memory({64, 4, 1});
    const PagePool device = memory.device();
    PageWriter<HostMachine> pages({&device}, 0);
    uint64_t taken = 0;
    LogDrain drain(memory.view(), 1, [&](size_t, const RecordHeader&) { ++taken; });
    std::array<OpenPage, 3> left{};  // the second warp has none
    for (uint64_t i = 0; i < 5; ++i)
        for (const size_t warp : {size_t{0}, size_t{2}})
            left[warp] = writeRecord(memory, pages.withRoomFor(5, left[warp]), 5, 0, i);
    drain.finish(left);
    QCOMPARE(taken, uint64_t{10});
    QCOMPARE(drain.tornPages(), uint64_t{0});
}

void DeviceLogTest::afterAFaultWholeRecordsAreFound()
{
    HostPool memory({64, 3, 1}, 1000);
    const PagePool device = memory.device();
    PageWriter<HostMachine> pages({&device}, 0);
    std::vector<uint64_t> found;
    LogDrain drain(memory.view(), 1, [&](size_t, const RecordHeader& record) { found.push_back(record.clock); });
    OpenPage page = writeRecord(memory, pages.withRoomFor(5, {}), 5, 0, 0);
    page = writeRecord(memory, page, 7, 0, 1);
    writeRecord(memory, page, 3, 0, 2);
    memory.at(page).tag = 0;  // begun, never finished
    writeRecord(memory, pages.withRoomFor(5, {}), 5, 0, 3);
    drain.salvage();
    QCOMPARE(found, (std::vector<uint64_t>{0, 1, 3}));
}

void DeviceLogTest::pageWithLessThanSaidIsCounted()
{
    HostPool memory({64, 3, 1});
    const PagePool device = memory.device();
    PageWriter<HostMachine> pages({&device}, 0);
    uint64_t found = 0;
    LogDrain drain(memory.view(), 1, [&](size_t, const RecordHeader&) { ++found; });
    const OpenPage page = writeRecord(memory, pages.withRoomFor(5, {}), 5, 0, 0);
    pages.handOver({page.word + 4});
    drain.finish({});
    QCOMPARE(found, uint64_t{1});
    QCOMPARE(drain.tornPages(), uint64_t{1});
}

void DeviceLogTest::wholeAndPartedWarpsLogWhatTheyDo()
{
    Logger logger(2);
    QVERIFY(logger.run(UINT32_MAX, [](uint32_t lane) { __lanescope_access_4(7, 4096 + 4 * lane, 100 + lane); }, 1));
    QVERIFY(logger.run(0x0000ff00, [](uint32_t lane) { __lanescope_access_4(8, 8192 - 8 * lane, 5); }, 1));
    QVERIFY(logger.run(0x80000005, [](uint32_t lane) { __lanescope_access_4(9, lane * lane * 4, lane); }, 1));
    QVERIFY(logger.run(0x000000ff, [](uint32_t lane) { __lanescope_branch(10, lane < 3); }, 1));
    // One call for two places: two records.
    QVERIFY(logger.run(UINT32_MAX, [](uint32_t lane) { __lanescope_access_1(lane < 20 ? 11 : 12, 16 * lane, 1); }, 1));
    const std::vector<Seen> seen = logger.records();
    QCOMPARE(logger.torn(), uint64_t{0});
    QCOMPARE(seen.size(), size_t{6});
    const auto affine = static_cast<uint8_t>(Form::Affine), each = static_cast<uint8_t>(Form::Each);
    const auto uniform = static_cast<uint8_t>(Form::Uniform);
    const uint32_t masks[] = {UINT32_MAX, 0xff00, 0x80000005, 0xff, 0xfffff, 0xfff00000};
    const int forms[] = {affine | each << 4,    affine | uniform << 4, each | each << 4, 0,
                         affine | uniform << 4, affine | uniform << 4};
    for (size_t i = 0; i < seen.size(); ++i) {
        QCOMPARE(seen[i].header.place, static_cast<uint32_t>(7 + i));
        QCOMPARE(seen[i].header.mask, masks[i]);
        QCOMPARE(static_cast<int>(seen[i].header.forms), forms[i]);
        QCOMPARE(static_cast<uint32_t>(seen[i].header.warp), uint32_t{1});
        QCOMPARE(seen[i].header.block, uint32_t{1});
        QVERIFY(i == 0 || seen[i].header.clock > seen[i - 1].header.clock);
    }
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        QCOMPARE(seen[0].addresses[lane], uint64_t{4096 + 4 * lane});
        QCOMPARE(wordAt(seen[0], lane), 100 + lane);
    }
    QCOMPARE(seen[1].addresses[15], uint64_t{8192 - 8 * 15});
    QCOMPARE(wordAt(seen[1], 9), uint32_t{5});
    QCOMPARE(seen[2].addresses[31], uint64_t{31 * 31 * 4});
    QCOMPARE(wordAt(seen[2], 31), uint32_t{31});
}

void DeviceLogTest::manyRecordsFillManyPages()
{
    constexpr uint32_t kRecords = 200;
    Logger logger(1);
    for (uint32_t i = 0; i < kRecords; ++i)
        QVERIFY(logger.run(i % 3 ? UINT32_MAX : 0xf0f0f0f0,
                           [i](uint32_t lane) { __lanescope_access_16(i, 1024 + 16 * lane, i, i % 2 ? lane : 0); }));
    QVERIFY(logger.handedOver() > 20);
    const std::vector<Seen> seen = logger.records();
    QCOMPARE(logger.torn(), uint64_t{0});
    QCOMPARE(seen.size(), size_t{kRecords});
    for (uint32_t i = 0; i < kRecords; ++i) {
        QCOMPARE(seen[i].header.place, i);
        uint64_t value[2]{};
        std::memcpy(value, seen[i].values.data() + size_t{31} * 16, sizeof value);
        QCOMPARE(value[0], uint64_t{i});
        QCOMPARE(value[1], uint64_t{i % 2 ? 31u : 0u});
    }
}

void DeviceLogTest::returningLanesHandTheirPageOver()
{
    Logger logger(1);
    QVERIFY(logger.run(0x0000ffff, [](uint32_t) { __lanescope_return(1); }));
    QCOMPARE(logger.handedOver(), uint64_t{1});
    QVERIFY(logger.run(0xffff0000, [](uint32_t lane) { __lanescope_access_4(2, 4 * lane, 0); }));
    QCOMPARE(logger.handedOver(), uint64_t{1});
    QVERIFY(logger.run(0xffff0000, [](uint32_t) { __lanescope_return(3); }));
    QCOMPARE(logger.handedOver(), uint64_t{2});
    QCOMPARE(logger.records().size(), size_t{3});
}

void DeviceLogTest::copiesAreMadeAndLogged()
{
    Logger logger(1, 512);
    std::array<std::array<unsigned char, 21>, 32> from{}, to{};
    for (size_t lane = 0; lane < 32; ++lane)
        from[lane].fill(static_cast<unsigned char>(lane + 1));
    QVERIFY(
        logger.run(UINT32_MAX, [&](uint32_t lane) { __lanescope_copy(4, to[lane].data(), from[lane].data(), 21); }));
    QVERIFY(to == from);
    // 16, 4 and 1 bytes, each read and written.
    std::vector<std::pair<uint32_t, int>> pieces;
    for (const Seen& record : logger.records())
        pieces.emplace_back(record.header.place, record.header.valueBytes);
    QCOMPARE(pieces, (std::vector<std::pair<uint32_t, int>>{{4, 16}, {5, 16}, {4, 4}, {5, 4}, {4, 1}, {5, 1}}));
}

void DeviceLogTest::otherBlocksLogNothing()
{
    Logger logger(1);
    logger.place().block = 2;
    QVERIFY(logger.run(UINT32_MAX, [](uint32_t lane) {
        if (__lanescope_records())
            __lanescope_access_4(1, lane, 0);
        __lanescope_access_4(2, lane, 0);
    }));
    QVERIFY(logger.records().empty());
}

void DeviceLogTest::affineAddressesAreExpanded()
{
    Bytes record;
    record.header().kind = RecordKind::Access;
    record.header().mask = 0b10110;
    record.header().forms = formsOf(Form::Affine, Form::None);
    record.header().units = kHeaderUnits + 1;
    const uint64_t stored[2] = {1000, static_cast<uint64_t>(-8)};
    std::memcpy(record.payload(), stored, sizeof stored);
    QVERIFY(isSound(record.header()));
    std::array<uint64_t, kWarpSize> addresses{};
    readAddresses(record.header(), addresses);
    QCOMPARE(addresses[1], uint64_t{1000});
    QCOMPARE(addresses[2], uint64_t{992});
    QCOMPARE(addresses[4], uint64_t{976});
}

void DeviceLogTest::eachLanesAddressesAndValuesAreExpanded()
{
    Bytes record;
    record.header().kind = RecordKind::Access;
    record.header().mask = 0x80000005;
    record.header().valueBytes = 4;
    record.header().forms = formsOf(Form::Each, Form::Each);
    record.header().units = kHeaderUnits + 2 + 1;
    const uint64_t stored[3] = {10, 20, 30};
    const uint32_t values[3] = {7, 8, 9};
    std::memcpy(record.payload(), stored, sizeof stored);
    std::memcpy(record.payload() + 2 * kUnitBytes, values, sizeof values);
    QVERIFY(isSound(record.header()));
    std::array<uint64_t, kWarpSize> addresses{};
    LaneBytes lanes{};
    readAddresses(record.header(), addresses);
    const std::byte* read = readValues(record.header(), lanes);
    QCOMPARE(addresses[31], uint64_t{30});
    for (auto [lane, expected] : {std::pair<size_t, uint32_t>{0, 7}, {2, 8}, {31, 9}}) {
        uint32_t value = 0;
        std::memcpy(&value, read + lane * 4, sizeof value);
        QCOMPARE(value, expected);
    }
}

void DeviceLogTest::uniformValueGoesToAllLanes()
{
    Bytes record;
    record.header().kind = RecordKind::Access;
    record.header().mask = 0xff;
    record.header().valueBytes = 2;
    record.header().forms = formsOf(Form::Affine, Form::Uniform);
    record.header().units = kHeaderUnits + 2;
    const uint16_t value = 0xabcd;
    std::memcpy(record.payload() + kUnitBytes, &value, sizeof value);
    LaneBytes lanes{};
    const std::byte* read = readValues(record.header(), lanes);
    for (size_t lane = 0; lane < 8; ++lane)
        QCOMPARE(std::memcmp(read + 2 * lane, &value, 2), 0);
}

void DeviceLogTest::unsoundRecordsAreSeen()
{
    Bytes record;
    record.header().kind = RecordKind::Access;
    record.header().mask = 3;
    record.header().forms = formsOf(Form::Affine, Form::None);
    record.header().units = kHeaderUnits + 1;
    QVERIFY(isSound(record.header()));
    record.header().units = kHeaderUnits;
    QVERIFY(!isSound(record.header()));
    record.header().units = kHeaderUnits + 1;
    record.header().mask = 0;
    QVERIFY(!isSound(record.header()));
    record.header().mask = 3;
    record.header().forms = 0xf;
    QVERIFY(!isSound(record.header()));
}

void DeviceLogTest::headersAreWrittenAsTheyAreRead()
{
    const RecordHeader header{1, 2, RecordKind::Branch, 4, 5, 6, 7, 8, 9, 10, 0};
    const HeaderWords words(header);
    QCOMPARE(std::memcmp(words.word, &header, sizeof header), 0);
}

QTEST_GUILESS_MAIN(DeviceLogTest)
#include "tst_device_log.moc"
