#include "exporters/arrow/report_streams.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/exporters/arrow/stream_reader.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::arrow {
namespace {

using test::read_all;
using test::ReadStream;
using Texts = std::vector<std::string>;

class ReportStreams : public test::ReportFixture {
 protected:
  ReadStream read(const std::string& table, const StreamOptions& options = {},
                  std::size_t batch_rows = kUsualBatchRows) {
    auto source = stream_table(path(), table, options);
    if (!source) return {{}, 0, source.error().message};
    return read_all(std::move(*source), batch_rows);
  }
  // NVTX_EVENTS with the columns of nsys whose types differ.
  void create_events() {
    sql("CREATE TABLE NVTX_EVENTS (\n"
        "  -- All kinds.\n"
        "  start INTEGER NOT NULL, -- Event start timestamp (ns).\n"
        "  end INTEGER,\n"
        "  eventType INTEGER NOT NULL,\n"
        "  text TEXT,\n"
        "  globalTid INTEGER,\n"
        "  textId INTEGER,\n"
        "  doubleValue REAL,\n"
        "  int32Value INTEGER,\n"
        "  floatValue REAL,\n"
        "  other INTEGER\n"
        ");");
  }
  void create_ranges() {
    sql("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid "
        "INTEGER, endGlobalTid INTEGER, domainId INTEGER, text TEXT, textId INTEGER);");
  }
  void add_range(std::int64_t start, std::int64_t end, std::int64_t pid, const std::string& text) {
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, {}, NULL, 0, '{}', NULL);", start,
                    end, test::global_id(pid, pid), text));
  }
};

TEST_F(ReportStreams, ColumnsHaveTheTypesOfNsysAndTheirComments) {
  create_events();
  auto source = stream_table(path(), "NVTX_EVENTS", {});
  ASSERT_TRUE(source) << source.error().message;
  const Schema& schema = (*source)->schema();
  EXPECT_EQ(schema.metadata,
            (Metadata{{"table_name", "NVTX_EVENTS"}, {"table_desc", "All kinds."}}));
  EXPECT_EQ(schema.columns[0].metadata, (Metadata{{"field_desc", "Event start timestamp (ns)."}}));
  Texts formats;
  for (const test::ReadColumn& column : read_all(std::move(*source)).columns)
    formats.push_back(column.format);
  EXPECT_EQ(formats, (Texts{"l!", "l", "I!", "U", "L", "I", "g", "i", "f", "l"}));
}

TEST_F(ReportStreams, ValuesOfEachSizeAndKindAreThoseOfSqlite) {
  create_events();
  sql("INSERT INTO NVTX_EVENTS VALUES"
      "(0, 1, 59, 'a', -1, 4294967295, 1.5, -2147483648, 0.5, -1),"
      "(-128, 127, 60, '', NULL, NULL, 2, 2147483647, 3, 9223372036854775807),"
      "(-32768, 8388607, 34, NULL, 281474976710656, 65536, NULL, NULL, NULL, NULL),"
      "(140737488355327, -140737488355328, 0, 'b', 2, 3, -0.25, 0, 1e10, "
      "-9223372036854775808);");
  const ReadStream stream = read("NVTX_EVENTS");
  ASSERT_EQ(stream.error, "");
  const auto& columns = stream.columns;
  EXPECT_EQ(columns[0].values, (Texts{"0", "-128", "-32768", "140737488355327"}));
  EXPECT_EQ(columns[1].values, (Texts{"1", "127", "8388607", "-140737488355328"}));
  EXPECT_EQ(columns[2].values, (Texts{"59", "60", "34", "0"}));
  EXPECT_EQ(columns[3].values, (Texts{"a", "", "NULL", "b"}));
  EXPECT_EQ(columns[4].values, (Texts{"18446744073709551615", "NULL", "281474976710656", "2"}));
  EXPECT_EQ(columns[5].values, (Texts{"4294967295", "NULL", "65536", "3"}));
  EXPECT_EQ(columns[6].values, (Texts{"1.5", "2", "NULL", "-0.25"}));
  EXPECT_EQ(columns[7].values, (Texts{"-2147483648", "2147483647", "NULL", "0"}));
  EXPECT_EQ(columns[8].values, (Texts{"0.5", "3", "NULL", "10000000000"}));
  EXPECT_EQ(columns[9].values,
            (Texts{"-1", "9223372036854775807", "NULL", "-9223372036854775808"}));
}

