// Findings about threads that wait for time to pass: sleeps, and polls that find nothing.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/event_loops.hpp"

namespace prof::analyze {

namespace {

// True if Python's sleep made the call. Python before 3.11 sleeps in select.
bool is_python_sleep(CpuFacts& facts, const OsCall& call) {
  const std::string caller = facts.caller_text(call);
  return caller.find("pysleep") != std::string::npos ||
         caller.find("time_sleep") != std::string::npos;
}

bool is_sleep(CpuFacts& facts, const OsCall& call) {
  return call.purpose == CallPurpose::kSleep ||
         (call.purpose == CallPurpose::kPoll && call.result == 0 && is_python_sleep(facts, call));
}

// True for a poll that ended because its time was over. Long polls do not count: a thread that
// waits for its next work makes them, too, while a program that polls looks often. The polls of an
// event loop end when the next of its timers is due.
bool found_nothing(CpuFacts& facts, const OsCall& call) {
  constexpr std::int64_t kLong = 50'000'000;  // ns
  return call.purpose == CallPurpose::kPoll && call.result == 0 && call.length() < kLong &&
         event_loops(facts)[call.thread] == EventLoop::kNone && !is_python_sleep(facts, call);
}

}  // namespace

std::optional<Finding> sleeping(CpuFacts& facts) {
  constexpr std::int64_t kLoop = 10;
  const auto sites = call_sites(facts, [&](const OsCall& call) { return is_sleep(facts, call); });
  const double share = share_of(sites);
  if (share <= 0) return std::nullopt;
  // A script that lets the program sleep wait now and then wants that.
  const auto wants_it = [&](const CallSite& site) {
    return is_sleep_program(facts.threads[site.longest->thread].process);
  };
  if (count_of(sites) < kLoop && std::all_of(sites.begin(), sites.end(), wants_it))
    return std::nullopt;
  const bool loops = sites.front().count >= kLoop;
  Finding finding{"sleeping",
                  loops ? "The program sleeps in a loop while no other thread works"
                        : "The program sleeps while no other thread works",
                  static_cast<std::int64_t>(share),
                  sites_text(facts, sites),
                  "Wait for the event itself (a condition variable, poll, an event or a queue of "
                  "Python) instead of sleeping until it may have happened",
                  where_of(facts, sites.front().longest)};
  add_calls(sites, finding);
  return finding;
}

std::optional<Finding> polling(CpuFacts& facts) {
  const auto sites =
      call_sites(facts, [&](const OsCall& call) { return found_nothing(facts, call); });
  constexpr std::int64_t kOften = 10;
  const double share = share_of(sites);
  if (share <= 0 || count_of(sites) < kOften) return std::nullopt;
  Finding finding{"polling",
                  "The program polls descriptors that have nothing for it",
                  static_cast<std::int64_t>(share),
                  fmt::format("{} ended by timeout: {}", count_text(count_of(sites), "poll"),
                              sites_text(facts, sites)),
                  "Poll without a short timeout: add a descriptor for what ends the wait (eventfd, "
                  "pipe, timerfd), or wait for the event itself",
                  where_of(facts, sites.front().longest)};
  add_calls(sites, finding);
  return finding;
}

}  // namespace prof::analyze
