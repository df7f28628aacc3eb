#include "collector/ingest/openmp/openmp_thread.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace prof::ingest {

namespace {

constexpr bool is(std::uint32_t kind, wire::OpenMpMutex mutex) {
  return kind == static_cast<std::uint32_t>(mutex);
}

// A test of a lock that failed has no end.
constexpr bool may_fail(std::uint32_t kind) {
  return is(kind, wire::OpenMpMutex::kTestLock) || is(kind, wire::OpenMpMutex::kTestNestLock);
}

}  // namespace

OpenMpSpan OpenMpThread::span_of(const wire::OpenMpBeginRecord& record, std::int64_t time) {
  return {.event = static_cast<Event>(record.header.flags),
          .kind = record.header.aux,
          .parallel = record.parallel,
          .task = record.task,
          .object = record.object,
          .code = record.code,
          .start = time,
          .end = time};
}

void OpenMpThread::write(OpenMpSpan span, std::int64_t end) {
  span.end = std::max(span.start, end);
  write_(span);
}

void OpenMpThread::write_task(const Task& task, std::int64_t end) {
  if (task.span.task != 0) write(task.span, end);
  for (const OpenMpSpan& each : task.open) write(each, end);
}

void OpenMpThread::begin_task(Event event, std::uint64_t task, std::uint64_t parallel,
                              std::int64_t time) {
  const OpenMpSpan span{
      .event = event, .parallel = parallel, .task = task, .start = time, .end = time};
  tasks_.insert_or_assign(task, Task{span, current_, {}, false});
  current_ = task;
}

void OpenMpThread::begin(const wire::OpenMpBeginRecord& record, std::int64_t time) {
  waits_ = false;  // the thread goes on: a test of a lock has failed
  switch (static_cast<Event>(record.header.flags)) {
    case Event::kParallel:
      regions_.push_back(span_of(record, time));
      break;
    case Event::kImplicit:
      end_done_part(time);
      if (record.task != 0) begin_task(Event::kImplicit, record.task, record.parallel, time);
      break;
    case Event::kWork:
    case Event::kSync:
    case Event::kMaster:
    case Event::kReduction:
    case Event::kTarget:
      tasks_[current_].open.push_back(span_of(record, time));
      break;
    case Event::kMutex:
      wait_ = span_of(record, time);
      wait_.task = current_;
      waits_ = true;
      break;
    case Event::kTaskCreate:
      write(span_of(record, time), time);
      break;
    default:
      break;
  }
}

void OpenMpThread::end(const wire::OpenMpEndRecord& record, std::int64_t time) {
  const auto event = static_cast<Event>(record.header.flags);
  if (event != Event::kAcquired) waits_ = false;
  switch (event) {
    case Event::kParallel:
      if (record.header.aux == wire::kOpenMpEndsParts) end_done_part(time);
      return end_region(record.object, time);
    case Event::kImplicit:
      return end_task(record.object, time);
    case Event::kWork:
    case Event::kSync:
    case Event::kMaster:
    case Event::kReduction:
    case Event::kTarget:
      return end_construct(event, record.header.aux, time);
    case Event::kAcquired:
      return acquire(record.header.aux, record.object, time);
    case Event::kReleased:
      return release(record.header.aux, record.object, time);
    case Event::kPartDone:
      return finish_part(record.object, time);
    case Event::kTaskSwitch:
      return switch_to(record.object, record.header.aux != 0, time);
    default:
      break;
  }
}

// Regions within it have ended, too: an exception may have left them.
void OpenMpThread::end_region(std::uint64_t parallel, std::int64_t time) {
  const auto found =
      std::ranges::find(regions_.rbegin(), regions_.rend(), parallel, &OpenMpSpan::parallel);
  if (found == regions_.rend()) return;
  const auto first = std::prev(found.base());
  for (auto each = first; each != regions_.end(); ++each) write(*each, time);
  regions_.erase(first, regions_.end());
}

