// python_sample_sum: Python samples by function or line.
#include <map>
#include <set>
#include <unordered_map>

#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/call_chains/sampling_interval.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct Counts {
  std::int64_t self = 0;   // samples with the function or line innermost
  std::int64_t total = 0;  // samples that contain the function or line
};

// A function and its place. The place is a file, or a file and a line.
using Code = std::pair<std::int64_t, std::string>;
using Summary = std::map<Code, Counts>;

// Returns a place without its line. prof's reports store "file:line" as the module, for readers
// that do not know the column of lines.
std::string without_line(const std::string& place, bool has_line) {
  return has_line ? place.substr(0, place.rfind(':')) : place;
}

base::Result<std::unordered_map<std::int64_t, std::int64_t>> samples_by_chain(
    const report::ReportReader& reader) {
  std::unordered_map<std::int64_t, std::int64_t> samples;
  const base::Status read = events::for_each_row(
      reader, "SELECT callchainId, count(*) FROM PROF_PYTHON_SAMPLES GROUP BY callchainId",
      [&](const report::Statement& row) { samples[row.integer(0)] = row.integer(1); });
  if (!read) return tl::make_unexpected(read.error());
  return samples;
}

std::vector<tables::ColumnSpec> python_sample_columns() {
  return {{"Self (%)", CellKind::kReal, 1},       {"Self Samples", CellKind::kInteger},
          {"Self Time (ns)", CellKind::kInteger}, {"Total (%)", CellKind::kReal, 1},
          {"Total Samples", CellKind::kInteger},  {"Total Time (ns)", CellKind::kInteger},
          {"Function", CellKind::kText},          {"Location", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> python_sample_sum(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  const auto samples = samples_by_chain(reader);
  if (!samples) return tl::make_unexpected(samples.error());
  events::Strings strings(reader);
  Summary summary;
  std::set<Code> seen;  // in this call chain; a recursive function counts once
  std::int64_t chain = -1;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT id, symbol, module, line, stackDepth FROM PROF_PYTHON_CALLCHAINS "
      "ORDER BY id, stackDepth",
      [&](const report::Statement& row) {
        const auto count = samples->find(row.integer(0));
        if (count == samples->end()) return;  // the filter excludes the sample
        if (row.integer(0) != chain) seen.clear();
        chain = row.integer(0);
        const bool by_file = !arguments.by_line && !row.is_null(3);
        const Code code{row.integer(1), without_line(strings.text(row.integer(2)), by_file)};
        Counts& counts = summary[code];
        if (row.integer(4) == 0) counts.self += count->second;
        if (seen.insert(code).second) counts.total += count->second;
      });
  if (!read) return tl::make_unexpected(read.error());
  std::int64_t all = 0;
  for (const auto& [id, count] : *samples) all += count;
  const auto interval = events::python_sampling_interval(reader);
  const auto time = [&](std::int64_t count) {
    return interval ? tables::Cell{events::sampled_time(count, *interval)} : tables::Cell{};
  };
  tables::Table table{python_sample_columns(), {}};
  for (const auto& [code, counts] : summary)
    table.rows.push_back({tables::percent(counts.self, all), counts.self, time(counts.self),
                          tables::percent(counts.total, all), counts.total, time(counts.total),
                          strings.text(code.first), code.second});
  tables::sort_descending(table, 4);
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
