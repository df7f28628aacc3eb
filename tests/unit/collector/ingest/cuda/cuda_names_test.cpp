#include "collector/ingest/cuda/cuda_names.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::CudaObject;
using wire::RecordType;

wire::CudaNameRecord name(CudaObject kind, std::uint32_t id, std::uint64_t time, std::uint64_t text,
                          std::uint32_t context = 0) {
  wire::CudaNameRecord record{};
  record.header = test::header<wire::CudaNameRecord>(RecordType::kCudaName, id,
                                                     static_cast<std::uint8_t>(kind));
  record.time = time;
  record.name = text;
  record.context = context;
  return record;
}

constexpr char kStreams[] =
    "SELECT name, processId, deviceId, contextId, streamId FROM TARGET_INFO_NVTX_CUDA_STREAM "
    "ORDER BY name";

class CudaNamesTest : public ReportFixture {};

TEST_F(CudaNamesTest, TheLastNameStaysWhicheverThreadGaveIt) {
  RecordBytes records;
  const auto early = records.text("early");
  const auto late = records.text("late");
  records.add(name(CudaObject::kStream, 13, 200, late, 1));
  add_thread(16, 100, records);
  add_thread(16, 101, RecordBytes().add(name(CudaObject::kStream, 13, 100, early, 1)));
  build();
  EXPECT_EQ(rows(kStreams), Rows{"late|100|0|1|13"});
}

TEST_F(CudaNamesTest, ProcessesAndContextsHaveStreamsOfTheSameNumber) {
  add_process(17, 16, 200);
  RecordBytes records;
  const auto a = records.text("a");
  const auto b = records.text("b");
  const auto c = records.text("c");
  wire::CudaContextRecord context{};
  context.header = test::header<wire::CudaContextRecord>(RecordType::kCudaContext, 2);
  context.device = 5;
  records.add(context)
      .add(name(CudaObject::kStream, 7, 10, a, 1))
      .add(name(CudaObject::kStream, 7, 20, b, 2));
  add_thread(16, 100, records);
  add_thread(17, 200, RecordBytes().add(name(CudaObject::kStream, 7, 30, c, 2)));
  build();
  EXPECT_EQ(rows(kStreams), (Rows{"a|100|0|1|7", "b|100|5|2|7", "c|200|0|2|7"}));
}

TEST_F(CudaNamesTest, ADeviceThatProcessesNameAlikeIsOneRow) {
  add_process(17, 16, 200);
  RecordBytes records;
  const auto same = records.text("same");
  const auto other = records.text("other");
  records.add(name(CudaObject::kDevice, 0, 10, same)).add(name(CudaObject::kDevice, 1, 20, same));
  add_thread(16, 100, records);
  add_thread(17, 200,
             RecordBytes()
                 .add(name(CudaObject::kDevice, 0, 30, same))
                 .add(name(CudaObject::kDevice, 1, 40, other)));
  build();
  EXPECT_EQ(rows("SELECT name, deviceId FROM TARGET_INFO_NVTX_CUDA_DEVICE ORDER BY 2, 1"),
            (Rows{"same|0", "other|1", "same|1"}));
}

TEST_F(CudaNamesTest, ObjectsOfTheFutureAndLostTextsDoNoHarm) {
  add_thread(16, 100,
             RecordBytes()
                 .add(name(static_cast<CudaObject>(9), 1, 10, 5))
                 .add(name(CudaObject::kContext, 1, 10, 0x1234)));
  build();
  EXPECT_EQ(rows("SELECT name, contextId FROM TARGET_INFO_NVTX_CUDA_CONTEXT"), Rows{"[Unknown]|1"});
}

}  // namespace
}  // namespace prof::ingest
