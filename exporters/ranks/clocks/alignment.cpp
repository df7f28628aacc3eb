#include "exporters/ranks/clocks/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/tables/readable_units.hpp"
#include "exporters/ranks/clocks/report_clock.hpp"

namespace prof::ranks {

namespace {

using base::Result;

using Reports = std::vector<ReportClock>;
using Machines = std::vector<MachineEstimate>;

std::string name_of(const MachineEstimate& machine, const Reports& reports) {
  return machine.node.empty() ? reports[machine.reports.front()].path : machine.node;
}

// Returns the start of the first range with this name.
Result<std::int64_t> first_range(const std::string& path, const std::string& name) {
  auto reader = report::ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto missing = [&] {
    return base::fail(fmt::format("{} has no NVTX range \"{}\" to align by", path, name));
  };
  if (!reader->has_column(events::kNvtxTable, "text")) return missing();
  const char* text_id = reader->has_column(events::kNvtxTable, "textId") ? "textId" : "NULL";
  auto query = reader->prepare(fmt::format(
      "SELECT min(start) FROM NVTX_EVENTS WHERE eventType IN ({}, {}) AND start BETWEEN {} AND {} "
      "AND (text = ?1 OR {} IN (SELECT id FROM StringIds WHERE value = ?1))",
      events::kPushPopRange, events::kStartEndRange, -events::kMaxTime, events::kMaxTime, text_id));
  if (!query) return tl::make_unexpected(query.error());
  query->bind(1, name);
  const auto row = query->step();
  if (!row) return tl::make_unexpected(reader->last_error());
  if (!*row || query->is_null(0)) return missing();
  return query->integer(0);
}

Result<AlignedReports> align_by_range(const std::vector<std::string>& paths,
                                      const std::string& name) {
  std::vector<std::int64_t> starts;
  for (const std::string& path : paths) {
    const auto start = first_range(path, name);
    if (!start) return tl::make_unexpected(start.error());
    starts.push_back(*start);
  }
  AlignedReports result;
  const std::int64_t latest = *std::ranges::max_element(starts);
  for (const std::int64_t start : starts) result.clocks.push_back({latest - start});
  return result;
}

// If the drift changes less than the error, the times move by one number, and durations stay what
// they are in the report.
events::ClockMap simple_clock_of(const MachineEstimate& machine, std::size_t place,
                                 std::int64_t length) {
  const events::ClockMap clock = clock_of(machine, place);
  const std::int64_t middle = length / 2;
  const double most = std::abs(machine.drift) *
                      static_cast<double>(std::max(std::abs(clock.middle), length - clock.middle));
  if (machine.drift != 0 && most >= machine.bound.value_or(0)) return clock;
  return {clock.common(middle) - middle};
}

// True if, as far as is known, all reports were recorded at the same time.
bool overlap(const AlignedReports& aligned, const Reports& reports) {
  std::int64_t last_start = INT64_MIN;
  std::int64_t first_end = INT64_MAX;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    last_start = std::max(last_start, aligned.clocks[i].common(0));
    if (reports[i].duration > 0)
      first_end = std::min(first_end, aligned.clocks[i].common(reports[i].duration));
  }
  return last_start <= first_end;
}

// Lets the common clock begin with the report that began first.
void begin_at_0(AlignedReports& aligned, const Reports& reports) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < reports.size(); ++i)
    if (aligned.clocks[i].common(0) < aligned.clocks[first].common(0)) first = i;
  const std::int64_t start = aligned.clocks[first].common(0);
  for (events::ClockMap& clock : aligned.clocks) clock.offset -= start;
  aligned.utc_start = reports[first].utc_start;
}

AlignedReports as_they_are(const Reports& reports, std::string why = {}) {
  AlignedReports result;
  result.clocks.resize(reports.size());
  if (reports.size() == 1) result.utc_start = reports.front().utc_start;
  result.not_aligned = std::move(why);
  return result;
}

// Says why collectives do not align a machine, and what the wall clock could do.
std::string without_collectives(const MachineEstimate& machine, const Machines& machines,
                                const Reports& reports) {
  const std::string wall =
      machine.evidence == Evidence::kWallClock
          ? fmt::format(
                "by the wall clock (--align=clock) the error is up to {}",
                tables::readable_text(*machine.bound, tables::Measure::kDuration).value_or("?"))
          : "the error by the wall clock (--align=clock) is unknown";
  return fmt::format(
      "{} cannot be aligned by collectives: no collective operations match that it and {} "
      "recorded; {}",
      name_of(machine, reports), name_of(machines.front(), reports), wall);
}

// Like as_they_are(), with what is known of the clocks.
AlignedReports not_aligned(const Reports& reports, Machines machines, std::string why) {
  AlignedReports result = as_they_are(reports, std::move(why));
  result.machines = std::move(machines);
  return result;
}

