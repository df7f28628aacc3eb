// Makes the verdict: what the program spends most of its time on.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

namespace {

struct ShareText {
  const char* verdict;
  const char* time;  // describes the share of the time
};
// An additional kind after the activities: running in OS-runtime calls.
constexpr std::size_t kInCalls = kActivities;
constexpr std::array<ShareText, kActivities + 1> kShareTexts = {{
    {"CPU compute bound", "computing"},
    {"short of CPUs", "waiting for a CPU"},
    {"waiting for locks", "waiting for locks"},
    {"waiting for Python's interpreter lock (GIL)", "waiting for the interpreter lock"},
    {"waiting for files", "waiting for files"},
    {"waiting for the network", "waiting for the network"},
    {"waiting for input or output", "waiting for input or output"},
    {"sleeping", "sleeping"},
    {"waiting for other threads", "only waiting of threads for each other"},
    {"waiting for child processes", "waiting for child processes"},
    {"waiting for something that the report does not show", "waiting (unknown reasons)"},
    {"bound by OS-runtime calls", "running in OS-runtime calls"},
}};

std::array<double, kActivities + 1> shares_of(const CpuFacts& facts) {
  std::array<double, kActivities + 1> shares{};
  std::copy(facts.shares.begin(), facts.shares.end(), shares.begin());
  for (const OsCall& call : facts.calls) shares[kInCalls] += call.running;
  double& running = shares[static_cast<std::size_t>(Activity::kRunning)];
  shares[kInCalls] = std::min(shares[kInCalls], running);
  running -= shares[kInCalls];
  return shares;
}

// Returns the mean number of running threads while at least one runs.
double running_threads(const CpuFacts& facts) {
  std::vector<insight::Interval> any;
  std::int64_t all = 0;
  for (const Period& each : facts.periods) {
    if (each.activity != Activity::kRunning) continue;
    any.push_back({each.start, each.end});
    all = events::sum(all, each.length());
  }
  const std::int64_t at_least_one = insight::total(insight::merged(std::move(any)));
  return at_least_one > 0 ? static_cast<double>(all) / static_cast<double>(at_least_one) : 0;
}

std::string amount_of_threads(const CpuFacts& facts) {
  const double threads = running_threads(facts);
  if (threads < 1.1) return " (one thread)";
  return fmt::format(" ({:.1f} threads on average)", threads);
}

// Returns " (of only 3 samples)" if shares of the samples say little, otherwise an empty text.
std::string few_samples_text(const CpuFacts& facts) {
  constexpr std::size_t kFew = 20;
  std::size_t samples = 0;
  for (const CodeProfile* profile : {facts.native.get(), facts.python.get()})
    if (profile != nullptr) samples = std::max(samples, profile->samples.size());
  if (samples >= kFew) return "";
  return fmt::format(" (of only {})", count_text(static_cast<std::int64_t>(samples), "sample"));
}

// Returns "; most CPU time: parse (a.py:7) 43.2 %, …", or an empty text if the program computes
// little or has no samples. The times include what the functions call.
std::string busiest_code(const CpuFacts& facts, double computing) {
  constexpr std::size_t kNames = 3;
  constexpr double kMinComputing = 0.2;  // share of the time
  constexpr double kMinPart = 0.05;      // share of the CPU time of a function that is named
  if (computing < kMinComputing * facts.time) return "";
  std::string names;
  for (const OwnFunction& each : top_own_functions(facts, kNames)) {
    if (each.part < kMinPart) break;
    names += fmt::format("{}{} {:.1f} %", names.empty() ? "" : ", ", each.text, 100 * each.part);
  }
  if (names.empty()) return "";
  return fmt::format("; most CPU time, with all that they call: {}{}", names,
                     few_samples_text(facts));
}

}  // namespace

Verdict cpu_verdict(const CpuFacts& facts) {
  const auto shares = shares_of(facts);
  std::array<std::size_t, kActivities + 1> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  Verdict verdict;
  std::string texts;
  for (const std::size_t i : order) {
    const double percent = facts.time > 0 ? 100 * shares[i] / facts.time : 0;
    if (percent < 0.05) continue;
    texts += fmt::format("{}{:.1f} % {}", texts.empty() ? "" : ", ", percent, kShareTexts[i].time);
    verdict.shares.emplace_back(kShareTexts[i].time, percent / 100);
  }
  // What other programs do to this one is not what limits it.
  if (order[0] == static_cast<std::size_t>(Activity::kNeedsCpu) && shares[order[1]] > 0 &&
      is_cpu_taken_by_others(facts))
    std::swap(order[0], order[1]);
  verdict.bound = kShareTexts[order[0]].verdict;
  if (order[0] == static_cast<std::size_t>(Activity::kRunning))
    verdict.bound += amount_of_threads(facts);
  verdict.sentence =
      fmt::format("{} of {} in {}: {}{}", time_text(static_cast<std::int64_t>(facts.time)),
                  count_text(static_cast<std::int64_t>(facts.threads.size()), "thread"),
                  facts.processes == 1 ? "1 process" : fmt::format("{} processes", facts.processes),
                  texts, busiest_code(facts, facts.share(Activity::kRunning)));
  return verdict;
}

}  // namespace prof::analyze
