#include "exporters/analysis/diff/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/call_chains/sampling_interval.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::diff {

namespace {

constexpr const char* kGpuTables[] = {events::kKernelTable, events::kMemcpyTable,
                                      events::kMemsetTable, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};

// GPU ids by process id and by the CUDA device number in that process.
using GpuIds = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

base::Result<GpuIds> read_gpu_ids(const report::ReportReader& reader) {
  GpuIds ids;
  // Exports from before 2025 lack this table. For them the device number serves as the id of the
  // GPU.
  if (!reader.has_table("TARGET_INFO_CUDA_DEVICE")) return ids;
  const base::Status read = events::for_each_row(
      reader, "SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE WHERE gpuId IS NOT NULL",
      [&](const report::Statement& row) {
        ids.try_emplace({row.integer(0), row.integer(1)}, row.integer(2));
      });
  if (!read) return tl::make_unexpected(read.error());
  return ids;
}

// Returns a query for all GPU operations, sorted by start. Empty if the report has no such table.
std::string operations_query(const report::ReportReader& reader) {
  std::string query;
  for (const char* table : kGpuTables)
    if (reader.has_table(table))
      query += fmt::format("{}SELECT start, \"end\", globalPid, deviceId FROM {} WHERE {}",
                           query.empty() ? "" : " UNION ALL ", table, events::valid_times());
  return query.empty() ? query : query + " ORDER BY start";
}

// Computes the length of the union of intervals. They must be added in the order of their start.
class BusyTime {
 public:
  void add(std::int64_t start, std::int64_t end) {
    if (end <= end_) return;
    total_ += end - std::max(start, end_);
    end_ = end;
  }
  std::int64_t total() const { return total_; }

 private:
  std::int64_t total_ = 0;
  std::int64_t end_ = INT64_MIN;
};

base::Status read_gpu_use(const report::ReportReader& reader, Figures& figures) {
  const std::string query = operations_query(reader);
  if (query.empty()) return {};
  const auto ids = read_gpu_ids(reader);
  if (!ids) return tl::make_unexpected(ids.error());
  std::map<std::int64_t, BusyTime> busy;
  std::optional<std::int64_t> first;
  std::int64_t last = INT64_MIN;
  base::Status read = events::for_each_row(reader, query, [&](const report::Statement& row) {
    const auto id = ids->find({events::pid_of(row.integer(2)), row.integer(3)});
    busy[id == ids->end() ? row.integer(3) : id->second].add(row.integer(0), row.integer(1));
    if (!first) first = row.integer(0);
    last = std::max(last, row.integer(1));
  });
  for (const auto& [gpu, time] : busy) figures.gpu_busy += time.total();
  figures.gpus = static_cast<std::int64_t>(busy.size());
  if (first) figures.gpu_span = last - *first;
  return read;
}

// Returns the value of an aggregate expression, or nothing if the table does not exist or the value
// is NULL.
base::Result<std::optional<std::int64_t>> read_number(const report::ReportReader& reader,
                                                      const char* table,
                                                      const std::string& expression) {
  std::optional<std::int64_t> number;
  if (!reader.has_table(table)) return number;
  const base::Status read =
      events::for_each_row(reader, fmt::format("SELECT {} FROM {}", expression, table),
                           [&](const report::Statement& row) {
                             if (!row.is_null(0)) number = row.integer(0);
                           });
  if (!read) return tl::make_unexpected(read.error());
  return number;
}

base::Status add_thread_states(const report::ReportReader& reader, Figures& figures) {
  const auto table = stats::run(*stats::find_statistic("thread_state_sum"), reader, {});
  if (!table) return tl::make_unexpected(table.error());
  const auto sum = [&](const char* header) {
    const auto at = std::ranges::find(table->columns, header, &tables::ColumnSpec::header);
    const auto column = static_cast<std::size_t>(at - table->columns.begin());
    std::int64_t all = 0;
    for (const auto& row : table->rows) all = events::sum(all, std::get<std::int64_t>(row[column]));
    return all;
  };
  figures.cpu_time = sum("Running (ns)");
  figures.switches = sum("Switches");
  return {};
}

base::Status add_sampled_time(const report::ReportReader& reader, Figures& figures) {
  constexpr auto kKind = events::SampleKind::kCpu;
  const auto samples = events::read_samples(reader, kKind);
  if (!samples) return tl::make_unexpected(samples.error());
  if (const auto interval = events::sampling_interval(reader, kKind, *samples))
    figures.cpu_time = events::sampled_time(samples->weight, *interval);
  return {};
}

}  // namespace

// Returns which source of CPU times both reports have. Exports of 2021 do not say why a thread left
// its CPU, and have no thread states.
CpuTime common_cpu_time(const report::ReportReader& before, const report::ReportReader& after) {
  const auto both_have = [&](const char* table, const char* column) {
    return before.has_column(table, column) && after.has_column(table, column);
  };
  if (both_have(events::kSchedulingTable, "threadState")) return CpuTime::kSwitches;
  return both_have(events::kCpuSampleTable, "start") ? CpuTime::kSamples : CpuTime::kUnknown;
}

base::Result<Figures> read_figures(const report::ReportReader& reader, CpuTime source) {
  Figures figures;
  const auto session = read_number(reader, "ANALYSIS_DETAILS", "MAX(duration)");
  if (!session) return tl::make_unexpected(session.error());
  const auto kernels =
      read_number(reader, events::kKernelTable, "COUNT(" + events::valid_times() + " OR NULL)");
  if (!kernels) return tl::make_unexpected(kernels.error());
  if (base::Status read = read_gpu_use(reader, figures); !read)
    return tl::make_unexpected(read.error());
  base::Status cpu;
  if (source == CpuTime::kSwitches) cpu = add_thread_states(reader, figures);
  if (source == CpuTime::kSamples) cpu = add_sampled_time(reader, figures);
  if (!cpu) return tl::make_unexpected(cpu.error());
  figures.session = *session;
  figures.kernels = kernels->value_or(0);
  return figures;
}

Durations durations(const Figures& before, const Figures& after) {
  if (before.session && after.session) return {true, before.session, after.session};
  return {false, before.gpu_span, after.gpu_span};
}

void add(Figures& sum, const Figures& more) {
  const auto longer = [](std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
    if (b) a = std::max(a.value_or(*b), *b);
  };
  const auto both = [](std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
    if (b) a = events::sum(a.value_or(0), *b);
  };
  longer(sum.session, more.session);
  longer(sum.gpu_span, more.gpu_span);
  sum.gpu_busy = events::sum(sum.gpu_busy, more.gpu_busy);
  sum.gpus += more.gpus;
  sum.kernels += more.kernels;
  both(sum.cpu_time, more.cpu_time);
  both(sum.switches, more.switches);
}

}  // namespace prof::diff
