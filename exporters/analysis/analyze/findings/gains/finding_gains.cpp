#include "exporters/analysis/analyze/findings/gains/finding_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/gains/changes.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/replay/gains.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

// The replay without a change may take another time than the program did, in percent of that.
constexpr double kMostDeviation = 2;
// A smaller gain is nothing, in percent of the time.
constexpr double kLeastGain = 1;
// Only changes of what takes this part of the time are tried for the sentence, and those of the
// second part are named if they save nothing.
constexpr double kLeastShare = 0.02;
constexpr double kLargeShare = 0.1;

// What could be faster, and where its time counts in the verdict. Of several changes for one bound
// the first counts that concerns something.
struct Candidate {
  Bound bound;
  const char* change;
  const char* text;
};
constexpr Candidate kCandidates[] = {
    {Bound::kCompute, "compute=0", "faster kernels"},
    {Bound::kCopies, "copies=0 + call:^cu(da)?Memcpy=0", "faster copies"},
    {Bound::kCopies, "copies=0", "faster copies"},
    {Bound::kCommunication, "network=0", "faster communication"},
    {Bound::kSynchronization, "idle:sync=0", "fewer synchronizations"},
    {Bound::kDataLoading, "idle:data-loading=0", "faster data loading"},
    {Bound::kCpu, "idle:cpu=0", "faster CPU code between launches"},
    {Bound::kApi, "idle:launches=0 + idle:calls=0", "faster launches and CUDA calls"},
    {Bound::kApi, "idle:launches=0", "faster launches"},
    {Bound::kApi, "idle:calls=0", "faster CUDA calls"},
    {Bound::kGraphs, "idle:graph=0", "shorter gaps between the nodes of graphs"},
};

class Predictor {
 public:
  Predictor(const replay::ReportGains& gains, const Facts& facts)
      : gains_(gains), times_{{}, replay::idle_by_kind(facts.idle, facts.calls)} {}

  // Returns nothing if the change concerns nothing.
  std::optional<replay::Prediction> predict(const std::string& change) {
    const auto [at, is_new] = known_.try_emplace(change);
    if (!is_new) return at->second;
    const auto parsed = replay::parse_what_ifs(change);
    if (!parsed) return at->second;
    if (auto prediction = gains_.predict(*parsed, times_)) at->second = *std::move(prediction);
    return at->second;
  }

 private:
  const replay::ReportGains& gains_;
  replay::ChangeTimes times_;
  std::map<std::string, std::optional<replay::Prediction>> known_;
};

double percent_of(const replay::Prediction& prediction) {
  return tables::percent(prediction.gain(), prediction.replayed);
}