TEST_F(ReportStreams, AColumnThatIsTheRowidHasItsValues) {
  sql("INSERT INTO StringIds VALUES (-3, 'below'), (1000000, 'far');");
  const ReadStream stream = read("StringIds", {}, 2);
  ASSERT_EQ(stream.error, "");
  EXPECT_EQ(stream.columns[0].values, (Texts{"-3", "0", "1", "2", "3", "4", "1000000"}));
  EXPECT_EQ(stream.columns[1].values.front(), "below");
  EXPECT_EQ(stream.batches, 4U);
}

TEST_F(ReportStreams, ManyPagesAndTextsLongerThanPagesAreComplete) {
  sql("CREATE TABLE T (a INTEGER NOT NULL, b TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29999) "
      "INSERT INTO T SELECT i, CASE i % 1000 WHEN 0 THEN printf('%.*c', i + 1, 'x') ELSE i END "
      "FROM n; DELETE FROM T WHERE a % 7 = 3;");
  const ReadStream stream = read("T", {}, 1000);
  ASSERT_EQ(stream.error, "");
  std::size_t row = 0;
  for (int i = 0; i < 30000; ++i) {
    if (i % 7 == 3) continue;
    ASSERT_EQ(stream.columns[0].values[row], std::to_string(i));
    const std::string text =
        i % 1000 == 0 ? std::string(static_cast<std::size_t>(i) + 1, 'x') : std::to_string(i);
    ASSERT_EQ(stream.columns[1].values[row], text);
    ++row;
  }
  EXPECT_EQ(row, stream.columns[0].values.size());
}

TEST_F(ReportStreams, TablesThatOnlySqliteReadsAreReadWithIt) {
  sql("CREATE TABLE W (a TEXT PRIMARY KEY, b INTEGER) WITHOUT ROWID;"
      "INSERT INTO W VALUES ('x', 1), ('w', 2);"
      "CREATE TABLE L (a INTEGER); INSERT INTO L VALUES (1);"
      "ALTER TABLE L ADD COLUMN b INTEGER DEFAULT 7; ALTER TABLE L ADD COLUMN c TEXT;"
      "INSERT INTO L VALUES (2, 3, 'z');"
      "CREATE TABLE N (a INTEGER); INSERT INTO N VALUES (1);"
      "ALTER TABLE N ADD COLUMN b INTEGER;");
  EXPECT_EQ(read("W").columns[0].values, (Texts{"w", "x"}));
  EXPECT_EQ(read("L").columns[1].values, (Texts{"7", "3"}));
  EXPECT_EQ(read("L").columns[2].values, (Texts{"NULL", "z"}));
  EXPECT_EQ(read("N").columns[1].values, (Texts{"NULL"}));
}

