#include "exporters/analysis/replay/replay_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/median.hpp"
#include "common/base/sorted_runs.hpp"

namespace prof::replay {

namespace {

// Launches that a stream takes before the next one has to wait.
constexpr std::size_t kQueueLength = 1023;

// Threads that are awakened sooner were not kept waiting.
constexpr std::int64_t kShortWait = 2'000;  // ns

// In a report with more pairs of threads and calls it is not looked for what awakened the threads
// that launch no work.
constexpr std::size_t kMostPairs = 200'000'000;

}  // namespace

std::int64_t scaled(std::int64_t part, std::int64_t now, std::int64_t measured) {
  if (now == measured || measured <= 0) return part;
  return std::llround(static_cast<double>(part) * static_cast<double>(now) /
                      static_cast<double>(measured));
}

ReplayModel::ReplayModel(const path::ExecutionModel& model) : model_(&model), slowdowns_(model) {
  add_calls();
  add_queue_waits();
  add_origins();
  add_operations();
  find_end();
  add_points();
}

void ReplayModel::add_calls() {
  const path::HostCalls& calls = model_->calls();
  waits_.resize(calls.size(), Wait::kNothing);
  awaited_.resize(calls.size(), kNowhere);
  has_sooner_ends_.resize(calls.size());
  for (const auto& each : model_->sooner_ends()) has_sooner_ends_[each.call] = true;
  measured_.gaps.resize(calls.size());
  measured_.calls.resize(calls.size());
  measured_.returns.resize(calls.size());
  const auto threads = calls.threads();
  std::vector<bool> has_wakers(threads.size(), threads.size() * calls.size() < kMostPairs);
  for (const std::uint32_t each : model_->working_threads()) has_wakers[each] = true;
  for (std::size_t i = 0; i < threads.size(); ++i)
    for (std::uint32_t call = threads[i].first; call < threads[i].end; ++call) {
      if (call > threads[i].first) measured_.gaps[call] = calls.start(call) - calls.end(call - 1);
      measured_.calls[call] = calls.duration(call);
      add_call_wait(call, has_wakers[i]);
    }
  // A synchronization that found its operation done may have to wait for it in a replay.
  std::vector<std::int64_t> returns;
  const auto has_waited = [&](std::uint32_t call) {
    return measured_.calls[call] < calls.duration(call);
  };
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    if (waits_[call] == Wait::kEnd && has_waited(call)) returns.push_back(measured_.returns[call]);
  const std::int64_t usual = base::upper_median(returns);
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    if (waits_[call] == Wait::kEnd && !has_waited(call))
      measured_.returns[call] = std::min(measured_.returns[call], std::max<std::int64_t>(usual, 0));
}

void ReplayModel::add_call_wait(std::uint32_t call, bool has_waker) {
  const path::HostCalls& calls = model_->calls();
  const std::int64_t start = calls.start(call);
  const std::int64_t end = calls.end(call);
  const path::CallRole role = calls.role(call);
  if (path::waits_for_thread(role)) {
    if (!has_waker || end - start <= kShortWait) return;
    const auto waker = model_->waker_of(call, end);
    if (!waker || waker->time <= start || waker->time > end) return;
    waits_[call] = Wait::kThread;
    awaited_[call] = static_cast<std::uint32_t>(wakers_.size());
    wakers_.push_back(point_of(*waker));
    measured_.returns[call] = end - waker->time;
    measured_.calls[call] = std::min(end - start, measured_.returns[call]);
    return;
  }
  if (role != path::CallRole::kGpuWait && role != path::CallRole::kLaunch) return;
  const path::ExecutionModel::CallWait wait = model_->wait_of(call);
  if (wait.kind == path::ExecutionModel::CallWait::Kind::kNothing) return;
  const bool is_end = wait.kind == path::ExecutionModel::CallWait::Kind::kEnd;
  const std::int64_t moment =
      is_end ? model_->end_of(wait.operation) : model_->start_of(wait.operation);
  waits_[call] = is_end ? Wait::kEnd : Wait::kStart;
  awaited_[call] = wait.operation;
  measured_.returns[call] = end - moment;
  if (moment > start)
    measured_.calls[call] = std::clamp<std::int64_t>(end - moment, 0, end - start);
}

// A launch may find its queue full in a replay, even if it had room.
void ReplayModel::add_queue_waits() {
  const path::HostCalls& calls = model_->calls();
  for (const path::ExecutionModel::Stream& stream : model_->streams())
    for (std::size_t place = kQueueLength; place < stream.operations.size(); ++place) {
      const std::uint32_t launch = model_->launch_of(stream.operations[place]);
      const std::uint32_t head = stream.operations[place - kQueueLength];
      if (launch == kNowhere || waits_[launch] != Wait::kNothing ||
          calls.role(launch) != path::CallRole::kLaunch ||
          model_->start_of(head) > calls.end(launch))
        continue;
      waits_[launch] = Wait::kStart;
      awaited_[launch] = head;
    }
}

ReplayModel::ThreadPoint ReplayModel::point_of(const path::Place& place) const {
  const path::HostCalls& calls = model_->calls();
  const std::uint32_t call = calls.last_before(place.index, place.time);
  if (call == kNowhere) return {kNowhere, false, place.time - model_->begin()};
  const bool is_inside = calls.end(call) > place.time;
  return {call, is_inside, place.time - (is_inside ? calls.start(call) : calls.end(call))};
}

void ReplayModel::add_origins() {
  const path::HostCalls& calls = model_->calls();
  is_first_.resize(calls.size());
  for (std::uint32_t i = 0; i < calls.threads().size(); ++i) {
    const std::uint32_t first = calls.threads()[i].first;
    is_first_[first] = true;
    const auto maker = model_->maker_of(i);
    const std::int64_t made =
        maker && maker->time > model_->begin() ? maker->time : model_->begin();
    firsts_[first] = made == model_->begin() ? ThreadPoint{} : point_of(*maker);
    measured_.gaps[first] = calls.start(first) - made;
  }
}

std::int64_t ReplayModel::queue_ready(std::uint32_t operation) const {
  std::int64_t ready = INT64_MIN;
  const auto add = [&](std::uint32_t other) {
    if (other != kNowhere) ready = std::max(ready, model_->end_of(other));
  };
  add(model_->previous_of(operation));
  for (const path::ExecutionModel::Await& each : model_->awaits_of(operation)) add(each.awaited);
  return ready;
}

bool ReplayModel::is_after_launch(std::uint32_t operation) const {
  return model_->start_of(operation) >= model_->calls().end(model_->launch_of(operation));
}

std::int64_t ReplayModel::launch_ready(std::uint32_t operation) const {
  const std::uint32_t launch = model_->launch_of(operation);
  if (launch == kNowhere) return INT64_MIN;
  return is_after_launch(operation) ? model_->calls().end(launch) : model_->calls().start(launch);
}

// What decided on the start of an operation keeps its distance. What did not keeps the usual one,
// so that it may decide when other times change.
void ReplayModel::add_operations() {
  const auto count = static_cast<std::uint32_t>(model_->operations());
  measured_.operations.resize(count);
  measured_.latencies.resize(count);
  measured_.delays.resize(count);
  std::vector<std::int64_t> latencies;
  std::vector<std::int64_t> delays;
  std::vector<bool> is_launched(count);  // its launch decided
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int64_t start = model_->start_of(i);
    const std::int64_t before = queue_ready(i);
    const std::int64_t launched = launch_ready(i);
    measured_.operations[i] = model_->end_of(i) - start;
    if (before != INT64_MIN) measured_.delays[i] = start - before;
    if (launched != INT64_MIN) measured_.latencies[i] = start - launched;
    is_launched[i] = launched > before;
    if (is_launched[i] && is_after_launch(i))
      latencies.push_back(start - launched);
    else if (before > launched)
      delays.push_back(start - before);
  }
  const std::int64_t latency = base::upper_median(latencies);
  const std::int64_t delay = std::max<std::int64_t>(base::upper_median(delays), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_launched[i])
      measured_.delays[i] = std::min(measured_.delays[i], delay);
    else if (model_->launch_of(i) != kNowhere && is_after_launch(i))
      measured_.latencies[i] = std::min(measured_.latencies[i], latency);
  }
}

