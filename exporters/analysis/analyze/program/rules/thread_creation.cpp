// Finds many threads that end soon after they have started.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::analyze {

namespace {

bool starts_thread(std::string_view function) {
  return function == "pthread_create" || function == "thrd_create";
}

struct ShortThreads {
  std::int64_t count = 0;
  std::int64_t life = 0;     // ns, sum over the threads, without waits for a CPU
  std::int64_t running = 0;  // ns, sum over the threads
};

// Returns the threads that a program starts for one piece of work each. Main threads do not count:
// they are processes.
ShortThreads short_threads(const CpuFacts& facts) {
  constexpr std::int64_t kShort = 20'000'000;  // ns
  ShortThreads found;
  for (const CpuThread& thread : facts.threads) {
    if (events::tid_of(thread.global_tid) == events::pid_of(thread.global_tid)) continue;
    const std::int64_t life =
        thread.end - thread.start - thread.times[static_cast<std::size_t>(Activity::kNeedsCpu)];
    if (life >= kShort) continue;
    ++found.count;
    found.life = events::sum(found.life, life);
    found.running =
        events::sum(found.running, thread.times[static_cast<std::size_t>(Activity::kRunning)]);
  }
  return found;
}

}  // namespace

std::optional<Finding> thread_creation(CpuFacts& facts) {
  constexpr std::int64_t kMinCount = 100;
  // A thread that runs for longer is worth its start, which takes some 50 us.
  constexpr std::int64_t kShortWork = 2'000'000;  // ns, on average
  constexpr double kMinShare = 0.05;
  const ShortThreads found = short_threads(facts);
  if (found.count < kMinCount || found.running / found.count >= kShortWork) return std::nullopt;
  NameTest is_start(facts, starts_thread);
  const auto sites = call_sites(facts, [&](const OsCall& call) { return is_start(call); });
  const double share = share_of(sites);
  if (share < kMinShare * facts.time_with_cpu()) return std::nullopt;
  return Finding{
      "thread_creation",
      "Many threads do little more than start and end",
      std::llround(share),
      fmt::format("{} of {} on average, of which they run for {}; {}",
                  count_text(found.count, "thread"), time_text(found.life / found.count),
                  time_text(found.running / found.count), sites_text(facts, sites)),
      "Start as many threads as there are CPUs, once, and let them take the work from a queue (a "
      "thread pool; ThreadPoolExecutor in Python, a task group in C++ libraries)",
      where_of(facts, sites.front().longest)};
}

}  // namespace prof::analyze
