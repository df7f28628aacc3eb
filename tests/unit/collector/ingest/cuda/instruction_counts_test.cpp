// SASS metrics of profiled launches: the rows of instructions, and the sums of launches.
#include "common/wire/kernel_records.hpp"
#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using test::RecordBytes;
using wire::RecordType;

class InstructionCountsTest : public ReportFixture {
 protected:
  std::uint64_t add_metric(RecordBytes& records, const std::string& name) {
    wire::KernelMetricNameRecord record{};
    record.header = test::header<wire::KernelMetricNameRecord>(RecordType::kKernelMetricName);
    record.name = records.text(name);
    record.unit = records.text("instruction");
    record.description = records.text("what it counts");
    record.chip = chip_ = records.text("GH100");
    records.add(record);
    return record.name;
  }
  void add_profile(RecordBytes& records, std::uint64_t time) {
    wire::KernelProfileRecord record{};
    record.header = test::header<wire::KernelProfileRecord>(RecordType::kKernelProfile, 5);
    record.time = time;
    record.name = function_ = records.text("_Z1fv");
    record.chip = chip_;
    record.passes = 1;
    records.add(record);
  }
  void add_instruction(RecordBytes& records, std::uint64_t offset,
                       const std::vector<wire::KernelCount>& counts) {
    wire::KernelInstructionRecord record{};
    record.header = {
        static_cast<std::uint16_t>(sizeof record + counts.size() * sizeof(wire::KernelCount)),
        RecordType::kKernelInstruction, 0, static_cast<std::uint32_t>(counts.size())};
    record.cubin = 0xd97194c8;
    record.function = function_;
    record.offset = offset;
    records.add(record);
    for (const wire::KernelCount& count : counts) records.add(count);
  }
  Rows counts() {
    return rows(
        "SELECT profileId, cubinCrc, f.value, pcOffset, n.name, c.value FROM PROF_SASS_COUNTS c "
        "JOIN StringIds f ON f.id = functionId JOIN PROF_METRIC_NAMES n USING (metricId) "
        "ORDER BY profileId, pcOffset, n.name");
  }
  Rows sums() {
    return rows(
        "SELECT profileId, name, unit, value FROM PROF_KERNEL_METRICS "
        "JOIN PROF_METRIC_NAMES USING (metricId) ORDER BY profileId, name");
  }
  std::uint64_t chip_ = 0;
  std::uint64_t function_ = 0;
};

TEST_F(InstructionCountsTest, InstructionsHaveRowsAndTheLaunchHasSums) {
  RecordBytes records;
  const std::uint64_t executed = add_metric(records, "smsp__sass_inst_executed");
  const std::uint64_t sectors = add_metric(records, "smsp__sass_sectors_mem_global");
  const std::uint64_t ideal = add_metric(records, "smsp__sass_sectors_mem_global_ideal");
  add_profile(records, 100);
  add_instruction(records, 16, {{executed, 10}, {sectors, 320}, {ideal, 40}});
  add_instruction(records, 32, {{executed, 20}, {sectors, 0}});
  add_profile(records, 50);
  add_instruction(records, 16, {{executed, 7}});
  add_thread(16, 100, records);
  build();
  // Launches are numbered in the order of their times, and counts of 0 have no rows.
  EXPECT_EQ(counts(), (Rows{"0|3648099528|_Z1fv|16|smsp__sass_inst_executed|7",
                            "1|3648099528|_Z1fv|16|smsp__sass_inst_executed|10",
                            "1|3648099528|_Z1fv|16|smsp__sass_sectors_mem_global|320",
                            "1|3648099528|_Z1fv|16|smsp__sass_sectors_mem_global_ideal|40",
                            "1|3648099528|_Z1fv|32|smsp__sass_inst_executed|20"}));
  EXPECT_EQ(
      sums(),
      (Rows{"0|derived__memory_l2_theoretical_sectors_global_excessive|sector|0.0",
            "0|inst_executed|inst|7.0", "0|memory_l2_theoretical_sectors_global|sectors|0.0",
            "0|memory_l2_theoretical_sectors_global_ideal|sectors|0.0",
            "1|derived__memory_l2_theoretical_sectors_global_excessive|sector|280.0",
            "1|inst_executed|inst|30.0", "1|memory_l2_theoretical_sectors_global|sectors|320.0",
            "1|memory_l2_theoretical_sectors_global_ideal|sectors|40.0"}));
}

TEST_F(InstructionCountsTest, OtherMetricsKeepTheirNames) {
  RecordBytes records;
  const std::uint64_t atomics = add_metric(records, "smsp__sass_inst_executed_op_atom");
  add_metric(records, "smsp__sass_inst_executed.sum");  // of the range profiler
  add_profile(records, 100);
  add_instruction(records, 16, {{atomics, 3}});
  add_instruction(records, 32, {{atomics, 4}});
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(sums(), (Rows{"0|smsp__sass_inst_executed_op_atom|inst|7.0"}));
}

TEST_F(InstructionCountsTest, DamagedRecordsAreLeftOut) {
  RecordBytes records;
  const std::uint64_t executed = add_metric(records, "smsp__sass_inst_executed");
  add_instruction(records, 0, {{executed, 1}});  // without a profile
  add_profile(records, 100);
  add_instruction(records, 16, {{executed, 5}, {12345, 6}});  // one metric has no name
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(counts(), (Rows{"0|3648099528|_Z1fv|16|smsp__sass_inst_executed|5"}));
  EXPECT_EQ(sums(), (Rows{"0|inst_executed|inst|5.0"}));
}

}  // namespace
}  // namespace prof::ingest