Result<AlignedReports> align_by_clocks(const Reports& reports, AlignBy by) {
  Machines machines = estimate_clocks(reports);
  AlignedReports result;
  result.clocks.resize(reports.size());
  bool is_simultaneous = machines.size() > 1;  // all took part in the same operations
  for (const MachineEstimate& machine : machines) {
    const bool is_compared = machine.evidence == Evidence::kReference ||
                             machine.evidence == Evidence::kCollectives ||
                             machine.evidence == Evidence::kMessages;
    is_simultaneous = is_simultaneous && is_compared;
    if (by == AlignBy::kCollectives && !is_compared)
      return base::fail(without_collectives(machine, machines, reports));
    if (!machine.is_placed && by == AlignBy::kClock)
      return base::fail(fmt::format(
          "{} cannot be aligned by the clock: it or {} does not say when it was recorded",
          name_of(machine, reports), name_of(machines.front(), reports)));
    if (!machine.is_placed)
      return not_aligned(reports, machines,
                         "Not all reports say when they were recorded, so all begin at 0.");
    if (machine.evidence == Evidence::kNone)
      result.unknown_errors.push_back(fmt::format(
          "{} is aligned by its wall clock, which nothing says to be synchronized with that of {}: "
          "the error is unknown",
          name_of(machine, reports), name_of(machines.front(), reports)));
    for (std::size_t i = 0; i < machine.reports.size(); ++i)
      result.clocks[machine.reports[i]] =
          simple_clock_of(machine, i, reports[machine.reports[i]].duration);
  }
  if (by == AlignBy::kBest && !is_simultaneous && !overlap(result, reports))
    return not_aligned(reports, std::move(machines),
                       "The reports were not recorded at the same time, so all begin at 0.");
  begin_at_0(result, reports);
  result.machines = std::move(machines);
  return result;
}

Result<Reports> read_reports(const std::vector<std::string>& paths, bool with_collectives) {
  Reports clocks;
  for (const std::string& path : paths) {
    const auto reader = report::ReportReader::open(path);
    if (!reader) return tl::make_unexpected(reader.error());
    const auto of_report = ranks_of(*reader);
    if (!of_report) return tl::make_unexpected(of_report.error());
    auto clock = read_report_clock(*reader, *of_report, with_collectives);
    if (!clock) return tl::make_unexpected(clock.error());
    if (const base::Status finished = reader->finish(); !finished)
      return tl::make_unexpected(finished.error());
    clocks.push_back(*std::move(clock));
  }
  return clocks;
}

// Collectives of reports of one machine are not read: its clock is better.
Result<Reports> read_clocks(const std::vector<std::string>& paths, bool with_collectives) {
  auto clocks = read_reports(paths, false);
  if (!clocks || !with_collectives || estimate_clocks(*clocks).size() < 2) return clocks;
  return read_reports(paths, true);
}

}  // namespace

events::ClockMap clock_of(const MachineEstimate& machine, std::size_t place) {
  const std::int64_t shift = machine.shifts[place];
  return {shift + std::llround(machine.offset), machine.drift,
          std::llround(machine.middle) - shift};
}

Alignment::Alignment(const std::vector<MachineEstimate>& machines) {
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const MachineEstimate& each = machines[i];
    for (std::size_t k = 0; k < each.reports.size(); ++k) {
      places_.resize(std::max(places_.size(), each.reports[k] + 1));
      places_[each.reports[k]] = {i, clock_of(each, k), each.bound};
    }
  }
}

Result<ClockChoice> parse_clock_choice(const std::string& text) {
  constexpr std::string_view kRange = "range:";
  if (text.empty()) return ClockChoice{};
  if (text == "clock") return ClockChoice{AlignBy::kClock};
  if (text == "collectives") return ClockChoice{AlignBy::kCollectives};
  if (text == "none") return ClockChoice{AlignBy::kNone};
  if (text.starts_with(kRange) && text.size() > kRange.size())
    return ClockChoice{AlignBy::kRange, text.substr(kRange.size())};
  return base::fail("write clock, collectives, range:NAME or none");
}

CommonClock::CommonClock(const std::vector<std::string>& paths, const ClockChoice& choice,
                         AlignedReports aligned) {
  if (aligned.not_aligned.empty() && choice.by != AlignBy::kNone)
    machines_ = std::move(aligned.machines);
  // By a range, the reports have one clock. Without an alignment, each has its own.
  std::vector<ReportPlace> places(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    places[i].machine = choice.by == AlignBy::kRange ? 0 : i;
    places[i].clock = aligned.clocks[i];
  }
  for (std::size_t i = 0; i < machines_.size(); ++i)
    for (const std::size_t report : machines_[i].reports) {
      places[report].machine = i;
      places[report].bound = machines_[i].bound;
    }
  for (std::size_t i = 0; i < paths.size(); ++i) places_.emplace(paths[i], places[i]);
}

events::ClockMap CommonClock::of(const std::string& path) const {
  const auto place = places_.find(path);
  return place == places_.end() ? events::ClockMap() : place->second.clock;
}

Alignment CommonClock::alignment(const std::vector<std::string>& paths) const {
  std::vector<ReportPlace> places;
  for (const std::string& path : paths) {
    const auto place = places_.find(path);
    places.push_back(place == places_.end() ? ReportPlace{paths.size() + places.size()}
                                            : place->second);
  }
  return Alignment(std::move(places));
}

Result<AlignedReports> align_reports(const std::vector<std::string>& paths,
                                     const ClockChoice& choice) {
  if (choice.by == AlignBy::kRange) return align_by_range(paths, choice.range);
  const bool is_compared = choice.by != AlignBy::kNone && paths.size() > 1;
  const auto reports = read_clocks(paths, is_compared && choice.by != AlignBy::kClock);
  if (!reports && choice.by == AlignBy::kBest)
    return as_they_are(Reports(paths.size()), reports.error().message + ", so all begin at 0.");
  if (!reports) return tl::make_unexpected(reports.error());
  return is_compared ? align_by_clocks(*reports, choice.by) : as_they_are(*reports);
}

}  // namespace prof::ranks
