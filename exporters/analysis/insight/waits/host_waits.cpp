#include "exporters/analysis/insight/waits/host_waits.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::insight {

namespace {

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

HostWait host_wait_of(std::string_view function) {
  static constexpr std::string_view kInputs[] = {
      "read", "pread",    "readv",   "preadv",     "fread",       "fgets",     "getline",
      "open", "fopen",    "poll",    "ppoll",      "select",      "pselect",   "accept",
      "recv", "recvfrom", "recvmsg", "epoll_wait", "epoll_pwait", "mq_receive"};
  static constexpr std::string_view kWakeups[] = {
      "sem_wait",          "sem_timedwait",          "sem_clockwait",
      "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
      "cnd_wait",          "cnd_timedwait",          "futex"};
  if (function.ends_with("64")) function.remove_suffix(2);
  if (function.starts_with("__")) function.remove_prefix(2);
  if (function.ends_with("_chk")) function.remove_suffix(4);
  if (is_one_of(function, kInputs)) return HostWait::kInput;
  return is_one_of(function, kWakeups) ? HostWait::kWakeup : HostWait::kNone;
}

base::Result<HostWaits> HostWaits::read(const report::ReportReader& reader,
                                        const std::set<std::int64_t>& global_tids) {
  HostWaits result;
  if (!reader.has_table(events::kOsrtTable)) return result;
  events::Strings strings(reader);
  std::unordered_map<std::int64_t, HostWait> kinds;
  std::map<std::int64_t, std::vector<Interval>> all;
  std::map<std::int64_t, std::vector<Interval>> wakeups;
  const base::Status read =
      events::for_each_row(reader, "SELECT nameId, globalTid, start, end FROM OSRT_API",
                           [&](const report::Statement& row) {
                             const auto [at, is_new] = kinds.try_emplace(row.integer(0));
                             if (is_new) at->second = host_wait_of(strings.text(row.integer(0)));
                             const std::int64_t thread = row.integer(1);
                             if (at->second == HostWait::kNone || !global_tids.contains(thread))
                               return;
                             const Interval time{row.integer(2), row.integer(3)};
                             all[thread].push_back(time);
                             if (at->second == HostWait::kWakeup) wakeups[thread].push_back(time);
                           });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [thread, any] : all) result.by_thread_[thread].all = merged(std::move(any));
  for (auto& [thread, any] : wakeups) result.by_thread_[thread].wakeups = merged(std::move(any));
  return result;
}

std::int64_t HostWaits::waited(std::int64_t global_tid, std::int64_t start,
                               std::int64_t end) const {
  const auto at = by_thread_.find(global_tid);
  return at == by_thread_.end() ? 0 : covered(at->second.all, start, end);
}

Intervals HostWaits::waits(std::int64_t global_tid, const Interval& time) const {
  const auto at = by_thread_.find(global_tid);
  return at == by_thread_.end() ? Intervals() : within(at->second.all, time);
}

Intervals HostWaits::wakeups(std::int64_t global_tid, const Interval& time) const {
  const auto at = by_thread_.find(global_tid);
  return at == by_thread_.end() ? Intervals() : within(at->second.wakeups, time);
}

}  // namespace prof::insight
