#include "exporters/arrow/partial_streams.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/arrow/partial_reader.hpp"
#include "exporters/arrow/result_rows.hpp"
#include "exporters/ranks/clocks/alignment.hpp"
#include "exporters/ranks/clocks/clock_table.hpp"
#include "exporters/ranks/job_plan.hpp"
#include "exporters/ranks/map.hpp"
#include "exporters/ranks/partial_file.hpp"
#include "exporters/ranks/partial_rows.hpp"
#include "exporters/ranks/run_statistics.hpp"
#include "exporters/ranks/run_sums.hpp"

namespace prof::arrow {

using base::Result;
using base::Status;
using tables::CellKind;

namespace {

class PartialRows final : public RowSource {
 public:
  // `unfit`: why the file beside the report does not fit; empty: it does, or there is none.
  explicit PartialRows(const ranks::Partial& partial, const std::string& unfit = {})
      : schema_(partial_schema()), rows_(ranks::rows_of(partial)) {
    if (!unfit.empty()) schema_.metadata.emplace_back("unfit", unfit);
  }

  const Schema& schema() const override { return schema_; }

  Status fill(Batch& batch) override {
    for (; next_ < rows_.size() && !batch.is_full(); ++next_) {
      add(batch, rows_[next_]);
      batch.end_row();
    }
    return {};
  }

 private:
  static void add(Batch& batch, const ranks::PartialRow& row) {
    std::size_t column = 0;
    const auto add_text = [&](const std::string& text) {
      batch.column(column++).add_text(text);
      batch.count_text(text.size());
    };
    add_text(row.unit.job);
    if (row.unit.rank)
      batch.column(column++).add_integer(*row.unit.rank);
    else
      batch.column(column++).add_null();
    add_text(row.unit.node);
    add_text(row.unit.report);
    add_text(row.statistic);
    batch.column(column++).add_integer(row.has_estimates ? 1 : 0);
    if (row.labels)
      add_text(*row.labels);
    else
      batch.column(column++).add_null();
    add_text(row.values);
  }

