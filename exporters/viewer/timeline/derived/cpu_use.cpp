// Shows what each CPU ran, and how many CPUs were in use.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

namespace {

// The curve of CPUs in use has this many steps for the whole recording.
constexpr std::int64_t kSteps = 4'000;

struct Switch {
  std::int64_t time;
  std::int64_t row;
  std::int64_t thread;
  bool is_in;
};

// Finds the names of threads.
class ThreadTitles {
 public:
  ThreadTitles(events::ThreadNames known, Names& names) : known_(std::move(known)), names_(names) {}
  std::uint32_t number(std::int64_t thread) {
    const auto [at, is_new] = numbers_.try_emplace(thread, Names::kUnknown);
    if (!is_new) return at->second;
    std::string name = known_.thread(thread);
    if (name.empty()) name = known_.process(thread);
    name = name.substr(name.rfind('/') + 1);
    return at->second = names_.number(name.empty() ? "thread" : name);
  }

 private:
  events::ThreadNames known_;
  Names& names_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
};

// Returns the times in which a CPU ran threads. A thread runs until it or another one is switched.
Section runs_of(std::vector<Switch> switches, ThreadTitles& titles) {
  std::stable_sort(switches.begin(), switches.end(),
                   [](const Switch& a, const Switch& b) { return a.time < b.time; });
  Section runs;
  for (std::size_t i = 0; i + 1 < switches.size(); ++i) {
    const Switch& from = switches[i];
    const bool is_row = from.row >= 0 && from.row <= UINT32_MAX;
    if (from.is_in && is_row)
      runs.add({from.time, switches[i + 1].time, titles.number(from.thread),
                static_cast<std::uint32_t>(from.row), 0, 0, 0});
  }
  return runs;
}

// Returns the average number of CPUs in use in each step.
std::shared_ptr<const CounterLanes> use_of(
    const std::vector<std::shared_ptr<const EventLanes>>& cpus) {
  std::int64_t start = INT64_MAX;
  std::int64_t end = INT64_MIN;
  for (const auto& cpu : cpus) {
    if (cpu->size() == 0) continue;
    start = std::min(start, cpu->earliest());
    end = std::max(end, cpu->latest());
  }
  if (start >= end)
    return std::make_shared<const CounterLanes>(std::vector<std::vector<Sample>>(1));
  const std::int64_t step = (end - start) / kSteps + 1;
  std::vector<std::int64_t> busy(static_cast<std::size_t>((end - start) / step + 1));
  for (const auto& cpu : cpus)
    for (std::size_t i = 0; i < cpu->size(); ++i) {
      const std::int64_t last = cpu->end_of(i);
      for (std::int64_t at = cpu->start(i); at < last;) {
        const std::int64_t number = (at - start) / step;
        const std::int64_t next = std::min(last, start + (number + 1) * step);
        busy[static_cast<std::size_t>(number)] += next - at;
        at = next;
      }
    }
  std::vector<std::vector<Sample>> series(1);
  for (std::size_t i = 0; i < busy.size(); ++i)
    series[0].push_back({start + static_cast<std::int64_t>(i) * step,
                         static_cast<double>(busy[i]) / static_cast<double>(step)});
  series[0].push_back({end, 0});
  return std::make_shared<const CounterLanes>(std::move(series));
}

}  // namespace

base::Status read_cpu_use(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  if (!context.reader.has_column(events::kSchedulingTable, "cpu")) return {};
  auto known = events::ThreadNames::read(context.reader);
  if (!known) return tl::make_unexpected(known.error());
  ThreadTitles titles(std::move(*known), context.names);
  std::map<std::int64_t, std::vector<Switch>> switches;
  const base::Status read =
      report::scan(context.reader,
                   {events::kSchedulingTable, {"start", "cpu", "isSchedIn", "globalTid", "rowid"}},
                   [&](const report::Row& row) {
                     const std::int64_t time = row.integer_or(0, INT64_MAX);
                     // Rows with impossible times are counted by the rows of threads.
                     if (time >= -events::kMaxTime && time <= events::kMaxTime)
                       switches[row.integer(1)].push_back(
                           {time, row.integer(4), row.integer(3), row.integer(2) != 0});
                   });
  std::vector<std::shared_ptr<const EventLanes>> cpus;
  DerivedRow use;
  for (auto& [cpu, all] : switches) {
    Sections sections;
    sections[static_cast<std::size_t>(Layout::kFirstFit)] = runs_of(std::move(all), titles);
    auto lanes = std::make_shared<const EventLanes>(EventLanes::lay_out(std::move(sections)));
    if (lanes->size() == 0) continue;
    cpus.push_back(lanes);
    DerivedRow row;
    row.events = lanes->size();
    row.table = events::kSchedulingTable;
    row.data.events = std::move(lanes);
    row.place = [cpu = cpu, report = context.report](RowTree& tree) {
      return tree.row_below(tree.cpus(report), RowKind::kCpu, RowStyle::kEvents,
                            "CPU " + std::to_string(cpu), cpu);
    };
    rows.push_back(std::move(row));
  }
  if (cpus.empty()) return read;
  use.series = {"in use"};
  use.unit = "CPUs";
  use.data.counter = use_of(cpus);
  use.place = [report = context.report](RowTree& tree) { return tree.cpus(report); };
  rows.push_back(std::move(use));
  return read;
}

}  // namespace prof::timeline
