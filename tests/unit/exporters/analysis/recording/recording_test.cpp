#include "exporters/analysis/recording/recording.hpp"

#include <optional>

#include "exporters/analysis/recording/differences.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::recording {
namespace {

class RecordingTest : public test::ReportFixture {
 protected:
  Recording recording() const {
    const auto read = read_recording(reader());
    if (!read) ADD_FAILURE() << read.error().message;
    return read.value_or(Recording{});
  }
};

std::vector<Difference> between(const Recording& before, const Recording& after) {
  return differences(std::vector{before}, std::vector{after});
}

TEST_F(RecordingTest, AReportWithoutFactsHasNone) {
  create_kernels();
  EXPECT_TRUE(recording().empty());
}

TEST_F(RecordingTest, GpusAreGroupedByModel) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, name, smCount);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0,'H200',132),(1,'H200 MIG 1g.18gb',16),(2,'H200',132)");
  EXPECT_EQ(recording().at("gpu"),
            std::set<std::string>{"2 × H200 (132 SMs), 1 × H200 MIG 1g.18gb (16 SMs)"});
}

TEST_F(RecordingTest, FactsOfTheRun) {
  create_kernels();
  create_ranges();
  for (int i = 0; i < 4; ++i) {
    add_range(1'000 * i, std::to_string(1'000 * i + 900), 7, "step");
    add_kernel(1'000 * i + 100, 1'000 * i + 800, 7, i + 1);
  }
  sql("CREATE TABLE META_DATA_CAPTURE (name, value);"
      "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND','./a'),"
      "('PROCESS_0:ARGUMENT_0','-n'),('RUN_DURATION_MS','90'),('CUDA_OPTIONS:BACKTRACE','all'),"
      "('PROCESS_0:COLLECT_CUDA_TRACE','false');"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion','580.1'),"
      "('CudaDriverVersion','13000'),('CpuCores','16'),('Hostname','a');"
      "CREATE TABLE DIAGNOSTIC_EVENT (timestamp, severity, text);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 2, '3 events were dropped'), (2, 1, 'dropped')");
  const Recording found = recording();
  EXPECT_EQ(found.at("command"), std::set<std::string>{"./a -n"});
  EXPECT_EQ(found.at("options"), std::set<std::string>{"CUDA_OPTIONS:BACKTRACE=all"});
  EXPECT_EQ(found.at("driver"), std::set<std::string>{"580.1"});
  EXPECT_EQ(found.at("cuda"), std::set<std::string>{"13.0"});
  EXPECT_EQ(found.at("cpus"), std::set<std::string>{"16"});
  EXPECT_EQ(found.at("lost"), std::set<std::string>{"3 events were dropped"});
  EXPECT_EQ(found.at("iterations"), std::set<std::string>{"4"});
  EXPECT_EQ(found.count("throttled"), 0U);
}

TEST(Differences, EqualAndUnknownOnesAreNotNamed) {
  const Recording known = {{"gpu", {"H200"}}, {"command", {"./a"}}, {"lost", {}}};
  EXPECT_TRUE(between(known, known).empty());
  EXPECT_TRUE(between(known, {}).empty());
  EXPECT_TRUE(between({}, known).empty());
  EXPECT_EQ(text_of(between(known, {})), "");
}

TEST(Differences, GpusMatterMost) {
  const auto found = between({{"gpu", {"A100"}}, {"command", {"./a"}}},
                             {{"gpu", {"H200"}}, {"command", {"./b\nc"}}});
  ASSERT_EQ(found.size(), 2U);
  ASSERT_NE(other_gpu(found), nullptr);
  EXPECT_EQ(text_of(*other_gpu(found)), "GPU (A100 → H200)");
  EXPECT_EQ(text_of(found).find('\n'), std::string::npos);
  EXPECT_EQ(other_gpu({}), nullptr);
}

TEST(Differences, ListsShowOnlyWhatDiffers) {
  const auto found =
      between({{"options", {"A=1", "B=2"}}, {"lost", {}}}, {{"options", {"A=1"}}, {"lost", {"x"}}});
  EXPECT_EQ(text_of(found),
            "The reports differ in: lost events (none → x), recording options (B=2 → none).");
}

TEST(Differences, AllReportsOfASideCount) {
  const std::vector<Recording> first = {{{"iterations", {"10"}}}, {{"iterations", {"11"}}}};
  const std::vector<Recording> second = {{{"iterations", {"11"}}}, {{"iterations", {"10"}}}, {}};
  EXPECT_TRUE(differences(first, second).empty());
  EXPECT_EQ(text_of(differences(first, std::vector{second[0]})),
            "The reports differ in: number of iterations (10, 11 → 11).");
}

}  // namespace
}  // namespace prof::recording
