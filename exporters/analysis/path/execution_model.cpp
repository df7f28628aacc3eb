#include "exporters/analysis/path/execution_model.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/nvtx/range_names.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::path {

namespace {

// A launch that takes longer has waited for room in the queue of its stream, if the queue has as
// many launches.
constexpr std::int64_t kLongLaunch = 100'000;  // ns
constexpr std::size_t kFullQueue = 1000;

// The clocks of a GPU and of the host differ by less, in ns.
constexpr std::int64_t kClockError = 50'000;

constexpr std::uint8_t kPageable = 0;  // ENUM_CUDA_MEM_KIND

// The operations of a stream that began before a time. Nodes of a graph run at the same time.
class EndedOperations {
 public:
  // Returns the operation that ended last before `time`, or kNowhere. Times never decrease.
  std::uint32_t last_before(std::int64_t time) {
    std::erase_if(running_, [&](const Running& each) {
      if (each.end > time) return false;
      if (last_.operation == kNowhere || each.end >= last_.end) last_ = each;
      return true;
    });
    return last_.operation;
  }
  void add(std::uint32_t operation, std::int64_t end) { running_.push_back({operation, end}); }

 private:
  struct Running {
    std::uint32_t operation = kNowhere;
    std::int64_t end = 0;
  };
  std::vector<Running> running_;
  Running last_;
};

}  // namespace

base::Result<ExecutionModel> ExecutionModel::read(const report::ReportReader& reader) {
  auto calls = HostCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto events = GpuEvents::read(reader, *calls);
  if (!events) return tl::make_unexpected(events.error());
  ExecutionModel model(*std::move(calls), *std::move(work));
  model.add_operations();
  model.add_stream_waits(*events);
  model.add_call_waits(*events);
  model.add_queue_waits();
  std::ranges::stable_sort(model.waits_, {}, &Wait::call);
  model.choose_threads();
  if (const base::Status found = model.find_limits(reader); !found)
    return tl::make_unexpected(found.error());
  model.work_.close_report();  // a job has the models of many reports
  return model;
}

void ExecutionModel::add_operations() {
  const std::size_t count = work_.size();
  starts_.reserve(count);
  ends_.reserve(count);
  launches_.reserve(count);
  previous_.reserve(count);
  stream_numbers_.reserve(count);
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> numbers;
  std::vector<EndedOperations> before;  // by stream
  for (std::uint32_t i = 0; i < count; ++i) {
    const insight::Operation each = work_.at(i);
    const auto [at, is_new] = numbers.try_emplace({each.device, each.stream},
                                                  static_cast<std::uint32_t>(streams_.size()));
    if (is_new) streams_.push_back({each.device, each.stream, {}});
    before.resize(streams_.size());
    Stream& stream = streams_[at->second];
    const std::uint32_t launch = calls_.launching(work_.global_pid(each), each.correlation);
    starts_.push_back(each.start);
    ends_.push_back(each.end);
    launches_.push_back(launch);
    previous_.push_back(before[at->second].last_before(each.start));
    before[at->second].add(i, each.end);
    stream_numbers_.push_back(at->second);
    stream.operations.push_back(i);
    if (launch == kNowhere || each.end > calls_.end(launch)) continue;
    // The call returned after its own copy.
    const bool is_copy = each.kind == insight::WorkKind::kCopy;
    const bool is_pageable = is_copy && (each.source == kPageable || each.destination == kPageable);
    if (calls_.role(launch) == CallRole::kGpuWait || is_pageable)
      waits_.push_back({launch, {CallWait::Kind::kEnd, i}});
  }
}

// Returns the last operation that was launched on the stream before a time, or kNowhere. Streams
// run their operations in the order of the launches.
std::uint32_t ExecutionModel::last_launched(const Stream& stream, std::int64_t time) const {
  const auto is_earlier = [&](std::uint32_t operation) {
    const std::uint32_t launch = launches_[operation];
    return (launch == kNowhere ? starts_[operation] : calls_.start(launch)) < time;
  };
  const auto after = std::ranges::partition_point(stream.operations, is_earlier);
  return after == stream.operations.begin() ? kNowhere : *(after - 1);
}

