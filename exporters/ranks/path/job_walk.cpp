#include "exporters/ranks/path/job_walk.hpp"

#include <algorithm>
#include <utility>

#include "exporters/ranks/messages/message_waits.hpp"

namespace prof::ranks {

using path::Place;
using path::Segment;

namespace {

constexpr int kMostStepsAtOneTime = 100'000;  // in a damaged report

// A rank's part, and where it begins.
struct Answer {
  std::optional<JobEvent> event;
  std::uint32_t step = path::kNowhere;
};

RecordedPart part_of(bool is_mpi, std::int64_t tid, std::int64_t pid, std::int64_t start,
                     std::int64_t end) {
  return {is_mpi, is_mpi ? tid : pid, start, end};
}

}  // namespace

JobWalk::JobWalk(const JobCollectives& collectives)
    : collectives_(collectives),
      parts_(collectives.paths.size()),
      reports_(collectives.paths.size()),
      arrivals_(collectives.paths.size()),
      visits_(collectives.paths.size()) {
  visit_operations([&](std::size_t report, const RecordedPart& part) {
    parts_[report].push_back(part);
    return Answer{};
  });
}

template <class Take>
void JobWalk::visit_operations(Take take) {
  for (const MatchedCommunicator& communicator : collectives_.communicators)
    for (const MatchedCollective& each : communicator.collectives) visit(each, take);
  for (const MatchedDirection& each : collectives_.directions) visit(each, take);
}

template <class Take>
void JobWalk::visit(const MatchedCollective& collective, Take take) {
  if (!std::ranges::all_of(collective.calls, [&](const MatchedCall& each) {
        return collectives_.call(each).ends_together;
      }))
    return;
  struct Found {
    JobEvent event;
    Arrival arrival;
  };
  std::vector<Found> found;
  for (const MatchedCall& each : collective.calls) {
    const RankCall& call = collectives_.call(each);
    const JobSequence& sequence = collectives_.sequences[each.sequence];
    const Answer answer =
        take(sequence.report, part_of(sequence.of.source == CallSource::kMpi, call.global_tid,
                                      sequence.of.global_pid, call.start, call.end));
    if (answer.event) found.push_back({*answer.event, {sequence.report, answer.step}});
  }
  if (found.size() < 2) return;
  const auto last =
      std::ranges::max_element(found, {}, [&](const Found& each) { return time_of(each.arrival); });
  for (const auto& [event, arrival] : found)
    if (arrival.report != last->arrival.report || event != last->event)
      keep_last(arrival.report, event, last->arrival);
}

// The side of a message that is ready first waits for the other one.
template <class Take>
void JobWalk::visit(const MatchedDirection& messages, Take take) {
  const JobMessages& sender = collectives_.messages[messages.sender];
  const JobMessages& receiver = collectives_.messages[messages.receiver];
  const auto add_wait = [&](const JobMessages& of, const Message& waiting,
                            const JobMessages& other_of, const Message& other) {
    const auto is_mpi = [](const JobMessages& side) { return side.of.source == CallSource::kMpi; };
    const Answer waits = take(of.report, part_of(is_mpi(of), waiting.wait_tid, of.of.global_pid,
                                                 waiting.wait_start, waiting.end));
    const Answer arrives =
        take(other_of.report,
             part_of(is_mpi(of), other.start_tid, other_of.of.global_pid, other.start, other.end));
    if (waits.event) keep_last(of.report, *waits.event, {other_of.report, arrives.step});
  };
  for (const MatchedMessage& each : messages.pairs) {
    const auto waits = waits_of(collectives_, messages, each);
    if (!waits) return;
    const Message& sent = sender.of.messages[each.sent];
    const Message& received = receiver.of.messages[each.received];
    if (waits->receiver > 0) add_wait(receiver, received, sender, sent);
    if (waits->sender > 0) add_wait(sender, sent, receiver, received);
  }
}

std::int64_t JobWalk::time_of(const Arrival& arrival) const {
  return common(arrival.report, reports_[arrival.report].steps[arrival.step].place.time);
}

void JobWalk::keep_last(std::size_t report, const JobEvent& event, const Arrival& arrival) {
  if (arrival.step == path::kNowhere) return;
  const auto [at, is_new] = arrivals_[report].emplace(event, arrival);
  if (!is_new && time_of(arrival) > time_of(at->second)) at->second = arrival;
}

const JobWalk::Arrival* JobWalk::last_arrival(std::size_t report,
                                              const std::optional<JobEvent>& event) const {
  if (!event) return nullptr;
  const auto found = arrivals_[report].find(*event);
  return found == arrivals_[report].end() ? nullptr : &found->second;
}

void JobWalk::run() {
  std::vector<std::size_t> next(parts_.size());
  visit_operations([&](std::size_t report, const RecordedPart&) {
    const PathSteps::Part& part = reports_[report].parts[next[report]++];
    return Answer{part.event, part.step};
  });
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    const PathSteps& each = reports_[i];
    if (each.begin >= each.end) continue;
    begin_ = last ? std::min(begin_, common(i, each.begin)) : common(i, each.begin);
    if (!last || common(i, each.end) > common(*last, reports_[*last].end)) last = i;
  }
  if (!last) return;
  // An NVTX range begins at another time on each rank. Of these the path has the one that ends
  // last.
  if (reports_[*last].is_cut) begin_ = common(*last, reports_[*last].begin);
  elapsed_ = common(*last, reports_[*last].end) - begin_;
  walk(*last);
}

