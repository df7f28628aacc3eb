#include <algorithm>

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/gpu_fixture.hpp"
#include "tests/unit/exporters/viewer/answers/served_reports.hpp"

namespace prof::test {
namespace {

using Json = nlohmann::json;

class StatisticAnswers : public GpuFixture {
 protected:
  StatisticAnswers() {
    create_api();
    add_call(0, 10, 9, 1);
    add_call(20, 40, 9, 2);
    add({100, 200, 1});
    add({300, 500, 2});
    add({600, 601, 3, 0, 7, 4});
  }
  std::vector<std::string> names(const ServedReports& served) {
    std::vector<std::string> result;
    const Json list = served.get("statistics");
    for (const Json& each : list["statistics"]) result.push_back(each["name"]);
    return result;
  }
};

TEST_F(StatisticAnswers, AreThoseOfTablesWithRows) {
  create_ranges();  // no rows
  const ServedReports served({path()});
  const auto all = names(served);
  const auto has = [&](const char* name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  EXPECT_TRUE(has("cuda_gpu_kern_sum"));
  EXPECT_TRUE(has("cuda_api_sum"));
  EXPECT_TRUE(has("cuda_gpu_trace"));
  EXPECT_FALSE(has("nvtx_sum"));
  EXPECT_FALSE(has("osrt_sum"));
  EXPECT_EQ(all.front(), "gpu_time_breakdown");
  EXPECT_TRUE(all.back().ends_with("_trace"));
}

TEST_F(StatisticAnswers, HaveTheFiguresOfTheStatistic) {
  const ServedReports served({path()});
  const Json answer = served.get("statistic", {{"name", "cuda_gpu_kern_sum"}});
  EXPECT_EQ(answer["title"], "CUDA GPU Kernel Summary");
  EXPECT_EQ(answer["columns"][0],
            Json({{"header", "Time (%)"}, {"kind", "real"}, {"decimals", 1}}));
  ASSERT_EQ(answer["rows"].size(), 2);
  EXPECT_EQ(answer["rows"][0][1], 300);  // total
  EXPECT_EQ(answer["rows"][0][2], 2);    // instances
  EXPECT_EQ(answer["rows"][0].back(), "f(int)");
  EXPECT_EQ(answer["more"], 0);
}

TEST_F(StatisticAnswers, EqualThoseOfTheCatalogInASpan) {
  const ServedReports served({path()});
  for (const std::string& name : names(served)) {
    const auto file = reader();
    ASSERT_TRUE(events::make_views(file, {150, 400}));
    const auto table = stats::run(*stats::find_statistic(name), file, {});
    ASSERT_TRUE(table);
    const Json answer = served.get("statistic", {{"name", name}, {"from", "150"}, {"to", "400"}});
    ASSERT_EQ(answer["rows"].size(), table->rows.size()) << name;
    for (std::size_t i = 0; i < table->rows.size(); ++i)
      for (std::size_t j = 0; j < table->columns.size(); ++j)
        if (const auto* whole = std::get_if<std::int64_t>(&table->rows[i][j])) {
          EXPECT_EQ(answer["rows"][i][j], *whole) << name;
        }
  }
}

TEST_F(StatisticAnswers, OfARowHaveItsThreadOnly) {
  add_call(50, 90, 8, 1);  // another process
  const ServedReports served({path()});
  const Json all = served.get("statistic", {{"name", "cuda_api_sum"}});
  EXPECT_EQ(all["rows"][0][2], 3);
  const Json one =
      served.get("statistic", {{"name", "cuda_api_sum"}, {"row", served.row_id("thread")}});
  EXPECT_EQ(one["rows"][0][2], served.row("thread")["note"] == "tid 8" ? 1 : 2);
}

TEST_F(StatisticAnswers, TakeArguments) {
  const ServedReports served({path()});
  const Json answer = served.get("statistic", {{"name", "cuda_gpu_kern_sum:base"}});
  EXPECT_EQ(answer["rows"][0].back(), "f");
}

TEST_F(StatisticAnswers, AreCutAtTheLimit) {
  const ServedReports served({path()});
  const Json answer = served.get("statistic", {{"name", "cuda_gpu_trace"}, {"limit", "1"}});
  EXPECT_EQ(answer["rows"].size(), 1);
  EXPECT_EQ(answer["more"], 2);
}

TEST_F(StatisticAnswers, SayWhatWasLeftOut) {
  add({900, 800});  // ends before it starts
  const ServedReports served({path()});
  const Json answer = served.get("statistic", {{"name", "cuda_gpu_kern_sum"}});
  EXPECT_NE(answer["note"].get<std::string>().find("1 rows of CUPTI_ACTIVITY_KIND_KERNEL"),
            std::string::npos);
}

TEST_F(StatisticAnswers, RefuseWhatIsWrong) {
  const ServedReports served({path()});
  EXPECT_EQ(served.fault("statistic"), 404);
  EXPECT_EQ(served.fault("statistic", {{"name", "no_sum"}}), 404);
  EXPECT_EQ(served.fault("statistic", {{"name", "cuda_api_sum:base"}}), 400);
  EXPECT_EQ(served.fault("statistic", {{"name", "cuda_api_sum"}, {"limit", "0"}}), 400);
  EXPECT_EQ(served.fault("statistic", {{"name", "cuda_api_sum"}, {"report", "1"}}), 400);
  EXPECT_EQ(served.fault("statistic", {{"name", "cuda_api_sum"}, {"row", "999"}}), 404);
  EXPECT_EQ(served.fault("statistics", {{"report", "-1"}}), 400);
}

TEST_F(StatisticAnswers, AreJsonWhateverTheNamesAre) {
  sql("UPDATE StringIds SET value = CAST(x'3C73637269707427FF00220A5C' AS TEXT) WHERE id = 2");
  const ServedReports served({path()});
  for (const std::string& name : names(served)) served.get("statistic", {{"name", name}});
}

}  // namespace
}  // namespace prof::test
