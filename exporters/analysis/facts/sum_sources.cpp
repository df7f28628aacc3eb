#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <initializer_list>
#include <string_view>

#include "exporters/analysis/analyze/program/activity.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/facts/sums.hpp"
#include "exporters/analysis/insight/kernel_kinds.hpp"

namespace prof::facts {

namespace {

constexpr const char* kTime = "sum(\"end\" - start)";
constexpr const char* kValid = "start <= \"end\"";
constexpr const char* kGpuTables[] = {events::kKernelTable, events::kMemcpyTable,
                                      events::kMemsetTable, events::kGraphTable};

class SumSources {
 public:
  SumSources(const report::ReportReader& reader, Topic topic) : reader_(reader), topic_(topic) {}

  base::Result<std::vector<Sum>> make() {
    switch (topic_) {
      case Topic::kIdle:
        add_idle_time();
        break;
      case Topic::kKernels:
        if (has(events::kKernelTable, "demangledName"))
          add({topic_, "kernel_time", "ns", Basis::kMeasured, KeyOf::kString, "kernel",
               events::kKernelTable, "demangledName", kTime, kValid});
        add_total("graph_time", events::kGraphTable);
        break;
      case Topic::kMemory:
        add_memory();
        break;
      case Topic::kCommunication:
        return with_communication();
      case Topic::kCpu:
        add_cpu();
        break;
      case Topic::kPython:
        add_python("python_samples", events::kPythonSampleTable);
        add_python("python_waits", events::kPythonWaitTable);
        break;
      case Topic::kIo:
        return with_transfers();
      case Topic::kVerdict:
      case Topic::kOperators:
      case Topic::kClocks:
      case Topic::kRecord:
        break;
    }
    return std::move(sums_);
  }

 private:
  bool has(const char* table, const char* column) const {
    return reader_.has_column(table, column);
  }
  void add(Sum sum) { sums_.push_back(std::move(sum)); }

  void add_total(const char* quantity, const char* table) {
    if (has(table, "end"))
      add({topic_, quantity, "ns", Basis::kMeasured, KeyOf::kNothing, "", table, "", kTime,
           kValid});
  }

  // The times between the operations of a device.
  void add_idle_time() {
    std::string operations;
    for (const char* table : kGpuTables) {
      if (!has(table, "deviceId")) continue;
      const char* key = has(table, "globalPid") ? "globalPid + deviceId" : "deviceId";
      operations += fmt::format("{}SELECT {} AS device, start, \"end\" FROM {} WHERE {}",
                                operations.empty() ? "" : " UNION ALL ", key, table, kValid);
    }
    if (operations.empty()) return;
    add({topic_, "gpu_idle_time", "ns", Basis::kMeasured, KeyOf::kDevice, "",
         fmt::format("(SELECT device, start - max(\"end\") OVER (PARTITION BY device ORDER BY "
                     "start, \"end\" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle "
                     "FROM ({}))",
                     operations),
         "device", "sum(idle)", "idle > 0"});
  }

  void add_memory() {
    const auto by_kind = [&](const char* quantity, const char* unit, const char* value) {
      add({topic_, quantity, unit, Basis::kMeasured, KeyOf::kCopy, "copy", events::kMemcpyTable,
           "copyKind", value, kValid});
    };
    if (has(events::kMemcpyTable, "copyKind")) {
      by_kind("copy_time", "ns", kTime);
      by_kind("copy_bytes", "B", "sum(bytes)");
    }
    add_total("fill_time", events::kMemsetTable);
  }

  // Returns the ids of the texts that fit, of those in a column.
  base::Result<std::vector<std::int64_t>> ids(
      const char* table, const char* column,
      const std::function<bool(std::string_view name)>& fits) const {
    std::vector<std::int64_t> found;
    const base::Status read = events::for_each_row(
        reader_,
        fmt::format("SELECT id, value FROM StringIds WHERE id IN (SELECT DISTINCT {} FROM {}) "
                    "ORDER BY id",
                    column, table),
        [&](const report::Statement& row) {
          if (fits(row.text(1))) found.push_back(row.integer(0));
        });
    if (!read) return tl::make_unexpected(read.error());
    return found;
  }

  // Adds the time of the rows whose names fit.
  base::Status add_named(const char* quantity, const char* kind, const char* table,
                         const char* column,
                         const std::function<bool(std::string_view name)>& fits) {
    if (!has(table, column)) return {};
    const auto found = ids(table, column, fits);
    if (!found) return tl::make_unexpected(found.error());
    if (!found->empty())
      add({topic_, quantity, "ns", Basis::kMeasured, KeyOf::kString, kind, table, column, kTime,
           fmt::format("{} AND {} IN ({})", kValid, column, fmt::join(*found, ", "))});
    return {};
  }

