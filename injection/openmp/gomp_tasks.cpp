// Tasks, single constructs, barriers and mutexes of libgomp.
#include <algorithm>
#include <cstring>

#include "injection/openmp/gomp_functions.hpp"
#include "injection/openmp/gomp_thread.hpp"

namespace prof::openmp {

namespace {

// Lies before the arguments of a task, where libgomp has copied them.
struct TaskHeader {
  void (*body)(void* arguments);
  void* arguments;
  std::uint64_t task;
};

// What GOMP_task() gets in place of the arguments.
struct TaskSource {
  TaskHeader header;
  void (*copy)(void* to, void* from);  // of the program; null: the arguments are copied as bytes
  void* arguments;
  std::size_t size;
  std::size_t offset;  // of the arguments, after the header
};

void copy_task(void* to, void* from) {
  const auto& source = *static_cast<const TaskSource*>(from);
  auto* const header = static_cast<TaskHeader*>(to);
  *header = source.header;
  header->arguments = static_cast<std::byte*>(to) + source.offset;
  if (source.copy != nullptr)
    source.copy(header->arguments, source.arguments);
  else
    std::memcpy(header->arguments, source.arguments, source.size);
}

void run_task(void* argument) {
  const TaskHeader header = *static_cast<const TaskHeader*>(argument);
  Part* const outer = t_part;
  const std::uint64_t before = current_task();
  Part part = {current_parallel(), header.task, false};
  t_part = &part;
  end(OpenMpEvent::kTaskSwitch, 1, header.task);
  header.body(header.arguments);
  end_single();
  end(OpenMpEvent::kTaskSwitch, 0, before);
  t_part = outer;
}

Word wait_in_barrier(const GompTarget& target, const void* code) {
  if (target.is_recorded) end_single();
  return call_and_wait(target, wire::OpenMpSync::kBarrier, code);
}

template <class... Words>
Word share_as_tasks(const GompTarget& target, const void* code, std::uint64_t count,
                    Words... words) {
  if (!target.is_recorded) return call(target, words...);
  begin_work(wire::OpenMpWork::kTaskloop, count, code);
  const Word result = call(target, words...);
  end_work(wire::OpenMpWork::kTaskloop);
  return result;
}

template <class... Words>
Word acquire(const GompTarget& target, wire::OpenMpMutex kind, Word mutex, const void* code,
             Words... words) {
  if (!target.is_recorded) return call(target, words...);
  begin(OpenMpEvent::kMutex, word_of(kind), 0, 0, mutex, code);
  const Word result = call(target, words...);
  end(OpenMpEvent::kAcquired, word_of(kind), mutex);
  return result;
}

template <class... Words>
Word release(const GompTarget& target, wire::OpenMpMutex kind, Word mutex, Words... words) {
  const Word result = call(target, words...);
  if (target.is_recorded) end(OpenMpEvent::kReleased, word_of(kind), mutex);
  return result;
}

// libgomp returns an int.
Word try_acquire(const GompTarget& target, Word mutex, const void* code) {
  if (!target.is_recorded) return call(target, mutex);
  constexpr std::uint32_t kKind = word_of(wire::OpenMpMutex::kTestLock);
  begin(OpenMpEvent::kMutex, kKind, 0, 0, mutex, code);
  const Word result = call(target, mutex);
  if (static_cast<std::int32_t>(result) != 0) end(OpenMpEvent::kAcquired, kKind, mutex);
  return result;
}

// All unnamed critical regions have one mutex.
const char kUnnamed = 0;
const Word kUnnamedCritical = reinterpret_cast<Word>(&kUnnamed);

}  // namespace

}  // namespace prof::openmp

using namespace prof::openmp;
using prof::wire::OpenMpMutex;
using prof::wire::OpenMpSync;
using prof::wire::OpenMpWork;

// Later versions of GCC pass more arguments than earlier ones.
EXPORTED GOMP_task(Word body, Word arguments, Word copy, Word size, Word alignment, Word condition,
                   Word flags, Word depend, Word priority, Word detach) {
  const GompTarget target = TARGET(GOMP_task);
  if (!target.is_recorded)
    return call(target, body, arguments, copy, size, alignment, condition, flags, depend, priority,
                detach);
  const std::uint64_t task = next_task() | prof::wire::kOpenMpExplicit;
  begin(OpenMpEvent::kTaskCreate, 0, 0, task, current_task(), CALLER);
  const std::size_t step = std::max<std::size_t>(alignment, alignof(TaskHeader));
  const std::size_t offset = (sizeof(TaskHeader) + step - 1) / step * step;
  TaskSource source = {{reinterpret_cast<void (*)(void*)>(body), nullptr, task},
                       reinterpret_cast<void (*)(void*, void*)>(copy),
                       reinterpret_cast<void*>(arguments),
                       size,
                       offset};
  return call(target, reinterpret_cast<Word>(run_task), reinterpret_cast<Word>(&source),
              reinterpret_cast<Word>(copy_task), Word{offset + size}, Word{step}, condition, flags,
              depend, priority, detach);
}

