#include "exporters/ranks/delays/thread_details.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/names.hpp"
#include "exporters/analysis/insight/thread_states.hpp"

namespace prof::ranks {

using insight::Interval;
using insight::Intervals;

namespace {

using Visit = std::function<void(const HostPiece&)>;

HostPiece part_of(const HostPiece& piece, const Interval& time, Cause cause) {
  return {piece.global_tid, time, cause, piece.name};
}

// Calls `visit` for the parts in these times, with the cause, and `visit_rest` for the others.
template <class VisitRest>
void cut(const HostPiece& piece, const Intervals& times, Cause cause, const Visit& visit,
         VisitRest visit_rest) {
  std::int64_t reached = piece.time.start;
  const auto rest_until = [&](std::int64_t end) {
    if (end > reached) visit_rest(part_of(piece, {reached, end}, piece.cause));
  };
  for (const Interval& each : insight::within(times, piece.time)) {
    rest_until(each.start);
    visit(part_of(piece, each, cause));
    reached = each.end;
  }
  rest_until(piece.time.end);
}

}  // namespace

base::Result<ThreadDetails> ThreadDetails::read(const report::ReportReader& reader,
                                                const events::RangeTree& ranges,
                                                const std::set<std::int64_t>& threads) {
  ThreadDetails result;
  for (const std::int64_t each : threads) result.threads_[each];
  result.read_ranges(ranges);
  if (const base::Status read = result.read_states(reader); !read)
    return tl::make_unexpected(read.error());
  if (const base::Status read = result.read_samples(reader); !read)
    return tl::make_unexpected(read.error());
  return result;
}

base::Status ThreadDetails::read_states(const report::ReportReader& reader) {
  if (!reader.has_table(events::kSchedulingTable)) return {};
  return insight::for_each_thread(
      reader, [&](std::int64_t global_tid, std::span<const insight::StatePeriod> periods) {
        const auto thread = threads_.find(global_tid);
        if (thread == threads_.end()) return;
        std::vector<Interval> waits;
        for (const insight::StatePeriod& each : periods)
          if (each.state == insight::ThreadState::kRunnable)
            waits.push_back({each.start, each.end});
        thread->second.without_cpu = insight::merged(std::move(waits));
      });
}

base::Status ThreadDetails::read_samples(const report::ReportReader& reader) {
  if (!reader.has_table(events::sample_table(events::SampleKind::kCpu))) return {};
  const auto samples = events::read_samples(reader, events::SampleKind::kCpu);
  if (!samples) return tl::make_unexpected(samples.error());
  events::Strings strings(reader);
  events::CodeFrames code(strings, events::FrameDetail::kFunction);
  const base::Status read = events::for_each_call_chain(
      reader, events::SampleKind::kCpu, *samples, code,
      [&](std::span<const events::Sample> of_chain, std::span<const std::uint32_t> frames) {
        const bool is_page_fault = std::ranges::any_of(frames, [&](std::uint32_t frame) {
          return analyze::is_page_fault(code.function_of(frame));
        });
        for (const events::Sample& each : of_chain) {
          const auto thread = threads_.find(samples->threads[each.thread]);
          if (thread != threads_.end())
            thread->second.samples.push_back({each.start, is_page_fault});
        }
      },
      [&] {
        for (auto& [tid, thread] : threads_) thread.samples.clear();
      });
  for (auto& [tid, thread] : threads_) {
    if (std::ranges::none_of(thread.samples, &Sample::is_page_fault)) thread.samples.clear();
    std::ranges::sort(thread.samples, {}, &Sample::time);
  }
  return read;
}

void ThreadDetails::read_ranges(const events::RangeTree& ranges) {
  std::map<std::int32_t, bool> collects;  // by name
  std::map<std::int64_t, std::vector<Interval>> times;
  for (const events::RangeTree::Range& each : ranges.ranges()) {
    const auto [at, is_new] = collects.try_emplace(each.name);
    if (is_new) at->second = insight::is_garbage_collection_name(ranges.name_of(each));
    if (at->second) times[each.global_tid].push_back({each.start, each.end});
  }
  for (auto& [tid, any] : times)
    if (const auto thread = threads_.find(tid); thread != threads_.end())
      thread->second.collections = insight::merged(std::move(any));
}

void ThreadDetails::divide(const HostPiece& piece, const Visit& visit) const {
  const auto found = threads_.find(piece.global_tid);
  if (found == threads_.end()) return visit(piece);
  const Thread& thread = found->second;
  // A part of the code is in a page fault if the sample that is nearest to it is. Between waits for
  // a CPU, many parts are shorter than the time between two samples.
  constexpr std::int64_t kNear = 10'000'000;  // ns
  const auto divide_code = [&](const HostPiece& code) {
    if (code.cause != Cause::kCode) return visit(code);
    const auto& [start, end] = code.time;
    const std::vector<Sample>& samples = thread.samples;
    auto first = std::ranges::lower_bound(samples, start, {}, &Sample::time);
    auto last = std::ranges::lower_bound(first, samples.end(), end, {}, &Sample::time);
    if (first != samples.begin() && start - first[-1].time <= kNear) --first;
    if (last != samples.end() && last->time - end <= kNear) ++last;
    if (first == last) return visit(code);
    std::int64_t reached = start;
    for (auto each = first; each != last; ++each) {
      const auto next = each + 1;
      if (next != last && next->is_page_fault == each->is_page_fault) continue;
      const std::int64_t until =
          next == last ? end : std::min(end, each->time + (next->time - each->time) / 2);
      if (until <= reached) continue;
      visit(
          part_of(code, {reached, until}, each->is_page_fault ? Cause::kPageFaults : Cause::kCode));
      reached = until;
    }
  };
  cut(piece, thread.without_cpu, Cause::kNoCpu, visit, [&](const HostPiece& with_cpu) {
    cut(with_cpu, thread.collections, Cause::kGarbage, visit, divide_code);
  });
}

}  // namespace prof::ranks
