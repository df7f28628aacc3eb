#include "collector/ingest/cpu/cpu_builder.hpp"

#include <algorithm>

namespace prof::ingest {

using report::ThreadState;

void CpuBuilder::add(std::span<const spool::KernelPiece> pieces, spool::KernelSource source,
                     bool switches, std::uint64_t dropped) {
  is_running_.clear();
  std::uint64_t reported = 0;
  stats_.corrupt_bytes +=
      for_each_kernel_event(pieces, source, writer_.memory(), [&](const KernelEvent& event) {
        const spool::KernelRecord& record = event.record;
        if (record.type == spool::KernelRecordType::kLost) reported += record.value;
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
  write_sample({0, time, thread, static_cast<std::int32_t>(event.cpu)}, record.value);
}

void CpuBuilder::write_sample(report::SampleRow row, std::uint32_t node) {
  row.id = static_cast<std::int64_t>(++stats_.samples);
  writer_.add(row);
  std::int32_t depth = 0;
  stacks_.frames(node, clock_.to_monotonic(row.start), [&](const report::StackFrame& frame) {
    writer_.add(report::SampleFrameRow{frame, row.id, depth++});
  });
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
    write_sample({0, each.time, each.global_tid, static_cast<std::int32_t>(each.cpu),
                  static_cast<std::int32_t>(std::clamp(each.periods, 1U, kMaxPeriods))},
                 each.node);
  own_samples_.clear();
}

void CpuBuilder::schedule(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  switch (record.type) {
    case spool::KernelRecordType::kSwitchIn:
      return begin_run(event);
    case spool::KernelRecordType::kSwitchOut:
      return end_run(event, (record.flags & spool::kPreempted) != 0 ? ThreadState::kUnscheduled
                                                                    : ThreadState::kWaiting);
    case spool::KernelRecordType::kFork:
      is_running_[record.tid] = false;
      return;
    // The recording starts during the exec, while the thread is running.
    case spool::KernelRecordType::kName:
      if ((record.flags & spool::kNameFromExec) != 0 && !is_running_[record.tid]) begin_run(event);
      return;
    // The kernel releases the event before it switches the thread out.
    case spool::KernelRecordType::kThreadEnd:
      return end_run(event, ThreadState::kTerminated);
    default:
      return;
  }
}

void CpuBuilder::begin_run(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  ++stats_.switches;
  is_running_[record.tid] = true;
  const std::int64_t thread = tasks_.mention(record.pid, record.tid, record.time);
  writer_.add(report::ScheduleRow{clock_.from_monotonic(record.time), thread,
                                  static_cast<std::int32_t>(event.cpu), 1, ThreadState::kUnknown});
}

void CpuBuilder::end_run(const KernelEvent& event, ThreadState state) {
  const spool::KernelRecord& record = event.record;
  const auto [known, is_new] = is_running_.try_emplace(record.tid, true);
  if (!known->second) return;
  known->second = false;
  ++stats_.switches;
  const std::int64_t thread = tasks_.mention(record.pid, record.tid, record.time);
  writer_.add(report::ScheduleRow{clock_.from_monotonic(record.time), thread,
                                  static_cast<std::int32_t>(event.cpu), 0, state});
}

}  // namespace prof::ingest
