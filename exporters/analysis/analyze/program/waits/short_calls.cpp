// Findings about very many short calls: small reads and writes, and other system calls.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/sampled_calls.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::analyze {

namespace {

constexpr std::int64_t kManyCalls = 1000;        // number of calls
constexpr std::int64_t kShortCall = 100'000;     // ns
constexpr std::int64_t kShortTransfer = 20'000;  // ns, of a transfer of unknown size
constexpr std::int64_t kSmallTransfer = 4096;    // bytes

// The short calls of one function.
struct ShortCalls {
  std::string text;
  double share = 0;
  const OsCall* longest = nullptr;  // null: no call was recorded individually
};

bool are_short(const CallSite& site, CallPurpose purpose) {
  if (site.count < kManyCalls || site.median() >= kShortCall) return false;
  if (purpose != CallPurpose::kTransfer) return true;
  return site.sized > 0 ? site.bytes / site.sized < kSmallTransfer : site.median() < kShortTransfer;
}

std::string sampled_text(const std::string& function, const SampledCalls& sampled) {
  std::string text = fmt::format(
      "CPU samples show calls of {} that are not recorded (below --osrt-threshold, or not through "
      "the C library)",
      function);
  if (const std::string* place = key_of_most(sampled.places)) text += ", most in " + *place;
  return text;
}

// Finds the short calls of the functions that have one purpose.
class Search {
 public:
  Search(CpuFacts& facts, CallPurpose purpose) : facts_(facts), purpose_(purpose) {}

  void add_recorded() {
    for (const CallSite& site :
         call_sites(facts_, [&](const OsCall& call) { return call.purpose == purpose_; })) {
      const std::string& function = facts_.strings->text(site.name);
      recorded_[function] += site.running;
      // Only running time counts: waits for a CPU or for the disk are not due to short calls.
      if (are_short(site, purpose_))
        add(function, site_text(facts_, site), facts_.has_states ? site.running : site.share,
            site.longest);
    }
  }
  // Adds the calls below the threshold, of which only sums are recorded.
  void add_sums() {
    struct Sum {
      std::int64_t calls = 0;
      std::int64_t duration = 0;
      double share = 0;
    };
    std::map<std::string, Sum> sums;
    for (const ShortCallSum& each : facts_.short_calls) {
      const std::string& function = facts_.strings->text(each.name);
      if (!fits(function)) continue;
      sums[function].calls = events::sum(sums[function].calls, each.calls);
      sums[function].duration = events::sum(sums[function].duration, each.duration);
      sums[function].share +=
          static_cast<double>(each.duration) * facts_.threads[each.thread].share_of_running();
    }
    for (const auto& [function, sum] : sums) {
      if (sum.calls < kManyCalls) continue;
      recorded_[function] += sum.share;
      add(function,
          fmt::format("{} of {} below --osrt-threshold, {} on average",
                      count_text(sum.calls, "call"), function, time_text(sum.duration / sum.calls)),
          sum.share);
    }
  }
  // Adds what samples show: where the calls come from, and calls of which not even sums are
  // recorded. `share` selects the share of SampledCalls to use.
  void add_sampled(double SampledCalls::*share) {
    for (const auto& [function, sampled] : sampled_calls(facts_)) {
      if (!fits(function)) continue;
      const std::string* place = key_of_most(sampled.places);
      // The share of recorded calls already includes the samples in them.
      if (sampled.*share >= 2 * recorded_[function]) {
        add(function, sampled_text(function, sampled), 0);
        found_[function].share = sampled.*share;
      } else if (found_.contains(function) && place != nullptr) {
        found_[function].text += "; CPU samples of it are most in " + *place;
      }
    }
  }
  std::vector<ShortCalls> sorted() {
    std::vector<ShortCalls> result;
    for (auto& [function, calls] : found_) result.push_back(std::move(calls));
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return result;
  }

 private:
  bool fits(const std::string& function) const { return purpose_of(function) == purpose_; }
  void add(const std::string& function, const std::string& text, double share,
           const OsCall* longest = nullptr) {
    ShortCalls& calls = found_[function];
    calls.text += (calls.text.empty() ? "" : "; ") + text;
    calls.share += share;
    if (calls.longest == nullptr) calls.longest = longest;
  }

  CpuFacts& facts_;
  CallPurpose purpose_;
  std::map<std::string, ShortCalls> found_;  // by function
  std::map<std::string, double> recorded_;   // ns of all calls of a function, by function
};

std::vector<ShortCalls> find_short_calls(CpuFacts& facts, CallPurpose purpose,
                                         double SampledCalls::*sampled_share) {
  Search search(facts, purpose);
  search.add_recorded();
  search.add_sums();
  search.add_sampled(sampled_share);
  return search.sorted();
}

std::optional<Finding> finding_of(const CpuFacts& facts, const std::vector<ShortCalls>& calls,
                                  const char* rule, const char* sentence, const char* remedy) {
  constexpr double kMinPart = 0.1;  // minimum share of the time of a function that is named
  double share = 0;
  for (const ShortCalls& each : calls) share += each.share;
  if (share <= 0) return std::nullopt;
  std::string evidence;
  for (const ShortCalls& each : calls)
    if (each.share >= kMinPart * share) evidence += (evidence.empty() ? "" : "; ") + each.text;
  const auto at = std::find_if(calls.begin(), calls.end(),
                               [](const ShortCalls& each) { return each.longest != nullptr; });
  return Finding{rule,     sentence, static_cast<std::int64_t>(share),
                 evidence, remedy,   where_of(facts, at == calls.end() ? nullptr : at->longest)};
}

}  // namespace

std::optional<Finding> small_transfers(CpuFacts& facts) {
  return finding_of(
      facts, find_short_calls(facts, CallPurpose::kTransfer, &SampledCalls::share),
      "small_transfers", "The program reads or writes very little data in each of very many calls",
      "Read and write more at once: buffered files, larger buffers, readv and writev; "
      "--osrt-file-access=true records which files they are");
}

std::optional<Finding> many_system_calls(CpuFacts& facts) {
  auto calls = find_short_calls(facts, CallPurpose::kQuick, &SampledCalls::in_kernel);
  for (ShortCalls& each : find_short_calls(facts, CallPurpose::kYield, &SampledCalls::in_kernel))
    calls.push_back(std::move(each));
  return finding_of(facts, calls, "many_system_calls",
                    "The program makes very many short system calls",
                    "Call less often: keep what the kernel answered, keep files open, wait for an "
                    "event instead of asking again");
}

}  // namespace prof::analyze
