#include "collector/ingest/cpu/cpu_builder.hpp"

#include <algorithm>

namespace prof::ingest {

using report::ThreadState;

namespace {

bool is_switch(const spool::KernelRecord& record) {
  return record.type == spool::KernelRecordType::kSwitchIn ||
         record.type == spool::KernelRecordType::kSwitchOut;
}

// Returns the state of the thread that was on the CPU before this record and did not leave it. The
// kernel knows no number of a thread that has ended; otherwise a record was lost.
ThreadState state_without_switch(const spool::KernelRecord& record) {
  const bool is_end = record.type == spool::KernelRecordType::kSwitchOut && record.tid == ~0U;
  return is_end ? ThreadState::kTerminated : ThreadState::kUnknown;
}

}  // namespace

void CpuBuilder::add(std::span<const spool::KernelPiece> pieces, spool::KernelSource source,
                     bool switches, std::uint64_t dropped) {
  runs_.clear();
  on_cpu_.clear();
  std::uint64_t reported = 0;
  stats_.corrupt_bytes +=
      for_each_kernel_event(pieces, source, writer_.memory(), [&](const KernelEvent& event) {
        const spool::KernelRecord& record = event.record;
        if (record.type == spool::KernelRecordType::kLost) reported += record.value;
        if (switches && is_switch(record)) free_cpu(event, state_without_switch(record));
        if (!spool::has_known_thread(record)) return;
        last_time_ = std::max(last_time_, clock_.from_monotonic(record.time));
        tasks_.follow(event);
        if (record.type == spool::KernelRecordType::kSample)
          sample(event);
        else if (switches)
          schedule(event);
      });
  // The kernel's own count includes drops after the last record.
  stats_.dropped += std::max(reported, dropped);
}

void CpuBuilder::sample(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  const std::int64_t time = clock_.from_monotonic(record.time);
  if (!is_in_window(time)) return;
  const std::int64_t thread = tasks_.mention(record.pid, record.tid, record.time);
  write_sample({.start = time, .global_tid = thread, .cpu = static_cast<std::int32_t>(event.cpu)},
               record.value);
}

void CpuBuilder::write_sample(report::SampleRow row, std::uint32_t node) {
  row.id = static_cast<std::int64_t>(++stats_.samples);
  row.chain = chains_.id_of(node, clock_.to_monotonic(row.start));
  writer_.add(row);
}

void CpuBuilder::add_own_sample(std::int64_t global_tid, const wire::CpuSampleNodeRecord& record) {
  const std::int64_t time = clock_.to_ns(record.time);
  if (!is_in_window(time)) return;
  last_time_ = std::max(last_time_, time);
  own_samples_.push_back({time, global_tid, record.header.aux, record.cpu, record.periods});
}

void CpuBuilder::write_own_samples() {
  constexpr std::uint32_t kMaxPeriods = 1U << 30;  // limits what a target can claim
  std::ranges::sort(own_samples_);
  for (const OwnSample& each : own_samples_)
    write_sample({.start = each.time,
                  .global_tid = each.global_tid,
                  .cpu = static_cast<std::int32_t>(each.cpu),
                  .weight = static_cast<std::int32_t>(std::clamp(each.periods, 1U, kMaxPeriods))},
                 each.node);
  own_samples_.clear();
}

void CpuBuilder::schedule(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  Run& run = runs_[record.tid];
  switch (record.type) {
    // A thread can be preempted after the record of its end, until it stops for the last time.
    case spool::KernelRecordType::kSwitchIn:
      if (!run.has_ended) begin_run(event);
      return;
    case spool::KernelRecordType::kSwitchOut:
      return end_run(event, (record.flags & spool::kPreempted) != 0 ? ThreadState::kUnscheduled
                                                                    : ThreadState::kWaiting);
    case spool::KernelRecordType::kFork:
      run.is_running = run.has_ended = false;
      run.is_known = true;
      return;
    // The recording starts during the exec, while the thread is running.
    case spool::KernelRecordType::kName:
      if ((record.flags & spool::kNameFromExec) != 0 && !run.is_running) begin_run(event);
      return;
    // The kernel releases the event before it switches the thread out.
    case spool::KernelRecordType::kThreadEnd:
      end_run(event, ThreadState::kTerminated);
      run.has_ended = true;
      return;
    // The number of a thread that has ended may belong to another one now.
    case spool::KernelRecordType::kLost:
      for (auto& [tid, each] : runs_) each.has_ended = false;
      return;
    default:
      return;
  }
}

void CpuBuilder::begin_run(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  Run& run = runs_[record.tid];
  const std::int64_t thread = tasks_.mention(record.pid, record.tid, record.time);
  follow_process(run, event, thread);
  run = {thread, clock_.from_monotonic(record.time), event.cpu, true, true, false};
  on_cpu_[event.cpu] = record.tid;
  write_switch(run.since, thread, event.cpu, true, ThreadState::kUnknown);
}

void CpuBuilder::end_run(const KernelEvent& event, ThreadState state) {
  const spool::KernelRecord& record = event.record;
  Run& run = runs_[record.tid];
  if (run.has_ended || (run.is_known && !run.is_running)) return;
  const std::int64_t thread = tasks_.mention(record.pid, record.tid, record.time);
  follow_process(run, event, thread);
  run.global_tid = thread;
  run.is_running = false;
  run.is_known = true;
  write_switch(clock_.from_monotonic(record.time), thread, event.cpu, false, state);
}

void CpuBuilder::free_cpu(const KernelEvent& event, ThreadState state) {
  const auto last = on_cpu_.find(event.cpu);
  if (event.cpu == spool::kNoCpu || last == on_cpu_.end() || last->second == event.record.tid)
    return;
  const auto run = runs_.find(last->second);
  on_cpu_.erase(last);
  if (run == runs_.end() || !run->second.is_running || run->second.cpu != event.cpu) return;
  run->second.is_running = false;
  write_switch(clock_.from_monotonic(event.record.time), run->second.global_tid, event.cpu, false,
               state);
}

void CpuBuilder::follow_process(Run& run, const KernelEvent& event, std::int64_t global_tid) {
  if (run.global_tid == 0 || run.global_tid == global_tid) return;
  const spool::KernelRecord& record = event.record;
  const std::int64_t begin = std::max(run.since, tasks_.begin_of(record.pid, record.time));
  write_switch(begin, run.global_tid, event.cpu, false, ThreadState::kTerminated);
  if (run.is_running) write_switch(begin, global_tid, event.cpu, true, ThreadState::kUnknown);
}

void CpuBuilder::write_switch(std::int64_t time, std::int64_t global_tid, std::uint32_t cpu,
                              bool is_in, ThreadState state) {
  ++stats_.switches;
  writer_.add(
      report::ScheduleRow{time, global_tid, static_cast<std::int32_t>(cpu), is_in ? 1 : 0, state});
}

}  // namespace prof::ingest
