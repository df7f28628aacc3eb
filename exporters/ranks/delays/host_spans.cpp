#include "exporters/ranks/delays/host_spans.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/names.hpp"
#include "exporters/analysis/insight/torch_collectives.hpp"
#include "exporters/analysis/insight/waits/host_waits.hpp"
#include "exporters/analysis/stats/calls/mpi_events.hpp"

namespace prof::ranks {

using insight::Interval;

namespace {

// recvmsg and sendmsg are not among them: they also pass on descriptors, as workers that load data
// do.
bool uses_network(std::string_view function) {
  constexpr std::string_view kFunctions[] = {"recv",   "recvfrom", "recvmmsg", "send",
                                             "sendto", "sendmmsg", "connect",  "getaddrinfo"};
  if (function.starts_with("__")) function.remove_prefix(2);
  if (function.ends_with("_chk")) function.remove_suffix(4);
  return std::ranges::find(kFunctions, function) != std::end(kFunctions);
}

}  // namespace

base::Result<HostSpans> HostSpans::read(const report::ReportReader& reader,
                                        const insight::ReportActivity& activity,
                                        const std::set<std::int64_t>& callers) {
  HostSpans result;
  for (const std::int64_t each : callers) result.threads_[each];
  result.add_api_calls(activity);
  if (const base::Status read = result.add_runtime_calls(reader); !read)
    return tl::make_unexpected(read.error());
  if (const base::Status read = result.add_messages(reader); !read)
    return tl::make_unexpected(read.error());
  for (auto& [tid, thread] : result.threads_) {
    std::ranges::sort(thread.spans, [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    std::int64_t reach = INT64_MIN;
    std::erase_if(thread.spans, [&](Span& span) {
      if (span.end <= reach) return true;
      span.start = std::max(span.start, reach);
      reach = span.end;
      return false;
    });
  }
  result.add_ranges(activity.ranges);
  std::set<std::int64_t> threads;
  for (const auto& [tid, thread] : result.threads_) threads.insert(tid);
  auto details = ThreadDetails::read(reader, activity.ranges, threads);
  if (!details) return tl::make_unexpected(details.error());
  result.details_ = *std::move(details);
  return result;
}

// True if the queue of launches is full: the launch waits until an operation begins.
bool HostSpans::is_blocked(const std::vector<std::int64_t>& launches,
                           const std::vector<std::int64_t>& starts, std::int64_t time) {
  constexpr std::int64_t kFull = 900;  // the queue has 1,024 places
  const auto count = [&](const std::vector<std::int64_t>& times) {
    return std::ranges::upper_bound(times, time) - times.begin();
  };
  return count(launches) - count(starts) >= kFull;
}

void HostSpans::add_api_calls(const insight::ReportActivity& activity) {
  constexpr std::int64_t kLong = 100'000;                      // ns
  std::map<std::int64_t, std::vector<std::int64_t>> starts;    // of GPU work, by process
  std::map<std::int64_t, std::vector<std::int64_t>> launches;  // by process
  for (const insight::Operation& each : activity.work.operations())
    starts[events::process_of(activity.work.global_pid(each))].push_back(each.start);
  for (const events::ApiCall& call : activity.calls.calls()) {
    const insight::CallKind kind = activity.calls.kind(call);
    if (kind != insight::CallKind::kLaunch && kind != insight::CallKind::kCopy) continue;
    threads_[call.global_tid];
    launches[events::process_of(call.global_tid)].push_back(call.start);
  }
  for (auto* times : {&starts, &launches})
    for (auto& [process, list] : *times) std::ranges::sort(list);
  for (const events::ApiCall& call : activity.calls.calls()) {
    const auto thread = threads_.find(call.global_tid);
    if (thread == threads_.end()) continue;
    const std::int64_t process = events::process_of(call.global_tid);
    Kind kind = Kind::kCudaCall;
    if (activity.calls.kind(call) == insight::CallKind::kWait) kind = Kind::kWait;
    if (activity.calls.kind(call) == insight::CallKind::kLaunch ||
        activity.calls.kind(call) == insight::CallKind::kCopy) {
      kind = Kind::kLaunch;
      if (call.end - call.start > kLong &&
          is_blocked(launches[process], starts[process], call.start))
        kind = Kind::kWait;
    }
    thread->second.spans.push_back({call.start, call.end, call.name, kind});
  }
}

HostSpans::Kind HostSpans::kind_of(std::string_view function) {
  if (function == "nanosleep" || function == "clock_nanosleep" || function == "usleep" ||
      function == "sleep")
    return Kind::kSleep;
  if (uses_network(function)) return Kind::kNetwork;
  switch (insight::host_wait_of(function)) {
    case insight::HostWait::kInput:
      return Kind::kInput;
    case insight::HostWait::kWakeup:
      return Kind::kWakeup;
    case insight::HostWait::kNone:
      break;
  }
  return function.starts_with("pthread_mutex") || function == "pthread_join" ? Kind::kWakeup
                                                                             : Kind::kSystemCall;
}

base::Status HostSpans::add_runtime_calls(const report::ReportReader& reader) {
  if (!reader.has_table(events::kOsrtTable) || threads_.empty()) return {};
  events::Strings strings(reader);
  std::unordered_map<std::int64_t, Kind> kinds;
  report::TableQuery query{events::kOsrtTable, {"globalTid", "nameId"}, events::osrt_calls()};
  return events::for_each_event(
      reader, query, [&](const events::Times& times, const report::Row& row) {
        const auto thread = threads_.find(row.integer(0));
        if (thread == threads_.end()) return;
        const auto [at, is_new] = kinds.try_emplace(row.integer(1));
        if (is_new) at->second = kind_of(strings.text(row.integer(1)));
        thread->second.spans.push_back({times.start, times.end, row.integer(1), at->second});
      });
}

// All calls of MPI and of torch.distributed may wait for other ranks.
base::Status HostSpans::add_messages(const report::ReportReader& reader) {
  const auto add = [&](std::int64_t tid, std::int64_t start, std::int64_t end, std::int64_t name) {
    const auto thread = threads_.find(tid);
    if (thread != threads_.end()) thread->second.spans.push_back({start, end, name, Kind::kWait});
  };
  const auto calls = insight::read_torch_collectives(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  for (const insight::TorchCollective& each : *calls)
    add(each.global_tid, each.start, each.end, events::Strings::kNone);
  return stats::for_each_mpi_event(reader, [&](const stats::MpiEvent& event) {
    add(event.global_tid, event.start, event.end, event.name);
  });
}

void HostSpans::add_ranges(const events::RangeTree& ranges) {
  std::map<std::int32_t, bool> loads;  // by name
  for (const events::RangeTree::Range& each : ranges.ranges()) {
    const auto thread = threads_.find(each.global_tid);
    if (thread == threads_.end()) continue;
    const auto [at, is_new] = loads.try_emplace(each.name);
    if (is_new) at->second = insight::is_data_loading_name(ranges.name_of(each));
    if (at->second) thread->second.loading.push_back({each.start, each.end});
  }
  for (auto& [tid, thread] : threads_) thread.loading = insight::merged(std::move(thread.loading));
}

Cause HostSpans::cause_of(Kind kind) {
  switch (kind) {
    case Kind::kSleep:
      return Cause::kSleep;
    case Kind::kInput:
      return Cause::kDataLoading;
    case Kind::kNetwork:
      return Cause::kNetwork;
    case Kind::kWakeup:
      return Cause::kLock;
    case Kind::kSystemCall:
      return Cause::kSystemCall;
    case Kind::kLaunch:
      return Cause::kLaunch;
    case Kind::kCudaCall:
    case Kind::kWait:
      break;
  }
  return Cause::kCudaCall;
}

// The launching thread of the same process that awakens this one, or 0: it does not wait itself
// until then, but may wait for what comes next. Of several it is the one that does the most.
std::int64_t HostSpans::peer_of(std::int64_t global_tid, const Interval& time) const {
  constexpr std::int64_t kToAwaken = 200'000;  // ns, at most
  constexpr std::int64_t kLeast = 10;          // part of the time
  std::int64_t best = 0;
  std::int64_t most = time.length() / kLeast;
  const std::int64_t first = events::global_pid_of(global_tid);
  for (auto at = threads_.lower_bound(first);
       at != threads_.end() && events::global_pid_of(at->first) == first; ++at) {
    if (at->first == global_tid || at->second.spans.empty()) continue;
    std::int64_t busy = time.length();
    const auto& spans = at->second.spans;
    auto span = std::ranges::upper_bound(spans, time.start, {}, &Span::end);
    for (; span != spans.end() && span->start < time.end; ++span) {
      if (span->kind != Kind::kWakeup && span->kind != Kind::kWait) continue;
      busy -= std::min(span->end, time.end) - std::max(span->start, time.start);
      if (span->end >= time.end && span->start < time.end - kToAwaken) busy = 0;
    }
    if (busy < most) continue;
    most = busy;
    best = at->first;
  }
  return best;
}

void HostSpans::visit(std::int64_t global_tid, const Interval& time,
                      const std::function<void(const HostPiece&)>& visit) const {
  this->visit(global_tid, time, true, visit);
}

void HostSpans::visit(std::int64_t global_tid, const Interval& time, bool follows,
                      const Visit& visit) const {
  constexpr std::int64_t kShort = 20'000;  // ns: a wait in which no other thread is looked at
  const auto thread = threads_.find(global_tid);
  if (thread == threads_.end() || time.length() <= 0) return;
  const auto emit = [&](const Interval& part, Cause cause, std::int64_t name) {
    if (part.length() <= 0) return;
    const auto& loading = thread->second.loading;
    const bool loads =
        !loading.empty() && 2 * covered(loading, part.start, part.end) >= part.length();
    const HostPiece piece{global_tid, part, cause, name};
    if (loads && cause != Cause::kSleep)
      visit({global_tid, part, Cause::kDataLoading, name});
    else
      details_.divide(piece, visit);
  };
  const std::vector<Span>& spans = thread->second.spans;
  std::int64_t reached = time.start;
  for (auto span = std::ranges::upper_bound(spans, time.start, {}, &Span::end);
       span != spans.end() && span->start < time.end; ++span) {
    const Interval part{std::max(span->start, time.start), std::min(span->end, time.end)};
    emit({reached, part.start}, Cause::kCode, HostPiece::kNoName);
    reached = part.end;
    if (span->kind == Kind::kWait) continue;
    if (span->kind == Kind::kWakeup && follows && part.length() > kShort)
      if (const std::int64_t peer = peer_of(global_tid, part); peer != 0) {
        this->visit(peer, part, false, visit);
        continue;
      }
    emit(part, cause_of(span->kind), span->name);
  }
  emit({reached, time.end}, Cause::kCode, HostPiece::kNoName);
}

}  // namespace prof::ranks
