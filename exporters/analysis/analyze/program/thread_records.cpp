#include "exporters/analysis/analyze/program/thread_records.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "exporters/analysis/analyze/program/thread_periods.hpp"
#include "exporters/analysis/events/call_chains/sampling_interval.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"

namespace prof::analyze {

namespace {

using insight::Interval;
using insight::StatePeriod;

// Numbers threads in the order of their first record, until renumber() sorts them.
struct Numbered {
  ThreadNumbers threads;
  std::vector<std::pair<std::uint32_t, ThreadRecords::States>> states_of;
};

base::Status read_states(const report::ReportReader& reader, Numbered& numbered,
                         ThreadRecords& records) {
  if (!reader.has_table(events::kSchedulingTable)) return {};
  return insight::for_each_thread(
      reader, [&](std::int64_t tid, std::span<const StatePeriod> periods) {
        if (events::pid_of(tid) == 0) return;  // the kernel's idle threads
        numbered.states_of.push_back(
            {numbered.threads.of(tid), {records.states.size(), periods.size()}});
        records.states.insert(records.states.end(), periods.begin(), periods.end());
      });
}

void renumber(Numbered& numbered, ThreadRecords& records) {
  const std::size_t count = numbered.threads.size();
  for (std::uint32_t i = 0; i < count; ++i) records.tids.push_back(numbered.threads.key(i));
  std::sort(records.tids.begin(), records.tids.end());
  std::vector<std::uint32_t> new_number(count);
  for (std::uint32_t i = 0; i < count; ++i)
    new_number[i] = static_cast<std::uint32_t>(
        std::lower_bound(records.tids.begin(), records.tids.end(), numbered.threads.key(i)) -
        records.tids.begin());
  for (OsCall& each : records.calls) each.thread = new_number[each.thread];
  for (LockRange& each : records.lock_ranges) each.thread = new_number[each.thread];
  for (RecordedSamples* kind : {&records.native, &records.python, &records.python_waits})
    for (std::uint32_t& thread : kind->threads) thread = new_number[thread];
  records.states_of.resize(count);
  for (const auto& [thread, states] : numbered.states_of)
    records.states_of[new_number[thread]] = states;
}

base::Status read_samples(const report::ReportReader& reader, events::SampleKind kind,
                          Numbered& numbered, RecordedSamples& to) {
  auto samples = read_recorded_samples(reader, kind);
  if (!samples) return tl::make_unexpected(samples.error());
  to = *std::move(samples);
  for (const std::int64_t tid : to.samples.threads) to.threads.push_back(numbered.threads.of(tid));
  return {};
}

// Returns for each thread the times that its samples stand for.
std::vector<insight::Intervals> sampled_times(const ThreadRecords& records) {
  std::vector<std::vector<Interval>> times(records.tids.size());
  for (const RecordedSamples* kind : {&records.native, &records.python}) {
    if (kind->interval == 0) continue;
    for (const events::Sample& each : kind->samples.all)
      times[kind->threads[each.thread]].push_back(
          {each.start -
               events::sampled_time(std::min<std::int64_t>(each.weight, 1000), kind->interval),
           each.start});
  }
  std::vector<insight::Intervals> merged;
  merged.reserve(times.size());
  for (auto& each : times) merged.push_back(insight::merged(std::move(each)));
  return merged;
}

// Makes the periods of all threads.
class PeriodReader {
 public:
  PeriodReader(const ThreadRecords& records, events::Strings& strings)
      : records_(records), samples_(sampled_times(records)) {
    rules_.wait_of = [this, &strings](const OsCall& call) {
      if (call.waits_for) return *call.waits_for;
      const auto [at, is_new] = waits_.try_emplace(call.name);
      if (is_new) at->second = wait_of(strings.text(call.name));
      return at->second;
    };
    rules_.sampling_interval = std::max(records.native.interval, records.python.interval);
  }

  std::vector<Period> read() {
    std::vector<Period> periods;
    for (std::uint32_t thread = 0; thread < records_.tids.size(); ++thread)
      append_periods(events_of(thread), rules_, thread, periods);
    return periods;
  }

 private:
  ThreadEvents events_of(std::uint32_t thread) {
    ThreadEvents events;
    const auto [first, count] = records_.states_of[thread];
    events.states = std::span(records_.states).subspan(first, count);
    const std::size_t first_call = next_call_;
    while (next_call_ < records_.calls.size() && records_.calls[next_call_].thread == thread)
      ++next_call_;
    events.calls = std::span(records_.calls).subspan(first_call, next_call_ - first_call);
    events.first_call = static_cast<std::uint32_t>(first_call);
    std::vector<Interval> waits;
    for (; next_range_ < records_.lock_ranges.size() &&
           records_.lock_ranges[next_range_].thread == thread;
         ++next_range_) {
      const LockRange& range = records_.lock_ranges[next_range_];
      if (range.is_wait) waits.push_back({range.start, range.end});
    }
    events.lock_waits = insight::merged(std::move(waits));
    events.samples = std::move(samples_[thread]);
    return events;
  }

  const ThreadRecords& records_;
  std::vector<insight::Intervals> samples_;  // by thread
  PeriodRules rules_;
  std::unordered_map<std::int64_t, Activity> waits_;  // by name
  std::size_t next_call_ = 0;
  std::size_t next_range_ = 0;
};

}  // namespace

base::Result<ThreadRecords> read_thread_records(const report::ReportReader& reader) {
  ThreadRecords records;
  Numbered numbered;
  auto calls = read_calls(reader, numbered.threads);
  if (!calls) return tl::make_unexpected(calls.error());
  records.calls = *std::move(calls);
  auto ranges = read_lock_ranges(reader, numbered.threads);
  if (!ranges) return tl::make_unexpected(ranges.error());
  records.lock_ranges = *std::move(ranges);
  base::Status read = read_states(reader, numbered, records);
  if (read) read = read_samples(reader, events::SampleKind::kCpu, numbered, records.native);
  if (read) read = read_samples(reader, events::SampleKind::kPython, numbered, records.python);
  if (read)
    read = read_samples(reader, events::SampleKind::kPythonWait, numbered, records.python_waits);
  if (!read) return tl::make_unexpected(read.error());
  renumber(numbered, records);
  order(records.calls);
  std::stable_sort(records.lock_ranges.begin(), records.lock_ranges.end(),
                   [](const LockRange& a, const LockRange& b) {
                     return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
                   });
  return records;
}

std::vector<Period> periods_of(const ThreadRecords& records, events::Strings& strings) {
  return PeriodReader(records, strings).read();
}

}  // namespace prof::analyze
