#include "exporters/ranks/job_plan.hpp"

#include <gtest/gtest.h>

namespace prof::ranks {
namespace {

using Texts = std::vector<std::string>;

ReportRank rank(std::int64_t number, std::int64_t attempt = 0) {
  return {{"7", number, "node", ""}, attempt, 4, {}};
}

TEST(JobPlan, NamesRanksWithoutAReport) {
  const JobPlan plan = plan_job({{"a.db", {rank(0)}}, {"b.db", {rank(2)}}});
  EXPECT_EQ(plan.reports.size(), 2U);
  EXPECT_EQ(plan.remarks, Texts{"Without a report: rank 1, 3 of job 7."});
  EXPECT_TRUE(plan.left_out.empty());
}

TEST(JobPlan, LeavesOutARankThatIsInASecondReport) {
  const JobPlan plan =
      plan_job({{"a.db", {rank(0), rank(1)}}, {"b.db", {rank(1), rank(2)}}, {"c.db", {rank(0)}}});
  ASSERT_EQ(plan.reports.size(), 2U);
  ASSERT_EQ(plan.reports[1].ranks.size(), 1U);
  EXPECT_EQ(plan.reports[1].ranks[0].unit.rank, 2);
  EXPECT_EQ(plan.left_out, (Texts{"rank 1 of job 7 of b.db: a.db has it, too",
                                  "rank 0 of job 7 of c.db: a.db has it, too"}));
}

// A rank whose job was started again has events in both reports.
TEST(JobPlan, KeepsTwoAttemptsOfARank) {
  const JobPlan plan = plan_job({{"a.db", {rank(0)}}, {"b.db", {rank(0, 1)}}});
  EXPECT_EQ(plan.reports.size(), 2U);
  EXPECT_TRUE(plan.left_out.empty());
}

TEST(JobPlan, ReportsWithoutRanksAreNumbered) {
  const Unit none{"", {}, "node", "x.sqlite"};
  const JobPlan plan =
      plan_job({{"a.sqlite", {{none, 0, {}, {}}}}, {"b.sqlite", {{none, 0, {}, {}}}}});
  ASSERT_EQ(plan.reports.size(), 2U);
  EXPECT_EQ(plan.reports[1].ranks[0].unit, (Unit{"", 1, "node", ""}));
}

// Beside reports with ranks, such a report has no rank, but its events count.
TEST(JobPlan, OneReportWithoutARankIsKept) {
  const Unit none{"", {}, "node", "b.db"};
  const JobPlan plan = plan_job({{"a.db", {rank(0)}}, {"b.db", {{none, 0, {}, {}}}}});
  ASSERT_EQ(plan.reports.size(), 2U);
  EXPECT_EQ(plan.reports[1].ranks[0].unit, none);
}

}  // namespace
}  // namespace prof::ranks
