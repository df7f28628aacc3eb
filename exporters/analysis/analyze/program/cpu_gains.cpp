#include "exporters/analysis/analyze/program/cpu_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/gains/finding_gains.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/replay/change_times.hpp"
#include "exporters/analysis/replay/what_if.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

// The calls of a report need not cover the program: a thread may compute after its last one.
constexpr double kLeastCovered = 0.9;  // of the program's time

// Returns the change that takes away the calls or the function of a finding. Other calls with the
// same names stay. Empty: a replay cannot express it.
std::string change_of(const Finding& finding, const CpuFacts& facts) {
  constexpr std::size_t kMostBytes = 900;  // of a regular expression
  // Input comes when its writer has made it, which the replay does not know.
  if (finding.rule == std::string_view("input_waits")) return {};
  if (!finding.function.empty()) return fmt::format("function:{}=0", finding.function);
  if (finding.calls.empty()) return {};
  const std::set<std::int64_t> names(finding.calls.begin(), finding.calls.end());
  std::int64_t all = 0;
  for (const OsCall& call : facts.calls)
    if (!call.is_nested && names.contains(call.name)) all += call.length();
  std::vector<std::string> texts;
  for (const std::int64_t each : names) texts.push_back(facts.strings->text(each));
  const std::string expression = replay::expression_of(texts);
  if (all <= 0 || expression.size() > kMostBytes) return {};
  constexpr double kDigits = 1e4;
  const double left = 1 - static_cast<double>(finding.time_in_calls) / static_cast<double>(all);
  const double factor = std::round(std::clamp(left, 0.0, 1.0) * kDigits) / kDigits;
  return fmt::format("call:{}{}", expression, factor == 0 ? "=0" : fmt::format("*{}", factor));
}

std::optional<replay::Prediction> predicted(const report::ReportReader& reader,
                                            const replay::ReportGains& gains,
                                            const std::string& change) {
  if (change.empty()) return std::nullopt;
  const auto parsed = replay::parse_what_ifs(change);
  if (!parsed) return std::nullopt;
  const auto times = replay::read_times(reader, *parsed);
  if (!times) return std::nullopt;
  auto prediction = gains.predict(*parsed, *times);
  return prediction ? std::optional(*std::move(prediction)) : std::nullopt;
}

Gains gains_of(const report::ReportReader& reader, const CpuFacts& facts,
               const events::EventFilter& events, Diagnosis& diagnosis) {
  ReplayedReport replayed = replay_report(reader);
  if (!replayed.gains) return {replayed.why};
  const insight::Interval time{replayed.gains->execution().begin(),
                               replayed.gains->execution().end()};
  if (static_cast<double>(time.length()) < kLeastCovered * facts.time)
    return {fmt::format("left out: threads make calls only in {} of {}", time_text(time.length()),
                        time_text(std::llround(facts.time)))};
  // The statistic reads the samples of this time.
  if (!events::make_views(reader, events::both(events, {time.start, time.end, {}}))) return {};
  replayed = replay_report(reader);
  if (!replayed.gains) return {replayed.why};
  const Finding* best = nullptr;
  std::string saved;
  for (Finding& each : diagnosis.findings) {
    const auto prediction = predicted(reader, *replayed.gains, change_of(each, facts));
    if (!prediction) continue;
    each.gain = Gain{prediction->what, prediction->gain(),
                     tables::percent(prediction->gain(), prediction->replayed), true};
    if (best != nullptr && best->gain->time >= prediction->gain()) continue;
    best = &each;
    saved = saved_text(*prediction);
  }
  const bool has_gain = best != nullptr && best->gain->percent >= 1;
  return {has_gain ? fmt::format("mending {} would save up to {}", best->rule, saved) : "",
          replayed.gains->unchanged().replayed, time};
}

}  // namespace

void add_cpu_gains(const report::ReportReader& reader, const CpuFacts& facts,
                   const events::EventFilter& events, Diagnosis& diagnosis) {
  const bool can_have_gains = std::ranges::any_of(diagnosis.findings, [](const Finding& each) {
    return !each.calls.empty() || !each.function.empty();
  });
  if (!can_have_gains) return;
  if (host_calls_of(reader) > kMostReplayedEvents) {
    diagnosis.gains = Gains{"left out: more than a million calls (prof stats -r what_if has them)"};
    return;
  }
  diagnosis.gains = gains_of(reader, facts, events, diagnosis);
  if (const base::Status made = events::make_views(reader, events); !made)
    reader.note(made.error());
  const auto saved = [](const Finding& each) {
    return each.gain ? each.gain->time : each.savings();
  };
  std::ranges::stable_sort(diagnosis.findings, [&](const Finding& a, const Finding& b) {
    return a.is_outside != b.is_outside ? b.is_outside : saved(a) > saved(b);
  });
}

}  // namespace prof::analyze
