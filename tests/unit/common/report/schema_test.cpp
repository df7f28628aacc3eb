#include "common/report/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/report/rows.hpp"
#include "common/report/statement.hpp"

namespace prof::report {
namespace {

// What SQLite says of a table that is made with its statement.
std::vector<std::string> columns_of(const char* table) {
  sqlite3* handle = nullptr;
  sqlite3_open(":memory:", &handle);
  const Database database(handle);
  EXPECT_TRUE(execute(handle, std::string(table_sql(table)))) << table;
  std::vector<std::string> names;
  auto query = Statement::prepare(handle, std::string("SELECT * FROM ") + table);
  for (int i = 0; query && i < query->columns(); ++i) names.emplace_back(query->column_name(i));
  return names;
}

// Each kind of field, and what stands for columns without a field.
TEST(Schema, RowsAreInTheOrderOfTheColumns) {
  const auto& nvtx = RowTraits<NvtxRow>::kColumns;
  const std::vector<std::string> columns = columns_of("NVTX_EVENTS");
  ASSERT_EQ(nvtx.size(), columns.size() + 1);  // weight: --max-overhead
  const auto at = [&](const char* name) {
    return nvtx[static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin())];
  };
  EXPECT_EQ(at("start").at, detail::offset_of<NvtxRow>(&NvtxRow::start));
  EXPECT_EQ(at("category").type, ColumnType::kUint32);
  EXPECT_EQ(at("floatValue").at, detail::offset_of<NvtxRow>(&NvtxRow::real));
  EXPECT_EQ(at("uint64Value").at, at("int32Value").at);
  EXPECT_EQ(at("jsonTextId").type, ColumnType::kNull);
  EXPECT_EQ(at("binaryData").type, ColumnType::kBlob);
  EXPECT_EQ(RowTraits<OsrtRow>::kColumns[2].type, ColumnType::kConstant);
  EXPECT_EQ(RowTraits<OsrtRow>::kColumns[2].at, static_cast<int>(EventClass::kOsRuntime));
}

TEST(Schema, OptionalFieldsAreNullUntilTheyAreSet) {
  NvtxRow row;
  EXPECT_TRUE(row.has<&NvtxRow::start>() && row.has<&NvtxRow::domain_id>());
  EXPECT_FALSE(row.has<&NvtxRow::end>() || row.has<&NvtxRow::weight>());
  row.set<&NvtxRow::end>(5);
  EXPECT_TRUE(row.has<&NvtxRow::end>());
  row.clear<&NvtxRow::end>();
  EXPECT_FALSE(row.has<&NvtxRow::end>());
}

TEST(Schema, StatementsHaveNoTags) {
  for (const std::string_view table : table_names())
    EXPECT_EQ(table_sql(table).find('{'), std::string_view::npos) << table;
}

TEST(Schema, TypesOfColumnsInArrow) {
  EXPECT_EQ(arrow_format("CUPTI_ACTIVITY_KIND_KERNEL", "contextId"), 'L');
  EXPECT_EQ(arrow_format("CUPTI_ACTIVITY_KIND_KERNEL", "clusterX"),
            '\0');  // schema 3.20 has it not
  EXPECT_EQ(arrow_format("NO_SUCH", "start"), '\0');
}

TEST(Schema, UnknownTableHasNone) { EXPECT_TRUE(table_sql("NO_SUCH").empty()); }

}  // namespace
}  // namespace prof::report
