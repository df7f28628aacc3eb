// A report that a test creates with SQL.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/tables/table_format.hpp"
#include "tests/unit/run_sql.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::test {

// globalTid of a process and a thread, as nsys writes it on Linux.
constexpr std::int64_t global_id(std::int64_t pid, std::int64_t tid) {
  return (std::int64_t{1} << 48) | (pid << 24) | tid;
}

class ReportFixture : public ::testing::Test {
 protected:
  // Creates StringIds with the strings 0 to 4.
  ReportFixture() {
    sql("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "INSERT INTO StringIds VALUES (0,'zero'),(1,'cudaLaunchKernel_v7000'),(2,'f(int)'),"
        "(3,'f'),(4,'_Z1fi');");
  }
  void sql(const std::string& statements) const { run_sql(path_, statements); }
  report::ReportReader reader() const {
    auto reader = report::ReportReader::open(path_);
    if (!reader) ADD_FAILURE() << reader.error().message;
    EXPECT_TRUE(events::make_views(*reader));
    return std::move(*reader);
  }

  const std::string& path() const { return path_; }

  void create_api() {
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
        "correlationId, nameId, returnValue, callchainId);");
  }
  // A call with nameId 1 on the main thread of the process.
  void add_call(std::int64_t start, std::int64_t end, std::int64_t pid, std::int64_t correlation,
                int event_class = 0) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(start) + "," +
        std::to_string(end) + "," + std::to_string(event_class) + "," +
        std::to_string(global_id(pid, pid)) + "," + std::to_string(correlation) + ",1,0,NULL);");
  }
  // The table as exports of 2021 have it: without mangledName and greenContextId.
  void create_kernels() {
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
        "correlationId, globalPid, demangledName, shortName, registersPerThread, gridX, gridY, "
        "gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory);");
  }
  void add_kernel(std::int64_t start, std::int64_t end, std::int64_t pid,
                  std::int64_t correlation) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(start) + "," +
        std::to_string(end) + ",0,1,7," + std::to_string(correlation) + "," +
        std::to_string(global_id(pid, 0)) + ",2,3,16,1,2,3,64,1,1,0,0);");
  }
  void create_ranges() {
    sql("CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId, "
        "endGlobalTid);");
  }
  void add_range(std::int64_t start, const std::string& end, std::int64_t pid,
                 const std::string& text) {
    sql("INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(start) + "," + end + ",59,'" + text +
        "',NULL," + std::to_string(global_id(pid, pid)) + ",0,NULL);");
  }

  // The lines of a report in CSV.
  static std::vector<std::string> lines(const base::Result<tables::Table>& table) {
    if (!table) return {table.error().message};
    const std::string text = tables::format_table(*table, tables::TableFormat::kCsv, "", "");
    std::vector<std::string> result;
    for (std::size_t at = 0; text[at] != '\n';) {
      const std::size_t end = text.find('\n', at);
      result.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return result;
  }

 private:
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("report.sqlite");
};

}  // namespace prof::test
