#include "common/report/schema.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/report/cuda_event_rows.hpp"
#include "common/report/library_rows.hpp"
#include "common/report/rows.hpp"
#include "common/report/statement.hpp"

namespace prof::report {
namespace {

int columns_of(const char* table) {
  sqlite3* handle = nullptr;
  sqlite3_open(":memory:", &handle);
  const Database database(handle);
  EXPECT_TRUE(execute(handle, std::string(table_sql(table)))) << table;
  auto query = Statement::prepare(handle, std::string("SELECT * FROM ") + table);
  return query ? query->columns() : -1;
}

// `added`: columns that the writer adds to the table only when it needs them.
template <class Row>
void expect_complete(int added = 0) {
  EXPECT_EQ(columns_of(RowTraits<Row>::kTable) + added,
            static_cast<int>(std::size(RowTraits<Row>::kColumns)));
}
constexpr int kWeight = 1;  // --max-overhead

TEST(Schema, RowsDescribeEveryColumn) {
  expect_complete<StringRow>();
  expect_complete<OsrtRow>(kWeight);
  expect_complete<SystemCallRow>();
  expect_complete<SampleRow>();
  expect_complete<SampleFrameRow>();
  expect_complete<CodePlaceRow>();
  expect_complete<ScheduleRow>();
  expect_complete<NvtxRow>(kWeight);
  expect_complete<FileEventRow>();
  expect_complete<OverheadRow>();
  expect_complete<RuntimeRow>();
  expect_complete<KernelRow>();
  expect_complete<MemcpyRow>();
  expect_complete<MemsetRow>();
  expect_complete<SyncRow>();
  expect_complete<CudaEventRow>();
  expect_complete<GraphLaunchRow>();
  expect_complete<MemoryUsageRow>();
  expect_complete<LibraryRow<Cublas>>();
}

TEST(Schema, UnknownTableHasNone) { EXPECT_TRUE(table_sql("NO_SUCH").empty()); }

}  // namespace
}  // namespace prof::report
