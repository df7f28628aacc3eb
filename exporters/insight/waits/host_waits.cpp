#include "exporters/insight/waits/host_waits.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "exporters/events/event_tables.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/events/strings.hpp"

namespace prof::insight {

namespace {

bool waits_for_input(std::string_view function) {
  static constexpr std::string_view kFunctions[] = {"read",
                                                    "pread",
                                                    "readv",
                                                    "preadv",
                                                    "fread",
                                                    "fgets",
                                                    "getline",
                                                    "open",
                                                    "fopen",
                                                    "poll",
                                                    "ppoll",
                                                    "select",
                                                    "pselect",
                                                    "epoll_wait",
                                                    "epoll_pwait",
                                                    "recv",
                                                    "recvfrom",
                                                    "recvmsg",
                                                    "sem_wait",
                                                    "sem_timedwait",
                                                    "sem_clockwait",
                                                    "pthread_cond_wait",
                                                    "pthread_cond_timedwait",
                                                    "pthread_cond_clockwait",
                                                    "cnd_wait",
                                                    "cnd_timedwait",
                                                    "futex",
                                                    "accept",
                                                    "mq_receive"};
  if (function.ends_with("64")) function.remove_suffix(2);
  if (function.starts_with("__")) function.remove_prefix(2);
  if (function.ends_with("_chk")) function.remove_suffix(4);
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

}  // namespace

base::Result<HostWaits> HostWaits::read(const report::ReportReader& reader,
                                        const std::set<std::int64_t>& global_tids) {
  HostWaits result;
  if (!reader.has_table(events::kOsrtTable)) return result;
  events::Strings strings(reader);
  std::unordered_map<std::int64_t, bool> waits;
  std::map<std::int64_t, std::vector<Interval>> times;
  const base::Status read =
      events::for_each_row(reader, "SELECT nameId, globalTid, start, end FROM OSRT_API",
                           [&](const report::Statement& row) {
                             const auto [at, is_new] = waits.try_emplace(row.integer(0));
                             if (is_new) at->second = waits_for_input(strings.text(row.integer(0)));
                             const std::int64_t thread = row.integer(1);
                             if (at->second && global_tids.contains(thread))
                               times[thread].push_back({row.integer(2), row.integer(3)});
                           });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [thread, any] : times) result.by_thread_[thread] = merged(std::move(any));
  return result;
}

std::int64_t HostWaits::waited(std::int64_t global_tid, std::int64_t start,
                               std::int64_t end) const {
  const auto at = by_thread_.find(global_tid);
  return at == by_thread_.end() ? 0 : covered(at->second, start, end);
}

}  // namespace prof::insight