void ReplayModel::find_end() {
  const path::HostCalls& calls = model_->calls();
  std::int64_t last = INT64_MIN;
  std::int64_t last_launched = INT64_MIN;
  for (std::uint32_t i = 0; i < model_->operations(); ++i) {
    last = std::max(last, model_->end_of(i));
    if (model_->launch_of(i) != kNowhere)
      last_launched = std::max(last_launched, model_->end_of(i));
  }
  for (const std::uint32_t each : model_->working_threads())
    last_launched = std::max(last_launched, calls.end(calls.threads()[each].end - 1));
  last = std::max(last, last_launched);
  // Nobody knows what the page faults of managed memory and others without a launch wait for.
  ends_with_launched_ = last == last_launched;
  ends_with_last_ = last == model_->end();
  ends_on_gpu_ = !ends_with_last_ && is_gpu_behind();
  if (!ends_with_last_ && !ends_on_gpu_) find_last_threads();
  if (!ends_on_gpu_) return;
  last = INT64_MIN;
  for (std::uint32_t i = 0; i < model_->operations(); ++i)
    last = std::max(last, place_of(i, model_->start_of(i), model_->end_of(i)));
  after_last_ = model_->end() - last;
}

// Threads that wait for others at the end say nothing about when it comes. If all wait, it comes
// after the last of them began to.
void ReplayModel::find_last_threads() {
  const path::HostCalls& calls = model_->calls();
  const path::Place last = model_->last_place();
  if (last.is_on_gpu || last.index == kNowhere) return;
  std::vector<ThreadPoint> waiting;
  std::int64_t last_wait = INT64_MIN;
  if (!model_->ends_with_range())
    for (const std::uint32_t thread : model_->working_threads()) {
      const std::uint32_t call = calls.last_before(thread, last.time);
      if (call == kNowhere) continue;
      if (calls.end(call) <= last.time || !path::waits_for_thread(calls.role(call))) {
        last_points_.push_back(point_of({false, thread, last.time}));
        continue;
      }
      waiting.push_back({call, true, 0});
      last_wait = std::max(last_wait, calls.start(call));
    }
  if (!last_points_.empty()) return;
  if (waiting.empty()) {
    last_points_.push_back(point_of(last));
    return;
  }
  last_points_ = std::move(waiting);
  after_last_ = last.time - last_wait;
}