void OpenMpThread::end_task(std::uint64_t task, std::int64_t time) {
  const auto found = task == 0 ? tasks_.end() : tasks_.find(task);
  if (found == tasks_.end()) return;
  write_task(found->second, time);
  current_ = tasks_.contains(found->second.outer) ? found->second.outer : 0;
  tasks_.erase(found);
}

// From now on the thread waits in the barrier at the end of its region.
void OpenMpThread::finish_part(std::uint64_t task, std::int64_t time) {
  const auto found = task == 0 ? tasks_.end() : tasks_.find(task);
  if (found == tasks_.end()) return;
  Task& part = found->second;
  for (const OpenMpSpan& each : part.open) write(each, time);
  part.open = {OpenMpSpan{.event = Event::kSync,
                          .kind = static_cast<std::uint32_t>(wire::OpenMpSync::kImplicitParallel),
                          .parallel = part.span.parallel,
                          .task = task,
                          .start = time,
                          .end = time}};
  part.is_done = true;
}

// Ends the current task if it is a part that is done, at the end of its region.
void OpenMpThread::end_done_part(std::int64_t time) {
  const auto part = tasks_.find(current_);
  if (part == tasks_.end() || !part->second.is_done) return;
  const auto end = end_of_(part->second.span.parallel);
  end_task(current_, std::min(end.value_or(time), time));
}

void OpenMpThread::end_construct(Event event, std::uint32_t kind, std::int64_t time) {
  std::vector<OpenMpSpan>& open = tasks_[current_].open;
  const auto found = std::find_if(open.rbegin(), open.rend(), [&](const OpenMpSpan& each) {
    return each.event == event && each.kind == kind;
  });
  if (found == open.rend()) return;
  const auto first = std::prev(found.base());
  for (auto each = first; each != open.end(); ++each) write(*each, time);
  open.erase(first, open.end());
}

void OpenMpThread::acquire(std::uint32_t kind, std::uint64_t mutex, std::int64_t time) {
  if (!waits_ || wait_.object != mutex) return;
  waits_ = false;
  write(wait_, time);
  if (!is(kind, wire::OpenMpMutex::kCritical)) return;
  held_.push_back(wait_);
  held_.back().event = Event::kAcquired;
  held_.back().start = time;
}

void OpenMpThread::release(std::uint32_t kind, std::uint64_t mutex, std::int64_t time) {
  if (!is(kind, wire::OpenMpMutex::kCritical)) {
    const OpenMpSpan span{.event = Event::kReleased,
                          .kind = kind,
                          .task = current_,
                          .object = mutex,
                          .start = time,
                          .end = time};
    return write(span, time);
  }
  const auto found = std::ranges::find(held_.rbegin(), held_.rend(), mutex, &OpenMpSpan::object);
  if (found == held_.rend()) return;
  write(*found, time);
  held_.erase(std::prev(found.base()));
}

void OpenMpThread::switch_to(std::uint64_t task, bool goes_on, std::int64_t time) {
  Task& before = tasks_[current_];
  const std::uint64_t parallel = before.span.parallel;
  write_task(before, time);
  before.is_suspended = true;
  if (!goes_on && current_ != 0) tasks_.erase(current_);
  const auto known = tasks_.find(task);
  if (known == tasks_.end()) return begin_task(Event::kTaskSwitch, task, parallel, time);
  current_ = task;
  known->second.is_suspended = false;
  known->second.span.start = time;
  // nsys lets what contains something else begin before it.
  for (OpenMpSpan& each : known->second.open) each.start = ++time;
}

void OpenMpThread::finish(std::int64_t time) {
  end_done_part(time);
  for (const OpenMpSpan& region : regions_) write(region, time);
  for (const auto& [id, task] : tasks_)
    if (!task.is_suspended) write_task(task, time);
  for (const OpenMpSpan& each : held_) write(each, time);
  if (waits_ && !may_fail(wait_.kind)) write(wait_, time);
}

}  // namespace prof::ingest
