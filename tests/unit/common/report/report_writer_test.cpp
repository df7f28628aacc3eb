#include "common/report/report_writer.hpp"

#include <gtest/gtest.h>

#include "common/report/report_reader.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::report {
namespace {

class ReportWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<ReportWriter> create(bool overwrite = false) {
    auto writer = ReportWriter::create(path(), overwrite);
    EXPECT_TRUE(writer);
    return std::move(*writer);
  }
  std::string path() const { return directory_.file("r.db"); }
  std::string value(const std::string& sql) {
    auto reader = ReportReader::open(path());
    auto query = reader->prepare(sql);
    return *query->step() ? std::string(query->text(0)) : "";
  }
  test::TemporaryDirectory directory_;
};

TEST_F(ReportWriterTest, WritesEveryRowOverManyBatches) {
  auto writer = create();
  for (std::int64_t i = 0; i < 50'000; ++i)
    writer->add(OsrtRow{.start = i, .end = i + 5, .global_tid = 7, .result = -1, .name_id = 2});
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(value("SELECT count(*) FROM OSRT_API"), "50000");
  EXPECT_EQ(value("SELECT sum(end - start) FROM OSRT_API"), "250000");
  EXPECT_EQ(value("SELECT DISTINCT eventClass || ' ' || returnValue FROM OSRT_API"), "27 -1");
  EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
}

TEST_F(ReportWriterTest, NullsTypesAndTexts) {
  auto writer = create();
  NvtxRow row;
  row.start = 5;
  row.set<&NvtxRow::color>(0xff000000);
  row.set<&NvtxRow::text>("it's \"text\"");
  set_payload(row, NvtxPayloadColumn::kDouble, 0.1);
  writer->add(row);
  NvtxRow empty;
  empty.set<&NvtxRow::text>(std::string_view());  // the empty text, not NULL
  writer->add(empty);
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(value("SELECT color FROM NVTX_EVENTS"), "4278190080");
  EXPECT_EQ(value("SELECT text FROM NVTX_EVENTS"), "it's \"text\"");
  EXPECT_EQ(value("SELECT typeof(doubleValue) || typeof(end) || typeof(category) FROM NVTX_EVENTS"),
            "realnullnull");
  EXPECT_EQ(value("SELECT typeof(text) FROM NVTX_EVENTS ORDER BY rowid DESC"), "text");
}

TEST_F(ReportWriterTest, TextsThatAreNotUtf8AreEscaped) {
  auto writer = create();
  const std::int32_t id = writer->string_id("th\xe9");
  EXPECT_NE(writer->string_id("th\xe8"), id);
  EXPECT_EQ(writer->string_id("th\xe9"), id);
  EXPECT_EQ(writer->string_id("th\\xe9"), id);  // the escaped text itself: values are unique
  NvtxRow row;
  row.set<&NvtxRow::text>("caf\xe9");
  writer->add(row);
  writer->add("PROCESSES", {std::int64_t{1}, std::int64_t{2}, std::string_view("/bin/\xff")});
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(value("SELECT value FROM StringIds WHERE id = " + std::to_string(id)), "th\\xe9");
  EXPECT_EQ(value("SELECT text FROM NVTX_EVENTS"), "caf\\xe9");
  EXPECT_EQ(value("SELECT name FROM PROCESSES"), "/bin/\\xff");
}

TEST_F(ReportWriterTest, StringIdsAreDenseAndUnique) {
  auto writer = create();
  EXPECT_EQ(writer->string_id("[Unknown]"), 0);
  const auto a = writer->string_id("a");
  EXPECT_EQ(writer->string_id("b"), a + 1);
  EXPECT_EQ(writer->string_id("a"), a);
  for (int i = 0; i < 40'000; ++i) writer->string_id("s" + std::to_string(i));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(value("SELECT count(*) = max(id) + 1 FROM StringIds"), "1");
  EXPECT_EQ(value("SELECT value FROM StringIds WHERE id = " + std::to_string(a)), "a");
}

TEST_F(ReportWriterTest, NoTableIsEmpty) {
  for (const bool has_process : {false, true}) {
    auto writer = create(/*overwrite=*/true);
    if (has_process)
      writer->add("PROCESSES", {std::int64_t{1}, std::int64_t{2}, std::string_view("/bin/x")});
    ASSERT_TRUE(writer->finish());
    for (const std::string_view table : tables_of_most_reports())
      EXPECT_EQ(
          value("SELECT count(*) FROM sqlite_master WHERE name = '" + std::string(table) + "'"),
          has_process && table == "PROCESSES" ? "1" : "0")
          << table;
    EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
  }
}

TEST_F(ReportWriterTest, TablesAppearWithTheirFirstRow) {
  auto writer = create();
  writer->add("PROCESSES", {std::int64_t{1}, nullptr, std::string_view("name")});
  ASSERT_TRUE(writer->finish());
  auto reader = ReportReader::open(path());
  EXPECT_TRUE(reader->has_table("PROCESSES"));
  EXPECT_FALSE(reader->has_table("OSRT_API"));
  EXPECT_TRUE(reader->has_table("ENUM_NSYS_EVENT_TYPE"));
}

TEST_F(ReportWriterTest, NothingIsThereBeforeFinish) {
  {
    auto writer = create();
    writer->add(OsrtRow{});
    EXPECT_FALSE(std::filesystem::exists(path()));
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path()).parent_path()));
}

