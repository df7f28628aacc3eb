#include "exporters/ranks/path/job_path.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "exporters/analysis/tables/percent.hpp"
#include "exporters/ranks/parallel.hpp"
#include "exporters/ranks/path/job_execution.hpp"
#include "exporters/ranks/path/job_walk.hpp"
#include "exporters/ranks/path/path_steps.hpp"

namespace prof::ranks {

using path::Segment;

namespace {

// Returns the rank to which a segment of a report belongs.
const Unit& unit_of(const ReportExecution& report, const std::vector<ReportRank>& ranks,
                    const Segment& segment) {
  std::int64_t global_id = 0;
  if (segment.thread != path::kNowhere)
    global_id = report.model.calls().threads()[segment.thread].global_tid;
  else if (segment.item != path::kNowhere)
    global_id = report.model.work().global_pid(report.model.work().at(segment.item));
  return ranks[place_of(ranks, global_id).value_or(0)].unit;
}

// The executions of reports. Few are kept at once; the others are read again.
class Executions {
 public:
  Executions(const std::vector<PlannedReport>& reports, const FilterOf& filter_of,
             std::uintmax_t kept_bytes)
      : reports_(reports), filter_of_(filter_of), kept_(reports.size()) {
    std::uintmax_t bytes = 0;
    for (const PlannedReport& each : reports) {
      std::error_code error;
      const std::uintmax_t size = std::filesystem::file_size(each.path, error);
      bytes += error ? 0 : size;
    }
    keeps_ = bytes <= kept_bytes;
  }

  // Calls `use` for each report, on several threads.
  template <class Use>
  base::Status for_each(Use use) {
    std::vector<base::Status> status(reports_.size());
    for_each_number(reports_.size(), 0, [&](std::size_t i) {
      try {
        auto execution = read_execution(reports_[i], filter_of_);
        if (!execution) {
          status[i] = tl::make_unexpected(execution.error());
          return;
        }
        use(i, *execution);
        if (keeps_) kept_[i] = *std::move(execution);
      } catch (const std::exception& exception) {
        status[i] = base::fail(reports_[i].path + ": " + exception.what());
      }
    });
    for (base::Status& each : status)
      if (!each) return std::move(each);
    return {};
  }

  base::Result<ReportExecution> take(std::size_t report) {
    if (kept_[report]) return *std::move(kept_[report]);
    return read_execution(reports_[report], filter_of_);
  }

 private:
  const std::vector<PlannedReport>& reports_;
  const FilterOf& filter_of_;
  std::vector<std::optional<ReportExecution>> kept_;
  bool keeps_ = true;
};

base::Status add_sums(const PlannedReport& planned, std::size_t number,
                      const ReportExecution& report, const ReportPath& all, JobPath& result) {
  if (all.segments.empty()) return {};
  std::map<Unit, ReportPath> by_unit;
  for (std::size_t i = 0; i < all.segments.size(); ++i) {
    ReportPath& of_unit = by_unit[unit_of(report, planned.ranks, all.segments[i])];
    of_unit.segments.push_back(all.segments[i]);
    of_unit.starts.push_back(all.starts[i]);
    of_unit.durations.push_back(all.durations[i]);
  }
  const auto reader = report.open();
  if (!reader) return tl::make_unexpected(reader.error());
  for (const auto& [unit, part] : by_unit) {
    auto sums = path::sum_path(*reader, report.model, part.segments, result.by, part.durations);
    if (!sums) return tl::make_unexpected(sums.error());
    for (path::PathSum& sum : *sums) result.sums.push_back({unit, std::move(sum)});
    for (std::size_t i = 0; i < part.segments.size(); ++i)
      result.pieces.push_back({part.starts[i], part.durations[i], result.units.size(), number,
                               path::path_event(report.model, part.segments[i])});
    result.units.push_back(unit);
  }
  return reader->finish();
}

}  // namespace

base::Result<JobPath> find_job_path(const std::vector<PlannedReport>& reports,
                                    const JobCollectives& collectives, path::PathBy by,
                                    const FilterOf& filter_of, std::uintmax_t kept_bytes) {
  if (reports.size() != collectives.paths.size())
    return base::fail("not all reports of the job could be read");
  JobWalk walk(collectives);
  Executions executions(reports, filter_of, kept_bytes);
  if (base::Status read = executions.for_each([&](std::size_t i, const ReportExecution& each) {
        walk.take(i, find_steps(each, walk.parts_of(i)));
      });
      !read)
    return tl::make_unexpected(read.error());
  walk.run();
  JobPath result;
  result.by = by;
  result.begin = walk.begin();
  result.elapsed = walk.elapsed();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!walk.visits(i)) continue;
    const auto execution = executions.take(i);
    if (!execution) return tl::make_unexpected(execution.error());
    if (const base::Status added =
            add_sums(reports[i], i, *execution, walk.path_through(i, *execution), result);
        !added)
      return tl::make_unexpected(added.error());
  }
  std::ranges::stable_sort(result.sums, std::greater<>(),
                           [](const RankPathSum& each) { return each.sum.time; });
  std::ranges::stable_sort(result.pieces, {}, &PathPiece::start);
  return result;
}

tables::Table table_of(const JobPath& path) {
  using tables::CellKind;
  const bool has_kind = path.by == path::PathBy::kWork;
  tables::Table table{{{"Time (%)", CellKind::kReal, 1},
                       {"Time on Path (ns)", CellKind::kInteger},
                       {"Count", CellKind::kInteger},
                       {"Rank", CellKind::kInteger}},
                      {}};
  if (has_kind) table.columns.push_back({"Kind", CellKind::kText});
  table.columns.push_back({"Name", CellKind::kText});
  for (const auto& [unit, sum] : path.sums) {
    auto& row = table.rows.emplace_back(
        std::vector<tables::Cell>{tables::percent(sum.time, path.elapsed), sum.time, sum.count,
                                  tables::optional_cell(unit.rank)});
    if (has_kind) row.emplace_back(path::name_of(sum.kind));
    row.emplace_back(sum.name);
  }
  return table;
}

}  // namespace prof::ranks
