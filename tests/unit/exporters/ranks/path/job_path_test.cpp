#include "exporters/ranks/path/job_path.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/ranks/path/job_execution.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::ranks {
namespace {

// A report of three ranks that reduce by torch.distributed. In step n rank n % 3 comes last.
class JobPathTest : public test::ReportFixture {
 protected:
  static constexpr std::int64_t kRanks = 3;
  static constexpr std::int64_t kWork = 100'000;  // ns, of a rank before each operation
  static constexpr std::int64_t kLate = 50'000;   // more on one rank, in turn
  static constexpr std::int64_t kTransfer = 10'000;

  JobPathTest() {
    create_ranges();
    sql("INSERT INTO StringIds VALUES (9,'torch.distributed.distributed_c10d.all_reduce');"
        "CREATE TABLE PROCESSES (globalPid, pid, name);"
        "CREATE TABLE PROF_RANKS (globalPid, rank, size, localRank, localSize, nodeRank, jobId, "
        "attempt, node, pod, source, precedence);");
    for (std::int64_t rank = 0; rank < kRanks; ++rank)
      sql(
          fmt::format("INSERT INTO PROCESSES VALUES ({0},{1},'x');"
                      "INSERT INTO PROF_RANKS VALUES ({0},{2},3,NULL,NULL,NULL,'7',NULL,NULL,NULL,"
                      "'torchrun',0);",
                      test::global_id(pid_of(rank), 0), pid_of(rank), rank));
  }
  static std::int64_t pid_of(std::int64_t rank) { return 10 + rank; }

  void add_steps(std::int64_t count) {
    std::int64_t time = 0;
    for (std::int64_t step = 0; step < count; ++step) {
      const std::int64_t end = time + kWork + kLate + kTransfer;
      for (std::int64_t rank = 0; rank < kRanks; ++rank)
        sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,NULL,9,{},0,NULL);",
                        time + kWork + (step % kRanks == rank ? kLate : 0), end,
                        test::global_id(pid_of(rank), pid_of(rank))));
      time = end;
    }
  }

  JobPath find(std::uintmax_t kept_bytes) const {
    const auto ranks = ranks_of(reader());
    if (!ranks) ADD_FAILURE() << ranks.error().message;
    const std::vector<PlannedReport> reports{{path(), *ranks}};
    const auto collectives = read_collectives(reports, {});
    if (!collectives) ADD_FAILURE() << collectives.error().message;
    auto found = find_job_path(
        reports, *collectives, path::PathBy::kWork,
        [](const report::ReportReader&) { return report::EventFilter(); }, kept_bytes);
    if (!found) ADD_FAILURE() << found.error().message;
    return *std::move(found);
  }
};

TEST_F(JobPathTest, ThePathIsThatOfTheRankThatComesLast) {
  constexpr std::int64_t kSteps = 30;
  add_steps(kSteps);
  const JobPath found = find(kKeptBytes);
  // The first event is the start of the first operation.
  EXPECT_EQ(found.elapsed, kSteps * (kWork + kLate + kTransfer) - kWork);
  std::map<path::SegmentKind, std::int64_t> kinds;
  std::map<std::int64_t, std::int64_t> on_cpu;  // by rank
  for (const RankPathSum& each : found.sums) {
    kinds[each.sum.kind] += each.sum.time;
    if (each.sum.kind == path::SegmentKind::kCpu) on_cpu[*each.unit.rank] += each.sum.time;
  }
  EXPECT_EQ(kinds[path::SegmentKind::kTorchCall], kSteps * kTransfer);
  EXPECT_EQ(kinds[path::SegmentKind::kCpu], kSteps * (kWork + kLate) - kWork);
  EXPECT_EQ(kinds.size(), 2U);
  EXPECT_EQ(on_cpu[0], kSteps / kRanks * (kWork + kLate) - kWork);
  EXPECT_EQ(on_cpu[1], kSteps / kRanks * (kWork + kLate));
  EXPECT_EQ(on_cpu[2], kSteps / kRanks * (kWork + kLate));
}

TEST_F(JobPathTest, ReportsThatAreReadTwiceHaveTheSamePath) {
  add_steps(12);
  const JobPath kept = find(kKeptBytes);
  const JobPath twice = find(0);
  EXPECT_EQ(kept.begin, twice.begin);
  EXPECT_EQ(kept.elapsed, twice.elapsed);
  EXPECT_EQ(lines(table_of(kept)), lines(table_of(twice)));
  ASSERT_EQ(kept.pieces.size(), twice.pieces.size());
  std::int64_t time = kept.begin;
  for (std::size_t i = 0; i < kept.pieces.size(); ++i) {
    EXPECT_EQ(kept.pieces[i].start, twice.pieces[i].start);
    EXPECT_EQ(kept.pieces[i].start, time);
    time += kept.pieces[i].duration;
  }
  EXPECT_EQ(time, kept.begin + kept.elapsed);
}

}  // namespace
}  // namespace prof::ranks
