#include "exporters/ranks/path/job_path.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/path/backward_walk.hpp"
#include "exporters/analysis/tables/percent.hpp"
#include "exporters/ranks/messages/message_waits.hpp"
#include "exporters/ranks/path/job_events.hpp"
#include "exporters/ranks/path/job_execution.hpp"

namespace prof::ranks {

using path::Place;
using path::Segment;

namespace {

// A report's part in a collective operation or a message: the start of a kernel, or of a call of
// MPI.
struct Arrival {
  std::size_t report;
  Place place;
};

// The segments of one report that are on the path, and their times on the common clock.
struct ReportPath {
  std::vector<Segment> segments;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> durations;
};

class JobWalk {
 public:
  explicit JobWalk(const JobExecution& job)
      : job_(job),
        reports_(job.reports),
        collectives_(job.collectives),
        events_(job.reports),
        arrivals_(job.reports.size()) {
    for (const MatchedCommunicator& communicator : collectives_.communicators)
      for (const MatchedCollective& each : communicator.collectives) add(each);
    for (const MatchedDirection& each : collectives_.directions) add(each);
  }

  void run() {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      const path::ExecutionModel& model = reports_[i].model;
      if (model.begin() >= model.end()) continue;
      begin_ = last ? std::min(begin_, common(i, model.begin())) : common(i, model.begin());
      if (!last || common(i, model.end()) > common(*last, reports_[*last].model.end())) last = i;
    }
    if (!last) return;
    report_ = *last;
    // An NVTX range begins at another time on each rank. Of these the path has the one that ends
    // last.
    if (reports_[report_].filter.start > -events::kMaxTime)
      begin_ = common(report_, reports_[report_].model.begin());
    elapsed_ = common(report_, reports_[report_].model.end()) - begin_;
    walk(reports_[report_].model.last_place());
  }

  const std::vector<ReportPath>& paths() const { return paths_; }
  std::int64_t begin() const { return begin_; }
  std::int64_t elapsed() const { return elapsed_; }

 private:
  std::int64_t common(std::size_t report, std::int64_t time) const {
    return job_.common(report, time);
  }

  void add(const MatchedCollective& collective) {
    std::vector<std::pair<JobEvent, Arrival>> found;
    for (const MatchedCall& each : collective.calls) {
      const RankCall& call = collectives_.call(each);
      const JobSequence& sequence = collectives_.sequences[each.sequence];
      if (!call.ends_together) return;
      if (sequence.of.source == CallSource::kMpi) {
        if (const auto at = events_.call_at(sequence.report, call.global_tid, call.start))
          found.push_back({*at, arrival(sequence.report, call.global_tid, call.start)});
      } else if (const auto at = events_.kernel_at(sequence.report, sequence.of.global_pid,
                                                   call.start, call.end)) {
        found.push_back({*at, {sequence.report, {true, at->index, call.start}}});
      }
    }
    if (found.size() < 2) return;
    const auto last = std::ranges::max_element(found, {}, [&](const auto& each) {
      return common(each.second.report, each.second.place.time);
    });
    for (const auto& [event, arrival] : found)
      if (arrival.report != last->second.report || event != last->first)
        keep_last(arrival.report, event, last->second);
  }

  // The side of a message that is ready first waits for the other one.
  void add(const MatchedDirection& messages) {
    const JobMessages& sender = collectives_.messages[messages.sender];
    const JobMessages& receiver = collectives_.messages[messages.receiver];
    for (const MatchedMessage& each : messages.pairs) {
      const auto waits = waits_of(collectives_, messages, each);
      if (!waits) return;
      const Message& sent = sender.of.messages[each.sent];
      const Message& received = receiver.of.messages[each.received];
      if (waits->receiver > 0) add_wait(receiver, received, sender, sent);
      if (waits->sender > 0) add_wait(sender, sent, receiver, received);
    }
  }

  void add_wait(const JobMessages& of, const Message& waiting, const JobMessages& other_of,
                const Message& other) {
    if (of.of.source == CallSource::kMpi) {
      if (const auto event = events_.call_at(of.report, waiting.wait_tid, waiting.wait_start))
        keep_last(of.report, *event, arrival(other_of.report, other.start_tid, other.start));
      return;
    }
    const auto event =
        events_.kernel_at(of.report, of.of.global_pid, waiting.wait_start, waiting.end);
    const auto at =
        events_.kernel_at(other_of.report, other_of.of.global_pid, other.start, other.end);
    if (event && at)
      keep_last(of.report, *event, {other_of.report, {true, at->index, other.start}});
  }

