// Findings about how threads share CPUs and work.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/busy_threads.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/call_chains/symbol_names.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::analyze {

namespace {

std::int64_t time_of(const CpuThread& thread, Activity activity) {
  return thread.times[static_cast<std::size_t>(activity)];
}

bool is_main(const CpuThread& thread) {
  return events::tid_of(thread.global_tid) == events::pid_of(thread.global_tid);
}

// True for functions that a thread can be started for. Python's own are among them, such as those
// of the threads that feed a queue, but not what starts each thread.
bool is_start_of_work(const events::Function& function) {
  if (function.kind == events::CodeKind::kPython)
    return events::file_name(function.module) != "threading.py";
  return is_own_code(function);
}

// Threads of one process with one name that began in one function, or processes of one program,
// which probably do the same kind of work.
using Workers = std::vector<std::uint32_t>;

// Returns for each node of the call tree the outermost function that a thread can be started for.
std::vector<Node> start_nodes(const CodeProfile& profile) {
  std::vector<bool> is_start(profile.code.functions());
  for (std::uint32_t i = 0; i < is_start.size(); ++i)
    is_start[i] = is_start_of_work(profile.code.function(i));
  std::vector<Node> nodes(profile.tree.size(), events::CallTree::kNone);
  for (Node node = 0; node < nodes.size(); ++node) {
    const Node parent = profile.tree.parent(node);  // the parent has a smaller number
    if (parent != events::CallTree::kNone) nodes[node] = nodes[parent];
    if (nodes[node] == events::CallTree::kNone && is_start[frame_of(profile, node).function])
      nodes[node] = node;
  }
  return nodes;
}

// Returns what each thread was started for: the outermost function of its samples. Empty if it is
// not known.
std::vector<std::string> start_functions(const CpuFacts& facts) {
  std::vector<std::string> functions(facts.threads.size());
  for (const CodeProfile* profile : {facts.python.get(), facts.native.get()}) {
    if (profile == nullptr) continue;
    const std::vector<Node> starts = start_nodes(*profile);
    for (const CodeProfile::Sample& sample : profile->samples)
      if (const Node start = starts[sample.node];
          start != events::CallTree::kNone && functions[sample.thread].empty())
        functions[sample.thread] = function_of(*profile, start).name;
  }
  return functions;
}

// Returns the groups of workers. The main thread of a process often only waits for the others, and
// so does the first process, so these are not workers.
std::vector<Workers> worker_groups(const CpuFacts& facts) {
  const auto first =
      std::min_element(facts.threads.begin(), facts.threads.end(),
                       [](const CpuThread& a, const CpuThread& b) { return a.start < b.start; });
  constexpr std::int64_t kOfProcesses = 0;
  const std::vector<std::string> functions = start_functions(facts);
  std::map<std::tuple<std::int64_t, std::string, std::string>, Workers> groups;
  for (std::uint32_t i = 0; i < facts.threads.size(); ++i) {
    const CpuThread& each = facts.threads[i];
    if (!is_main(each))
      groups[{events::process_of(each.global_tid), each.name, functions[i]}].push_back(i);
    else if (&each != &*first)
      groups[{kOfProcesses, each.process, ""}].push_back(i);
  }
  std::vector<Workers> result;
  for (auto& [key, workers] : groups) result.push_back(std::move(workers));
  return result;
}

// True if the thread could have taken part of the other thread's work: it exists when that work
// begins, or starts soon after.
bool is_beside(const CpuThread& thread, const CpuThread& busiest) {
  constexpr std::int64_t kSoon = 5;  // divides the life of the busiest thread
  return thread.end > busiest.start &&
         thread.start <= busiest.start + (busiest.end - busiest.start) / kSoon;
}

struct Unevenness {
  std::int64_t lost = 0;  // ns that equal parts would save
  std::uint32_t busiest = 0;
  std::int64_t most = 0;  // ns that the busiest thread ran
  std::int64_t mean = 0;  // ns that the others ran on average
  // ns that the others ran or waited for a CPU on average. Others that had no CPU could not work.
  std::int64_t mean_busy = 0;
  std::size_t others = 0;
};

Unevenness unevenness(const CpuFacts& facts, const Workers& workers) {
  // A thread that did less than 1 / kMinPart of the busiest thread's work had another purpose, or
  // none.
  constexpr std::int64_t kMinPart = 20;
  Unevenness result;
  for (const std::uint32_t each : workers)
    if (const auto time = time_of(facts.threads[each], Activity::kRunning); time > result.most) {
      result.most = time;
      result.busiest = each;
    }
  std::int64_t sum = 0;
  std::int64_t busy = 0;
  for (const std::uint32_t each : workers) {
    const auto time = time_of(facts.threads[each], Activity::kRunning);
    if (each == result.busiest || time < result.most / kMinPart ||
        !is_beside(facts.threads[each], facts.threads[result.busiest]))
      continue;
    sum = events::sum(sum, time);
    busy = events::sum(busy, time + time_of(facts.threads[each], Activity::kNeedsCpu));
    ++result.others;
  }
  if (result.others == 0) return result;
  const auto others = static_cast<std::int64_t>(result.others);
  result.mean = sum / others;
  result.mean_busy = busy / others;
  result.lost = result.most - events::sum(result.most, sum) / (others + 1);
  return result;
}

// Returns the share of the program's time in which the thread runs, in ns.
std::int64_t running_share(const CpuFacts& facts, std::uint32_t thread) {
  return std::llround(facts.threads[thread].shares[static_cast<std::size_t>(Activity::kRunning)]);
}

// The waits of the program's threads for a CPU, by what ends them.
struct CpuWaits {
  std::int64_t for_own = 0;     // ns: fewer busy threads
  std::int64_t for_others = 0;  // ns: the CPUs that the program has at other times
};

CpuWaits cpu_waits(const CpuFacts& facts) {
  const BusyTimes times = busy_times(facts);
  std::int64_t all = 0;
  for (const auto& [threads, time] : times)
    if (threads != BusyThreads{0, 0}) all += time;
  // A program that always has to share its CPUs never runs on all of them at once.
  const std::int64_t cpus = std::max({std::int64_t{1}, facts.cpus, most_at_once(times, all)});
  CpuWaits waits;
  for (const auto& [threads, time] : times) {
    const std::int64_t too_many =
        std::clamp<std::int64_t>(threads.first + threads.second - cpus, 0, threads.second);
    waits.for_own += too_many * time;
    waits.for_others += (threads.second - too_many) * time;
  }
  return waits;
}

}  // namespace

