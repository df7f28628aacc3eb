// Cases that tests/integration/test_cuda.py cannot produce: several processes and threads, missing
// and impossible records, unknown kinds.
#include "collector/ingest/cuda/cuda_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::RecordType;

template <class Record>
Record made(RecordType type, std::uint32_t aux = 0, std::uint8_t flags = 0) {
  Record record{};
  record.header = test::header<Record>(type, aux, flags);
  return record;
}

wire::CudaKernelRecord kernel(std::uint64_t start, std::uint64_t end, std::uint64_t name,
                              std::uint32_t context = 1) {
  auto record = made<wire::CudaKernelRecord>(RecordType::kCudaKernel, 5);
  record.start = start;
  record.end = end;
  record.name = name;
  record.context = context;
  record.stream = 7;
  return record;
}

wire::CudaContextRecord context(std::uint32_t id, std::uint32_t device, std::uint32_t parent = 0) {
  auto record = made<wire::CudaContextRecord>(RecordType::kCudaContext, id, parent != 0);
  record.device = device;
  record.parent = parent;
  return record;
}

wire::CudaUnifiedMemoryRecord unified_memory(std::uint32_t kind, std::uint64_t start,
                                             std::uint64_t end) {
  auto record = made<wire::CudaUnifiedMemoryRecord>(RecordType::kCudaUnifiedMemory, kind);
  record.start = start;
  record.end = end;
  record.value = 0x1234;
  record.address = 4096;
  return record;
}

constexpr char kKernels[] =
    "SELECT k.start, k.end, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k "
    "JOIN StringIds s ON s.id = k.shortName ORDER BY k.start";
constexpr char kImpossible[] =
    "SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%with an impossible time%'";

class CudaBuilderTest : public ReportFixture {};

TEST_F(CudaBuilderTest, ImpossibleTimesAreCountedAndLeftOut) {
  RecordBytes records;
  const auto name = records.text("work");
  constexpr std::uint64_t kRealtime = 1'700'000'000'000'000'000;
  records.add(kernel(100, 200, name))
      .add(kernel(300, 0, name))                      // no end
      .add(kernel(kRealtime, kRealtime + 100, name))  // times of another clock
      .add(unified_memory(3, kRealtime, 0))
      .add(unified_memory(1, kRealtime, kRealtime + 1));
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows(kKernels), Rows{"100|200|work"});
  EXPECT_EQ(rows(kImpossible),
            Rows{"GPU records with an impossible time (usually unfinished work): 4."});
}

TEST_F(CudaBuilderTest, ALostNameIsUnknown) {
  add_thread(16, 100, RecordBytes().add(kernel(100, 200, 0x1234)));
  build();
  EXPECT_EQ(rows(kKernels), Rows{"100|200|[Unknown]"});
}

TEST_F(CudaBuilderTest, ContextsOfOtherThreadsAreKnownAndThoseOfOtherProcessesAreNot) {
  add_process(17, 16, 200);
  const auto sync = [](std::uint32_t context_id) {
    auto record = made<wire::CudaSyncRecord>(RecordType::kCudaSync, 9, 4);
    record.start = record.end = 10;
    record.context = context_id;
    return record;
  };
  add_thread(16, 100, RecordBytes().add(sync(1)).add(kernel(20, 30, 0, 3)));
  add_thread(16, 101, RecordBytes().add(context(1, 6)).add(context(3, 6, 1)));
  add_thread(17, 200, RecordBytes().add(sync(1)));
  build();
  EXPECT_EQ(rows("SELECT globalPid >> 24 & 0xffffff, deviceId, contextId FROM "
                 "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ORDER BY 1"),
            (Rows{"100|6|1", "200|0|1"}));
  EXPECT_EQ(rows("SELECT contextId, greenContextId FROM CUPTI_ACTIVITY_KIND_KERNEL"), Rows{"1|3"});
}

TEST_F(CudaBuilderTest, AThreadMayWaitForAStreamOfAnotherDevice) {
  auto stream = made<wire::CudaStreamRecord>(RecordType::kCudaStream, 14);
  stream.context = 1;
  auto sync = made<wire::CudaSyncRecord>(RecordType::kCudaSync, 9, 3);
  sync.start = sync.end = 10;
  sync.context = 2;
  sync.stream = 14;
  add_thread(16, 100, RecordBytes().add(sync));
  add_thread(16, 101, RecordBytes().add(context(1, 0)).add(context(2, 1)).add(stream));
  build();
  EXPECT_EQ(rows("SELECT deviceId, contextId, streamId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"),
            Rows{"0|2|14"});
}

