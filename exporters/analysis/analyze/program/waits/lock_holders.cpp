#include "exporters/analysis/analyze/program/waits/lock_holders.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/periods.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

namespace {

using insight::Interval;

// How likely a thread is that holds the lock for which others wait.
enum class Suspicion : std::uint8_t {
  kNone,
  kLow,  // waits for data that may never come, as threads do that serve a connection
  kHigh
};

// A thread that waits for clients or for one of several descriptors has nothing to do and holds no
// lock.
bool is_idle(const CpuFacts& facts, const Period& period) {
  if (period.call == CpuFacts::kNone) return false;
  const CallPurpose purpose = facts.calls[period.call].purpose;
  return purpose == CallPurpose::kPoll || purpose == CallPurpose::kAccept;
}

Suspicion suspicion_of(const CpuFacts& facts, const Period& period) {
  switch (period.activity) {
    case Activity::kRunning:
    case Activity::kNeedsCpu:
    case Activity::kFile:
    case Activity::kSleep:
    case Activity::kGil:
      return Suspicion::kHigh;
    case Activity::kNetwork:
    case Activity::kInput:
      return is_idle(facts, period) ? Suspicion::kNone : Suspicion::kLow;
    default:
      return Suspicion::kNone;
  }
}

class HolderSearch {
 public:
  explicit HolderSearch(CpuFacts& facts) : facts_(facts) {}

  void look_at(const Period& wait, LockHolders& holders) {
    const std::int64_t process = events::process_of(facts_.threads[wait.thread].global_tid);
    active_.clear();
    for (std::uint32_t thread = 0; thread < facts_.threads.size(); ++thread)
      if (thread != wait.thread && events::process_of(facts_.threads[thread].global_tid) == process)
        find_activity(thread, wait);
    drop_unlikely(wait);
    std::vector<Interval> times;
    for (const Activities& each : active_) {
      times.push_back(each.time);
      holders.threads[each.period->thread] += static_cast<double>(each.time.length());
    }
    add_places(wait, holders);
    holders.waited += static_cast<double>(wait.length());
    holders.explained += static_cast<double>(insight::total(insight::merged(times)));
    holders.ambiguous += static_cast<double>(insight::total(insight::overlaps(times)));
  }

 private:
  // What a thread that may hold the lock did during a wait.
  struct Activities {
    const Period* period;
    Interval time;
    Suspicion suspicion;
  };

  void find_activity(std::uint32_t thread, const Period& wait) {
    for_each_period(facts_, thread, {wait.start, wait.end},
                    [&](const Period& period, const Interval& time) {
                      const Suspicion suspicion = suspicion_of(facts_, period);
                      if (suspicion != Suspicion::kNone && time.length() > 0)
                        active_.push_back({&period, time, suspicion});
                    });
  }

  // If likely holders explain most of the wait, the others are not holders.
  void drop_unlikely(const Period& wait) {
    std::vector<Interval> likely;
    for (const Activities& each : active_)
      if (each.suspicion == Suspicion::kHigh) likely.push_back(each.time);
    if (2 * insight::total(insight::merged(std::move(likely))) < wait.length()) return;
    std::erase_if(active_,
                  [](const Activities& each) { return each.suspicion == Suspicion::kLow; });
  }

  // Adds where the threads were. A thread that runs is sampled now and then, so all samples of the
  // wait count for all its runs in it.
  void add_places(const Period& wait, LockHolders& holders) {
    std::map<std::uint32_t, double> ran;  // ns, by thread
    for (const auto& [period, time, suspicion] : active_) {
      const auto length = static_cast<double>(time.length());
      if (runs_or_needs_cpu(*period))
        ran[period->thread] += length;
      else if (period->call != CpuFacts::kNone)
        holders.places["in " + call_text(facts_, facts_.calls[period->call])] += length;
    }
    for (const auto& [thread, length] : ran)
      analyze::add_places(facts_, thread, {wait.start, wait.end}, length, holders.places);
  }

  CpuFacts& facts_;
  std::vector<Activities> active_;  // during the wait that is looked at
};

}  // namespace

LockHolders find_lock_holders(CpuFacts& facts, const std::function<bool(const Period&)>& fits) {
  constexpr std::size_t kMaxLookUps = 2'000'000;  // number of waits times number of threads
  std::vector<const Period*> waits;
  for (const Period& period : facts.periods)
    if (fits(period)) waits.push_back(&period);
  const std::size_t most = std::max<std::size_t>(kMaxLookUps / (facts.threads.size() + 1), 100);
  if (waits.size() > most) {
    std::nth_element(waits.begin(), waits.begin() + static_cast<std::ptrdiff_t>(most), waits.end(),
                     [](const Period* a, const Period* b) { return a->length() > b->length(); });
    waits.resize(most);
  }
  LockHolders holders;
  HolderSearch search(facts);
  for (const Period* wait : waits) search.look_at(*wait, holders);
  return holders;
}

}  // namespace prof::analyze
