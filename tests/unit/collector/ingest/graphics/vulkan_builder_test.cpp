#include "collector/ingest/graphics/vulkan_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using wire::VulkanClass;

class VulkanBuilderTest : public ReportFixture {
 protected:
  static constexpr std::uint32_t kFunction = wire::kVulkanFunctions + 1;
  static constexpr std::uint64_t kDevice = 0x1000, kBuffer = 0x2000, kQueue = 0x3000;

  VulkanBuilderTest() { records_.function(kFunction, records_.text("vkFunction")); }

  void call(std::uint64_t start, std::uint64_t object, std::uint32_t correlation = 0,
            VulkanClass kind = VulkanClass::kCall) {
    records_.add(wire::VulkanCallRecord{
        test::header<wire::VulkanCallRecord>(wire::RecordType::kVulkanCall, kFunction,
                                             static_cast<std::uint8_t>(kind)),
        start, start + 10, object, correlation, 0});
  }
  void label(std::uint64_t start, std::uint8_t flags, std::uint64_t object, const char* text,
             std::uint32_t correlation) {
    records_.add(wire::VulkanLabelRecord{
        test::header<wire::VulkanLabelRecord>(wire::RecordType::kVulkanLabel, kFunction, flags),
        start, start + 1, object, text == nullptr ? 0 : records_.text(text), 0xff8000,
        correlation});
  }
  void begin(std::uint64_t start, const char* text, std::uint32_t correlation) {
    label(start, wire::kVulkanLabelBegins | wire::kVulkanLabelHasColor, kBuffer, text, correlation);
  }
  void end(std::uint64_t start) { label(start, wire::kVulkanLabelEnds, kBuffer, nullptr, 0); }
  void pipeline(std::uint64_t start, std::uint64_t duration, std::uint8_t flags) {
    records_.add(wire::VulkanPipelineRecord{
        test::header<wire::VulkanPipelineRecord>(wire::RecordType::kVulkanPipeline, 3, flags),
        start, duration});
  }
  void memory(std::uint64_t start, wire::VulkanMemoryKind kind, std::uint64_t handle,
              std::uint64_t size, std::uint64_t offset = 0, std::uint64_t target = 0) {
    call(start, kDevice);
    records_.add(wire::VulkanMemoryRecord{
        test::header<wire::VulkanMemoryRecord>(wire::RecordType::kVulkanMemory, 1,
                                               static_cast<std::uint8_t>(kind)),
        start, handle, size, offset, target, 6, 1, 0, 0});
  }
  void clock(std::uint64_t ticks, std::uint64_t time, std::uint64_t period) {
    records_.add(wire::VulkanClockRecord{
        test::header<wire::VulkanClockRecord>(wire::RecordType::kVulkanClock, 0), ticks, time, 1,
        period});
  }
  void work(std::uint64_t start, std::uint64_t end, std::uint8_t flags, std::uint64_t text = 0) {
    records_.add(
        wire::VulkanWorkloadRecord{test::header<wire::VulkanWorkloadRecord>(
                                       wire::RecordType::kVulkanWorkload, kFunction, flags),
                                   start, end, kQueue, text, 0x102030, 7, 0, 101});
  }
  void finish() {
    add_thread(16, 101, records_);
    build();
  }

  test::RecordBytes records_;
};

TEST_F(VulkanBuilderTest, SubmitsAndLabelsHaveTheFirstCorrelationIds) {
  call(100, 0, 0, VulkanClass::kStarted);
  call(200, kDevice);
  call(220, kQueue, 0, VulkanClass::kQueue);
  begin(240, "draw", 1);
  end(260);
  call(300, kQueue, 2);
  call(400, kDevice);
  finish();
  EXPECT_EQ(rows("SELECT id, eventClass, globalTid & 0xffffff, correlationId, endCorrelationId, "
                 "contextId, interfaceAddress FROM VULKAN_API ORDER BY id"),
            (Rows{"1|55|0|0|-|-|-", "2|53|101|3|-|1|4096", "3|60|101|0|-|2|12288",
                  "4|66|101|1|1|3|8192", "5|66|101|1|1|3|8192", "6|53|101|2|2|2|12288",
                  "7|53|101|4|-|1|4096", "8|56|0|0|-|-|-"}));
  EXPECT_EQ(rows("SELECT start, value FROM VULKAN_API JOIN StringIds s ON s.id = nameId WHERE "
                 "eventClass = 56"),
            (Rows{"410|Vulkan profiling finished"}));
  EXPECT_EQ(rows("SELECT label FROM ENUM_VULKAN_PIPELINE_CREATION_FLAGS WHERE id = 2"),
            (Rows{"Cache hit flag"}));
}

