#include "exporters/analysis/insight/api_timeline.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::insight {

namespace {

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.starts_with(word); });
}

bool has(std::string_view name, std::string_view word) {
  return name.find(word) != std::string_view::npos;
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
  events::PackedIntegers threads;
  const base::Status read = events::for_each_event(
      reader, {events::kApiTable, {"globalTid", "correlationId", "nameId"}, events::api_calls()},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(2, events::Strings::kNone);
        const auto [at, is_new] = result.names_.try_emplace(name);
        if (is_new) {
          const std::string_view text = events::without_version(strings.text(name));
          at->second = {std::string(text), kind_of_call(text)};
        }
        const std::size_t thread = result.calls_.add(row.integer(0), times, {row.integer(1), name});
        threads.push_back(static_cast<std::int64_t>(thread));
      });
  if (!read) return tl::make_unexpected(read.error());
  result.sort(threads);
  return result;
}

events::ApiCall ApiTimeline::at(std::size_t call) const {
  return {calls_.start(call), calls_.end(call), calls_.groups()[calls_.group(call)].key,
          calls_.value(call, kCorrelation), calls_.value(call, kName)};
}

std::vector<std::int64_t> ApiTimeline::threads() const {
  std::vector<std::int64_t> result;
  for (const auto& thread : calls_.groups()) result.push_back(thread.key);
  return result;
}

ApiTimeline::ProcessAndId ApiTimeline::id_of(std::size_t call) const {
  return {events::process_of(calls_.groups()[calls_.group(call)].key),
          calls_.value(call, kCorrelation)};
}

// Sorts the calls and their index. `threads` has the number of the thread of each call, in the
// order in which the calls were read.
void ApiTimeline::sort(const events::PackedIntegers& threads) {
  // Ids grow with time, so the calls were usually read in the order of their ids.
  if (calls_.sort() && index_in_order(threads)) return;
  // Of several calls with the same id the first one in calls_ is found, as in nsys's reports.
  std::vector<std::uint32_t> order(calls_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t call) { return id_of(call); });
  by_correlation_ = {};
  for (const std::uint32_t call : order) by_correlation_.push_back(call);
}

// Adds the calls to the index as they were read. Returns false if that is not the index's order.
bool ApiTimeline::index_in_order(const events::PackedIntegers& threads) {
  std::vector<std::size_t> next(calls_.groups().size());
  for (const auto& thread : calls_.groups()) next[thread.number] = thread.first;
  std::pair<ProcessAndId, std::size_t> last{{INT64_MIN, INT64_MIN}, 0};
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const std::size_t call = next[static_cast<std::size_t>(threads[i])]++;
    const std::pair id(id_of(call), call);
    if (id < last) return false;
    last = id;
    by_correlation_.push_back(static_cast<std::int64_t>(call));
  }
  return true;
}

std::optional<events::ApiCall> ApiTimeline::launching(std::int64_t global_pid,
                                                      std::int64_t correlation) const {
  if (correlation == 0) return std::nullopt;
  const ProcessAndId id{events::process_of(global_pid), correlation};
  const auto call_at = [&](std::size_t place) {
    return static_cast<std::size_t>(by_correlation_[place]);
  };
  const std::size_t found = events::partition_index(
      0, by_correlation_.size(), [&](std::size_t place) { return id_of(call_at(place)) < id; });
  if (found == by_correlation_.size() || id_of(call_at(found)) != id) return std::nullopt;
  return at(call_at(found));
}

std::pair<std::size_t, std::size_t> ApiTimeline::indices_during(std::int64_t global_tid,
                                                                std::int64_t start,
                                                                std::int64_t end) const {
  const auto threads = calls_.groups();
  const auto thread =
      std::ranges::lower_bound(threads, global_tid, {}, &events::GroupedEvents::Group::key);
  if (thread == threads.end() || thread->key != global_tid) return {0, 0};
  std::size_t first = calls_.first_from(*thread, start);
  // The maximum number of calls open at once: a runtime call and driver calls in it.
  constexpr int kNesting = 4;
  for (int i = 0; i < kNesting && first > thread->first; ++i) --first;
  while (first < thread->end && calls_.end(first) <= start && calls_.start(first) < start) ++first;
  return {first, std::max(first, calls_.first_from(*thread, end))};
}

}  // namespace prof::insight