  // Adds the time of all rows of these tables.
  void add_calls(const char* quantity, std::initializer_list<const char*> tables) {
    std::string calls;
    for (const char* table : tables)
      if (has(table, "textId"))
        calls += fmt::format("{}SELECT textId, start, \"end\" FROM {}",
                             calls.empty() ? "" : " UNION ALL ", table);
    if (!calls.empty())
      add({topic_, quantity, "ns", Basis::kMeasured, KeyOf::kString, "call", '(' + calls + ')',
           "textId", kTime, kValid});
  }

  base::Result<std::vector<Sum>> with_communication() {
    const base::Status added = add_named(
        "communication_time", "kernel", events::kKernelTable, "demangledName",
        [](std::string_view name) { return insight::kind_of_kernel(name).communication; });
    if (!added) return tl::make_unexpected(added.error());
    add_calls("mpi_time", {events::kPointToPointTable, events::kCollectiveTable,
                           events::kStartWaitTable, events::kOtherMpiTable});
    add_calls("ucx_time", {events::kUcpSubmitTable, events::kUcpTable});
    add_calls("oshmem_time", {events::kShmemTable});
    return std::move(sums_);
  }

  void add_cpu() {
    const auto samples = [&](std::string from) {
      add({topic_, "cpu_samples", "1", Basis::kSampled, KeyOf::kString, "function", std::move(from),
           "frame.symbol", "count(*)", ""});
    };
    if (has(events::kSampleChainTable, "frames") && has(events::kSampleFrameTable, "symbol") &&
        has(events::kCpuSampleTable, "callchainId"))
      samples(fmt::format(
          "{} AS sample JOIN {} AS chain ON chain.id = sample.callchainId JOIN {} "
          "AS frame ON frame.id = iif(json_valid(chain.frames), "
          "json_extract(chain.frames, '$[0]'), 0)",
          events::kCpuSampleTable, events::kSampleChainTable, events::kSampleFrameTable));
    else if (has(events::kSampleCallChainTable, "symbol") && has(events::kCpuSampleTable, "id"))
      samples(
          fmt::format("{} AS sample JOIN {} AS frame ON frame.id = sample.id AND "
                      "frame.stackDepth = 0",
                      events::kCpuSampleTable, events::kSampleCallChainTable));
    if (has(events::kSchedulingTable, "isSchedIn"))
      add({topic_, "running_time", "ns", Basis::kMeasured, KeyOf::kThread, "thread",
           fmt::format("(SELECT globalTid, isSchedIn, start, lead(start) OVER (PARTITION BY "
                       "globalTid ORDER BY start) AS \"end\" FROM {})",
                       events::kSchedulingTable),
           "globalTid", kTime, "isSchedIn = 1 AND \"end\" IS NOT NULL"});
  }

  void add_python(const char* quantity, const char* table) {
    if (has(table, "callchainId") && has("PROF_PYTHON_CALLCHAINS", "symbol"))
      add({topic_, quantity, "1", Basis::kSampled, KeyOf::kString, "function",
           fmt::format("{} AS sample JOIN PROF_PYTHON_CALLCHAINS AS frame ON frame.id = "
                       "sample.callchainId AND frame.stackDepth = 0",
                       table),
           "frame.symbol", "count(*)", ""});
  }

  // Calls that wait for files, sockets and descriptors.
  base::Result<std::vector<Sum>> with_transfers() {
    using analyze::Activity;
    for (const char* table : {events::kOsrtTable, events::kSyscallTable}) {
      const bool is_system_call = table == events::kSyscallTable;
      const base::Status added = add_named(is_system_call ? "io_system_call_time" : "io_call_time",
                                           "call", table, "nameId", [](std::string_view name) {
                                             const Activity activity = analyze::wait_of(name);
                                             return activity == Activity::kFile ||
                                                    activity == Activity::kNetwork ||
                                                    activity == Activity::kInput;
                                           });
      if (!added) return tl::make_unexpected(added.error());
    }
    if (has(events::kFileEventTable, "bytesProcessed"))
      add({topic_, "io_bytes", "B", Basis::kMeasured, KeyOf::kString, "call",
           events::kFileEventTable, "apiCallId", "sum(bytesProcessed)", "bytesProcessed > 0"});
    return std::move(sums_);
  }

  const report::ReportReader& reader_;
  Topic topic_;
  std::vector<Sum> sums_;
};

}  // namespace

base::Result<std::vector<Sum>> sums_of(const report::ReportReader& reader, Topic topic) {
  return SumSources(reader, topic).make();
}

}  // namespace prof::facts
