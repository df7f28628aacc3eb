#include "exporters/formats/trace/trace_names.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::formats {

base::Result<TraceNames> TraceNames::read(const report::ReportReader& reader) {
  auto threads = events::ThreadNames::read(reader);
  if (!threads) return tl::make_unexpected(threads.error());
  TraceNames names(std::move(*threads));
  base::Status done = names.read_gpus(reader);
  if (done) done = names.read_domains(reader);
  if (!done) return tl::make_unexpected(done.error());
  return names;
}

base::Status TraceNames::read_gpus(const report::ReportReader& reader) {
  base::Status read;
  if (reader.has_column("TARGET_INFO_GPU", "name"))
    read = events::for_each_row(
        reader, "SELECT id, name FROM TARGET_INFO_GPU",
        [&](const report::Statement& row) { gpus_[row.integer(0)] = row.text(1); });
  if (read && reader.has_table("TARGET_INFO_CUDA_DEVICE"))
    read = events::for_each_row(
        reader, "SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE WHERE gpuId IS NOT NULL",
        [&](const report::Statement& row) {
          ordinals_[{row.integer(0), row.integer(1)}] = row.integer(2);
        });
  return read;
}

base::Status TraceNames::read_domains(const report::ReportReader& reader) {
  if (!reader.has_table(events::kNvtxTable)) return {};
  return events::for_each_row(
      reader,
      "SELECT globalTid, domainId, COALESCE(text, (SELECT value FROM StringIds WHERE id = textId)) "
      "FROM NVTX_EVENTS WHERE eventType = 75",
      [&](const report::Statement& row) {
        domains_[{events::process_of(row.integer(0)), row.integer(1)}] = row.text(2);
      });
}

std::string TraceNames::process(std::int64_t global_id) const {
  const std::string name(events::file_name(threads_.process(global_id)));
  return name.empty() ? "process" : name;
}

std::string TraceNames::thread(std::int64_t global_tid) const {
  const std::string& name = threads_.thread(global_tid);
  return name.empty() ? "thread" : name;
}

std::int64_t TraceNames::gpu_of(std::int64_t global_pid, std::int64_t device) const {
  const auto found = ordinals_.find({events::pid_of(global_pid), device});
  return found == ordinals_.end() ? device : found->second;
}

std::string TraceNames::gpu(std::int64_t gpu) const {
  const auto found = gpus_.find(gpu);
  return fmt::format("GPU {}{}{}", gpu, found == gpus_.end() || found->second.empty() ? "" : " ",
                     found == gpus_.end() ? "" : found->second);
}

const std::string& TraceNames::nvtx_domain(std::int64_t global_id, std::int64_t domain) const {
  static const std::string none;
  const auto found = domains_.find({events::process_of(global_id), domain});
  return found == domains_.end() ? none : found->second;
}

}  // namespace prof::formats