TEST_F(ReportWriterTest, ReplacesOnlyWhenTold) {
  directory_.write("r.db", "precious");
  const auto refused = create(false)->finish();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("-f true"), std::string::npos);
  EXPECT_EQ(test::read_file(path()), "precious");
  EXPECT_TRUE(create(true)->finish());
  EXPECT_EQ(value("SELECT value FROM StringIds"), "[Unknown]");
}

TEST_F(ReportWriterTest, AReportInMemoryIsWrittenAtTheEnd) {
  auto writer = std::move(*ReportWriter::create_in_memory());
  for (std::int64_t i = 0; i < 50'000; ++i)
    writer->add(OsrtRow{.start = i, .end = i + 5, .global_tid = 7, .result = -1, .name_id = 2});
  writer->add("PROCESSES", {std::int64_t{1}, nullptr, std::string_view("name")});
  writer->set_output(path(), false);
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path()).parent_path()));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(value("SELECT count(*) FROM OSRT_API"), "50000");
  EXPECT_EQ(value("SELECT name FROM PROCESSES"), "name");
  EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
  const auto all = create(true);
  ASSERT_TRUE(all->finish());
  auto in_memory = std::move(*ReportWriter::create_in_memory());
  in_memory->set_output(directory_.file("small.db"), false);
  ASSERT_TRUE(in_memory->finish());
  const std::string schema = "SELECT group_concat(sql) FROM sqlite_master";
  auto small = ReportReader::open(directory_.file("small.db"));
  auto query = small->prepare(schema);
  ASSERT_TRUE(*query->step());
  EXPECT_EQ(std::string(query->text(0)), value(schema));
}

TEST_F(ReportWriterTest, AReportInMemoryHasTheErrorsOfAFile) {
  directory_.write("r.db", "precious");
  auto writer = std::move(*ReportWriter::create_in_memory());
  writer->set_output(path(), false);
  const auto refused = writer->finish();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("-f true"), std::string::npos);
  EXPECT_EQ(test::read_file(path()), "precious");
  writer = std::move(*ReportWriter::create_in_memory());
  writer->set_output("/no/such/place/r.db", true);
  const auto nowhere = writer->finish();
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("/no/such/place/r.db"), std::string::npos);
}

TEST_F(ReportWriterTest, ErrorsAreKeptAndReturned) {
  const auto nowhere = ReportWriter::create("/no/such/place/r.db", false);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("/no/such/place/r.db"), std::string::npos);
  auto writer = create();
  writer->add("NO_SUCH_TABLE", {std::int64_t{1}});
  writer->add(OsrtRow{});
  const auto finished = writer->finish();
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message.find("NO_SUCH_TABLE"), std::string::npos);
}

}  // namespace
}  // namespace prof::report
