// The verdict names what the GPUs spent most of their time on.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/verdict.hpp"
#include "exporters/analysis/analyze/findings/wait_reasons.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

struct BoundText {
  const char* name;
  const char* time;  // describes the share of the time
};
constexpr std::array<BoundText, kBounds> kTexts = {{
    {"GPU compute bound", "computing"},
    {"communication bound", "exposed communication"},
    {"waiting for a late process", "waiting for a late process"},
    {"copy bound", "exposed copies"},
    {"CUDA API (launch) bound", "idle (launches and other CUDA calls)"},
    {"CUDA graph bound", "idle (between nodes of a CUDA graph)"},
    {"synchronization bound", "idle (synchronization)"},
    {"data loading bound", "idle (data loading)"},
    {"CPU compute bound", "idle (CPU work)"},
    {"bound by something that the report does not show", "idle (unknown reasons)"},
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
  add(Bound::kCommunication, -facts.peer_wait());
  add(Bound::kPeers, facts.peer_wait());
  for (const insight::IdleTime& each : facts.idle) {
    const std::int64_t late = facts.waited_for(each);
    add(bound_of(facts, each), each.time.length() - late);
    add(Bound::kPeers, late);
  }
  return result;
}

std::string analyzed_time(const Facts& facts) {
  std::string result = time_text(facts.span());
  if (facts.spans.size() > 1) result += fmt::format(" of {} GPUs' time", facts.spans.size());
  if (!facts.iterations.empty())
    result += fmt::format(" ({} iterations by {})", facts.iteration_count(),
                          base::mark_name("range", facts.iterations.front().found_by));
  return result;
}

}  // namespace

Bound bound_of(const Facts& facts, const insight::IdleTime& idle) {
  switch (insight::kind_of(idle, facts.calls)) {
    case insight::IdleKind::kSync:
      return Bound::kSynchronization;
    case insight::IdleKind::kDataLoading:
      return Bound::kDataLoading;
    case insight::IdleKind::kCpu:
      return Bound::kCpu;
    case insight::IdleKind::kLaunches:
    case insight::IdleKind::kCalls:
      return Bound::kApi;
    case insight::IdleKind::kGraph:
      return Bound::kGraphs;
    case insight::IdleKind::kUnknown:
      break;
  }
  return Bound::kUnknown;
}

const char* time_name(Bound bound) { return kTexts[static_cast<std::size_t>(bound)].time; }

Verdict verdict_of(const Facts& facts) {
  const auto all = times(facts);
  std::array<std::size_t, kBounds> order{};
  for (std::size_t i = 0; i < kBounds; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all[a] > all[b]; });
  Verdict verdict{kTexts[order[0]].name, analyzed_time(facts) + ": "};
  for (const std::size_t i : order) {
    const double percent = tables::percent(all[i], facts.span());
    if (percent < 0.05) continue;
    verdict.sentence +=
        fmt::format("{}{:.1f} % {}", verdict.shares.empty() ? "" : ", ", percent, kTexts[i].time);
    verdict.shares.emplace_back(kTexts[i].time, percent / 100);
  }
  if (order[0] == static_cast<std::size_t>(Bound::kPeers))
    verdict.sentence += "; " + late_device_text(facts, facts.late.front());
  return verdict;
}

}  // namespace prof::analyze
