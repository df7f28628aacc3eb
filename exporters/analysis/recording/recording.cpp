#include "exporters/analysis/recording/recording.hpp"

#include <fmt/format.h>

#include "exporters/analysis/analyze/findings/throttling.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/iterations.hpp"

namespace prof::recording {

namespace {

using report::Statement;

// Names GPUs by model and number of multiprocessors, which tells a MIG instance from the GPU.
base::Status add_gpus(const report::ReportReader& reader, Recording& recording) {
  constexpr const char* kTable = "TARGET_INFO_GPU";
  if (!reader.has_column(kTable, "name") || !reader.has_column(kTable, "smCount")) return {};
  std::string gpus;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT name, smCount, count(*) FROM main.TARGET_INFO_GPU WHERE name IS NOT NULL "
      "GROUP BY name, smCount ORDER BY name, smCount",
      [&](const Statement& row) {
        gpus += fmt::format("{}{} × {} ({} SMs)", gpus.empty() ? "" : ", ", row.integer(2),
                            row.text(0), row.integer(1));
      });
  if (read && !gpus.empty()) recording.emplace(kGpu, std::set{gpus});
  return read;
}

base::Status add_info(const report::ReportReader& reader, Recording& recording) {
  const auto info = info::read_info(reader);
  if (!info) return tl::make_unexpected(info.error());
  const std::map<std::string, std::string_view> ids = {
      {"NVIDIA driver", "driver"}, {"CUDA", "cuda"}, {"CPU", "cpu"}, {"CPUs", "cpus"}};
  for (const auto& [title, value] : info->machine)
    if (const auto id = ids.find(title); id != ids.end())
      recording[std::string(id->second)] = {value};
  if (!info->product.empty()) recording["profiler"] = {info->product};
  if (!info->command.empty()) recording["command"] = {info->command};
  if (reader.has_table("DIAGNOSTIC_EVENT")) {
    std::set<std::string>& lost = recording["lost"];
    for (const info::Diagnostic& each : info->diagnostics)
      if (info::is_loss(each)) lost.insert(each.text);
  }
  if (info->options.empty()) return {};
  std::set<std::string>& options = recording["options"];
  for (const auto& [name, value] : info::chosen_options(*info))
    if (!name.starts_with("FLIGHT_RECORDER:CAUSE_") && name != "PROCESS_0:PID")
      options.insert(name + '=' + value);
  return {};
}

base::Result<bool> has_throttling(const report::ReportReader& reader) {
  if (!reader.has_column("GENERIC_EVENT_TYPE_FIELDS", "fieldNameId")) return false;
  bool has_any = false;
  const base::Status read = events::for_each_row(reader,
                                                 "SELECT 1 FROM main.GENERIC_EVENT_TYPE_FIELDS f "
                                                 "JOIN main.StringIds s ON s.id = f.fieldNameId "
                                                 "WHERE s.value GLOB 'Throttled: *' LIMIT 1",
                                                 [&](const Statement&) { has_any = true; });
  if (!read) return tl::make_unexpected(read.error());
  return has_any;
}

// A reason counts from 5 % of the GPU's work: shorter ones do not explain a change.
base::Status add_throttling(const report::ReportReader& reader, const insight::GpuWork& work,
                            Recording& recording) {
  constexpr std::int64_t kMinShare = 20;  // 1 / minimum share of the work
  const auto is_known = has_throttling(reader);
  if (!is_known) return tl::make_unexpected(is_known.error());
  if (!*is_known) return {};
  const auto gpus = analyze::read_throttled_gpus(reader, work);
  if (!gpus) return tl::make_unexpected(gpus.error());
  std::set<std::string>& throttled = recording["throttled"];
  for (const analyze::ThrottledGpu& gpu : *gpus)
    for (const analyze::ThrottleReason& reason : gpu.reasons)
      if (kMinShare * reason.time >= gpu.work)
        throttled.insert(fmt::format("GPU {}: {}", gpu.gpu, reason.name));
  return {};
}

base::Status add_work(const report::ReportReader& reader, Recording& recording) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto ranges = events::RangeTree::read(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const std::size_t count = insight::iteration_lengths(*work, *ranges).size();
  if (count > 0) recording["iterations"] = {std::to_string(count)};
  return add_throttling(reader, *work, recording);
}

}  // namespace

base::Result<Recording> read_recording(const report::ReportReader& reader) {
  const auto whole = report::ReportReader::open(reader.path());
  if (!whole) return tl::make_unexpected(whole.error());
  if (const base::Status made = events::make_views(*whole); !made)
    return tl::make_unexpected(made.error());
  Recording recording;
  for (const auto add : {add_gpus, add_info})
    if (const base::Status added = add(*whole, recording); !added)
      return tl::make_unexpected(added.error());
  // A report of another program may lack columns. Then nothing is said of its GPU work.
  static_cast<void>(add_work(*whole, recording));
  if (const base::Status read = whole->finish(); !read) return tl::make_unexpected(read.error());
  return recording;
}

}  // namespace prof::recording
