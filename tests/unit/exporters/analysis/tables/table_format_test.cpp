#include "exporters/analysis/tables/table_format.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace prof::tables {
namespace {

Table sample() {
  return {{{"Time (%)", CellKind::kReal, 1},
           {"Total (ns)", CellKind::kInteger},
           {"Name", CellKind::kText}},
          {{88.75, std::int64_t{20002204}, std::string("spin(long long)")},
           {0.25, std::int64_t{-1234}, std::string("with, comma and \"quotes\"")}}};
}

TEST(TableFormat, Csv) {
  EXPECT_EQ(format_table(sample(), TableFormat::kCsv, "T", "t"),
            "Time (%),Total (ns),Name\n"
            "88.8,20002204,spin(long long)\n"
            "0.3,-1234,\"with, comma and \"\"quotes\"\"\"\n\n");
}

TEST(TableFormat, Tsv) {
  const std::string text = format_table(sample(), TableFormat::kTsv, "T", "t");
  EXPECT_NE(text.find("88.8\t20002204\tspin(long long)\n"), std::string::npos);
}

TEST(TableFormat, Column) {
  EXPECT_EQ(format_table(sample(), TableFormat::kColumn, "A Title", "a_title"),
            "\n ** A Title (a_title):\n\n"
            " Time (%)  Total (ns)            Name          \n"
            " --------  ----------  ------------------------\n"
            "     88.8  20,002,204  spin(long long)         \n"
            "      0.3      -1,234  with, comma and \"quotes\"\n\n");
}

TEST(TableFormat, Json) {
  const auto document = nlohmann::json::parse(format_table(sample(), TableFormat::kJson, "T", "t"));
  ASSERT_EQ(document.size(), 2U);
  EXPECT_EQ(document[0]["Time (%)"], 88.8);
  EXPECT_EQ(document[0]["Total (ns)"], 20002204);
  EXPECT_EQ(document[1]["Name"], "with, comma and \"quotes\"");
}

TEST(TableFormat, LongNamesAreCutForTheEyeOnly) {
  Table table = sample();
  const std::string name = std::string(99, 'x') + "éé";
  table.rows = {{0.0, std::int64_t{0}, name}};
  EXPECT_NE(format_table(table, TableFormat::kColumn, "T", "t").find(std::string(99, 'x') + "…"),
            std::string::npos);
  EXPECT_NE(format_table(table, TableFormat::kCsv, "T", "t").find(name), std::string::npos);
}

TEST(TableFormat, WithoutAValue) {
  Table table = sample();
  table.rows = {{Cell{}, Cell{}, Cell{}}};
  EXPECT_NE(format_table(table, TableFormat::kCsv, "T", "t").find("\n,,\n"), std::string::npos);
  EXPECT_NE(
      format_table(table, TableFormat::kTable, "T", "t").find("|          |            |      |"),
      std::string::npos);
  const auto document = nlohmann::json::parse(format_table(table, TableFormat::kJson, "T", "t"));
  EXPECT_TRUE(document[0]["Name"].is_null() && document[0]["Total (ns)"].is_null());
}

TEST(TableFormat, Names) {
  EXPECT_EQ(table_format("csv"), TableFormat::kCsv);
  EXPECT_FALSE(table_format("xml"));
  EXPECT_EQ(extension(TableFormat::kTable), "txt");
  for (const char* name : {"column", "table", "csv", "tsv", "json", "markdown", "htable", "hdoc"}) {
    ASSERT_TRUE(table_format(name)) << name;
    EXPECT_FALSE(format_table(sample(), *table_format(name), "T", "t").empty());
  }
  EXPECT_EQ(table_format_names(), "column, table, csv, tsv, json, markdown, htable, hdoc");
  EXPECT_EQ(extension(TableFormat::kMarkdown), "md");
  EXPECT_EQ(extension(TableFormat::kHtmlDocument), "html");
}

}  // namespace
}  // namespace prof::tables