void ExecutionModel::add_stream_waits(const GpuEvents& events) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, const Stream*> by_id;
  for (const Stream& each : streams_) {
    const insight::Device& device = work_.devices()[each.device];
    by_id[{device.global_pid, device.number, each.number}] = &each;
  }
  const auto find = [&](const StreamMoment& moment) {
    const auto at = by_id.find({moment.global_pid, moment.device, moment.stream});
    return at == by_id.end() ? nullptr : at->second;
  };
  for (const StreamWait& each : events.stream_waits) {
    const Stream* waiting = find(each.waiting);
    const Stream* awaited = find(each.awaited);
    if (waiting == nullptr || awaited == nullptr || waiting == awaited) continue;
    const std::uint32_t operation = last_launched(*awaited, each.awaited.time);
    const std::uint32_t before = last_launched(*waiting, each.waiting.time);
    const auto next = before == kNowhere
                          ? waiting->operations.begin()
                          : std::ranges::lower_bound(waiting->operations, before) + 1;
    if (operation == kNowhere || next == waiting->operations.end()) continue;
    if (ends_[operation] <= starts_[*next] + kClockError) awaits_.push_back({*next, operation});
  }
  std::ranges::stable_sort(awaits_, {}, &Await::operation);
}

std::span<const ExecutionModel::Await> ExecutionModel::awaits_of(std::uint32_t operation) const {
  const auto found = std::ranges::equal_range(awaits_, operation, {}, &Await::operation);
  return {found.begin(), found.end()};
}

// Returns the operation for which a call waited: of those that were launched before a moment, the
// one that ended last.
std::uint32_t ExecutionModel::awaited_by(std::uint32_t call, const StreamMoment& moment,
                                         std::vector<std::uint32_t>& waited_for) {
  std::uint32_t result = kNowhere;
  const std::size_t first = sooner_ends_.size();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = streams_[i];
    const insight::Device& device = work_.devices()[stream.device];
    if (device.global_pid != moment.global_pid) continue;
    const bool is_any = moment.stream == kUnknownStream;
    if (!is_any && (stream.number != moment.stream || device.number != moment.device)) continue;
    const std::uint32_t last = last_launched(stream, moment.time);
    if (last == kNowhere || ends_[last] > calls_.end(call) + kClockError) continue;
    if (waited_for[i] != last) sooner_ends_.push_back({call, last});
    waited_for[i] = last;
    if (result == kNowhere || ends_[last] > ends_[result]) result = last;
  }
  const auto last =
      std::find_if(sooner_ends_.begin() + static_cast<std::ptrdiff_t>(first), sooner_ends_.end(),
                   [&](const SoonerEnd& each) { return each.operation == result; });
  if (last != sooner_ends_.end()) sooner_ends_.erase(last);
  return result;
}

void ExecutionModel::add_call_waits(const GpuEvents& events) {
  std::vector<std::uint32_t> by_end;
  const std::vector<Wait> own = waits_;
  std::vector<bool> has_wait(calls_.size());
  for (const Wait& each : own) has_wait[each.call] = true;
  for (const HostCalls::Thread& thread : calls_.threads()) {
    const std::int64_t process = events::global_pid_of(thread.global_tid);
    std::vector<std::uint32_t> waited_for(streams_.size(), kNowhere);
    for (std::uint32_t call = thread.first; call < thread.end; ++call) {
      const HostCalls::Name& name = calls_.name(call);
      if (name.role != CallRole::kGpuWait || has_wait[call]) continue;
      std::uint32_t awaited = kNowhere;
      if (const auto at = events.call_waits.find(call); at != events.call_waits.end()) {
        awaited = awaited_by(call, at->second, waited_for);
      } else if (name.is_device_wide) {
        awaited = awaited_by(call, {process, 0, kUnknownStream, calls_.start(call)}, waited_for);
      } else {
        // Without a record of the synchronization it is the last operation that ended in the call.
        if (by_end.empty() && !ends_.empty()) {
          by_end.resize(ends_.size());
          std::iota(by_end.begin(), by_end.end(), 0U);
          std::ranges::sort(by_end, {}, [&](std::uint32_t operation) { return ends_[operation]; });
        }
        auto at =
            std::ranges::upper_bound(by_end, calls_.end(call), {},
                                     [&](std::uint32_t operation) { return ends_[operation]; });
        while (at != by_end.begin() && ends_[*(at - 1)] > calls_.start(call)) {
          --at;
          if (work_.devices()[streams_[stream_numbers_[*at]].device].global_pid != process)
            continue;
          awaited = *at;
          break;
        }
      }
      if (awaited != kNowhere) waits_.push_back({call, {CallWait::Kind::kEnd, awaited}});
    }
  }
}