std::int64_t JobWalk::limit(std::size_t report, std::int64_t begin, const Place& place) const {
  return std::min(begin, place.time) - (common(report, begin) - begin_);
}

void JobWalk::walk(std::size_t report) {
  std::uint32_t at = reports_[report].last;
  std::int64_t time = common(report, reports_[report].steps[at].place.time);
  visits_[report].push_back({reports_[report].steps[at].place, time, false});
  int stalled = 0;
  while (time > begin_ && stalled < kMostStepsAtOneTime) {
    const std::int64_t before = time;
    const Arrival* last = last_arrival(report, reports_[report].steps[at].event);
    if (last != nullptr && time_of(*last) < time) {
      time = time_of(*last);
      report = last->report;
      at = last->step;
      if (time > begin_) visits_[report].push_back({reports_[report].steps[at].place, time, true});
    }
    if (time > begin_) {
      const PathSteps& of = reports_[report];
      const PathStep& step = of.steps[at];
      if (step.next == path::kNowhere) return;
      const Place& next = of.steps[step.next].place;
      if (next.time <= limit(report, of.begin, step.place)) return;
      time = std::clamp(common(report, next.time), begin_, time);
      at = step.next;
    }
    stalled = time < before ? 0 : stalled + 1;
  }
}

// Follows the path through a report from a visit on.
class JobWalk::Through {
 public:
  Through(const JobWalk& walk, std::size_t report, const path::ExecutionModel& model,
          ReportPath& path)
      : walk_(walk), report_(report), model_(model), path_(path) {}

  void follow(const Visit& visit) {
    Place place = visit.place;
    std::int64_t time = visit.time;
    int stalled = 0;
    bool is_arrival = visit.comes_from_other;
    while (time > walk_.begin_ && stalled < kMostStepsAtOneTime) {
      const std::int64_t before = time;
      const Arrival* last =
          is_arrival ? nullptr : walk_.last_arrival(report_, event_at(model_, place));
      if (last != nullptr && walk_.time_of(*last) < time) {
        add_wait(place, std::max(walk_.time_of(*last), walk_.begin_), time);
        return;
      }
      is_arrival = false;
      time = step(place, time);
      stalled = time < before ? 0 : stalled + 1;
    }
  }

 private:
  // Does one step, and returns the common time to which it leads.
  std::int64_t step(Place& place, std::int64_t time) {
    const std::int64_t start = walk_.limit(report_, model_.begin(), place);
    segments_.clear();
    place = path::BackwardWalk(model_, segments_).step(place, start);
    for (const Segment& each : segments_) {
      const bool is_first = each.start <= start;
      const std::int64_t from =
          is_first ? walk_.begin_
                   : std::clamp(walk_.common(report_, each.start), walk_.begin_, time);
      keep(each, from, time);
      time = from;
    }
    return place.time <= start ? walk_.begin_ : time;
  }

  void add_wait(const Place& place, std::int64_t start, std::int64_t end) {
    Segment wait{place.time - (end - start), place.time, path::SegmentKind::kCommunication,
                 place.index, path::kNowhere};
    if (!place.is_on_gpu) {
      wait.item = model_.calls().last_before(place.index, place.time);
      wait.kind = path::kind_of(model_.calls().role(wait.item));
      wait.thread = place.index;
    }
    keep(wait, start, end);
  }

  void keep(const Segment& segment, std::int64_t start, std::int64_t end) {
    path_.segments.push_back(segment);
    path_.starts.push_back(start);
    path_.durations.push_back(end - start);
  }

  const JobWalk& walk_;
  const std::size_t report_;
  const path::ExecutionModel& model_;
  ReportPath& path_;
  std::vector<Segment> segments_;
};

ReportPath JobWalk::path_through(std::size_t report, const ReportExecution& execution) const {
  ReportPath path;
  Through through(*this, report, execution.model, path);
  for (const Visit& each : visits_[report]) through.follow(each);
  return path;
}

}  // namespace prof::ranks
