// Finds threads that wait for Python's interpreter lock.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using insight::Interval;
using insight::Intervals;

constexpr std::size_t kGil = static_cast<std::size_t>(Activity::kGil);

// Returns the times in which at least one thread waits for the lock.
Intervals waits(const CpuFacts& facts) {
  std::vector<Interval> any;
  for (const Period& each : facts.periods)
    if (each.activity == Activity::kGil) any.push_back({each.start, each.end});
  return insight::merged(std::move(any));
}

// Names the thread that holds the lock longest in these times: "; meanwhile thread 7 holds it for
// 1.2 s".
std::string holders(const CpuFacts& facts, const Intervals& waits) {
  std::map<std::uint32_t, std::int64_t> held;  // ns, by thread
  for (const LockRange& each : facts.lock_ranges)
    if (!each.is_wait) held[each.thread] += insight::covered(waits, each.start, each.end);
  const auto most = std::max_element(
      held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == held.end() || most->second == 0) return "";
  return fmt::format("; meanwhile {} holds it for {}", facts.thread_text(most->first),
                     time_text(most->second));
}

// Tells if a thread waits for the lock at a time. It must be asked in the order of threads and
// time.
class Waiting {
 public:
  explicit Waiting(const CpuFacts& facts) : facts_(facts) {}
  bool is_waiting(std::uint32_t thread, std::int64_t time) {
    const auto& periods = facts_.periods;
    while (next_ < periods.size() &&
           (periods[next_].thread < thread ||
            (periods[next_].thread == thread && periods[next_].end <= time)))
      ++next_;
    return next_ < periods.size() && periods[next_].thread == thread &&
           periods[next_].start <= time && periods[next_].activity == Activity::kGil;
  }

 private:
  const CpuFacts& facts_;
  std::size_t next_ = 0;
};

// Returns the Python function that runs most while others wait.
std::string running_function(const CpuFacts& facts, const Intervals& waits) {
  if (!facts.python) return "";
  const CodeProfile& profile = *facts.python;
  Waiting waiting(facts);
  const auto sums = sum_by_function(profile, [&](const CodeProfile::Sample& sample) {
    const bool is_holder = insight::covered(waits, sample.time, sample.time + 1) > 0 &&
                           !waiting.is_waiting(sample.thread, sample.time);
    return is_holder ? sample.node : CallTree::kNone;
  });
  if (sums.empty()) return "";
  return "; what runs then is mostly " +
         code_text(profile.code.function(sums.front().function), sums.front().line);
}

// True if the program divides its work among processes already: several Python processes compute
// for a good part of the time of the one that computes most.
bool uses_processes(const CpuFacts& facts) {
  constexpr std::int64_t kMinPart = 10;
  std::map<std::int64_t, std::int64_t> ran;  // ns, by process
  for (const CpuThread& each : facts.threads)
    if (events::file_name(each.process).starts_with("python"))
      ran[events::process_of(each.global_tid)] +=
          each.times[static_cast<std::size_t>(Activity::kRunning)];
  std::int64_t most = 0;
  for (const auto& [process, time] : ran) most = std::max(most, time);
  return std::ranges::count_if(
             ran, [&](const auto& each) { return kMinPart * each.second >= most; }) > 1;
}

}  // namespace

std::optional<Finding> interpreter_lock(CpuFacts& facts) {
  const Intervals times = waits(facts);
  if (times.empty()) return std::nullopt;
  const auto count = std::count_if(facts.threads.begin(), facts.threads.end(),
                                   [](const CpuThread& each) { return each.times[kGil] > 0; });
  std::string evidence = count_text(count, "thread") + (count == 1 ? " waits" : " wait") +
                         holders(facts, times) + running_function(facts, times);
  if (facts.lock_ranges.empty())
    evidence += "; seen by the interpreter's calls, prof profile -t python-gil records it exactly";
  return Finding{"interpreter_lock",
                 "Python threads wait for the interpreter lock (GIL)",
                 std::llround(facts.share(Activity::kGil)),
                 evidence,
                 uses_processes(facts)
                     ? "Start fewer threads in each process: threads that run Python code take "
                       "turns. Or do that work in native code that releases the lock"
                     : "Use processes (multiprocessing, concurrent.futures.ProcessPoolExecutor) in "
                       "place of threads for work in Python code, or do that work in native code "
                       "that releases the lock",
                 longest_period(facts, Activity::kGil)};
}

}  // namespace prof::analyze
