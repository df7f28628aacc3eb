// Makes the parts of the start page about GPUs: how their time was spent, and iterations.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/viewer/answers/summary/parts.hpp"

namespace prof::view {

namespace {

// The maximum number of iterations in a chart. Beyond it, each shown iteration is the longest of a
// group.
constexpr std::size_t kMaxIterations = 4000;

std::string name_of(const insight::Device& device, const timeline::Row* row) {
  const std::int64_t pid = events::pid_of(device.global_pid);
  return row == nullptr ? fmt::format("GPU {} of process {}", device.number, pid)
                        : fmt::format("{} (pid {})", row->name, pid);
}

struct ShownIterations {
  std::size_t group = 1;  // number of adjacent iterations that are shown as one
  std::vector<std::size_t> indices;
};

ShownIterations choose(const std::vector<insight::Interval>& times) {
  ShownIterations shown;
  shown.group = (times.size() + kMaxIterations - 1) / kMaxIterations;
  for (std::size_t first = 0; first < times.size(); first += shown.group) {
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        times.begin() + static_cast<std::ptrdiff_t>(std::min(first + shown.group, times.size()));
    const auto longest = std::max_element(
        begin, end, [](const auto& a, const auto& b) { return a.length() < b.length(); });
    shown.indices.push_back(static_cast<std::size_t>(longest - times.begin()));
  }
  return shown;
}

}  // namespace

WholeWork whole_work(const insight::GpuWork& work,
                     const std::vector<insight::Iterations>& iterations) {
  WholeWork result{{}, iterations};
  for (std::size_t i = 0; i < work.devices().size(); ++i)
    result.devices.push_back({work.devices()[i], breakdown(insight::activity(work, i))});
  return result;
}

std::string gpus_part(const WholeWork& work, const timeline::Snapshot& snapshot,
                      const Places& places) {
  Json json;
  json.begin_list();
  for (const auto& [device, times] : work.devices) {
    const timeline::RowId row = places.row_of(device);
    json.begin_object().pair("name", name_of(device, snapshot.row(row))).key("row");
    row == timeline::kNoRow ? json.null() : json.value(row);
    json.pair("span", times.span)
        .pair("compute", times.compute)
        .pair("exposed_communication", times.exposed_communication)
        .pair("hidden_communication", times.hidden_communication)
        .pair("exposed_copies", times.exposed_copies)
        .pair("hidden_copies", times.hidden_copies)
        .pair("idle", times.idle)
        .end_object();
  }
  json.end_list();
  return json.take();
}

// Makes the part with the iterations of the device that has most of them.
std::string iterations_part(const WholeWork& work, const Places& places) {
  if (work.iterations.empty()) return "null";
  const insight::Iterations& all = *std::max_element(
      work.iterations.begin(), work.iterations.end(),
      [](const auto& a, const auto& b) { return a.times.size() < b.times.size(); });
  const std::int64_t median = insight::median_length(all);
  const ShownIterations shown = choose(all.times);
  const auto slow_count = std::count_if(all.times.begin(), all.times.end(), [&](const auto& time) {
    return insight::is_slow(time, median);
  });
  Json json;
  json.begin_object().pair("found_by", all.found_by).key("row");
  const timeline::RowId row = places.row_of(work.devices[all.device].device);
  row == timeline::kNoRow ? json.null() : json.value(row);
  json.key("times").begin_list();
  for (const std::size_t each : shown.indices) {
    const auto span = places.of(analyze::Where{all.times[each]}).span;
    json.begin_list().value(span.start).value(span.end).end_list();
  }
  json.end_list().pair("median", median).key("slow").begin_list();
  for (std::size_t i = 0; i < shown.indices.size(); ++i)
    if (insight::is_slow(all.times[shown.indices[i]], median)) json.value(i);
  json.end_list()
      .pair("slow_rule", "at least 1.5 times the median")
      .pair("slow_count", slow_count)
      .pair("count", all.times.size())
      .pair("group", shown.group)
      .end_object();
  return json.take();
}

}  // namespace prof::view
