#include "exporters/analysis/path/host_calls.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <string_view>

#include "common/base/sorted_runs.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/api_timeline.hpp"
#include "exporters/analysis/insight/torch_collectives.hpp"

namespace prof::path {

namespace {

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

CallRole role_of_os_call(std::string_view function) {
  if (function.starts_with("__")) function.remove_prefix(2);
  if (is_any_of(function,
                {"pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", "thrd_join"}))
    return CallRole::kThreadEnd;
  if (is_any_of(function, {"wait", "wait3", "wait4", "waitpid", "waitid", "system", "pclose"}))
    return CallRole::kChildEnd;
  if (is_any_of(function, {"pthread_create", "thrd_create"})) return CallRole::kStart;
  if (is_any_of(function,
                {"sem_wait", "sem_timedwait", "sem_clockwait", "pthread_cond_wait",
                 "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait",
                 "futex", "pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_rwlock_rdlock",
                 "pthread_rwlock_wrlock", "pthread_spin_lock", "pthread_barrier_wait", "mtx_lock"}))
    return CallRole::kWakeup;
  if (is_any_of(function, {"read", "readv", "pread", "preadv", "recv", "recvfrom", "recvmsg",
                           "accept", "accept4", "poll", "ppoll", "select", "pselect", "epoll_wait",
                           "epoll_pwait", "mq_receive"}))
    return CallRole::kInput;
  return CallRole::kOs;
}

CallRole role_of_cuda_call(std::string_view name) {
  switch (insight::kind_of_call(name)) {
    case insight::CallKind::kLaunch:
    case insight::CallKind::kCopy:
      return CallRole::kLaunch;
    case insight::CallKind::kWait:
      return CallRole::kGpuWait;
    case insight::CallKind::kAllocation:
      return insight::is_blocking_allocation(name) ? CallRole::kGpuWait : CallRole::kCuda;
    case insight::CallKind::kOther:
      break;
  }
  return CallRole::kCuda;
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

HostCalls::Name make_name(std::string_view text, const char* table) {
  const std::string_view plain = events::without_version(text);
  CallRole role = CallRole::kMpi;
  if (table == events::kApiTable) role = role_of_cuda_call(plain);
  if (table == events::kOsrtTable) role = role_of_os_call(plain);
  return {std::string(plain), role, has(plain, "DeviceSynchronize") || has(plain, "CtxSynchronize"),
          has(plain, "Memcpy")};
}

}  // namespace

bool waits_for_thread(CallRole role) {
  switch (role) {
    case CallRole::kThreadEnd:
    case CallRole::kChildEnd:
    case CallRole::kWakeup:
    case CallRole::kInput:
      return true;
    default:
      return false;
  }
}

struct HostCalls::Rows {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> correlations;  // 0: not a CUDA call
  std::vector<std::uint32_t> names;
  std::vector<std::uint32_t> threads;  // numbers
  std::unordered_map<std::int64_t, std::uint32_t> thread_numbers;
  std::vector<std::int64_t> thread_ids;  // by number

