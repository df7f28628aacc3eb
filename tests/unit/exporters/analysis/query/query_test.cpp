// SQL of users: what it may do, how it ends, and what it says.
#include "exporters/analysis/query/query.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "exporters/analysis/query/named_views.hpp"
#include "exporters/analysis/query/table_schema.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::query {
namespace {

constexpr const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";

class QueryTest : public test::ReportFixture {
 protected:
  QueryTest() {
    create_kernels();
    add_kernel(100, 300, 12, 1);
    add_kernel(400, 450, 12, 2);
    create_api();
    add_call(50, 60, 12, 1);
    create_ranges();
    add_range(10, "500", 12, "step");
  }

  report::ReportReader opened() const {
    auto reader = report::ReportReader::open(path());
    if (!reader) ADD_FAILURE() << reader.error().message;
    EXPECT_TRUE(make_named_views(*reader));
    return std::move(*reader);
  }

  base::Result<QueryResult> run(Request request) const { return run_query(opened(), request); }

  // The rows as CSV.
  std::vector<std::string> rows(const std::string& sql) const {
    auto result = run({sql});
    if (!result) return {result.error().message};
    std::vector<std::string> all = lines(result->table);
    all.erase(all.begin());
    return all;
  }

  std::string refusal(const std::string& sql) const {
    Request request{sql};
    request.time = std::chrono::milliseconds(200);
    const auto result = run(request);
    return result ? "" : result.error().message;
  }
};

using Lines = std::vector<std::string>;

TEST_F(QueryTest, NamedViewsHaveNamesDurationsAndProcesses) {
  EXPECT_EQ(rows("SELECT id, start, \"end\", dur, name, pid, blocks FROM kernels"),
            (Lines{"1,100,300,200,f(int),12,6", "2,400,450,50,f(int),12,6"}));
  EXPECT_EQ(rows("SELECT name, api, pid, tid, dur FROM calls"),
            (Lines{"cudaLaunchKernel_v7000,cuda,12,12,10"}));
  EXPECT_EQ(rows("SELECT name, kind, dur FROM ranges"), (Lines{"step,push_pop,490"}));
}

TEST_F(QueryTest, TablesOfTheReportKeepTheirNames) {
  sql("CREATE TABLE kernels (mine); INSERT INTO kernels VALUES (7)");
  EXPECT_EQ(rows("SELECT mine FROM kernels"), (Lines{"7"}));
}

TEST_F(QueryTest, ResultsAreBounded) {
  const auto rows = run({std::string(kEndless) + "i FROM n", 3});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->table.rows.size(), 3U);
  EXPECT_EQ(rows->cut, Cut::kRows);
  const auto bytes = run({std::string(kEndless) + "i FROM n", 1000, 120});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->table.rows.size(), 10U);
  EXPECT_EQ(bytes->cut, Cut::kBudget);
  const auto value = run({"SELECT printf('%.*c', 9000, 'x')"});
  ASSERT_TRUE(value);
  EXPECT_EQ(value->cut, Cut::kValue);
  const auto whole = run({"SELECT 1"});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->cut, Cut::kNothing);
}