// A launch into a full queue waits until the operation at the head of the queue starts.
void ExecutionModel::add_queue_waits() {
  for (const Stream& stream : streams_) {
    for (std::size_t place = kFullQueue; place < stream.operations.size(); ++place) {
      const std::uint32_t launch = launches_[stream.operations[place]];
      if (launch == kNowhere || calls_.duration(launch) <= kLongLaunch ||
          calls_.role(launch) != CallRole::kLaunch)
        continue;
      const auto head =
          std::ranges::upper_bound(stream.operations, calls_.end(launch), {},
                                   [&](std::uint32_t operation) { return starts_[operation]; });
      const auto started = static_cast<std::size_t>(head - stream.operations.begin());
      if (started == 0 || started + kFullQueue > place + 1) continue;
      const std::uint32_t operation = *(head - 1);
      if (starts_[operation] > calls_.start(launch))
        waits_.push_back({launch, {CallWait::Kind::kStart, operation}});
    }
  }
}

ExecutionModel::CallWait ExecutionModel::wait_of(std::uint32_t call) const {
  const auto found = std::ranges::lower_bound(waits_, call, {}, &Wait::call);
  return found != waits_.end() && found->call == call ? found->wait : CallWait{};
}

void ExecutionModel::choose_threads() {
  const auto threads = calls_.threads();
  for (std::uint32_t i = 0; i < threads.size(); ++i)
    if (threads[i].launches > 0) working_.push_back(i);
  if (working_.empty())
    for (std::uint32_t i = 0; i < threads.size(); ++i)
      if (events::pid_of(threads[i].global_tid) == events::tid_of(threads[i].global_tid))
        working_.push_back(i);
  if (working_.empty()) {
    working_.resize(threads.size());
    std::iota(working_.begin(), working_.end(), 0U);
  }
  for (std::uint32_t call = 0; call < calls_.size(); ++call)
    if (calls_.role(call) == CallRole::kStart) thread_makers_.push_back(call);
  std::ranges::stable_sort(thread_makers_, {},
                           [&](std::uint32_t call) { return calls_.start(call); });
}

// Returns the end of an NVTX range at which the filter ends.
std::optional<Place> ExecutionModel::end_of_range(const report::ReportReader& reader,
                                                  base::Status& read) const {
  std::optional<Place> result;
  if (!reader.has_table(events::kNvtxTable)) return result;
  events::RangeNames names(reader);
  read = events::for_each_range(reader, names, [&](const events::NvtxRange& range) {
    const std::uint32_t thread =
        range.end == end_ ? calls_.find_thread(range.global_tid) : kNowhere;
    if (thread != kNowhere) result = Place{false, thread, end_};
  });
  return result;
}

base::Status ExecutionModel::find_limits(const report::ReportReader& reader) {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  std::uint32_t busiest = kNowhere;
  const auto threads = calls_.threads();
  for (const std::uint32_t thread : working_) {
    first = std::min(first, calls_.start(threads[thread].first));
    const std::int64_t end = calls_.end(threads[thread].end - 1);
    if (end > last) last_ = {false, thread, end};
    last = std::max(last, end);
    if (busiest == kNowhere || threads[thread].launches > threads[busiest].launches)
      busiest = thread;
  }
  for (std::uint32_t i = 0; i < starts_.size(); ++i) {
    first = std::min(first, starts_[i]);
    if (ends_[i] > last) last_ = {true, i, ends_[i]};
    last = std::max(last, ends_[i]);
  }
  if (first > last) return {};
  const report::EventFilter& filter = reader.filter();
  begin_ = filter.start <= -events::kMaxTime ? first : filter.start;
  end_ = last;
  if (filter.end >= events::kMaxTime) return {};
  end_ = filter.end;
  base::Status read;
  const auto place = end_of_range(reader, read);
  ends_with_range_ = place.has_value();
  if (place)
    last_ = *place;
  else if (busiest != kNowhere)
    last_ = {false, busiest, end_};
  last_.time = end_;
  return read;
}