  void keep_last(std::size_t report, const JobEvent& event, const Arrival& arrival) {
    if (!arrival.place.is_on_gpu && arrival.place.index == path::kNowhere) return;
    const auto [at, is_new] = arrivals_[report].emplace(event, arrival);
    if (!is_new && common(arrival.report, arrival.place.time) >
                       common(at->second.report, at->second.place.time))
      at->second = arrival;
  }

  Arrival arrival(std::size_t report, std::int64_t global_tid, std::int64_t time) const {
    return {report, {false, reports_[report].model.calls().find_thread(global_tid), time}};
  }

  void walk(Place place) {
    paths_.resize(reports_.size());
    std::int64_t time = common(report_, place.time);
    int stalled = 0;
    constexpr int kMaxStepsAtOneTime = 100'000;  // in a damaged report
    while (time > begin_ && stalled < kMaxStepsAtOneTime) {
      const std::int64_t before = time;
      if (const Arrival* last = last_arrival(place)) {
        const std::int64_t arrived = common(last->report, last->place.time);
        if (arrived < time) {
          add_wait(place, std::max(arrived, begin_), time);
          report_ = last->report;
          place = last->place;
          time = arrived;
        }
      }
      if (time > begin_) time = step(place, time);
      stalled = time < before ? 0 : stalled + 1;
    }
  }

  // Does one step on the current report, and returns the common time to which it leads.
  std::int64_t step(Place& place, std::int64_t time) {
    const path::ExecutionModel& model = reports_[report_].model;
    const std::int64_t start =
        std::min(model.begin(), place.time) - (common(report_, model.begin()) - begin_);
    std::vector<Segment> segments;
    place = path::BackwardWalk(model, segments).step(place, start);
    for (const Segment& each : segments) {
      const bool is_first = each.start <= start;
      const std::int64_t from =
          is_first ? begin_ : std::clamp(common(report_, each.start), begin_, time);
      keep(each, from, time);
      time = from;
    }
    return place.time <= start ? begin_ : time;
  }

  void add_wait(const Place& place, std::int64_t start, std::int64_t end) {
    Segment wait{place.time - (end - start), place.time, path::SegmentKind::kCommunication,
                 place.index, path::kNowhere};
    if (!place.is_on_gpu) {
      wait.kind = path::SegmentKind::kMpiCall;
      wait.item = reports_[report_].model.calls().last_before(place.index, place.time);
      wait.thread = place.index;
    }
    keep(wait, start, end);
  }

  void keep(const Segment& segment, std::int64_t start, std::int64_t end) {
    paths_[report_].segments.push_back(segment);
    paths_[report_].starts.push_back(start);
    paths_[report_].durations.push_back(end - start);
  }

  // Returns the last rank's arrival at the operation that the place is in, if it was another one.
  const Arrival* last_arrival(const Place& place) const {
    JobEvent event{place.is_on_gpu, place.index};
    if (!place.is_on_gpu) {
      const path::HostCalls& calls = reports_[report_].model.calls();
      event.index = calls.last_before(place.index, place.time);
      if (event.index == path::kNowhere || calls.end(event.index) < place.time) return nullptr;
    }
    const auto found = arrivals_[report_].find(event);
    return found == arrivals_[report_].end() ? nullptr : &found->second;
  }

  const JobExecution& job_;
  const std::vector<ReportExecution>& reports_;
  const JobCollectives& collectives_;
  JobEvents events_;
  std::vector<std::map<JobEvent, Arrival>> arrivals_;  // by report
  std::vector<ReportPath> paths_;                      // by report
  std::size_t report_ = 0;                             // where the walk is
  std::int64_t begin_ = 0;                             // ns, common
  std::int64_t elapsed_ = 0;
};

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
                                    const FilterOf& filter_of) {
  const auto job = read_execution(reports, collectives, filter_of);
  if (!job) return tl::make_unexpected(job.error());
  JobWalk walk(*job);
  walk.run();
  JobPath result;
  result.by = by;
  result.begin = walk.begin();
  result.elapsed = walk.elapsed();
  for (std::size_t i = 0; i < walk.paths().size(); ++i)
    if (const base::Status added =
            add_sums(reports[i], i, job->reports[i], walk.paths()[i], result);
        !added)
      return tl::make_unexpected(added.error());
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