// More forms of rows than there are plans for them; SQLite reads the copy without rowids.
TEST_F(ReportStreams, RowsOfManyFormsAreThoseOfSqlite) {
  sql("CREATE TABLE T (id INTEGER PRIMARY KEY, a INTEGER, b REAL, c INTEGER, d, e INTEGER);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
      "INSERT INTO T SELECT i, 1 << i * 7 % 62, i * 0.5, CASE i * 31 % 11 WHEN 0 THEN NULL "
      "ELSE -1 << i * 13 % 62 END, CASE i % 9 WHEN 0 THEN 'text ' || i ELSE i % 2 END, "
      "i * 2654435761 % 4294967296 >> i % 32 FROM n;"
      "ALTER TABLE T ADD COLUMN f INTEGER; INSERT INTO T VALUES (9999, 1, 2, 3, 4, 5, 6);"
      "CREATE TABLE W (id INTEGER PRIMARY KEY, a INTEGER, b REAL, c INTEGER, d, e INTEGER, "
      "f INTEGER) WITHOUT ROWID; INSERT INTO W SELECT * FROM T;");
  const auto same = [&](const StreamOptions& options, std::size_t batch_rows) {
    const ReadStream pages = read("T", options, batch_rows);
    const ReadStream queried = read("W", options, batch_rows);
    ASSERT_EQ(pages.error + queried.error, "");
    for (std::size_t i = 0; i < pages.columns.size(); ++i)
      EXPECT_EQ(pages.columns[i].values, queried.columns[i].values) << pages.columns[i].name;
  };
  same({.columns = {"id", "a", "b", "c", "e", "f"}}, 700);
  same({.columns = {"e", "id", "a"}}, 5001);
  same({.columns = {"c"}}, 64);
}

// Columns that are NULL, 0 or 1 in all rows of a batch, or only in its first ones; with a text,
// rows have no plan.
TEST_F(ReportStreams, ColumnsThatBeginWithEqualRowsAreThoseOfSqlite) {
  const std::string kColumns =
      "(id INTEGER PRIMARY KEY, zero INTEGER NOT NULL, one INTEGER, none INTEGER, noText TEXT, "
      "noReal REAL, zeroText TEXT, a INTEGER, b INTEGER, c INTEGER, d INTEGER, e TEXT, f REAL, "
      "g INTEGER, h INTEGER, start INTEGER, deviceId INTEGER)";
  sql("CREATE TABLE T " + kColumns + "; CREATE TABLE W " + kColumns +
      " WITHOUT ROWID;"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
      "INSERT INTO T SELECT i, 0, 1, NULL, NULL, NULL, NULL, iif(i < 40, 0, i), iif(i < 41, 1, 0), "
      "iif(i < 42, NULL, 1), iif(i < 43, 1, NULL), iif(i % 90 = 44, 'text', NULL), "
      "iif(i < 45, NULL, 0), iif(i < 46, 0, iif(i < 60, 1, NULL)), iif(i % 2 = 1, NULL, 0), "
      "iif(i < 47, 1, i << 20), iif(i > 48, 1, 0) FROM n;"
      "INSERT INTO W SELECT * FROM T;");
  for (const std::size_t batch_rows : {1, 2, 37, 64, 1000}) {
    const ReadStream pages = read("T", {}, batch_rows);
    const ReadStream queried = read("W", {}, batch_rows);
    ASSERT_EQ(pages.error + queried.error, "");
    for (std::size_t i = 0; i < pages.columns.size(); ++i)
      EXPECT_EQ(pages.columns[i].values, queried.columns[i].values)
          << pages.columns[i].name << ' ' << batch_rows;
  }
}

TEST_F(ReportStreams, BatchesWithMoreEqualRowsThanShareMemory) {
  constexpr std::size_t kRows = kMaxUniformRows + 9;
  sql(
      fmt::format("CREATE TABLE T (zero INTEGER, one INTEGER, none INTEGER, noText TEXT);"
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
                  "INSERT INTO T SELECT 0, 1, NULL, NULL FROM n;",
                  kRows));
  const ReadStream stream = read("T", {}, kRows);
  ASSERT_EQ(stream.error, "");
  EXPECT_EQ(stream.batches, 1U);
  EXPECT_EQ(stream.columns[0].values, Texts(kRows, "0"));
  EXPECT_EQ(stream.columns[1].values, Texts(kRows, "1"));
  EXPECT_EQ(stream.columns[2].values, Texts(kRows, "NULL"));
  EXPECT_EQ(stream.columns[3].values, Texts(kRows, "NULL"));
}