// libgomp writes into the arguments of these tasks, so they have no rows.
EXPORTED GOMP_taskloop(Word body, Word arguments, Word copy, Word size, Word alignment, Word flags,
                       Word tasks, Word priority, Word start, Word end, Word step) {
  const auto distance = static_cast<std::int64_t>(end) - static_cast<std::int64_t>(start);
  const auto each = static_cast<std::int64_t>(step);
  const std::int64_t count = each == 0 ? 0 : (distance + each - (each > 0 ? 1 : -1)) / each;
  return share_as_tasks(TARGET(GOMP_taskloop), CALLER, std::max<std::int64_t>(count, 0), body,
                        arguments, copy, size, alignment, flags, tasks, priority, start, end, step);
}
EXPORTED GOMP_taskloop_ull(Word body, Word arguments, Word copy, Word size, Word alignment,
                           Word flags, Word tasks, Word priority, Word start, Word end, Word step) {
  return share_as_tasks(TARGET(GOMP_taskloop_ull), CALLER, 0, body, arguments, copy, size,
                        alignment, flags, tasks, priority, start, end, step);
}

EXPORTED GOMP_taskwait() {
  return call_and_wait(TARGET(GOMP_taskwait), OpenMpSync::kTaskwait, CALLER);
}
EXPORTED GOMP_taskwait_depend(Word depend) {
  return call_and_wait(TARGET(GOMP_taskwait_depend), OpenMpSync::kTaskwait, CALLER, depend);
}
EXPORTED GOMP_taskgroup_end() {
  return call_and_wait(TARGET(GOMP_taskgroup_end), OpenMpSync::kTaskgroup, CALLER);
}

// True for the thread that does the construct.
EXPORTED GOMP_single_start() {
  const GompTarget target = TARGET(GOMP_single_start);
  if (!target.is_recorded) return call(target);
  end_single();
  const Word result = call(target);
  const bool does_it = (result & 0xff) != 0;
  const OpenMpWork kind = does_it ? OpenMpWork::kSingleExecutor : OpenMpWork::kSingleOther;
  begin_work(kind, 1, CALLER);
  if (does_it && t_part != nullptr)
    t_part->is_single = true;
  else
    end_work(kind);
  return result;
}

// Null for the thread that does the construct. The others wait for what it copies.
EXPORTED GOMP_single_copy_start() {
  const GompTarget target = TARGET(GOMP_single_copy_start);
  if (!target.is_recorded) return call(target);
  end_single();
  begin_work(OpenMpWork::kSingleOther, 1, CALLER);
  const Word result = call(target);
  end_work(OpenMpWork::kSingleOther);
  if (result == 0 && t_part != nullptr) {
    begin_work(OpenMpWork::kSingleExecutor, 1, CALLER);
    t_part->is_single = true;
  }
  return result;
}
EXPORTED GOMP_single_copy_end(Word data) {
  const GompTarget target = TARGET(GOMP_single_copy_end);
  if (target.is_recorded) end_single();
  return call(target, data);
}

// The program's own barrier, or the one at the end of a construct: libgomp does not tell.
EXPORTED GOMP_barrier() { return wait_in_barrier(TARGET(GOMP_barrier), CALLER); }
EXPORTED GOMP_barrier_cancel() { return wait_in_barrier(TARGET(GOMP_barrier_cancel), CALLER); }

EXPORTED GOMP_critical_start() {
  return acquire(TARGET(GOMP_critical_start), OpenMpMutex::kCritical, kUnnamedCritical, CALLER);
}
EXPORTED GOMP_critical_end() {
  return release(TARGET(GOMP_critical_end), OpenMpMutex::kCritical, kUnnamedCritical);
}
EXPORTED GOMP_critical_name_start(Word name) {
  return acquire(TARGET(GOMP_critical_name_start), OpenMpMutex::kCritical, name, CALLER, name);
}
EXPORTED GOMP_critical_name_end(Word name) {
  return release(TARGET(GOMP_critical_name_end), OpenMpMutex::kCritical, name, name);
}
// A region has one order at a time.
EXPORTED GOMP_ordered_start() {
  return acquire(TARGET(GOMP_ordered_start), OpenMpMutex::kOrdered, current_parallel(), CALLER);
}
EXPORTED GOMP_ordered_end() {
  return release(TARGET(GOMP_ordered_end), OpenMpMutex::kOrdered, current_parallel());
}

#define LOCK(suffix)                                                                               \
  EXPORTED omp_set_lock##suffix(Word lock) {                                                       \
    return acquire(TARGET(omp_set_lock##suffix), OpenMpMutex::kLock, lock, CALLER, lock);          \
  }                                                                                                \
  EXPORTED omp_unset_lock##suffix(Word lock) {                                                     \
    return release(TARGET(omp_unset_lock##suffix), OpenMpMutex::kLock, lock, lock);                \
  }                                                                                                \
  EXPORTED omp_test_lock##suffix(Word lock) {                                                      \
    return try_acquire(TARGET(omp_test_lock##suffix), lock, CALLER);                               \
  }                                                                                                \
  EXPORTED omp_set_nest_lock##suffix(Word lock) {                                                  \
    return acquire(TARGET(omp_set_nest_lock##suffix), OpenMpMutex::kNestLock, lock, CALLER, lock); \
  }                                                                                                \
  EXPORTED omp_unset_nest_lock##suffix(Word lock) {                                                \
    return release(TARGET(omp_unset_nest_lock##suffix), OpenMpMutex::kNestLock, lock, lock);       \
  }
LOCK()
LOCK(_)  // of Fortran