std::string capitalized(std::string text) {
  if (!text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

double share_of(const Verdict& verdict, Bound bound) {
  for (const auto& [name, share] : verdict.shares)
    if (std::string_view(name) == time_name(bound)) return share;
  return 0;
}

// Returns which change would save most, and which ones nothing.
std::string sentence_of(const Verdict& verdict, Predictor& predictor) {
  const Candidate* best = nullptr;
  std::optional<replay::Prediction> of_best;
  std::optional<Bound> tried;
  std::string nothing;
  for (const Candidate& each : kCandidates) {
    const double share = share_of(verdict, each.bound);
    if (share < kLeastShare || tried == each.bound) continue;
    const auto prediction = predictor.predict(each.change);
    if (!prediction) continue;
    tried = each.bound;
    if (percent_of(*prediction) < kLeastGain) {
      if (share >= kLargeShare || each.bound == Bound::kCompute)
        nothing += (nothing.empty() ? "" : " and ") + std::string(each.text);
      continue;
    }
    if (of_best && of_best->gain() >= prediction->gain()) continue;
    best = &each;
    of_best = prediction;
  }
  std::string result;
  if (best != nullptr)
    result = fmt::format("{} would save up to {}", capitalized(best->text), saved_text(*of_best));
  if (!nothing.empty())
    result += (result.empty() ? capitalized(nothing) : "; " + nothing) + " would save nothing";
  return result;
}

// Findings without a gain stand among the others by what their remedy usually saves, of one device.
void sort_by_gain(const Facts& facts, Diagnosis& diagnosis) {
  const auto devices = static_cast<std::int64_t>(std::max<std::size_t>(1, facts.spans.size()));
  const auto saved = [&](const Finding& each) {
    return each.gain ? each.gain->time : each.savings() / devices;
  };
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [&](const Finding& a, const Finding& b) {
                     return a.is_outside != b.is_outside ? b.is_outside : saved(a) > saved(b);
                   });
}

// The views show the analyzed time.
Gains gains_of(const report::ReportReader& reader, const Facts& facts, Diagnosis& diagnosis) {
  const ReplayedReport replayed = replay_report(reader);
  if (!replayed.gains) return {replayed.why};
  const std::optional<replay::ReportGains>& gains = replayed.gains;
  Predictor predictor(*gains, facts);
  for (Finding& each : diagnosis.findings) {
    const std::string change = change_of(each, facts);
    if (change.empty()) continue;
    const auto prediction = predictor.predict(change);
    if (prediction)
      each.gain = Gain{change, prediction->gain(), percent_of(*prediction), !each.parts.empty()};
  }
  return {sentence_of(diagnosis.verdict, predictor), gains->unchanged().replayed,
          insight::Interval{gains->execution().begin(), gains->execution().end()}};
}

}  // namespace

ReplayedReport replay_report(const report::ReportReader& reader) {
  auto gains = replay::ReportGains::read(reader);
  if (!gains) return {{}, "left out: " + gains.error().message};
  const replay::Prediction& unchanged = gains->unchanged();
  const double deviation = tables::percent(unchanged.replayed - unchanged.measured,
                                           std::max<std::int64_t>(1, unchanged.measured));
  if (unchanged.measured <= 0 || std::abs(deviation) > kMostDeviation)
    return {{},
            fmt::format("left out: a replay of the report takes {}, and the program took {}",
                        time_text(unchanged.replayed), time_text(unchanged.measured))};
  return {*std::move(gains), {}};
}

std::size_t host_calls_of(const report::ReportReader& reader) {
  std::size_t count = 0;
  for (const char* table :
       {events::kOsrtTable, events::kPointToPointTable, events::kCollectiveTable,
        events::kStartWaitTable, events::kOtherMpiTable, events::kOwnMpiTable})
    if (reader.has_table(table)) count += events::max_rows(reader, table);
  return count;
}

std::string saved_text(const replay::Prediction& prediction) {
  return fmt::format("{} of {} ({:.1f} %)", time_text(prediction.gain()),
                     time_text(prediction.replayed), percent_of(prediction));
}

void add_gains(const report::ReportReader& reader, const Facts& facts,
               const events::EventFilter& events, Diagnosis& diagnosis) {
  // Between the launches that prof kernel profiles is the time that it takes itself.
  if (!facts.profiles.empty()) return;
  if (facts.work.size() + facts.calls.size() + host_calls_of(reader) > kMostReplayedEvents) {
    diagnosis.gains = Gains{
        "left out: more than a million calls and GPU operations (prof stats -r what_if has them)"};
    return;
  }
  if (!facts.steady) {
    diagnosis.gains = gains_of(reader, facts, diagnosis);
  } else {
    const events::EventFilter visible =
        events::both(events, {facts.steady->start, facts.steady->end, {}});
    base::Status made = events::make_views(reader, visible);
    if (made) diagnosis.gains = gains_of(reader, facts, diagnosis);
    if (!made) reader.note(made.error());
    made = events::make_views(reader, events);
    if (!made) reader.note(made.error());
  }
  sort_by_gain(facts, diagnosis);
}

}  // namespace prof::analyze
