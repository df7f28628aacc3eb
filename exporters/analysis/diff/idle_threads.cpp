#include "exporters/analysis/diff/idle_threads.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::diff {

namespace {

constexpr double kIdleShare = 0.9;

constexpr std::string_view kWaitingFunctions[] = {
    "accept",
    "accept4",
    "clock_nanosleep",
    "cnd_timedwait",
    "cnd_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "futex",
    "getline",
    "io_uring_enter",
    "mq_receive",
    "mq_timedreceive",
    "msgrcv",
    "nanosleep",
    "pause",
    "poll",
    "ppoll",
    "pselect",
    "pthread_barrier_wait",
    "pthread_clockjoin_np",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_join",
    "pthread_timedjoin_np",
    "read",
    "recv",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "sem_wait",
    "semop",
    "semtimedop",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "thrd_join",
    "thrd_sleep",
    "usleep",
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
};
static_assert(std::ranges::is_sorted(kWaitingFunctions));

// When a thread was first and last seen, and how long it waited, in ns.
struct Life {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  std::int64_t waited = 0;

  void see(std::int64_t start, std::int64_t end) {
    first = std::min(first, start);
    last = std::max(last, end);
  }
  bool is_idle() const {
    return waited > 0 &&
           static_cast<double>(waited) >= kIdleShare * static_cast<double>(last - first);
  }
};

using Lives = std::unordered_map<std::int64_t, Life>;  // by globalTid

base::Status add_calls(const report::ReportReader& reader, Lives& lives) {
  events::Strings strings(reader);
  std::unordered_map<std::int64_t, bool> waiting;  // by name id: whether the function waits
  // Only outer calls are read, so that a waiting call inside another one does not count twice.
  const bool has_levels = reader.has_column(events::kOsrtTable, "nestingLevel");
  const char* rest = has_levels ? "AND COALESCE(nestingLevel, 0) = 0" : "";
  return events::for_each_event(
      reader, {events::kOsrtTable, {"globalTid", "nameId"}, events::osrt_calls(), rest},
      [&](const events::Times& times, const report::Row& row) {
        if (row.is_null(0)) return;
        Life& life = lives[row.integer(0)];
        life.see(times.start, times.end);
        const std::int64_t name = row.integer_or(1, events::Strings::kNone);
        const auto [at, is_new] = waiting.try_emplace(name, false);
        if (is_new) at->second = is_waiting_function(strings.text(name));
        if (at->second) life.waited = events::sum(life.waited, times.duration());
      });
}

// Adds the times of other events to the threads' lives: a thread may have computed for a long time
// before its only wait.
base::Status add_other_events(const report::ReportReader& reader, Lives& lives) {
  for (const char* table : {events::kSchedulingTable, events::kCpuSampleTable, events::kNvtxTable,
                            events::kApiTable, events::kPythonSampleTable}) {
    if (!reader.has_column(table, "globalTid") || !reader.has_column(table, "start")) continue;
    const report::ScanColumn end = report::column_or(reader, table, "end", "start");
    const base::Status read =
        report::scan(reader, {table, {"globalTid", "start", end}}, [&](const report::Row& row) {
          const auto life = lives.find(row.integer(0));
          const std::int64_t start = row.integer_or(1, INT64_MAX);
          const events::Times times{start, row.integer_or(2, start)};
          if (life != lives.end() && times.is_valid()) life->second.see(times.start, times.end);
        });
    if (!read) return read;
  }
  return {};
}

// Extends the life of each main thread to the lives of all threads of its process, because it
// exists as long as they do.
void extend_main_threads(Lives& lives) {
  std::unordered_map<std::int64_t, Life> processes;
  for (const auto& [thread, life] : lives)
    processes[events::process_of(thread)].see(life.first, life.last);
  for (auto& [thread, life] : lives) {
    const Life& process = processes[events::process_of(thread)];
    if (events::tid_of(thread) == events::pid_of(thread)) life.see(process.first, process.last);
  }
}

}  // namespace

bool is_waiting_function(std::string_view name) {
  return std::ranges::binary_search(kWaitingFunctions, name);
}

base::Result<std::unordered_set<std::int64_t>> idle_threads(const report::ReportReader& reader) {
  std::unordered_set<std::int64_t> idle;
  if (!reader.has_column(events::kOsrtTable, "globalTid")) return idle;
  Lives lives;
  if (const base::Status read = add_calls(reader, lives); !read)
    return tl::make_unexpected(read.error());
  if (const base::Status read = add_other_events(reader, lives); !read)
    return tl::make_unexpected(read.error());
  extend_main_threads(lives);
  for (const auto& [thread, life] : lives)
    if (life.is_idle()) idle.insert(thread);
  return idle;
}

}  // namespace prof::diff
