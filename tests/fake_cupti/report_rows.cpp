#include "report_rows.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>

namespace fake {

namespace {

using Texts = std::map<std::int64_t, std::string>;

class Row {
 public:
  Row(sqlite3_stmt* statement, const std::map<std::string, int>& columns)
      : statement_(statement), columns_(columns) {}

  std::int64_t operator[](const char* column) const {
    return sqlite3_column_int64(statement_, columns_.at(column));
  }
  // Converts to the type of the field that it is assigned to.
  struct Value {
    std::int64_t value;
    template <class Number>
    operator Number() const {
      return static_cast<Number>(value);
    }
  };
  Value as(const char* column) const { return {(*this)[column]}; }
  std::string text(const char* column) const {
    const auto* found = sqlite3_column_text(statement_, columns_.at(column));
    return found == nullptr ? "" : reinterpret_cast<const char*>(found);
  }
  bool is_null(const char* column) const {
    return sqlite3_column_type(statement_, columns_.at(column)) == SQLITE_NULL;
  }

 private:
  sqlite3_stmt* statement_;
  const std::map<std::string, int>& columns_;
};

class Report {
 public:
  explicit Report(const char* path) {
    if (sqlite3_open_v2(path, &database_, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) fail();
    each("StringIds", "id", [&](const Row& row) { texts_[row["id"]] = row.text("value"); });
  }
  ~Report() { sqlite3_close(database_); }
  Report(const Report&) = delete;

  // Calls `use` with each row. Nothing if the report lacks the table.
  void each(const std::string& table, const std::string& order,
            const std::function<void(const Row&)>& use) {
    sqlite3_stmt* statement = nullptr;
    const std::string sql = "SELECT * FROM " + table + " ORDER BY \"" + order + "\"";
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return;
    std::map<std::string, int> columns;
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
      columns[sqlite3_column_name(statement, i)] = i;
    while (sqlite3_step(statement) == SQLITE_ROW) use(Row(statement, columns));
    sqlite3_finalize(statement);
  }

  const std::string& text(std::int64_t id) { return texts_[id]; }

  // Kept forever: records point to it, and CUPTI's client reads them in its last flush.
  const char* kept(const std::string& text) {
    static auto& all = *new std::set<std::string>;
    return all.insert(text).first->c_str();
  }

 private:
  [[noreturn]] void fail() {
    std::fprintf(stderr, "fake_cuda_report: %s\n", sqlite3_errmsg(database_));
    std::exit(2);
  }

  sqlite3* database_ = nullptr;
  Texts texts_;
};

template <class Record>
Record at_place(const Row& row, CUpti_ActivityKind kind) {
  Record record{};
  record.kind = kind;
  record.start = row.as("start");
  record.end = row.as("end");
  record.deviceId = row.as("deviceId");
  record.contextId = row.as("contextId");
  record.streamId = row.as("streamId");
  record.correlationId = row.as("correlationId");
  return record;
}

// ENUM_CUDA_MEM_KIND to CUPTI's.
std::uint8_t memory_kind(std::int64_t kind) {
  constexpr std::int64_t kUnknown = 7;
  return static_cast<std::uint8_t>(kind == kUnknown ? 0 : kind + 1);
}

CUpti_ActivityKernel10 kernel(const Row& row, Report& report) {
  auto k = at_place<CUpti_ActivityKernel10>(row, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  k.name =
      report.kept(report.text(row[row.is_null("mangledName") ? "demangledName" : "mangledName"]));
  k.gridX = row.as("gridX");
  k.gridY = row.as("gridY");
  k.gridZ = row.as("gridZ");
  k.blockX = row.as("blockX");
  k.blockY = row.as("blockY");
  k.blockZ = row.as("blockZ");
  k.registersPerThread = row.as("registersPerThread");
  k.staticSharedMemory = row.as("staticSharedMemory");
  k.dynamicSharedMemory = row.as("dynamicSharedMemory");
  k.localMemoryPerThread = row.as("localMemoryPerThread");
  k.localMemoryTotal_v2 = row.as("localMemoryTotal");
  k.sharedMemoryExecuted = row.as("sharedMemoryExecuted");
  k.gridId = row.as("gridId");
  k.graphNodeId = row.as("graphNodeId");
  k.launchType = static_cast<std::uint8_t>(std::max<std::int64_t>(row["launchType"] - 1, 0));
  return k;
}

CUpti_ActivityMemcpy6 copy(const Row& row) {
  auto c = at_place<CUpti_ActivityMemcpy6>(row, CUPTI_ACTIVITY_KIND_MEMCPY);
  c.copyKind = row.as("copyKind");
  c.bytes = row.as("bytes");
  c.srcKind = memory_kind(row["srcKind"]);
  c.dstKind = memory_kind(row["dstKind"]);
  c.copyCount = 1;
  return c;
}

CUpti_ActivityMemset4 fill(const Row& row) {
  auto f = at_place<CUpti_ActivityMemset4>(row, CUPTI_ACTIVITY_KIND_MEMSET);
  f.value = row.as("value");
  f.bytes = row.as("bytes");
  f.memoryKind = memory_kind(row["memKind"]);
  return f;
}

void read_work(Report& report, std::map<std::uint32_t, GpuWork>& work) {
  const auto of = [&](const Row& row) -> GpuWork& {
    return work[static_cast<std::uint32_t>(row["correlationId"])];
  };
  report.each("CUPTI_ACTIVITY_KIND_KERNEL", "start",
              [&](const Row& row) { of(row).kernels.push_back(kernel(row, report)); });
  report.each("CUPTI_ACTIVITY_KIND_MEMCPY", "start", [&](const Row& row) {
    const bool is_migration = row["copyKind"] > 10;
    if (!is_migration) of(row).copies.push_back(copy(row));
  });
  report.each("CUPTI_ACTIVITY_KIND_MEMSET", "start",
              [&](const Row& row) { of(row).fills.push_back(fill(row)); });
  report.each("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start", [&](const Row& row) {
    auto g = at_place<CUpti_ActivityGraphTrace2>(row, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
    g.graphId = row.as("graphId");
    of(row).graphs.push_back(g);
  });
}

void read_calls(Report& report, std::vector<Action>& actions) {
  std::map<std::uint32_t, std::uint32_t> waits;  // streams by call
  report.each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start", [&](const Row& row) {
    if (row["streamId"] != kNone)
      waits[static_cast<std::uint32_t>(row["correlationId"])] =
          static_cast<std::uint32_t>(row["streamId"]);
  });
  report.each("CUPTI_ACTIVITY_KIND_RUNTIME", "start", [&](const Row& row) {
    if (row["eventClass"] > 1) return;
    Action call{row["eventClass"] == 0 ? Action::Kind::kRuntime : Action::Kind::kDriver,
                row["start"],
                row["end"],
                row["globalTid"],
                report.text(row["nameId"]),
                {}};
    call.correlation = row.as("correlationId");
    call.result = row.as("returnValue");
    call.stream = waits[call.correlation];
    actions.push_back(call);
  });
}

void read_nvtx(Report& report, std::vector<Action>& actions) {
  constexpr int kMark = 34, kPushPop = 59, kStartEnd = 60, kDomain = 75;
  std::uint32_t numbers = 0;
  std::map<std::int64_t, std::string> domains;
  const auto text_of = [&](const Row& row) {
    return row.is_null("textId") ? row.text("text") : report.text(row["textId"]);
  };
  report.each("NVTX_EVENTS", "start", [&](const Row& row) {
    if (row["eventType"] == kDomain) domains[row["domainId"]] = text_of(row);
  });
  report.each("NVTX_EVENTS", "start", [&](const Row& row) {
    const auto type = row["eventType"];
    if (type != kMark && type != kPushPop && type != kStartEnd) return;
    if (type != kMark && row.is_null("end")) return;
    Action range{Action::Kind::kMark, row["start"], row["start"],
                 row["globalTid"],    text_of(row), domains[row["domainId"]]};
    range.is_registered = !row.is_null("textId");
    if (type == kPushPop) {
      range.kind = Action::Kind::kPush;
      range.end = row["end"];
    } else if (type == kStartEnd) {  // which need not be nested
      range.correlation = ++numbers;
      range.kind = Action::Kind::kEnd;
      range.start = range.end = row["end"];
      actions.push_back(range);
      range.kind = Action::Kind::kStart;
      range.start = range.end = row["start"];
    }
    actions.push_back(range);
  });
}

void read_gpus(Report& report, ReportRows& rows) {
  report.each("TARGET_INFO_GPU", "id", [&](const Row& row) {
    CUpti_ActivityDevice5 device{};
    device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    device.id = row.as("cuDevice");
    device.name = report.kept(row.text("name"));
    device.globalMemorySize = row.as("totalMemory");
    device.numMultiprocessors = row.as("smCount");
    device.numThreadsPerWarp = row.as("threadsPerWarp");
    device.maxWarpsPerMultiprocessor = row.as("maxWarpsPerSm");
    device.computeCapabilityMajor = row.as("computeMajor");
    device.computeCapabilityMinor = row.as("computeMinor");
    device.coreClockRate = static_cast<std::uint32_t>(row["clockRate"] / 1000);
    device.globalMemoryBandwidth = static_cast<std::uint64_t>(row["memoryBandwidth"] / 1000);
    rows.devices.push_back(device);
  });
  report.each("TARGET_INFO_CUDA_CONTEXT_INFO", "contextId", [&](const Row& row) {
    CUpti_ActivityContext3 context{};
    context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    context.contextId = row.as("contextId");
    context.deviceId = row.as("deviceId");
    context.nullStreamId = row.as("nullStreamId");
    rows.contexts.push_back(context);
  });
  report.each("TARGET_INFO_CUDA_STREAM", "streamId", [&](const Row& row) {
    CUpti_ActivityStream stream{};
    stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
    stream.streamId = row.as("streamId");
    stream.contextId = row.as("contextId");
    stream.priority = row.as("priority");
    stream.flag = row.as("flag");
    rows.streams.push_back(stream);
  });
}

}  // namespace

ReportRows read_report(const char* path) {
  Report report(path);
  ReportRows rows;
  read_work(report, rows.work);
  read_calls(report, rows.actions);
  read_nvtx(report, rows.actions);
  read_gpus(report, rows);
  std::stable_sort(rows.actions.begin(), rows.actions.end(),
                   [](const Action& a, const Action& b) { return a.start < b.start; });
  return rows;
}

}  // namespace fake
