#include "collector/ingest/cuda/gpu_tables.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::RecordType;

wire::CudaDeviceRecord device(std::uint32_t ordinal, std::uint8_t uuid, std::uint64_t name) {
  wire::CudaDeviceRecord record{};
  record.header = test::header<wire::CudaDeviceRecord>(RecordType::kCudaDevice, ordinal);
  record.uuid[15] = uuid;
  record.name = name;
  record.compute_major = 9;
  return record;
}

class GpuTablesTest : public ReportFixture {
 protected:
  // The locations of all GPUs of the machine, in a session note in place of the fixture's.
  void set_machine(const std::vector<std::string>& gpus) {
    spool_.notes = spool::Notes();
    note(spool::SessionNote{.gpus = gpus});
    add_process(16, 0, 100);
  }
};

TEST_F(GpuTablesTest, AGpuIsOneRowWhicheverOrdinalAProcessGivesIt) {
  add_process(17, 16, 200);
  RecordBytes first;
  const auto name = first.text("H");
  first.add(device(0, 1, name)).add(device(1, 2, name));
  add_thread(16, 100, first);
  add_thread(17, 200, RecordBytes().add(device(0, 2, name)));  // CUDA_VISIBLE_DEVICES=1
  build();
  EXPECT_EQ(
      rows("SELECT name, uuid FROM TARGET_INFO_GPU ORDER BY id"),
      (Rows{"H|00000000-0000-0000-0000-000000000001", "H|00000000-0000-0000-0000-000000000002"}));
  EXPECT_EQ(rows("SELECT pwGpuId FROM TARGET_INFO_GPU ORDER BY id"), (Rows{"0", "1"}));
  EXPECT_EQ(rows("SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE ORDER BY pid, cudaId"),
            (Rows{"100|0|0", "100|1|1", "200|0|1"}));
}

wire::CudaDeviceRecord usable(std::uint32_t ordinal, std::uint8_t uuid, std::uint32_t bus) {
  auto record = device(ordinal, uuid, 0);
  record.header.flags = wire::kCudaDeviceUsable;
  record.pci_bus = bus;
  return record;
}

constexpr char kGpus[] =
    "SELECT id, cuDevice, substr(uuid, -1), busLocation FROM TARGET_INFO_GPU ORDER BY id";
constexpr char kDevices[] =
    "SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE ORDER BY pid, cudaId";

TEST_F(GpuTablesTest, WhatNoProcessCouldUseIsLeftOut) {
  add_process(17, 16, 200);
  add_thread(16, 100, RecordBytes().add(usable(0, 2, 7)).add(device(1, 1, 0)));
  add_thread(17, 200, RecordBytes().add(usable(0, 3, 9)).add(device(1, 1, 0)).add(device(2, 2, 0)));
  build();
  EXPECT_EQ(rows(kGpus), (Rows{"0|0|2|0000:07:00.0", "1|1|3|0000:09:00.0"}));
  EXPECT_EQ(rows(kDevices), (Rows{"100|0|0", "200|0|1"}));
}

TEST_F(GpuTablesTest, IdsAreRanksOnTheBusOfTheMachine) {
  set_machine({"0000:06:00.0", "0000:07:00.0", "0000:a1:00.0"});
  add_thread(16, 100, RecordBytes().add(usable(0, 3, 0xa1)).add(usable(1, 2, 7)));
  build();
  EXPECT_EQ(rows(kGpus), (Rows{"1|1|2|0000:07:00.0", "2|2|3|0000:a1:00.0"}));
  EXPECT_EQ(rows(kDevices), (Rows{"100|0|2", "100|1|1"}));
}

TEST_F(GpuTablesTest, AListThatLacksAGpuInUseIsNotOfItsMachine) {
  set_machine({"0000:06:00.0", "0000:07:00.0"});
  add_thread(16, 100, RecordBytes().add(usable(0, 1, 7)).add(usable(1, 2, 8)));
  build();
  EXPECT_EQ(rows(kGpus), (Rows{"0|0|1|0000:07:00.0", "1|1|2|0000:08:00.0"}));
}

