#include "exporters/ranks/replay/job_replay.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/ranks/messages/message_waits.hpp"

namespace prof::ranks {

using replay::Costs;
using replay::Replay;

// The meetings of a job during a replay, as a report sees them.
class ReportMeetings final : public replay::Meetings {
 public:
  struct State {
    std::size_t missing = 0;
    std::int64_t ready = std::numeric_limits<std::int64_t>::min();  // ns, common
  };

  ReportMeetings(const std::vector<JobReplay::Member>& members, std::vector<State>& states)
      : members_(members), states_(states) {}

  void arrive(std::uint32_t member, std::int64_t time) override {
    for (const std::size_t meeting : members_[member].comes_to) {
      State& state = states_[meeting];
      state.ready = std::max(state.ready, time + members_[member].offset);
      if (state.missing > 0) --state.missing;
    }
  }

  std::optional<std::int64_t> ready_for(std::uint32_t member) override {
    const JobReplay::Member& of = members_[member];
    std::int64_t ready = kNobody;
    for (const std::size_t meeting : of.waits_for) {
      if (states_[meeting].missing > 0) return std::nullopt;
      ready = std::max(ready, states_[meeting].ready - of.offset);
    }
    return ready;
  }

 private:
  const std::vector<JobReplay::Member>& members_;
  std::vector<State>& states_;
};

JobReplay::JobReplay(const JobExecution& job)
    : job_(job), members_(job.reports.size()), member_numbers_(job.reports.size()) {
  for (const ReportExecution& each : job.reports)
    models_.push_back(std::make_unique<replay::ReplayModel>(each.model));
  JobEvents events(job.reports);
  for (const MatchedCommunicator& communicator : job.collectives.communicators)
    for (const MatchedCollective& each : communicator.collectives) add(events, each);
  for (const MatchedDirection& each : job.collectives.directions) add(events, each);
  finish();
}

JobReplay::Member& JobReplay::member(std::size_t report, const JobEvent& event, std::int64_t time) {
  auto& members = members_[report];
  const auto [at, is_new] =
      member_numbers_[report].try_emplace(event, static_cast<std::uint32_t>(members.size()));
  if (is_new) {
    const path::ExecutionModel& model = job_.reports[report].model;
    const std::int64_t duration = event.is_on_gpu
                                      ? model.end_of(event.index) - model.start_of(event.index)
                                      : model.calls().duration(event.index);
    members.push_back({event, job_.common(report, time) - time, duration, {}, {}});
  }
  return members[at->second];
}

// Of several meetings the one that was ready last decided.
void JobReplay::wait(Member& member, std::size_t meeting, std::int64_t transfer) {
  member.transfer = std::min(member.transfer, transfer);
  member.waits_for.push_back(meeting);
}

void JobReplay::add(JobEvents& events, const MatchedCollective& collective) {
  struct Found {
    std::size_t report;
    std::size_t rank;
    JobEvent event;
    std::int64_t start;
    std::int64_t end;
  };
  std::vector<Found> found;
  bool ends_together = true;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const MatchedCall& each : collective.calls) {
    const RankCall& call = job_.collectives.call(each);
    const JobSequence& sequence = job_.collectives.sequences[each.sequence];
    ends_together &= call.ends_together;
    const bool is_mpi = sequence.of.source == CallSource::kMpi;
    const auto at =
        is_mpi ? events.call_at(sequence.report, call.global_tid, call.start)
               : events.kernel_at(sequence.report, sequence.of.global_pid, call.start, call.end);
    if (!at) continue;
    found.push_back({sequence.report, sequence.rank, *at, call.start, call.end});
    last = std::max(last, job_.common(sequence.report, call.start));
  }
  // Others may end on a rank before the last one came, as a broadcast does.
  const bool has_early_end = std::ranges::any_of(
      found, [&](const Found& each) { return job_.common(each.report, each.end) < last; });
  if (found.size() < 2 || (!ends_together && has_early_end)) return;
  const std::size_t meeting = comers_.size();
  comers_.push_back(found.size());
  for (const Found& each : found) {
    Member& of = member(each.report, each.event, each.start);
    of.comes_to.push_back(meeting);
    wait(of, meeting, job_.common(each.report, each.end) - last);
    const path::ExecutionModel& model = job_.reports[each.report].model;
    const std::uint32_t launch =
        each.event.is_on_gpu ? model.launch_of(each.event.index) : path::kNowhere;
    arrivals_.push_back({each.rank, collectives_,
                         launch == path::kNowhere ? each.start : model.calls().start(launch)});
  }
  ++collectives_;
}

