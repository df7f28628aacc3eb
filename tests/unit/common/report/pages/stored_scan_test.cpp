#include "common/report/pages/stored_scan.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/report/pages/scan_plan.hpp"
#include "common/report/table_scan.hpp"
#include "tests/unit/run_sql.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::report {
namespace {

TEST(ScanPlanTest, TakesNamesNumbersAndDefaults) {
  const auto plan = plan_scan("start, \"end\", NULL, -5, COALESCE(\"end\", 7)", "\"A B\" ");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->table, "A B");
  EXPECT_FALSE(plan->condition);
  ASSERT_EQ(plan->items.size(), 5U);
  EXPECT_EQ(plan->items[0].column, "start");
  EXPECT_EQ(plan->items[1].column, "end");
  EXPECT_EQ(plan->items[2].column, "");
  EXPECT_FALSE(plan->items[2].if_null);
  EXPECT_EQ(plan->items[3].if_null, -5);
  EXPECT_EQ(plan->items[4].column, "end");
  EXPECT_EQ(plan->items[4].if_null, 7);
}

TEST(ScanPlanTest, TakesConditionsOfOneColumn) {
  const auto same = plan_scan("a", "T WHERE b = 59");
  ASSERT_TRUE(same && same->condition);
  EXPECT_EQ(same->condition->column, "b");
  EXPECT_EQ(same->condition->numbers, std::vector<std::int64_t>{59});
  EXPECT_TRUE(same->condition->is_one_of);
  const auto list = plan_scan("a", "T WHERE b IN (59, 60)");
  ASSERT_TRUE(list && list->condition);
  EXPECT_EQ(list->condition->numbers, (std::vector<std::int64_t>{59, 60}));
  const auto other = plan_scan("a", "T WHERE b <> 67");
  ASSERT_TRUE(other && other->condition);
  EXPECT_FALSE(other->condition->is_one_of);
}

TEST(ScanPlanTest, LeavesTheRestToSqlite) {
  for (const char* columns : {"", "a,", "a + b", "a b", "'a'", "MAX(a)", "COALESCE(a, b)",
                              "COALESCE(a, 1", "1.5", "\"a\"\"b\"", "a.b"})
    EXPECT_FALSE(plan_scan(columns, "T")) << columns;
  for (const char* source :
       {"", "T AS t", "T, U", "T JOIN U", "T ORDER BY a", "T WHERE a", "(T)",
        "T WHERE a = 1 AND b = 2", "T WHERE a > 1", "T WHERE a IN (1", "T WHERE (a = 1)", "main.T"})
    EXPECT_FALSE(plan_scan("a", source)) << source;
}

// Tables of several pages, with values of all kinds and sizes.
class StoredScanTest : public ::testing::Test {
 protected:
  StoredScanTest() {
    sql("CREATE TABLE StringIds (id, value);"
        "CREATE TABLE T (id INTEGER PRIMARY KEY, kind INTEGER, start INTEGER, \"end\" INTEGER,"
        "  share REAL, label TEXT, bytes BLOB, loose);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
        "INSERT INTO T SELECT i * 3, CASE i % 5 WHEN 4 THEN NULL ELSE i % 5 + 57 END,"
        "  CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN -1"
        "    ELSE (1 << (7 * (i % 9))) + i END,"
        "  CASE WHEN i % 7 THEN i * 1000000007 END, CASE i % 3 WHEN 0 THEN i / 4.0 ELSE i END,"
        "  CASE WHEN i % 11 THEN 'label ' || i END, CASE WHEN i % 6 = 0 THEN zeroblob(i) END,"
        "  CASE i % 4 WHEN 0 THEN 67 WHEN 1 THEN 67.0 WHEN 2 THEN '67' END FROM n;"
        "ALTER TABLE T ADD COLUMN late INTEGER;"
        "INSERT INTO T (id, kind, late) VALUES (100000, 59, 12);");
  }

  void sql(const std::string& statements) { test::run_sql(path_, statements); }
  ReportReader reader() const { return *ReportReader::open(path_); }

