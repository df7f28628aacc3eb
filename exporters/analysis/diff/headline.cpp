#include "exporters/analysis/diff/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "common/base/text/amounts.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/table_format.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::diff {

namespace {

constexpr std::size_t kNames = 3;        // maximum number of names per category
constexpr std::size_t kNameLength = 60;  // maximum length of a name in characters
// A category gets a line if one of its differences is at least this share of the largest one.
constexpr double kMinShare = 0.01;

struct Group {
  Total before;
  Total after;
  std::vector<const Change*> changes;  // largest difference first

  std::int64_t difference() const { return std::abs(after.time - before.time); }
  std::int64_t largest() const { return std::abs(changes.front()->difference()); }
};

using Groups = std::map<const Category*, Group>;

void add(Group& group, const Change& change) {
  group.before.time = events::sum(group.before.time, change.before.time);
  group.after.time = events::sum(group.after.time, change.after.time);
  if (change.difference() != 0) group.changes.push_back(&change);
}

// Returns the changes by category. Waits of idle threads are in no group.
Groups grouped(const std::vector<Change>& changes) {
  Groups groups;
  for (const Change& change : changes)
    if (!is_waiting(change)) add(groups[change.category], change);
  std::erase_if(groups, [](const auto& each) { return each.second.changes.empty(); });
  return groups;
}

bool is_gpu_category(const Category& category) {
  const std::string_view name = category.name;
  return name == "kernel" || name == "copy" || name == "fill";
}

std::vector<Groups::const_iterator> sorted(const Groups& groups) {
  std::vector<Groups::const_iterator> order;
  for (auto at = groups.begin(); at != groups.end(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const bool first = is_gpu_category(*a->first);
    const bool second = is_gpu_category(*b->first);
    return first && second ? a->second.difference() > b->second.difference() : first && !second;
  });
  return order;
}

std::string time_text(std::int64_t nanoseconds, bool with_sign = false) {
  const base::Scaled time = base::scaled_duration(static_cast<double>(nanoseconds));
  const int decimals = time.is_smallest_unit ? 0 : 2;
  return with_sign ? fmt::format("{:+.{}f} {}", time.value, decimals, time.unit)
                   : fmt::format("{:.{}f} {}", time.value, decimals, time.unit);
}

// Returns "4.00 s → 1.00 s (-75.0 %)".
std::string times_text(std::int64_t before, std::int64_t after) {
  std::string times = time_text(before) + " → " + time_text(after);
  if (before == 0) return times;
  return fmt::format("{} ({:+.1f} %)", times,
                     100 * (static_cast<double>(after) / static_cast<double>(before) - 1));
}

std::string change_text(const Change& change) {
  std::string text =
      base::mark_name(change.category->name, tables::one_line(change.name, kNameLength)) + ' ' +
      time_text(change.difference(), true);
  if (change.before.count == 0) return text + " (new)";
  if (change.after.count == 0) return text + " (gone)";
  if (change.before.count == change.after.count) return text;
  return text + fmt::format(" ({} → {} times)", change.before.count, change.after.count);
}

std::string group_text(std::string_view what, const Group& group) {
  std::string line = fmt::format("{}: {}: ", what, times_text(group.before.time, group.after.time));
  const std::size_t count = std::min(group.changes.size(), kNames);
  for (std::size_t i = 0; i < count; ++i)
    line += (i == 0 ? "" : ", ") + change_text(*group.changes[i]);
  if (group.changes.size() > count)
    line += fmt::format(" and {} more", group.changes.size() - count);
  return line;
}

std::string cpu_text(const Figures& before, const Figures& after) {
  std::string line = "CPU time: " + times_text(*before.cpu_time, *after.cpu_time);
  if (before.switches && after.switches)
    line += fmt::format("; context switches: {} → {}", *before.switches, *after.switches);
  return line;
}

}  // namespace

std::vector<std::string> headline(const Comparison& comparison) {
  const auto& [before, after, changes] = comparison;
  std::vector<std::string> lines;
  const auto [of_session, first, second] = durations(before, after);
  if (first && second)
    lines.push_back(fmt::format("{}: {}", of_session ? "Session" : "First to last GPU operation",
                                times_text(*first, *second)));
  if (before.gpus > 0 || after.gpus > 0)
    lines.push_back(fmt::format("GPU busy: {}; kernels: {} → {}",
                                times_text(before.gpu_busy, after.gpu_busy), before.kernels,
                                after.kernels));
  const Groups groups = grouped(changes);
  std::int64_t largest = 0;
  for (const auto& [category, group] : groups) largest = std::max(largest, group.largest());
  bool has_cpu_time = before.cpu_time && after.cpu_time;
  const auto add_cpu_time = [&] {
    if (std::exchange(has_cpu_time, false)) lines.push_back(cpu_text(before, after));
  };
  for (const auto& at : sorted(groups)) {
    if (!is_gpu_category(*at->first)) add_cpu_time();
    if (static_cast<double>(at->second.largest()) >= kMinShare * static_cast<double>(largest))
      lines.push_back(group_text(at->first->events, at->second));
  }
  add_cpu_time();
  Group waits;
  for (const Change& change : changes)
    if (is_waiting(change)) add(waits, change);
  if (!waits.changes.empty()) lines.push_back(group_text("waits of idle threads", waits));
  if (groups.empty() && waits.changes.empty()) lines.emplace_back("No times changed.");
  return lines;
}

}  // namespace prof::diff