// A receipt waits for its sender. The sender waits for a receiver only if it did so.
void JobReplay::add(JobEvents& events, const MatchedDirection& messages) {
  const JobMessages& sender = job_.collectives.messages[messages.sender];
  const JobMessages& receiver = job_.collectives.messages[messages.receiver];
  const auto event = [&](const JobMessages& of, const Message& side, std::int64_t tid,
                         std::int64_t time) {
    return of.of.source == CallSource::kMpi
               ? events.call_at(of.report, tid, time)
               : events.kernel_at(of.report, of.of.global_pid, time, side.end);
  };
  for (const MatchedMessage& each : messages.pairs) {
    const auto waits = waits_of(job_.collectives, messages, each);
    if (!waits) return;
    const Message& sent = sender.of.messages[each.sent];
    const Message& received = receiver.of.messages[each.received];
    const auto sends = event(sender, sent, sent.start_tid, sent.start);
    const auto receives = event(receiver, received, received.start_tid, received.start);
    const auto done = event(receiver, received, received.wait_tid, received.wait_start);
    const auto returns = event(sender, sent, sent.wait_tid, sent.wait_start);
    if (!sends || !receives || !done) continue;
    const std::size_t meeting = comers_.size();
    comers_.push_back(2);
    member(sender.report, *sends, sent.start).comes_to.push_back(meeting);
    member(receiver.report, *receives, received.start).comes_to.push_back(meeting);
    const std::int64_t ready = std::max(
        {job_.common(sender.report, sent.start), job_.common(receiver.report, received.start)});
    const auto transfer = [&](const JobMessages& of, const Message& side) {
      return job_.common(of.report, side.end) -
             std::max(ready, job_.common(of.report, side.wait_start));
    };
    wait(member(receiver.report, *done, received.wait_start), meeting,
         transfer(receiver, received));
    if (waits->sender > 0 && returns)
      wait(member(sender.report, *returns, sent.wait_start), meeting, transfer(sender, sent));
  }
}

void JobReplay::finish() {
  for (std::size_t report = 0; report < members_.size(); ++report) {
    for (std::uint32_t i = 0; i < members_[report].size(); ++i) {
      const Member& each = members_[report][i];
      if (!each.waits_for.empty()) parts_.push_back({report, each.event});
      if (each.event.is_on_gpu)
        models_[report]->add_operation(each.event.index, i, each.transfer);
      else
        models_[report]->add_call(each.event.index, i, each.transfer);
    }
    models_[report]->order_points();
  }
  // Where a window cuts all ranks, those that wait there for others do not decide on its end.
  std::vector<bool> has_events;
  std::vector<bool> goes_on;
  for (const auto& each : models_) {
    has_events.push_back(each->elapsed() > 0);
    goes_on.push_back(has_events.back() && !each->waits_at_end());
  }
  const bool any_goes_on = std::ranges::find(goes_on, true) != goes_on.end();
  decides_on_end_ = std::move(any_goes_on ? goes_on : has_events);
}

std::vector<Costs> JobReplay::measured_costs() const {
  std::vector<Costs> costs;
  costs.reserve(models_.size());
  for (const auto& each : models_) costs.push_back(each->measured());
  return costs;
}

// An NVTX range begins at another time on each rank. Then the rank that ends last counts, as in the
// path of a job.
std::int64_t JobReplay::begin_of_job() const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  std::int64_t begin_of_last = 0;
  bool is_cut = false;
  for (std::size_t i = 0; i < job_.reports.size(); ++i) {
    const path::ExecutionModel& model = job_.reports[i].model;
    if (model.begin() >= model.end()) continue;
    begin = std::min(begin, job_.common(i, model.begin()));
    if (job_.common(i, model.end()) <= end) continue;
    end = job_.common(i, model.end());
    begin_of_last = job_.common(i, model.begin());
    is_cut = job_.reports[i].filter.start > -events::kMaxTime;
  }
  return is_cut ? begin_of_last : begin;
}

JobTimes JobReplay::measured() const {
  JobTimes result;
  const std::int64_t begin = begin_of_job();
  for (std::size_t i = 0; i < job_.reports.size(); ++i) {
    const path::ExecutionModel& model = job_.reports[i].model;
    result.reports.push_back(model.end() - model.begin());
    if (model.begin() < model.end())
      result.job = std::max(result.job, job_.common(i, model.end()) - begin);
  }
  return result;
}

JobTimes JobReplay::replay(const std::vector<Costs>& costs) const {
  std::vector<ReportMeetings::State> states(comers_.size());
  for (std::size_t i = 0; i < comers_.size(); ++i) states[i].missing = comers_[i];
  std::vector<ReportMeetings> meetings;
  std::vector<Replay> replays;
  meetings.reserve(models_.size());
  for (const auto& members : members_) meetings.emplace_back(members, states);
  for (std::size_t i = 0; i < models_.size(); ++i)
    replays.emplace_back(*models_[i], costs[i], &meetings[i]);
  for (std::size_t waiting = replays.size(); waiting > 0;) {
    waiting = 0;
    bool has_moved = false;
    Replay* first = nullptr;
    for (Replay& each : replays) {
      const std::size_t before = each.passed();
      if (!each.advance()) {
        ++waiting;
        if (first == nullptr || (each.waits_for_duration() && !first->waits_for_duration()))
          first = &each;
      }
      has_moved |= each.passed() > before;
    }
    // In damaged reports operations may wait for each other.
    if (waiting > 0 && !has_moved) first->skip();
  }
  JobTimes result;
  const std::int64_t begin = begin_of_job();
  for (std::size_t i = 0; i < replays.size(); ++i) {
    const path::ExecutionModel& model = job_.reports[i].model;
    result.reports.push_back(replays[i].elapsed());
    if (decides_on_end_[i])
      result.job = std::max(result.job,
                            replays[i].end() + job_.common(i, model.end()) - model.end() - begin);
  }
  return result;
}

}  // namespace prof::ranks