TEST_F(GpuTablesTest, PartsOfOneGpuHaveIdsOfTheirOwn) {
  set_machine({"0000:06:00.0", "0000:07:00.0"});
  add_process(17, 16, 200);
  add_thread(16, 100, RecordBytes().add(usable(0, 1, 7)));
  add_thread(17, 200, RecordBytes().add(usable(0, 2, 7)));
  build();
  EXPECT_EQ(rows(kGpus), (Rows{"0|0|1|0000:07:00.0", "1|1|2|0000:07:00.0"}));
  EXPECT_EQ(rows(kDevices), (Rows{"100|0|0", "200|0|1"}));
}

TEST_F(GpuTablesTest, AProcessThatBecameAnotherByExecUsesAGpuOnce) {
  add_process(17, 0, 100);
  add_thread(16, 100, RecordBytes().add(usable(0, 1, 7)));
  add_thread(17, 100, RecordBytes().add(usable(0, 1, 7)).add(usable(1, 2, 8)));
  build();
  EXPECT_EQ(rows(kDevices), (Rows{"100|0|0", "100|1|1"}));
}

// Facts of a driver that one process asked and the other could not.
TEST_F(GpuTablesTest, AGpuIsDescribedByWhoeverKnowsIt) {
  add_process(17, 16, 200);
  add_thread(16, 100, RecordBytes().add(device(0, 1, 0)).add(device(1, 2, 0)));
  add_thread(17, 200, RecordBytes().add(usable(0, 2, 7)));
  build();
  EXPECT_EQ(rows(kGpus), (Rows{"0|0|1|0000:00:00.0", "1|1|2|0000:07:00.0"}));
  EXPECT_EQ(rows(kDevices), (Rows{"100|0|0", "100|1|1", "200|0|1"}));
}

TEST_F(GpuTablesTest, ChipsAreNamedWhereTheArchitectureHasOne) {
  auto known = device(0, 1, 0);
  auto unknown = device(1, 2, 0);
  unknown.compute_minor = 9;
  unknown.integrated = 1;
  unknown.max_ipc = 0xffffffff;
  add_thread(16, 100, RecordBytes().add(known).add(unknown));
  build();
  EXPECT_EQ(rows("SELECT chipName, isDiscrete, maxIPC, name FROM TARGET_INFO_GPU ORDER BY id"),
            (Rows{"GH100|1|0|[Unknown]", "-|0|0|[Unknown]"}));
}

TEST_F(GpuTablesTest, FactsOfTheSystem) {
  auto first = usable(0, 1, 7);
  first.driver_version = 13000;
  add_thread(16, 100, RecordBytes().add(first).add(usable(1, 2, 8)));
  build();
  constexpr const char* kFact = "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE nameEnum = ";
  EXPECT_EQ(rows(std::string(kFact) + "611"), (Rows{"13000"}));
  EXPECT_EQ(rows("SELECT json_extract(value, '$.Gpus[1].BusLocation'), "
                 "json_array_length(value, '$.Gpus') FROM TARGET_INFO_SYSTEM_ENV "
                 "WHERE name = 'GpuInfo'"),
            (Rows{"0000:08:00.0|2"}));
}

TEST_F(GpuTablesTest, AStreamThatIsAnnouncedTwiceIsOneRow) {
  wire::CudaStreamRecord stream{};
  stream.header = test::header<wire::CudaStreamRecord>(RecordType::kCudaStream, 13);
  stream.context = 1;
  stream.priority = -5;
  add_thread(16, 100, RecordBytes().add(stream).add(stream));
  build();
  EXPECT_EQ(rows("SELECT streamId, contextId, processId, priority FROM TARGET_INFO_CUDA_STREAM"),
            Rows{"13|1|100|4294967291"});
}

}  // namespace
}  // namespace prof::ingest
