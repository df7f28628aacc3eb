#include "exporters/analysis/stats/user_report.hpp"

#include <fstream>

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

class UserReportTest : public test::ReportFixture {
 protected:
  UserReport with(const std::string& query) {
    std::ofstream(path_) << query;
    return *UserReport::read(path_);
  }
  std::string error_of(const std::string& query) {
    const auto file = reader();
    const auto table = with(query).run(file);
    return table ? "" : table.error().message.substr(path_.size());
  }

  test::TemporaryDirectory folder_;
  std::string path_ = folder_.file("mine.sql");
};

TEST_F(UserReportTest, TitleAndKindsOfColumns) {
  const UserReport report = with(
      "-- My Strings\nSELECT id AS \"Time (ns)\", id * 1.5 AS Half, value AS Name, NULL AS Empty "
      "FROM StringIds WHERE id < 2;\n");
  EXPECT_EQ(report.title, "My Strings");
  const auto file = reader();
  const auto table = report.run(file);
  EXPECT_EQ(lines(table), (std::vector<std::string>{"Time (ns),Half,Name,Empty", "0,0.000,zero,",
                                                    "1,1.500,cudaLaunchKernel_v7000,"}));
  EXPECT_EQ(table->columns[0].kind, tables::CellKind::kInteger);
  EXPECT_EQ(table->columns[2].kind, tables::CellKind::kText);
}

TEST_F(UserReportTest, WithoutATitle) { EXPECT_EQ(with("SELECT 1").title, "mine"); }

TEST_F(UserReportTest, RealsAmongIntegers) {
  const auto file = reader();
  EXPECT_EQ(lines(with("SELECT 1 AS x UNION ALL SELECT 2.5").run(file)),
            (std::vector<std::string>{"x", "1.000", "2.500"}));
}

TEST_F(UserReportTest, Errors) {
  EXPECT_EQ(error_of("SELECT absent FROM StringIds"), ": no such column: absent");
  EXPECT_EQ(error_of("-- only a title\n"), " is not a query: it has no columns");
  EXPECT_EQ(error_of("DELETE FROM StringIds"), " is not a query: it has no columns");
  const auto none = UserReport::read(folder_.file("none.sql"));
  EXPECT_NE(none.error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace prof::stats
