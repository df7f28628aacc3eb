#include "exporters/analysis/analyze/evidence/worst_rows.hpp"

#include <fmt/format.h>

#include <optional>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

constexpr int kMaxRows = 5;  // of a table
constexpr const char* kGpuTables[] = {events::kKernelTable, events::kMemcpyTable,
                                      events::kMemsetTable};
constexpr const char* kCallTables[] = {events::kApiTable, events::kOsrtTable,
                                       events::kSyscallTable};
// Tables whose rows contain calls of other tables, which may be longer than what a finding is
// about.
constexpr const char* kRegionTables[] = {events::kOpenMpParallelTable, events::kOpenMpSyncTable,
                                         events::kOpenMpMutexTable,    events::kOpenMpTaskTable,
                                         events::kPointToPointTable,   events::kCollectiveTable,
                                         events::kStartWaitTable,      events::kOtherMpiTable,
                                         events::kUcpSubmitTable,      events::kUcpTable,
                                         events::kShmemTable};
// Tables of moments, which have no end.
constexpr const char* kMomentTables[] = {events::kCpuSampleTable, events::kPythonSampleTable,
                                         events::kSchedulingTable};

struct Edge {
  const char* table;
  std::int64_t id;
};

class Finder {
 public:
  Finder(const report::ReportReader& reader, const Where& where) : reader_(reader), where_(where) {}

  base::Result<WorstRows> find() {
    if (where_.device) {
      for (const char* table : kGpuTables)
        add(table, fmt::format("{} AND start < {} AND \"end\" > {}", of_device(), where_.time.end,
                               where_.time.start));
      if (result_.rows.empty()) add_edges();
    }
    if (where_.thread) {
      for (const char* table : kRegionTables)
        add(table, fmt::format("globalTid = {} AND start = {} AND \"end\" = {}", *where_.thread,
                               where_.time.start, where_.time.end));
      for (const char* table : kCallTables)
        add(table, fmt::format("globalTid = {} AND start < {} AND \"end\" > {}", *where_.thread,
                               where_.time.end, where_.time.start));
      if (result_.rows.empty())
        for (const char* table : kMomentTables)
          add(table, fmt::format("globalTid = {} AND start >= {} AND start <= {}", *where_.thread,
                                 where_.time.start, where_.time.end));
    }
    add_spans();
    if (status_) return std::move(result_);
    return tl::make_unexpected(status_.error());
  }

 private:
  std::string of_device() const {
    std::string condition = fmt::format("deviceId = {}", where_.device->number);
    if (where_.device->global_pid != 0)
      condition += fmt::format(" AND globalPid = {}", where_.device->global_pid);
    if (where_.stream) condition += fmt::format(" AND streamId = {}", *where_.stream);
    return condition;
  }

  // Adds the longest rows. If one of them is the worst case itself, it gives the number.
  void add(const char* table, const std::string& condition) {
    if (!status_ || !reader_.has_table(table)) return;
    const bool has_end = reader_.has_column(table, "end");
    EvidenceRows rows{table, {}};
    status_ = events::for_each_row(
        reader_,
        fmt::format("SELECT rowid, start, {} FROM main.{} WHERE {} ORDER BY {}start LIMIT {}",
                    has_end ? "\"end\"" : "start", report::quoted(table), condition,
                    has_end ? "\"end\" - start DESC, " : "", kMaxRows),
        [&](const report::Statement& row) {
          rows.ids.push_back(row.integer(0));
          const bool is_worst =
              row.integer(1) == where_.time.start && row.integer(2) == where_.time.end;
          if (is_worst && result_.sql.empty())
            result_.sql = fmt::format("SELECT \"end\" - start FROM {} WHERE rowid = {}", table,
                                      row.integer(0));
        });
    if (status_ && !rows.ids.empty()) result_.rows.push_back(std::move(rows));
  }

  // Adds queries for a case of several rows: operations of the GPU one after another, or a thread
  // between two switches.
  void add_spans() {
    if (!result_.sql.empty()) return;
    const auto within = [&](const char* end) {
      return fmt::format("start >= {} AND {} <= {}", where_.time.start, end, where_.time.end);
    };
    if (where_.device)
      for (const char* table : kGpuTables)
        if (reader_.has_table(table))
          result_.spans.push_back(
              fmt::format("SELECT max(\"end\") - min(start) FROM {} WHERE {} AND {}", table,
                          of_device(), within("\"end\"")));
    if (where_.thread && reader_.has_table(events::kSchedulingTable))
      result_.spans.push_back(
          fmt::format("SELECT max(start) - min(start) FROM {} WHERE globalTid = {} AND {}",
                      events::kSchedulingTable, *where_.thread, within("start")));
  }

  // Adds the operations around an idle time.
  void add_edges() {
    const auto before = edge(fmt::format("\"end\" = {}", where_.time.start));
    const auto after = edge(fmt::format("start = {}", where_.time.end));
    if (!before || !after) return;
    result_.rows.push_back({before->table, {before->id}});
    if (std::string_view(before->table) == after->table)
      result_.rows.back().ids.push_back(after->id);
    else
      result_.rows.push_back({after->table, {after->id}});
    result_.sql = fmt::format(
        "SELECT (SELECT start FROM {} WHERE rowid = {}) - (SELECT \"end\" FROM {} WHERE rowid = "
        "{})",
        after->table, after->id, before->table, before->id);
  }

  std::optional<Edge> edge(const std::string& condition) {
    std::optional<Edge> found;
    for (const char* table : kGpuTables) {
      if (!status_ || found || !reader_.has_table(table)) continue;
      status_ =
          events::for_each_row(reader_,
                               fmt::format("SELECT rowid FROM main.{} WHERE {} AND {} LIMIT 1",
                                           report::quoted(table), of_device(), condition),
                               [&](const report::Statement& row) {
                                 found = Edge{table, row.integer(0)};
                               });
    }
    return found;
  }

  const report::ReportReader& reader_;
  const Where& where_;
  WorstRows result_;
  base::Status status_;
};

}  // namespace

base::Result<WorstRows> worst_rows(const report::ReportReader& reader, const Where& where) {
  return Finder(reader, where).find();
}

}  // namespace prof::analyze