std::optional<Finding> too_few_cpus(CpuFacts& facts) {
  constexpr double kMinShare = 0.05;
  const double share = facts.share(Activity::kNeedsCpu);
  if (share < kMinShare * facts.time) return std::nullopt;
  std::int64_t waited = 0;
  std::int64_t ran = 0;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < facts.threads.size(); ++i) {
    waited = events::sum(waited, time_of(facts.threads[i], Activity::kNeedsCpu));
    ran = events::sum(ran, time_of(facts.threads[i], Activity::kRunning));
    if (time_of(facts.threads[i], Activity::kNeedsCpu) >
        time_of(facts.threads[most], Activity::kNeedsCpu))
      most = i;
  }
  const CpuWaits waits = cpu_waits(facts);
  std::string evidence =
      fmt::format("threads ran for {} and waited for a CPU for {}; {} waited longest, {}",
                  time_text(ran), time_text(waited), facts.thread_text(most),
                  time_text(time_of(facts.threads[most], Activity::kNeedsCpu)));
  if (waits.for_others > 0)
    evidence += fmt::format(
        "; of these waits {} were for CPUs that the program has at other times: other programs, or "
        "a limit of CPU time, took them",
        time_text(waits.for_others));
  Finding finding{"too_few_cpus",
                  "Threads could run, but have no CPU",
                  std::llround(share),
                  evidence,
                  "Start as many busy threads and processes as there are CPUs, or give the program "
                  "more CPUs: look at its affinity (taskset -p), its container's limit (cpu.max) "
                  "and at other programs on the machine",
                  longest_period(facts, Activity::kNeedsCpu, most)};
  if (waits.for_others <= waits.for_own) return finding;
  finding.sentence = "Other programs, or a limit of CPU time, took the CPUs from the program";
  finding.remedy =
      "Nothing in the program: record again while the machine is idle (prof monitor shows what "
      "runs), or look at its affinity (taskset -p) and its container's limit (cpu.max)";
  finding.is_outside = true;
  return finding;
}

bool is_cpu_taken_by_others(const CpuFacts& facts) {
  const CpuWaits waits = cpu_waits(facts);
  return waits.for_others > waits.for_own;
}

std::optional<Finding> uneven_threads(CpuFacts& facts) {
  constexpr double kMinShare = 0.1;
  Unevenness worst;
  for (const Workers& workers : worker_groups(facts))
    if (const Unevenness each = unevenness(facts, workers); each.lost > worst.lost) worst = each;
  if (worst.others == 0 || worst.most < 2 * worst.mean_busy) return std::nullopt;
  const std::int64_t lost = std::min(worst.lost, running_share(facts, worst.busiest));
  if (static_cast<double>(lost) < kMinShare * facts.time_with_cpu()) return std::nullopt;
  const CpuThread& busiest = facts.threads[worst.busiest];
  return Finding{
      "uneven_threads",
      "One thread does much more work than others of its kind",
      lost,
      fmt::format("{} ran for {}, {} for {} each on average", facts.thread_text(worst.busiest),
                  time_text(worst.most),
                  count_text(static_cast<std::int64_t>(worst.others), "other thread"),
                  time_text(worst.mean)),
      "Divide the work into more and smaller pieces that idle threads take from a queue (a dynamic "
      "schedule)",
      Where{{busiest.start, busiest.end}, busiest.global_tid}};
}

}  // namespace prof::analyze
