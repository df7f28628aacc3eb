#include "exporters/viewer/timeline/loading/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::timeline {

namespace {

// Returns the start of the first range with this name.
base::Result<std::int64_t> first_range(const std::string& path, const std::string& name) {
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

base::Result<AlignedClocks> align_by_range(const std::vector<OpenReport>& reports,
                                           const std::string& name) {
  AlignedClocks result;
  std::int64_t of_first = 0;
  for (const OpenReport& report : reports) {
    const auto start = first_range(report.path, name);
    if (!start) return tl::make_unexpected(start.error());
    if (result.offsets.empty()) of_first = *start;
    result.offsets.push_back(of_first - *start);
  }
  return result;
}

// True if, as far as is known, all reports were recorded at the same time.
bool overlap(const std::vector<const Facts*>& facts) {
  std::int64_t last_start = INT64_MIN;
  std::int64_t first_end = INT64_MAX;
  for (const Facts* each : facts) {
    last_start = std::max(last_start, *each->utc_start());
    if (each->duration() > 0)
      first_end = std::min(first_end, *each->utc_start() + each->duration());
  }
  return last_start <= first_end;
}

// Returns by how much each report begins later than the first of them.
std::vector<std::int64_t> offsets_of(const std::vector<const Facts*>& facts, bool shared) {
  std::vector<std::int64_t> offsets;
  for (const Facts* each : facts)
    offsets.push_back(shared ? each->machine_clock()->origin : *each->utc_start());
  const std::int64_t first = *std::min_element(offsets.begin(), offsets.end());
  for (std::int64_t& offset : offsets) offset -= first;
  return offsets;
}

}  // namespace

base::Result<AlignedClocks> align(const std::vector<OpenReport>& reports,
                                  const std::vector<const Facts*>& facts, const Options& options) {
  AlignedClocks result;
  result.offsets.assign(reports.size(), 0);
  const bool has_clocks =
      std::all_of(facts.begin(), facts.end(), [](const Facts* each) { return each->utc_start(); });
  if (!options.range.empty()) {
    auto aligned = align_by_range(reports, options.range);
    if (!aligned) return aligned;
    result = std::move(*aligned);
  } else if (reports.size() > 1 && options.alignment == Alignment::kWallClock) {
    if (!has_clocks) {
      result.message = "Not all reports say when they were recorded, so all begin at 0.";
    } else if (!overlap(facts)) {
      result.message = "The reports were not recorded at the same time, so all begin at 0.";
    } else {
      result.offsets = offsets_of(facts, events::share_clock(
                                             facts, [](const Facts* each) -> const auto& {
                                               return each->machine_clock();
                                             }));
      const auto first = std::min_element(result.offsets.begin(), result.offsets.end());
      result.utc_start =
          *facts[static_cast<std::size_t>(first - result.offsets.begin())]->utc_start();
    }
  }
  if (reports.size() == 1) result.utc_start = facts[0]->utc_start();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i].offset) continue;
    if (*reports[i].offset > events::kMaxTime || *reports[i].offset < -events::kMaxTime)
      return base::fail(
          fmt::format("{}: an offset of {} ns is too large", reports[i].path, *reports[i].offset));
    result.offsets[i] = *reports[i].offset;
  }
  if (reports.size() == 1 && result.utc_start) *result.utc_start -= result.offsets[0];
  return result;
}

}  // namespace prof::timeline