TEST_F(ReportStreams, RowsWithMoreColumnsThanAPlanHas) {
  std::string columns = "c0 INTEGER";
  std::string values = "0";
  for (int i = 1; i < 100; ++i) {
    columns += fmt::format(", c{} INTEGER", i);
    values += fmt::format(", {}", i * i);
  }
  sql(fmt::format("CREATE TABLE T ({0}); INSERT INTO T VALUES ({1}), ({1});", columns, values));
  const ReadStream stream = read("T");
  ASSERT_EQ(stream.error, "");
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(stream.columns[i].values, Texts(2, std::to_string(i * i)));
}

TEST_F(ReportStreams, ColumnsCanBeChosen) {
  create_events();
  sql("INSERT INTO NVTX_EVENTS (start, eventType, text) VALUES (5, 59, 'a');");
  const ReadStream stream = read("NVTX_EVENTS", {.columns = {"text", "start"}});
  ASSERT_EQ(stream.columns.size(), 2U);
  EXPECT_EQ(stream.columns[0].values, (Texts{"a"}));
  EXPECT_EQ(stream.columns[1].values, (Texts{"5"}));
  EXPECT_EQ(read("NVTX_EVENTS", {.columns = {"none"}}).error.substr(0, 30),
            "NVTX_EVENTS has no column none");
  EXPECT_EQ(read("NVTX_EVENTS", {.columns = {"text", "text"}}).error,
            "column text is asked for twice");
}

TEST_F(ReportStreams, FiltersSelectEvents) {
  create_ranges();
  add_range(0, 10, 5, "a");
  add_range(20, 30, 5, "b");
  add_range(25, 40, 6, "c");
  sql("CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT); INSERT INTO PROCESSES "
      "VALUES (" +
      std::to_string(test::global_id(6, 0)) + ", 6, 'six');");
  const auto texts = [&](StreamOptions options) {
    options.columns = {"text"};
    const ReadStream stream = read("NVTX_EVENTS", options);
    return stream.columns.empty() ? Texts{stream.error} : stream.columns[0].values;
  };
  EXPECT_EQ(texts({.time = {.start = 26}}), (Texts{"b", "c"}));
  EXPECT_EQ(texts({.time = {.end = 24}}), (Texts{"a", "b"}));
  EXPECT_EQ(texts({.nvtx = "b"}), (Texts{"b"}));
  EXPECT_EQ(texts({.processes = {"6"}}), (Texts{"c"}));
}

TEST_F(ReportStreams, NamesAreDictionariesOfTexts) {
  create_api();
  sql("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start "
      "INTEGER, nameId INTEGER NOT NULL); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2), "
      "(2, 3), (3, 2), (4, 99);");
  const ReadStream stream = read("CUPTI_ACTIVITY_KIND_RUNTIME", {.names = true}, 2);
  ASSERT_EQ(stream.error, "");
  EXPECT_EQ(stream.columns[1].name, "name");
  EXPECT_EQ(stream.columns[1].values, (Texts{"f(int)", "f", "f(int)", "[Unknown]"}));
}

TEST_F(ReportStreams, ANumberThatDoesNotFitIsAnErrorAndCanHaveMoreBits) {
  create_events();
  sql("INSERT INTO NVTX_EVENTS (start, eventType, int32Value) VALUES (0, 59, 4), (1, 59, 5), "
      "(1, 59, 2147483648);");
  EXPECT_EQ(read("NVTX_EVENTS").error,
            "NVTX_EVENTS.int32Value contains 2147483648, which does not fit int32: read this "
            "column with 64 bits");
  EXPECT_EQ(read("NVTX_EVENTS", {.time = {.start = 0}}).error, read("NVTX_EVENTS").error);
  EXPECT_EQ(read("NVTX_EVENTS", {.wide = {"int32Value"}}).columns[7].values,
            (Texts{"4", "5", "2147483648"}));
}

TEST_F(ReportStreams, TextsThatAreNotUtf8AreEscaped) {
  sql("INSERT INTO StringIds VALUES (9, CAST(x'ff61' AS TEXT));");
  EXPECT_EQ(read("StringIds").columns[1].values.back(), "\\xffa");
}