  Schema schema_;
  std::vector<ranks::PartialRow> rows_;
  std::size_t next_ = 0;
};

Source stream_of(const ranks::Partial& partial) { return std::make_unique<PartialRows>(partial); }

Result<ranks::By> by_of(const std::string& word) {
  if (word == "run") return ranks::By::kRun;
  if (word == "node") return ranks::By::kNode;
  if (word == "rank") return ranks::By::kRank;
  return base::fail("statistics of a job are by run, node or rank, not by " + word);
}

Source statistic_of(ranks::RunSums& sums, const ranks::Request& request) {
  if (!sums.estimated(request.name).empty())
    return base::fail(request.name + ": estimates of --max-overhead cannot be merged");
  const char* title = stats::find_statistic(request.sum->name)->title;
  return result_rows(sums.table(request), request.name, title);
}

Result<std::vector<ranks::Request>> requests_of(const std::vector<std::string>& statistics) {
  if (statistics.empty()) return ranks::usual_requests();
  std::vector<ranks::Request> requests;
  for (const std::string& name : statistics) {
    auto request = ranks::request_of(name);
    if (!request) return tl::make_unexpected(request.error());
    requests.push_back(*std::move(request));
  }
  return requests;
}

// Aligns the reports if a window of time needs it.
Status align_window(const ranks::JobPlan& plan, const std::string& align,
                    const StreamOptions& options, ranks::CommonClock& clock) {
  const auto choice = ranks::parse_clock_choice(align);
  if (!choice) return base::fail("align: " + choice.error().message);
  if (options.time == events::EventFilter{}) {
    if (align.empty()) return {};
    return base::fail("align says what start and end count on: give one of them");
  }
  std::vector<std::string> paths;
  for (const ranks::PlannedReport& each : plan.reports) paths.push_back(each.path);
  if (paths.size() < 2 && !align.empty()) return base::fail("align needs several reports");
  auto aligned = ranks::align_reports(paths, *choice);
  if (!aligned) return tl::make_unexpected(aligned.error());
  clock = {paths, *choice, *std::move(aligned)};
  return {};
}

}  // namespace

Source stream_partial(const std::string& path, const std::vector<std::string>& statistics) {
  const auto requests = requests_of(statistics);
  if (!requests) return tl::make_unexpected(requests.error());
  const auto reader = report::ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto ranks = ranks::ranks_of(*reader);
  if (!ranks) return tl::make_unexpected(ranks.error());
  std::string unfit;
  const auto partial = ranks::read_or_map(*reader, *ranks, *requests, {}, unfit);
  if (!partial) return tl::make_unexpected(partial.error());
  return std::make_unique<PartialRows>(*partial, unfit);
}

Source stream_merged(std::span<ArrowArrayStream*> streams) {
  ranks::Partial merged;
  Status all;
  for (ArrowArrayStream* stream : streams)
    if (const Status read = read_partial(*stream, merged); !read && all) all = read;
  if (!all) return tl::make_unexpected(all.error());
  ranks::limit(merged);
  return stream_of(merged);
}

Source stream_merged_statistic(ArrowArrayStream& stream, const std::string& statistic,
                               const std::string& by) {
  ranks::Partial partial;
  const Status read = read_partial(stream, partial);
  if (!read) return tl::make_unexpected(read.error());
  ranks::limit(partial);
  const auto request = ranks::request_of(statistic);
  if (!request) return tl::make_unexpected(request.error());
  const auto rows = by_of(by);
  if (!rows) return tl::make_unexpected(rows.error());
  ranks::RunSums sums(*rows);
  sums.add(partial);
  return statistic_of(sums, *request);
}

Source stream_ranks(const std::vector<std::string>& paths) {
  std::vector<std::string> left_out;
  const ranks::JobPlan plan = ranks::plan_job(ranks::find_ranks(paths, left_out));
  left_out.insert(left_out.end(), plan.left_out.begin(), plan.left_out.end());
  tables::Table table{{{"report", CellKind::kText},
                       {"job", CellKind::kText},
                       {"rank", CellKind::kInteger},
                       {"size", CellKind::kInteger},
                       {"attempt", CellKind::kInteger},
                       {"node", CellKind::kText},
                       {"left_out", CellKind::kText}},
                      {}};
  for (const ranks::PlannedReport& report : plan.reports)
    for (const ranks::ReportRank& rank : report.ranks)
      table.rows.push_back({report.path,
                            rank.unit.job,
                            tables::optional_cell(rank.unit.rank),
                            tables::optional_cell(rank.size),
                            rank.attempt,
                            rank.unit.node,
                            {}});
  for (const std::string& text : left_out)
    table.rows.push_back({{}, {}, {}, {}, {}, {}, tables::Text(text)});
  return result_rows(std::move(table), "ranks", "");
}

Source stream_run_clocks(const std::vector<std::string>& paths, const std::string& align) {
  const auto choice = ranks::parse_clock_choice(align);
  if (!choice) return base::fail("align: " + choice.error().message);
  const auto aligned = ranks::align_reports(paths, *choice);
  if (!aligned) return tl::make_unexpected(aligned.error());
  return result_rows(ranks::report_clock_table(paths, *aligned), "clocks", "");
}

Source stream_run_statistic(const std::vector<std::string>& paths, const std::string& statistic,
                            const std::string& by, const std::string& align,
                            const StreamOptions& stream_options) {
  const auto request = ranks::request_of(statistic);
  if (!request) return tl::make_unexpected(request.error());
  const auto rows = by_of(by);
  if (!rows) return tl::make_unexpected(rows.error());
  std::vector<std::string> left_out;
  const ranks::JobPlan plan = ranks::plan_job(ranks::find_ranks(paths, left_out));
  ranks::RunSums sums(*rows);
  ranks::ReadOptions options;
  options.requests = {*request};
  options.exact = true;
  ranks::CommonClock clock;
  if (const Status aligned = align_window(plan, align, stream_options, clock); !aligned)
    return tl::make_unexpected(aligned.error());
  if (stream_options.filters())
    options.filter_of = [&](const report::ReportReader& reader) {
      return filter_of(reader, stream_options, clock.of(reader.path()));
    };
  for (ranks::Request& each : options.requests)
    each.arguments.kernels.range_of = stream_options.range_of;
  const std::size_t before = left_out.size();
  ranks::read_reports(plan.reports, options, sums, left_out);
  if (left_out.size() - before == plan.reports.size())
    return base::fail(left_out.empty() ? "no reports are given" : left_out.front());
  return statistic_of(sums, *request);
}

}  // namespace prof::arrow
