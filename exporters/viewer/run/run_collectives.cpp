#include "exporters/viewer/run/run_collectives.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/source/line_search.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/collectives/rank_tables.hpp"
#include "exporters/ranks/read_parts.hpp"

namespace prof::view {

namespace {

constexpr std::size_t kMostSteps = 4096;

std::int64_t integer(const tables::Cell& cell) { return std::get<std::int64_t>(cell); }

std::string text(const tables::Cell& cell) {
  return std::string(std::get<tables::Text>(cell).view());
}

// The columns of a statistic by their headers.
class Columns {
 public:
  explicit Columns(const tables::Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) numbers_[table.columns[i].header] = i;
  }
  std::size_t operator[](std::string_view header) const { return numbers_.find(header)->second; }

 private:
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

void add_waits(RunCollectives& run) {
  const tables::Table table = ranks::find_job_statistic("rank_wait_sum")->run(run.job);
  const Columns columns(table);
  for (const auto& row : table.rows)
    run.waits.push_back({integer(row[columns["Wait (ns)"]]), integer(row[columns["Rank"]]),
                         integer(row[columns["Waits For"]]), integer(row[columns["Operations"]]),
                         integer(row[columns["Longest (ns)"]])});
}

void add_delays(RunCollectives& run) {
  const tables::Table table = ranks::find_job_statistic("delay_sum")->run(run.job);
  const Columns columns(table);
  for (const auto& row : table.rows)
    run.delays.push_back({integer(row[columns["Delay (ns)"]]), integer(row[columns["Rank"]]),
                          text(row[columns["Cause"]]), text(row[columns["Steps"]]),
                          integer(row[columns["Late (ns)"]])});
}

// The times of one step, of each rank that has it.
struct Step {
  std::vector<std::int64_t> durations;
  StepBand band;
};

void add_to_step(Step& step, const RunCollectives& run, std::size_t rank,
                 const insight::Interval& time) {
  const std::size_t report = run.job.ranks[rank].report;
  const std::int64_t from = run.job.alignment.common(report, time.start);
  const std::int64_t to = run.job.alignment.common(report, time.end);
  StepBand& band = step.band;
  if (step.durations.empty()) band.from = from;
  band.from = std::min(band.from, from);
  band.to = std::max(band.to, to);
  if (step.durations.empty() || time.length() > band.most) {
    band.most = time.length();
    band.longest = run.ranks[rank];
  }
  step.durations.push_back(time.length());
}

StepBand band_of(Step& step) {
  std::ranges::sort(step.durations);
  StepBand band = step.band;
  band.least = step.durations.front();
  band.first_quartile = stats::quantile(step.durations, 0.25);
  band.median = stats::quantile(step.durations, 0.5);
  band.third_quartile = stats::quantile(step.durations, 0.75);
  band.ranks = step.durations.size();
  return band;
}

// Of neighbours, the step that took longest is kept, so that a long one is always seen.
void thin(std::vector<StepBand>& steps) {
  const std::size_t group = (steps.size() + kMostSteps - 1) / kMostSteps;
  if (group < 2) return;
  std::vector<StepBand> kept;
  for (std::size_t i = 0; i < steps.size(); i += group)
    kept.push_back(*std::max_element(
        steps.begin() + static_cast<std::ptrdiff_t>(i),
        steps.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, steps.size())),
        [](const StepBand& a, const StepBand& b) { return a.most < b.most; }));
  steps = std::move(kept);
}

void add_steps(RunCollectives& run) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < run.job.ranks.size(); ++i) {
    const ranks::ProcessTimes& times = run.job.ranks[i].times;
    if (run.steps_found_by.empty()) run.steps_found_by = times.steps_found_by;
    if (times.steps.size() > steps.size()) steps.resize(times.steps.size());
    for (std::size_t step = 0; step < times.steps.size(); ++step)
      add_to_step(steps[step], run, i, times.steps[step]);
  }
  for (Step& each : steps) run.steps.push_back(band_of(each));
  thin(run.steps);
}

