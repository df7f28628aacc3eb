// Finds many processes that end soon after they have started.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/events/global_ids.hpp"

namespace prof::analyze {

namespace {

struct Process {
  std::int64_t start = INT64_MAX;
  std::int64_t end = INT64_MIN;
  std::int64_t waited = 0;  // ns that the thread that waited most for a CPU waited
  double share = 0;         // ns of the program's time
  double running = 0;       // ns, the part of `share` on a CPU
  std::string name;

  // Returns how long the process would live on an idle machine, in ns.
  std::int64_t life() const { return end - start - waited; }
};

std::map<std::int64_t, Process> processes_of(const CpuFacts& facts) {
  std::map<std::int64_t, Process> processes;
  for (const CpuThread& thread : facts.threads) {
    Process& process = processes[events::process_of(thread.global_tid)];
    process.start = std::min(process.start, thread.start);
    process.end = std::max(process.end, thread.end);
    process.waited =
        std::max(process.waited, thread.times[static_cast<std::size_t>(Activity::kNeedsCpu)]);
    process.share = std::accumulate(thread.shares.begin(), thread.shares.end(), process.share);
    process.running += thread.shares[static_cast<std::size_t>(Activity::kRunning)];
    process.name = thread.process;
  }
  return processes;
}

struct ShortProcesses {
  std::int64_t count = 0;
  std::int64_t life = 0;  // ns, sum over the processes
  double share = 0;       // ns of the program's time
  double running = 0;     // ns, the part of `share` on a CPU
  std::map<std::string, std::int64_t> names;
  insight::Interval time{INT64_MAX, INT64_MIN};  // from the first start to the last end

  void add(const Process& process) {
    ++count;
    life += process.life();
    share += process.share;
    running += process.running;
    ++names[process.name];
    time = {std::min(time.start, process.start), std::max(time.end, process.end)};
  }
};

ShortProcesses short_ones(const CpuFacts& facts) {
  // The limit in ns. Starting a program takes a few milliseconds.
  constexpr std::int64_t kShort = 20'000'000;
  ShortProcesses result;
  for (const auto& [id, process] : processes_of(facts))
    if (process.life() < kShort) result.add(process);
  return result;
}

bool starts_process(std::string_view function) {
  static constexpr std::string_view kNames[] = {"fork", "_Fork", "vfork", "posix_spawn",
                                                "posix_spawnp"};
  return std::find(std::begin(kNames), std::end(kNames), function) != std::end(kNames);
}

}  // namespace

std::optional<Finding> short_processes(CpuFacts& facts) {
  constexpr std::int64_t kMinCount = 20;
  constexpr double kMinPart = 0.25;
  const ShortProcesses found = short_ones(facts);
  // Only time on CPUs is compared, because new processes wait on a busy machine.
  const double of_running = kMinPart * facts.share(Activity::kRunning);
  if (found.count < kMinCount || found.running < of_running) return std::nullopt;
  double time = found.share;
  NameTest is_start(facts, starts_process);
  for (const OsCall& call : facts.calls)
    if (!call.is_nested && is_start(call)) time += call.share;
  time = std::min(time, facts.time);
  const auto most =
      std::max_element(found.names.begin(), found.names.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return Finding{
      "short_processes",
      "Many processes do little more than start and end",
      std::llround(time),
      fmt::format(
          "{} processes of {} on average; {} of them are {}", found.count,
          time_text(found.life / found.count), most->second,
          most->first.empty() ? "unknown programs" : base::mark_name("program", most->first)),
      "Start fewer processes: what the shell can do itself, one process for many items (xargs, "
      "find -exec … +, tools that take several files), or a process that stays and takes orders",
      Where{found.time}};
}

}  // namespace prof::analyze