// Returns how long a thread did not wait for others in a time, in ns. The GPU works for it.
std::int64_t ExecutionModel::working_time(std::uint32_t thread, std::int64_t start,
                                          std::int64_t end) const {
  std::int64_t result = end - start;
  const HostCalls::Thread& of = calls_.threads()[thread];
  std::uint32_t call = calls_.last_before(thread, start);
  for (call = call == kNowhere ? of.first : call; call < of.end && calls_.start(call) < end; ++call)
    if (waits_for_thread(calls_.role(call)))
      result -= std::max<std::int64_t>(
          0, std::min(calls_.end(call), end) - std::max(calls_.start(call), start));
  return result;
}

// Returns the thread of the same process that worked for the largest part of the wait, at least a
// tenth of it: it may have waited before. A thread that has waited itself for some time by the end
// awakened nobody. In a process that launches GPU work it is one that launches.
std::optional<Place> ExecutionModel::busiest_peer(std::uint32_t call, std::int64_t time) const {
  constexpr std::int64_t kLeastPart = 10;
  constexpr std::int64_t kToAwaken = 200'000;  // ns, at most
  const auto threads = calls_.threads();
  const std::uint32_t own = calls_.thread_of(call);
  const std::int64_t process = events::process_of(threads[own].global_tid);
  const std::int64_t start = calls_.start(call);
  std::int64_t most = (time - start) / kLeastPart + 1;
  std::optional<Place> result;
  for (const std::uint32_t each : working_) {
    if (each == own || events::process_of(threads[each].global_tid) != process) continue;
    const std::uint32_t last = calls_.last_before(each, time);
    if (last == kNowhere) continue;
    const std::int64_t working = working_time(each, start, time);
    if (working < most) continue;
    const bool is_in_call = calls_.end(last) >= time;
    const bool waits_for_others = is_in_call && waits_for_thread(calls_.role(last));
    if (waits_for_others && calls_.start(last) < time - kToAwaken) continue;
    most = working + 1;
    // The peer may wait again by the time that the awakened thread runs.
    const bool waits_again =
        waits_for_others || (is_in_call && calls_.role(last) == CallRole::kGpuWait);
    result = Place{false, each, waits_again ? calls_.start(last) : time};
  }
  return result;
}

// Returns the thread that ended last in the wait.
std::optional<Place> ExecutionModel::last_ended_thread(std::uint32_t call,
                                                       std::int64_t time) const {
  const auto threads = calls_.threads();
  const std::uint32_t own = calls_.thread_of(call);
  const bool is_thread = calls_.role(call) == CallRole::kThreadEnd;
  std::optional<Place> result;
  for (std::uint32_t each = 0; each < threads.size(); ++each) {
    const bool is_same_process =
        events::process_of(threads[each].global_tid) == events::process_of(threads[own].global_tid);
    const std::int64_t end = calls_.end(threads[each].end - 1);
    if (each == own || is_same_process != is_thread || end > time || end <= calls_.start(call))
      continue;
    if (!result || end > result->time) result = Place{false, each, end};
  }
  return result;
}

std::optional<Place> ExecutionModel::waker_of(std::uint32_t call, std::int64_t time) const {
  switch (calls_.role(call)) {
    case CallRole::kWakeup:
      return busiest_peer(call, time);
    case CallRole::kThreadEnd:
    case CallRole::kChildEnd:
      return last_ended_thread(call, time);
    case CallRole::kInput:
      // Nobody knows who sent the input to a thread that launches work itself. Others, such as the
      // threads of communication libraries, mostly wait for orders of the program.
      if (calls_.threads()[calls_.thread_of(call)].launches > 0) return std::nullopt;
      return busiest_peer(call, time);
    default:
      return std::nullopt;
  }
}

std::optional<Place> ExecutionModel::maker_of(std::uint32_t thread) const {
  const HostCalls::Thread& of = calls_.threads()[thread];
  const std::int64_t first = calls_.start(of.first);
  auto at = std::ranges::lower_bound(thread_makers_, first, {},
                                     [&](std::uint32_t call) { return calls_.start(call); });
  while (at != thread_makers_.begin()) {
    const std::uint32_t maker = calls_.thread_of(*--at);
    if (maker != thread &&
        events::process_of(calls_.threads()[maker].global_tid) == events::process_of(of.global_tid))
      return Place{false, maker, std::min(first, calls_.end(*at))};
  }
  return std::nullopt;
}

}  // namespace prof::path
