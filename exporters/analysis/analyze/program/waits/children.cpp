// The finding about processes that wait for one child process after the other.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

using insight::Interval;
using insight::Intervals;

struct ProcessTimes {
  std::string name;
  std::vector<Interval> waits;  // times of waiting for child processes
  std::vector<Interval>
      active;  // times in which a thread does something other than wait for others
  std::int64_t without_cpu =
      0;  // ns, summed over the threads: time in which other programs had the CPUs
  std::set<std::uint32_t> calls;
  std::int64_t start = INT64_MAX;
  std::int64_t end = INT64_MIN;

  // True for a process that only starts a few programs and waits nearly all the time, such as a
  // shell or a compiler's driver.
  bool is_launcher() const {
    const Intervals merged_waits = insight::merged(waits);
    constexpr std::size_t kFew = 3;
    return calls.size() <= kFew &&
           10 * insight::total(merged_waits) >= 9 * (end - start - without_cpu);
  }
};

std::map<std::int64_t, ProcessTimes> process_times_of(const CpuFacts& facts) {
  std::map<std::int64_t, ProcessTimes> result;
  for (const Period& period : facts.periods) {
    const CpuThread& thread = facts.threads[period.thread];
    ProcessTimes& process = result[events::process_of(thread.global_tid)];
    process.name = thread.process;
    process.start = std::min(process.start, period.start);
    process.end = std::max(process.end, period.end);
    const Interval time{period.start, period.end};
    if (period.activity == Activity::kNeedsCpu) process.without_cpu += period.end - period.start;
    if (period.activity == Activity::kChildren) {
      process.waits.push_back(time);
      process.calls.insert(period.call);
    } else if (rank_of(period.activity) < 2) {
      process.active.push_back(time);
    }
  }
  return result;
}

// Returns the programs that were active in these times: "2 processes of gcc (80 %)".
std::string programs_text(const std::map<std::int64_t, ProcessTimes>& processes,
                          const Intervals& times) {
  constexpr std::size_t kMaximum = 3;
  struct Program {
    std::string name;
    std::int64_t count = 0;
    std::int64_t time = 0;
  };
  std::map<std::string, Program> programs;
  for (const auto& [id, process] : processes) {
    const std::int64_t time =
        insight::total(insight::intersection(insight::merged(process.active), times));
    if (time == 0) continue;
    Program& program = programs[process.name];
    program.name = tables::one_line(events::file_name(process.name), 60);
    ++program.count;
    program.time += time;
  }
  std::vector<Program> order;
  for (auto& [name, program] : programs) order.push_back(program);
  std::stable_sort(order.begin(), order.end(),
                   [](const Program& a, const Program& b) { return a.time > b.time; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaximum, order.size()); ++i)
    text += fmt::format(
        "{}{} of {} ({})", i == 0 ? "" : ", ",
        order[i].count == 1 ? "1 process" : fmt::format("{} processes", order[i].count),
        order[i].name.empty() ? "an unknown program" : base::mark_name("program", order[i].name),
        time_text(order[i].time));
  return text;
}

}  // namespace

std::optional<Finding> child_processes(CpuFacts& facts) {
  const std::map<std::int64_t, ProcessTimes> processes = process_times_of(facts);
  std::vector<Interval> waits;
  std::vector<Interval> active;
  std::vector<Interval> sleeps;  // of programs whose only work is to wait
  std::set<std::int64_t> waiting;
  for (const auto& [id, process] : processes) {
    const Intervals busy = insight::merged(process.active);
    std::vector<Interval>& times = is_sleep_program(process.name) ? sleeps : active;
    times.insert(times.end(), busy.begin(), busy.end());
    if (process.waits.empty() || process.is_launcher()) continue;
    waiting.insert(id);
    const Intervals own = insight::difference(insight::merged(process.waits), busy);
    waits.insert(waits.end(), own.begin(), own.end());
  }
  // While two processes work at the same time, waiting for them costs nothing.
  const Intervals times = insight::difference(
      insight::difference(insight::merged(std::move(waits)), insight::overlaps(std::move(active))),
      insight::merged(std::move(sleeps)));
  constexpr double kMinShare = 0.1;
  if (times.empty() || static_cast<double>(insight::total(times)) < kMinShare * facts.time)
    return std::nullopt;
  auto sites = wait_sites(facts, [&](const Period& period, const OsCall&) {
    return period.activity == Activity::kChildren &&
           waiting.contains(events::process_of(facts.threads[period.thread].global_tid));
  });
  for (CallSite& site : sites)
    for (const std::int64_t length : site.lengths) site.share += static_cast<double>(length);
  std::stable_sort(sites.begin(), sites.end(),
                   [](const CallSite& a, const CallSite& b) { return a.share > b.share; });
  const std::string programs = programs_text(processes, times);
  std::string evidence = sites.empty() ? "" : site_text(facts, sites.front());
  if (!programs.empty()) evidence += (evidence.empty() ? "" : "; meanwhile ") + programs;
  return Finding{"child_processes",
                 "A process waits for one child process at a time and does nothing else",
                 insight::total(times),
                 evidence,
                 "Run independent child processes at the same time (make -j, xargs -P, several "
                 "Popen before the first wait), or do the work in the process itself",
                 sites.empty() ? std::nullopt : where_of(facts, sites.front().longest)};
}

}  // namespace prof::analyze
