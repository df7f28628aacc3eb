#include "exporters/formats/chrome/rows.hpp"

#include <fmt/format.h>

#include "common/base/text/json.hpp"
#include "exporters/analysis/events/global_ids.hpp"

namespace prof::formats {

std::uint32_t ChromeRows::of_thread(std::int64_t global_tid, Group group) {
  const auto [at, is_new] =
      threads_.try_emplace({global_tid, group}, static_cast<std::uint32_t>(rows_.size()));
  if (!is_new) return at->second;
  const std::int64_t pid = events::pid_of(global_tid);
  const std::int64_t tid = events::tid_of(global_tid);
  programs_.try_emplace(pid, global_tid);
  const bool is_program = group == Group::kProgram;
  rows_.push_back({pid, is_program ? tid : new_tid(),
                   fmt::format("thread {} ({}){}", tid, names_.thread(global_tid),
                               is_program ? "" : " OS runtime"),
                   Lanes(true)});
  return at->second;
}

std::uint32_t ChromeRows::of_stream(const GpuStream& stream) {
  const auto [at, is_new] = streams_.try_emplace(stream, static_cast<std::uint32_t>(rows_.size()));
  if (!is_new) return at->second;
  const std::int64_t gpu = names_.gpu_of(stream.global_pid, stream.device);
  // As in PyTorch's traces the pid of a GPU's rows is the number of the GPU, unless a process has
  // this pid.
  const std::int64_t pid = programs_.contains(gpu) ? kFirstExtra + gpu : gpu;
  gpus_.try_emplace(gpu, pid, stream.global_pid);
  const bool is_free = used_.insert({pid, stream.stream}).second;
  rows_.push_back({pid, is_free ? stream.stream : new_tid(),
                   fmt::format("stream {} (process {}, context {})", stream.stream,
                               events::pid_of(stream.global_pid), stream.context),
                   Lanes(false)});
  return at->second;
}

std::int64_t ChromeRows::of_counters(const std::string& device) {
  const auto [at, is_new] = counters_.try_emplace(device, 0);
  if (is_new) at->second = new_tid();
  return at->second;
}

ChromeRow ChromeRows::lane(Rows& rows, std::size_t number) {
  while (rows.tids.size() <= number)
    rows.tids.push_back(rows.tids.empty() ? rows.first_tid : new_tid());
  return {rows.pid, rows.tids[number]};
}

ChromeRow ChromeRows::place(std::uint32_t number, std::int64_t start, std::int64_t end) {
  Rows& rows = rows_[number];
  return lane(rows, rows.lanes.place(start, end, [](std::size_t, std::int64_t) {}));
}

ChromeRow ChromeRows::first_row(std::uint32_t number) { return lane(rows_[number], 0); }

void ChromeRows::name_process(std::int64_t pid, const std::string& name, const std::string& label,
                              std::int64_t rank) {
  const ChromeRow row{pid, 0};
  events_.metadata("process_name", "name", row, base::quoted_json(name));
  events_.metadata("process_labels", "labels", row, base::quoted_json(label));
  events_.metadata("process_sort_index", "sort_index", row, std::to_string(rank));
}

void ChromeRows::write_names() {
  constexpr std::int64_t kGpusLast = 5'000'000;
  constexpr std::int64_t kCountersLast = 6'000'000;
  for (const auto& [pid, global_tid] : programs_)
    name_process(pid, names_.process(global_tid), "CPU", pid);
  for (const auto& [gpu, process] : gpus_)
    name_process(process.first, names_.process(process.second), names_.gpu(gpu), kGpusLast + gpu);
  for (const auto& [device, pid] : counters_)
    name_process(pid, device, "counters", kCountersLast + pid - kFirstExtra);
  std::int64_t rank = 0;
  for (const Rows& rows : rows_)
    for (std::size_t i = 0; i < rows.tids.size(); ++i) {
      const ChromeRow row{rows.pid, rows.tids[i]};
      const std::string name = i == 0 ? rows.name : fmt::format("{} ({})", rows.name, i + 1);
      events_.metadata("thread_name", "name", row, base::quoted_json(name));
      events_.metadata("thread_sort_index", "sort_index", row, std::to_string(rank++));
    }
}

}  // namespace prof::formats
