// The verdict: what a program spends most of its time on, as its GPUs see it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/analyze/findings/idle_causes.hpp"
#include "exporters/tables/percent.hpp"

namespace prof::analyze {

namespace {

struct BoundText {
  const char* name;
  const char* time;  // what the share is of
};
constexpr std::array<BoundText, kBounds> kTexts = {{
    {"GPU compute bound", "computing"},
    {"communication bound", "communication that nothing hides"},
    {"copy bound", "copies that nothing hides"},
    {"CUDA API (launch) bound", "idle for launches and other calls"},
    {"synchronization bound", "idle after synchronizations"},
    {"data loading bound", "idle for data"},
    {"CPU compute bound", "idle for the CPU"},
    {"bound by something the report does not show", "idle for unknown reasons"},
}};

std::array<std::int64_t, kBounds> times(const Facts& facts) {
  std::array<std::int64_t, kBounds> result{};
  const auto add = [&](Bound bound, std::int64_t time) {
    result[static_cast<std::size_t>(bound)] += time;
  };
  for (const insight::Breakdown& each : facts.breakdowns) {
    add(Bound::kCompute, each.compute);
    add(Bound::kCommunication, each.exposed_communication);
    add(Bound::kCopies, each.exposed_copies);
  }
  for (const insight::IdleTime& each : facts.idle) add(bound_of(facts, each), each.time.length());
  return result;
}

std::string looked_at(const Facts& facts) {
  std::string result = time_text(facts.span());
  if (facts.spans.size() > 1) result += fmt::format(" of {} GPUs' time", facts.spans.size());
  if (!facts.iterations.empty())
    result += fmt::format(" ({} iterations by {})", facts.iteration_count(),
                          facts.iterations.front().found_by);
  return result;
}

}  // namespace

const char* name_of(Bound bound) { return kTexts[static_cast<std::size_t>(bound)].name; }

Bound bound_of(const Facts& facts, const insight::IdleTime& idle) {
  // Shorter than it takes a thread to do anything but launch.
  constexpr std::int64_t kShort = 100'000;
  switch (idle.cause) {
    case insight::IdleCause::kLaunchQueue:
      return Bound::kApi;
    case insight::IdleCause::kHostWait:
      return idle.time.length() < kShort || (idle.call != nullptr && facts.calls.kind(*idle.call) !=
                                                                         insight::CallKind::kWait)
                 ? Bound::kApi
                 : Bound::kCpu;
    case insight::IdleCause::kSync:
      return Bound::kSynchronization;
    case insight::IdleCause::kDataLoading:
      return Bound::kDataLoading;
    case insight::IdleCause::kOther:
      break;
  }
  return Bound::kUnknown;
}

Verdict verdict_of(const Facts& facts) {
  const auto all = times(facts);
  std::array<std::size_t, kBounds> order{};
  for (std::size_t i = 0; i < kBounds; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all[a] > all[b]; });
  std::string shares;
  for (const std::size_t i : order) {
    const double percent = tables::percent(all[i], facts.span());
    if (percent < 0.05) continue;
    shares += fmt::format("{}{:.1f} % {}", shares.empty() ? "" : ", ", percent, kTexts[i].time);
  }
  return {kTexts[order[0]].name, fmt::format("{}: {}", looked_at(facts), shares)};
}

}  // namespace prof::analyze
