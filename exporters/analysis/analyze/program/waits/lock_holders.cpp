#include "exporters/analysis/analyze/program/waits/lock_holders.hpp"

#include <algorithm>
#include <vector>

#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/periods.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

namespace {

using insight::Interval;

// True if a thread with this activity may hold a lock for which others wait.
bool may_hold_a_lock(Activity activity) {
  switch (activity) {
    case Activity::kRunning:
    case Activity::kNeedsCpu:
    case Activity::kFile:
    case Activity::kNetwork:
    case Activity::kInput:
    case Activity::kSleep:
    case Activity::kGil:
      return true;
    default:
      return false;
  }
}

class HolderSearch {
 public:
  explicit HolderSearch(CpuFacts& facts) : facts_(facts) {}

  void look_at(const Period& wait, LockHolders& holders) {
    std::vector<Interval> active;
    const std::int64_t process = events::process_of(facts_.threads[wait.thread].global_tid);
    for (std::uint32_t thread = 0; thread < facts_.threads.size(); ++thread)
      if (thread != wait.thread && events::process_of(facts_.threads[thread].global_tid) == process)
        add_activity(thread, wait, active, holders);
    holders.waited += static_cast<double>(wait.length());
    holders.explained += static_cast<double>(insight::total(insight::merged(active)));
    holders.ambiguous += static_cast<double>(insight::total(insight::overlaps(active)));
  }

 private:
  // Adds what the thread did during the wait, if its activity allows it to hold a lock.
  void add_activity(std::uint32_t thread, const Period& wait, std::vector<Interval>& active,
                    LockHolders& holders) {
    const auto add = [&](const Period& period, const Interval& time) {
      if (!may_hold_a_lock(period.activity) || time.length() <= 0) return;
      active.push_back(time);
      holders.threads[thread] += static_cast<double>(time.length());
      add_place(period, time, holders);
    };
    for_each_period(facts_, thread, {wait.start, wait.end}, add);
  }

  void add_place(const Period& period, const Interval& time, LockHolders& holders) {
    const auto length = static_cast<double>(time.length());
    if (runs_or_needs_cpu(period))
      return add_places(facts_, period.thread, time, length, holders.places);
    if (period.call == CpuFacts::kNone) return;
    holders.places["in " + call_text(facts_, facts_.calls[period.call])] += length;
  }

  CpuFacts& facts_;
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
