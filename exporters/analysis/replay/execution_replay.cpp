#include "exporters/analysis/replay/execution_replay.hpp"

#include <algorithm>
#include <limits>

namespace prof::replay {

namespace {

constexpr std::int64_t kUnknown = INT64_MIN / 2;

}  // namespace

Replay::Replay(const ReplayModel& model, const Costs& costs, Meetings* meetings)
    : model_(model),
      costs_(costs),
      meetings_(meetings),
      call_ends_(costs.calls.size(), kUnknown),
      starts_(costs.operations.size(), kUnknown),
      ends_(costs.operations.size(), kUnknown),
      communication_(model.execution().work().devices().size()) {}

bool Replay::advance() {
  for (; next_ < model_.points_.size(); ++next_)
    if (!pass(model_.points_[next_])) return false;
  return true;
}

void Replay::skip() {
  skips_ = true;
  if (next_ < model_.points_.size()) pass(model_.points_[next_++]);
  skips_ = false;
}

bool Replay::waits_for_duration() const {
  return next_ < model_.points_.size() &&
         model_.points_[next_].kind == ReplayModel::PointKind::kOperationStart;
}

bool Replay::pass(const ReplayModel::Point& point) {
  switch (point.kind) {
    case ReplayModel::PointKind::kCallEnd:
      return end_call(point.index);
    case ReplayModel::PointKind::kOperationEnd:
      return end_operation(point.index);
    case ReplayModel::PointKind::kOperationStart:
      return starts_[point.index] != kUnknown || start_operation(point.index);
    case ReplayModel::PointKind::kCallStart:
      if (meetings_ != nullptr)
        meetings_->arrive(model_.call_members_.at(point.index), start_of_call(point.index));
      return true;
  }
  return true;
}

std::int64_t Replay::time_of(const ReplayModel::ThreadPoint& point) const {
  if (point.call == kNowhere) return model_.execution().begin() + point.offset;
  const Costs& measured = model_.measured();
  const std::uint32_t next = point.call + 1;
  if (point.is_inside)
    return start_of_call(point.call) +
           scaled(point.offset, costs_.calls[point.call], measured.calls[point.call]);
  const bool has_next = next < costs_.gaps.size() && !model_.firsts_.contains(next);
  return call_ends_[point.call] +
         (has_next ? scaled(point.offset, costs_.gaps[next], measured.gaps[next]) : point.offset);
}

std::int64_t Replay::start_of_call(std::uint32_t call) const {
  if (model_.is_first_[call]) return time_of(model_.firsts_.at(call)) + costs_.gaps[call];
  return call_ends_[call - 1] + costs_.gaps[call];
}

std::int64_t Replay::end_of_operation(std::uint32_t operation) const {
  return ends_[operation] != kUnknown ? ends_[operation]
                                      : starts_[operation] + costs_.operations[operation];
}

bool Replay::start_operation(std::uint32_t operation) {
  const path::ExecutionModel& model = model_.execution();
  std::int64_t start = kUnknown;
  const auto wait_for = [&](std::uint32_t other) {
    if (other == kNowhere || starts_[other] == kUnknown) return;
    start = std::max(start, end_of_operation(other) + costs_.delays[operation]);
  };
  wait_for(model.previous_of(operation));
  for (const path::ExecutionModel::Await& each : model.awaits_of(operation)) wait_for(each.awaited);
  if (const std::uint32_t launch = model.launch_of(operation); launch != kNowhere) {
    const bool is_after = model_.is_after_launch(operation);
    if (!is_after || call_ends_[launch] != kUnknown) {
      const std::int64_t launched = is_after ? call_ends_[launch] : start_of_call(launch);
      start = std::max(start, launched + costs_.latencies[operation]);
    }
  }
  // Nothing before it was recorded.
  if (start == kUnknown) start = model.start_of(operation);
  const auto member = model_.operation_members_.find(operation);
  const bool meets = meetings_ != nullptr && member != model_.operation_members_.end();
  if (!meets) {
    const auto takes = duration(operation, start);
    if (!takes) return false;
    ends_[operation] = end_after(start, *takes, model_.measured().operations[operation]);
  }
  starts_[operation] = start;
  if (meets) meetings_->arrive(member->second, start);
  if (model_.slowdowns().empty()) return true;
  if (const insight::Operation each = model.work().at(operation); each.communication)
    communication_[each.device].push_back(operation);
  return true;
}

// What was done before the execution begins is past: only the rest of a piece takes another time.
std::int64_t Replay::end_after(std::int64_t start, std::int64_t takes,
                               std::int64_t measured) const {
  const std::int64_t begin = model_.execution().begin();
  if (start >= begin || measured <= begin - start) return start + takes;
  return begin + scaled(measured - (begin - start), takes, measured);
}

// Kernels take longer beside communication. Nothing: it is not known yet when that ends.
std::optional<std::int64_t> Replay::duration(std::uint32_t operation, std::int64_t start) {
  const std::int64_t cost = costs_.operations[operation];
  if (!model_.slowdowns().slows(operation)) return cost;
  std::vector<std::uint32_t>& running =
      communication_[model_.execution().work().at(operation).device];
  std::int64_t rest = 0;
  for (const std::uint32_t each : running) {
    const bool has_end = ends_[each] != kUnknown || (!skips_ && end_operation(each));
    if (!has_end && !skips_) return std::nullopt;
    // What ends because of what comes after the kernel runs all the time.
    rest = std::max(rest, has_end ? ends_[each] - start : std::numeric_limits<std::int64_t>::max());
  }
  std::erase_if(
      running, [&](std::uint32_t each) { return ends_[each] != kUnknown && ends_[each] <= start; });
  return model_.slowdowns().duration(operation, cost, rest);
}

std::optional<std::int64_t> Replay::ready_for(std::uint32_t member) {
  return meetings_ == nullptr || skips_ ? std::optional(Meetings::kNobody)
                                        : meetings_->ready_for(member);
}

bool Replay::end_operation(std::uint32_t operation) {
  if (starts_[operation] == kUnknown) start_operation(operation);
  const auto ready = ready_for(model_.operation_members_.at(operation));
  if (!ready) return false;
  ends_[operation] = std::max(starts_[operation], *ready) + costs_.operations[operation];
  return true;
}

// Returns when the last of the operations ends that a call waits for.
std::int64_t Replay::last_end(std::uint32_t call, std::uint32_t awaited) const {
  std::int64_t over = starts_[awaited] == kUnknown ? kUnknown : end_of_operation(awaited);
  if (!model_.has_sooner_ends_[call]) return over;
  for (const auto& each : std::ranges::equal_range(model_.execution().sooner_ends(), call, {},
                                                   &path::ExecutionModel::SoonerEnd::call))
    if (starts_[each.operation] != kUnknown)
      over = std::max(over, end_of_operation(each.operation));
  return over;
}

bool Replay::end_call(std::uint32_t call) {
  const std::int64_t start = start_of_call(call);
  std::int64_t end = end_after(start, costs_.calls[call], model_.measured().calls[call]);
  if (!model_.call_members_.empty())
    if (const auto member = model_.call_members_.find(call); member != model_.call_members_.end()) {
      const auto ready = ready_for(member->second);
      if (!ready) return false;
      end = std::max(start, *ready) + costs_.calls[call];
    }
  const std::uint32_t awaited = model_.awaited_[call];
  const bool is_free = !costs_.free_waits.empty() && costs_.free_waits[call];
  std::int64_t over = kUnknown;
  switch (is_free ? ReplayModel::Wait::kNothing : model_.waits_[call]) {
    case ReplayModel::Wait::kEnd:
      over = last_end(call, awaited);
      break;
    case ReplayModel::Wait::kStart:
      over = starts_[awaited];
      break;
    case ReplayModel::Wait::kThread:
      over = time_of(model_.wakers_[awaited]);
      break;
    case ReplayModel::Wait::kNothing:
      break;
  }
  if (over != kUnknown) end = std::max(end, over + costs_.returns[call]);
  call_ends_[call] = std::max(start, end);
  return true;
}

std::int64_t Replay::end() const {
  const path::ExecutionModel& model = model_.execution();
  const path::Place last = model.last_place();
  std::int64_t result = model.begin();
  if (last.index == kNowhere) return result;
  if (model_.ends_on_gpu_) {
    for (std::uint32_t each = 0; each < ends_.size(); ++each)
      result = std::max(result, model_.place_of(each, starts_[each], end_of_operation(each)));
    return result + model_.after_last_;
  }
  if (!model_.ends_with_last_ && last.is_on_gpu)
    return model_.place_of(last.index, starts_[last.index], end_of_operation(last.index)) -
           std::min(model.end_of(last.index), model.end()) + last.time;
  if (!model_.ends_with_last_) {
    for (const ReplayModel::ThreadPoint& each : model_.last_points_)
      result = std::max(result, time_of(each));
    return result + model_.after_last_;
  }
  for (std::uint32_t each = 0; each < ends_.size(); ++each)
    if (!model_.ends_with_launched_ || model.launch_of(each) != kNowhere)
      result = std::max(result, end_of_operation(each));
  for (const std::uint32_t thread : model.working_threads())
    result = std::max(result, call_ends_[model.calls().threads()[thread].end - 1]);
  return result;
}

std::int64_t replayed_time(const ReplayModel& model, const Costs& costs) {
  Replay replay(model, costs);
  replay.advance();
  return replay.elapsed();
}

}  // namespace prof::replay
