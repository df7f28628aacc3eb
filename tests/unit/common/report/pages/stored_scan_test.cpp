#include "common/report/pages/stored_scan.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/report/table_query.hpp"
#include "common/report/table_scan.hpp"
#include "tests/unit/run_sql.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::report {
namespace {

TEST(TableQueryTest, SqlHasColumnsConstantsAndDefaults) {
  EXPECT_EQ(columns_sql({"start", "end", ScanColumn::null(), ScanColumn::constant(-5),
                         ScanColumn::or_else("end", 7), ScanColumn::expression("a + b")}),
            "start, end, NULL, -5, COALESCE(end, 7), a + b");
  EXPECT_EQ(columns_sql(ScanColumns{"a"} + ScanColumns{"b", "c"}), "a, b, c");
}

TEST(TableQueryTest, SqlSelectsRows) {
  EXPECT_EQ(source_sql({"A B", {"a"}}), "\"A B\"");
  EXPECT_EQ(source_sql({"T", {"a"}, RowCondition{"b", {59, 60}}, "AND c IS NULL"}),
            "\"T\" WHERE b IN (59, 60) AND c IS NULL");
  TableQuery query{"T", {"a"}, RowCondition{"b", {67}, false}};
  query.ignores_filter = true;
  EXPECT_EQ(source_sql(query), "main.\"T\" WHERE b NOT IN (67)");
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

  // Collects rows as text.
  struct Rows {
    std::string all = {};
    bool as_numbers = true;

    void operator()(const Row& row) {
      for (int i = 0; i < row.columns(); ++i) {
        if (row.is_null(i))
          all += "NULL";
        else if (as_numbers)
          all += std::to_string(row.integer(i)) + "/" + std::to_string(row.real(i));
        else
          all += row.text(i);
        all += i + 1 < row.columns() ? "," : "\n";
      }
    }
  };

  static std::string rows(const ReportReader& reader, const TableQuery& query,
                          bool as_numbers = true) {
    Rows rows{.as_numbers = as_numbers};
    const base::Status read = scan(reader, query, [&](const Row& row) { rows(row); });
    return read ? rows.all : read.error().message;
  }
  // Returns the rows as SQLite reads them.
  static std::string queried_rows(const ReportReader& reader, const ScanColumns& columns,
                                  const std::string& source, bool as_numbers = true) {
    Rows rows{.as_numbers = as_numbers};
    const base::Status read =
        scan_sql(reader, columns_sql(columns), source, [&](const Row& row) { rows(row); });
    return read ? rows.all : read.error().message;
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.file("r.db");
};

TEST_F(StoredScanTest, RowsAreThoseOfSqlite) {
  const auto reader = this->reader();
  const auto check = [&](const ScanColumns& columns, const std::optional<RowCondition>& condition,
                         bool as_numbers) {
    const TableQuery query{"T", columns, condition};
    const std::string sql = source_sql(query);
    ASSERT_TRUE(StoredScan::open(reader, query)) << columns_sql(columns) << ' ' << sql;
    const std::string stored = rows(reader, query, as_numbers);
    EXPECT_GT(stored.size(), 1000U);
    EXPECT_EQ(stored, queried_rows(reader, columns, sql, as_numbers))
        << columns_sql(columns) << ' ' << sql;
  };
  const std::optional<RowCondition> conditions[] = {
      {},
      RowCondition{"kind", {59}},
      RowCondition{"kind", {59}, false},
      RowCondition{"kind", {57, 60}},
  };
  for (const auto& condition : conditions) {
    check({"id", "start", "end", "share", "late"}, condition, true);
    check({"end", "end", ScanColumn::null(), ScanColumn::constant(12),
           ScanColumn::or_else("end", -4), "rowid", "kind"},
          condition, true);
    check({"label", "bytes", "id", ScanColumn::null()}, condition, false);
    check({"share", "kind", ScanColumn::or_else("late", 99)}, condition, true);
  }
  check({"loose", "id"}, RowCondition{"loose", {67}}, true);
  check({"id", "loose"}, RowCondition{"loose", {67}, false}, false);
}

// `loose` has numbers of both kinds, texts and NULL.
TEST_F(StoredScanTest, RowsOfAWindowAreThoseOfAView) {
  const auto reader = this->reader();
  const std::vector<std::int64_t> kinds = {59, 60};
  const std::vector<std::pair<std::int64_t, std::int64_t>> windows = {
      {-100, 5'000'000}, {20'000'000, 900'000'000'000}, {5, 5}, {66, 67}, {INT64_MIN, INT64_MAX}};
  const ScanColumns columns{"id", "share", "kind"};
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
        for (const bool has_condition : {false, true}) {
          TableQuery query{"T", columns};
          if (has_condition) query.condition = {"kind", {59}};
          ASSERT_TRUE(StoredScan::open(reader, query));
          const std::string queried =
              "(SELECT * FROM T WHERE " + shown + ")" + (has_condition ? " WHERE kind = 59" : "");
          EXPECT_EQ(rows(reader, query), queried_rows(reader, columns, queried))
              << shown << has_condition;
          query.ignores_filter = true;
          EXPECT_EQ(rows(reader, query), queried_rows(reader, columns, source_sql(query)));
        }
      }
}

TEST_F(StoredScanTest, TextInPlaceOfANumberIsAnError) {
  const auto reader = this->reader();
  const TableQuery query{"T", {"id", "label"}};
  ASSERT_TRUE(StoredScan::open(reader, query));
  EXPECT_EQ(rows(reader, query), queried_rows(reader, query.columns, "T"));
  EXPECT_NE(rows(reader, query).find("text in place of a number (label)"), std::string::npos);
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
    EXPECT_FALSE(StoredScan::open(reader, {table, {"a"}})) << table;
  EXPECT_FALSE(StoredScan::open(reader, {"T", {"missing"}}));
  EXPECT_FALSE(StoredScan::open(reader, {"T", {"start"}, RowCondition{"id", {3}}}));
  EXPECT_FALSE(StoredScan::open(reader, {"T", {ScanColumn::expression("start + 1")}}));
  EXPECT_FALSE(StoredScan::open(reader, {"T", {"start"}, {}, "WHERE start > 3"}));
  // A view of the session stands for the table.
  ASSERT_TRUE(execute(reader.database(), "CREATE TEMP VIEW T AS SELECT 5 AS start"));
  TableQuery query{"T", {"start"}};
  EXPECT_FALSE(StoredScan::open(reader, query));
  EXPECT_EQ(rows(reader, query), "5/5.000000\n");
  query.ignores_filter = true;
  EXPECT_TRUE(StoredScan::open(reader, query));
  EXPECT_EQ(rows(reader, query), queried_rows(reader, {"start"}, "main.T"));
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
  const TableQuery query{"T", {"start"}};
  ASSERT_TRUE(StoredScan::open(reader, query));
  const std::string message = rows(reader, query);
  EXPECT_NE(message.find("is damaged (table T)"), std::string::npos) << message;
}

}  // namespace
}  // namespace prof::report
