#include "exporters/ranks/delays/delay_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/analysis/insight/report_activity.hpp"

namespace prof::ranks {

namespace {

// A thread, the name of a function (StringIds.id), and the name of an NVTX range.
using Key = std::tuple<std::int64_t, std::int64_t, std::string>;
struct PlaceTime {
  double time = 0;
  insight::Interval longest;
  std::vector<insight::Interval> pieces;
};
using Places = std::map<Key, PlaceTime>;

class PlaceReader {
 public:
  PlaceReader(const report::ReportReader& reader, const FindLines& find_lines)
      : reader_(reader), find_lines_(find_lines) {}

  base::Result<DelayPlace> find(const JobCollectives& job, const std::vector<MatchedCall>& calls,
                                Cause cause) {
    const auto activity = insight::ReportActivity::read(reader_);
    if (!activity) return tl::make_unexpected(activity.error());
    std::set<std::int64_t> callers;
    for (const MatchedCall& each : calls) callers.insert(job.call(each).global_tid);
    const auto spans = HostSpans::read(reader_, *activity, callers);
    if (!spans) return tl::make_unexpected(spans.error());
    Places places;
    for (const MatchedCall& each : calls)
      spans->visit(job.call(each).global_tid,
                   preparation(job.sequences[each.sequence].of, each.call),
                   [&](const HostPiece& piece) {
                     if (piece.cause == cause) add(activity->ranges, piece, places);
                   });
    return place_of(places, cause);
  }

 private:
  static void add(const events::RangeTree& ranges, const HostPiece& piece, Places& places) {
    const std::int64_t middle = piece.time.start + piece.time.length() / 2;
    const std::int32_t range = ranges.innermost(piece.global_tid, middle);
    const std::string name =
        range == events::RangeTree::kNone ? "" : ranges.name_of(ranges.at(range));
    PlaceTime& place = places[{piece.global_tid, piece.name, name}];
    place.time += static_cast<double>(piece.time.length());
    if (piece.time.length() > place.longest.length()) place.longest = piece.time;
    place.pieces.push_back(piece.time);
  }

  base::Result<DelayPlace> place_of(const Places& places, Cause cause) const {
    DelayPlace result;
    const auto most =
        std::ranges::max_element(places, {}, [](const auto& place) { return place.second.time; });
    if (most == places.end()) return result;
    const auto& [tid, function, range] = most->first;
    const auto names = events::ThreadNames::read(reader_);
    if (!names) return tl::make_unexpected(names.error());
    result.global_tid = tid;
    result.thread = fmt::format("thread {}", events::tid_of(tid));
    if (const std::string& name = names->thread(tid); !name.empty())
      result.thread += fmt::format(" ({})", base::mark_name("thread", name));
    result.range = range;
    result.longest = most->second.longest;
    result.time = most->second.time;
    auto code = CodePlaces::read(reader_, find_lines_);
    if (!code) return tl::make_unexpected(code.error());
    if (function != HostPiece::kNoName) {
      result.function = events::Strings(reader_).text(function);
      result.caller = code->caller_of(tid, most->second.pieces, result.longest.start);
    } else if (is_of_code(cause)) {
      result.function = code->code_of(tid, most->second.pieces);
    }
    return result;
  }

  const report::ReportReader& reader_;
  const FindLines& find_lines_;
};

}  // namespace

base::Result<DelayPlace> place_of(const JobCollectives& job, const JobDelays& delays,
                                  const LateRank& late, const FindLines& find_lines) {
  if (is_of_gpu(late.cause)) return DelayPlace{};
  const auto reader = report::ReportReader::open(job.paths[job.ranks[late.rank].report]);
  if (!reader) return tl::make_unexpected(reader.error());
  if (const base::Status made = events::make_views(*reader); !made)
    return tl::make_unexpected(made.error());
  return PlaceReader(*reader, find_lines)
      .find(job, delays.calls_in(late.rank, late.pattern.slow), late.cause);
}

}  // namespace prof::ranks
