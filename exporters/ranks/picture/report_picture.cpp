// Makes the picture of a rank of the events of its report.
#include <algorithm>
#include <utility>

#include "exporters/analysis/insight/breakdown.hpp"
#include "exporters/analysis/insight/report_activity.hpp"
#include "exporters/ranks/collectives/collective_calls.hpp"
#include "exporters/ranks/picture/rank_picture.hpp"

namespace prof::ranks {

using insight::IdleCause;
using insight::Interval;
using insight::Intervals;

namespace {

RankState state_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostWait:
      return RankState::kCpu;
    case IdleCause::kLaunchQueue:
    case IdleCause::kGraph:
    case IdleCause::kSync:
      return RankState::kLaunch;
    case IdleCause::kDataLoading:
      return RankState::kDataLoading;
    case IdleCause::kOther:
      break;
  }
  return RankState::kIdle;
}

std::vector<StateTimes> gpu_states(const insight::ReportActivity& activity) {
  std::vector<StateTimes> devices(activity.work.devices().size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    insight::Activity of = insight::activity(activity.work, i);
    const auto at = [&](RankState state) -> Intervals& {
      return devices[i][static_cast<std::size_t>(state)];
    };
    at(RankState::kCopies) =
        insight::difference(insight::difference(of.copies, of.compute), of.communication);
    at(RankState::kCommunication) = insight::difference(of.communication, of.compute);
    at(RankState::kCompute) = std::move(of.compute);
  }
  // They are in the order of time, and those of one device do not overlap.
  for (const insight::IdleTime& each : activity.idle)
    if (each.time.start < each.time.end)
      devices[each.device][static_cast<std::size_t>(state_of(each.cause))].push_back(each.time);
  return devices;
}

// The times of a rank without GPU work: in collective calls of MPI, and between them.
base::Result<std::vector<StateTimes>> cpu_states(const report::ReportReader& reader,
                                                 const ReportRank& rank) {
  const auto calls = read_collective_calls(reader, {rank}, CallDetails::kKernels);
  if (!calls) return tl::make_unexpected(calls.error());
  std::vector<Interval> communication;
  for (const CallSequence& sequence : calls->sequences)
    for (const RankCall& call : sequence.calls)
      if (call.start < call.end) communication.push_back({call.start, call.end});
  std::vector<StateTimes> result;
  if (communication.empty()) return result;
  StateTimes& states = result.emplace_back();
  Intervals merged = insight::merged(std::move(communication));
  states[static_cast<std::size_t>(RankState::kCpu)] =
      insight::difference({{merged.front().start, merged.back().end}}, merged);
  states[static_cast<std::size_t>(RankState::kCommunication)] = std::move(merged);
  return result;
}

}  // namespace

base::Result<RankPicture> read_picture(const report::ReportReader& reader, const ReportRank& rank) {
  const auto activity = insight::ReportActivity::read(reader);
  if (!activity) return tl::make_unexpected(activity.error());
  if (!activity->work.devices().empty()) return picture_of(gpu_states(*activity));
  const auto states = cpu_states(reader, rank);
  if (!states) return tl::make_unexpected(states.error());
  return picture_of(*states);
}

}  // namespace prof::ranks
