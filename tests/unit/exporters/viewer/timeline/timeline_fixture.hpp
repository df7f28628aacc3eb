// Reports that tests make with SQL, and their timelines.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exporters/viewer/timeline/timeline.hpp"
#include "tests/unit/run_sql.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::test {

using timeline::Event;
using timeline::Row;
using timeline::RowKind;
using timeline::Snapshot;
using timeline::Timeline;

class TimelineFixture : public ::testing::Test {
 protected:
  static constexpr std::int64_t kProcess = (std::int64_t{1} << 48) | (7 << 24);
  static constexpr std::int64_t kThread = kProcess | 7;

  // A new report with the texts "zero", "one", … "nine" and the tables of calls, kernels and
  // ranges.
  std::string make_report(const std::string& name) {
    path_ = directory_.file(name);
    sql("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "INSERT INTO StringIds VALUES (0,'zero'),(1,'one'),(2,'two'),(3,'three'),(4,'four'),"
        "(5,'five'),(6,'six'),(7,'seven'),(8,'eight'),(9,'nine');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
        "correlationId, nameId, returnValue, callchainId);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
        "correlationId, globalPid, demangledName, shortName);"
        "CREATE TABLE NVTX_EVENTS (start, end, eventType, color, text, globalTid, textId, "
        "domainId);");
    return path_;
  }
  // Runs SQL on the report that was made last.
  void sql(const std::string& statements) const { run_sql(path_, statements); }
  void add_call(std::int64_t start, std::int64_t end, std::int64_t correlation, int name = 1,
                std::int64_t thread = kThread) const {
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},{},0,NULL)",
                    start, end, thread, correlation, name));
  }
  void add_kernel(std::int64_t start, std::int64_t end, std::int64_t correlation, int stream = 7,
                  int name = 2) const {
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({},{},0,1,{},{},{},{},{})",
                    start, end, stream, correlation, kProcess, name, name));
  }
  // `end`: a number or NULL.
  void add_range(std::int64_t start, const std::string& end, const std::string& name,
                 int domain = 0, int type = 59, std::int64_t thread = kThread) const {
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},{},NULL,'{}',{},NULL,{})", start, end,
                    type, name, thread, domain));
  }
  void set_clock(std::int64_t utc, std::int64_t duration) const {
    test::set_clock(path_, utc, duration);
  }

  static std::unique_ptr<Timeline> open(const std::vector<timeline::OpenReport>& reports,
                                        const timeline::Options& options = {}) {
    auto timeline = Timeline::open(reports, options);
    if (!timeline) ADD_FAILURE() << timeline.error().message;
    return timeline ? std::move(*timeline) : nullptr;
  }
  static std::shared_ptr<const Snapshot> loaded(Timeline& timeline, unsigned threads = 2) {
    timeline.load(threads);
    timeline.wait();
    return timeline.snapshot();
  }
  std::shared_ptr<const Snapshot> loaded() const { return loaded(*open({{path_}})); }

  static const Row* find_row(const Snapshot& snapshot, RowKind kind, std::size_t number = 0) {
    for (const Row& row : snapshot.rows())
      if (row.kind == kind && number-- == 0) return &row;
    ADD_FAILURE() << "no row of the kind " << timeline::name_of(kind);
    static const Row none;
    return &none;
  }
  static std::vector<Event> events_of(const Snapshot& snapshot, timeline::RowId row,
                                      timeline::Span span = {}) {
    std::vector<Event> events;
    snapshot.visit_all(row, span, [&](const Event& event) {
      events.push_back(event);
      return true;
    });
    return events;
  }

  std::string path_;
  TemporaryDirectory directory_;
};

}  // namespace prof::test
