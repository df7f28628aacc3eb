#include "collector/ingest/cpu/system_call_builder.hpp"

#include <sys/syscall.h>

#include <algorithm>

#include "collector/ingest/cpu/machine/exit_numbers.hpp"
#include "collector/ingest/cpu/system_call_names.hpp"
#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

namespace {

// The number at the end of rt_sigreturn, which restores the registers of the interrupted code.
constexpr std::uint32_t kNoNumber = ~0U;

bool is_exec(std::uint32_t number) { return number == SYS_execve || number == SYS_execveat; }

}  // namespace

void SystemCallBuilder::add(std::span<const spool::KernelPiece> pieces, std::uint64_t dropped) {
  stats_.corrupt_bytes +=
      for_each_kernel_event(pieces, spool::KernelSource::kSystemCalls, writer_.memory(),
                            [this](const KernelEvent& event) { handle(event); });
  // The kernel's own count includes drops after the last record.
  stats_.dropped = std::max(stats_.dropped, dropped);
}

void SystemCallBuilder::handle(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  if (record.type == spool::KernelRecordType::kLost) {
    stats_.dropped += record.value;
    ++gaps_[event.cpu];
    return;
  }
  if (!spool::has_known_thread(record)) return;
  last_time_ = std::max(last_time_, clock_.from_monotonic(record.time));
  switch (record.type) {
    case spool::KernelRecordType::kEnter:
      return enter(event);
    case spool::KernelRecordType::kExit:
      return exit(record);
    case spool::KernelRecordType::kFork:
      calls_.erase(record.tid);
      break;
    case spool::KernelRecordType::kThreadEnd:
      end_thread(record);
      break;
    case spool::KernelRecordType::kName:
      if ((record.flags & spool::kNameFromExec) != 0) exec(record);
      break;
    default:
      return;
  }
  tasks_.follow(event);
}

void SystemCallBuilder::enter(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  const Call call{record.time,
                  record.pid,
                  record.tid,
                  record.value,
                  (record.flags & spool::kCallOf32Bit) != 0,
                  event.cpu,
                  gaps_[event.cpu]};
  if (!calls_.insert_or_assign(record.tid, call).second) ++stats_.incomplete;
}

// An end can have no start: a forked child returns from its parent's fork, the program returns from
// prof's exec, and calls that seccomp or a tracer rejects never start.
void SystemCallBuilder::exit(const spool::KernelRecord& record) {
  const auto found = calls_.find(record.tid);
  if (found == calls_.end()) return;
  const Call call = found->second;
  calls_.erase(found);
  const bool fits = record.value == call.number || record.value == kNoNumber;
  // After dropped records, this end can belong to a later call of the same function.
  if (!fits || record.time < call.time || gaps_[call.cpu] != call.gap)
    ++stats_.incomplete;
  else
    add_row(call, clock_.from_monotonic(record.time));
}

// The thread that calls exec continues as the main thread, so the call ends there.
void SystemCallBuilder::exec(const spool::KernelRecord& record) {
  const auto leader = calls_.find(record.tid);
  if (leader != calls_.end() && is_exec(leader->second.number)) return;
  calls_.erase(record.tid);
  for (const auto& [tid, call] : calls_) {
    if (call.pid != record.pid || !is_exec(call.number)) continue;
    tasks_.mention(call.pid, tid, call.time);  // the row of the exec names this thread
    const Call moved = call;
    calls_.erase(tid);
    calls_.emplace(record.tid, moved);
    return;
  }
}

void SystemCallBuilder::end_thread(const spool::KernelRecord& record) {
  const auto found = calls_.find(record.tid);
  if (found == calls_.end()) return;
  const Call& call = found->second;
  if (never_returns(call.number, call.is_32_bit) && record.time >= call.time)
    add_row(call, clock_.from_monotonic(record.time));
  else
    ++stats_.incomplete;
  calls_.erase(found);
}

void SystemCallBuilder::add_row(const Call& call, std::int64_t end) {
  ++stats_.calls;
  const std::int64_t thread = tasks_.mention(call.pid, call.tid, call.time);
  writer_.add(report::SystemCallRow{clock_.from_monotonic(call.time), end, thread, name_id(call)});
}

std::int32_t SystemCallBuilder::name_id(const Call& call) {
  const std::uint64_t key = std::uint64_t{call.is_32_bit} << 32 | call.number;
  const auto [found, added] = name_ids_.try_emplace(key, 0);
  if (added) found->second = writer_.string_id(system_call_name(call.number, call.is_32_bit));
  return found->second;
}

void SystemCallBuilder::finish(std::int64_t end) {
  for (const auto& [tid, call] : calls_) {
    if (stats_.dropped == 0) {
      ++stats_.in_progress;
      add_row(call, std::max(end, clock_.from_monotonic(call.time)));
    } else {
      ++stats_.incomplete;
    }
  }
  calls_.clear();
}

}  // namespace prof::ingest
