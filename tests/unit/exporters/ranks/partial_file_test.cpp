#include "exporters/ranks/partial_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::ranks {
namespace {

class PartialFileTest : public test::ReportFixture {
 protected:
  PartialFileTest() {
    create_api();
    sql("CREATE TABLE PROCESSES (globalPid, pid, name);"
        "CREATE TABLE PROF_RANKS (globalPid, rank, size, localRank, localSize, nodeRank, jobId, "
        "attempt, node, pod, source, precedence);");
    for (const int pid : {10, 11}) {
      const std::string id = std::to_string(test::global_id(pid, 0));
      sql("INSERT INTO PROCESSES VALUES (" + id + "," + std::to_string(pid) + ",'x');");
      sql("INSERT INTO PROF_RANKS VALUES (" + id + "," + std::to_string(pid - 10) +
          ",2,NULL,NULL,NULL,'7',NULL,NULL,NULL,'torchrun',0);");
      add_call(0, 100 + pid, pid, pid);
    }
  }
  void write() const {
    const auto written = write_partial_file(path());
    ASSERT_TRUE(written) << written.error().message;
  }
  std::string content() const {
    std::ifstream file(partial_path(path()), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& bytes) const {
    std::ofstream(partial_path(path()), std::ios::binary) << bytes;
  }
  std::string why_unfit() const {
    const auto file = PartialFile::read(path());
    return file ? "" : file.error().message;
  }
  std::vector<ReportRank> ranks() const { return *ranks_of(reader()); }
};

TEST_F(PartialFileTest, HasWhatTheEventsHave) {
  const auto all = ranks();
  const auto wanted = map_report(reader(), all, usual_requests());
  write();
  const auto file = PartialFile::read(path());
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->has(all, usual_requests()));
  EXPECT_EQ(file->partial(reader(), all, usual_requests()), *wanted);
}

TEST_F(PartialFileTest, HasTheHeadThatTheEventsHave) {
  EXPECT_FALSE(read_partial_head(path()));
  write();
  const auto made = read_head(reader());
  ASSERT_TRUE(made) << made.error().message;
  const auto read = read_partial_head(path());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->ranks.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->ranks[i].unit, made->ranks[i].unit);
    EXPECT_EQ(read->ranks[i].size, 2);
    EXPECT_EQ(read->ranks[i].processes, made->ranks[i].processes);
    EXPECT_EQ(read->ranks[i].place, i);
  }
  EXPECT_EQ(read->pictures, made->pictures);
  EXPECT_EQ(read->clock.node, made->clock.node);
  EXPECT_EQ(read->clock.utc_start, made->clock.utc_start);
  EXPECT_EQ(bytes_of(*read), bytes_of(*made));
  sql("INSERT INTO PROCESSES VALUES (99,99,'another state');");
  EXPECT_FALSE(read_partial_head(path()));
}

TEST_F(PartialFileTest, RanksAndStatisticsAreSelected) {
  write();
  const auto file = PartialFile::read(path());
  ASSERT_TRUE(file) << file.error().message;
  std::vector<ReportRank> second = {ranks().at(1)};
  second[0].unit.rank = 5;  // the plan of a job may number ranks
  const std::vector<Request> calls = {*request_of("cuda_api_sum")};
  const Partial partial = file->partial(reader(), second, calls);
  ASSERT_EQ(partial.size(), 1U);
  EXPECT_EQ(partial.begin()->first.rank, 5);
  EXPECT_EQ(partial.begin()->second.size(), 1U);
  EXPECT_TRUE(partial.begin()->second.at("cuda_api_sum").groups.begin()->second.table.total() ==
              111);
  EXPECT_FALSE(file->has(second, {*request_of("cuda_gpu_kern_sum:base")}));
  second[0].place = 2;
  EXPECT_FALSE(file->has(second, calls));
}

TEST_F(PartialFileTest, AnotherStateOfTheReportDoesNotFit) {
  write();
  EXPECT_EQ(why_unfit(), "");
  const auto before = std::filesystem::last_write_time(path());
  std::filesystem::last_write_time(path(), before + std::chrono::nanoseconds(1000));
  EXPECT_EQ(why_unfit(), "the report has another size or time since then");
  std::string unfit;
  EXPECT_TRUE(read_or_map(reader(), ranks(), usual_requests(), {}, unfit));
  EXPECT_EQ(unfit, "the report has another size or time since then");
  std::filesystem::last_write_time(path(), before);
  EXPECT_EQ(why_unfit(), "");
}

TEST_F(PartialFileTest, DamagedFilesAreRefused) {
  write();
  const std::string bytes = content();
  for (std::size_t size = 0; size < bytes.size(); size += 5) {
    overwrite(bytes.substr(0, size));
    EXPECT_NE(why_unfit(), "") << size;
  }
  overwrite(bytes + "x");
  EXPECT_EQ(why_unfit(), "it has bytes after its end");
  std::string other = bytes;
  other.replace(other.find(PROF_VERSION), 1, "9");
  overwrite(other);
  EXPECT_NE(why_unfit().find("made it"), std::string::npos);
  overwrite(bytes);
  EXPECT_EQ(why_unfit(), "");
}

TEST_F(PartialFileTest, AFilterNeedsTheEvents) {
  const auto all = ranks();
  write();
  report::EventFilter filter;
  filter.start = 1'000'000;
  std::string unfit;
  const auto partial = read_or_map(reader(), all, {*request_of("cuda_api_sum")}, filter, unfit);
  ASSERT_TRUE(partial);
  EXPECT_EQ(unfit, "");
  EXPECT_TRUE(partial->begin()->second.at("cuda_api_sum").groups.empty());
}

TEST_F(PartialFileTest, WithoutAReportThereIsAnError) {
  EXPECT_FALSE(write_partial_file(path() + ".missing"));
  std::filesystem::create_directory(partial_path(path()));
  const auto written = write_partial_file(path());
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot write"), std::string::npos);
}

TEST_F(PartialFileTest, WithoutSpaceNothingIsLeft) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto written = write_partial_file(path());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("File too large"), std::string::npos);
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(std::filesystem::path(path()).parent_path()),
                std::filesystem::directory_iterator()),
            1);
}

}  // namespace
}  // namespace prof::ranks
