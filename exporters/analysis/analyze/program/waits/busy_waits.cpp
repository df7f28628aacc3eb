// Findings about threads that ask the kernel again and again instead of waiting: locks that spin,
// and servers that cannot accept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/sampled_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::analyze {

namespace {

constexpr std::int64_t kManyOfThread = 1000;  // number of calls of a thread, also in a second

// The calls of one kind that a thread made, recorded ones and sums of short ones.
struct ThreadCalls {
  std::int64_t calls = 0;
  double share = 0;            // ns of the program's time on a CPU
  std::int64_t failed = 0;     // of the recorded ones
  std::int64_t succeeded = 0;  // of the recorded ones
  const OsCall* longest = nullptr;
};
using CallsByThread = std::map<std::uint32_t, ThreadCalls>;

CallsByThread calls_for(const CpuFacts& facts, CallPurpose purpose) {
  CallsByThread found;
  for (const OsCall& each : facts.calls) {
    if (each.is_nested || each.purpose != purpose) continue;
    ThreadCalls& calls = found[each.thread];
    ++calls.calls;
    ++(each.result < 0 ? calls.failed : calls.succeeded);
    calls.share += each.running;
    if (calls.longest == nullptr || each.length() > calls.longest->length()) calls.longest = &each;
  }
  for (const ShortCallSum& each : facts.short_calls) {
    if (purpose_of(facts.strings->text(each.name)) != purpose) continue;
    ThreadCalls& calls = found[each.thread];
    calls.calls = events::sum(calls.calls, each.calls);
    calls.share +=
        static_cast<double>(each.duration) * facts.threads[each.thread].share_of_running();
  }
  return found;
}

double seconds_of(const CpuThread& thread) {
  return static_cast<double>(thread.end - thread.start) * 1e-9;
}

// True if the thread made thousands of these calls, and thousands in each second of its life.
bool are_many(const CpuFacts& facts, std::uint32_t thread, std::int64_t calls) {
  return calls >= kManyOfThread &&
         static_cast<double>(calls) >= kManyOfThread * seconds_of(facts.threads[thread]);
}

// Returns ", most in f (a.c:3)" for calls that CPU samples show.
std::string sampled_place(CpuFacts& facts, CallPurpose purpose) {
  const SampledCalls* most = nullptr;
  for (const auto& [function, calls] : sampled_calls(facts))
    if (purpose_of(function) == purpose && (most == nullptr || calls.share > most->share))
      most = &calls;
  const std::string* place = most == nullptr ? nullptr : key_of_most(most->places);
  return place == nullptr ? "" : ", most in " + *place;
}

// Returns the time in which the other threads of the process ran, without these calls.
double work_of_others(const CpuFacts& facts, std::uint32_t thread, const CallsByThread& calls) {
  constexpr auto kRunning = static_cast<std::size_t>(Activity::kRunning);
  const std::int64_t process = events::process_of(facts.threads[thread].global_tid);
  double work = 0;
  for (std::uint32_t i = 0; i < facts.threads.size(); ++i) {
    if (i == thread || events::process_of(facts.threads[i].global_tid) != process) continue;
    const auto own = calls.find(i);
    work += facts.threads[i].shares[kRunning] - (own == calls.end() ? 0 : own->second.share);
  }
  return work;
}

std::int64_t closes_of(const CpuFacts& facts, std::int64_t process) {
  NameTest is_close(facts, [](std::string_view name) { return name == "close"; });
  const auto is_of = [&](std::uint32_t thread) {
    return events::process_of(facts.threads[thread].global_tid) == process;
  };
  std::int64_t count = std::ranges::count_if(
      facts.calls, [&](const OsCall& each) { return is_close(each) && is_of(each.thread); });
  for (const ShortCallSum& each : facts.short_calls)
    if (facts.strings->text(each.name) == "close" && is_of(each.thread))
      count = events::sum(count, each.calls);
  return count;
}

}  // namespace

std::optional<Finding> spinning(CpuFacts& facts) {
  constexpr double kMinShare = 0.05;  // of the time with a CPU
  constexpr double kMinWork = 0.25;   // of the time of the calls: work of other threads
  const CallsByThread yields = calls_for(facts, CallPurpose::kYield);
  double share = 0;
  double seconds = 0;
  std::int64_t calls = 0;
  std::int64_t threads = 0;
  std::uint32_t worst = CpuFacts::kNone;
  for (const auto& [thread, each] : yields) {
    if (!are_many(facts, thread, each.calls)) continue;
    if (work_of_others(facts, thread, yields) < kMinWork * each.share) continue;
    share += each.share;
    seconds += seconds_of(facts.threads[thread]);
    calls = events::sum(calls, each.calls);
    ++threads;
    if (worst == CpuFacts::kNone || each.share > yields.at(worst).share) worst = thread;
  }
  if (threads == 0 || share < kMinShare * facts.time_with_cpu()) return std::nullopt;
  return Finding{
      "spinning",
      "Threads spin: they call sched_yield again and again while others work",
      std::llround(share),
      fmt::format("{} of sched_yield by {}, {:.0f} a second in each{}", count_text(calls, "call"),
                  count_text(threads, "thread"), static_cast<double>(calls) / seconds,
                  sampled_place(facts, CallPurpose::kYield)),
      "Block instead: a mutex, a condition variable, std::atomic::wait or a futex; spin "
      "only for the time that a block would take, some microseconds",
      longest_period(facts, Activity::kRunning, worst)};
}

std::optional<Finding> failing_accept(CpuFacts& facts) {
  constexpr std::int64_t kMuchMore = 10;  // how many times as many fail as succeed
  const CallsByThread accepts = calls_for(facts, CallPurpose::kAccept);
  const CallsByThread polls = calls_for(facts, CallPurpose::kPoll);
  for (const auto& [thread, each] : accepts) {
    const auto poll = polls.find(thread);
    // If most failed, then hardly any descriptor was closed: an accepted connection is, later on.
    const bool fails = each.failed > 0 && each.failed >= kMuchMore * each.succeeded;
    if (!fails || poll == polls.end() || !are_many(facts, thread, each.calls)) continue;
    const std::int64_t process = events::process_of(facts.threads[thread].global_tid);
    if (2 * poll->second.calls < each.calls || kMuchMore * closes_of(facts, process) > each.calls)
      continue;
    const double share = each.share + poll->second.share;
    return Finding{
        "failing_accept",
        "A server polls connections again and again that it cannot accept",
        std::llround(share),
        fmt::format(
            "{} of accept, {:.0f} a second, and {} polls by {}; {} of {} recorded calls failed: {}",
            count_text(each.calls, "call"),
            static_cast<double>(each.calls) / seconds_of(facts.threads[thread]), poll->second.calls,
            facts.thread_text(thread), each.failed, each.failed + each.succeeded,
            call_text(facts, *each.longest)),
        "Usually the process has no free descriptors (EMFILE: compare ls /proc/PID/fd | wc -l with "
        "ulimit -n): close connections that nobody uses, raise the limit, and do not poll the "
        "socket until a descriptor is free",
        where_of(facts, each.longest)};
  }
  return std::nullopt;
}

}  // namespace prof::analyze
