// A report of GPU work on several devices and streams.
#pragma once

#include <fmt/format.h>

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::test {

struct KernelRow {
  std::int64_t start;
  std::int64_t end;
  std::int64_t correlation = 0;
  int device = 0;
  int stream = 7;
  int name = 2;  // f(int)
  std::int64_t pid = 9;
};

class GpuFixture : public ReportFixture {
 protected:
  using Lines = std::vector<std::string>;

  GpuFixture() { create_kernels(); }

  void add(const KernelRow& row) {
    sql(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({},{},{},1,{},{},{},{},3,16,"
                    "1,1,1,64,1,1,0,0);",
                    row.start, row.end, row.device, row.stream, row.correlation,
                    global_id(row.pid, 0), row.name));
  }
  void create_copies() {
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
        "correlationId, globalPid, bytes, copyKind, srcKind, dstKind);");
  }
  // A host-to-device copy of process 9 on device 0.
  void add_copy(std::int64_t start, std::int64_t end, int stream) {
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({},{},0,1,{},0,{},64,1,0,2);",
                    start, end, stream, global_id(9, 0)));
  }
  // The rows without the headings.
  Lines rows(const char* report) {
    const auto file = reader();
    Lines all = lines(stats::run(*stats::find_statistic(report), file, {}));
    all.erase(all.begin());
    return all;
  }
};

}  // namespace prof::test
