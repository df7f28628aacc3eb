#include "exporters/mcp/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/query/named_views.hpp"

namespace prof::mcp {

namespace {

struct LaneView {
  const char* name;   // of the view, and the kind of its lanes
  const char* first;  // what a lane is: a device and a stream, or a thread
  const char* second;
  bool is_of_gpu;
};
constexpr LaneView kViews[] = {{"kernels", "device", "stream", true},
                               {"copies", "device", "stream", true},
                               {"ranges", "pid", "tid", false},
                               {"calls", "pid", "tid", false}};

// The covered time of each bin. Events come in the order of their starts, so
// time that two of them share counts once.
class Bins {
 public:
  Bins(const Span& span, std::size_t count)
      : span_(span),
        width_(
            std::max<std::int64_t>(1, (span.end - span.start) / static_cast<std::int64_t>(count))),
        covered_(count) {}

  void add(std::int64_t start, std::int64_t end) {
    start = std::max({start, span_.start, reached_});
    end = std::min(end, span_.end);
    for (std::int64_t at = start; at < end;) {
      const auto bin =
          std::min(static_cast<std::size_t>((at - span_.start) / width_), covered_.size() - 1);
      const std::int64_t bin_end = bin + 1 == covered_.size()
                                       ? end
                                       : span_.start + static_cast<std::int64_t>(bin + 1) * width_;
      covered_[bin] += static_cast<double>(std::min(end, bin_end) - at);
      at = std::min(end, bin_end);
    }
    reached_ = std::max(reached_, end);
    ++events_;
  }

  Lane lane(const LaneView& view, std::int64_t first, std::int64_t second) const {
    Lane lane{view.name, view.is_of_gpu ? fmt::format("GPU {} stream {}", first, second)
                                        : fmt::format("process {} thread {}", first, second)};
    lane.events = events_;
    for (const double each : covered_)
      lane.use.push_back(std::min(1.0, each / static_cast<double>(width_)));
    return lane;
  }

 private:
  Span span_;
  std::int64_t width_;
  std::vector<double> covered_;  // ns
  std::int64_t reached_ = INT64_MIN;
  std::int64_t events_ = 0;
};

base::Status add_lanes(const report::ReportReader& reader, const LaneView& view, const Span& span,
                       std::size_t bins, std::vector<Lane>& lanes) {
  std::map<std::pair<std::int64_t, std::int64_t>, Bins> found;
  const base::Status read =
      events::for_each_row(reader,
                           fmt::format("SELECT {}, {}, start, \"end\" FROM {} WHERE start < {} AND "
                                       "\"end\" > {} ORDER BY "
                                       "start",
                                       view.first, view.second, view.name, span.end, span.start),
                           [&](const report::Statement& row) {
                             const auto [at, is_new] = found.try_emplace(
                                 {row.integer(0), row.integer(1)}, Bins(span, bins));
                             at->second.add(row.integer(2), row.integer(3));
                           });
  for (const auto& [key, each] : found) lanes.push_back(each.lane(view, key.first, key.second));
  return read;
}

double total(const Lane& lane) { return std::accumulate(lane.use.begin(), lane.use.end(), 0.0); }

}  // namespace

base::Result<Span> whole_span(const report::ReportReader& reader) {
  Span span{INT64_MAX, INT64_MIN};
  for (const LaneView& view : kViews) {
    if (!query::has_named_view(reader, view.name)) continue;
    const base::Status read = events::for_each_row(
        reader, fmt::format("SELECT min(start), max(\"end\") FROM {}", view.name),
        [&](const report::Statement& row) {
          if (row.is_null(0) || row.is_null(1)) return;
          span.start = std::min(span.start, row.integer(0));
          span.end = std::max(span.end, row.integer(1));
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  if (span.start >= span.end)
    return base::fail("the report has no kernels, copies, ranges or calls");
  return span;
}

base::Result<std::vector<Lane>> lanes_of(const report::ReportReader& reader, const Span& span,
                                         std::size_t bins, std::size_t most) {
  std::vector<Lane> lanes;
  for (const LaneView& view : kViews) {
    if (!query::has_named_view(reader, view.name)) continue;
    std::vector<Lane> of_view;
    if (const base::Status added = add_lanes(reader, view, span, bins, of_view); !added)
      return tl::make_unexpected(added.error());
    std::ranges::stable_sort(of_view,
                             [](const Lane& a, const Lane& b) { return total(a) > total(b); });
    if (of_view.size() > most) of_view.resize(most);
    for (Lane& each : of_view) lanes.push_back(std::move(each));
  }
  return lanes;
}

}  // namespace prof::mcp
