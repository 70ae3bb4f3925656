// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of an instrumented kernel: host threads take the part of the device's warps.
#include <QtTest>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "core/cuda/log_rings.h"
#include "core/cuda/record.h"
#include "core/cuda/ring.h"

using namespace lanescope;
using namespace lanescope::cuda;

namespace {

/// The device's atomics, by the host's.
struct HostMachine {
    uint64_t fetchAdd(uint64_t* at, uint64_t value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
    uint32_t add32(uint32_t* at, uint32_t value) { return __atomic_add_fetch(at, value, __ATOMIC_ACQ_REL); }
    void reset32(uint32_t* at) { __atomic_store_n(at, 0u, __ATOMIC_RELAXED); }
    uint64_t loadCached(const uint64_t* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
    void storeCached(uint64_t* at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
    /// What a waiting writer looks at: the others have their turn.
    uint64_t loadHost(const uint64_t* at)
    {
        std::this_thread::yield();
        return __atomic_load_n(at, __ATOMIC_ACQUIRE);
    }
    void storeHost(uint64_t* at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
    void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
    void fenceHost() { std::atomic_thread_fence(std::memory_order_seq_cst); }
    void pad(char* at, uint32_t tag, uint8_t units)
    {
        auto* header = reinterpret_cast<RecordHeader*>(at);
        header->kind = RecordKind::Pad;
        header->units = units;
        header->tag = tag;
    }
};

/// One ring in the host's memory.
struct HostRing {
    explicit HostRing(const RingShape& ringShape)
        : shape(ringShape), full(shape.pageCount), committed(shape.pageCount),
          pages(size_t{shape.pageCount} * shape.pageUnits)
    {
        device.pageUnitsCommitted = reinterpret_cast<uint64_t>(committed.data());
        device.units = reinterpret_cast<uint64_t>(pages.data());
        device.host = reinterpret_cast<uint64_t>(&host);
        host.full = reinterpret_cast<uint64_t>(full.data());
    }
    RingView view() { return {&host, full.data(), reinterpret_cast<std::byte*>(pages.data())}; }

    struct alignas(16) Unit {
        std::byte bytes[kUnitBytes];
    };
    RingShape shape;
    RingDevice device{};
    RingHost host{};
    std::vector<uint64_t> full;
    std::vector<uint32_t> committed;
    std::vector<Unit> pages;
};

/// A record of \p units whose block and clock say who wrote it as which.
uint64_t writeRecord(HostRing& memory, uint32_t units, uint32_t writer, uint64_t number, bool commits = true)
{
    HostMachine machine;
    Ring<HostMachine> ring(machine, &memory.device, memory.shape.pageUnits, memory.shape.pageCount);
    const uint64_t position = ring.reserve(units);
    auto* header = reinterpret_cast<RecordHeader*>(ring.at(position));
    *header = {};
    header->units = static_cast<uint8_t>(units);
    header->kind = RecordKind::Mark;
    header->mask = 1;
    header->block = writer;
    header->clock = number;
    header->tag = tagOf(position);
    if (commits)
        ring.commit(position, units);
    return position;
}

struct Bytes {
    alignas(16) std::array<std::byte, size_t{kMaxRecordUnits} * kUnitBytes> raw{};
    RecordHeader& header() { return *reinterpret_cast<RecordHeader*>(raw.data()); }
    std::byte* payload() { return raw.data() + sizeof(RecordHeader); }
};

}  // namespace

class DeviceLogTest : public QObject {
    Q_OBJECT

private slots:
    void everyRecordArrivesOnceAndInItsWritersOrder();
    void restIsTakenUpToTheHead();
    void afterAFaultWholeRecordsAreFound();
    void affineAddressesAreExpanded();
    void eachLanesAddressesAndValuesAreExpanded();
    void uniformValueGoesToAllLanes();
    void unsoundRecordsAreSeen();
};

void DeviceLogTest::everyRecordArrivesOnceAndInItsWritersOrder()
{
    constexpr uint32_t kWriters = 4;
    constexpr uint64_t kRecords = 3000;
    HostRing memory({64, 3});  // small pages: the writers wait for the drain again and again
    std::map<uint32_t, uint64_t> next;
    uint64_t wrong = 0;
    LogDrain drain({memory.view()}, memory.shape, 1,
                   [&](size_t, const RecordHeader& record) { wrong += record.clock != next[record.block]++; });
    std::vector<std::thread> writers;
    for (uint32_t writer = 0; writer < kWriters; ++writer)
        writers.emplace_back([&, writer] {
            std::mt19937 random(writer);
            for (uint64_t i = 0; i < kRecords; ++i)
                writeRecord(memory, 2 + random() % 48, writer, i);
        });
    for (std::thread& writer : writers)
        writer.join();
    const uint64_t head = memory.device.head;
    drain.finish({&head, 1});
    QCOMPARE(wrong, uint64_t{0});
    for (uint32_t writer = 0; writer < kWriters; ++writer)
        QCOMPARE(next[writer], kRecords);
}

void DeviceLogTest::restIsTakenUpToTheHead()
{
    HostRing memory({64, 4});
    for (uint64_t i = 0; i < 5; ++i)
        writeRecord(memory, 5, 0, i);
    RingReader reader(memory.view(), memory.shape);
    uint64_t taken = 0;
    reader.takeRest(memory.device.head, [&](const RecordHeader&) { ++taken; });
    QCOMPARE(taken, uint64_t{5});
}

void DeviceLogTest::afterAFaultWholeRecordsAreFound()
{
    HostRing memory({64, 4});
    writeRecord(memory, 5, 0, 0);
    const uint64_t torn = writeRecord(memory, 7, 0, 1, false);
    reinterpret_cast<RecordHeader*>(memory.pages.data() + torn)->tag = 0;  // reserved, never written
    writeRecord(memory, 3, 0, 2);
    RingReader reader(memory.view(), memory.shape);
    std::vector<uint64_t> found;
    reader.salvage([&](const RecordHeader& record) { found.push_back(record.clock); });
    QCOMPARE(found, (std::vector<uint64_t>{0, 2}));
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
    readValues(record.header(), lanes);
    QCOMPARE(addresses[31], uint64_t{30});
    for (auto [lane, expected] : {std::pair<size_t, uint32_t>{0, 7}, {2, 8}, {31, 9}}) {
        uint32_t value = 0;
        std::memcpy(&value, lanes.data() + lane * 4, sizeof value);
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
    readValues(record.header(), lanes);
    for (size_t lane = 0; lane < 8; ++lane)
        QCOMPARE(std::memcmp(lanes.data() + 2 * lane, &value, 2), 0);
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

QTEST_GUILESS_MAIN(DeviceLogTest)
#include "tst_device_log.moc"