TEST_F(QueryTest, ColumnsHaveUnits) {
  const auto result = run({"SELECT name, dur, sum(dur) AS total FROM kernels"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->units, (Lines{"", "ns", ""}));
}

TEST_F(QueryTest, JsonSaysWhatWasCutAndHidesNothing) {
  const auto result =
      run({"SELECT dur, char(8238) || 'x' AS t, NULL AS n, 1.5 AS r FROM kernels", 1});
  ASSERT_TRUE(result);
  const std::string json = query_json(*result);
  EXPECT_NE(
      json.find(R"("columns":[{"name":"dur","unit":"ns"},{"name":"t"},{"name":"n"},{"name":"r"}])"),
      std::string::npos);
  EXPECT_NE(
      json.find(R"("rows":[[200,"\u202ex",null,1.5]],"truncated":true,"truncated_by":"rows")"),
      std::string::npos);
}

TEST_F(QueryTest, StatementsThatDoMoreThanReadAreRefused) {
  for (const char* sql :
       {"DELETE FROM StringIds", "ATTACH 'x.db' AS x", "CREATE TABLE x (y)",
        "CREATE TEMP VIEW x AS SELECT 1", "PRAGMA journal_mode = WAL", "BEGIN", "ANALYZE",
        "PRAGMA temp_store_directory = '/'", "SELECT * FROM pragma_database_list"})
    EXPECT_NE(refusal(sql).find("can only read"), std::string::npos) << sql << refusal(sql);
  for (const char* sql : {"SELECT load_extension('x')", "SELECT randomblob(9)"})
    EXPECT_NE(refusal(sql).find("is not allowed"), std::string::npos) << sql << refusal(sql);
  EXPECT_EQ(refusal("VACUUM INTO 'x.db'"), "the statement is not a query: it has no columns");
  EXPECT_EQ(refusal("SELECT 1; SELECT 2"), "only one statement at a time can run");
}

TEST_F(QueryTest, LargeValuesAndStatementsAreRefused) {
  for (const char* sql : {"SELECT zeroblob(1e9)", "SELECT hex(zeroblob(900000))",
                          "SELECT replace(printf('%.*c', 900000, 'x'), 'x', 'yyyy')"})
    EXPECT_EQ(refusal(sql), "a value of the query is larger than 1,000,000 bytes") << sql;
  EXPECT_NE(refusal("SELECT '" + std::string(1'000'000, 'x') + "'").find("at most 10000"),
            std::string::npos);
  EXPECT_NE(refusal("SELECT 'x' LIKE '" + std::string(200, '%') + "'"), "");
  EXPECT_NE(refusal("SELECT " + std::string(500, '(') + "1" + std::string(500, ')')), "");
}

TEST_F(QueryTest, EndlessStatementsAreStopped) {
  for (const char* part : {"count(*) FROM n", "i FROM n WHERE i < 0",
                           "sum(length(replace(printf('%.*c', 90000, 'a'), 'a', 'b'))) FROM n"})
    EXPECT_NE(refusal(kEndless + std::string(part)).find("was stopped"), std::string::npos) << part;
}

// The first query would never end. The second one has not begun when it is cancelled.
TEST_F(QueryTest, StatementsAreCancelled) {
  Request request{kEndless + std::string("count(*) FROM n")};
  request.time = std::chrono::hours(1);
  std::stop_source stop;
  request.stop = stop.get_token();
  std::jthread canceller([&stop] { stop.request_stop(); });
  EXPECT_FALSE(run(request));
  EXPECT_FALSE(run(request));
}

TEST_F(QueryTest, RowsAreSkipped) {
  Request request{kEndless + std::string("i FROM n LIMIT 5")};
  request.rows = 2;
  request.skipped = 1;
  auto result = run(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(lines(result->table), (Lines{"i", "2", "3"}));
  EXPECT_EQ(result->cut, Cut::kRows);
  request.skipped = 3;
  result = run(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(lines(result->table), (Lines{"i", "4", "5"}));
  EXPECT_EQ(result->cut, Cut::kNothing);
}

TEST_F(QueryTest, MessagesNameTheNearestTableAndColumn) {
  EXPECT_EQ(refusal("SELECT * FROM kernel"),
            "no table kernel; did you mean kernels?; --schema lists the tables of this report");
  EXPECT_EQ(
      refusal("SELECT pidd FROM ranges"),
      "no column pidd; did you mean pid?; ranges has id, start, end, dur, name, kind, domain, "
      "pid, tid");
  EXPECT_EQ(refusal("SELECT duration FROM CUPTI_ACTIVITY_KIND_RUNTIME").substr(0, 55),
            "no column duration; did you mean \"end\" - start?; CUPTI_");
  // A name in double quotes is a column, never a text.
  EXPECT_EQ(refusal("SELECT \"nme\" FROM kernels").substr(0, 33),
            "no column nme; did you mean name?");
}

TEST_F(QueryTest, ASandboxEndsWithItsQuery) {
  const auto reader = opened();
  EXPECT_FALSE(run_query(reader, {"PRAGMA cache_size = 1"}));
  EXPECT_TRUE(report::execute(reader.database(), "PRAGMA cache_size = 1"));
}

TEST_F(QueryTest, TheSchemaHasRowsColumnsAndUnits) {
  const auto text = schema_text(opened(), kSchemaBytes);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("kernels (2 rows): id, start ns, end ns, dur ns, name"), std::string::npos);
  EXPECT_NE(text->find("CUPTI_ACTIVITY_KIND_KERNEL (2 rows): start ns, end ns, deviceId"),
            std::string::npos);
  const auto table = table_text(opened(), "NVTX_EVENTS", kSchemaBytes);
  ASSERT_TRUE(table);
  EXPECT_NE(table->find("\n  start [ns]\n"), std::string::npos) << *table;
  EXPECT_FALSE(table_text(opened(), "kernel", kSchemaBytes));
}

TEST_F(QueryTest, TheSchemaFitsItsBudget) {
  std::string tables = "BEGIN;";
  for (int i = 0; i < 300; ++i)
    tables += "CREATE TABLE a_table_with_a_long_name_" + std::to_string(i) +
              " (a_column, another_column); INSERT INTO a_table_with_a_long_name_" +
              std::to_string(i) + " VALUES (1, 2);";
  sql(tables + "COMMIT");
  const auto text = schema_text(opened(), kSchemaBytes);
  ASSERT_TRUE(text);
  EXPECT_LE(text->size(), kSchemaBytes);
  EXPECT_NE(text->find(" more: SELECT name FROM sqlite_master"), std::string::npos);
}

}  // namespace
}  // namespace prof::query