TEST_F(CudaBuilderTest, AGraphLaunchFindsItsGraphInItsOwnProcess) {
  add_process(17, 16, 200);
  auto exec = made<wire::CudaGraphEventRecord>(
      RecordType::kCudaGraphEvent, static_cast<std::uint32_t>(wire::CudaGraphEvent::kExecCreated));
  exec.time = 1;
  exec.id = 41;
  exec.exec = 42;
  auto launch = made<wire::CudaGraphLaunchRecord>(RecordType::kCudaGraphLaunch, 5);
  launch.start = 10;
  launch.end = 20;
  launch.graph = 42;
  add_thread(16, 100, RecordBytes().add(launch));
  add_thread(16, 101, RecordBytes().add(exec));
  add_thread(17, 200, RecordBytes().add(launch));
  build();
  EXPECT_EQ(rows("SELECT globalPid >> 24 & 0xffffff, graphId, graphExecId FROM "
                 "CUPTI_ACTIVITY_KIND_GRAPH_TRACE ORDER BY 1"),
            (Rows{"100|41|42", "200|42|42"}));
}

TEST_F(CudaBuilderTest, HostFunctionsOfGraphsAndOfLaunches) {
  auto launched = made<wire::CudaHostFunctionRecord>(RecordType::kCudaHostFunction, 5);
  launched.start = 10;
  launched.end = 20;
  launched.stream = 13;
  auto node = launched;
  node.graph_node = 77;
  node.graph = 42;
  auto unfinished = launched;
  unfinished.end = 0;
  add_thread(16, 100, RecordBytes().add(launched).add(node).add(unfinished));
  build();
  EXPECT_EQ(rows("SELECT start, end, streamId, correlationId, graphNodeId, graphId FROM "
                 "CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH ORDER BY graphNodeId"),
            (Rows{"10|20|13|5|-|-", "10|20|13|5|77|42"}));
}

TEST_F(CudaBuilderTest, ImportedPoolsNameTheProcessThatExportedThem) {
  auto record = made<wire::CudaMemoryRecord>(RecordType::kCudaMemory, 5, 1);
  record.time = 10;
  record.pool_type = 2;
  record.pool_address = 4096;
  record.pool_size = 77;
  record.stream = wire::kNoCudaId;
  add_thread(16, 100, RecordBytes().add(record));
  build();
  EXPECT_EQ(rows("SELECT importedMemoryPoolAddress, importedMemoryPoolProcessId, "
                 "localMemoryPoolAddress, localMemoryPoolSize, streamId, memKind "
                 "FROM CUDA_GPU_MEMORY_USAGE_EVENTS"),
            Rows{"4096|77|-|-|-|7"});
}

TEST_F(CudaBuilderTest, MemoryKindsOfTheFutureAreUnknown) {
  auto copy = made<wire::CudaMemcpyRecord>(RecordType::kCudaMemcpy, 5, 1);
  copy.start = 10;
  copy.end = 20;
  copy.source_kind = 7;  // the last known kind
  copy.target_kind = 99;
  copy.source_device = wire::kNoCudaId;
  add_thread(16, 100, RecordBytes().add(copy));
  build();
  EXPECT_EQ(rows("SELECT srcKind, dstKind, srcDeviceId FROM CUPTI_ACTIVITY_KIND_MEMCPY"),
            Rows{"6|7|-"});
}

TEST_F(CudaBuilderTest, CountersWithoutATableAreLeftOut) {
  add_thread(16, 100, RecordBytes().add(unified_memory(5, 10, 20)).add(unified_memory(3, 30, 0)));
  build();
  EXPECT_EQ(rows("SELECT start, address, originalFaultPc FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS"),
            Rows{"30|4096|4660"});
  EXPECT_EQ(rows(kImpossible), Rows{});
}

TEST_F(CudaBuilderTest, TheLastFlushMayComeOnAnyThread) {
  const auto ready = [](std::uint64_t time) {
    auto record = made<wire::DiagnosticRecord>(
        RecordType::kDiagnostic, static_cast<std::uint32_t>(wire::DiagnosticCode::kCudaReady));
    record.time = time;
    return record;
  };
  auto flush = made<wire::OverheadRecord>(
      RecordType::kOverhead, static_cast<std::uint32_t>(wire::OverheadKind::kCudaFlush),
      wire::kLastFlush);
  add_process(17, 16, 200);
  add_thread(16, 100, RecordBytes().add(flush));
  add_thread(16, 101, RecordBytes().add(ready(1)));
  add_thread(17, 200, RecordBytes().add(ready(1)));
  build();
  EXPECT_EQ(rows("SELECT globalPid >> 24 & 0xffffff FROM DIAGNOSTIC_EVENT "
                 "WHERE text LIKE '%last GPU records%'"),
            Rows{"200"});
}

}  // namespace
}  // namespace prof::ingest
