#include "exporters/analysis/insight/api_timeline.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/grouped_sort.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::insight {

using events::ApiCall;

namespace {

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.starts_with(word); });
}

bool has(std::string_view name, std::string_view word) {
  return name.find(word) != std::string_view::npos;
}

using ProcessAndId = std::pair<std::int64_t, std::int64_t>;

ProcessAndId key_of(const ApiCall& call) {
  return {events::process_of(call.global_tid), call.correlation};
}

}  // namespace

CallKind kind_of_call(std::string_view name) {
  if (has(name, "Synchronize")) return CallKind::kWait;
  if (starts_with_any(name, {"cudaMemcpy", "cudaMemset", "cuMemcpy", "cuMemset"})) {
    // The host waits for a synchronous copy. It usually does not wait for a fill.
    const bool is_copy = has(name, "Memcpy");
    return is_copy && !has(name, "Async") && !has(name, "Peer") ? CallKind::kWait : CallKind::kCopy;
  }
  if (starts_with_any(name, {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaHostRegister",
                             "cudaHostUnregister", "cuMemAlloc", "cuMemFree", "cuMemHostAlloc",
                             "cuMemCreate", "cuMemMap", "cuMemUnmap", "cuMemRelease"}))
    return CallKind::kAllocation;
  if (has(name, "Launch") && !has(name, "LaunchHostFunc")) return CallKind::kLaunch;
  return CallKind::kOther;
}

bool is_blocking_allocation(std::string_view name) {
  return kind_of_call(name) == CallKind::kAllocation && !has(name, "Async") &&
         !has(name, "FromPool");
}

base::Result<ApiTimeline> ApiTimeline::read(const report::ReportReader& reader) {
  ApiTimeline result;
  if (!reader.has_table(events::kApiTable)) return result;
  events::Strings strings(reader);
  result.calls_.reserve(events::max_rows(reader, events::kApiTable));
  const base::Status read = events::for_each_event(
      reader, {events::kApiTable, {"globalTid", "correlationId", "nameId"}, events::api_calls()},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(2, events::Strings::kNone);
        const auto [at, is_new] = result.names_.try_emplace(name);
        if (is_new) {
          const std::string_view text = events::without_version(strings.text(name));
          at->second = {std::string(text), kind_of_call(text)};
        }
        result.calls_.push_back({times.start, times.end, row.integer(0), row.integer(1), name});
      });
  if (!read) return tl::make_unexpected(read.error());
  result.sort();
  return result;
}

void ApiTimeline::sort() {
  by_correlation_ = events::sort_grouped(
      calls_, [](const ApiCall& call) { return call.global_tid; },
      [](const ApiCall& a, const ApiCall& b) {
        return std::tie(a.start, b.end) < std::tie(b.start, a.end);
      });
  // Of several calls with the same id the first one in calls_ is found, as in nsys's reports.
  const auto in_order = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(key_of(calls_[a]), a) < std::pair(key_of(calls_[b]), b);
  };
  // Ids grow with time, so the calls were read in the order of their ids.
  if (by_correlation_.size() == calls_.size() && std::ranges::is_sorted(by_correlation_, in_order))
    return;
  by_correlation_.resize(calls_.size());
  std::iota(by_correlation_.begin(), by_correlation_.end(), 0U);
  std::ranges::sort(by_correlation_, in_order);
}

const ApiCall* ApiTimeline::launching(std::int64_t global_pid, std::int64_t correlation) const {
  const ProcessAndId key{events::process_of(global_pid), correlation};
  const auto at = std::lower_bound(
      by_correlation_.begin(), by_correlation_.end(), key,
      [&](std::uint32_t index, const ProcessAndId& id) { return key_of(calls_[index]) < id; });
  const bool found = correlation != 0 && at != by_correlation_.end() && key_of(calls_[*at]) == key;
  return found ? &calls_[*at] : nullptr;
}

std::pair<const ApiCall*, const ApiCall*> ApiTimeline::during(std::int64_t global_tid,
                                                              std::int64_t start,
                                                              std::int64_t end) const {
  const auto before = [&](std::int64_t time) {
    return std::partition_point(calls_.begin(), calls_.end(), [&](const ApiCall& call) {
      return std::tie(call.global_tid, call.start) < std::tie(global_tid, time);
    });
  };
  auto first = before(start);
  constexpr int kNesting =
      4;  // maximum number of calls open at once: a runtime call and driver calls in it
  for (int i = 0;
       i < kNesting && first != calls_.begin() && std::prev(first)->global_tid == global_tid; ++i)
    --first;
  while (first != calls_.end() && first->global_tid == global_tid && first->end <= start &&
         first->start < start)
    ++first;
  const auto last = before(end);
  const auto* data = calls_.data();
  return {data + (first - calls_.begin()), data + (std::max(first, last) - calls_.begin())};
}

}  // namespace prof::insight