TEST_F(VulkanBuilderTest, LabelsAreNestedAndForgottenWithTheirCommandBuffer) {
  begin(100, "outer", 1);
  begin(110, "inner", 2);
  end(120);
  label(125, 0, kBuffer, "mark", 3);
  end(130);
  begin(140, "never ends", 4);
  call(150, kBuffer, 0, VulkanClass::kBeginBuffer);
  end(160);
  finish();
  EXPECT_EQ(rows("SELECT correlationId, (SELECT value FROM StringIds WHERE id = textId), color "
                 "FROM VULKAN_DEBUG_API ORDER BY start"),
            (Rows{"1|outer|16744448", "2|inner|16744448", "2|-|-", "3|mark|-", "1|-|-",
                  "4|never ends|16744448", "0|-|-"}));
}

TEST_F(VulkanBuilderTest, PipelinesBelongToTheCallBeforeThem) {
  call(100, kDevice);
  pipeline(100, 50, 0);
  pipeline(100, 30, wire::kVulkanIsStage);
  pipeline(90, 50, 0);  // the record of its call was dropped
  finish();
  EXPECT_EQ(rows("SELECT * FROM VULKAN_PIPELINE_CREATION_EVENTS"), (Rows{"1|50|3|1"}));
  EXPECT_EQ(rows("SELECT * FROM VULKAN_PIPELINE_STAGE_EVENTS"), (Rows{"1|30|3|1"}));
}

TEST_F(VulkanBuilderTest, MemoryHasItsHeapAndItsSize) {
  using enum wire::VulkanMemoryKind;
  memory(100, kAllocation, 0x77, 4096);
  memory(120, kMapping, 0x77, ~std::uint64_t{0}, 256);
  memory(140, kMapping, 0x77, 512, 256);
  memory(160, kBinding, 0x77, 0, 1024, kBuffer);
  memory(180, kRelease, 0x77, 0);
  memory(200, kRelease, 0x78, 0);  // was allocated before the recording
  finish();
  EXPECT_EQ(rows("SELECT id, gpu, rangeStart, rangeEnd, objectHandle, memorySize, memoryOffset, "
                 "bindTargetHandle, traceEventId FROM VULKAN_MEMORY_OPERATION"),
            (Rows{"1|0|-|-|119|4096|-|-|1", "2|0|256|4096|119|-|-|-|2", "3|0|256|768|119|-|-|-|3",
                  "4|0|-|-|119|-|1024|8192|4", "5|0|-|-|119|4096|-|-|5", "6|0|-|-|120|-|-|-|6"}));
  EXPECT_EQ(rows("SELECT * FROM VULKAN_MEMORY_TYPES"), (Rows{"1|1|1|6|-|1"}));
  EXPECT_EQ(rows("SELECT label FROM ENUM_VULKAN_MEMORY_PROPERTY_FLAGS WHERE id & 6"),
            (Rows{"Host visible", "Host coherent"}));
}

TEST_F(VulkanBuilderTest, ObjectsHaveNames) {
  call(100, kQueue);
  records_.add(
      wire::VulkanNameRecord{test::header<wire::VulkanNameRecord>(wire::RecordType::kVulkanName, 0),
                             kQueue, records_.text("my queue")});
  call(200, kDevice);
  finish();
  EXPECT_EQ(rows("SELECT (SELECT value FROM StringIds WHERE id = objectNameId) FROM VULKAN_API"),
            (Rows{"my queue", "-"}));
}

TEST_F(VulkanBuilderTest, TimesOfTheGpuLieBetweenComparisonsOfTheClocks) {
  const std::uint64_t text = records_.text("pass");
  clock(1000, 500, 2'000'000);  // a tick takes 2 ns, says the driver
  clock(2000, 3500, 2'000'000);
  work(1100, 1200, wire::kVulkanIsBatch);
  work(2010, 2020, wire::kVulkanIsLabel | wire::kVulkanWorkHasColor, text);
  work(990, 995, 0);
  finish();
  EXPECT_EQ(rows("SELECT start, end, eventClass, globalTid & 0xffffff, correlationId, gpu, color, "
                 "(SELECT value FROM StringIds WHERE id = textId) FROM VULKAN_WORKLOAD"),
            (Rows{"800|1100|93|101|7|0|-|-", "3520|3540|54|101|7|0|1056816|pass",
                  "480|490|54|101|7|0|-|-"}));
}

TEST_F(VulkanBuilderTest, WorkWithoutAClockIsLeftOut) {
  work(1100, 1200, wire::kVulkanIsBatch);
  call(100, kQueue);
  finish();
  EXPECT_TRUE(rows("SELECT name FROM sqlite_master WHERE name = 'VULKAN_WORKLOAD'").empty());
}

}  // namespace
}  // namespace prof::ingest
