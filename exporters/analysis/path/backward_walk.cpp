#include "exporters/analysis/path/backward_walk.hpp"

#include <algorithm>
#include <optional>

namespace prof::path {

namespace {

SegmentKind kind_of(const insight::Operation& operation) {
  switch (operation.kind) {
    case insight::WorkKind::kKernel:
      return operation.communication ? SegmentKind::kCommunication : SegmentKind::kKernel;
    case insight::WorkKind::kGraph:
      return SegmentKind::kGraph;
    default:
      return SegmentKind::kCopy;
  }
}

}  // namespace

SegmentKind kind_of(CallRole role) {
  switch (role) {
    case CallRole::kLaunch:
    case CallRole::kGpuWait:
    case CallRole::kCuda:
      return SegmentKind::kCudaCall;
    case CallRole::kMpi:
      return SegmentKind::kMpiCall;
    case CallRole::kTorch:
      return SegmentKind::kTorchCall;
    default:
      return SegmentKind::kOsCall;
  }
}

const char* name_of(SegmentKind kind) {
  static constexpr const char* kNames[kSegmentKinds] = {
      "kernel",    "communication", "copy",     "graph",        "GPU queue", "launch latency",
      "CUDA call", "OS call",       "MPI call", "PyTorch call", "wake-up",   "CPU"};
  return kNames[static_cast<std::size_t>(kind)];
}

void BackwardWalk::add(SegmentKind kind, std::int64_t start, std::int64_t end, std::uint32_t item,
                       std::uint32_t thread) {
  start = std::max(start, begin_);
  if (start < end) path_.push_back({start, end, kind, item, thread});
}

void BackwardWalk::run(Place place, std::int64_t start) {
  // In a damaged report operations without a duration may wait for each other.
  constexpr int kMaxStepsAtOneTime = 100'000;
  int steps = 0;
  while (place.time > start) {
    const Place next = step(place, start);
    steps = next.time < place.time ? 0 : steps + 1;
    place = next;
    if (steps < kMaxStepsAtOneTime) continue;
    add(SegmentKind::kGpuQueue, start, place.time, place.is_on_gpu ? place.index : kNowhere);
    return;
  }
}

Place BackwardWalk::step(const Place& place, std::int64_t start) {
  begin_ = start;
  return place.is_on_gpu ? step_on_gpu(place) : step_on_thread(place, start);
}

Place BackwardWalk::step_on_gpu(const Place& place) {
  const std::uint32_t operation = place.index;
  const std::int64_t start = std::min(model_.start_of(operation), place.time);
  add(kind_of(model_.work().at(operation)), start, place.time, operation);
  return before_operation(operation, start);
}

// Returns what the start of an operation waited for: of its launch and the operations before it,
// what was ready last.
Place BackwardWalk::before_operation(std::uint32_t operation, std::int64_t time) {
  Place last;
  const auto choose = [&](std::uint32_t other) {
    if (other == kNowhere || model_.start_of(other) > time) return;
    const Place ready{true, other, std::min(model_.end_of(other), time)};
    if (last.index == kNowhere || ready.time > last.time) last = ready;
  };
  choose(model_.previous_of(operation));
  for (const ExecutionModel::Await& each : model_.awaits_of(operation)) choose(each.awaited);
  const std::uint32_t launch = model_.launch_of(operation);
  if (launch != kNowhere && model_.calls().start(launch) < time) {
    const std::int64_t launched = std::min(model_.calls().end(launch), time);
    if (last.index == kNowhere || launched > last.time) {
      add(SegmentKind::kLaunchLatency, launched, time, operation);
      return {false, model_.calls().thread_of(launch), launched};
    }
  }
  if (last.index != kNowhere) {
    add(SegmentKind::kGpuQueue, last.time, time, operation);
    return last;
  }
  // Nothing before it was recorded.
  add(SegmentKind::kGpuQueue, begin_, time, operation);
  return {true, operation, begin_};
}

Place BackwardWalk::step_on_thread(const Place& place, std::int64_t start) {
  const HostCalls& calls = model_.calls();
  const std::uint32_t call = calls.last_before(place.index, place.time);
  if (call == kNowhere) {
    const auto maker = model_.maker_of(place.index);
    const std::int64_t from = maker && maker->time < place.time ? maker->time : start;
    add(SegmentKind::kCpu, from, place.time, kNowhere, place.index);
    return from == start ? Place{false, place.index, start} : *maker;
  }
  if (calls.end(call) < place.time) {
    add(SegmentKind::kCpu, calls.end(call), place.time, call, place.index);
    return {false, place.index, calls.end(call)};
  }
  return step_in_call(place, call);
}

Place BackwardWalk::step_in_call(const Place& place, std::uint32_t call) {
  const HostCalls& calls = model_.calls();
  const ExecutionModel::CallWait wait = model_.wait_of(call);
  Place before{false, place.index, calls.start(call)};
  SegmentKind kind = kind_of(calls.role(call));
  if (wait.kind != ExecutionModel::CallWait::Kind::kNothing) {
    const std::int64_t moment = wait.kind == ExecutionModel::CallWait::Kind::kEnd
                                    ? model_.end_of(wait.operation)
                                    : model_.start_of(wait.operation);
    const std::int64_t over = std::min(moment, place.time);
    // A synchronous copy: the path comes from its operation, and goes on in its launch.
    const bool is_launch = wait.kind == ExecutionModel::CallWait::Kind::kEnd &&
                           place.time <= model_.start_of(wait.operation);
    if (over > calls.start(call) && !is_launch) {
      kind = SegmentKind::kWakeup;
      before = {true, wait.operation, over};
    }
  } else if (const auto waker = model_.waker_of(call, place.time);
             waker && waker->time > calls.start(call)) {
    kind = SegmentKind::kWakeup;
    before = *waker;
  }
  add(kind, before.time, place.time, call, place.index);
  return before;
}

std::vector<Segment> critical_path(const ExecutionModel& model) {
  std::vector<Segment> path;
  BackwardWalk(model, path).run(model.last_place(), model.begin());
  return path;
}

}  // namespace prof::path