void add_wait_shares(const RunRanks& ranks, RunCollectives& run) {
  std::vector<std::vector<std::int64_t>> times(ranks.ranks.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i].resize(ranks.ranks[i].picture.bins());
  for (const ranks::MatchedCommunicator& communicator : run.job.communicators)
    for (const ranks::MatchedCollective& each : communicator.collectives) {
      const auto arrivals = ranks::arrivals_of(run.job, each);
      if (!arrivals) continue;
      for (std::size_t i = 0; i < each.calls.size(); ++i) {
        const ranks::RankCall& call = run.job.call(each.calls[i]);
        const auto rank = run.ranks[run.job.sequences[each.calls[i].sequence].rank];
        if (rank)
          ranks.ranks[*rank].picture.add({call.start, call.start + arrivals->waits[i]},
                                         times[*rank]);
      }
    }
  constexpr std::size_t kCommunication = static_cast<std::size_t>(ranks::RankState::kCommunication);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const ranks::RankPicture& picture = ranks.ranks[i].picture;
    std::vector<std::uint8_t>& shares = run.wait_shares.emplace_back();
    for (std::size_t bin = 0; bin < times[i].size(); ++bin) {
      const double share = static_cast<double>(times[i][bin]) /
                           static_cast<double>(std::int64_t{1} << picture.shift);
      shares.push_back(static_cast<std::uint8_t>(
          std::min(ranks::RankPicture::kWholeBin * share,
                   static_cast<double>(picture.shares[kCommunication][bin]))));
    }
  }
}

void add_places(const RunRanks& ranks, RunCollectives& run) {
  std::map<std::string_view, std::size_t> parts;
  for (std::size_t i = 0; i < run.job.paths.size(); ++i) parts[run.job.paths[i]] = i;
  for (const ranks::PlannedReport& each : ranks.reports) {
    const auto found = parts.find(each.path);
    run.parts.push_back(found == parts.end() ? std::nullopt : std::optional(found->second));
  }
  // A unit may be in the job several times, and a rank of a report has one process.
  std::map<std::tuple<std::string_view, ranks::Unit, std::int64_t>, std::size_t> numbers;
  for (std::size_t i = 0; i < ranks.ranks.size(); ++i) {
    const RunRank& each = ranks.ranks[i];
    numbers[{ranks.reports[each.report].path, each.unit, each.attempt}] = i;
  }
  for (const ranks::JobRank& each : run.job.ranks) {
    const auto found = numbers.find({run.job.paths[each.report], each.unit, each.attempt});
    run.ranks.push_back(found == numbers.end() ? std::nullopt : std::optional(found->second));
  }
}

std::shared_ptr<const events::CodeLines> find_lines(const report::ReportReader& reader) {
  if (!reader.has_table(events::kCodePlaceTable)) return nullptr;
  auto found = source::find_lines(reader, [](double) {});
  return found ? std::make_shared<const events::CodeLines>(std::move(found->lines)) : nullptr;
}

base::Result<analyze::Diagnosis> diagnose(const std::string& path, events::RangeOf range_of) {
  const auto reader = report::ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  if (const base::Status made = events::make_views(*reader, {}); !made)
    return tl::make_unexpected(made.error());
  const auto lines = [&] { return find_lines(*reader); };
  auto diagnosis =
      analyze::diagnose_report(*reader, {.range_of = range_of, .with_gains = false}, lines);
  if (!diagnosis) return diagnosis;
  if (const base::Status finished = reader->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return diagnosis;
}

base::Status add_verdict(const RunRanks& ranks, RunCollectives& run, events::RangeOf range_of) {
  auto verdict = ranks::job_verdict(run.job, find_lines);
  if (!verdict) return tl::make_unexpected(verdict.error());
  run.verdict = *std::move(verdict);
  if (!run.verdict) return {};
  const auto all = [](const report::ReportReader&) { return report::EventFilter(); };
  ranks::add_gains(ranks.reports, run.job, all, *run.verdict);
  if (!run.verdict->typical) return {};
  const ranks::JobRank& rank = run.job.ranks[*run.verdict->typical];
  const auto typical = diagnose(run.job.paths[rank.report], range_of);
  if (!typical) return tl::make_unexpected(typical.error());
  ranks::add_typical(run.job, *typical, *run.verdict);
  return {};
}

}  // namespace

base::Result<std::shared_ptr<const RunCollectives>> read_run_collectives(
    const RunRanks& ranks, events::RangeOf range_of, std::vector<std::string>& faults) {
  ranks::PartOptions options;
  options.details = ranks::PartDetails::kOwnTimes;
  std::vector<ranks::ReportPart> parts = ranks::read_parts(ranks.reports, options, faults);
  auto run = std::make_shared<RunCollectives>();
  run->job = ranks::match_job(std::move(parts));
  if (run->job.ranks.empty()) return std::shared_ptr<const RunCollectives>();
  add_places(ranks, *run);
  add_waits(*run);
  add_delays(*run);
  add_steps(*run);
  add_wait_shares(ranks, *run);
  if (const base::Status added = add_verdict(ranks, *run, range_of); !added)
    return tl::make_unexpected(added.error());
  // What only the statistics and the verdict need.
  for (ranks::JobSequence& each : run->job.sequences) each.times = {};
  for (ranks::JobRank& each : run->job.ranks) each.times = {};
  return std::shared_ptr<const RunCollectives>(std::move(run));
}

}  // namespace prof::view
