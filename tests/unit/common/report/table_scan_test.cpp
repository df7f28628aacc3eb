#include "common/report/table_scan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/run_sql.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::report {
namespace {

class TableScanTest : public ::testing::Test {
 protected:
  TableScanTest() {
    test::run_sql(path_,
                  "CREATE TABLE StringIds (id, value);"
                  "INSERT INTO StringIds VALUES (3, 'three'), (1, NULL), (2, 'two');");
  }
  ReportReader reader() const { return *ReportReader::open(path_); }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.file("r.db");
};

TEST_F(TableScanTest, VisitsRowsInTheirOrder) {
  std::vector<std::int64_t> ids;
  std::vector<std::string> values;
  const auto file = reader();
  ASSERT_TRUE(scan(file, {"StringIds", {"id", "value"}, {}, "WHERE id > 0"}, [&](const Row& row) {
    ids.push_back(row.integer(0));
    values.emplace_back(row.is_null(1) ? "NULL" : row.text(1));
  }));
  EXPECT_EQ(ids, (std::vector<std::int64_t>{3, 1, 2}));
  EXPECT_EQ(values, (std::vector<std::string>{"three", "NULL", "two"}));
}

TEST_F(TableScanTest, NoRowsNoVisits) {
  const auto file = reader();
  int visits = 0;
  ASSERT_TRUE(scan(file, {"StringIds", {"id"}, {}, "WHERE id > 9"}, [&](const Row&) { ++visits; }));
  EXPECT_EQ(visits, 0);
}

TEST_F(TableScanTest, QueriesWithinAVisit) {
  const auto file = reader();
  std::int64_t sum = 0;
  ASSERT_TRUE(scan(file, {"StringIds", {"id"}}, [&](const Row& row) {
    auto query = file.prepare("SELECT ? + count(*) FROM StringIds");
    query->bind(1, row.integer(0));
    ASSERT_TRUE(query->step());
    sum += query->integer(0);
  }));
  EXPECT_EQ(sum, 15);
}

TEST_F(TableScanTest, TextInPlaceOfANumber) {
  const auto file = reader();
  const auto read =
      scan(file, {"StringIds", {"id", "value"}}, [](const Row& row) { row.integer(1); });
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("text in place of a number (value)"), std::string::npos);
}

TEST_F(TableScanTest, ErrorsAreSqlites) {
  const auto file = reader();
  const auto missing = scan(file, {"StringIds", {"other"}}, [](const Row&) {});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("(no such column: other)"), std::string::npos);
  // Nothing of the first scan remains that a later query could use.
  EXPECT_FALSE(file.prepare("SELECT prof_visit(id) FROM StringIds"));
  EXPECT_TRUE(scan(file, {"StringIds", {"id"}}, [](const Row&) {}));
}

}  // namespace
}  // namespace prof::report