  static std::string rows(const ReportReader& reader, const std::string& columns,
                          const std::string& source, bool numbers = true) {
    std::string all;
    const base::Status read = scan(reader, columns, source, [&](const Row& row) {
      for (int i = 0; i < row.columns(); ++i) {
        if (row.is_null(i))
          all += "NULL";
        else if (numbers)
          all += std::to_string(row.integer(i)) + "/" + std::to_string(row.real(i));
        else
          all += row.text(i);
        all += i + 1 < row.columns() ? "," : "\n";
      }
    });
    return read ? all : read.error().message;
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.file("r.db");
};

TEST_F(StoredScanTest, RowsAreThoseOfSqlite) {
  const auto reader = this->reader();
  const auto check = [&](const std::string& columns, const std::string& condition, bool numbers) {
    const std::string simple = condition.empty() ? "T" : "T WHERE " + condition;
    const std::string queried = "T WHERE (" + (condition.empty() ? "1" : condition) + ")";
    ASSERT_TRUE(StoredScan::open(reader, columns, simple)) << columns << ' ' << condition;
    ASSERT_FALSE(StoredScan::open(reader, columns, queried));
    const std::string stored = rows(reader, columns, simple, numbers);
    EXPECT_GT(stored.size(), 1000U);
    EXPECT_EQ(stored, rows(reader, columns, queried, numbers)) << columns << ' ' << condition;
  };
  for (const char* condition : {"", "kind = 59", "kind <> 59", "kind IN (57, 60)"}) {
    check("id, start, \"end\", share, late", condition, true);
    check("\"end\", \"end\", NULL, 12, COALESCE(\"end\", -4), rowid, kind", condition, true);
    check("label, bytes, id, NULL", condition, false);
    check("share, kind, COALESCE(late, 99)", condition, true);
  }
  check("loose, id", "loose = 67", true);
  check("id, loose", "loose <> 67", false);
}

// `loose` has numbers of both kinds, texts and NULL.
TEST_F(StoredScanTest, RowsOfAWindowAreThoseOfAView) {
  const auto reader = this->reader();
  const std::vector<std::int64_t> kinds = {59, 60};
  const std::vector<std::pair<std::int64_t, std::int64_t>> windows = {
      {-100, 5'000'000}, {20'000'000, 900'000'000'000}, {5, 5}, {66, 67}, {INT64_MIN, INT64_MAX}};
  for (const std::string start_column : {"start", "loose"})
    for (const auto& [start, end] : windows)
      for (const bool has_always : {false, true}) {
        RowWindow window{start_column, "end", start, end};
        if (has_always) window.always = {"kind", kinds, false};
        reader.keep_windows({{"T", window}});
        const std::string in_window = start_column + " <= " + std::to_string(end) +
                                      " AND COALESCE(\"end\", " + start_column +
                                      ") >= " + std::to_string(start);
        const std::string shown = (has_always ? "kind NOT IN (59, 60) OR " : "") + in_window;
        for (const std::string condition : {"", " WHERE kind = 59"}) {
          ASSERT_TRUE(StoredScan::open(reader, "id, share, kind", "T" + condition));
          const std::string queried =
              "(SELECT * FROM T WHERE " + shown + ")" + (condition.empty() ? "" : condition);
          EXPECT_EQ(rows(reader, "id, share, kind", "T" + condition),
                    rows(reader, "id, share, kind", queried))
              << shown << condition;
        }
      }
}

TEST_F(StoredScanTest, TextInPlaceOfANumberIsAnError) {
  const auto reader = this->reader();
  ASSERT_TRUE(StoredScan::open(reader, "id, label", "T"));
  EXPECT_EQ(rows(reader, "id, label", "T"), rows(reader, "id, label", "T WHERE (1)"));
  EXPECT_NE(rows(reader, "id, label", "T").find("text in place of a number (label)"),
            std::string::npos);
}

TEST_F(StoredScanTest, SqliteReadsWhatIsNotInTheRows) {
  sql("CREATE TABLE Small (a); INSERT INTO Small VALUES (1);"
      "CREATE TABLE Computed (a, b AS (a + 1));"
      "CREATE TABLE Filled (a, b DEFAULT 7);"
      "CREATE TABLE Ordered (a PRIMARY KEY) WITHOUT ROWID;");
  for (const char* table : {"Computed (a)", "Filled (a)", "Ordered"})
    sql(std::string("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                    "3000) INSERT INTO ") +
        table + " SELECT i FROM n;");
  const auto reader = this->reader();
  for (const char* table : {"Small", "Computed", "Filled", "Ordered", "Missing"})
    EXPECT_FALSE(StoredScan::open(reader, "a", table)) << table;
  EXPECT_FALSE(StoredScan::open(reader, "missing", "T"));
  EXPECT_FALSE(StoredScan::open(reader, "start", "T WHERE id = 3"));
  // A view of the session stands for the table.
  ASSERT_TRUE(execute(reader.database(), "CREATE TEMP VIEW T AS SELECT 5 AS start"));
  EXPECT_FALSE(StoredScan::open(reader, "start", "T"));
  EXPECT_EQ(rows(reader, "start", "T"), "5/5.000000\n");
}

TEST_F(StoredScanTest, DamagedPagesAreAnError) {
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(0, std::ios::end);
    const auto size = static_cast<std::size_t>(file.tellg());
    const std::string noise(4096, '\x7e');
    for (std::size_t page = size / 4096 / 2; page < size / 4096; ++page) {
      file.seekp(static_cast<std::streamoff>(page * 4096));
      file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
    }
  }
  const auto reader = this->reader();
  ASSERT_TRUE(StoredScan::open(reader, "start", "T"));
  const std::string message = rows(reader, "start", "T");
  EXPECT_NE(message.find("is damaged (table T)"), std::string::npos) << message;
}

}  // namespace
}  // namespace prof::report