  void add(const events::Times& times, std::int64_t tid, std::uint32_t name,
           std::int64_t correlation) {
    const auto [thread, is_new] =
        thread_numbers.try_emplace(tid, static_cast<std::uint32_t>(thread_ids.size()));
    if (is_new) thread_ids.push_back(tid);
    starts.push_back(times.start);
    ends.push_back(times.end);
    names.push_back(name);
    correlations.push_back(correlation);
    threads.push_back(thread->second);
  }
};

base::Result<HostCalls> HostCalls::read(const report::ReportReader& reader) {
  HostCalls result;
  Rows rows;
  for (const char* table :
       {events::kApiTable, events::kOsrtTable, events::kPointToPointTable, events::kCollectiveTable,
        events::kStartWaitTable, events::kOtherMpiTable, events::kOwnMpiTable})
    if (reader.has_table(table))
      if (const base::Status read = result.read_table(reader, table, rows); !read)
        return tl::make_unexpected(read.error());
  if (const base::Status read = result.read_torch(reader, rows); !read)
    return tl::make_unexpected(read.error());
  result.keep(rows);
  return result;
}

base::Status HostCalls::read_table(const report::ReportReader& reader, const char* table,
                                   Rows& rows) {
  events::Strings strings(reader);
  std::unordered_map<std::int64_t, std::uint32_t> numbers;  // by StringIds.id
  // MPI calls have their names in textId.
  const char* name_column = reader.has_column(table, "nameId") ? "nameId" : "textId";
  report::TableQuery query{
      table,
      {"globalTid", name_column,
       report::column_or(reader, table, "correlationId", report::ScanColumn::constant(0))}};
  if (table == events::kApiTable) query.condition = events::api_calls();
  if (table == events::kOsrtTable) query.condition = events::osrt_calls();
  return events::for_each_event(
      reader, query, [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(1, events::Strings::kNone);
        const auto [at, is_new] =
            numbers.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (is_new) names_.push_back(make_name(strings.text(name), table));
        rows.add(times, row.integer(0), at->second, row.integer(2));
      });
}

base::Status HostCalls::read_torch(const report::ReportReader& reader, Rows& rows) {
  const auto calls = insight::read_torch_collectives(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const insight::TorchCollective& each : *calls) {
    const auto [at, is_new] =
        numbers.try_emplace(each.operation, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back({each.operation, CallRole::kTorch, false, false});
    rows.add({each.start, each.end}, each.global_tid, at->second, 0);
  }
  return {};
}

// Keeps the outermost calls of a thread. A CUDA call inside another call stands for the outer one.
void HostCalls::keep(const Rows& rows, std::int64_t thread,
                     const std::vector<std::uint32_t>& sorted) {
  const auto first = static_cast<std::uint32_t>(size());
  Thread& kept = threads_.emplace_back(Thread{thread, first, first, 0});
  for (const std::uint32_t row : sorted) {
    if (kept.end == kept.first || rows.starts[row] >= ends_.back()) {
      starts_.push_back(rows.starts[row]);
      ends_.push_back(rows.ends[row]);
      name_numbers_.push_back(rows.names[row]);
      ++kept.end;
      if (names_[rows.names[row]].role == CallRole::kLaunch) ++kept.launches;
    }
    if (rows.correlations[row] != 0)
      ids_.push_back({events::process_of(thread), rows.correlations[row],
                      static_cast<std::uint32_t>(size() - 1)});
  }
}

// Keeps the outermost calls, sorted by thread and start.
void HostCalls::keep(const Rows& rows) {
  starts_.reserve(rows.starts.size());
  ends_.reserve(rows.starts.size());
  name_numbers_.reserve(rows.starts.size());
  std::vector<std::vector<std::uint32_t>> of_threads(rows.thread_ids.size());
  for (std::uint32_t row = 0; row < rows.starts.size(); ++row)
    of_threads[rows.threads[row]].push_back(row);
  std::vector<std::uint32_t> threads(rows.thread_ids.size());
  std::iota(threads.begin(), threads.end(), 0U);
  std::ranges::sort(threads, {}, [&](std::uint32_t thread) { return rows.thread_ids[thread]; });
  for (const std::uint32_t thread : threads) {
    base::sort_runs(of_threads[thread], [&](std::uint32_t a, std::uint32_t b) {
      return rows.starts[a] != rows.starts[b] ? rows.starts[a] < rows.starts[b]
                                              : rows.ends[a] > rows.ends[b];
    });
    keep(rows, rows.thread_ids[thread], of_threads[thread]);
  }
  base::sort_runs(ids_, [](const Id& a, const Id& b) {
    return a.process != b.process ? a.process < b.process : a.correlation < b.correlation;
  });
}

std::uint32_t HostCalls::thread_of(std::uint32_t call) const {
  const auto after = std::ranges::upper_bound(threads_, call, {}, &Thread::first);
  return static_cast<std::uint32_t>(std::distance(threads_.begin(), after) - 1);
}

std::uint32_t HostCalls::find_thread(std::int64_t global_tid) const {
  const auto found = std::ranges::lower_bound(threads_, global_tid, {}, &Thread::global_tid);
  if (found == threads_.end() || found->global_tid != global_tid) return kNowhere;
  return static_cast<std::uint32_t>(found - threads_.begin());
}

std::uint32_t HostCalls::last_before(std::uint32_t thread, std::int64_t time) const {
  const Thread& of = threads_[thread];
  const auto begin = starts_.begin() + of.first;
  const auto found = std::lower_bound(begin, starts_.begin() + of.end, time);
  return found == begin ? kNowhere : static_cast<std::uint32_t>(found - starts_.begin() - 1);
}

// Returns the first place in ids_ with this id or a later one.
std::size_t HostCalls::place_of(std::int64_t process, std::int64_t correlation) const {
  const auto is_before = [&](std::size_t place) {
    const Id& id = ids_[place];
    return id.process != process ? id.process < process : id.correlation < correlation;
  };
  // The steps grow from the last place on, as the next id is mostly near it.
  std::size_t low = last_place_;
  if (low >= ids_.size() || !is_before(low)) low = 0;
  std::size_t high = low;
  for (std::size_t step = 1; high < ids_.size() && is_before(high); step *= 2) {
    low = high;
    high += step;
  }
  high = std::min(high, ids_.size());
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (is_before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  last_place_ = low > 0 ? low - 1 : 0;
  return low;
}

std::uint32_t HostCalls::launching(std::int64_t global_pid, std::int64_t correlation) const {
  if (correlation == 0) return kNowhere;
  const std::int64_t process = events::process_of(global_pid);
  const std::size_t place = place_of(process, correlation);
  const bool is_found = place < ids_.size() && ids_[place].process == process &&
                        ids_[place].correlation == correlation;
  return is_found ? ids_[place].call : kNowhere;
}

std::int64_t HostCalls::time_of(std::int64_t global_pid, std::int64_t correlation) const {
  const std::int64_t process = events::process_of(global_pid);
  const std::size_t place = place_of(process, correlation);
  if (place >= ids_.size() || ids_[place].process != process) return INT64_MAX;
  return starts_[ids_[place].call];
}

}  // namespace prof::path
