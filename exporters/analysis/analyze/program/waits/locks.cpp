// The finding about threads that wait for locks.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/lock_holders.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

bool is_lock_wait(const Period& period) { return period.activity == Activity::kLock; }

// Returns the number of threads that may have held the lock for more than a moment. A server with a
// thread for each request may not have one of these: then all count.
std::int64_t frequent_holders(const LockHolders& holders) {
  const auto frequent =
      std::count_if(holders.threads.begin(), holders.threads.end(),
                    [&](const auto& each) { return 20 * each.second >= holders.explained; });
  return frequent > 0 ? frequent : std::ssize(holders.threads);
}

// Returns "; held by thread 12 (98 % of these waits), which was in …".
std::string holder_text(const CpuFacts& facts, const LockHolders& holders) {
  constexpr double kLittle = 0.2;
  constexpr double kMaximum = 0.7;
  if (holders.waited <= 0 || holders.explained < kLittle * holders.waited)
    return "; the report does not show who holds it";
  const std::uint32_t* thread = key_of_most(holders.threads);
  const double part = holders.threads.at(*thread);
  double all = 0;
  for (const auto& [number, each] : holders.threads) all += each;
  const std::int64_t frequent = frequent_holders(holders);
  const std::string threads = count_text(frequent, "thread");
  std::string text = holders.is_certain() ? "; held by " : "; probably held by ";
  if (frequent == 1 || part >= kMaximum * all)
    text += fmt::format("{}, which was active in {:.0f} % of the time waited",
                        facts.thread_text(*thread), 100 * part / holders.waited);
  else
    text += holders.is_certain() ? threads + " in turn" : "one of " + threads;
  if (const std::string* place = key_of_most(holders.places))
    text += fmt::format(", most of it {}{} ({:.0f} %)", place->starts_with("in ") ? "" : "in ",
                        *place, 100 * holders.places.at(*place) / all);
  return text;
}

// Returns "; 2.3 s for row locks of PostgreSQL (…)": what most waits for locks of a database are
// for.
std::string database_text(const CpuFacts& facts) {
  std::map<std::string, double> shares;
  for (const Period& period : facts.periods) {
    if (!is_lock_wait(period) || period.call == CpuFacts::kNone) continue;
    const auto lock = facts.database_locks.find(facts.calls[period.call].chain);
    if (lock != facts.database_locks.end()) shares[lock->second] += period.share;
  }
  const std::string* most = key_of_most(shares);
  if (most == nullptr) return "";
  return fmt::format("; {} for {}", time_text(static_cast<std::int64_t>(shares.at(*most))), *most);
}

}  // namespace

std::optional<Finding> lock_waits(CpuFacts& facts) {
  double share = 0;
  for (const Period& period : facts.periods)
    if (is_lock_wait(period)) share += period.share;
  if (share <= 0) return std::nullopt;
  const auto sites =
      wait_sites(facts, [](const Period& period, const OsCall&) { return is_lock_wait(period); });
  const std::string database = database_text(facts);
  const std::string holders =
      database.empty() ? holder_text(facts, find_lock_holders(facts, is_lock_wait)) : database;
  Finding finding{
      "lock_waits",
      "Threads wait for locks that other threads hold",
      static_cast<std::int64_t>(share),
      sites_text(facts, sites) + holders,
      "Hold the lock for a shorter time: move sleeping, files and long computations out "
      "of the locked part; use one lock for each part of the data, or a copy for each "
      "thread",
      longest_period(facts, Activity::kLock)};
  add_calls(sites, finding);
  return finding;
}

}  // namespace prof::analyze
