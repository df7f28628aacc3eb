// Rows a second from a recording to a report, and from memory to SQLite.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "collector/ingest/report_builder.hpp"
#include "common/report/report_writer.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Writes `rows` rows of OSRT_API or NVTX_EVENTS directly from memory.
template <class Row>
double rows_per_second(const std::string& path, std::int64_t rows, Row row) {
  const auto start = Clock::now();
  auto writer = prof::report::ReportWriter::create(path, true);
  for (std::int64_t i = 0; i < rows; ++i) {
    row.start += 1000;
    row.end = row.start + 500;
    (*writer)->add(row);
  }
  if (!(*writer)->finish()) std::abort();
  return static_cast<double>(rows) / seconds_since(start);
}

}  // namespace

int main(int count, char** words) {
  const std::string path = count > 1 ? words[1] : "/tmp/bench_report.db";
  constexpr std::int64_t kRows = 2'000'000;
  const prof::report::OsrtRow call{
      .start = 1'000'000'000, .global_tid = 281641842910938, .result = 16, .name_id = 7};
  fmt::print("osrt_rows {:.0f}\n", rows_per_second(path, kRows, call));
  prof::report::NvtxRow range;
  range.start = 1'000'000'000;
  range.global_tid = 281641842910938;
  range.event_type = prof::report::NvtxEventType::kPushPop;
  range.set<&prof::report::NvtxRow::end>(0);
  range.set<&prof::report::NvtxRow::text>("forward pass");
  fmt::print("nvtx_rows {:.0f}\n", rows_per_second(path, kRows, range));
  std::remove(path.c_str());
  return 0;
}