// A thread may run far ahead of the GPU: how far it came by the end says nothing about when the GPU
// is done. So the GPU decides if it has work at the end, or if launches wait for it there. A range
// ends where its thread ends it.
bool ReplayModel::is_gpu_behind() const {
  const path::Place last = model_->last_place();
  const std::int64_t end = model_->end();
  if (last.is_on_gpu || last.index == kNowhere || model_->operations() == 0 ||
      model_->ends_with_range())
    return false;
  std::uint32_t newest = 0;  // the operation that started last
  for (std::uint32_t i = 0; i < model_->operations(); ++i) {
    if (model_->start_of(i) < end && end < model_->end_of(i)) return true;
    if (model_->start_of(i) >= model_->start_of(newest)) newest = i;
  }
  const path::HostCalls& calls = model_->calls();
  std::uint32_t call = calls.last_before(last.index, end);
  while (call != kNowhere && calls.role(call) != path::CallRole::kLaunch)
    call = call > calls.threads()[last.index].first ? call - 1 : kNowhere;
  const std::uint32_t launch = model_->launch_of(newest);
  return call != kNowhere && launch != kNowhere && calls.thread_of(launch) == last.index &&
         launch < call;
}

// Returns how far an operation came by the end of the execution, if it has this start and end.
std::int64_t ReplayModel::place_of(std::uint32_t operation, std::int64_t start,
                                   std::int64_t end) const {
  const std::int64_t over = model_->end_of(operation) - model_->end();
  if (over <= 0) return end;
  // One that waits for others does so before what it does itself.
  if (operation_members_.contains(operation)) return std::max(start, end - over);
  const std::int64_t begin = std::max(start, model_->begin());
  const std::int64_t measured =
      model_->end_of(operation) - std::max(model_->start_of(operation), model_->begin());
  return begin + scaled(std::max<std::int64_t>(0, measured - over), end - begin, measured);
}

bool ReplayModel::waits_at_end() const {
  if (ends_with_last_) return false;
  const std::int64_t end = model_->end();
  if (ends_on_gpu_) {
    for (std::uint32_t i = 0; i < model_->operations(); ++i)
      if (model_->start_of(i) < end && end < model_->end_of(i) &&
          model_->work().at(i).communication && !operation_members_.contains(i))
        return true;
    return false;
  }
  const path::Place last = model_->last_place();
  if (last.is_on_gpu || last.index == kNowhere) return false;
  const std::uint32_t call = model_->calls().last_before(last.index, end);
  if (call == kNowhere || model_->calls().end(call) <= end) return false;
  const path::CallRole role = model_->calls().role(call);
  return (role == path::CallRole::kMpi || role == path::CallRole::kTorch) &&
         !call_members_.contains(call);
}

void ReplayModel::add_points() {
  const path::HostCalls& calls = model_->calls();
  points_.reserve(calls.size() + model_->operations());
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    points_.push_back({calls.end(call), call, PointKind::kCallEnd});
  for (std::uint32_t i = 0; i < model_->operations(); ++i) {
    // The clocks of a GPU and of the host may differ a little.
    const std::uint32_t launch = model_->launch_of(i);
    const std::int64_t launched = launch == kNowhere ? INT64_MIN : calls.start(launch);
    points_.push_back({std::max(model_->start_of(i), launched), i, PointKind::kOperationStart});
  }
  order_points();
}

void ReplayModel::add_operation(std::uint32_t operation, std::uint32_t member,
                                std::int64_t transfer) {
  operation_members_[operation] = member;
  measured_.operations[operation] = transfer;
  points_.push_back({model_->end_of(operation), operation, PointKind::kOperationEnd});
}

void ReplayModel::add_call(std::uint32_t call, std::uint32_t member, std::int64_t transfer) {
  call_members_[call] = member;
  measured_.calls[call] = transfer;
  points_.push_back({model_->calls().start(call), call, PointKind::kCallStart});
}

// The calls of each thread and the operations of each stream are in order already.
void ReplayModel::order_points() {
  base::sort_runs(points_, [](const Point& a, const Point& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
  });
}

}  // namespace prof::replay