TEST_F(ReportStreams, UnknownNamesHaveSuggestions) {
  EXPECT_EQ(read("StringId").error, path() + " has no table StringId; did you mean StringIds?");
  const auto statistic = stream_statistic(path(), "nvtx_sun", {});
  ASSERT_FALSE(statistic);
  EXPECT_EQ(statistic.error().message, "unknown report nvtx_sun; did you mean nvtx_sum?");
}

TEST_F(ReportStreams, KernelsOfARangeAreThoseLaunchedInside) {
  create_api();
  create_kernels();
  create_ranges();
  add_range(0, 10, 5, "step");
  add_range(20, 30, 5, "step");
  add_range(22, 24, 5, "step");
  for (const auto& [start, correlation] :
       std::vector<std::pair<int, int>>{{5, 1}, {15, 2}, {25, 3}, {31, 4}}) {
    add_call(start, start + 1, 5, correlation);
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, correlationId, globalPid, "
        "demangledName) VALUES (100, 200, " +
        std::to_string(correlation) + ", " + std::to_string(test::global_id(5, 0)) + ", 2);");
  }
  const auto kernels = [&](const std::string& range) {
    auto source = stream_kernels(path(), range, {.columns = {"correlationId"}});
    return source ? read_all(std::move(*source)).columns[0].values : Texts{source.error().message};
  };
  EXPECT_EQ(kernels(""), (Texts{"1", "2", "3", "4"}));
  EXPECT_EQ(kernels("step"), (Texts{"1", "3"}));
  EXPECT_EQ(kernels("step/0"), (Texts{"1"}));
  EXPECT_EQ(kernels("step/2"), (Texts{}));
  EXPECT_EQ(kernels("step/3"), (Texts{"NVTX filter step/3: there are only 3 such ranges"}));
}

TEST_F(ReportStreams, TablesOfAnOpenReportAreOfOneState) {
  sql("CREATE TABLE A (x INTEGER); INSERT INTO A VALUES (1), (2);"
      "CREATE TABLE B (y INTEGER DEFAULT 7); INSERT INTO B VALUES (3), (4);");
  auto report = open_report(path());
  ASSERT_TRUE(report) << report.error().message;
  auto pages = stream_table(*report, "A", {});
  auto rows = stream_table(*report, "B", {});
  auto unknown = stream_table(*report, "C", {});
  ASSERT_TRUE(pages && rows);
  EXPECT_NE(unknown.error().message.find("has no table C"), std::string::npos);
  report->reset();  // streams keep it open
  const auto can_write = [&] {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    const report::Database database(handle);
    return report::execute(handle, "INSERT INTO A VALUES (5); INSERT INTO B VALUES (5);")
        .has_value();
  };
  EXPECT_FALSE(can_write());
  EXPECT_EQ(read_all(std::move(*rows), 1).columns[0].values, (Texts{"3", "4"}));
  EXPECT_EQ(read_all(std::move(*pages), 1).columns[0].values, (Texts{"1", "2"}));
  EXPECT_TRUE(can_write());
}

// Each damaged file gives an error or other values, within the memory of the file.
TEST_F(ReportStreams, DamagedPagesAreErrors) {
  sql("CREATE TABLE T (a INTEGER NOT NULL, b TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) "
      "INSERT INTO T SELECT i, printf('%.*c', i * 20, 'x') FROM n;");
  std::ifstream file(path(), std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  std::size_t errors = 0;
  std::uint32_t random = 1;
  for (int round = 0; round < 60; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 40; ++i) {
      random = random * 1664525 + 1013904223;
      damaged[4096 + random % (damaged.size() - 4096)] = static_cast<char>(random >> 24);
    }
    std::ofstream(path(), std::ios::binary) << damaged;
    errors += read("T").error.empty() ? 0 : 1;
  }
  EXPECT_GT(errors, 0U);
}

}  // namespace
}  // namespace prof::arrow
