#include "exporters/viewer/timeline/loading/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::timeline {

namespace {

// Visits a query's rows if the table has the columns.
template <class Visit>
base::Status read_table(const report::ReportReader& reader, const char* table,
                        std::initializer_list<const char*> columns, const std::string& rest,
                        Visit visit) {
  std::string list;
  for (const char* column : columns) {
    if (!reader.has_column(table, column)) return {};
    if (!list.empty()) list += ", ";
    list += column;
  }
  return events::for_each_row(reader, "SELECT " + list + " FROM " + table + " " + rest, visit);
}

std::string text_of(const report::Statement& row, int column) {
  return std::string(row.text(column).substr(0, report::kMaxTextBytes));
}

}  // namespace

base::Result<Facts> Facts::read(const report::ReportReader& reader) {
  auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  Facts facts(std::move(*names));
  base::Status read = facts.read_gpus(reader);
  if (read) read = facts.read_rowids(reader);
  if (read) read = facts.read_streams(reader);
  if (read) read = facts.read_session(reader);
  if (read) read = facts.read_job(reader);
  if (!read) return tl::make_unexpected(read.error());
  return facts;
}

base::Status Facts::read_gpus(const report::ReportReader& reader) {
  // In exports from before 2022 the column with the number of the GPU is called deviceId.
  const char* id = reader.has_column("TARGET_INFO_GPU", "id") ? "id" : "deviceId";
  base::Status read =
      read_table(reader, "TARGET_INFO_GPU", {id, "name"}, "", [&](const report::Statement& row) {
        gpus_[row.integer(0)] = {row.integer(0), text_of(row, 1)};
      });
  if (!read) return read;
  return read_table(reader, "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}, "",
                    [&](const report::Statement& row) {
                      gpu_ids_[{row.integer(2), row.integer(1)}] = row.integer(0);
                    });
}

base::Status Facts::read_rowids(const report::ReportReader& reader) {
  const auto read = [&](const char* table, const char* id, auto& rows) -> base::Status {
    if (!reader.has_column(table, id)) return {};
    return events::for_each_row(
        reader, fmt::format("SELECT {}, rowid FROM {}", id, table),
        [&](const report::Statement& row) { rows[row.integer(0)] = row.integer(1); });
  };
  const base::Status done = read("PROCESSES", "globalPid", process_rows_);
  return done ? read("ThreadNames", "globalTid", thread_rows_) : done;
}

std::optional<std::int64_t> Facts::process_row(std::int64_t global_pid) const {
  const auto at = process_rows_.find(events::global_pid_of(global_pid));
  return at == process_rows_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::int64_t> Facts::thread_row(std::int64_t global_tid) const {
  const auto at = thread_rows_.find(global_tid);
  return at == thread_rows_.end() ? std::nullopt : std::optional(at->second);
}

base::Status Facts::read_streams(const report::ReportReader& reader) {
  base::Status read = read_table(
      reader, "TARGET_INFO_NVTX_CUDA_STREAM", {"processId", "contextId", "streamId", "name"}, "",
      [&](const report::Statement& row) {
        stream_names_[{row.integer(0), row.integer(1), row.integer(2)}] = text_of(row, 3);
      });
  if (!read) return read;
  const auto add_default = [&](const report::Statement& row) {
    default_streams_[{row.integer(0), row.integer(1), row.integer(2)}] = true;
  };
  read = read_table(reader, "TARGET_INFO_CUDA_CONTEXT_INFO",
                    {"processId", "contextId", "nullStreamId"}, "", add_default);
  if (!read) return read;
  return read_table(reader, "TARGET_INFO_CUDA_NULL_STREAM", {"processId", "contextId", "streamId"},
                    "", add_default);
}

base::Status Facts::read_session(const report::ReportReader& reader) {
  base::Status read = read_table(reader, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, "",
                                 [&](const report::Statement& row) {
                                   const std::int64_t start = row.integer(0);
                                   if (start > 0 && start <= events::kMaxTime) utc_start_ = start;
                                 });
  if (!read) return read;
  return read_table(reader, "ANALYSIS_DETAILS", {"duration"}, "",
                    [&](const report::Statement& row) {
                      duration_ = std::clamp<std::int64_t>(row.integer(0), 0, events::kMaxTime);
                    });
}

// MPI itself knows the ranks better than the variables of its launcher.
base::Status Facts::read_job(const report::ReportReader& reader) {
  base::Status read = read_table(reader, "PROF_RANKS", {"globalPid", "rank", "precedence"},
                                 "ORDER BY precedence DESC", [&](const report::Statement& row) {
                                   ranks_[events::global_pid_of(row.integer(0))] = row.integer(1);
                                 });
  if (read)
    read = read_table(reader, "MPI_RANKS", {"globalTid", "rank"}, "",
                      [&](const report::Statement& row) {
                        ranks_[events::global_pid_of(row.integer(0))] = row.integer(1);
                      });
  return read;
}

const Gpu* Facts::gpu_by_id(std::int64_t id) const {
  const auto at = gpus_.find(id);
  return at == gpus_.end() ? nullptr : &at->second;
}

const Gpu* Facts::gpu(std::int64_t global_pid, std::int64_t device) const {
  const auto id = gpu_ids_.find({events::pid_of(global_pid), device});
  if (id != gpu_ids_.end()) return gpu_by_id(id->second);
  // Older exports do not say which GPU a device is. For them CUDA's numbers are taken to be the
  // numbers of the machine.
  return gpu_ids_.empty() ? gpu_by_id(device) : nullptr;
}

std::optional<std::int64_t> Facts::rank(std::int64_t global_id) const {
  const auto at = ranks_.find(events::global_pid_of(global_id));
  return at == ranks_.end() ? std::nullopt : std::optional(at->second);
}

std::string Facts::stream_name(std::int64_t global_pid, std::int64_t context,
                               std::int64_t stream) const {
  const auto at = stream_names_.find({events::pid_of(global_pid), context, stream});
  return at == stream_names_.end() ? std::string() : at->second;
}

bool Facts::is_default_stream(std::int64_t global_pid, std::int64_t context,
                              std::int64_t stream) const {
  return default_streams_.contains({events::pid_of(global_pid), context, stream});
}

}  // namespace prof::timeline
